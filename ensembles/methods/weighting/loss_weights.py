"""What methods share that weigh members by their losses: four losses, the weighted risk of each class, one pass.

The margin of a class y with a member is p_y minus the largest p of the other classes, p being the member's probabilities, or
1 for the class it tells and 0 for the rest; with two classes that is y h(x) for h in [-1, 1]. The loss g(y) is a function of
the margin, and the ensemble tells the class of least risk, the sum of weight times g(y).

Bai, Lam & Sclaroff, sections 3.1 and 4; for more than two classes the margin is ours.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.declarations import choice, real
from ensembles.jit import inner, kernel, operation
from ensembles.learners.core.protocol import TIE
from ensembles.methods.core.pool_predictions import MemberPredictions, decide
from ensembles.methods.core.weight_history import note
from ensembles.methods.weighting.weighted_pool import Labelled, Told, WeightedPool

__all__ = ["OUTPUT", "RAMP", "ChosenLossPool", "LossWeightedPool", "count_rows", "reweight"]

_LOSSES = ("ramp", "logistic", "hinge", "zero_one")
RAMP, LOGISTIC, HINGE, ZERO_ONE = range(4)

OUTPUT = choice(
    default="class",
    label="Answer of a member",
    help="One class, or the probabilities of all.",
    choices=("class", "probability"),
    labels=("one class", "probabilities"),
)


@operation
def reweight(weighting, losses, weight):
    """Take the members' losses on one example of this weight into `weighting.weights`."""


class LossWeightedPool(WeightedPool):
    """Members weighed by their losses; subclasses give the state of the weights, and `reweight` for its type."""

    loss = "ramp"  # 1 for a mistake and 0 otherwise, where members answer one class
    _weighting: Any = None  # weights, and what they are made of

    def _weigh(self, predictions: MemberPredictions, examples: Labelled, told: Told) -> None:
        workspace = Workspace(np.empty((2, len(self.classes_))), np.empty(self._given.n_estimators))
        _weigh_rows(self._weighting, predictions, examples, self._kind(), self._record, workspace, told)

    def _kind(self) -> int:
        return _LOSSES.index(self._given.loss)

    def _count(self, predictions: MemberPredictions, votes: npt.NDArray[np.float64]) -> None:
        work = np.empty((2, len(self.classes_)))
        count_rows(self._weighting.weights, predictions, self._kind(), work, votes)

    def _weights_of_members(self) -> npt.NDArray[np.float64]:
        weights: npt.NDArray[np.float64] = self._weighting.weights
        return weights


class ChosenLossPool(LossWeightedPool):
    """Members weighed by a loss that can be chosen."""

    loss: str = choice(
        default="ramp",
        label="Loss of a member",
        help="What a member's answer costs; with one class an answer 0 or 1, by hinge 0 or 2, by logistic 0.31 or 1.31.",
        choices=_LOSSES,
        labels=("ramp", "logistic", "hinge", "zero-one"),
    )
    output: str = OUTPUT
    theta: float = real(
        default=0.1,
        label="Scale of the losses",
        help="What losses are multiplied by.",
        low=0.0,
        high=1e6,
        open_low=True,
    )
    loss_timing: str = choice(
        default="before",
        label="Loss taken",
        help="Before a member has learned the example, which is honest, or after; only where members are updated.",
        choices=("before", "after"),
        labels=("before the member learns", "after the member has learned"),
    )


class Workspace(NamedTuple):
    """Room for one example."""

    risks: np.ndarray  # (2, classes) of the ensemble, and losses of one member
    losses: np.ndarray  # (members,) by the example's class


class Losses(NamedTuple):
    """A loss by its number, and what it is of members that tell one class: right, wrong, or none yet."""

    kind: int
    right: float
    wrong: float
    idle: float


@kernel
def _weigh_rows(weighting, predictions, examples, kind, record, workspace, told):
    """Tell the class of each example, then take the members' losses on it into their weights."""
    loss, work, losses, prior = _losses_of(kind), workspace.risks, workspace.losses, examples.prior
    for i in range(examples.labels.shape[0]):
        label, weight = examples.labels[i], examples.weights[i]
        work[0] = 0.0
        for m in range(losses.shape[0]):
            _lose(predictions, i, m, loss, weighting.weights[m], work)
            losses[m] = work[1, label]
            if losses[m] >= loss.idle:  # a tie is a mistake
                record.wrong[m] += weight
        _to_votes(work, work[0])
        told.classes[i] = decide(work[0], prior)
        for c in range(told.votes.shape[1]):
            told.votes[i, c] = work[0, c]
        if examples.later.classes.shape[0] + examples.later.probabilities.shape[0] > 0:
            for m in range(losses.shape[0]):
                _lose(examples.later, i, m, loss, weighting.weights[m], work)
                losses[m] = work[1, label]
        reweight(weighting, losses, weight)
        prior[label] += weight
        note(record, weighting.weights, told.classes[i], label, weight)


@kernel
def count_rows(member_weights, predictions, kind, work, votes):
    """Write the votes for each class, of members of these weights; work: two rows of classes."""
    loss = _losses_of(kind)
    for i in range(votes.shape[0]):
        work[0] = 0.0
        for m in range(member_weights.shape[0]):
            _lose(predictions, i, m, loss, member_weights[m], work)
        _to_votes(work, votes[i])


@inner
def _losses_of(kind):
    return Losses(kind, _loss(kind, 1.0), _loss(kind, -1.0), _loss(kind, 0.0))


@inner
def _loss(kind, margin):
    if kind == RAMP:
        return min(1.0, max(0.0, 1.0 - margin))
    if kind == LOGISTIC:
        return math.log(1.0 + math.exp(-margin))
    if kind == HINGE:
        return max(0.0, 1.0 - margin)
    return 1.0 if margin <= 0.0 else 0.0


@inner
def _lose(predictions, i, m, loss, member_weight, work):
    """Write the loss of each class with member m into work[1], and add it to the risks in work[0] if the member votes."""
    n_classes = work.shape[1]
    if predictions.probabilities.shape[0] > 0:
        probabilities = predictions.probabilities
        first, second = -1.0, -1.0
        for c in range(n_classes):
            p = probabilities[i, m, c]
            if p > first:
                first, second = p, first
            elif p > second:
                second = p
        for c in range(n_classes):
            p = probabilities[i, m, c]
            work[1, c] = _loss(loss.kind, p - (first if p < first else second))
            work[0, c] += member_weight * work[1, c]
        return
    predicted = predictions.classes[i, m]
    for c in range(n_classes):
        work[1, c] = loss.idle if predicted < 0 else loss.wrong
    if predicted >= 0:
        work[1, predicted] = loss.right
        for c in range(n_classes):
            work[0, c] += member_weight * work[1, c]


@inner
def _to_votes(work, votes):
    """Turn the risks in work[0] into votes: the mean risk of the other classes, less what is shared by all.

    With two classes a class has the other one's risk; with members that tell one class and the ramp, it has the weight of
    those that tell it.
    """
    n_classes = work.shape[1]
    if n_classes == 1:
        votes[0] = 1.0
        return
    total = 0.0
    for c in range(n_classes):
        total += work[0, c]
    for c in range(n_classes):
        vote = total / (n_classes - 1) - work[0, c]
        votes[c] = vote if vote > TIE * total else 0.0  # what rounding leaves of nothing is nothing
