"""How much tests tell: the merit of asking for an attribute, by what a leaf of a Hoeffding tree has counted.

Domingos & Hulten (2000), section 3; numeric attributes as a normal distribution a class, read by its distribution function
only.
"""

import math

import numpy as np

from ensembles.jit import inner, part
from ensembles.learners.core.criteria import exceeds, impurity, impurity_term
from ensembles.learners.hoeffding.members import (
    ABSENT,
    BINS,
    GINI,
    HIGH,
    LEAF,
    LOW,
    MEAN,
    MIN_FRACTION,
    SQUARES,
    WEIGHT,
)
from ensembles.learners.hoeffding.subspaces import counts_attribute

__all__ = ["best_test", "estimate_sides", "merit_of", "weigh_all"]

_ROOT_HALF = math.sqrt(0.5)


@inner
def best_test(members, s):
    """Return attribute, cut and merit of the best test by what slot s has counted, and the merit of the next one.

    No test, LEAF, has merit 0.
    """
    order = members.order
    chosen, cut, best, second = LEAF, 0.0, 0.0, -np.inf
    for j in range(order.shape[0]):
        a = order[j]
        if not counts_attribute(members.subspaces, s, a):
            continue
        merit, threshold = merit_of(members, s, a)
        if exceeds(merit, best, False):
            chosen, cut, best, second = a, threshold, merit, best
        else:
            second = max(second, merit)
    return chosen, cut, best, second


@inner
def merit_of(members, s, a):
    """Return the merit of the best test of attribute a, and its cut, 0 if the attribute is nominal."""
    n_nominal = members.first.shape[0] - 1
    if a < n_nominal:
        return _merit_of_values(members, s, a), 0.0
    return _best_cut(members, s, a - n_nominal)


@inner
def weigh_all(members, s, gini):
    """Return weight and impurity of all that slot s has seen."""
    total, terms = 0.0, 0.0
    for c in range(members.seen.shape[1]):
        total += members.seen[s, c]
        terms += impurity_term(members.seen[s, c], gini)
    return total, impurity(total, terms, gini)


@part
def _merit_of_values(members, s, a):
    """Return the merit of a branch a value of nominal attribute a; -inf unless two branches are heavy enough."""
    cells, gini = members.cells, members.settings[GINI] == 1.0
    weight, before = weigh_all(members, s, gini)
    least, heavy = members.settings[MIN_FRACTION] * weight, 0
    inside = 0.0
    for v in range(members.first[a], members.first[a + 1]):
        total, terms = 0.0, 0.0
        for c in range(cells.shape[2]):
            total += cells[s, v, c]
            terms += impurity_term(cells[s, v, c], gini)
        heavy += total > least
        inside += impurity(total, terms, gini)
    return (before - inside) / weight if heavy >= 2 else -np.inf


@part
def _best_cut(members, s, n):
    """Return merit and cut of the best of equally spaced cuts of numeric attribute n; missing values are a third branch."""
    sides, gini = members.work, members.settings[GINI] == 1.0
    weight, before = weigh_all(members, s, gini)
    least, bins = members.settings[MIN_FRACTION] * weight, members.settings[BINS]
    low, high = members.spread[s, 0, n], members.spread[s, 1, n]
    best, chosen = -np.inf, 0.0
    if not low < high:
        return best, chosen
    for j in range(1, int(bins) + 1):
        cut = low + (high - low) * (j / (bins + 1.0))
        if not low < cut < high:
            continue
        estimate_sides(members, s, n, cut)
        inside, heavy = 0.0, 0
        for b in range(3):
            total, terms = 0.0, 0.0
            for c in range(sides.shape[1]):
                total += sides[b, c]
                terms += impurity_term(sides[b, c], gini)
            heavy += total > least
            inside += impurity(total, terms, gini)
        merit = (before - inside) / weight
        if heavy >= 2 and exceeds(merit, best, False):
            best, chosen = merit, cut
    return best, chosen


@part
def estimate_sides(members, s, n, cut):
    """Write into work[0..2] the class weights with x <= cut, with x > cut and missing."""
    moments, sides = members.moments, members.work
    for c in range(sides.shape[1]):
        weight = moments[s, c, WEIGHT, n]
        below = 0.0
        if weight > 0.0 and cut >= moments[s, c, HIGH, n]:
            below = weight
        elif weight > 0.0 and cut >= moments[s, c, LOW, n]:
            deviation = math.sqrt(moments[s, c, SQUARES, n] / weight)
            distance = cut - moments[s, c, MEAN, n]
            if deviation > 0.0:
                below = weight * (0.5 * math.erfc(-(distance / deviation) * _ROOT_HALF))
            elif distance >= 0.0:
                below = weight
        sides[0, c] = below
        sides[1, c] = weight - below
        sides[2, c] = moments[s, c, ABSENT, n]
