"""Online multiclass boost-by-majority: costs of votes, and weights, from the chance that the example will be lost.

Jung, Goetz & Tewari (2017), algorithm 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.declarations import choice, integer, real
from ensembles.draws import entropy_of, streams
from ensembles.errors import InvalidParameter
from ensembles.exact import quantise_one
from ensembles.jit import inner, kernel
from ensembles.learners.core.bound import bind
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows, learn_one, predict_proba_one
from ensembles.learners.core.sharing import asked_apart
from ensembles.methods.core.block import NO_VOTES, block_of
from ensembles.methods.core.online import OnlineEnsemble
from ensembles.methods.multiclass_boosting.cost_sensitive import (
    ROWS_OF_WORK,
    WEIGHT_SCALE,
    allocate_told,
    ask_all,
    cheapest_class,
    scales_of,
)
from ensembles.methods.multiclass_boosting.potentials import (
    MOST_CELLS,
    PotentialTable,
    SampledVotes,
    VoteState,
    cast_vote,
    clear_votes,
    count_cells,
    fill_costs,
    new_vote_state,
    potential_table,
    sampled_votes,
)

__all__ = ["Chain", "OnlineMbbmClassifier", "Workspace", "boost_rows"]


class OnlineMbbmClassifier(OnlineEnsemble):
    """Online multiclass boost-by-majority (OnlineMBBM).

    Members vote one after another. What a vote costs is the chance that the example will then be lost, if each member still
    to come is right with an edge of `gamma` over random guessing; how much a member learns from an example is how much is at
    stake. All classes must be declared with the first examples.

    Attributes
    ----------
    member_errors_ : array of shape (n_estimators,)
        Share of the weight of examples for which each member voted wrong before learning them.

    example_weights_ : array of shape (n_estimators, examples)
        If the attribute `keep_weights` was set to True before training: the weights with which the examples of the last
        call came to each member.

    References
    ----------
    Jung, Goetz & Tewari (2017), algorithm 1, equations 2 to 5.
    """

    key = "online_mbbm"
    name = "Online multiclass boost-by-majority"
    position = 260
    family = "boosting"
    summary = "Boosting in one pass for any number of classes, by the chance that an example will be lost."
    source = "Jung, Goetz & Tewari (2017), algorithm 1"
    needs_classes = True
    predicts_while_learning = True
    gamma: float = real(
        default=0.1,
        label="Edge",
        help="How much better than random guessing members are.",
        details=(
            "Edge of a member over random guessing, in (0, 1). The paper runs five values and reports the best one."
        ),
        low=0.0,
        high=0.9999,
        open_low=True,
    )
    potential: str = choice(
        default="auto",
        label="Chance of losing",
        help="From an exact table, by Monte Carlo, or exact where the table fits.",
        details=(
            'The chances exactly, from a table, or by Monte Carlo; "auto": exactly where the table fits (100 '
            "members: up to five classes). The table has a cell for each class and each way the votes can stand."
        ),
        choices=("auto", "exact", "mc"),
        labels=("exact where it fits", "exact", "Monte Carlo"),
    )
    n_draws: int = integer(
        default=100, label="Monte Carlo draws", help="Draws that Monte Carlo averages over.", low=1, high=100_000
    )
    cost_rows: str = choice(
        default="plain",
        label="Rows of costs",
        help="Costs as they are, or each true class's costs scaled to sum one.",
        details=(
            "Costs as they are, as in the authors' program, or each row scaled to sum one, as in the paper. Only "
            "a member in doubt between classes votes otherwise."
        ),
        choices=("plain", "normalised"),
        labels=("as they are", "normalised"),
    )
    weight_scale: str = replace(
        WEIGHT_SCALE,
        details='"raw": weights in [0, K - 1] as in the paper; "jung": times c / (10 (K - 1)), c drawn for each member from '
        '[5, 200); "auto": "jung" for Hoeffding trees, which need weight to split, "raw" for all others.',
    )

    def _start(self, n_members: int) -> None:
        n_classes, seed = len(self.classes_), entropy_of(self.random_state)
        exact = self._given.potential != "mc" and count_cells(n_classes, n_members) <= MOST_CELLS
        if self._given.potential == "exact" and not exact:
            raise InvalidParameter(
                f"online_mbbm: potential must be 'auto' or 'mc' for {n_classes} classes and {n_members} members, whose "
                f"exact table is beyond {MOST_CELLS} cells, got 'exact'"
            )
        self._streams = []
        generators = streams(seed, "votes_to_come", n_members)
        self._sampled = None if exact else sampled_votes(generators, n_classes, self._given.gamma, self._given.n_draws)
        scales = scales_of(self._given.weight_scale, self.base_model(), seed, n_members)
        if scales is not None:
            scales *= 0.1 / max(n_classes - 1, 1)
        self._chain = Chain(
            scales=np.ones(n_members) if scales is None else scales,
            prior=np.zeros(n_classes),
            wrong=np.zeros(n_members),
        )

    def _potentials(self) -> PotentialTable | SampledVotes:
        if self._sampled is not None:
            return SampledVotes(self._sampled)
        return potential_table(len(self.classes_), self._given.n_estimators, float(self._given.gamma))

    def _workspace(self, n_asked: int = 0) -> Workspace:
        n = len(self.classes_)
        return Workspace(
            vote_state=new_vote_state(n),
            costs=np.zeros((n, n)),
            decided=np.zeros(n),
            work=np.zeros((ROWS_OF_WORK, n)),
            told=allocate_told(self._given.n_estimators, n_asked, n),
            normalised=self._given.cost_rows == "normalised",
        )

    def _learn(self, rows: Rows, examples: TrainingBatch, votes: npt.NDArray[np.float64] = NO_VOTES) -> None:
        potentials, workspace = self._potentials(), self._workspace()
        kept, members = self._allocate_weights(len(examples.labels)), bind(self._members, rows, one_by_one=True)
        for start, draws in self._blocks(len(examples.labels)):
            block = block_of(rows, examples, start, start + len(draws))
            boost_rows(members, potentials, self._chain, workspace, block, kept, votes)
        seen = self._chain.prior.sum()
        self._set_votes(np.ones(self._given.n_estimators), self._chain.wrong / seen)

    def _votes(self, X: Any) -> npt.NDArray[np.float64]:
        return self._predict_in_turn(X, keep=False)[0]

    def member_classes(self, X: Any) -> npt.NDArray[np.int64]:
        """Return what each member votes for in its turn, as `Ensemble.member_classes`."""
        return self._predict_in_turn(X, keep=True)[1].T

    def staged_predict(self, X: Any) -> Iterator[npt.NDArray[Any]]:
        """Yield what the first 1, 2, ..., n_estimators votes make, each of shape (n_examples,)."""
        yield from map(self._elected, self._staged_votes(X))

    def staged_predict_proba(self, X: Any) -> Iterator[npt.NDArray[np.float64]]:
        """Yield as `staged_predict` the shares of the votes, each of shape (n_examples, n_classes)."""
        yield from map(self._shared, self._staged_votes(X))

    def _staged_votes(self, X: Any) -> Iterator[npt.NDArray[np.float64]]:
        predicted = self.member_classes(X)
        votes = np.zeros((predicted.shape[1], len(self.classes_)))
        for row in predicted:
            votes[np.arange(len(row)), row] += 1.0
            yield votes

    def _predict_in_turn(self, X: Any, *, keep: bool) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return the votes for each class and, to be kept, what each member told: (examples, members)."""
        rows = self._rows(self._encoded(X), learning=False)
        n = len(rows.codes)
        votes, predicted = (
            np.zeros((n, len(self.classes_))),
            np.empty((n if keep else 0, self._given.n_estimators), dtype=np.int64),
        )
        members = asked_apart(self._members)
        _vote_rows(bind(members, rows), self._potentials(), self._chain, self._workspace(n), rows, votes, predicted)
        return votes, predicted


