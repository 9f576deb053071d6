"""Experiment files that say no format: what they mean is said where it is not what is usual today."""

from pathlib import Path

import pytest

from runner.commands.experiment_file import read_experiment

LEARNERS = "learners: [{method: adaboost, base: naive_bayes}]"
SAID = (
    "old.yaml: says no format, so settings that it leaves open mean what they meant first; `format: 3` means today's. "
    "AdaBoost has here what was its default before: more than two classes M1, as in Oza 2001.\n"
)


@pytest.mark.parametrize(
    ("before", "learners", "said"),
    [
        ("", LEARNERS, SAID),
        ("format: 2\n", LEARNERS, ""),
        ("format: 3\n", LEARNERS, ""),
        ("format: 1\n", LEARNERS, ""),
        ("", "learners: [{method: adaboost, base: naive_bayes, algorithm: samme}]", ""),
        ("", "learners: [{method: bagging, base: naive_bayes}]", ""),
    ],
)
def test_it_is_said_where_it_makes_a_difference(
    before: str,
    learners: str,
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.yaml").write_text(f"{before}name: Old\ndatasets: [iris]\n{learners}\n")
    config, _ = read_experiment("old.yaml")
    assert config.learners[0].settings.get("algorithm") == (
        "samme" if "samme" in learners else "m1" if "adaboost" in learners and before in ("", "format: 1\n") else None
    )
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", said)
