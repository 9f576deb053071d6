"""Weighted majority: a member's weight is multiplied by beta whenever it is wrong.

Thesis, figure 2.8.
"""

import math
from typing import ClassVar, NamedTuple

import numpy as np

from ensembles.methods.core.base import keep_arguments
from ensembles.methods.weighting.loss_weights import VoteWeighted, reweight
from ensembles.methods.weighting.member_pool import POOL
from ensembles.parameters import Parameter, Real

__all__ = ["MajorityWeights", "WeightedMajorityClassifier"]

_LOWEST, _HIGHEST = 1e-6, 1.0 - 1e-6


class MajorityWeights(NamedTuple):
    """Weights beta^mistakes, divided by the largest of them: that of 1,100 mistakes alone is no double."""

    weights: np.ndarray  # (m,)
    mistakes: np.ndarray  # (m,) weight of the examples that the member got wrong
    settings: np.ndarray  # (1,) ln beta


class WeightedMajorityClassifier(VoteWeighted):
    """Weighted majority.

    After every example, whether the ensemble was right or not, the weight of each member that was wrong is multiplied by
    beta, or beta^w for an example of weight w; then members that are updated learn it. With two classes and fixed members
    that are there from the first example, mistakes are at most (m ln(1/beta) + ln M) / ln(2/(1+beta)), m being those of
    the best member.

    Parameters
    ----------
    estimator, n_estimators, members, subset, pretrain_fraction, pretrain_least, pretrain_most
        As of the Bayesian ensemble.
    beta : float
        In [1e-6, 1 - 1e-6].
    random_state : int, RandomState or None

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
    family = "weighting"
    summary = "Multiplies the weight of a member by beta whenever it is wrong."
    source = "Oza (2001), figure 2.8"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        *POOL,
        Real("beta", 0.5, "Penalty", "What a weight is multiplied by after a mistake.", low=_LOWEST, high=_HIGHEST),
    )

    def __init__(
        self,
        estimator=None,
        n_estimators=100,
        members="fixed",
        subset=0.5,
        pretrain_fraction=0.1,
        pretrain_least=10,
        pretrain_most=1_000_000,
        beta=0.5,
        random_state=None,
    ):
        keep_arguments(self, locals())

    def _start(self):
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
