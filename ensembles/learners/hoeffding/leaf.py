"""How a Hoeffding tree answers: the way of an example to its leaf, the leaf's majority, and its naive Bayes."""

import math

import numpy as np

from ensembles.addresses import hidden
from ensembles.jit import inner
from ensembles.learners.core.protocol import TIE
from ensembles.learners.hoeffding.densities import score_numbers
from ensembles.learners.hoeffding.members import (
    CUT,
    PREDICTION,
    RIGHT_BAYES,
    RIGHT_MAJORITY,
)
from ensembles.learners.hoeffding.shares import SCALE, multiply_shares

__all__ = [
    "ADAPTIVE",
    "BAYES",
    "asks_bayes",
    "branch_of",
    "bring_to_one_scale",
    "descend",
    "heaviest",
    "majority_of",
    "score_bayes",
]

BAYES, ADAPTIVE = 1.0, 2.0  #: kinds of prediction beside the majority
_VANISHING = -746.0  # the exponential of this is 0
_NO_TIE = -1e-9  # that of this is farther from 1 than `TIE`


@inner
def descend(members, m, rows, i):
    """Return the leaf where example i ends, or the node at which its value has no branch, and the node above, or -1."""
    nodes = members.nodes
    node, parent = 0, -1
    a = nodes[m, node, 0]
    while a >= 0:
        branch = branch_of(members, m, node, a, rows, i)
        if branch < 0:
            break
        parent = node
        node = nodes[m, node, 1] + branch
        a = nodes[m, node, 0]
    return node, parent


@inner
def branch_of(members, m, node, a, rows, i):
    """Return the branch that example i takes at a node that asks for attribute a, or -1 if its value has none."""
    n_nominal = members.first.shape[0] - 1
    if a < n_nominal:
        v = rows.codes[i, a]
        return v - members.first[a] if v >= 0 else -1
    x = rows.numbers[i, a - n_nominal]
    return 2 if math.isnan(x) else (0 if x <= members.node_statistics[m, node, CUT] else 1)


@inner
def heaviest(members, m, node):
    """Return the largest weight of a class in a node."""
    best = 0.0
    for c in range(members.weights.shape[2]):
        best = max(best, members.weights[m, node, c])
    return best


@inner
def majority_of(members, m, node):
    """Return the class of most weight in a node, ties to the class more frequent in training; -1 if it is empty."""
    weights, totals = members.weights, members.totals
    best = heaviest(members, m, node)
    chosen = -1
    if best > 0.0:
        least = best - TIE * max(1.0, best)
        for c in range(weights.shape[2]):
            if weights[m, node, c] >= least and (chosen < 0 or totals[m, c] > totals[m, chosen]):
                chosen = c
    return chosen


@inner
def asks_bayes(members, m, node):
    """Say whether this node predicts by naive Bayes."""
    node_statistics, prediction = members.node_statistics, members.settings[PREDICTION]
    wanted = prediction == BAYES or (
        prediction == ADAPTIVE and node_statistics[m, node, RIGHT_BAYES] >= node_statistics[m, node, RIGHT_MAJORITY]
    )
    return wanted and members.nodes[m, node, 2] >= 0


@inner
def score_bayes(members, m, node, s, rows, i, whole, work):
    """Write into work[0] numbers in [0, 1] proportional to the posteriors in a leaf, the largest 1.

    whole : whether all are needed, or only those that are the largest, within `TIE`; others may then be 0.
    """
    multiply_shares(members, m, node, s, rows.codes, i, work)
    if rows.numbers.shape[1] > 0:
        score_numbers(members, m, node, s, rows, i, work)
        _take_exponentials(whole, work)
    else:
        bring_to_one_scale(work)


@inner
def _take_exponentials(whole, work):
    """Make numbers in [0, 1] of the logarithms in work[0]: exponentials, which take long, of those where they are not 0."""
    top, least = -np.inf, _VANISHING if whole else _NO_TIE
    for c in range(work.shape[1]):
        top = max(top, work[0, c])
    for c in range(work.shape[1]):
        k = hidden(c)  # or the compiler works out those of all classes, eight at once, and then leaves some out
        distance = work[0, k] - top
        work[0, k] = math.exp(distance) if distance > least else 0.0


@inner
def bring_to_one_scale(work):
    highest, top = -np.inf, 0.0
    for c in range(work.shape[1]):
        if work[0, c] > 0.0 and (work[1, c] > highest or (work[1, c] == highest and work[0, c] > top)):
            highest, top = work[1, c], work[0, c]
    for c in range(work.shape[1]):
        if work[1, c] == highest:
            work[0, c] = work[0, c] / top
        else:
            work[0, c] = work[0, c] / SCALE / top if work[1, c] == highest - 1.0 else 0.0
