"""Perceptrons of two classes and nominal attributes only: the kernels of `perceptron` where nothing has to be scaled.

An example moves all its weights by its own weight or none, so that the score after it follows from the one before. The rule
for all other perceptrons is kept out of these kernels: online boosting took a tenth longer with code for both.
"""

import math
from typing import NamedTuple

import numpy as np

from ensembles.jit import inner
from ensembles.learners.core.protocol import (
    cached_prediction,
    finalize,
    learn_one,
    predict_and_learn,
    predict_one,
    predict_proba_one,
    prepare_example,
    reset,
)
from ensembles.learners.core.sharing import Sharing
from ensembles.learners.linear.rule import STALE, class_of_score, share
from ensembles.learners.linear.sums import add_nominal, sum_nominal

__all__ = ["NominalPerceptronMembers"]


class NominalPerceptronMembers(NamedTuple):
    """Members m, inputs d. Weights of members lie side by side, so that they are added several at a time."""

    weights: np.ndarray  # (m, 1, d)
    totals: np.ndarray  # (m, 2)
    norms: np.ndarray  # (m,) divisor of the scores, or stale
    cached_scores: np.ndarray  # (m + 1,) room for the scores of one example, and how many inputs are on

    @property
    def short_steps(self) -> bool:
        """A step is too short to be called by address, see `bound`."""
        return True

    @property
    def sharing(self) -> Sharing:
        """How threads share the arrays."""
        return Sharing(own="weights totals norms", room="cached_scores")


@reset.implement(NominalPerceptronMembers)
def _reset(members, m):
    members.weights[m] = 0.0
    members.totals[m] = 0.0
    members.norms[m] = STALE


@learn_one.implement(NominalPerceptronMembers)
def _learn_one(members, m, rows, i, label, weight):
    score = _score(members, m, rows, i)
    members.totals[m, label] += weight
    if not _lies_right(score, label):
        _shift(members, m, rows, i, weight if label == 1 else -weight)


@inner
def _score(members, m, rows, i):
    weights = members.weights
    return sum_nominal(weights, m, 0, rows.codes, i) + weights[m, 0, weights.shape[2] - 1]


@inner
def _lies_right(score, label):
    return (score if label == 1 else -score) > 0.0


@inner
def _shift(members, m, rows, i, step):
    weights = members.weights
    add_nominal(weights, m, 0, rows.codes, i, step)
    weights[m, 0, weights.shape[2] - 1] += step
    members.norms[m] = STALE


@inner
def _has_learned(members, m):
    return members.totals[m, 0] + members.totals[m, 1] > 0.0


@prepare_example.implement(NominalPerceptronMembers)
def _prepare_example(members, rows, i):
    """Take all scores at once: none has to wait for what another member makes of the example."""
    codes, cached_scores, n_members = rows.codes, members.cached_scores, members.totals.shape[0]
    if n_members == 1:  # alone, every addition would wait for the one before
        cached_scores[0] = _score(members, 0, rows, i)
    else:
        _sum_side_by_side(members.weights, codes, i, cached_scores)
    on = 1.0
    for a in range(codes.shape[1]):
        on += codes[i, a] >= 0
    cached_scores[n_members] = on
    return True


@inner
def _sum_side_by_side(weights, codes, i, sums):
    """Write the scores of all members; inputs are added four at a time, where all four are on."""
    n_members, n_nominal, bias = weights.shape[0], codes.shape[1], weights.shape[2] - 1
    for m in range(n_members):
        sums[m] = weights[m, 0, bias]
    a = 0
    while a < n_nominal:
        four = a + 3 < n_nominal
        d = codes[i, a]
        e = codes[i, a + 1] if four else -1
        f = codes[i, a + 2] if four else -1
        g = codes[i, a + 3] if four else -1
        if min(min(d, e), min(f, g)) >= 0:
            for m in range(n_members):
                sums[m] += (weights[m, 0, d] + weights[m, 0, e]) + (weights[m, 0, f] + weights[m, 0, g])
            a += 4
        else:
            if d >= 0:
                for m in range(n_members):
                    sums[m] += weights[m, 0, d]
            a += 1


@cached_prediction.implement(NominalPerceptronMembers)
def _cached_prediction(members, m):
    return class_of_score(members.cached_scores[m]) if _has_learned(members, m) else -1


@predict_and_learn.implement(NominalPerceptronMembers)
def _predict_and_learn(members, m, rows, i, label, weight, after, work):
    totals, score, predicted = members.totals, members.cached_scores[m], cached_prediction(members, m)
    totals[m, label] += weight
    push = 0.0 if _lies_right(score, label) else weight  # one branch instead of two: neither can be foreseen
    if push > 0.0:
        step = push if label == 1 else -push
        _shift(members, m, rows, i, step)
        if after:  # the sum of the moved weights, exactly, as they are multiples of 2^-20, without waiting for them
            predicted = class_of_score(score + step * members.cached_scores[totals.shape[0]])
    return predicted


@finalize.implement(NominalPerceptronMembers)
def _finalize(members, m):
    if members.norms[m] == STALE:
        _measure(members.weights, members.norms, m)


@predict_one.implement(NominalPerceptronMembers)
def _predict_one(members, m, rows, i, work):
    return class_of_score(_score(members, m, rows, i)) if _has_learned(members, m) else -1


@predict_proba_one.implement(NominalPerceptronMembers)
def _predict_proba_one(members, m, rows, i, work, out):
    if not _has_learned(members, m):
        out[:] = 0.5
        return
    finalize(members, m)
    share(_score(members, m, rows, i) / members.norms[m], out)


@inner
def _measure(weights, norms, m):
    """Take the length of the weight vector, at least 1, as the divisor of the scores."""
    length = 0.0
    for d in range(weights.shape[2]):
        length += weights[m, 0, d] * weights[m, 0, d]
    norms[m] = math.sqrt(max(length, 1.0))
