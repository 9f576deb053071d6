"""Measures against numbers worked out by hand."""

import math

import numpy as np
import pytest
from sklearn import metrics

from ensembles.evaluation.measures import MEASURES, evaluate
from ensembles.evaluation.predictions import Predictions, confusion_matrix

# Four classes, of which class 3 occurs nowhere.
TRUE = np.array([0, 0, 1, 2])
PREDICTED = np.array([0, 1, 1, 1])
PROBABILITIES = np.array([[0.5, 0.25, 0.25, 0.0], [0.2, 0.8, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
SOME = Predictions(TRUE, PREDICTED, 4, PROBABILITIES, in_order=True)

BY_HAND = {
    "accuracy": 1 / 2,
    "error": 1 / 2,
    "balanced_accuracy": (1 / 2 + 1 + 0) / 3,
    "macro_f1": (2 / 3 + 1 / 2 + 0) / 3,
    "matthews_correlation": (2 * 4 - (1 * 2 + 3 * 1)) / math.sqrt((16 - 10) * (16 - 6)),
    "brier_score": ((0.25 + 2 * 0.0625) + 2 * 0.8**2 + 0 + 2) / 4,
    "calibration_error": (0.5 + 0.8 + abs(1 - 2)) / 4,
    "kappa": (8 / 16 - 5 / 16) / (1 - 5 / 16),
    "kappa_temporal": (1 / 2 - 1 / 4) / (1 - 1 / 4),
    "mse": (0.5**2 + 0.8**2 + 0 + 1) / 4,
    "auc": (1 + 5 / 6 + 1 / 3) / 3,
    "log_loss": -(math.log(0.5) + math.log(0.2) + math.log(1) + math.log(np.finfo(float).eps)) / 4,
}


def test_every_measure_of_predictions_is_worked_out_by_hand() -> None:
    of_learners = {"Model", "Diversity of the members"}  # these have tests of their own, as have those of whole streams
    told = {key for key, measure in MEASURES.items() if measure.group not in of_learners}
    assert told - {"ram_hours", "throughput", "recovery"} == BY_HAND.keys()


@pytest.mark.parametrize("key", BY_HAND)
def test_measure_equals_the_number_worked_out_by_hand(key: str) -> None:
    assert evaluate([key], SOME)[key] == pytest.approx(BY_HAND[key], rel=1e-12)


@pytest.mark.parametrize("key", BY_HAND)
def test_perfect_predictions_have_the_best_value(key: str) -> None:
    perfect = Predictions(TRUE, TRUE, 4, np.eye(4)[TRUE], in_order=True)
    best = 1.0 if MEASURES[key].better == "higher" else 0.0
    assert evaluate([key], perfect)[key] == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("key", BY_HAND)
def test_values_stay_within_the_declared_bounds(key: str) -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        probabilities = rng.dirichlet(np.ones(3), size=25)
        predictions = Predictions(rng.integers(3, size=25), rng.integers(3, size=25), 3, probabilities, in_order=True)
        assert MEASURES[key].low <= evaluate([key], predictions)[key] <= MEASURES[key].high


def test_mse_of_probabilities_that_are_0_or_1_is_the_error() -> None:
    certain = Predictions(TRUE, PREDICTED, 4, np.eye(4)[PREDICTED])
    values = evaluate(["mse", "error"], certain)
    assert values["mse"] == values["error"]


@pytest.mark.parametrize("key", [key for key in BY_HAND if not MEASURES[key].needs_probabilities])
def test_measures_of_classes_need_no_probabilities(key: str) -> None:
    assert evaluate([key], Predictions(TRUE, PREDICTED, 4, in_order=True))[key] == evaluate([key], SOME)[key]


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_correlation_and_brier_score_agree_with_scikit_learn(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    for _ in range(5):
        true, shares = rng.integers(n_classes, size=60), rng.dirichlet(np.ones(n_classes), size=60)
        found = evaluate(
            ["matthews_correlation", "brier_score", "mse"], Predictions(true, shares.argmax(axis=1), n_classes, shares)
        )
        assert found["matthews_correlation"] == pytest.approx(metrics.matthews_corrcoef(true, shares.argmax(axis=1)))
        classes = np.eye(n_classes)[true]
        assert found["brier_score"] == pytest.approx(n_classes * metrics.mean_squared_error(classes, shares))
        assert n_classes > 2 or found["brier_score"] == pytest.approx(2 * found["mse"])


def test_the_calibration_error_is_that_of_its_bins() -> None:
    rng = np.random.default_rng(4)
    shares = rng.dirichlet([2.0, 1.0, 0.5], size=400)
    true, predicted = rng.integers(3, size=400), shares.argmax(axis=1)
    sure, error = shares.max(axis=1), 0.0
    for start in range(15):
        mine = (sure > start / 15) & (sure <= (start + 1) / 15)
        if mine.any():
            error += mine.mean() * abs((true == predicted)[mine].mean() - sure[mine].mean())
    found = evaluate(["calibration_error"], Predictions(true, predicted, 3, shares))["calibration_error"]
    assert found == pytest.approx(error)


def test_a_correlation_needs_two_classes_on_either_side() -> None:
    one, two = np.zeros(4, int), np.array([0, 1, 0, 1])
    for true, predicted in ((one, two), (two, one)):
        found = evaluate(["matthews_correlation"], Predictions(true, predicted, 2))
        assert math.isnan(found["matthews_correlation"])


def test_the_area_under_the_curve_agrees_with_scikit_learn() -> None:
    rng = np.random.default_rng(5)
    for _ in range(10):
        two, three = rng.dirichlet(np.ones(2), size=30).round(1), rng.dirichlet(np.ones(3), size=30)
        label, labels = rng.integers(2, size=30), np.append(rng.integers(3, size=27), [0, 1, 2])
        assert evaluate(["auc"], Predictions(label, label, 2, two))["auc"] == metrics.roc_auc_score(label, two[:, 1])
        expected = metrics.roc_auc_score(labels, three, multi_class="ovr", average="macro")
        assert evaluate(["auc"], Predictions(labels, labels, 3, three))["auc"] == pytest.approx(expected, abs=1e-12)


def test_the_area_under_the_curve_of_one_class_is_unknown() -> None:
    for true, k in ((np.ones(3, int), 2), (np.zeros(3, int), 2), (np.full(3, 2), 3)):
        assert math.isnan(evaluate(["auc"], Predictions(true, true, k, np.full((3, k), 1 / k)))["auc"])


def test_kappa_temporal_compares_with_repeating_the_last_class() -> None:
    rng = np.random.default_rng(1)
    true = np.repeat(rng.integers(3, size=40), rng.integers(1, 6, size=40))
    predicted = np.where(rng.random(len(true)) < 0.8, true, rng.integers(3, size=len(true)))
    right, repeated, last = 0, 0, None
    for label, told in zip(true, predicted, strict=True):
        right, repeated, last = right + (told == label), repeated + (last == label), label
    expected = (right - repeated) / (len(true) - repeated)
    found = evaluate(["kappa_temporal"], Predictions(true, predicted, 3, in_order=True))["kappa_temporal"]
    assert found == pytest.approx(expected, abs=1e-12)


# The example in River's documentation (cat, ant, bird as 0, 1, 2), with KappaT as printed there and CohenKappa of River
# 0.26.1; and a longer stream with CohenKappa of River 0.26.1, which has no KappaT any more.
OF_RIVER = {
    ("010012", "110010"): {"kappa_temporal": 0.6, "kappa": 0.42857142857142855},
    (
        "0000000000222222220210000001000012222222",
        "0020000010122222220110000111002012222221",
    ): {"kappa": 0.679037111334002},
}


@pytest.mark.parametrize(("true", "predicted"), OF_RIVER)
def test_kappa_is_that_of_river(true: str, predicted: str) -> None:
    given = Predictions(np.array(list(map(int, true))), np.array(list(map(int, predicted))), 3, in_order=True)
    expected = OF_RIVER[true, predicted]
    assert evaluate(list(expected), given) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("key", sorted(set(MEASURES) - set(BY_HAND)))
def test_measures_of_the_model_are_unknown_where_only_its_predictions_are(key: str) -> None:
    assert math.isnan(evaluate([key], SOME)[key])


def test_kappa_temporal_needs_an_order() -> None:
    assert math.isnan(evaluate(["kappa_temporal"], Predictions(TRUE, PREDICTED, 4))["kappa_temporal"])


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
