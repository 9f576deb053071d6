"""Adaboost.OLM: online multiclass boosting that learns the votes of its members, and which of its prefixes to believe.

Jung, Goetz & Tewari (2017), algorithm 2.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ensembles.declarations import choice, real
from ensembles.draws import entropy_of, stream
from ensembles.exact import quantise_one
from ensembles.jit import inner, kernel
from ensembles.learners.core.bound import bind
from ensembles.learners.core.protocol import best_class, learn_one
from ensembles.methods.core.online import OnlineEnsemble
from ensembles.methods.multiclass_boosting.cost_sensitive import ROWS_OF_WORK, WEIGHT_SCALE, cheapest_class, scales_of
from ensembles.methods.multiclass_boosting.surrogates import LOSSES, slope_of, step_of, vote_slope, weight_of

__all__ = ["AdaBoostOlmClassifier"]

BOUND = 2.0  #: votes of members lie in [-BOUND, BOUND]


class AdaBoostOlmClassifier(OnlineEnsemble):
    """Adaboost.OLM: adaptive online multiclass boosting.

    Members vote one after another; costs are the gradient of the loss at the votes so far. Expert i predicts by the weighted
    votes of the first i members; an expert loses a factor e with each mistake. All classes must be declared with the first
    examples.

    Attributes
    ----------
    member_weights_ : array of shape (n_estimators,)
        Votes of the members, in [-2, 2].
    member_errors_ : array of shape (n_estimators,)
        Share of the weight of examples for which each member voted wrong before learning them.
    member_edges_ : array of shape (n_estimators,)
        Empirical edge of each member, in [-1, 1]: sum of C[y, vote] over sum of C[y, y].
    expert_errors_ : array of shape (n_estimators,)
        As `member_errors_`, for the experts.

    example_weights_ : array of shape (n_estimators, examples)
        If the attribute `keep_weights` was set to True before training: the weights with which the examples of the last
        call came to each member.

    References
    ----------
    Jung, Goetz & Tewari (2017), algorithm 2, equations 8 to 10; Beygelzimer, Kale & Luo (2015), section 4.
    """

    key = "adaboost_olm"
    name = "Adaboost.OLM"
    position = 270
    family = "boosting"
    summary = "Adaptive boosting in one pass for any number of classes: learns the members' votes and how many to ask."
    source = "Jung, Goetz & Tewari (2017), algorithm 2"
    needs_classes = True
    loss: str = choice(
        default="logistic",
        label="Loss",
        help="What the votes go down on.",
        choices=tuple(LOSSES),
        labels=("logistic", "exponential", "square hinge (constants ours)"),
    )
    expert: str = choice(
        default="sample",
        label="Who predicts",
        help="An expert drawn by its weight, the one with fewest mistakes, or all of them by weight.",
        details=(
            "Who predicts: an expert drawn by its weight, as published; the one with fewest mistakes (the longest"
            " of several); or all, each with its weight. The draw is a function of the seed and of how many "
            "examples have been learned, so that predicting again gives the same classes; `predict_proba` is the "
            "weight of the experts for each class in any case."
        ),
        choices=("sample", "best", "weighted"),
        labels=("a drawn expert", "the best expert", "all experts by weight"),
        lasting=False,
    )
    gradient: str = choice(
        default="exact",
        label="Slope of a right vote",
        help="The derivative, or what the authors' program has in its place.",
        details=(
            '"code": the slope by a right vote as in the authors\' program, with another sign in the exponent '
            "(logistic loss only)."
        ),
        choices=("exact", "code"),
        labels=("exact", "as in the program"),
    )
    weight_scale: str = replace(
        WEIGHT_SCALE,
        details='"raw": weights -C[y, y] / (K - 1), for the square hinge divided by 2 i - 1; "jung": times a constant '
        "drawn for each member from [5, 200), member 1 always 5 (exponential: 10 / exp(0.2 sqrt(i - 1))); "
        '"auto": "jung" for Hoeffding trees, which need weight to split, "raw" for all others. The weights of the '
        "exponential are at most 10000.",
    )
    eta: float = real(
        default=0.0,
        label="Step",
        help="Steps are this over the root of the examples seen; 0: as published.",
        details=(
            "Steps are eta / sqrt(t); 0: as published, 2 sqrt(2) / ((K - 1) sqrt(t)) for the logistic loss. With "
            "eta = 4 and two classes, this is AdaBoost.OL."
        ),
        low=0.0,
        high=1000.0,
        lasting=False,
    )

    def _start(self, n_members):
        self._seed, self._streams = entropy_of(self.random_state), []
        scales = scales_of(self._given.weight_scale, self.base_model(), self._seed, n_members)
        self._chain = _Chain(
            scales=np.zeros(n_members) if scales is None else scales,
            prior=np.zeros(len(self.classes_)),
            alphas=np.zeros(n_members),
            mistakes=np.zeros((2, n_members)),
            edges=np.zeros((2, n_members)),
            seen=np.zeros(1, dtype=np.int64),
        )

    def _workspace(self):
        n = len(self.classes_)
        return _Workspace(np.zeros(n), np.zeros((n, n)), np.zeros((ROWS_OF_WORK, n)), LOSSES[self._given.loss])

    def _learn(self, rows, examples):
        chain, workspace, kept = self._chain, self._workspace(), self._room_for_weights(len(examples.labels))
        members = bind(self._members, rows)
        for start, draws in self._blocks(len(examples.labels)):
            _boost_rows(
                members,
                chain,
                workspace,
                rows,
                examples.labels,
                examples.weights,
                start,
                start + len(draws),
                self._given.gradient == "code" and self._given.loss == "logistic",
                float(self._given.eta),
                kept,
            )
        errors, self.expert_errors_ = chain.mistakes / chain.prior.sum()
        got, possible = chain.edges
        self.member_edges_ = np.divide(got, possible, out=np.zeros(len(got)), where=possible < 0)
        self._set_votes(chain.alphas.copy(), errors)

    def _expert_votes(self):
        """Return the weight of each expert, the largest 1."""
        mistakes = self._chain.mistakes[1]
        return np.exp(mistakes.min() - mistakes)

    def _expert(self):
        """Return the number of the expert that predicts after the examples seen so far."""
        votes = self._expert_votes()
        if self._given.expert == "best":
            return len(votes) - 1 - int(np.argmax(votes[::-1]))
        drawn = stream(self._seed, "experts", int(self._chain.seen[0])).random() * votes.sum()
        return min(int(np.searchsorted(np.cumsum(votes), drawn, side="right")), len(votes) - 1)

    def predict(self, X):
        if self._given.expert == "weighted":
            return super().predict(X)
        chosen = self._predict_members(X, keep=False)[1]
        return self.classes_[chosen]

    def _votes(self, X):
        return self._predict_members(X, keep=False)[0]

    def member_classes(self, X):
        """Return what each member votes for in its turn, as `Ensemble.member_classes`."""
        return self._predict_members(X, keep=True)[2].T

    def _predict_members(self, X, *, keep):
        """Return the weight of the experts for each class, the class of the expert that predicts and, to be kept, what each
        member told: (examples, members)."""
        rows = self._rows(self._encoded(X), learning=False)
        n = len(rows.codes)
        votes, chosen = np.zeros((n, len(self.classes_))), np.empty(n, dtype=np.int64)
        predicted, experts = (
            np.empty((n if keep else 0, self._given.n_estimators), dtype=np.int64),
            self._expert_votes(),
        )
        _predict_rows(
            self._members, self._chain, self._workspace(), rows, experts, self._expert(), votes, chosen, predicted
        )
        return votes, chosen, predicted


class _Chain(NamedTuple):
    """What members have learned as a chain."""

    scales: np.ndarray  # (members,) of weights, 0: none
    prior: np.ndarray  # (classes,) weight seen
    alphas: np.ndarray  # (members,)
    mistakes: np.ndarray  # (2, members) weight of examples that members and experts got wrong
    edges: np.ndarray  # (2, members) sums of C[y, vote] and of C[y, y]
    seen: np.ndarray  # (1,) examples


class _Workspace(NamedTuple):
    """Where one example is worked on."""

    votes: np.ndarray  # (classes,)
    costs: np.ndarray  # (classes, classes) gradient of the loss at these votes, row r if r is the true class
    work: np.ndarray
    loss: int


@inner
def _clear(workspace):
    votes, costs, loss = workspace.votes, workspace.costs, workspace.loss
    slope = slope_of(loss, 0.0)
    for r in range(votes.shape[0]):
        votes[r] = 0.0
        for c in range(votes.shape[0]):
            costs[r, c] = slope
        costs[r, r] = -slope * (votes.shape[0] - 1)


@inner
def _move(workspace, label, alpha):
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
def _class_of_votes(votes, vote, prior):
    """Return the class of most votes; where all have as many, the last vote."""
    for c in range(1, votes.shape[0]):
        if votes[c] != votes[0]:
            return best_class(votes, prior)
    return vote


@kernel
def _boost_rows(members, chain, workspace, rows, labels, weights, start, stop, as_program, eta, kept):
    """Let all members vote on each example from `start` on, move their weights, and let them learn it.

    kept: room for the weights of the examples, (examples, members), or no rows.
    """
    alphas, mistakes, edges, votes, costs, loss = (
        chain.alphas,
        chain.mistakes,
        chain.edges,
        workspace.votes,
        workspace.costs,
        workspace.loss,
    )
    n_classes = votes.shape[0]
    for i in range(start, stop):
        label, weight = labels[i], weights[i]
        chain.seen[0] += 1
        _clear(workspace)
        for m in range(alphas.shape[0]):
            vote = cheapest_class(members, m, rows, i, costs, chain.prior, workspace.work)
            edges[0, m] += costs[label, vote]
            edges[1, m] += costs[label, label]
            stake = -costs[label, label] / max(n_classes - 1, 1)
            slope = vote_slope(loss, as_program, votes, vote, label, alphas[m])
            _move(workspace, vote, alphas[m])
            if vote != label:
                mistakes[0, m] += weight
            if _class_of_votes(votes, vote, chain.prior) != label:
                mistakes[1, m] += weight
            step = step_of(loss, m, n_classes, chain.seen[0], eta)
            alphas[m] = min(max(alphas[m] - step * slope, -BOUND), BOUND)
            heaviness = weight_of(loss, m, stake, chain.scales[m]) * weight
            if kept.shape[0] > 0:
                kept[i, m] = heaviness
            share = quantise_one(heaviness)
            if share > 0.0:  # members to come do not ask this one again
                learn_one(members, m, rows, i, label, share)
        chain.prior[label] += weight


@kernel
def _predict_rows(members, chain, workspace, rows, expert_votes, expert, votes, chosen, predicted):
    """Write the experts' votes for each example, what one expert predicts, and what members told if there is room for it."""
    for i in range(votes.shape[0]):
        _clear(workspace)
        for m in range(expert_votes.shape[0]):
            vote = cheapest_class(members, m, rows, i, workspace.costs, chain.prior, workspace.work)
            if predicted.shape[0] > 0:
                predicted[i, m] = vote
            _move(workspace, vote, chain.alphas[m])
            voted = _class_of_votes(workspace.votes, vote, chain.prior)
            votes[i, voted] += expert_votes[m]
            if m == expert:
                chosen[i] = voted
