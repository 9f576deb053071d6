"""Weights of members by stochastic gradient descent, averaged over all steps (Polyak & Juditsky).

Bai, Lam & Sclaroff, section 5.1.
"""

from typing import NamedTuple

import numpy as np

from ensembles.methods.weighting.loss_weights import reweight
from ensembles.methods.weighting.sgd_ensemble import SgdEnsembleClassifier, clipped

__all__ = ["SgdAverageEnsembleClassifier"]


class AveragedDescent(NamedTuple):
    """Members' weights as the mean of all that descent came by."""

    weights: np.ndarray  # (m,) means, the start among them
    last: np.ndarray  # (m,) where descent is
    seen: np.ndarray  # (2,) examples so far, and how many steps ended at a bound
    settings: np.ndarray  # (2,) theta, step


class SgdAverageEnsembleClassifier(SgdEnsembleClassifier):
    """Stochastic gradient descent as in the SGD ensemble; a member votes with the mean of its weights so far.

    References
    ----------
    Polyak & Juditsky (1992); Bai, Lam & Sclaroff (2016), section 5.1.
    """

    key = "sgd_average_ensemble"
    name = "Averaged SGD ensemble"
    position = 340
    summary = "Weighs a pool of members by gradient descent on their losses, averaged over all steps."
    source = "Bai, Lam & Sclaroff (2016), section 5.1"

    def _start(self) -> None:
        m = self._given.n_estimators
        settings = np.array([self._given.theta, self._given.step], dtype=np.float64)
        self._weighting = AveragedDescent(np.ones(m), np.ones(m), np.zeros(2), settings)


@reweight.implement(AveragedDescent)
def _reweight(weighting, losses, weight):
    weights, last, seen, theta = weighting.weights, weighting.last, weighting.seen, weighting.settings[0]
    seen[0] += 1.0
    step = weight * weighting.settings[1] / seen[0]
    for m in range(losses.shape[0]):
        last[m] = clipped(last[m] - step * (theta * losses[m] - 1.0 / last[m]), seen)
        weights[m] += (last[m] - weights[m]) / (seen[0] + 1.0)
