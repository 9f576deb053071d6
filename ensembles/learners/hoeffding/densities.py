"""The normal densities of a leaf's naive Bayes, from what is worked out once after a class was learned.

Of a class that was not learned since, only the example's own distances are worked out: one subtraction, one product and one
division a number, instead of a root and three divisions. Eight classes are worked out at once.
"""

import math

import numpy as np

from ensembles.addresses import hidden
from ensembles.jit import inner, kernel, part
from ensembles.lanes import WIDTH, lanes_at, lanes_of, put_lanes, roots_of, where_less
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

__all__ = ["renew", "score_numbers", "settle_all"]

_SCALE = 2.0**512
_LOG_SCALE = 512 * math.log(2.0)
_DEVIATION = 2  # row of the room for numbers, behind those that are as in `normals`
_FARTHEST = -1e300  # log densities go no lower, so that their differences stay numbers


@inner
def score_numbers(members, m, node, s, rows, i, work):
    """Write into work[0] logarithms: of the products there, with exponents in work[1], times the numbers' densities."""
    outlooks, weights = members.outlooks, members.weights
    for c in range(work.shape[1]):
        if work[0, c] > 0.0 and outlooks[s, CURRENT, c] == 0.0:
            renew(members, s, c, weights[m, node, c])
    if _has_gaps(members, s, rows.numbers, i):
        _score_known(members, s, rows.numbers[i], work)
        return
    nominal = count_nominal(members.subspaces, s, rows.codes.shape[1]) > 0
    if nominal:
        for c in range(work.shape[1]):
            k = hidden(c)  # or the compiler takes logarithms of 0, too
            work[2, k] = math.log(work[0, k] / outlooks[s, PRODUCT, k]) if work[0, k] > 0.0 else 0.0
    for c in range(0, work.shape[1], WIDTH):
        exponent = _exponents_of(members, s, c, rows.numbers, i)
        scale = lanes_at(work, (1, c)) + lanes_at(outlooks, (s, SCALE, c))
        share = lanes_at(work, (2, c)) if nominal else lanes_at(outlooks, (s, LOG_SHARE, c))
        score = share + scale * _LOG_SCALE + where_less(_FARTHEST, exponent, exponent, _FARTHEST)
        put_lanes(work, (0, c), where_less(0.0, lanes_at(work, (0, c)), score, -np.inf))


@inner
def _has_gaps(members, s, numbers, i):
    """Return whether a number that slot s counts is missing in example i."""
    n_nominal, found = members.first.shape[0] - 1, 0
    for j in range(count_numeric(members.subspaces, s, numbers.shape[1])):
        found += math.isnan(numbers[i, numeric_at(members.subspaces, s, j, n_nominal)])
    return found > 0


@inner
def _exponents_of(members, s, c, numbers, i):
    """Return the sums of the exponents of the densities in the classes from c on."""
    subspaces, n_nominal, normals = members.subspaces, members.first.shape[0] - 1, members.normals
    exponent = lanes_of(0.0)
    for j in range(count_numeric(subspaces, s, numbers.shape[1])):
        x = numbers[i, numeric_at(subspaces, s, j, n_nominal)]
        distance = x - lanes_at(normals, (s, CENTRE, j, c))
        exponent = exponent - distance * distance / lanes_at(normals, (s, BREADTH, j, c))
    return exponent


@kernel
def settle_all(members):
    """Renew what all leaves keep, which `score_numbers` would do."""
    for m in range(members.sizes.shape[0]):
        for node in range(members.sizes[m]):
            s = members.nodes[m, node, 2]
            for c in range(members.weights.shape[2]):
                weight = members.weights[m, node, c]
                if s >= 0 and weight > 0.0 and members.outlooks[s, CURRENT, c] == 0.0:
                    renew(members, s, c, weight)


@part
def renew(members, s, c, weight):
    """Work out anew, once class c was learned, what its densities are made of.

    An attribute of one value alone has no density. A class without a value has the moments of a uniform distribution over
    the values of all classes.
    """
    subspaces, n_nominal, room = members.subspaces, members.first.shape[0] - 1, members.densities
    normals, outlooks, product, scale = members.normals, members.outlooks, 1.0, 0.0
    for n in range(0, room.shape[1], WIDTH):
        _write_shapes(members, s, c, n)
    for j in range(count_numeric(subspaces, s, room.shape[1])):
        n = numeric_at(subspaces, s, j, n_nominal)
        normals[s, CENTRE, j, c], normals[s, BREADTH, j, c] = room[CENTRE, n], room[BREADTH, n]
        product, scale = _times(product, scale, room[_DEVIATION, n])
    outlooks[s, PRODUCT, c], outlooks[s, SCALE, c] = product, scale
    outlooks[s, LOG_SHARE, c], outlooks[s, CURRENT, c] = math.log(weight / product), 1.0


@inner
def _write_shapes(members, s, c, n):
    """Write into the room for numbers what the densities of class c are made of, for the numbers from n on."""
    moments, spread, room = members.moments, members.spread, members.densities
    low, high, known = lanes_at(spread, (s, 0, n)), lanes_at(spread, (s, 1, n)), lanes_at(moments, (s, c, WEIGHT, n))
    width = where_less(low, high, high - low, 0.0)
    mean = where_less(0.0, known, lanes_at(moments, (s, c, MEAN, n)), low + width / 2.0)
    squares = where_less(0.0, known, lanes_at(moments, (s, c, SQUARES, n)), width * width)
    variance, least = squares / where_less(0.0, known, known, 12.0), lanes_at(spread, (s, 2, n))
    variance = where_less(variance, least, least, variance)
    put_lanes(room, (CENTRE, n), where_less(low, high, mean, 0.0))
    put_lanes(room, (BREADTH, n), where_less(low, high, 2.0 * variance, np.inf))
    put_lanes(room, (_DEVIATION, n), where_less(low, high, roots_of(variance), 1.0))


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
def _score_known(members, s, numbers, work):
    """As `score_numbers`, of an example of which numbers are missing."""
    for c in range(work.shape[1]):
        if not work[0, c] > 0.0:
            work[0, c] = -np.inf
            continue
        exponent, product, scale = _without_missing(members, s, c, numbers)
        share = math.log(work[0, c] / product)
        work[0, c] = share + (work[1, c] + scale) * _LOG_SCALE + max(exponent, _FARTHEST)


@inner
def _without_missing(members, s, c, numbers):
    """Return exponent, and the product of deviations with its exponent, of the numbers that are known."""
    subspaces, n_nominal, normals = members.subspaces, members.first.shape[0] - 1, members.normals
    exponent, product, scale = 0.0, 1.0, 0.0
    for j in range(count_numeric(subspaces, s, numbers.shape[0])):
        x, breadth = numbers[numeric_at(subspaces, s, j, n_nominal)], normals[s, BREADTH, j, c]
        if not math.isnan(x) and breadth < np.inf:
            distance = x - normals[s, CENTRE, j, c]
            exponent -= distance * distance / breadth
            product, scale = _times(product, scale, math.sqrt(breadth / 2.0))
    return exponent, product, scale
