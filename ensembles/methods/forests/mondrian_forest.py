"""Aggregated Mondrian forest: Mondrian trees that all see every example, and whose probabilities are averaged.

Mourtada, Gaïffas & Scornet (2021).
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.declarations import argument
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows
from ensembles.learners.mondrian.mondrian_tree import MondrianTreeClassifier
from ensembles.methods.core.block import NO_VOTES
from ensembles.methods.core.online import OnlineEnsemble
from ensembles.methods.core.threads import N_JOBS

__all__ = ["MondrianForestClassifier"]


class MondrianForestClassifier(OnlineEnsemble):
    """Aggregated Mondrian forest (AMF).

    Notes
    -----
    Trees differ only by what they draw; with one member it is the Mondrian tree of the same seed. The authors take ten.

    References
    ----------
    Mourtada, Gaïffas & Scornet (2021).
    """

    key = "mondrian_forest"
    name = "Mondrian forest"
    position = 184
    family = "forests"
    summary = "Averages the probabilities of Mondrian trees, each of which sees every example."
    source = "Mourtada, Gaïffas & Scornet (2021)"
    only_bases = ("mondrian_tree",)
    usual_base = MondrianTreeClassifier
    weighted = False  # members are shown whole examples
    predicts_while_learning = True
    measures_errors = False
    estimator: Any = argument(default=None, what="Mondrian tree, or None", help="What each member is.")
    n_jobs: Any = N_JOBS

    @property
    def soft_votes(self) -> bool:
        """Members vote by their probabilities."""
        return True

    def _learn(self, rows: Rows, examples: TrainingBatch, votes: npt.NDArray[np.float64] = NO_VOTES) -> None:
        self._show_all(rows, examples, lambda once: once.astype(np.int16), votes)
        self._all_vote(self._n_members(), examples)

    def _drawn(self, size: int, room: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return a number for each example and member: each example is learned once."""
        room[:size] = 1.0
        return room[:size]
