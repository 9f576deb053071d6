"""Online Bayesian bagging: each member learns each example with an exponentially distributed weight.

Lee & Clyde, section 3.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.draws import exponentials
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows
from ensembles.methods.core.base import VOTE
from ensembles.methods.core.block import NO_VOTES
from ensembles.methods.core.online import OnlineEnsemble
from ensembles.methods.core.threads import N_JOBS

__all__ = ["OnlineBayesianBaggingClassifier"]


class OnlineBayesianBaggingClassifier(OnlineEnsemble):
    """Online Bayesian bagging, lossless: with a lossless base model it ends with the members of Bayesian bagging.

    References
    ----------
    Lee & Clyde (2004), section 3.
    """

    key = "online_bayesian_bagging"
    name = "Online Bayesian bagging"
    position = 140
    family = "bagging"
    summary = "Bayesian bagging in one pass, with nothing lost: each example has a drawn weight in every member."
    source = "Lee & Clyde (2004), section 3"
    purpose = "bayesian_bagging"  # the very weights of Bayesian bagging
    vote: str = VOTE
    n_jobs: Any = N_JOBS
    predicts_while_learning = predicts_late = True
    measures_errors = False

    def _start(self, n_members: int) -> None:
        self._streams = self._drawing(n_members)

    def _learn(self, rows: Rows, examples: TrainingBatch, votes: npt.NDArray[np.float64] = NO_VOTES) -> None:
        self._show_all(rows, examples, exponentials, votes)
        self._all_vote(self._given.n_estimators, examples)
