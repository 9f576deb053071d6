"""Experiment files that say no format: what they mean is said where it is not what is usual today."""

from pathlib import Path

import pytest

from ensembles.experiments.estimate import Estimate
from runner.command_line import main
from runner.commands import running
from runner.commands.experiment_file import read_experiment, store_files
from storage import open_storage

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
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("old.yaml").write_text(f"{before}name: Old\ndatasets: [iris]\n{learners}\n")
    config, _, note = read_experiment("old.yaml")
    assert config.learners[0].settings.get("algorithm") == (
        "samme" if "samme" in learners else "m1" if "adaboost" in learners and before in ("", "format: 1\n") else None
    )
    assert note == said.strip()


@pytest.mark.parametrize("command", [["--plan"], ["--workers", "0"], ["--plan", "--workers", "0"], []])
def test_it_is_said_of_no_file_that_is_refused(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = "datasets: [iris]" if "--workers" in command else "datasets: [{file: gone.csv}]"
    Path("old.yaml").write_text(f"name: Old\n{data}\n{LEARNERS}\n")
    assert main(["run", "old.yaml", *command, "--database", f"sqlite:///{tmp_path}/lab.sqlite"]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert "gone.csv" in told.err or "workers must be" in told.err


def test_it_is_said_beside_what_it_would_cost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(running, "plan_experiment", lambda *_: Estimate(1, 0.0, 1.0, measured=True))
    Path("old.yaml").write_text(f"name: Old\ndatasets: [iris]\n{LEARNERS}\n")
    assert main(["run", "old.yaml", "--plan", "--json", "--database", f"sqlite:///{tmp_path}/lab.sqlite"]) == 0
    assert capsys.readouterr().err == SAID


@pytest.mark.parametrize("kind", ["", ", stream: true"])
def test_so_are_columns_that_are_left_out_unasked(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("runner.commands.plan.estimate_seconds", lambda *_, **__: Estimate(1, 0.0, 1.0, measured=True))
    rows = [f"day {day},{day / 7},{'yes' if day % 2 else 'no'}" for day in range(60)]
    Path("days.csv").write_text("\n".join(["day,size,class", *rows]))
    data = f"format: 3\nname: Days\ndatasets: [{{file: days.csv{kind}}}]\nlearners: [{{method: single, base: naive_bayes}}]"
    Path("days.yaml").write_text(f"{data}\nprotocol: {{kind: prequential, orders: 1, shuffle: false}}\n")
    config, folder, _ = read_experiment("days.yaml")
    with open_storage(f"sqlite:///{tmp_path}/lab.sqlite") as storage:
        store_files(config, storage, folder)
    stored = capsys.readouterr().err
    assert main(["run", "days.yaml", "--plan", "--database", f"sqlite:///{tmp_path}/lab.sqlite"]) == 0
    assert capsys.readouterr().err == stored
    assert stored.startswith("days.csv: Left out: “day” (")
    assert stored.count("\n") == 1
    Path("days.yaml").write_text(f"{data}\nprotocol: {{kind: holdout, repeats: 1, train_size: 900}}\n")
    assert main(["run", "days.yaml", "--database", f"sqlite:///{tmp_path}/lab.sqlite"]) == 2
    assert capsys.readouterr().err.count("\n") == 1, "of what is refused only why"
