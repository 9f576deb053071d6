"""Weighted majority: a member's weight is multiplied by beta whenever it is wrong.

Thesis, figure 2.8.
"""

import math
from typing import NamedTuple

import numpy as np

from ensembles.declarations import real
from ensembles.methods.weighting.loss_weights import LossWeightedPool, reweight

__all__ = ["MajorityWeights", "WeightedMajorityClassifier"]

_LOWEST, _HIGHEST = 1e-6, 1.0 - 1e-6


class MajorityWeights(NamedTuple):
    """Weights beta^mistakes, divided by the largest of them: that of 1,100 mistakes alone is no double."""

    weights: np.ndarray  # (m,)
    mistakes: np.ndarray  # (m,) weight of the examples that the member got wrong
    settings: np.ndarray  # (1,) ln beta


class WeightedMajorityClassifier(LossWeightedPool):
    """Weighted majority.

    After every example, whether the ensemble was right or not, the weight of each member that was wrong is multiplied by
    beta, or beta^w for an example of weight w; then members that are updated learn it. With two classes and fixed members
    that are there from the first example, mistakes are at most (m ln(1/beta) + ln M) / ln(2/(1+beta)), m being those of
    the best member.

    Attributes
    ----------
    member_weights_ : array of shape (n_estimators,)
        beta^(mistakes - mistakes of the best member).

    References
    ----------
    Littlestone & Warmuth (1994); Oza (2001), figure 2.8.
    """

    key = "weighted_majority"
    name = "Weighted majority"
    position = 300
    family = "weighting"
    summary = "Multiplies the weight of a member by beta whenever it is wrong."
    source = "Oza (2001), figure 2.8"
    beta: float = real(
        default=0.5, label="Penalty", help="What a weight is multiplied by after a mistake.", low=_LOWEST, high=_HIGHEST
    )

    def _start(self) -> None:
        m = self._given.n_estimators
        self._weighting = MajorityWeights(np.ones(m), np.zeros(m), np.array([math.log(self._given.beta)]))


@reweight.implement(MajorityWeights)
def _reweight(weighting, losses, weight):
    weights, mistakes, log_beta = weighting.weights, weighting.mistakes, weighting.settings[0]
    least = np.inf
    for m in range(losses.shape[0]):
        mistakes[m] += weight * losses[m]
        least = min(least, mistakes[m])
    for m in range(losses.shape[0]):
        weights[m] = math.exp(log_beta * (mistakes[m] - least))
