"""What `run` prints for people: which trials failed, and tables whose columns stand below each other."""

import sys
from pathlib import Path
from types import SimpleNamespace
from unicodedata import east_asian_width

import pytest

from runner.commands.summary import results_text
from tests.reports.made_up import make_results, make_trial

RECORD = SimpleNamespace(name="Made up", id="1", state="finished", done=4, total=4, failed=0)


def test_failed_trials_are_told_with_learner_and_data_set():
    trials = [
        make_trial(0, 0, 0.5),
        make_trial(0, 1, None, fold=0),
        make_trial(0, 1, None, fold=1),
        make_trial(1, 0, None),
    ]
    text = results_text(SimpleNamespace(**{**vars(RECORD), "failed": 3}), make_results(trials), 1.0)
    assert text.split("Failed trials\n")[1].splitlines() == [
        "AdaBoost on Iris: 2 x the learner gave up",
        "Single model on Wine: 1 x the learner gave up",
    ]


def test_columns_stand_below_each_other_beside_names_of_wide_signs():
    trials = [make_trial(dataset, learner, 0.5) for dataset in (0, 1) for learner in (0, 1)]
    text = results_text(RECORD, make_results(trials, names=("數據 集 😀", "Wine")), 1.0)
    lines = text.split("Accuracy, mean\n")[1].splitlines()[1:3]
    wide = [sum(1 + (east_asian_width(sign) in "WF") for sign in line[: line.index(".")]) for line in lines]
    assert wide[0] == wide[1]


@pytest.mark.parametrize(
    ("columns", "titles"),
    [(80, ["Single model AdaBoost Online boosting"]), (35, ["Iris Wine"]), (25, ["Iris", "Wine"])],
)
def test_where_learners_are_too_many_for_the_terminal_each_has_a_line(
    columns: int, titles: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    trials = [make_trial(dataset, learner, 0.5) for dataset in (0, 1) for learner in (0, 1)]
    told = results_text(RECORD, make_results(trials), 1.0).split("Accuracy, mean\n")[1].split("Mean squared error")[0]
    table = [line.rstrip(" \\") for line in told.splitlines() if line[:1] == " " or "0.5" in line]
    assert [" ".join(line.split()) for line in table if line[0] == " "] == titles
    assert max(map(len, table)) <= columns


def test_in_a_file_there_is_room_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    trials = [make_trial(dataset, learner, 0.5) for dataset in (0, 1) for learner in (0, 1)]
    with (tmp_path / "told.txt").open("w") as file:
        monkeypatch.setattr(sys, "__stdout__", file)
        told = results_text(RECORD, make_results(trials, names=("Iris" * 20, "Wine")), 1.0)
    assert told.split("Accuracy, mean\n")[1].splitlines()[0].split("  ")[-1].endswith("Online boosting")
