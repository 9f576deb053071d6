"""The best cut on a numeric attribute whose values are sorted.

By information gain every cut is rated roughly first, in single precision and by a polynomial instead of logarithms, which
runs eight numbers at a time; only cuts that come near the best are rated again exactly. Near means: within what the
rough rating can be wrong.
"""

import math
from typing import NamedTuple

import numpy as np

from ensembles.jit import inner, part
from ensembles.learners.core.criteria import undercuts, xlogx_from
from ensembles.learners.pruned_tree.scores import ABOVE, BELOW, MIXED, SORTED, allowed, distance_of

__all__ = ["BLOCK", "MISSING_RANK", "POSITION", "Stretch", "best_boundary", "best_cut", "n_distinct", "rough_xlogx"]

MISSING_RANK = 2**31 - 1
POSITION = 2**32 - 1  # the part of a key that is the position
BLOCK = 512  # cuts rated at a time
MARGIN = 2e-5  # bits an example; rough ratings are off by less than half of it

_ROUGH = SORTED  # row of scratch: rough xlogx of both parts of a class

# lg(1 + t) for t in [0, 1), off by at most 2.5e-6.
_C0, _C1, _C2 = np.float32(2.443438720745e-06), np.float32(1.4424535262106), np.float32(-0.71731278026481)
_C3, _C4 = np.float32(0.45450849219942), np.float32(-0.27269756485217)
_C5, _C6 = np.float32(0.11761308406602), np.float32(-0.024568534745088)
_ONE, _BIAS = np.float32(1.0), np.int32(127)
_SHIFT, _FRACTION, _EXPONENT = np.int32(23), np.int32(0x7FFFFF), np.int32(0x3F800000)


class Stretch(NamedTuple):
    """Positions of a node in the order of sorted attribute s, from `low` to before `high`: those whose value is known."""

    s: int
    low: int
    high: int
    known: float  # their weight
    missing: float  # that of the others


@inner
def rough_xlogx(x):
    """Return x lg x of a float32 in [0, 1], off by at most 3e-6 x + 1e-7: exponent and fraction are taken from its bits."""
    bits = np.float32(x).view(np.int32)
    exponent = np.float32((bits >> _SHIFT) - _BIAS)
    t = np.int32((bits & _FRACTION) | _EXPONENT).view(np.float32) - _ONE
    return x * (exponent + (_C0 + t * (_C1 + t * (_C2 + t * (_C3 + t * (_C4 + t * (_C5 + t * _C6)))))))


@part
def best_cut(positions, search, stretch, least_weight):
    """Return the least bits of both sides of a cut and where its upper side begins, -1 if no cut is allowed.

    scratch[BELOW] is zero, scratch[ABOVE] holds the class weights of the stretch.
    """
    s, low, known = stretch.s, stretch.low, stretch.known
    keys, label, weight = positions.keys, positions.label, positions.weight
    scratch, logs, costs = search.scratch, search.logs, search.costs
    n_classes = scratch.shape[1]
    limit, last = _rate_roughly(positions, search, stretch, least_weight)
    best, at, below = math.inf, -1, 0.0
    for j in range(low, last + 1):
        p = keys[s, j] & POSITION
        c, w = label[p], weight[p]
        scratch[BELOW, c] += w
        scratch[ABOVE, c] -= w
        below += w
        if costs[j] <= limit:
            cost = xlogx_from(below, logs) + xlogx_from(known - below, logs)
            for k in range(n_classes):
                cost -= xlogx_from(scratch[BELOW, k], logs) + xlogx_from(scratch[ABOVE, k], logs)
            if at < 0 or undercuts(cost, best):
                best, at = cost, j + 1
    return best, at


