"""Online boosting: an example passes from member to member and grows heavier where it is misclassified.

Thesis, figure 4.3 and section 4.6.3 (only the members before the first error above one half vote).
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.declarations import choice
from ensembles.draws import poisson
from ensembles.exact import quantise_one
from ensembles.jit import kernel
from ensembles.learners.core.bound import bind
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows, add_probabilities, predict_and_learn, prepare_example
from ensembles.methods.core.base import VOTE
from ensembles.methods.core.block import NO_VOTES, NO_WEIGHTS, Trace, block_of
from ensembles.methods.core.online import Numbers, OnlineEnsemble, add_votes
from ensembles.methods.core.threads import N_JOBS

__all__ = [
    "DRAW", "NORM", "Chain", "Handed", "OnlineBooster", "OnlineBoostingClassifier", "OnlineBoostingRules", "Taught",
    "Workspace", "boost_rows", "handed_first", "new_chain",
]  # fmt: skip

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


class Chain(NamedTuple):
    """What a chain of members has met."""

    right: np.ndarray  # (members,) weight of the examples that a member got right
    wrong: np.ndarray  # (members,) weight of those that it got wrong
    skipped_weight: np.ndarray  # (members,) weight of the examples seen before it began


class Handed(NamedTuple):
    """What some members of a chain, from number `first` on, are handed of each example, and hand on to those behind them."""

    first: int
    weights: np.ndarray  # (examples,) weight
    seen: np.ndarray  # (examples,) weight of all examples up to this one
    voting: np.ndarray  # (examples,) whether all members before vote


class OnlineBoostingRules(NamedTuple):
    """How weights are used and balanced: once, with their weight; by the examples seen. And how members vote."""

    pure: bool
    by_examples: bool
    soft: bool = False  # by their probabilities


class Taught(NamedTuple):
    """The same members twice, as kernels are quick to teach them one by one, and to ask all."""

    members: Any
    asked: Any


class Workspace(NamedTuple):
    """Room to work in."""

    scores: np.ndarray  # (5, classes) for members
    votes: np.ndarray  # (members,)


def new_chain(n_members: int) -> Chain:
    """Return a chain that has met nothing."""
    return Chain(np.zeros(n_members), np.zeros(n_members), np.zeros(n_members))


def handed_first(weights: npt.NDArray[np.float64]) -> Handed:
    """Return what the first member is handed: examples of these weights."""
    return Handed(0, weights.copy(), np.zeros(len(weights)), np.ones(len(weights), dtype=np.bool_))


class OnlineBooster(OnlineEnsemble):
    """Members that boost online; subclasses have the parameters `draw` and `norm`."""

    weighted = False
    predicts_while_learning = True
    keep_weights = False
    purpose = "online_boosting"

    def _start(self, n_members: int) -> None:
        self._streams = self._drawing(n_members)
        self._chain = new_chain(n_members)

    def _learn(
        self, rows: Rows, examples: TrainingBatch, first: int = 0, votes: npt.NDArray[np.float64] = NO_VOTES
    ) -> None:
        """Pass the examples from `first` on through the chain of members, then settle who votes."""
        n, n_members, n_classes = len(examples.labels), len(self._streams), len(self.classes_)
        trace = Trace(np.zeros((n, n_members)) if self.keep_weights else NO_WEIGHTS, votes)
        rules = OnlineBoostingRules(self._given.draw == "pure", self._given.norm == "examples", self.soft_votes)
        handed = handed_first(examples.weights)

        def stage(some: Any, begin: int, end: int) -> Callable[[Numbers], None]:
            members = Taught(bind(some, rows, one_by_one=True, often=True), bind(some, rows, one_by_one=True))
            own = handed._replace(first=begin)
            chain = Chain(*(array[begin:end] for array in self._chain))
            workspace = Workspace(np.empty((5, n_classes)), np.empty(end - begin))

            def boost(numbers: Numbers) -> None:
                start, draws = numbers
                block = block_of(rows, examples, start, start + len(draws))
                boost_rows(
                    members, chain, block, np.ascontiguousarray(draws[:, begin:end]), rules, trace, own, workspace
                )

            return boost

        self._pass_through(stage, n_members, n, first)
        if self.keep_weights:
            self.example_weights_ = trace.weights[first:].T
        self._set_votes(*self._votes_and_errors())

    def _votes_and_errors(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return votes of the members before the first error above one half, and the errors of all."""
        right, wrong, _ = self._chain
        tested = right + wrong
        errors = np.divide(wrong, tested, out=np.full(len(tested), np.nan), where=tested > 0)
        votes = np.empty(len(tested))
        return votes[: _weigh(right, wrong, votes, 0)], errors


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
    vote: str = VOTE
    n_jobs: Any = N_JOBS


@kernel
def _weigh(right, wrong, votes, first):
    """Write the votes of the members before the first error above one half; return how many these are.

    `first`: which member of its chain the first of these is; of a whole chain at least one votes.
    """
    length = 0
    for m in range(right.shape[0]):
        tested = right[m] + wrong[m]
        if not (tested > 0.0 and wrong[m] / tested <= 0.5):
            break
        votes[m] = math.log(right[m] + GUARD) - math.log(wrong[m] + GUARD)
        length += 1
    if first > 0:
        return length
    if length == 0 or (length == 1 and not votes[0] > 0.0):
        votes[0] = 1.0
    return max(length, 1)


@kernel
def boost_rows(taught, chain, block, draws, rules, trace, handed, workspace):
    """Pass the examples of a block through members that follow each other in a chain; draws: (examples, members)."""
    right, wrong, skipped_weight, first = chain.right, chain.wrong, chain.skipped_weight, handed.first
    rows, labels, votes, work, members = block.rows, block.labels, trace.votes, workspace.scores, taught.members
    for j in range(draws.shape[0]):
        i = block.start + j
        prepared = prepare_example(members, rows, i)
        if votes.shape[0] > 0 and handed.voting[i]:
            voting = _weigh(right, wrong, workspace.votes, first)
            if rules.soft:
                add_probabilities(taught.asked, workspace.votes[:voting], rows, i, work, votes[i])
            else:
                add_votes(taught.asked, workspace.votes[:voting], rows, i, prepared, work, votes)
            handed.voting[i] = voting == draws.shape[1]
        label = labels[i]
        weight, seen = handed.weights[i], handed.seen[i]
        for m in range(draws.shape[1]):
            if weight < LIGHTEST:
                break
            weight = min(weight, HEAVIEST)
            if trace.weights.shape[0] > 0:
                trace.weights[i, first + m] = weight
            hits, misses = right[m] + weight, wrong[m] + weight
            met_if_hit, met_if_missed = hits + wrong[m], right[m] + misses
            if first + m == 0:  # the first member meets every example with its own weight
                seen = met_if_hit
            if rules.by_examples:
                met_if_hit = seen - skipped_weight[m]
                met_if_missed = met_if_hit
            if_hit, if_missed = weight * (met_if_hit / (2.0 * hits)), weight * (met_if_missed / (2.0 * misses))
            k = quantise_one(weight) if rules.pure else float(poisson(weight, draws[j, m]))
            hit = predict_and_learn(members, m, rows, i, label, k, True, work) == label
            right[m] = hits if hit else right[m]
            wrong[m] = wrong[m] if hit else misses
            weight = if_hit if hit else if_missed
        handed.weights[i], handed.seen[i] = weight, seen