class Chain(NamedTuple):
    """What members have learned as a chain."""

    scales: np.ndarray  # (members,) of weights
    prior: np.ndarray  # (classes,) weight seen
    wrong: np.ndarray  # (members,) weight of examples voted wrong


class Workspace(NamedTuple):
    """Where one example is worked on."""

    vote_state: VoteState
    costs: np.ndarray  # (classes, classes)
    decided: np.ndarray  # (classes,)
    work: np.ndarray
    told: np.ndarray  # (members, examples, classes) probabilities of a block
    normalised: bool


@inner
def _vote(m, probabilities, potentials, chain, workspace):
    """Let member m vote under its costs; return the vote. `decided[r]` is what the vote can decide if r is true."""
    costs, decided = workspace.costs, workspace.decided
    fill_costs(potentials, workspace.vote_state, m, costs)
    for r in range(decided.shape[0]):
        least, total = costs[r, r], 0.0
        for label in range(decided.shape[0]):
            costs[r, label] = max(costs[r, label] - least, 0.0)
            total += costs[r, label]
        decided[r] = total
        if workspace.normalised and total > 0.0:
            for label in range(decided.shape[0]):
                costs[r, label] /= total
    vote = cheapest_class(probabilities, costs, chain.prior, workspace.work[5])
    cast_vote(potentials, workspace.vote_state, vote)
    return vote


@kernel
def boost_rows(members, potentials, chain, workspace, block, kept, votes):
    """Let all members vote on each example of a block, and learn it.

    kept, votes: room for the weights of examples, and for the votes before they are learned, or no rows.
    """
    rows, scales, wrong, work = block.rows, chain.scales, chain.wrong, workspace.work
    for i in range(block.start, block.stop):
        label, weight = block.labels[i], block.weights[i]
        clear_votes(workspace.vote_state)
        for m in range(scales.shape[0]):
            predict_proba_one(members, m, rows, i, work, work[4])
            vote = _vote(m, work[4], potentials, chain, workspace)
            if votes.shape[0] > 0:
                votes[i, vote] += 1.0
            if vote != label:
                wrong[m] += weight
            heaviness = scales[m] * workspace.decided[label] * weight
            if kept.shape[0] > 0:
                kept[i, m] = heaviness
            share = quantise_one(heaviness)
            if share > 0.0:  # members to come do not ask this one again
                learn_one(members, m, rows, i, label, share)
        chain.prior[label] += weight


@kernel
def _vote_rows(members, potentials, chain, workspace, rows, votes, predicted):
    """Write the votes for each example, and what each member told if there is room for it."""
    told = workspace.told
    for i in range(votes.shape[0]):
        place = i % told.shape[1]
        if place == 0:
            ask_all(members, rows, (i, min(i + told.shape[1], votes.shape[0])), workspace.work, told)
        clear_votes(workspace.vote_state)
        for m in range(chain.scales.shape[0]):
            vote = _vote(m, told[m, place], potentials, chain, workspace)
            votes[i, vote] += 1.0
            if predicted.shape[0] > 0:
                predicted[i, m] = vote
