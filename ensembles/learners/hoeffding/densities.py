"""The normal densities of a leaf's naive Bayes, from what is worked out once after a class was learned.

Of a class that was not learned since, only the example's own distances are worked out: one subtraction, one product and one
division a number, instead of a root and three divisions.
"""

import math

import numpy as np

from ensembles.jit import inner, part
from ensembles.learners.hoeffding.members import (
    BREADTH,
    CENTRE,
    CURRENT,
    LOG_SHARE,
    MEAN,
    PRODUCT,
    SCALE,
    SQUARES,
    WEIGHT,
)
from ensembles.learners.hoeffding.subspaces import count_nominal, count_numeric, numeric_at

__all__ = ["score_numbers"]

_SCALE = 2.0**512
_LOG_SCALE = 512 * math.log(2.0)
_FARTHEST = -1e300  # log densities go no lower, so that their differences stay numbers


@inner
def score_numbers(members, m, node, s, rows, i, work):
    """Write into work[0] logarithms: of the products there, with exponents in work[1], times the numbers' densities."""
    outlooks, weights, numbers = members.outlooks, members.weights, rows.numbers
    nominal = count_nominal(members.subspaces, s, rows.codes.shape[1]) > 0
    for c in range(work.shape[1]):
        if not work[0, c] > 0.0:
            work[0, c] = -np.inf
            continue
        if outlooks[s, c, CURRENT] == 0.0:
            _renew(members, s, c, weights[m, node, c])
        exponent = _exponent_of(members, s, c, numbers, i)
        product, scale, share = outlooks[s, c, PRODUCT], outlooks[s, c, SCALE], outlooks[s, c, LOG_SHARE]
        if math.isnan(exponent):  # a number is missing
            exponent, product, scale = _without_missing(members, s, c, numbers[i])
            share = math.log(work[0, c] / product)
        elif nominal:
            share = math.log(work[0, c] / product)
        work[0, c] = share + (work[1, c] + scale) * _LOG_SCALE + max(exponent, _FARTHEST)


@inner
def _exponent_of(members, s, c, numbers, i):
    """Return the sum of the exponents of the densities in class c, not a number if one of the example's is missing."""
    subspaces, n_nominal = members.subspaces, members.first.shape[0] - 1
    normals, room = members.normals, members.densities
    n_numbers, exponent = count_numeric(subspaces, s, numbers.shape[1]), 0.0
    for j in range(n_numbers):
        distance = numbers[i, numeric_at(subspaces, s, j, n_nominal)] - normals[s, c, CENTRE, j]
        room[0, j] = distance * distance / normals[s, c, BREADTH, j]
    for j in range(n_numbers):
        exponent -= room[0, j]
    return exponent


@part
def _renew(members, s, c, weight):
    """Work out anew, once class c was learned, what its densities are made of.

    An attribute of one value alone has no density. A class without a value has the moments of a uniform distribution over
    the values of all classes. Without branches the first loop runs several attributes at a time.
    """
    subspaces, n_nominal, room = members.subspaces, members.first.shape[0] - 1, members.densities
    moments, spread, normals = members.moments[s, c], members.spread[s], members.normals[s, c]
    n_numbers = count_numeric(subspaces, s, moments.shape[1])
    for j in range(n_numbers):
        n = numeric_at(subspaces, s, j, n_nominal)
        low, high, known = spread[0, n], spread[1, n], moments[WEIGHT, n]
        silent = low >= high
        width = 0.0 if silent else high - low
        mean = moments[MEAN, n] if known > 0.0 else low + width / 2.0
        squares = moments[SQUARES, n] if known > 0.0 else width * width
        variance = max(squares / (known if known > 0.0 else 12.0), spread[2, n])
        normals[CENTRE, j] = 0.0 if silent else mean
        normals[BREADTH, j] = np.inf if silent else 2.0 * variance
        room[1, j] = 1.0 if silent else math.sqrt(variance)
    product, scale = 1.0, 0.0
    for j in range(n_numbers):
        product, scale = _times(product, scale, room[1, j])
    outlooks = members.outlooks
    outlooks[s, c, PRODUCT], outlooks[s, c, SCALE] = product, scale
    outlooks[s, c, LOG_SHARE] = math.log(weight / product)
    outlooks[s, c, CURRENT] = 1.0  # last: another thread may be asking the same tree


@inner
def _times(product, scale, factor):
    """Return a product times a factor, kept in range, and its exponent."""
    product *= factor
    if product > 1e130:
        return product / _SCALE, scale - 1.0
    if product < 1e-130:
        return product * _SCALE, scale + 1.0
    return product, scale


@part
def _without_missing(members, s, c, numbers):
    """Return exponent, and the product of deviations with its exponent, of the numbers that are known."""
    subspaces, n_nominal, normals = members.subspaces, members.first.shape[0] - 1, members.normals[s, c]
    exponent, product, scale = 0.0, 1.0, 0.0
    for j in range(count_numeric(subspaces, s, numbers.shape[0])):
        x, breadth = numbers[numeric_at(subspaces, s, j, n_nominal)], normals[BREADTH, j]
        if not math.isnan(x) and breadth < np.inf:
            exponent -= (x - normals[CENTRE, j]) * (x - normals[CENTRE, j]) / breadth
            product, scale = _times(product, scale, math.sqrt(breadth / 2.0))
    return exponent, product, scale
