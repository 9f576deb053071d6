"""Online boosting: an example passes from member to member and grows heavier where it is misclassified.

Thesis, figure 4.3 and section 4.6.3 (only the members before the first error above one half vote).
"""

import math

import numpy as np

from ensembles.declarations import choice
from ensembles.draws import poisson
from ensembles.exact import quantise_one
from ensembles.jit import kernel
from ensembles.learners.core.bound import bind
from ensembles.learners.core.protocol import predict_and_learn, prepare_example
from ensembles.methods.core.online import NO_VOTES, OnlineEnsemble, add_votes

__all__ = ["DRAW", "NORM", "OnlineBooster", "OnlineBoostingClassifier"]

HEAVIEST = 1e6  #: an example weighs no more, however often it is misclassified
LIGHTEST = 1e-300  #: below this an example is passed on no further
GUARD = 0.5  #: examples added to both sides of an error, so that no vote is infinite

DRAW = choice(
    default="poisson",
    label="How an example's weight is used",
    help="Show a member the example a Poisson number of times, as published, or once with its weight.",
    choices=("poisson", "pure"),
    labels=("Poisson number of times", "once, with its weight"),
    lasting=False,
)

NORM = choice(
    default="thesis",
    label="How weights are balanced",
    help="Mistakes and hits of a member weigh half each: of what it has met itself, or of the examples seen.",
    details="Scale the weight of an example so that a member's hits and mistakes weigh half of all that it has met each, as "
    "the thesis prints; or half of the weight of the examples seen, as Oza & Russell do.",
    choices=("thesis", "examples"),
    labels=("by what the member met", "by the examples seen"),
    lasting=False,
)


class OnlineBooster(OnlineEnsemble):
    """Members that boost online; subclasses have the parameters `draw` and `norm`."""

    weighted = False
    predicts_while_learning = True
    keep_weights = False
    purpose = "online_boosting"

    def _start(self, n_members):
        self._streams = self._drawing(n_members)
        self._right, self._wrong = np.zeros(n_members), np.zeros(n_members)
        self._skipped_weight = np.zeros(n_members)  # weight of the examples seen before a member began

    def _learn(self, rows, examples, first=0, votes=NO_VOTES):
        """Pass the examples from `first` on through the chain of members, then settle who votes."""
        n, work = len(examples.labels), np.empty((4, len(self.classes_)))
        kept = np.zeros((n, len(self._streams)) if self.keep_weights else (0, 0))
        members = bind(self._members, rows)
        for start, draws in self._blocks(n, first):
            _boost_rows(
                members,
                self._right,
                self._wrong,
                self._skipped_weight,
                rows,
                examples.labels,
                examples.weights,
                start,
                draws,
                self._given.draw == "pure",
                self._given.norm == "examples",
                kept,
                work,
                np.empty(len(self._streams)),
                votes,
            )
        if self.keep_weights:
            self.example_weights_ = kept[first:].T
        self._set_votes(*self._standing())

    def _standing(self):
        """Return votes of the members before the first error above one half, and the errors of all."""
        tested = self._right + self._wrong
        errors = np.divide(self._wrong, tested, out=np.full(len(tested), np.nan), where=tested > 0)
        votes = np.empty(len(tested))
        return votes[: _weigh(self._right, self._wrong, votes)], errors


class OnlineBoostingClassifier(OnlineBooster):
    """Online boosting.

    Attributes
    ----------
    member_errors_ : array of shape (n_estimators,)
        Weighted error of each member while learning; NaN for a member never tested.
    n_members_ : int
        Members that vote: those before the first error above one half, at least one.
    example_weights_ : array of shape (n_estimators, examples)
        If the attribute `keep_weights` was set to True before training: the weights with which the examples of the last
        call came to each member, 1 for the first.

    References
    ----------
    Oza (2001), figure 4.3, section 4.6.3; Oza & Russell (2001), Online bagging and boosting.
    """

    key = "online_boosting"
    name = "Online boosting"
    position = 230
    family = "boosting"
    summary = "Boosting in one pass: an example grows heavier for the next member when this one gets it wrong."
    source = "Oza (2001), figure 4.3"
    draw: str = DRAW
    norm: str = NORM


@kernel
def _weigh(right, wrong, votes):
    """Write the votes of the members before the first error above one half, at least one; return how many these are."""
    length = 0
    for m in range(right.shape[0]):
        tested = right[m] + wrong[m]
        if not (tested > 0.0 and wrong[m] / tested <= 0.5):
            break
        votes[m] = math.log(right[m] + GUARD) - math.log(wrong[m] + GUARD)
        length += 1
    if length == 0 or (length == 1 and not votes[0] > 0.0):
        votes[0] = 1.0
    return max(length, 1)


@kernel
def _boost_rows(
    members,
    right,
    wrong,
    skipped_weight,
    rows,
    labels,
    weights,
    start,
    draws,
    pure,
    by_examples,
    kept,
    work,
    weighed,
    votes,
):
    """Pass examples from `start` on through all members; draws: (examples, members); kept: weights, or no rows.

    If `votes` has rows, the votes for each example before it is learned are added.
    """
    for j in range(draws.shape[0]):
        i = start + j
        prepared = prepare_example(members, rows, i)
        if votes.shape[0] > 0:
            standing = _weigh(right, wrong, weighed)
            add_votes(members, weighed[:standing], rows, i, prepared, work, votes)
        label = labels[i]
        weight = weights[i]
        seen = 0.0
        for m in range(draws.shape[1]):
            if kept.shape[0] > 0:
                kept[i, m] = weight
            hits, misses = right[m] + weight, wrong[m] + weight
            met_if_hit, met_if_missed = hits + wrong[m], right[m] + misses
            if m == 0:  # the first member meets every example with its own weight
                seen = met_if_hit
            if by_examples:
                met_if_hit = seen - skipped_weight[m]
                met_if_missed = met_if_hit
            if_hit, if_missed = weight * (met_if_hit / (2.0 * hits)), weight * (met_if_missed / (2.0 * misses))
            k = quantise_one(weight) if pure else float(poisson(weight, draws[j, m]))
            hit = predict_and_learn(members, m, rows, i, label, k, True, work) == label
            right[m] = hits if hit else right[m]
            wrong[m] = wrong[m] if hit else misses
            weight = if_hit if hit else if_missed
            if weight < LIGHTEST:
                break
            weight = min(weight, HEAVIEST)
