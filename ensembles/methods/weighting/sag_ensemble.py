"""Weights of members by the stochastic average gradient (Schmidt, Le Roux & Bach).

The method keeps the last gradient of every example, and steps along the sum of all. In one pass no example comes twice, so
no gradient is ever replaced: the sum is all that has to be kept.

Bai, Lam & Sclaroff, section 5.1.
"""

from typing import NamedTuple

import numpy as np

from ensembles.declarations import choice, real
from ensembles.methods.weighting.loss_weights import reweight
from ensembles.methods.weighting.sgd_ensemble import SgdEnsembleClassifier, clipped

__all__ = ["SagEnsembleClassifier"]


class AverageGradient(NamedTuple):
    """Members' weights and the sum of their gradients."""

    weights: np.ndarray  # (m,)
    gradients: np.ndarray  # (m,)
    seen: np.ndarray  # (2,) examples so far, and how many steps ended at a bound
    settings: np.ndarray  # (3,) theta, step, examples to come in all, 0 if not known


class SagEnsembleClassifier(SgdEnsembleClassifier):
    """Stochastic average gradient: each step is `step` times the sum of all gradients so far, over the number of examples.

    The number of examples is that of the whole sequence, which `fit` knows; in `partial_fit`, and with `divide="seen"`, it
    is the number so far. Weights start at 1 and stay within [1e-6, 1e6].

    Attributes
    ----------
    n_clipped_ : int
        How often a weight ended at a bound.

    References
    ----------
    Schmidt, Le Roux & Bach (2013); Bai, Lam & Sclaroff (2016), section 5.1.
    """

    key = "sag_ensemble"
    name = "SAG ensemble"
    position = 350
    summary = "Weighs a pool of members by steps along the average of all gradients so far."
    source = "Bai, Lam & Sclaroff (2016), section 5.1"
    step: float = real(
        default=1.0,
        label="Step",
        help="Length of a step along the average gradient.",
        details="Positive; theory asks for 1/16, in practice longer steps do better.",
        low=0.0,
        high=1e6,
        open_low=True,
    )
    divide: str = choice(
        default="all",
        label="Average over",
        help="All examples of the sequence, where their number is known, or those seen so far.",
        details="Divide by the number of all examples where it is known, or by the number so far.",
        choices=("all", "seen"),
        labels=("all examples", "examples so far"),
    )

    def _start(self) -> None:
        m = self._given.n_estimators
        settings = np.array(
            [self._given.theta, self._given.step, self._expected if self._given.divide == "all" else 0],
            dtype=np.float64,
        )
        self._weighting = AverageGradient(np.ones(m), np.zeros(m), np.zeros(2), settings)


@reweight.implement(AverageGradient)
def _reweight(weighting, losses, weight):
    weights, gradients, seen, settings = weighting.weights, weighting.gradients, weighting.seen, weighting.settings
    seen[0] += 1.0
    step = settings[1] / max(seen[0], settings[2])
    for m in range(losses.shape[0]):
        gradients[m] += weight * (settings[0] * losses[m] - 1.0 / weights[m])
        weights[m] = clipped(weights[m] - step * gradients[m], seen)
