"""Online Arc-x4: an example passes from member to member with weight 1 + w^4, w of them wrong about it so far.

Fern & Givan (2000); thesis, figure 2.16.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.declarations import choice
from ensembles.draws import BLOCK
from ensembles.jit import kernel
from ensembles.learners.core.bound import bind
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows, predict_and_learn, prepare_example
from ensembles.methods.core.block import NO_VOTES, Trace, block_of
from ensembles.methods.core.online import OnlineEnsemble
from ensembles.methods.core.show import add_votes

__all__ = ["Chain", "OnlineArcX4Classifier", "Workspace", "arc_rows"]


class OnlineArcX4Classifier(OnlineEnsemble):
    """Online Arc-x4; all votes count alike.

    Attributes
    ----------
    member_errors_ : array of shape (n_estimators,)
        Share of the weight that came to each member on which it was wrong, tested when a mistake counts.
    example_weights_ : array of shape (n_estimators, examples)
        If the attribute `keep_weights` was set to True before training: the weights with which the examples of the last
        call came to each member, 1 for the first.

    References
    ----------
    Fern & Givan (2000); Oza (2001), figure 2.16.
    """

    key = "online_arc_x4"
    name = "Online Arc-x4"
    position = 250
    family = "boosting"
    summary = "Arc-x4 in one pass: an example weighs more for the next member the more before were wrong about it."
    source = "Oza (2001), figure 2.16"
    count: str = choice(
        default="after",
        label="When a mistake counts",
        help="Test a member after it has learned the example, as published, or before.",
        choices=("after", "before"),
        labels=("after learning", "before learning"),
        lasting=False,
    )
    predicts_while_learning = True

    def _start(self, n_members: int) -> None:
        """Nothing is drawn."""
        self._chain = Chain(np.zeros(n_members), np.zeros(n_members))

    def _learn(self, rows: Rows, examples: TrainingBatch, votes: npt.NDArray[np.float64] = NO_VOTES) -> None:
        n, n_members = len(examples.labels), self._given.n_estimators
        trace, members = Trace(self._allocate_weights(n), votes), bind(self._members, rows, one_by_one=True)
        workspace = Workspace(np.empty((4, len(self.classes_))), np.ones(n_members))
        for start in range(0, n, BLOCK):
            block = block_of(rows, examples, start, min(start + BLOCK, n))
            arc_rows(members, self._chain, block, self._given.count == "after", trace, workspace)
            self._report(block.stop, n)
        right, wrong = self._chain
        self._set_votes(np.ones(n_members), wrong / (right + wrong))


class Chain(NamedTuple):
    """What a chain of members has met."""

    right: np.ndarray  # (members,) weight of the examples that a member got right
    wrong: np.ndarray  # (members,) weight of those that it got wrong


class Workspace(NamedTuple):
    """Room to work in."""

    scores: np.ndarray  # (4, classes) for members
    votes: np.ndarray  # (members,) what each vote counts: 1


@kernel
def arc_rows(members, chain, block, after, trace, workspace):
    """Pass the examples of a block through all members; `after`: a mistake counts once the example was learned."""
    right, wrong, rows, labels = chain.right, chain.wrong, block.rows, block.labels
    votes, work = trace.votes, workspace.scores
    for i in range(block.start, block.stop):
        mistakes = 0.0
        prepared = prepare_example(members, rows, i)
        if votes.shape[0] > 0:
            add_votes(members, workspace.votes, rows, i, prepared, work, votes)
        for m in range(right.shape[0]):
            weight = block.weights[i] * (1.0 + mistakes * mistakes * mistakes * mistakes)
            if trace.weights.shape[0] > 0:
                trace.weights[i, m] = weight
            if predict_and_learn(members, m, rows, i, labels[i], weight, after, work) == labels[i]:
                right[m] += weight
            else:
                wrong[m] += weight
                mistakes += 1.0
