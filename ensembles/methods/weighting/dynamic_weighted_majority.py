"""Dynamic weighted majority: members that are wrong lose weight, the lightest leave, and a new one comes when all are wrong.

Kolter & Maloof (2007), figure 1.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.declarations import integer, real
from ensembles.draws import BLOCK
from ensembles.jit import inner, kernel
from ensembles.learners.core.bound import bind
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows, learn_one, predict_one, reset
from ensembles.methods.core.block import NO_VOTES, block_of
from ensembles.methods.core.placed import PlacedEnsemble

__all__ = ["DynamicWeightedMajorityClassifier"]

EXPERTS, SEEN, REMOVED = range(3)


class Crew(NamedTuple):
    """The members that there are, by their places; what is known of each stands at its place."""

    places: np.ndarray  # (cap,) those in use first, the oldest first, then the free ones
    counts: np.ndarray  # (3,) members, examples seen, members removed
    weights: np.ndarray  # (cap,)
    tested: np.ndarray  # (cap, 2) examples told wrong, and tested


class DynamicRules(NamedTuple):
    """When and how members are weighed."""

    period: int
    beta: float
    theta: float


class DynamicWeightedMajorityClassifier(PlacedEnsemble):
    """Dynamic weighted majority.

    Every `period` examples the weight of each member that is wrong about the example is multiplied by `beta`, weights are
    scaled so that the largest is 1, members below `theta` leave, and if the weighted majority was wrong, a new member joins
    with weight 1. All members learn every example.

    Attributes
    ----------
    n_members_ : int
        Members that there are now.
    n_replaced_ : int
        Members that have left.
    member_weights_, member_errors_ : array of shape (n_members_,)
        Their weights, and their errors on the examples since they joined, each tested before it was learned.

    Notes
    -----
    The paper has no bound on the members; here as many as `n_estimators` have room, as with MOA's `maxExperts`, and where
    there is none the lightest one leaves for the new one. A member that has learned nothing neither votes nor is wrong.

    References
    ----------
    Kolter & Maloof (2007), Dynamic weighted majority, figure 1; MOA, `meta.DynamicWeightedMajority`.
    """

    key = "dynamic_weighted_majority"
    name = "Dynamic weighted majority"
    position = 362
    family = "weighting"
    summary = "Members that are wrong lose weight and leave; a new one joins where the majority is wrong."
    source = "Kolter & Maloof (2007), figure 1"
    predicts_while_learning = True
    weighted = False
    n_estimators: int = integer(
        default=100, label="Members at most", help="How many base models there may be.", low=1, high=10_000
    )
    period: int = integer(
        default=50,
        label="Period",
        help="Examples from one change of weights and members to the next.",
        low=1,
        lasting=False,
    )
    beta: float = real(
        default=0.5,
        label="Penalty",
        help="What the weight of a member that is wrong is multiplied by.",
        low=0.0,
        high=1.0,
        lasting=False,
    )
    theta: float = real(
        default=0.01,
        label="Least weight",
        help="Members that weigh less than this share of the heaviest leave.",
        low=0.0,
        high=1.0,
        lasting=False,
    )

    def _start(self, n_members: int) -> None:
        """Begin with one member; nothing is drawn."""
        self._crew = Crew(np.arange(n_members), np.array([1, 0, 0]), np.ones(n_members), np.zeros((n_members, 2)))
        self.n_replaced_ = 0

    def _learn(self, rows: Rows, examples: TrainingBatch, votes: npt.NDArray[np.float64] = NO_VOTES) -> None:
        n, given, members = len(examples.labels), self._given, bind(self._members, rows)
        rules = DynamicRules(int(given.period), float(given.beta), float(given.theta))
        predicted, work = np.empty(given.n_estimators, dtype=np.int64), np.empty((5, len(self.classes_)))
        for start in range(0, n, BLOCK):
            block = block_of(rows, examples, start, min(start + BLOCK, n))
            _weigh_and_learn(members, self._crew, block, rules, predicted, work, votes)
            self._report(block.stop, n)
        crew = self._crew
        self._voting = crew.places[: crew.counts[EXPERTS]].copy()
        self.n_replaced_ = int(crew.counts[REMOVED])
        wrong, tested = crew.tested[self._voting].T
        self._set_votes(crew.weights[self._voting], np.where(tested > 0, wrong / np.maximum(tested, 1), np.nan))


@kernel
def _weigh_and_learn(members, crew, block, rules, predicted, work, votes):
    """Ask all members about each example, weigh them if it is time, and teach them; predicted: room for their classes."""
    rows, labels, counts = block.rows, block.labels, crew.counts
    for i in range(block.start, block.stop):
        label = labels[i]
        counts[SEEN] += 1
        weighing = counts[SEEN] % rules.period == 0
        _ask(members, crew, rows, i, label, predicted, work)
        if votes.shape[0] > 0:
            for e in range(counts[EXPERTS]):
                if predicted[e] >= 0:
                    votes[i, predicted[e]] += crew.weights[crew.places[e]]
        if weighing:
            mistaken = _penalise(crew, label, rules.beta, predicted, work)
            _dismiss(crew, rules.theta)
            if mistaken:
                _engage(members, crew)
        for e in range(counts[EXPERTS]):
            learn_one(members, crew.places[e], rows, i, label, block.weights[i])


@inner
def _ask(members, crew, rows, i, label, predicted, work):
    """Write the class that each member predicts, and whether it is wrong."""
    for e in range(crew.counts[EXPERTS]):
        place = crew.places[e]
        predicted[e] = predict_one(members, place, rows, i, work)
        if predicted[e] >= 0:
            crew.tested[place, 0] += int(predicted[e] != label)
            crew.tested[place, 1] += 1.0


@inner
def _penalise(crew, label, beta, predicted, work):
    """Multiply the weights of those that are wrong, and scale all; return whether the majority is wrong then."""
    heaviest = 0.0
    work[4] = 0.0
    for e in range(crew.counts[EXPERTS]):
        place = crew.places[e]
        if predicted[e] >= 0:
            if predicted[e] != label:
                crew.weights[place] *= beta
            work[4, predicted[e]] += crew.weights[place]
        heaviest = max(heaviest, crew.weights[place])
    chosen = 0
    for c in range(1, work.shape[1]):
        if work[4, c] > work[4, chosen]:
            chosen = c
    for e in range(crew.counts[EXPERTS]):
        place = crew.places[e]
        crew.weights[place] = crew.weights[place] / heaviest if heaviest > 0.0 else 1.0
    return chosen != label


@inner
def _dismiss(crew, theta):
    """Let members below the least weight leave, the heaviest never does."""
    for e in range(crew.counts[EXPERTS] - 1, -1, -1):
        if crew.weights[crew.places[e]] < theta:
            _remove(crew, e)


@inner
def _remove(crew, e):
    """Free the place of member e; the others keep their order."""
    place = crew.places[e]
    for k in range(e, crew.counts[EXPERTS] - 1):
        crew.places[k] = crew.places[k + 1]
    crew.counts[EXPERTS] -= 1
    crew.places[crew.counts[EXPERTS]] = place
    crew.counts[REMOVED] += 1


@inner
def _engage(members, crew):
    """Let a new member join, in the place of the lightest if there is no room."""
    if crew.counts[EXPERTS] == crew.places.shape[0]:
        lightest = 0
        for e in range(1, crew.counts[EXPERTS]):
            if crew.weights[crew.places[e]] < crew.weights[crew.places[lightest]]:
                lightest = e
        _remove(crew, lightest)
    place = crew.places[crew.counts[EXPERTS]]
    reset(members, place)
    crew.weights[place] = 1.0
    crew.tested[place] = 0.0
    crew.counts[EXPERTS] += 1
