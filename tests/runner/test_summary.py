"""What `run` prints for people: which trials failed."""

from types import SimpleNamespace

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
