"""What is said where learners come equally far: none of them is named as the best because it is listed first."""

from collections.abc import Sequence

from ensembles.reports.verdict import Verdict, verdict_of
from ensembles.reports.verdict_words import verdict_lines
from tests.reports.made_up import make_config, make_results, make_trial
from tests.reports.test_verdict import LEARNERS

DATASETS = ("iris", "wine", "car", "digits", "glass", "ionosphere", "sonar", "vehicle", "zoo", "nursery")


def ranked(*accuracies: Sequence[float]) -> Verdict:
    """Return the verdict on data sets with the accuracy of each learner, on one split."""
    trials = [
        make_trial(dataset, learner, accuracy, fit_cpu_seconds=1.0 + learner)
        for dataset, of_all in enumerate(accuracies)
        for learner, accuracy in enumerate(of_all)
    ]
    names = tuple(f"Data {number}" for number in range(len(accuracies)))
    config = make_config(LEARNERS[: len(accuracies[0])], DATASETS[: len(names)])
    return verdict_of(make_results(trials, config=config, names=names))


def test_learners_of_the_same_mean_rank_are_named_together() -> None:
    verdict = ranked((0.9, 0.8, 0.7), (0.6, 0.7, 0.5))
    said = dict(verdict_lines(verdict))
    assert said["Level, not tested"] == (
        "Single model and AdaBoost, mean rank 1.50 over 2 data sets, mean accuracy 0.7500."
    )
    assert said["Too little to tell"].startswith("Online boosting. With 2 data sets nothing can be significant")
    assert said["Cost"].startswith("Single model 2.2 s and AdaBoost 4.2 s of processor time")
    assert verdict.to_frame()["Verdict"].tolist() == ["level with others", "level with others", "too little to tell"]


def test_level_learners_with_other_means_say_each_of_them() -> None:
    said = dict(verdict_lines(ranked((0.9, 0.8), (0.6, 0.7), (0.5, 0.6), (0.9, 0.5))))
    assert said["Level, not tested"].endswith("over 4 data sets, mean accuracy 0.7250 and 0.6500.")
    assert said["Too little to tell"].startswith("With 4 data sets nothing can be significant")


def test_the_first_of_those_that_were_tested_is_said_to_be_level_with_the_others() -> None:
    said = dict(verdict_lines(ranked(*[(0.9, 0.8, 0.1), (0.6, 0.7, 0.1)] * 5)))
    assert said["Best"].startswith("Single model, level with AdaBoost, mean rank 1.50 over 10 data sets, mean accuracy")
