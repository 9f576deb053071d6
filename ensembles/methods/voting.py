"""Voting: a pool of members that count alike, the line that every weighting is compared with.

Bai, Lam & Sclaroff, section 5.1.
"""

from typing import ClassVar, NamedTuple

import numpy as np

from ensembles.methods.base import keep_arguments
from ensembles.methods.loss_weights import LOSSES, VoteWeighted, reweight
from ensembles.parameters import Parameter

__all__ = ["VotingClassifier"]


class EqualWeights(NamedTuple):
    """Weights of 1 for ever."""

    weights: np.ndarray  # (m,)


class VotingClassifier(VoteWeighted):
    """Majority of a pool of members on random attributes.

    Parameters
    ----------
    estimator, n_estimators, members, subset, pretrain_fraction, pretrain_least, pretrain_most, output
        As of the Bayesian ensemble.
    random_state : int, RandomState or None

    References
    ----------
    Bai, Lam & Sclaroff (2016), section 5.1.
    """

    key = "voting"
    name = "Voting"
    family = "weighting"
    summary = "Lets the majority of a pool of members on random attributes decide."
    source = "Bai, Lam & Sclaroff (2016), section 5.1"
    parameters: ClassVar[tuple[Parameter, ...]] = tuple(
        parameter for parameter in LOSSES if parameter.name not in ("loss", "theta", "loss_timing")
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
        output="class",
        random_state=None,
    ):
        keep_arguments(self, locals())

    def _start(self):
        self._weighting = EqualWeights(np.ones(self.n_estimators))


@reweight.implement(EqualWeights)
def _reweight(weighting, losses, weight):
    pass
