"""BOLE: online boosting for streams that change, from the least accurate member on; DDM tells where to replace members.

Barros, Santos & Goncalves Jr. (2016), which goes on from ADOB (Santos, Goncalves Jr., Silva & Barros 2014).
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.declarations import real
from ensembles.draws import poisson
from ensembles.exact import quantise_one
from ensembles.jit import inner, kernel
from ensembles.learners.core.bound import bind
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows, learn_one, predict_one, predict_proba_one, reset
from ensembles.methods.boosting.chain import HEAVIEST, LIGHTEST
from ensembles.methods.boosting.online_boosting import DRAW, GUARD
from ensembles.methods.core.block import NO_VOTES, block_of
from ensembles.methods.core.ddm import lies_above, new_error_levels
from ensembles.methods.core.drift import RISEN, STEADY, watch
from ensembles.methods.core.placed import PlacedEnsemble

__all__ = ["BoleClassifier"]

FIRST = 6  # outcomes of which detectors tell nothing, as where MOA calls its own with 7


class Experts(NamedTuple):
    """What is known of each member m."""

    order: np.ndarray  # (m,) numbers of the members, the most accurate first
    right: np.ndarray  # (m,) weight of the examples that it got right, once it had learned them
    wrong: np.ndarray  # (m,) weight of those that it got wrong
    places: np.ndarray  # (m, 3) place of the member, place of its successor, 1 if the successor is to begin anew
    totals: np.ndarray  # (2,) weight of the examples seen, members replaced
    votes: np.ndarray  # (m,)


class BoleRules(NamedTuple):
    """How members are weighed and watched."""

    pure: bool
    error_bound: float
    warning: float  # deviations above the least error at which a successor learns


class BoleClassifier(PlacedEnsemble):
    """BOLE, boosting-like online learning ensemble.

    An example comes to the least accurate member first; after a member that gets it right the next one is the most accurate
    of those left, after one that does not the least accurate. It grows heavier and lighter as in online boosting. Members
    whose error is at most `error_bound` vote. Each member is watched by a detector, DDM with low levels: at a warning a
    successor learns with it, which takes its place at a change.

    Attributes
    ----------
    n_replaced_ : int
        How often a successor took the place of a member.
    member_errors_ : array of shape (n_estimators,)
        Weighted error of each member after it learned; NaN for one never tested.

    Notes
    -----
    As in online boosting half an example is added to both sides of an
    error, so that a member without error votes too (in MOA it does not), and weights stay below 10^6. If no member may vote,
    all do.

    References
    ----------
    Barros, Santos & Goncalves Jr. (2016), A boosting-like online learning ensemble; MOA, `meta.BOLE` around
    `drift.SingleClassifierDrift -d (DDM -n 7 -w 1.2 -o 1.95)`.
    """

    key = "bole"
    name = "BOLE"
    position = 284
    family = "boosting"
    summary = "Online boosting that orders members by their accuracy, and replaces those whose errors rise."
    source = "Barros, Santos & Goncalves Jr. (2016)"
    weighted = False
    predicts_while_learning = True
    vote = "soft"
    draw: str = DRAW
    error_bound: float = real(
        default=0.5,
        label="Error of a voter",
        help="Members whose weighted error is larger do not vote.",
        low=0.0,
        high=1.0,
        open_low=True,
        lasting=False,
    )
    warning_level: float = real(
        default=1.2,
        label="Warning level",
        help="Standard deviations above its least error at which a member's successor learns.",
        low=0.0,
        lasting=False,
    )
    drift_level: float = real(
        default=1.95,
        label="Drift level",
        help="Standard deviations above its least error at which a member is replaced.",
        low=0.0,
        lasting=False,
    )

    def _n_members(self) -> int:
        return 2 * int(self._given.n_estimators)

    def _start(self, n_members: int) -> None:
        self._streams = self._drawing(n_members)
        self._detectors = new_error_levels(n_members, self._given.drift_level, FIRST)
        numbers, zeros = np.arange(n_members), np.zeros(n_members)
        places = np.column_stack([numbers, n_members + numbers, np.ones(n_members, dtype=np.int64)])
        self._experts = Experts(
            numbers.copy(), zeros.copy(), zeros.copy(), np.ascontiguousarray(places), np.zeros(2), zeros.copy()
        )
        self.n_replaced_ = 0

    def _learn(self, rows: Rows, examples: TrainingBatch, votes: npt.NDArray[np.float64] = NO_VOTES) -> None:
        given, experts, members = self._given, self._experts, bind(self._members, rows)
        rules = BoleRules(given.draw == "pure", float(given.error_bound), float(given.warning_level))
        self._detectors = self._detectors._replace(level=float(given.drift_level))
        room = np.empty((5, len(self.classes_))), votes
        for start, draws in self._blocks(len(examples.labels)):
            block = block_of(rows, examples, start, start + len(draws))
            _boost_rows(members, experts, self._detectors, block, draws, rules, room)
        self._voting = experts.places[:, 0].copy()
        self.n_replaced_ = int(experts.totals[1])
        _weigh_votes(experts, rules.error_bound)
        tested = experts.right + experts.wrong
        self._set_votes(
            experts.votes.copy(), np.where(tested > 0, experts.wrong / np.where(tested > 0, tested, 1.0), np.nan)
        )


@kernel
def _boost_rows(members, experts, detectors, block, draws, rules, room):
    """Pass the examples of a block from member to member; draws: (examples, members); room: rows of classes, and votes."""
    work, votes = room[0], room[1]
    for j in range(draws.shape[0]):
        i = block.start + j
        label, weight = block.labels[i], block.weights[i]
        if votes.shape[0] > 0:
            _add_votes(members, experts, rules, block.rows, i, work, votes)
        experts.totals[0] += weight
        _sort(experts)
        first, last, mass, hit = 0, draws.shape[1] - 1, 1.0, False
        for _ in range(draws.shape[1]):
            m = experts.order[first] if hit else experts.order[last]
            first, last = (first + 1, last) if hit else (first, last - 1)
            times = mass if rules.pure else float(poisson(mass, draws[j, m]))
            if times > 0.0:
                _teach(
                    members, experts, detectors, m, rules, block.rows, (i, label, quantise_one(times * weight)), work
                )
            hit = predict_one(members, experts.places[m, 0], block.rows, i, work) == label
            met = experts.right if hit else experts.wrong
            met[m] += mass * weight
            mass = min(mass * (experts.totals[0] / (2.0 * met[m])), HEAVIEST)
            if mass < LIGHTEST:
                break


@inner
def _teach(members, experts, detectors, m, rules, rows, example, work):
    """Test a member on an example before it learns it, with its successor if its errors are high, or that one instead."""
    places, (i, label, weight) = experts.places, example
    predicted = predict_one(members, places[m, 0], rows, i, work)
    told = watch(detectors, m, int(predicted != label), 0.0) if predicted >= 0 else STEADY
    if told == RISEN:
        places[m, 0], places[m, 1] = places[m, 1], places[m, 0]
        reset(members, places[m, 1])
        experts.totals[1] += 1.0
    elif lies_above(detectors, m, rules.warning):
        if places[m, 2] == 1:
            reset(members, places[m, 1])
            places[m, 2] = 0
        learn_one(members, places[m, 1], rows, i, label, weight)
    else:
        places[m, 2] = 1
    learn_one(members, places[m, 0], rows, i, label, weight)


@inner
def _sort(experts):
    """Order the members by their accuracy so far, ties as they were."""
    order = experts.order
    for k in range(1, order.shape[0]):
        m = order[k]
        accuracy, place = _accuracy(experts, m), k
        while place > 0 and _accuracy(experts, order[place - 1]) < accuracy:
            order[place] = order[place - 1]
            place -= 1
        order[place] = m


@inner
def _accuracy(experts, m):
    tested = experts.right[m] + experts.wrong[m]
    return experts.right[m] / tested if tested > 0.0 else 0.0


@inner
def _add_votes(members, experts, rules, rows, i, work, votes):
    _weigh_votes(experts, rules.error_bound)
    for m in range(experts.votes.shape[0]):
        if experts.votes[m] > 0.0:
            predict_proba_one(members, experts.places[m, 0], rows, i, work, work[4])
            for c in range(votes.shape[1]):
                votes[i, c] += experts.votes[m] * work[4, c]


@kernel
def _weigh_votes(experts, error_bound):
    """Write the votes of the members: of those with a larger error none, but one each if nobody else votes."""
    right, wrong, votes, voting = experts.right, experts.wrong, experts.votes, False
    for m in range(votes.shape[0]):
        votes[m] = 0.0
        if right[m] + wrong[m] > 0.0 and wrong[m] / (right[m] + wrong[m]) <= error_bound:
            votes[m] = max(0.0, math.log(right[m] + GUARD) - math.log(wrong[m] + GUARD))
            voting = voting or votes[m] > 0.0
    if not voting:
        for m in range(votes.shape[0]):
            votes[m] = 1.0
