"""Voting: a pool of members that count alike, the line that every weighting is compared with.

Bai, Lam & Sclaroff, section 5.1.
"""

import numpy as np
import numpy.typing as npt

from ensembles.learners.core.learner import TrainingBatch
from ensembles.methods.core.pool_predictions import MemberPredictions
from ensembles.methods.weighting.loss_weights import OUTPUT, RAMP, count_rows
from ensembles.methods.weighting.pretrained_pool import PretrainedPool

__all__ = ["VotingClassifier"]


class VotingClassifier(PretrainedPool):
    """Majority of a pool of members on random attributes.

    References
    ----------
    Bai, Lam & Sclaroff (2016), section 5.1.
    """

    key = "voting"
    name = "Voting"
    position = 360
    family = "weighting"
    summary = "Lets the majority of a pool of members on random attributes decide."
    source = "Bai, Lam & Sclaroff (2016), section 5.1"
    measures_errors = False
    output: str = OUTPUT

    def _learn_rest(self, rest: TrainingBatch, used: int, votes: npt.NDArray[np.float64]) -> None:
        """Teach the members that are updated; nobody has to be asked, since no answer changes a weight."""
        if len(votes):
            for part, predictions, _ in self._predicted_blocks(rest):
                self._count(predictions, votes[part])
        elif self._given.members == "updated":
            self._train_members(rest, used, used + len(rest.labels), afresh=False)
        self._all_vote(self._given.n_estimators, rest)

    def _count(self, predictions: MemberPredictions, votes: npt.NDArray[np.float64]) -> None:
        count_rows(np.ones(self._given.n_estimators), predictions, RAMP, np.empty((2, len(self.classes_))), votes)
