"""Means of curves of several experiments as one: those of the trials that count, whoever worked them out."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.curve_means import MEAN_COLUMNS, mean_points
from ensembles.experiments.joined import join_results
from ensembles.experiments.results import Results
from ensembles.reports.figure_data import curve_bands, curves_of
from tests.experiments.test_joined import METHODS, make_config, run


def summed_up(results: Results) -> Results:
    """Return results whose curves came as their means, as they do of large experiments."""
    parts = [
        mean_points(own, over, from_end=True).assign(dataset=dataset, over=over, curve="learning_curve")
        for dataset, own in results.curves.groupby("dataset")
        for over in ("trials", "repeats")
    ]
    return replace(results, curves=results.curves.iloc[:0], curve_means=pd.concat(parts)[list(MEAN_COLUMNS)])


def test_means_of_curves_are_those_of_the_experiments_that_are_separate() -> None:
    configs = make_config(METHODS[:2], ["iris", "wine"], seed=2), make_config(METHODS[3:1:-1], ["digits", "wine"])
    parts = [(f"Part {number}", run(config)) for number, config in enumerate(configs)]
    for on in (None, "wine"):
        whole = join_results(parts, on=on)
        assert whole.is_separate
        means = join_results([(name, summed_up(one)) for name, one in parts], on=on).results
        assert means.curves.empty
        assert curves_of(means, "learning_curve") == curves_of(whole.results, "learning_curve")
        for dataset, over in product(range(len(means.datasets)), ("trials", "repeats")):
            found, wanted = (curve_bands(one, dataset, over=over) for one in (means, whole.results))
            assert {repr(band) for band in found} == {repr(band) for band in wanted}
            assert wanted


def check_means(found: Results, wanted: Results, datasets: int = 2) -> None:
    for dataset, over in product(range(datasets), ("trials", "repeats")):
        bands = [sorted(curve_bands(one, dataset, over=over), key=lambda band: band.learner) for one in (found, wanted)]
        assert len(bands[1]) > 1
        for one, other in zip(*bands, strict=True):
            assert (one.label, one.x, one.n) == (other.label, other.x, other.n)
            for name in ("mean", "low", "high"):
                np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-12)


@pytest.mark.parametrize("repeats", [1, 2, 3])
def test_means_of_trials_that_are_there_twice_are_those_of_the_experiment_with_the_most(repeats: int) -> None:
    configs = make_config(METHODS[:2], ["iris", "wine"]), make_config(METHODS[2:0:-1], ["wine"], repeats=repeats)
    parts = [(f"Part {number}", run(config)) for number, config in enumerate(configs)]
    whole = join_results(parts)
    assert whole.is_separate
    check_means(join_results([(name, summed_up(one)) for name, one in parts]).results, whole.results)


@pytest.mark.parametrize("methods", [METHODS[2:], METHODS[1:3]])
def test_of_a_small_experiment_beside_a_large_one_the_curves_are_drawn_too(methods: tuple[str, ...]) -> None:
    configs = make_config(METHODS[:2], ["iris", "wine"]), make_config(methods, ["wine", "iris"], seed=2)
    parts = [(f"Part {number}", run(config)) for number, config in enumerate(configs)]
    mixed = join_results([("Large", summed_up(parts[0][1])), ("Small", parts[1][1])]).results
    check_means(mixed, join_results(parts).results)
    assert mixed.curves.empty


def test_a_repeat_with_trials_of_two_experiments_is_not_separate() -> None:
    whole = run(make_config(METHODS[:1]))
    halves = [replace(whole, trials=whole.trials[whole.trials["fold"] == fold]) for fold in range(2)]
    joined = join_results([("A", halves[0]), ("B", halves[1])])
    assert (len(joined.results.trials), joined.is_separate) == (len(whole.trials), False)


def test_means_of_learners_that_experiments_share_are_added_up() -> None:
    configs = make_config(METHODS[:2], ["iris", "wine"]), make_config(METHODS[2:0:-1], ["wine"], seed=2, repeats=3)
    parts = [(f"Part {number}", run(config)) for number, config in enumerate(configs)]
    parts[1][1].curves.loc[parts[1][1].curves["fold"] == 1, "x"] += 1.0
    whole = join_results(parts)
    assert whole.is_separate
    means = join_results([(name, summed_up(one)) for name, one in parts]).results
    check_means(means, whole.results)
    assert [band.n for band in curve_bands(means, 1)] != [band.n for band in curve_bands(means, 0)]


@pytest.mark.parametrize(
    ("other", "shift", "is_separate"),
    [
        (make_config(METHODS[2:], ["wine"]), 0.0, True),
        (make_config(METHODS[:2], ["digits"]), 0.0, True),
        (make_config(METHODS[1:3], ["wine"], seed=2), 0.0, True),  # of one learner, and yet on other splits
        (make_config(METHODS[1:3], ["wine"]), 0.0, True),  # of which all are those of the first experiment
        (make_config(METHODS[1:3], ["wine"], repeats=3), 0.0, True),  # and here those of the second
        (make_config(METHODS[1:3], ["wine"], repeats=3, curves=[]), 0.0, False),  # but for its curves
        (make_config(METHODS[1:3], ["wine"]), 0.1, True),  # with other numbers it is another learner
    ],
)
def test_parts_are_separate_unless_both_have_trials_of_a_learner_that_count(
    other: ExperimentConfig, shift: float, is_separate: bool
) -> None:
    first = make_config(METHODS[:2], ["iris", "wine"])
    assert join_results([("A", run(first)), ("B", run(other, shift))]).is_separate is is_separate
