"""Voting: a pool of members that count alike, the line that every weighting is compared with.

Bai, Lam & Sclaroff, section 5.1.
"""

from typing import ClassVar

import numpy as np

from ensembles.methods.core.base import keep_arguments
from ensembles.methods.weighting.loss_weights import LOSSES, RAMP, count_rows
from ensembles.methods.weighting.member_pool import MemberPool
from ensembles.parameters import Parameter

__all__ = ["VotingClassifier"]


class VotingClassifier(MemberPool):
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
    measures_errors = False
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

    def _learn_rest(self, rest, used, votes):
        """Teach the members that are updated; nobody has to be asked, since no answer changes a weight."""
        if len(votes):
            for part, answers in self._asked(rest):
                self._count(answers, votes[part])
        elif self._given.members == "updated":
            self._teach(rest, used, used + len(rest.labels), afresh=False)
        self._all_vote(self._given.n_estimators, rest)

    def _count(self, answers, votes):
        count_rows(np.ones(self._given.n_estimators), answers, RAMP, np.empty((2, len(self.classes_))), votes)
