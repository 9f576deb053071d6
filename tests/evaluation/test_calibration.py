"""Sums of a calibration curve beside the plainest way to make them."""

import numpy as np
import pytest

from ensembles.evaluation.calibration import BINS, calibration_curve
from ensembles.evaluation.predictions import Predictions


def predictions(sure, right):
    probabilities = np.column_stack([sure, 1.0 - np.asarray(sure)])
    return Predictions(np.where(right, 0, 1), np.zeros(len(sure), dtype=int), 2, probabilities)


def test_each_part_holds_a_tenth_of_the_predictions_from_the_least_sure_on():
    rng = np.random.default_rng(1)
    sure = 0.5 + rng.permutation(200) / 400
    right = rng.random(200) < sure
    curve = calibration_curve(predictions(sure, right))
    order = np.argsort(sure).reshape(BINS, 20)
    wanted = [sure[order].sum(axis=1), right[order].sum(axis=1), [20.0] * BINS]
    assert np.array(curve.y).reshape(3, BINS) == pytest.approx(np.array(wanted, dtype=float))
    assert curve.x == tuple(range(3 * BINS))


@pytest.mark.parametrize("n", [1, 7, 25])
def test_equally_sure_predictions_are_not_taken_apart(n):
    sums = np.array(calibration_curve(predictions([0.8] * n, [True] * n)).y).reshape(3, BINS)
    assert np.count_nonzero(sums[2]) == 1
    assert sums.sum(axis=1) == pytest.approx([0.8 * n, n, n])
