"""How sure predictions are and how often they are right, in a few sums that can be added up over trials."""

import numpy as np
from scipy.stats import rankdata

from ensembles.evaluation.curve import Curve
from ensembles.evaluation.predictions import Predictions

__all__ = ["BINS", "CALIBRATION", "calibration_curve"]

CALIBRATION = "calibration"
"""Name of the curve that a trial with class probabilities leaves."""

BINS = 10
"""Parts of equally many predictions, from the least sure to the surest; equally sure ones lie in the same part."""


def calibration_curve(predictions: Predictions) -> Curve:
    """Return three sums over the predictions of each part: how sure they are, how many are right, and how many there are.

    How sure a prediction is says the largest of its class probabilities, as in the measure `calibration_error`.

    Parameters
    ----------
    predictions : Predictions
        With probabilities.

    Returns
    -------
    Curve
        `y` holds the `BINS` sums of each kind one after the other, `x` their positions.
    """
    assert predictions.probabilities is not None
    sure = predictions.probabilities.max(axis=1)
    right = (predictions.true == predictions.predicted).astype(float)
    parts = ((rankdata(sure) - 0.5) * BINS / len(sure)).astype(int)
    sums = [np.bincount(parts, weights=values, minlength=BINS) for values in (sure, right, np.ones(len(sure)))]
    y = np.concatenate(sums)
    return Curve(tuple(map(float, range(len(y)))), tuple(y.tolist()))
