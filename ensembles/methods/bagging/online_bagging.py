"""Online bagging: each member sees each example a Poisson number of times, the limit of the bootstrap.

Thesis, figure 3.3.
"""

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.declarations import real
from ensembles.draws import poisson_counts
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows
from ensembles.methods.core.base import VOTE
from ensembles.methods.core.block import NO_VOTES
from ensembles.methods.core.online import OnlineEnsemble
from ensembles.methods.core.threads import N_JOBS

__all__ = ["RATE", "OnlineBaggingClassifier"]

RATE = real(
    default=1.0,
    label="Poisson rate",
    help="How many times a member sees an example on average; 1 imitates the bootstrap.",
    low=0.0,
    high=10.0,
    open_low=True,
    lasting=False,
)


class OnlineBaggingClassifier(OnlineEnsemble):
    """Online bagging.

    References
    ----------
    Oza (2001), figure 3.3; Lee & Clyde (2004), section 2.1.
    """

    key = "online_bagging"
    name = "Online bagging"
    position = 110
    family = "bagging"
    summary = "Bagging in one pass: every member sees each example a Poisson number of times."
    source = "Oza (2001), figure 3.3"
    weighted = False
    rate: float = RATE
    vote: str = VOTE
    n_jobs: Any = N_JOBS
    predicts_while_learning = predicts_late = True
    measures_errors = False

    def _learn(self, rows: Rows, examples: TrainingBatch, votes: npt.NDArray[np.float64] = NO_VOTES) -> None:
        self._show_all(rows, examples, partial(poisson_counts, float(self._given.rate)), votes)
        self._all_vote(self._given.n_estimators, examples)
