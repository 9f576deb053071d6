"""Entropy discretisation: cut a numeric attribute into intervals of few classes, as long as a cut is worth its description.

An interval is cut where the information gain is greatest, and the cut is kept if its gain exceeds what it costs to say
where it lies and which classes both sides hold (minimum description length); then both sides are cut in turn.

Fayyad & Irani (1993); Bauer & Kohavi (1999), section 2.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.jit import inner, kernel, part
from ensembles.learners.core.class_weights import has_weight
from ensembles.learners.core.criteria import is_cut_worth_it, undercuts, weighted_entropy_between

__all__ = ["allocate_cuts", "between", "find_intervals", "interval_of", "mark_cuts"]


def allocate_cuts(n_values: int, n_classes: int) -> dict[str, npt.NDArray[Any]]:
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
        if at < 0 or not is_cut_worth_it(below, start, at, stop):
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
        entropy = weighted_entropy_between(below, start, j) + weighted_entropy_between(below, j, stop)
        if chosen < 0 or undercuts(entropy, best):
            best, chosen = entropy, j
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
