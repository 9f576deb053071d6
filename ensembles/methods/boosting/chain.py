"""How online boosting passes an example from member to member: what it weighs for each, and who has to be asked.

What a member predicts decides how much the example weighs for the next. Where that is foreseen (`foresee_hits`), weights
follow each other at once, and members are shown the example afterwards, all together.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.draws import poisson, poisson_by_means, poisson_means
from ensembles.exact import quantise_one
from ensembles.jit import inner, part
from ensembles.learners.core.protocol import predict_and_learn, predict_proba_one, vote_and_learn, votes_in_turn
from ensembles.methods.core.block import Trace

__all__ = [
    "HEAVIEST", "LIGHTEST", "Chain", "Handed", "OnlineBoostingRules", "Passing", "Workspace", "handed_first",
    "new_chain", "new_workspace", "pass_on",
]  # fmt: skip

HEAVIEST = 1e6  #: an example weighs no more, however often it is misclassified
LIGHTEST = 1e-300  #: below this an example is passed on no further


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
    voting: np.ndarray  # (predicted examples,) whether all members before vote


class OnlineBoostingRules(NamedTuple):
    """How weights are used and balanced: once, with their weight; by the examples seen. And how members vote."""

    pure: bool
    by_examples: bool
    soft: bool = False  # by their probabilities
    in_turn: bool = False  # each right before it learns, instead of all before


class Workspace(NamedTuple):
    """Room to work in, and a table."""

    scores: np.ndarray  # (5, classes) for members
    votes: np.ndarray  # (members,)
    hits: np.ndarray  # (2, members) as `foresee_hits` tells
    shown: np.ndarray  # (members,) weights with which members are shown an example together
    means: np.ndarray  # `poisson_means`


class Passing(NamedTuple):
    """What examples that are passed through some members of a chain meet on their way."""

    chain: Chain
    rules: OnlineBoostingRules
    trace: Trace
    handed: Handed
    workspace: Workspace


def new_chain(n_members: int) -> Chain:
    """Return a chain that has met nothing."""
    return Chain(np.zeros(n_members), np.zeros(n_members), np.zeros(n_members))


def new_workspace(n_members: int, n_classes: int) -> Workspace:
    """Return room for so many members and classes."""
    votes, shown = np.empty(n_members), np.empty(n_members)
    return Workspace(np.empty((5, n_classes)), votes, np.empty((2, n_members)), shown, poisson_means())


def handed_first(weights: npt.NDArray[np.float64], n_predicted: int) -> Handed:
    """Return what the first member is handed: examples of these weights, and so many that are predicted."""
    return Handed(0, weights.copy(), np.zeros(len(weights)), np.ones(n_predicted, dtype=np.bool_))


@inner
def pass_on(members, passing, block, i, draws, foreseen, voting):
    """Pass example i through the members; those of which it is foreseen what they will predict are to be shown it then.

    voting : how many of them, from the first on, vote by their probabilities right before they learn
    """
    chain, rules, trace, handed, workspace = passing
    right, wrong, label, first = chain.right, chain.wrong, block.labels[i], handed.first
    weight, seen, m = handed.weights[i], handed.seen[i], 0
    if first == 0 and weight >= LIGHTEST:  # the first member meets every example with its own weight
        seen = right[0] + min(weight, HEAVIEST) + wrong[0]
    while m < draws.shape[0] and weight >= LIGHTEST:
        if foreseen:
            m, weight = _pass_on_foreseen(chain, m, weight, seen, rules.by_examples, draws, workspace)
            if m == draws.shape[0] or weight < LIGHTEST:
                break
        weight = min(weight, HEAVIEST)
        if trace.weights.shape[0] > 0:
            trace.weights[i, first + m] = weight
        if_right, if_wrong, next_if_right, next_if_wrong = _weigh_next(chain, m, weight, seen, rules.by_examples)
        k = quantise_one(weight) if rules.pure else float(poisson(weight, draws[m]))
        hit = _vote_and_learn(members, m, block.rows, (i, label, k), m < voting, trace.votes, workspace) == label
        right[m] = if_right if hit else right[m]
        wrong[m] = wrong[m] if hit else if_wrong
        weight = next_if_right if hit else next_if_wrong
        m += 1
    if votes_in_turn(members):
        for left in range(m, voting):
            predict_proba_one(members, left, block.rows, i, workspace.scores, workspace.scores[4])
            _add_vote(left, i, trace.votes, workspace)
    handed.weights[i], handed.seen[i] = weight, seen


@inner
def _vote_and_learn(members, m, rows, example, votes, all_votes, workspace):
    """Return what member m predicts of an example once it has learned it; before, it votes, if it `votes`."""
    (i, label, k), work = example, workspace.scores
    if not (votes and votes_in_turn(members)):
        return predict_and_learn(members, m, rows, i, label, k, True, work)
    predicted = vote_and_learn(members, m, rows, i, label, k, True, work, work[4])
    _add_vote(m, i, all_votes, workspace)
    return predicted


@inner
def _add_vote(m, i, votes, workspace):
    """Add the probabilities that member m has told, times its vote."""
    for c in range(votes.shape[1]):
        votes[i, c] += workspace.votes[m] * workspace.scores[4, c]


@part
def _pass_on_foreseen(chain, m, weight, seen, by_examples, draws, workspace):
    """Pass an example on until a member has to be asked; return which, and the weight with which the example comes to it."""
    hits, shown = workspace.hits, workspace.shown
    while m < draws.shape[0] and weight >= LIGHTEST:
        heavy = min(weight, HEAVIEST)
        k = poisson_by_means(heavy, draws[m], workspace.means)
        if k > hits[0, m]:
            break
        if_right, if_wrong, next_if_right, next_if_wrong = _weigh_next(chain, m, heavy, seen, by_examples)
        hit, shown[m] = hits[1, m] > 0.0, k
        chain.right[m] = if_right if hit else chain.right[m]
        chain.wrong[m] = chain.wrong[m] if hit else if_wrong
        weight = next_if_right if hit else next_if_wrong
        m += 1
    return m, weight


@inner
def _weigh_next(chain, m, weight, seen, by_examples):
    """Return what member m then got right and wrong, and the weight for the next member: if it gets it right, and if not."""
    right, wrong = chain.right, chain.wrong
    if_right, if_wrong = right[m] + weight, wrong[m] + weight
    met_if_right, met_if_wrong = if_right + wrong[m], right[m] + if_wrong
    if by_examples:
        met_if_right = seen - chain.skipped_weight[m]
        met_if_wrong = met_if_right
    return if_right, if_wrong, weight * (met_if_right / (2.0 * if_right)), weight * (met_if_wrong / (2.0 * if_wrong))
