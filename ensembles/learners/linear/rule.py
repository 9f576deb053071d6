"""Perceptrons as members: the kernels of `perceptron`.

With two classes one weight vector w is enough: class 1 wins if w.x > 0, and an example whose margin is not positive moves w
by its weight times x. That is the rule for several classes with w_1 = -w_0 = w: the right class must lie strictly above its
best rival, or the weights of both move.
"""

import math
from typing import NamedTuple

import numpy as np

from ensembles.jit import inner, part
from ensembles.learners.core.inputs import LIMIT, look, standardise
from ensembles.learners.core.protocol import (
    best_class,
    finalize,
    learn_one,
    predict_and_learn,
    predict_one,
    predict_proba_one,
    reset,
)
from ensembles.learners.core.sharing import Sharing
from ensembles.learners.linear.sums import add_inputs, add_to_past, sum_inputs, sum_past, sum_standardised

__all__ = ["STALE", "PerceptronMembers", "class_of_score", "share"]

STALE = -1.0  #: instead of a divisor of the scores that is not known
_STANDARD, _RANGE, _UNIT = 0, 1, 2
_LARGEST = 1e100  # values beyond this are cut off where nothing scales them: sums of products stay finite


class PerceptronMembers(NamedTuple):
    """Members m, vectors v (one a class, or a single one for two classes), inputs d, numeric attributes n, classes c."""

    weights: np.ndarray  # (m, v, d)
    past: np.ndarray  # (m, v, d) corrections, each times the weight of the examples before it; no inputs: not averaged
    totals: np.ndarray  # (m, c)
    moments: np.ndarray  # (m, 4, n)
    ends: np.ndarray  # (m, 2, n) least and greatest value
    norms: np.ndarray  # (m,) divisor of the scores, or stale
    x: np.ndarray  # (n,) room for the numeric inputs of one example
    scores: np.ndarray  # (c,) room
    scale: np.ndarray  # (1,) which way of scaling

    @property
    def short_steps(self) -> bool:
        """A step is too short to be called by address, see `bound`."""
        return True

    @property
    def sharing(self) -> Sharing:
        """How threads share the arrays."""
        return Sharing(own="weights past totals moments ends norms", room="x scores")


@reset.implement(PerceptronMembers)
def _reset(members, m):
    members.weights[m] = 0.0
    members.past[m] = 0.0
    members.totals[m] = 0.0
    members.moments[m] = 0.0
    members.ends[m, 0] = np.inf
    members.ends[m, 1] = -np.inf
    members.norms[m] = STALE


@learn_one.implement(PerceptronMembers)
def _learn_one(members, m, rows, i, label, weight):
    _visit(members, m, rows, i, label, weight)


@inner
def _visit(members, m, rows, i, label, weight):
    """Learn example i, or if its weight is 0 return the class predicted for it, -1 if nothing was learned.

    Both need the same scores: the compiler sees the code for them once.
    """
    totals = members.totals
    before = _sum_totals(totals, m)
    if weight > 0.0:
        look(members.moments, m, rows.numbers, i, weight)
        if members.scale[0] == _RANGE:
            _stretch(members.ends, m, rows.numbers, i)
        totals[m, label] += weight
        if members.past.shape[2] > 0:
            members.norms[m] = STALE
        if totals.shape[1] == 1:
            return -1
    elif before == 0.0:
        return -1
    elif totals.shape[1] == 2 and members.past.shape[2] == 0 and members.scale[0] == _STANDARD:
        score, known = sum_standardised(members.weights, members.moments, m, rows, i)
        if known:
            return class_of_score(score)
    inputs = _score(members, m, rows, i)
    if weight > 0.0:
        _correct(members, m, rows, i, inputs, label, weight, before)
        return -1
    _average(members, m, rows, i, inputs, before)
    if totals.shape[1] == 2:
        return class_of_score(members.scores[0])
    return best_class(members.scores, totals[m])


@inner
def _sum_totals(totals, m):
    total = 0.0
    for c in range(totals.shape[1]):
        total += totals[m, c]
    return total


@inner
def _correct(members, m, rows, i, inputs, label, weight, before):
    """Move the vectors that put another class before the right one, or as high."""
    scores = members.scores
    n_classes = scores.shape[0]
    up, rival, step, moves = label, label, weight, 2
    if n_classes == 2:
        up, step, moves = 0, weight if label == 1 else -weight, 1
        if not (scores[0] if label == 1 else -scores[0]) <= 0.0:
            return
    else:
        rival = 1 if label == 0 else 0
        for c in range(rival + 1, n_classes):
            if c != label and scores[c] > scores[rival]:
                rival = c
        if not scores[label] <= scores[rival]:
            return
    for move in range(moves):
        _shift(members, m, rival if move else up, rows, i, inputs, -step if move else step, before)


@inner
def class_of_score(score):
    return 1 if score > 0.0 else 0


