"""Measures against numbers worked out by hand."""

import math

import numpy as np
import pytest
from sklearn import metrics

from ensembles.evaluation.measures import MEASURES, Predictions, confusion_matrix, evaluate

# Four classes, of which class 3 occurs nowhere.
TRUE = np.array([0, 0, 1, 2])
PREDICTED = np.array([0, 1, 1, 1])
PROBABILITIES = np.array([[0.5, 0.25, 0.25, 0.0], [0.2, 0.8, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
SOME = Predictions(TRUE, PREDICTED, 4, PROBABILITIES)

BY_HAND = {
    "accuracy": 1 / 2,
    "error": 1 / 2,
    "balanced_accuracy": (1 / 2 + 1 + 0) / 3,
    "macro_f1": (2 / 3 + 1 / 2 + 0) / 3,
    "kappa": (8 / 16 - 5 / 16) / (1 - 5 / 16),
    "kappa_temporal": (1 / 2 - 1 / 4) / (1 - 1 / 4),
    "mse": (0.5**2 + 0.8**2 + 0 + 1) / 4,
    "log_loss": -(math.log(0.5) + math.log(0.2) + math.log(1) + math.log(np.finfo(float).eps)) / 4,
}


@pytest.mark.parametrize("key", MEASURES)
def test_measure_equals_the_number_worked_out_by_hand(key: str) -> None:
    assert evaluate([key], SOME)[key] == pytest.approx(BY_HAND[key], rel=1e-12)


@pytest.mark.parametrize("key", MEASURES)
def test_perfect_predictions_have_the_best_value(key: str) -> None:
    perfect = Predictions(TRUE, TRUE, 4, np.eye(4)[TRUE])
    best = 1.0 if MEASURES[key].better == "higher" else 0.0
    assert evaluate([key], perfect)[key] == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("key", MEASURES)
def test_values_stay_within_the_declared_bounds(key: str) -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        probabilities = rng.dirichlet(np.ones(3), size=25)
        predictions = Predictions(rng.integers(3, size=25), rng.integers(3, size=25), 3, probabilities)
        assert MEASURES[key].low <= evaluate([key], predictions)[key] <= MEASURES[key].high


def test_mse_of_probabilities_that_are_0_or_1_is_the_error() -> None:
    certain = Predictions(TRUE, PREDICTED, 4, np.eye(4)[PREDICTED])
    values = evaluate(["mse", "error"], certain)
    assert values["mse"] == values["error"]


@pytest.mark.parametrize("key", [key for key, measure in MEASURES.items() if not measure.needs_probabilities])
def test_measures_of_classes_need_no_probabilities(key: str) -> None:
    assert evaluate([key], Predictions(TRUE, PREDICTED, 4))[key] == evaluate([key], SOME)[key]


def test_kappa_of_a_single_class_is_unknown() -> None:
    assert math.isnan(evaluate(["kappa"], Predictions(np.zeros(3, int), np.zeros(3, int), 2))["kappa"])


def test_balanced_accuracy_ignores_classes_that_the_test_set_lacks() -> None:
    predictions = Predictions(np.zeros(4, int), np.array([0, 1, 2, 0]), 3)
    assert evaluate(["balanced_accuracy"], predictions)["balanced_accuracy"] == 0.5


def test_confusion_matrix_has_all_classes_with_true_ones_in_rows() -> None:
    expected = [[1, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    assert confusion_matrix(SOME).tolist() == expected


def test_confusion_matrix_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(3)
    true, predicted = rng.integers(5, size=80), rng.integers(5, size=80)
    expected = metrics.confusion_matrix(true, predicted, labels=range(5))
    assert np.array_equal(confusion_matrix(Predictions(true, predicted, 5)), expected)


def test_measures_come_in_the_order_asked_for() -> None:
    assert list(evaluate(["mse", "accuracy"], SOME)) == ["mse", "accuracy"]


@pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)
def test_every_measure_has_words_for_people(measure) -> None:  # type: ignore[no-untyped-def]
    assert measure.name[0].isupper()
    assert measure.summary.endswith(".")
    assert measure.better in ("higher", "lower")
