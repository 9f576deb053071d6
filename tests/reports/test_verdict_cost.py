"""What the best learner costs beside those that cannot be told from it, and which are the same as it."""

import itertools
from dataclasses import replace

import pytest

from ensembles.reports.verdict import verdict_of
from ensembles.reports.verdict_words import verdict_lines
from tests.reports.made_up import make_config, make_results, make_trial
from tests.reports.test_verdict import LEARNERS, made


@pytest.mark.parametrize(
    ("best", "words"),
    [
        (0.1, "; all that cannot be told from it take longer."),
        (0.2, ", about as much as the cheapest that cannot be told from it, Bagging (200 ms)."),
        (0.195, ", about as much as the cheapest that cannot be told from it, Bagging (200 ms)."),
        (0.205, ", about as much as the cheapest that cannot be told from it, Bagging (200 ms)."),
        (0.4, ", 2 times as much as the cheapest that cannot be told from it, Bagging (200 ms)."),
        (0.0, "; all that cannot be told from it take longer."),
    ],
)
def test_costs_that_are_about_the_same_are_not_said_to_be_more(best: float, words: str) -> None:
    verdict = verdict_of(made())
    assert verdict.rows[0].learner == 1
    said = dict(verdict_lines(replace(verdict, costs=(0.5, best, 0.3, 0.2))))["Cost"]
    assert said.endswith(f"of processor time to train and predict (median trial){words}")


def test_nothing_costs_as_much_as_nothing() -> None:
    said = dict(verdict_lines(replace(verdict_of(made()), costs=(0.0, 0.0, 0.0, 0.0))))["Cost"]
    assert "about as much as the cheapest" in said


@pytest.mark.parametrize(
    ("best", "words"),
    [
        (0.1, "; all that never differ from it take longer."),
        (0.4, ", 2 times as much as the cheapest that never differs from it, Bagging (400 ms)."),
    ],
)
def test_learners_that_too_little_tells_from_the_best_are_not_said_to_take_longer(best: float, words: str) -> None:
    verdict = verdict_of(made(datasets=("iris", "wine")))
    assert "Single model" in dict(verdict_lines(verdict))["Too little to tell"]
    assert [row.learner for row in verdict.standing("tied")] == [3]
    said = dict(verdict_lines(replace(verdict, costs=(0.01, 2 * best, 0.01, 0.4))))["Cost"]
    assert said.endswith(words)


def test_learners_with_the_same_means_that_differ_on_splits_are_not_said_never_to_differ() -> None:
    places = itertools.product(range(2), range(2), range(2))
    trials = [make_trial(dataset, one, 0.8 + 0.1 * (one == fold), fold=fold) for dataset, one, fold in places]
    results = make_results(trials, None, make_config(LEARNERS[:2], ("iris", "wine")), ("Iris", "Wine"))
    said = dict(verdict_lines(verdict_of(results)))
    assert set(said) >= {"Level, not tested", "Too little to tell"}
    assert "The same" not in said
