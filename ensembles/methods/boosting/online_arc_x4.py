"""Online Arc-x4: an example passes from member to member with weight 1 + w^4, w of them wrong about it so far.

Fern & Givan (2000); thesis, figure 2.16.
"""

import numpy as np

from ensembles.declarations import choice
from ensembles.draws import BLOCK
from ensembles.jit import kernel
from ensembles.learners.core.bound import bind
from ensembles.learners.core.protocol import predict_and_learn, prepare_example
from ensembles.methods.core.online import NO_VOTES, OnlineEnsemble, add_votes

__all__ = ["OnlineArcX4Classifier"]


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

    def _start(self, n_members):
        """Nothing is drawn."""
        self._right, self._wrong = np.zeros(n_members), np.zeros(n_members)

    def _learn(self, rows, examples, votes=NO_VOTES):
        n, work = len(examples.labels), np.empty((4, len(self.classes_)))
        kept, members = self._room_for_weights(n), bind(self._members, rows)
        for start in range(0, n, BLOCK):
            stop = min(start + BLOCK, n)
            _arc_rows(
                members,
                self._right,
                self._wrong,
                rows,
                examples.labels,
                examples.weights,
                start,
                stop,
                self._given.count == "after",
                np.ones(self._given.n_estimators),
                kept,
                work,
                votes,
            )
            self._report(stop, n)
        self._set_votes(np.ones(self._given.n_estimators), self._wrong / (self._right + self._wrong))


@kernel
def _arc_rows(members, right, wrong, rows, labels, weights, start, stop, after, alike, kept, work, votes):
    """Pass examples from `start` to before `stop` through all members; kept: their weights, or no rows; alike: votes."""
    for i in range(start, stop):
        mistakes = 0.0
        prepared = prepare_example(members, rows, i)
        if votes.shape[0] > 0:
            add_votes(members, alike, rows, i, prepared, work, votes)
        for m in range(right.shape[0]):
            weight = weights[i] * (1.0 + mistakes * mistakes * mistakes * mistakes)
            if kept.shape[0] > 0:
                kept[i, m] = weight
            if predict_and_learn(members, m, rows, i, labels[i], weight, after, work) == labels[i]:
                right[m] += weight
            else:
                wrong[m] += weight
                mistakes += 1.0
