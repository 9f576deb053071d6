"""The test of greatest information gain, or of least Gini index, found online without a look at all of them.

A test is good if its branches are pure: if the sum of their `impurity_of` is low, for information gain the *bits*
sum_b [ g(W_b) - sum_c g(W_bc) ]. Entropy and Gini index are concave, so an example more can only raise the impurity that any
test leaves, and that which an attribute left when last looked at bounds it from below for ever: only attributes whose bound
lies under what the present question leaves are looked at again. The test found is the one that a look at all would find.
"""

import numpy as np

from ensembles.jit import inner, part
from ensembles.learners.core.class_weights import has_weight, total_of
from ensembles.learners.core.criteria import LEAST_GAIN, TIE, impurity_of, undercuts
from ensembles.learners.core.discretise import between
from ensembles.learners.core.value_tables import table_of
from ensembles.learners.one_level.split_search import (
    BINARY,
    CRITERION,
    FIRST_BRANCH,
    GINI,
    LEAF,
    ask_values,
    fill_intervals,
    is_boundary,
    join_others,
)

__all__ = ["choose_incrementally"]

_SLACK = 1e-9  # a bound this close, relative to the weight, is looked at again: far more than rounding


@part
def choose_incrementally(members, m):
    """Find the purest test; attributes whose bound rules them out are not looked at."""
    t = table_of(members.cells, m)
    totals, bound, n_attributes = members.totals[m], members.bound[t], members.place.shape[0]
    weight = total_of(totals)
    incumbent = members.chosen[m]
    limit = np.inf
    if incumbent >= 0:
        now = _present_impurity(members, m, incumbent)
        limit = now + _SLACK * weight
        settled = _has_one_test(members, incumbent) or (members.rival[m] > limit and bound[incumbent] > 0.0)
        if settled:
            bound[incumbent] = now
        else:
            _look(members, t, m, incumbent)
            limit = max(limit, bound[incumbent] + _SLACK * weight)
    best = incumbent
    for a in range(n_attributes):
        if a != incumbent and bound[a] <= limit:
            _look(members, t, m, a)
            if bound[a] <= limit and (best < 0 or _precedes(bound, a, best)):
                best = a
    if best < 0 or impurity_of(totals, _by_gini(members)) - bound[best] <= LEAST_GAIN * weight:
        members.chosen[m] = LEAF
        bound[:] = 0.0
    elif best != incumbent:
        members.chosen[m] = best
        if _has_one_test(members, best):
            _ask_values_of(members, t, m, best)
        else:
            _, edge, rival = _best_test(members, t, m, best)
            _ask(members, t, m, best, edge, rival)


@inner
def _by_gini(members):
    return members.rules[CRITERION] == GINI


@inner
def _has_one_test(members, a):
    """Whether the only test on attribute a has a branch for each of its values."""
    return members.numeric[a] == 0 and members.rules[BINARY] == 0.0


@inner
def _ask_values_of(members, t, m, a):
    j, first = members.place[a], members.first
    ask_values(members.branches[m], members.absent[t, a], members.cells[t], first[j], first[j + 1])


@inner
def _ask(members, t, m, a, edge, rival):
    """Ask for a cut or a value of attribute a."""
    members.rival[m], members.edges[m, 0], members.n_edges[m] = rival, edge, 1
    if members.numeric[a] == 0:
        _ask_values_of(members, t, m, a)
        join_others(members.branches[m], int(edge))
        return
    n = members.place[a]
    order, count, values, edges = members.order[n], members.counts[n], members.values, members.edges[m]
    fill_intervals(members.branches[m], members.absent[t, a], members.slots[t], order, count, values, edges, 1)


@inner
def _precedes(bound, a, b):
    """The purer first; tied, the attribute that comes first."""
    if abs(bound[a] - bound[b]) <= TIE * max(1.0, abs(bound[b])):
        return a < b
    return bound[a] < bound[b]


@part
def _present_impurity(members, m, a):
    n = 2
    if _has_one_test(members, a):
        n = members.first[members.place[a] + 1] - members.first[members.place[a]]
    total = 0.0
    for branch in range(FIRST_BRANCH + n):
        total += impurity_of(members.branches[m, branch], _by_gini(members))
    return total


@part
def _look(members, t, m, a):
    """Set the attribute's bound to the impurity that its best test leaves."""
    if not _has_one_test(members, a):
        left, edge, rival = _best_test(members, t, m, a)
        members.bound[t, a] = left
        if members.chosen[m] == a and edge < np.inf:
            _ask(members, t, m, a, edge, rival)
        return
    j, gini = members.place[a], _by_gini(members)
    total = impurity_of(members.absent[t, a], gini)
    for v in range(members.first[j], members.first[j + 1]):
        total += impurity_of(members.cells[t, v], gini)
    members.bound[t, a] = total


@inner
def _best_test(members, t, m, a):
    """Return the impurity that the best test on attribute a leaves, its edge, and the least that another one leaves."""
    if members.numeric[a] == 1:
        return _best_cut(members, t, m, a)
    return _best_value(members, t, m, a)


@part
def _best_value(members, t, m, a):
    """As `_best_test`: which value of a nominal attribute is best asked for."""
    j, own, others, gini = members.place[a], members.sides[0], members.sides[1], _by_gini(members)
    first, missing = members.first[j], impurity_of(members.absent[t, a], gini)
    for c in range(others.shape[0]):
        others[c] = members.totals[m, c] - members.absent[t, a, c]
    best, value, rival = missing + impurity_of(others, gini), 0.0, np.inf
    for v in range(first, members.first[j + 1]):
        for c in range(own.shape[0]):
            own[c] = members.cells[t, v, c]
            others[c] = members.totals[m, c] - members.absent[t, a, c] - own[c]
        remaining = (missing + impurity_of(own, gini)) + impurity_of(others, gini)
        if v == first:
            best = remaining
        elif undercuts(remaining, best):
            rival = min(rival, best)
            best, value = remaining, float(v - first)
        else:
            rival = min(rival, remaining)
    return best, value, rival


@part
def _best_cut(members, t, m, a):
    """As `_best_test`: where a numeric attribute is best cut.

    Only boundaries can be best; other cuts count as rivals, since examples to come may make boundaries of them. Without a
    boundary the cut is infinite: known or missing.
    """
    n, slots, left, right = members.place[a], members.slots, members.sides[0], members.sides[1]
    gini = _by_gini(members)
    for c in range(left.shape[0]):
        left[c] = 0.0
        right[c] = members.totals[m, c] - members.absent[t, a, c]
    missing = impurity_of(members.absent[t, a], gini)
    best, cut, rival = missing + impurity_of(right, gini), np.inf, np.inf
    before = -1  # slot of the last value with weight
    for k in range(members.counts[n]):
        s = members.order[n, k]
        if not has_weight(slots[t, s]):
            continue
        if before >= 0:
            remaining = (missing + impurity_of(left, gini)) + impurity_of(right, gini)
            first = cut == np.inf
            better = first or undercuts(remaining, best)
            if better and is_boundary(slots[t, before], slots[t, s]):
                rival = rival if first else min(rival, best)
                best, cut = remaining, between(members.values[before], members.values[s])
            else:
                rival = min(rival, remaining)
        for c in range(left.shape[0]):
            left[c] += slots[t, s, c]
            right[c] -= slots[t, s, c]
        before = s
    return best, cut, rival
