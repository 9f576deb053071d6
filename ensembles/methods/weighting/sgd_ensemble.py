"""Weights of members by stochastic gradient descent on the ensemble loss.

Bai, Lam & Sclaroff, equation 14.
"""

from typing import NamedTuple

import numpy as np

from ensembles.declarations import real
from ensembles.jit import inner
from ensembles.methods.weighting.loss_weights import ChosenLossPool, reweight

__all__ = ["LEAST", "MOST", "SgdEnsembleClassifier", "clipped"]

LEAST, MOST = 1e-6, 1e6  #: bounds of a weight: its inverse explodes near 0


class Descent(NamedTuple):
    """Members' weights on their way down the gradient."""

    weights: np.ndarray  # (m,)
    seen: np.ndarray  # (2,) examples so far, and how many steps ended at a bound
    settings: np.ndarray  # (2,) theta, step


class SgdEnsembleClassifier(ChosenLossPool):
    """Stochastic gradient descent on theta * sum of weight * loss - sum of ln weight, with steps step / t.

    Weights start at 1 and stay within [1e-6, 1e6]. An example of weight w makes the step w times as long.

    Attributes
    ----------
    n_clipped_ : int
        How often a weight ended at a bound.

    References
    ----------
    Bai, Lam & Sclaroff (2016), equation 14.
    """

    key = "sgd_ensemble"
    name = "SGD ensemble"
    position = 330
    family = "weighting"
    summary = "Weighs a pool of members by stochastic gradient descent on their losses."
    source = "Bai, Lam & Sclaroff (2016), equation 14"
    step: float = real(
        default=1.0,
        label="First step",
        help="Later ones are shorter: one over t.",
        details="Length of the first step, positive; the source does not say which it took.",
        low=0.0,
        high=1e6,
        open_low=True,
    )

    def _start(self) -> None:
        settings = np.array([self._given.theta, self._given.step], dtype=np.float64)
        self._weighting = Descent(np.ones(self._given.n_estimators), np.zeros(2), settings)

    @property
    def n_clipped_(self) -> int:
        self._check_learned()
        return int(self._weighting.seen[1])


@inner
def clipped(weight, seen):
    """Return the weight within its bounds; seen[1] counts those that were not."""
    if weight < LEAST or weight > MOST:
        seen[1] += 1.0
        return min(max(weight, LEAST), MOST)
    return weight


@reweight.implement(Descent)
def _reweight(weighting, losses, weight):
    weights, seen, theta = weighting.weights, weighting.seen, weighting.settings[0]
    seen[0] += 1.0
    step = weight * weighting.settings[1] / seen[0]
    for m in range(losses.shape[0]):
        weights[m] = clipped(weights[m] - step * (theta * losses[m] - 1.0 / weights[m]), seen)
