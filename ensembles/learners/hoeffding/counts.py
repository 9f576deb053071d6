"""The numbers of an example in the counts of a leaf: weight, mean and squared differences of its class, the range of all.

Choices instead of branches: a leaf that counts every attribute counts eight at once.
"""

import math

import numpy as np

from ensembles.across_lanes import any_less
from ensembles.jit import inner, operation
from ensembles.lanes import WIDTH, lanes_at, put_lanes, where_less
from ensembles.learners.hoeffding.members import ABSENT, HIGH, LOW, MEAN, SQUARES, WEIGHT
from ensembles.learners.hoeffding.subspaces import DrawnAttributes, EveryAttribute, count_numeric, numeric_at

__all__ = ["add_numbers"]


@operation
def add_numbers(kind, members, s, label, numbers, i, weight):
    """Count the numbers of example i in slot s; return whether any lies beyond those before."""


@add_numbers.implement(EveryAttribute)
def _add_all(kind, members, s, label, numbers, i, weight):
    beyond = False
    for n in range(0, numbers.shape[1], WIDTH):
        _add_to_class(members, s, label, numbers, i, n, weight)
        beyond = _add_to_range(members, s, numbers, i, n) or beyond
    return beyond


@inner
def _add_to_class(members, s, label, numbers, i, n, weight):
    """Count the numbers from n on in what their class has; write what most leave as it is only where one does not."""
    moments, given, left = members.moments, lanes_at(numbers, (i, n)), numbers.shape[1] - n
    before, mean = lanes_at(moments, (s, label, WEIGHT, n)), lanes_at(moments, (s, label, MEAN, n))
    share, x = where_less(given, np.inf, weight, 0.0), where_less(given, np.inf, given, mean)
    after = before + share
    moved = mean + (x - mean) * (share / where_less(0.0, after, after, 1.0))
    put_lanes(moments, (s, label, WEIGHT, n), after)
    put_lanes(moments, (s, label, MEAN, n), moved)
    squares = lanes_at(moments, (s, label, SQUARES, n)) + share * (x - mean) * (x - moved)
    put_lanes(moments, (s, label, SQUARES, n), squares)
    low, high = lanes_at(moments, (s, label, LOW, n)), lanes_at(moments, (s, label, HIGH, n))
    if any_less(x, low, left) or any_less(high, x, left):
        least, greatest = where_less(x, low, x, low), where_less(high, x, x, high)
        least, greatest = where_less(0.0, before, least, x), where_less(0.0, before, greatest, x)
        put_lanes(moments, (s, label, LOW, n), where_less(given, np.inf, least, low))
        put_lanes(moments, (s, label, HIGH, n), where_less(given, np.inf, greatest, high))
    if any_less(share, weight, left):
        put_lanes(moments, (s, label, ABSENT, n), lanes_at(moments, (s, label, ABSENT, n)) + (weight - share))


@inner
def _add_to_range(members, s, numbers, i, n):
    """Count the numbers from n on in the range of all classes; return whether any lies beyond it."""
    spread, x, left = members.spread, lanes_at(numbers, (i, n)), numbers.shape[1] - n
    least, greatest = lanes_at(spread, (s, 0, n)), lanes_at(spread, (s, 1, n))
    beyond = any_less(x, least, left) or any_less(greatest, x, left)
    if beyond:
        least, greatest = where_less(x, least, x, least), where_less(greatest, x, x, greatest)
        width = greatest - least
        put_lanes(spread, (s, 0, n), least)
        put_lanes(spread, (s, 1, n), greatest)
        floor = where_less(x, np.inf, 1e-9 * (width * width / 12.0) + 1e-12, lanes_at(spread, (s, 2, n)))
        put_lanes(spread, (s, 2, n), floor)
    return beyond


@add_numbers.implement(DrawnAttributes)
def _add_chosen(kind, members, s, label, numbers, i, weight):
    n_nominal, beyond, moments, spread = members.first.shape[0] - 1, 0, members.moments[s, label], members.spread[s]
    for j in range(count_numeric(kind, s, numbers.shape[1])):
        n = numeric_at(kind, s, j, n_nominal)
        missing = math.isnan(numbers[i, n])
        x = moments[MEAN, n] if missing else numbers[i, n]
        share = 0.0 if missing else weight
        before, mean = moments[WEIGHT, n], moments[MEAN, n]
        after = before + share
        moments[WEIGHT, n] = after
        moments[MEAN, n] = mean + (x - mean) * (share / (after if after > 0.0 else 1.0))
        moments[SQUARES, n] += share * (x - mean) * (x - moments[MEAN, n])
        moments[ABSENT, n] += weight - share
        low, high = moments[LOW, n], moments[HIGH, n]
        moments[LOW, n] = x if not missing and (before == 0.0 or x < low) else low
        moments[HIGH, n] = x if not missing and (before == 0.0 or x > high) else high
        least, greatest = spread[0, n], spread[1, n]
        beyond += 1 if not missing and (x < least or x > greatest) else 0
        spread[0, n] = x if not missing and x < least else least
        spread[1, n] = x if not missing and x > greatest else greatest
        width = spread[1, n] - spread[0, n]
        spread[2, n] = spread[2, n] if missing else 1e-9 * (width * width / 12.0) + 1e-12
    return beyond > 0
