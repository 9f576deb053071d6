"""How far the best test of a leaf leads at most: most leaves do not split when they try, which this tells sooner.

Merits of numeric attributes are worked out roughly, for eight attributes at once, and are those of `merits` but for less
than `_ERROR` / 2: a leaf that does not split by this lead does not split by the very one. Shares p and q of a weight that
differ by d differ by at most -d lg d in what they add to an entropy. So it is wrong by 3e-5 at most, for up to a million
classes, where each class lies wrong by 1.5e-7 of its own weight; logarithms wrong by 2e-6 add 1e-5.
"""

import math

import numpy as np

from ensembles.jit import inner, part
from ensembles.lanes import WIDTH, exponents_of, lanes_at, lanes_of, mantissas_of, put_lanes, where_less
from ensembles.learners.hoeffding.members import ABSENT, BINS, GINI, HIGH, LOW, MEAN, MIN_FRACTION, SQUARES, WEIGHT
from ensembles.learners.hoeffding.merits import merit_of, weigh_all
from ensembles.learners.hoeffding.subspaces import counts_attribute

__all__ = ["greatest_lead"]

_ERROR = 1e-3
_DOUBT = 1e-6  # of all weight: what a side weighs is known better than that
_STEEP = -1.0  # instead of a slope: all weight lies in one place
_ROOT_HALF = math.sqrt(0.5)
_SLOPES = 3  # first row of the room for numbers that is free


@part
def greatest_lead(members, s, alone):
    """Return what the merit of slot s's best test, if it is not `alone` minus that of the next one, is surely not above."""
    room, n_nominal = members.densities, members.first.shape[0] - 1
    _write_slopes(members, s)
    _write_merits(members, s)
    best, second = 0.0, -np.inf  # no test has merit 0
    for a in range(n_nominal + room.shape[1]):
        if counts_attribute(members.subspaces, s, a):
            merit = merit_of(members, s, a)[0] if a < n_nominal else room[0, a - n_nominal]
            second = max(second, min(best, merit))
            best = max(best, merit)
    return (best if alone else best - second) + _ERROR


@inner
def _write_slopes(members, s):
    """Write for each class and number what a distance from the mean is to be multiplied with for `_half_erfc`."""
    moments, slopes = members.moments, members.densities
    for c in range(moments.shape[1]):
        for n in range(moments.shape[3]):
            weight = moments[s, c, WEIGHT, n]
            deviation = math.sqrt(moments[s, c, SQUARES, n] / (weight if weight > 0.0 else 1.0))
            slopes[_SLOPES + c, n] = _ROOT_HALF / deviation if deviation > 0.0 else _STEEP


@inner
def _write_merits(members, s):
    """Write for each number the merit of its best cut, roughly; infinite where a branch may be just heavy enough."""
    spread, gini, bins = members.spread, members.settings[GINI] == 1.0, members.settings[BINS]
    weight, before = weigh_all(members, s, gini)
    least = members.settings[MIN_FRACTION] * weight
    for n in range(0, spread.shape[2], WIDTH):
        low, high, best = lanes_at(spread, (s, 0, n)), lanes_at(spread, (s, 1, n)), lanes_of(-np.inf)
        absent, rest = _weigh_missing(members, s, n, gini)
        for j in range(1, int(bins) + 1):
            cut = low + where_less(low, high, high - low, 0.0) * (j / (bins + 1.0))
            below, above, inside = _weigh_sides(members, s, n, cut, gini)
            merit = (before - (inside + rest)) / weight
            heavy = _is_more(below, least) + _is_more(above, least) + _is_more(absent, least)
            merit = where_less(heavy, 2.0, -np.inf, merit)
            merit = _in_doubt(below - least, weight, _in_doubt(above - least, weight, merit))
            merit = where_less(low, cut, where_less(cut, high, merit, -np.inf), -np.inf)
            best = where_less(best, merit, merit, best)
        put_lanes(members.densities, (0, n), best)


@inner
def _is_more(weight, least):
    return where_less(least, weight, 1.0, 0.0)


@inner
def _in_doubt(gap, weight, merit):
    return where_less(gap, _DOUBT * weight, where_less(-_DOUBT * weight, gap, np.inf, merit), merit)


@inner
def _weigh_missing(members, s, n, gini):
    """Return weight and impurity of the branches of missing values."""
    moments, total, terms = members.moments, lanes_of(0.0), lanes_of(0.0)
    for c in range(moments.shape[1]):
        weight = lanes_at(moments, (s, c, ABSENT, n))
        total, terms = total + weight, terms + _term(weight, gini)
    return total, _impurity(total, terms, gini)


@inner
def _weigh_sides(members, s, n, cut, gini):
    """Return the weights with x <= cut and with x > cut, and the impurity of both together."""
    moments = members.moments
    below, below_terms, above, above_terms = lanes_of(0.0), lanes_of(0.0), lanes_of(0.0), lanes_of(0.0)
    for c in range(moments.shape[1]):
        side = _side_below(members, s, c, n, cut)
        other = lanes_at(moments, (s, c, WEIGHT, n)) - side
        below, below_terms = below + side, below_terms + _term(side, gini)
        above, above_terms = above + other, above_terms + _term(other, gini)
    return below, above, _impurity(below, below_terms, gini) + _impurity(above, above_terms, gini)


@inner
def _side_below(members, s, c, n, cut):
    """Return the weights of class c with x <= cut."""
    moments, slope = members.moments, lanes_at(members.densities, (_SLOPES + c, n))
    weight, distance = lanes_at(moments, (s, c, WEIGHT, n)), cut - lanes_at(moments, (s, c, MEAN, n))
    far = where_less(slope, 0.0, 0.0, _half_erfc(distance * slope))
    side = weight * where_less(distance, 0.0, far, 1.0 - far)
    side = where_less(cut, lanes_at(moments, (s, c, HIGH, n)), side, weight)
    return where_less(cut, lanes_at(moments, (s, c, LOW, n)), 0.0, side)


@inner
def _half_erfc(x):
    """Return half of erfc(|x|) but for 1.5e-7: Abramowitz & Stegun (1964), 7.1.28."""
    x = where_less(x, 0.0, 0.0 - x, x)
    x = where_less(x, 6.0, x, 6.0)
    p = (((x * 0.0000430638 + 0.0002765672) * x + 0.0001520143) * x + 0.0092705272) * x + 0.0422820123
    p = (p * x + 0.0705230784) * x + 1.0
    p = p * p
    p = p * p
    p = p * p
    return 0.5 / (p * p)


@inner
def _term(weight, gini):
    """As `criteria.impurity_term`."""
    return weight * weight if gini else weight * _log2(weight)


@inner
def _impurity(total, terms, gini):
    """As `criteria.impurity`."""
    if gini:
        return total - terms / where_less(0.0, total, total, 1.0)
    return total * _log2(total) - terms


@inner
def _log2(x):
    """Return the binary logarithm but for 2e-6, of 0 a finite number: that of the mantissa is a sum of odd powers."""
    mantissa = mantissas_of(x)
    t = (mantissa - 1.0) / (mantissa + 1.0)
    u = t * t
    odd = (((u * (1.0 / 9.0) + 1.0 / 7.0) * u + 1.0 / 5.0) * u + 1.0 / 3.0) * u + 1.0
    return exponents_of(x) + t * odd * (2.0 / math.log(2.0))
