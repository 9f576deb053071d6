"""Influences of examples: beside the measures of scikit-learn with an example more, and beside a bootstrap."""

import numpy as np
import pytest

from ensembles.errors import InvalidInput
from ensembles.evaluation.influence import OF_PREDICTED, influences
from ensembles.evaluation.measures import MEASURES, evaluate
from ensembles.evaluation.predictions import Predictions
from ensembles.evaluation.verdict_on_examples import BY_CLASS, on_predictions

CLASSES = 4  # of which the last never occurs
RNG = np.random.default_rng(1)
TRUE = RNG.choice(3, 600, p=[0.6, 0.3, 0.1])
TOLD = np.column_stack([np.where(RNG.random(600) < share, TRUE, RNG.choice(3, 600)) for share in (0.5, 0.9, 0.87)])


def measured(measure, true, predicted):
    return evaluate([measure], Predictions(true, predicted, CLASSES))[measure]


@pytest.mark.parametrize("measure", OF_PREDICTED)
def test_influences_are_what_one_more_example_changes(measure):
    value, series = influences(measure, TRUE, TOLD[:, 0], CLASSES)
    assert value == pytest.approx(measured(measure, TRUE, TOLD[:, 0]))
    assert series.sum() == pytest.approx(0.0, abs=1e-9)
    many = np.tile(TRUE, 20), np.tile(TOLD[:, 0], 20)
    for place in range(0, 600, 100):
        more = [np.append(one, own) for one, own in zip(many, (TRUE[place], TOLD[place, 0]), strict=True)]
        change = (measured(measure, *more) - value) * 12_001
        assert change == pytest.approx(series[place], abs=0.005 + 0.005 * abs(series[place]))


@pytest.mark.parametrize("measure", ["balanced_accuracy", "macro_f1", "kappa", "matthews_correlation"])
def test_intervals_and_standings_are_those_of_a_bootstrap(measure):
    found = on_predictions(measure, TRUE, TOLD, in_order=False)
    assert [(row.learner, row.standing) for row in found.rows] == [(1, "best"), (2, "tied"), (0, "worse")]
    rng = np.random.default_rng(2)
    rows = [rng.integers(0, 600, 600) for _ in range(400)]
    drawn = np.array([[influences(measure, TRUE[own], TOLD[own, m], CLASSES)[0] for m in range(3)] for own in rows])
    apart = drawn[:, [1]] - drawn
    for row in found.rows[1:]:
        expected = np.quantile(apart[:, row.learner], (0.025, 0.975))
        assert (row.low, row.high) == pytest.approx(expected, abs=0.25 * np.ptp(expected))
    assert found.high - found.low == pytest.approx(4 * drawn[:, 1].std(), rel=0.2)


def test_neighbours_that_resemble_each_other_make_wider_intervals_on_a_stream():
    true, told = np.repeat(TRUE[:100], 40), np.repeat(TOLD[:100], 40, axis=0)
    apart, in_order = (on_predictions("kappa", true, told, in_order=order) for order in (False, True))
    assert in_order.test == "long_run"
    for one, other in zip(in_order.rows[1:], apart.rows[1:], strict=True):
        assert one.high - one.low > 3 * (other.high - other.low)


def test_extremes_of_measures_of_classes():
    same = on_predictions("kappa", TRUE, TOLD[:, [1, 1]])
    assert (same.rows[1].standing, same.rows[1].same) == ("tied", True)
    few = on_predictions("kappa", TRUE[:20], TOLD[:20])
    assert {row.why for row in few.rows[1:]} == {"few"}
    one_class = np.zeros(50, dtype=int)
    assert on_predictions("kappa", one_class, np.zeros((50, 2))).rows == ()
    assert on_predictions("kappa", TRUE, np.full((600, 2), np.nan)).rows == ()
    missing = TOLD.astype(float)
    missing[:, 1] = np.nan
    assert [row.why for row in on_predictions("macro_f1", TRUE, missing).rows] == ["", "", "missing"]
    partly_undefined = np.column_stack([TRUE, np.zeros(600)])
    assert [row.why for row in on_predictions("matthews_correlation", TRUE, partly_undefined).rows] == ["", "missing"]
    with pytest.raises(
        InvalidInput, match=r"on_predictions: measure must be one of accuracy, balanced_accuracy, .*'mse'"
    ):
        on_predictions("mse", TRUE, TOLD)


def test_all_measures_of_predicted_classes_have_influences():
    assert {key for key, one in MEASURES.items() if one.group == "Predicted classes"} == set(OF_PREDICTED)


@pytest.mark.parametrize("measure", BY_CLASS)
def test_a_few_examples_of_a_rare_class_tell_nothing(measure):
    true, told = np.zeros(1000, dtype=int), np.zeros((1000, 2))
    true[500:519], told[500:519, 0], told[:30] = 1, 1, 1
    found = on_predictions(measure, true, told, in_order=False)
    assert [(row.standing, row.why) for row in found.rows] == [("best", ""), ("undecided", "few")]
    true[519], told[519, 0] = 1, 1
    assert [row.standing for row in on_predictions(measure, true, told, in_order=False).rows] == ["best", "worse"]
    assert [row.why for row in on_predictions("kappa", true[:519], told[:519]).rows] == ["", ""]


def test_a_few_predictions_beside_the_most_frequent_class_tell_nothing_by_matthews_correlation():
    true, told = np.tile([0, 1], 500), np.zeros((1000, 3))
    told[1:40:2, 0], told[1:38:2, 1], told[0::2, 2] = 1, 1, 1
    why = {row.learner: row.why for row in on_predictions("matthews_correlation", true, told, in_order=False).rows}
    assert why == {0: "", 1: "few", 2: ""}


@pytest.mark.parametrize(("predicted", "standing"), [(1, "undecided"), (19, "undecided"), (20, "worse")])
def test_a_few_predictions_of_a_class_that_does_not_occur_tell_nothing_by_macro_f1(predicted, standing):
    true = np.arange(1000) % 2
    told = np.column_stack([true, true])
    told[:predicted, 1] = 2
    found = on_predictions("macro_f1", true, told, in_order=False)
    assert [row.standing for row in found.rows] == ["best", standing]
