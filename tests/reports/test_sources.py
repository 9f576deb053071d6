"""Sizes and encodings of the same data are one data set where learners are compared over data sets."""

from types import SimpleNamespace

import numpy as np
import pytest

from ensembles.evaluation.leaderboard import mean_ranks
from ensembles.experiments.dataset_ref import DatasetRef
from ensembles.reports.across import ranks_chart
from ensembles.reports.leaderboard import leaderboard_chart, win_rate_chart
from ensembles.reports.over_datasets import compare_over_datasets, rank_learners
from ensembles.reports.significance import Question
from ensembles.reports.verdict import verdict_of
from ensembles.reports.verdict_words import verdict_lines
from runner.commands.summary import summarise
from tests.reports.made_up import LEARNERS, make_config, make_results, make_trial

SIZES = [{"key": "synthetic_2", "rows": rows} for rows in (200, 400, 1000, 2000, 5000, 10_000, 20_000)]
NOTE = "Synthetic-2 (7). Sizes and encodings of the same data are not independent: their mean counts."
QUESTION = Question("accuracy")


def made(datasets, accuracy):
    """Return results on one split, by the accuracy of each learner on each data set."""
    trials = [
        make_trial(place, learner, value) for place, own in enumerate(accuracy) for learner, value in enumerate(own)
    ]
    config = make_config(LEARNERS[: len(accuracy[0])], datasets)
    return make_results(trials, config=config, names=tuple(map(str, range(len(datasets)))))


def test_sizes_of_one_generator_tell_no_learners_apart():
    results = made(SIZES, [(0.8, 0.9, 0.7)] * 7)
    verdict = verdict_of(results)
    said = dict(verdict_lines(verdict))
    assert (verdict.comparison.n, verdict.standing("worse")) == (1, [])
    assert said["Counted as one data set"] == NOTE
    assert said["Too little to tell"].endswith("With 1 data set nothing can be significant at 0.05; with 7 it could.")
    assert rank_learners(results, QUESTION).sentence == (
        "No answer from Friedman's test: it needs two data sets with results of all learners, got 1. Counted as one data "
        f"set: {NOTE}"
    )
    for chart in (leaderboard_chart(results, "accuracy"), win_rate_chart(results, "accuracy")):
        assert chart.numbers.empty
        assert chart.caption.endswith(NOTE)
    record = SimpleNamespace(id="a", name="Made up", state="finished", done=21, failed=0)
    assert summarise(record, results, 1.0)["notes"] == [f"Counted as one data set: {NOTE}"]


def test_the_mean_over_the_sizes_counts_as_one_data_set():
    rng = np.random.default_rng(1)
    sizes, others = rng.uniform(0.5, 1, (7, 3)), rng.uniform(0.5, 1, (5, 3))
    keys = ["iris", "wine", "digits", "car", {"key": "synthetic_2", "noise": 0.1}]
    results = made([*SIZES, *keys], [*sizes, *others])
    alone = made(["synthetic_2", *keys], [sizes.mean(axis=0), *others])
    found, expected = rank_learners(results, QUESTION), rank_learners(alone, QUESTION)
    assert (found.n, found.p_value, found.average_ranks) == (6, expected.p_value, expected.average_ranks)
    for finding, same in zip(
        compare_over_datasets(results, QUESTION, 0, 1).findings,
        compare_over_datasets(alone, QUESTION, 0, 1).findings,
        strict=True,
    ):
        assert finding.sentence in (same.sentence, f"{same.sentence} Counted as one data set: {NOTE}")
    for chart in (leaderboard_chart, win_rate_chart):
        drawn = chart(results, "accuracy")
        assert drawn.numbers.equals(chart(alone, "accuracy").numbers)
        assert drawn.caption == f"{chart(alone, 'accuracy').caption} Counted as one data set: {NOTE}"


def test_across_experiments_sizes_weigh_as_much_as_one_data_set():
    losses = np.random.default_rng(2).uniform(0, 1, (6, 4))
    once = mean_ranks(losses)
    twice = mean_ranks(np.repeat(losses, 2, axis=0), sources=list("aabbccddeeff"))
    for name in ("value", "low", "high"):
        assert getattr(twice, name) == pytest.approx(getattr(once, name))
    data = [DatasetRef.model_validate(one).content for one in [*SIZES[:2], "iris", "wine"]]
    errors = {method: dict(zip(data, column, strict=True)) for method, column in zip("ABCD", losses[:4].T, strict=True)}
    specs = dict.fromkeys("ABCD", make_config().learners[0])
    assert "Sizes and encodings of the same data weigh as much as one." in ranks_chart(errors, specs, 4).caption


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ({"key": "synthetic_2", "rows": 200}, "synthetic_2", True),
        ({"key": "balance_scale", "nominal": "all"}, "balance_scale", True),
        ({"file": "a.csv", "nominal": "all"}, {"file": "a.csv"}, True),
        ({"file": "a.csv", "target": "y"}, {"file": "a.csv", "target": "z"}, False),
        ({"key": "led24", "noise": 0.3}, "led24", False),
        ({"key": "led24", "seed": 3, "rows": 100}, {"key": "led24", "seed": 3}, True),
    ],
)
def test_which_data_sets_are_of_one_source(one, other, is_same):
    first, second = (DatasetRef.model_validate(reference).source for reference in (one, other))
    assert (first == second) is is_same
