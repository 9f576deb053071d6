"""Aggregated Mondrian forest: Mondrian trees that all see every example, and whose probabilities are averaged.

Mourtada, Gaïffas & Scornet (2021).
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.declarations import argument
from ensembles.draws import BLOCK
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows
from ensembles.learners.mondrian.mondrian_tree import MondrianTreeClassifier
from ensembles.methods.core.block import NO_VOTES
from ensembles.methods.core.online import OnlineEnsemble

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

    @property
    def soft_votes(self) -> bool:
        """Members vote by their probabilities."""
        return True

    def _learn(self, rows: Rows, examples: TrainingBatch, votes: npt.NDArray[np.float64] = NO_VOTES) -> None:
        n, n_members = len(examples.labels), self._n_members()
        once = np.ones((min(BLOCK, n), n_members), dtype=np.int16)
        for start in range(0, n, BLOCK):
            size = min(BLOCK, n - start)
            self._show(rows, examples, start, once[:size], votes)
            self._report(start + size, n)
        self._all_vote(n_members, examples)
