"""Fixed-fraction online bagging: each member learns each example with the same probability.

Fern & Givan; thesis, figure 2.13.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.declarations import real
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows
from ensembles.methods.core.block import NO_VOTES
from ensembles.methods.core.online import OnlineEnsemble
from ensembles.methods.core.threads import N_JOBS

__all__ = ["FixedFractionBaggingClassifier"]


class FixedFractionBaggingClassifier(OnlineEnsemble):
    """Fixed-fraction online bagging.

    References
    ----------
    Fern & Givan (2000); Oza (2001), figure 2.13.
    """

    key = "fixed_fraction_bagging"
    name = "Fixed-fraction bagging"
    position = 120
    family = "bagging"
    summary = "Bagging in one pass: every member learns each example once or not at all."
    source = "Oza (2001), figure 2.13"
    weighted = False
    p: float = real(
        default=0.7,
        label="Share learned",
        help="Probability that a member learns an example.",
        low=0.0,
        high=1.0,
        lasting=False,
    )
    n_jobs: Any = N_JOBS
    predicts_while_learning = predicts_late = True
    measures_errors = False

    def _learn(self, rows: Rows, examples: TrainingBatch, votes: npt.NDArray[np.float64] = NO_VOTES) -> None:
        def taken(draws: npt.NDArray[np.float64]) -> npt.NDArray[np.int16]:
            below: npt.NDArray[np.bool_] = draws < self._given.p
            return below.astype(np.int16)  # the type that online bagging is compiled for

        self._show_all(rows, examples, taken, votes)
        self._all_vote(self._given.n_estimators, examples)
