"""Online boosting: an example passes from member to member and grows heavier where it is misclassified.

Thesis, figure 4.3 and section 4.6.3 (only the members before the first error above one half vote).
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.declarations import choice
from ensembles.jit import inner, kernel
from ensembles.learners.core.bound import bind
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import (
    Rows,
    add_probabilities,
    foresee_hits,
    learn_all,
    prepare_example,
    votes_in_turn,
)
from ensembles.methods.boosting.chain import (
    Chain,
    OnlineBoostingRules,
    Passing,
    handed_first,
    new_chain,
    new_workspace,
    pass_on,
)
from ensembles.methods.core.base import VOTE
from ensembles.methods.core.block import NO_VOTES, NO_WEIGHTS, Block, Trace, block_of
from ensembles.methods.core.online import Numbers, OnlineEnsemble, Votes
from ensembles.methods.core.show import Late, add_votes
from ensembles.methods.core.threads import N_JOBS

__all__ = ["DRAW", "GUARD", "NORM", "OnlineBooster", "OnlineBoostingClassifier", "Taught", "boost_rows"]

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


class Taught(NamedTuple):
    """The same members twice, as kernels are quick to teach them one by one, and to ask all."""

    members: Any
    asked: Any


class TaughtLate(NamedTuple):
    """Members that are asked about other examples than they learn, whose labels came late."""

    members: Taught
    late: Late


class OnlineBooster(OnlineEnsemble):
    """Members that boost online; subclasses have the parameters `draw` and `norm`."""

    weighted = False
    predicts_while_learning = predicts_late = True
    keep_weights = False
    purpose = "online_boosting"

    def _start(self, n_members: int) -> None:
        self._streams = self._drawing(n_members)
        self._chain = new_chain(n_members)

    def _learn(self, rows: Rows, examples: TrainingBatch, first: int = 0, votes: Votes = NO_VOTES) -> None:
        """Pass the examples from `first` on through the chain of members, then settle who votes."""
        n, n_members, n_classes = len(examples.labels), len(self._streams), len(self.classes_)
        late, votes_now = (votes, NO_VOTES) if isinstance(votes, Late) else (None, votes)
        asked = rows if late is None else late.rows
        trace = Trace(np.zeros((n, n_members)) if self.keep_weights else NO_WEIGHTS, votes_now)
        in_turn = self.soft_votes and late is None and votes_in_turn(self._members)
        rules = OnlineBoostingRules(
            self._given.draw == "pure", self._given.norm == "examples", self.soft_votes, in_turn
        )
        handed = handed_first(examples.weights, n if late is None else len(late.votes))

        def stage(some: Any, begin: int, end: int) -> Callable[[Numbers], None]:
            members = Taught(bind(some, rows, one_by_one=True, often=True), bind(some, asked, one_by_one=True))
            chain = Chain(*(array[begin:end] for array in self._chain))
            workspace = new_workspace(end - begin, n_classes)
            passing = Passing(chain, rules, trace, handed._replace(first=begin), workspace)

            def boost(numbers: Numbers) -> None:
                start, draws = numbers
                block = block_of(rows, examples, start, start + len(draws))
                own = np.ascontiguousarray(draws[:, begin:end])
                if late is None:
                    boost_rows(members, passing, block, own)
                else:
                    boost_rows_late(TaughtLate(members, late), passing, block, own)

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
def boost_rows(taught, passing, block, draws):
    """Pass the examples of a block through members that follow each other in a chain; draws: (examples, members)."""
    _, rules, trace, handed, workspace = passing
    rows, labels, members, shown = block.rows, block.labels, taught.members, workspace.shown
    may_foresee = not rules.pure and trace.weights.shape[0] == 0
    for j in range(draws.shape[0]):
        i = block.start + j
        prepared = prepare_example(members, rows, i)
        voting = 0
        if trace.votes.shape[0] > 0 and handed.voting[i]:
            voting = _let_vote(taught, passing, rows, i, prepared, trace.votes)
        votes = trace.votes[i] if voting > 0 else workspace.scores[4]
        weights, work = workspace.votes[:voting], workspace.scores
        foreseen = may_foresee and foresee_hits(members, rows, i, labels[i], workspace.hits, weights, work, votes)
        if foreseen:  # twice, as what is the same for both goes member by member, and more slowly
            shown[:] = 0.0
            pass_on(members, passing, block, i, draws[j], True, 0)
            learn_all(members, rows, i, labels[i], shown)
        else:
            pass_on(members, passing, block, i, draws[j], False, voting)


@kernel
def boost_rows_late(taught, passing, block, draws):
    """As `boost_rows`; before an example is learned, members vote for those that are predicted before."""
    members, late = taught
    for j in range(draws.shape[0]):
        i = block.start + j
        for k in range(late.until[i - 1] if i > 0 else 0, late.until[i]):
            if passing.handed.voting[k]:
                _let_vote(members, passing, late.rows, k, False, late.votes)
        one = Block(block.rows, block.labels, block.weights, i, i + 1)
        boost_rows(members, passing, one, draws[j : j + 1])


@inner
def _let_vote(taught, passing, rows, i, prepared, votes):
    """Add the votes for example i of those members who vote, and note whether members behind them may vote too.

    Return how many are still to vote, each right before it learns.
    """
    chain, rules, handed, workspace = passing.chain, passing.rules, passing.handed, passing.workspace
    weights, work = workspace.votes, workspace.scores
    voting = _weigh(chain.right, chain.wrong, weights, handed.first)
    handed.voting[i] = voting == weights.shape[0]
    if rules.in_turn and votes_in_turn(taught.members):
        return voting
    if rules.soft:
        add_probabilities(taught.asked, weights[:voting], rows, i, work, votes[i])
    else:
        add_votes(taught.asked, weights[:voting], rows, i, prepared, work, votes)
    return 0
