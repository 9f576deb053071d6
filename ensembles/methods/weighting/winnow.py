"""Winnow: weights of members' votes, multiplied up or down whenever the ensemble is wrong.

Each member has two inputs, on when it votes for the class, and on when it votes against. The class is told if the weights of
the inputs that are on reach a threshold. With more than two classes there is one set of weights a class, against the rest.

Thesis, section 2.3; Littlestone (1988).
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.declarations import flag, real
from ensembles.jit import inner, kernel, part
from ensembles.learners.core.protocol import TIE
from ensembles.methods.core.pool_predictions import MemberPredictions, decide
from ensembles.methods.core.weight_history import note
from ensembles.methods.weighting.weighted_pool import Labelled, Told, WeightedPool

__all__ = ["InputWeights", "WinnowClassifier", "weigh_votes"]

_FARTHEST = 50.0  # logarithms of weights go no further from 0
UP, DOWN, THRESHOLD = range(3)


class InputWeights(NamedTuple):
    """Weights of the inputs: sets v (one a class, one alone for two classes), sides s (two if balanced), inputs 2m."""

    logs: np.ndarray  # (v, s, 2m)
    weights: np.ndarray  # (v, s, 2m)
    sums: np.ndarray  # (v, s, 2m) of the weights after each example, times its weight
    members: np.ndarray  # (m,) what a member's vote changes
    settings: np.ndarray  # (3,) ln alpha, ln beta, threshold


class WinnowClassifier(WeightedPool):
    """Winnow over the votes of a pool of members.

    Weights change only when the ensemble is wrong: a missed class multiplies the weights of the inputs that were on by
    alpha, a class told wrongly multiplies them by beta. Balanced, every input has two weights and counts with their
    difference; the second is multiplied the other way round, and a sum at the threshold is wrong for either class.
    Logarithms of weights stay within 50 of 0. All classes must be declared at the start.

    The last weights lean to the class missed last, so by default examples are told by the mean of the weights after each
    example (Carvalho & Cohen); `online_error_` and the mistakes that move weights are those of the weights of the moment.

    Attributes
    ----------
    member_weights_ : array of shape (n_estimators,)
        How much more the sum is with a member's vote for the class than against it, the mean over classes; may be negative.

    References
    ----------
    Littlestone (1988); Oza (2001), section 2.3; Carvalho & Cohen (2006).
    """

    key = "winnow"
    name = "Winnow"
    position = 310
    family = "weighting"
    summary = "Multiplies the weights of members' votes up or down, only when the ensemble is wrong."
    source = "Littlestone (1988); Oza (2001), section 2.3"
    needs_classes = True
    alpha: float = real(
        default=2.0, label="Promotion", help="What weights are multiplied by.", low=1.0, high=1000.0, open_low=True
    )
    beta: float = real(default=0.5, label="Demotion", help="What weights are multiplied by.", low=0.001, high=0.999)
    balanced: bool = flag(
        default=True, label="Balanced", help="Two weights an input, which counts with their difference."
    )
    threshold: float = real(
        default=0.0, label="Threshold", help="0: the number of inputs, or 0 if balanced.", low=0.0, high=1e9
    )
    init: float = real(default=1.0, label="First weights", help="All weights in the beginning.", low=1e-6, high=1e6)
    averaged: bool = flag(
        default=True,
        label="Averaged",
        help="Predict by the mean of all weights there were, which is steadier.",
        lasting=False,
    )

    @property
    def prefix_decides(self) -> bool:  # type: ignore[override]  # a plain attribute of the others
        """Whether the first inputs alone can decide: not against a threshold that was made for all of them."""
        return self._given.balanced and not self._given.threshold

    def _start(self) -> None:
        inputs, n_classes = 2 * self._given.n_estimators, len(self.classes_)
        shape = (n_classes if n_classes > 2 else 1, 2 if self._given.balanced else 1, inputs)
        threshold = self._given.threshold or (0 if self._given.balanced else inputs)
        self._inputs = InputWeights(
            logs=np.full(shape, math.log(self._given.init)),
            weights=np.full(shape, float(self._given.init)),
            sums=np.zeros(shape),
            members=np.zeros(self._given.n_estimators),
            settings=np.array([math.log(self._given.alpha), math.log(self._given.beta), threshold]),
        )

    def _weigh(self, predictions: MemberPredictions, examples: Labelled, told: Told) -> None:
        means = self._inputs.sums.shape if self._given.averaged and len(told.votes) else (0, 0, 0)
        workspace = Workspace(np.empty((3, len(self.classes_))), np.empty(means))
        weigh_votes(self._inputs, predictions.classes, examples, self._record, workspace, told)

    def _count(self, predictions: MemberPredictions, votes: npt.NDArray[np.float64]) -> None:
        work = np.empty((2, len(self.classes_)))
        _count_rows(self._voting(), self._inputs.settings[THRESHOLD], predictions.classes, work, votes)

    def _voting(self) -> npt.NDArray[np.float64]:
        """Return the weights of the inputs that predict."""
        seen = self._record.own[0]
        return self._inputs.sums / seen if self._given.averaged and seen > 0 else self._inputs.weights

    def _weights_of_members(self) -> npt.NDArray[np.float64]:
        swings = np.zeros(self._given.n_estimators)
        _sum_members(self._voting(), swings)
        return swings


class Workspace(NamedTuple):
    """Room for one example."""

    excess: np.ndarray  # (3, classes) of the sets over the threshold, by both kinds of weights, and votes
    means: np.ndarray  # (v, s, 2m) of the weights so far; without rows where these do not vote


@kernel
def weigh_votes(inputs, predictions, examples, record, workspace, told):
    """Tell the class of each example, and move the weights of the sets that were wrong.

    Balanced sets begin undecided and come back to it: if a tie were right for one class, its inputs would only ever lose.
    """
    weighted, up, down = inputs.weights, inputs.settings[UP], inputs.settings[DOWN]
    work, prior = workspace.excess, examples.prior
    _sum_members(weighted, inputs.members)
    for i in range(examples.labels.shape[0]):
        label, weight = examples.labels[i], examples.weights[i]
        for m in range(predictions.shape[1]):
            if predictions[i, m] != label:
                record.wrong[m] += weight
        _say(weighted, inputs.settings[THRESHOLD], predictions, i, work, work[2])
        told.classes[i] = decide(work[2], prior)
        if told.votes.shape[0] > 0:
            _vote(inputs, predictions, i, record.own[0], workspace, told.votes)
        changed = False
        for v in range(weighted.shape[0] if prior.shape[0] > 1 else 0):
            positive = v if weighted.shape[0] > 1 else 1
            missed, undecided = label == positive, work[0, v] == 0.0 and weighted.shape[1] == 2
            if undecided or (work[0, v] >= 0.0) != missed:
                _move(inputs, predictions, i, v, positive, weight * (up if missed else down), 0)
                if weighted.shape[1] == 2:
                    _move(inputs, predictions, i, v, positive, weight * (down if missed else up), 1)
                changed = True
        if changed:
            _sum_members(weighted, inputs.members)
        for v in range(weighted.shape[0]):
            for s in range(weighted.shape[1]):
                for b in range(weighted.shape[2]):
                    inputs.sums[v, s, b] += weight * weighted[v, s, b]
        prior[label] += weight
        note(record, inputs.members, told.classes[i], label, weight)


@inner
def _vote(inputs, predictions, i, seen, workspace, votes):
    """Write the votes for example i as for a prediction, by the means of the weights if there is room for them."""
    work, means = workspace.excess, workspace.means
    if means.shape[0] > 0 and seen > 0.0:
        _average(inputs.sums, seen, means)
        _say(means, inputs.settings[THRESHOLD], predictions, i, work[1:], work[2])
    for c in range(votes.shape[1]):
        votes[i, c] = work[2, c]


@kernel
def _count_rows(weights, threshold, predictions, work, votes):
    for i in range(votes.shape[0]):
        _say(weights, threshold, predictions, i, work, votes[i])


@part
def _average(sums, total, means):
    for v in range(sums.shape[0]):
        for s in range(sums.shape[1]):
            for b in range(sums.shape[2]):
                means[v, s, b] = sums[v, s, b] / total


@part
def _say(weights, threshold, predictions, i, work, votes):
    """Write into work[0] by how much each set's sum exceeds the threshold, and into `votes` the probabilities.

    Two classes: the logistic function of the excess over the scale; more: its softmax. The scale is the threshold, or
    if that is 0 the sum of the weights that are on, the mean over the sets.
    """
    n_sets, n_members, n_classes = weights.shape[0], predictions.shape[1], votes.shape[0]
    scale = 0.0
    for v in range(n_sets):
        positive = v if n_sets > 1 else 1
        score, on = -threshold, 0.0
        for m in range(n_members):
            if predictions[i, m] >= 0:
                b = m if predictions[i, m] == positive else n_members + m
                score += weights[v, 0, b]
                on += weights[v, 0, b]
                if weights.shape[1] == 2:
                    score -= weights[v, 1, b]
                    on += weights[v, 1, b]
        work[0, v] = score if abs(score) > TIE * (threshold + on) else 0.0  # weights are powers up to rounding
        scale += on
    scale = threshold if threshold > 0.0 else max(scale / n_sets, 1e-300)
    if n_classes <= 2:
        votes[n_classes - 1] = 1.0
        if n_classes == 2:
            votes[1] = 1.0 / (1.0 + math.exp(-max(work[0, 0] / scale, -700.0)))
            votes[0] = 1.0 - votes[1]
        return
    top, total = work[0, 0], 0.0
    for c in range(n_classes):
        top = max(top, work[0, c])
    for c in range(n_classes):
        votes[c] = math.exp((work[0, c] - top) / scale)
        total += votes[c]
    for c in range(n_classes):
        votes[c] /= total


@part
def _move(inputs, predictions, i, v, positive, step, side):
    """Add `step` to the logarithms of the weights of the inputs that are on."""
    logs, weights = inputs.logs, inputs.weights
    n_members = predictions.shape[1]
    for m in range(n_members):
        if predictions[i, m] >= 0:
            b = m if predictions[i, m] == positive else n_members + m
            logs[v, side, b] = min(max(logs[v, side, b] + step, -_FARTHEST), _FARTHEST)
            weights[v, side, b] = math.exp(logs[v, side, b])


@kernel
def _sum_members(weights, members):
    n_members = members.shape[0]
    for m in range(n_members):
        total = 0.0
        for v in range(weights.shape[0]):
            total += weights[v, 0, m] - weights[v, 0, n_members + m]
            if weights.shape[1] == 2:
                total -= weights[v, 1, m] - weights[v, 1, n_members + m]
        members[m] = total / weights.shape[0]
