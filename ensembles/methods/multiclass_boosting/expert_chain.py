"""A chain of members that vote under the gradient of a loss, and the experts that its prefixes are: the kernels of
`adaboost_olm`.

Jung, Goetz & Tewari (2017), algorithm 2.
"""

from typing import NamedTuple

import numpy as np

from ensembles.exact import quantise_one
from ensembles.jit import inner, kernel
from ensembles.learners.core.protocol import best_class, learn_one, predict_proba_one
from ensembles.methods.multiclass_boosting.cost_sensitive import ask_all, cheapest_class
from ensembles.methods.multiclass_boosting.surrogates import slope_of, step_of, vote_slope, weight_of

__all__ = [
    "BOUND", "Chain", "Experts", "Predicted", "Steps", "Workspace", "add_vote", "boost_rows", "class_of_votes",
    "clear_votes", "predict_rows",
]  # fmt: skip

BOUND = 2.0  #: votes of members lie in [-BOUND, BOUND]


class Chain(NamedTuple):
    """What members have learned as a chain."""

    scales: np.ndarray  # (members,) of weights, 0: none
    prior: np.ndarray  # (classes,) weight seen
    alphas: np.ndarray  # (members,)
    mistakes: np.ndarray  # (2, members) weight of examples that members and experts got wrong
    edges: np.ndarray  # (2, members) sums of C[y, vote] and of C[y, y]
    seen: np.ndarray  # (1,) examples


class Workspace(NamedTuple):
    """Where one example is worked on."""

    votes: np.ndarray  # (classes,)
    costs: np.ndarray  # (classes, classes) gradient of the loss at these votes, row r if r is the true class
    work: np.ndarray
    told: np.ndarray  # (members, examples, classes) probabilities of a block
    loss: int


@inner
def clear_votes(workspace):
    votes, costs, loss = workspace.votes, workspace.costs, workspace.loss
    slope = slope_of(loss, 0.0)
    for r in range(votes.shape[0]):
        votes[r] = 0.0
        for c in range(votes.shape[0]):
            costs[r, c] = slope
        costs[r, r] = -slope * (votes.shape[0] - 1)


@inner
def add_vote(workspace, label, alpha):
    """Add alpha to the votes for `label`: beside the diagonal, costs change in its row and column only."""
    votes, costs, loss = workspace.votes, workspace.costs, workspace.loss
    votes[label] += alpha
    for r in range(votes.shape[0]):
        if r != label:
            costs[r, label] = slope_of(loss, votes[label] - votes[r])
            costs[label, r] = slope_of(loss, votes[r] - votes[label])
    for r in range(votes.shape[0]):
        total = 0.0
        for c in range(votes.shape[0]):
            if c != r:
                total += costs[r, c]
        costs[r, r] = -total


@inner
def class_of_votes(votes, vote, prior):
    """Return the class of most votes; where all have as many, the last vote."""
    for c in range(1, votes.shape[0]):
        if votes[c] != votes[0]:
            return best_class(votes, prior)
    return vote


class Steps(NamedTuple):
    """How members' votes move: by the slope of the authors' program, and by how much (0: as published)."""

    as_program: bool
    eta: float


class Predicted(NamedTuple):
    """What experts said of each example before it was learned, and what they had got wrong; no rows: nobody asks."""

    classes: np.ndarray  # (examples, members)
    mistakes: np.ndarray  # (examples, members) weight of the examples before it


class Experts(NamedTuple):
    """The weight of each expert, and which of them predicts."""

    votes: np.ndarray  # (members,)
    chosen: int


@kernel
def boost_rows(members, chain, workspace, block, steps, kept, predicted):
    """Let all members vote on each example of a block, move their weights, and let them learn it.

    kept: room for the weights of the examples, (examples, members), or no rows; predicted: see `Predicted`.
    """
    rows, alphas, mistakes, edges = block.rows, chain.alphas, chain.mistakes, chain.edges
    votes, costs, work, loss = workspace.votes, workspace.costs, workspace.work, workspace.loss
    n_classes = votes.shape[0]
    for i in range(block.start, block.stop):
        label, weight = block.labels[i], block.weights[i]
        chain.seen[0] += 1
        clear_votes(workspace)
        for m in range(alphas.shape[0]):
            predict_proba_one(members, m, rows, i, work, work[4])
            vote = cheapest_class(work[4], costs, chain.prior, work[5])
            edges[0, m] += costs[label, vote]
            edges[1, m] += costs[label, label]
            stake = -costs[label, label] / max(n_classes - 1, 1)
            slope = vote_slope(loss, steps.as_program, votes, vote, label, alphas[m])
            add_vote(workspace, vote, alphas[m])
            if vote != label:
                mistakes[0, m] += weight
            voted = class_of_votes(votes, vote, chain.prior)
            if predicted.classes.shape[0] > 0:
                predicted.classes[i, m], predicted.mistakes[i, m] = voted, mistakes[1, m]
            if voted != label:
                mistakes[1, m] += weight
            step = step_of(loss, m, n_classes, chain.seen[0], steps.eta)
            alphas[m] = min(max(alphas[m] - step * slope, -BOUND), BOUND)
            heaviness = weight_of(loss, m, stake, chain.scales[m]) * weight
            if kept.shape[0] > 0:
                kept[i, m] = heaviness
            share = quantise_one(heaviness)
            if share > 0.0:  # members to come do not ask this one again
                learn_one(members, m, rows, i, label, share)
        chain.prior[label] += weight


@kernel
def predict_rows(members, chain, workspace, rows, experts, votes, chosen, predicted):
    """Write the experts' votes for each example, what one expert predicts, and what members told if there is room for it."""
    told = workspace.told
    for i in range(votes.shape[0]):
        place = i % told.shape[1]
        if place == 0:
            ask_all(members, rows, (i, min(i + told.shape[1], votes.shape[0])), workspace.work, told)
        clear_votes(workspace)
        for m in range(experts.votes.shape[0]):
            vote = cheapest_class(told[m, place], workspace.costs, chain.prior, workspace.work[5])
            if predicted.shape[0] > 0:
                predicted[i, m] = vote
            add_vote(workspace, vote, chain.alphas[m])
            voted = class_of_votes(workspace.votes, vote, chain.prior)
            votes[i, voted] += experts.votes[m]
            if m == experts.chosen:
                chosen[i] = voted