@part
def _rate_roughly(positions, search, stretch, least_weight):
    """Write into `costs` rough bits an example of the cut behind each position; return a limit, and the last one below it.

    Only the class of an example that changes sides is rated anew.
    """
    rough, marks, costs, scratch = search.rough, search.marks, search.costs, search.scratch
    low, high, scale, together = stretch.low, stretch.high, 1.0 / stretch.known, 0.0
    for c in range(scratch.shape[1]):
        scratch[_ROUGH, c] = rough_xlogx(np.float32(scratch[ABOVE, c] * scale))
        together += scratch[_ROUGH, c]
    best, last, below = math.inf, -1, 0.0
    for start in range(low, high - 1, BLOCK):
        n = min(BLOCK, high - 1 - start)
        below = _lay_out(positions, search, stretch, start, n, below, least_weight)
        for k in range(4 * n):
            rough[k] = rough_xlogx(rough[k])
        for k in range(n):
            c, cost = marks[k], math.inf
            is_cut = c >= 0
            c = c if is_cut else -1 - c
            both = float(rough[4 * k]) + float(rough[4 * k + 1])
            together += both - scratch[_ROUGH, c]
            scratch[_ROUGH, c] = both
            if is_cut:
                cost = float(rough[4 * k + 2]) + float(rough[4 * k + 3]) - together
                if cost < best + MARGIN:
                    best, last = min(best, cost), start + k
            costs[start + k] = cost
    for c in range(scratch.shape[1]):
        scratch[BELOW, c] = 0.0
    return best + MARGIN, last


@inner
def _lay_out(positions, search, stretch, start, n, below, least_weight):
    """Put side by side, for n positions of the order, what is to be rated once each has gone below: weights of its class
    below and above, of all below and above, as shares; mark its class, as -1 - c where there is no cut behind it."""
    keys, label, weight = positions.keys, positions.label, positions.weight
    scratch, rough, marks = search.scratch, search.rough, search.marks
    s, known, missing = stretch.s, stretch.known, stretch.missing
    scale = 1.0 / known
    for k in range(n):
        key = keys[s, start + k]
        p = key & POSITION
        c, w = label[p], weight[p]
        of_class = scratch[BELOW, c] + w
        scratch[BELOW, c] = of_class
        below += w
        is_cut = key >> 32 != keys[s, start + k + 1] >> 32 and allowed(below, known - below, missing, least_weight)
        marks[k] = c if is_cut else -1 - c
        rough[4 * k] = of_class * scale
        rough[4 * k + 1] = (scratch[ABOVE, c] - of_class) * scale
        rough[4 * k + 2] = below * scale
        rough[4 * k + 3] = (known - below) * scale
    return below


@part
def best_boundary(positions, weights, scratch, v, stretch, least_weight, by_ks):
    """As `best_cut` by Kolmogorov and Smirnov, at changes of class only; the third number is how many there are.

    What is returned is the worth of both sides with a minus. Without `by_ks` boundaries are only counted.
    """
    keys, label, weight = positions.keys, positions.label, positions.weight
    s, low, high, known, missing = stretch
    best, at, n, below, before = math.inf, -1, 0, 0.0, MIXED
    j = low
    while j < high:
        rank, of_class, stop = keys[s, j] >> 32, label[keys[s, j] & POSITION], j + 1
        while stop < high and keys[s, stop] >> 32 == rank:
            if label[keys[s, stop] & POSITION] != of_class:
                of_class = MIXED
            stop += 1
        if j > low and (of_class != before or of_class == MIXED):
            n += 1
            if by_ks and allowed(below, known - below, missing, least_weight):
                cost = -distance_of(BELOW, scratch, weights, v, scratch)
                cost -= distance_of(ABOVE, scratch, weights, v, scratch)
                if at < 0 or undercuts(cost, best):
                    best, at = cost, j
        before = of_class
        for k in range(j, stop):
            p = keys[s, k] & POSITION
            c = label[p]
            scratch[BELOW, c] += weight[p]
            scratch[ABOVE, c] -= weight[p]
            below += weight[p]
        j = stop
    return best, at, n


@part
def n_distinct(keys, stretch):
    """Return the number of distinct values in a stretch of an order."""
    s, n = stretch.s, 1
    for j in range(stretch.low + 1, stretch.high):
        n += keys[s, j] >> 32 != keys[s, j - 1] >> 32
    return n
