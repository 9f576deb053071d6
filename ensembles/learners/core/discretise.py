"""Entropy discretisation: cut a numeric attribute into intervals of few classes, as long as a cut is worth its description.

An interval is cut where the information gain is greatest, and the cut is kept if its gain exceeds what it costs to say
where it lies and which classes both sides hold (minimum description length); then both sides are cut in turn.

Fayyad & Irani (1993); Bauer & Kohavi (1999), section 2.
"""

import math

import numpy as np

from ensembles.jit import inner, kernel, part
from ensembles.learners.core.class_weights import has_weight

__all__ = ["allocate_cuts", "between", "find_intervals", "interval_of", "mark_cuts"]

_SMALLEST = 1e-9  # examples but one, when weights are fractions


def allocate_cuts(n_values, n_classes):
    """Return the fields that give members room to cut an attribute of up to `n_values` values, for `find_intervals`."""
    return {
        "below": np.zeros((n_values + 1, n_classes)),
        "ascending": np.zeros(n_values),
        "is_cut": np.zeros(n_values, dtype=np.bool_),
        "stack": np.zeros((n_values + 1, 2), dtype=np.int64),
    }


@kernel
def find_intervals(members, t, n):
    """Cut numeric attribute n by the slots of table t; return how many values have weight.

    Of these, `members.ascending` then holds the values, `members.below` the class weights of the first j, and
    `members.is_cut` which of them begin an interval.
    """
    slots, order, values = members.slots, members.order, members.values
    below, ascending = members.below, members.ascending
    for c in range(below.shape[1]):
        below[0, c] = 0.0
    k = 0
    for j in range(members.counts[n]):
        s = order[n, j]
        if has_weight(slots[t, s]):
            ascending[k] = values[s]
            for c in range(below.shape[1]):
                below[k + 1, c] = below[k, c] + slots[t, s, c]
            k += 1
    mark_cuts(below, k, members.stack, members.is_cut)
    return k


@inner
def interval_of(edges, first, stop, x):
    """Return how many of the ascending edges[first:stop] are not above x."""
    low, high = first, stop
    while low < high:
        middle = (low + high) // 2
        if edges[middle] <= x:
            low = middle + 1
        else:
            high = middle
    return low - first


@part
def between(low, high):
    """Return the cut half way: low < cut <= high, even where no number lies between the two."""
    cut = low + (high - low) / 2.0
    return cut if cut > low else high


@part
def mark_cuts(below, n_values, stack, is_cut):
    """Mark which of the first `n_values` values begin an interval; below[j]: class weights of the first j values."""
    for j in range(n_values):
        is_cut[j] = False
    depth = 0
    if n_values > 1:
        stack[0, 0], stack[0, 1] = 0, n_values
        depth = 1
    while depth > 0:
        depth -= 1
        start, stop = stack[depth, 0], stack[depth, 1]
        at = _best_boundary(below, start, stop)
        if at < 0 or not _is_worth_it(below, start, at, stop):
            continue
        is_cut[at] = True
        stack[depth, 0], stack[depth, 1] = start, at
        stack[depth + 1, 0], stack[depth + 1, 1] = at, stop
        depth += 2


@part
def _best_boundary(below, start, stop):
    """Return the first value of the upper part of the best cut; -1 if all values are of the same single class."""
    best, chosen = np.inf, -1
    for j in range(start + 1, stop):
        if not _is_boundary(below, j):
            continue
        impurity = _bits(below, start, j) + _bits(below, j, stop)
        if impurity < best - 1e-12 * max(1.0, abs(best)) or chosen < 0:
            best, chosen = impurity, j
    return chosen


@inner
def _is_boundary(below, j):
    """A cut between two values of the same single class is never best."""
    seen = -1
    for c in range(below.shape[1]):
        if below[j + 1, c] > below[j - 1, c]:
            if seen >= 0:
                return True
            seen = c
    return False


@part
def _is_worth_it(below, start, at, stop):
    """Gain > (lg(n - 1) + lg(3^k - 2) - k Ent(S) + k1 Ent(S1) + k2 Ent(S2)) / n, both sides times n."""
    whole, lower, upper = _bits(below, start, stop), _bits(below, start, at), _bits(below, at, stop)
    n, n_lower, n_upper = _weight(below, start, stop), _weight(below, start, at), _weight(below, at, stop)
    k = _n_classes(below, start, stop)
    k_lower, k_upper = _n_classes(below, start, at), _n_classes(below, at, stop)
    subsets = k * math.log2(3.0)
    if k < 30:
        power = 1.0
        for _ in range(k):
            power *= 3.0
        subsets = math.log2(power - 2.0)
    delta = subsets - (k * (whole / n) - k_lower * (lower / n_lower) - k_upper * (upper / n_upper))
    return whole - lower - upper > math.log2(max(n - 1.0, _SMALLEST)) + delta


@inner
def _weight(below, start, stop):
    total = 0.0
    for c in range(below.shape[1]):
        total += below[stop, c] - below[start, c]
    return total


@part
def _bits(below, start, stop):
    """Return weight times entropy of the values from `start` to before `stop`."""
    total, parts = 0.0, 0.0
    for c in range(below.shape[1]):
        w = below[stop, c] - below[start, c]
        if w > 0.0:
            total += w
            parts += w * math.log2(w)
    return total * math.log2(total) - parts if total > 0.0 else 0.0


@inner
def _n_classes(below, start, stop):
    k = 0
    for c in range(below.shape[1]):
        k += below[stop, c] > below[start, c]
    return k