@predict_and_learn.implement(PerceptronMembers)
def _predict_and_learn(members, m, rows, i, label, weight, after, work):
    predicted = -1
    for visit in range(2):
        predicts = (visit == 1) == after
        if predicts or weight > 0.0:
            said = _visit(members, m, rows, i, label, 0.0 if predicts else weight)
            predicted = said if predicts else predicted
    return predicted


@finalize.implement(PerceptronMembers)
def _finalize(members, m):
    if members.norms[m] == STALE:
        _measure(members, m)


@predict_one.implement(PerceptronMembers)
def _predict_one(members, m, rows, i, work):
    return _visit(members, m, rows, i, 0, 0.0)


@predict_proba_one.implement(PerceptronMembers)
def _predict_proba_one(members, m, rows, i, work, out):
    n_classes = out.shape[0]
    seen = _sum_totals(members.totals, m)
    if seen == 0.0:
        out[:] = 1.0 / n_classes
        return
    inputs = _score(members, m, rows, i)
    _average(members, m, rows, i, inputs, seen)
    if members.norms[m] == STALE:
        _measure(members, m)
    scores, norm = members.scores, members.norms[m]
    if n_classes == 2:
        share(scores[0] / norm, out)
        return
    top, total = scores[0], 0.0
    for c in range(1, n_classes):
        top = max(top, scores[c])
    for c in range(n_classes):
        out[c] = math.exp((scores[c] - top) / norm)
        total += out[c]
    for c in range(n_classes):
        out[c] /= total


@inner
def share(score, out):
    """Write the probabilities of two classes that the score of class 1, over the divisor, stands for."""
    out[1] = (1.0 + min(max(score, -1.0), 1.0)) / 2.0
    out[0] = 1.0 - out[1]


@inner
def _score(members, m, rows, i):
    """Write the score of every vector, not averaged, into the members' room; return what `_load` does."""
    inputs = _load(members, m, rows, i)
    for v in range(members.weights.shape[1]):
        members.scores[v] = sum_inputs(members.weights, m, v, rows, i, inputs)
    return inputs


@inner
def _average(members, m, rows, i, inputs, seen):
    """Make the scores those of the averaged vectors, if that is wanted; `seen`: weight of the examples learned."""
    if members.past.shape[2] > 0:
        for v in range(members.past.shape[1]):
            members.scores[v] -= sum_past(members.past, m, v, rows, i, inputs) / seen


@inner
def _stretch(ends, m, numbers, i):
    for n in range(numbers.shape[1]):
        if not math.isnan(numbers[i, n]):
            ends[m, 0, n] = min(ends[m, 0, n], numbers[i, n])
            ends[m, 1, n] = max(ends[m, 1, n], numbers[i, n])


@inner
def _load(members, m, rows, i):
    """Write the scaled numbers of example i into the members' room; return its inputs, see `sums`."""
    x = members.x
    if members.scale[0] == _STANDARD:
        return x, 1.0, standardise(members.moments, m, rows.numbers, i, x)
    factor, missing = _load_otherwise(
        members.moments, members.ends, m, rows.codes, rows.numbers, i, x, members.scale[0]
    )
    return x, factor, missing


@part
def _load_otherwise(moments, ends, m, codes, numbers, i, x, scale):
    missing, length = 0, 0.0
    for n in range(numbers.shape[1]):
        value = numbers[i, n]
        if math.isnan(value):
            missing += 1
            length += 1.0
            value = moments[m, 1, n]
        if scale == _RANGE:
            low, high = ends[m, 0, n], ends[m, 1, n]
            value = min(max((value - low) / (high - low) * 2.0 - 1.0, -LIMIT), LIMIT) if high > low else 0.0
        x[n] = min(max(value, -_LARGEST), _LARGEST)
        length += x[n] * x[n]
    if scale != _UNIT:
        return 1.0, missing
    for a in range(codes.shape[1]):
        if codes[i, a] >= 0:
            length += 1.0
    return (1.0 / math.sqrt(length) if length > 0.0 else 0.0), missing


@inner
def _shift(members, m, v, rows, i, inputs, step, before):
    """Move vector v by `step` times the example; `before`: weight of the examples already learned."""
    factor = inputs[1]
    add_inputs(members.weights, m, v, rows, i, inputs, factor * step, step)
    if members.past.shape[2] > 0:
        add_to_past(members.past, m, v, rows, i, inputs, factor * step * before, step * before)
    members.norms[m] = STALE


@part
def _measure(members, m):
    """Take the length of the longest weight vector, at least 1, as the divisor of the scores."""
    weights, past, totals, norms = members.weights, members.past, members.totals, members.norms
    seen = _sum_totals(totals, m)
    longest = 1.0
    for v in range(weights.shape[1]):
        length = 0.0
        for d in range(weights.shape[2]):
            w = weights[m, v, d]
            if past.shape[2] > 0 and seen > 0.0:
                w -= past[m, v, d] / seen
            length += w * w
        longest = max(longest, length)
    norms[m] = math.sqrt(longest)
