"""The test of greatest information gain, found online without a look at all of them.

A test is good if its branches leave few *bits*, sum_b [ g(W_b) - sum_c g(W_bc) ]. An example more can only raise the bits
that any test leaves, so those that an attribute left when last looked at bound it from below for ever: only attributes
whose bound lies under what the present question leaves are looked at again. The test found is the one that a look at all
would find.
"""

import numpy as np

from ensembles.jit import inner, part
from ensembles.learners.core.class_weights import has_weight, total_of
from ensembles.learners.core.criteria import LEAST_GAIN, TIE, undercuts, weighted_entropy
from ensembles.learners.core.discretise import between
from ensembles.learners.core.value_tables import table_of
from ensembles.learners.one_level.split_search import (
    FIRST_BRANCH,
    LEAF,
    ask_values,
    fill_intervals,
    is_boundary,
)

__all__ = ["choose_incrementally"]

_SLACK = 1e-9  # a bound this close, relative to the weight, is looked at again: far more than rounding


@part
def choose_incrementally(members, m):
    """Find the test of greatest gain; attributes whose bound rules them out are not looked at."""
    t = table_of(members.cells, m)
    totals, bound, n_attributes = members.totals[m], members.bound[t], members.place.shape[0]
    weight = total_of(totals)
    incumbent = members.chosen[m]
    limit = np.inf
    if incumbent >= 0:
        now = _present_bits(members, m, incumbent)
        limit = now + _SLACK * weight
        settled = members.numeric[incumbent] == 0 or (members.rival[m] > limit and bound[incumbent] > 0.0)
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
    if best < 0 or weighted_entropy(totals) - bound[best] <= LEAST_GAIN * weight:
        members.chosen[m] = LEAF
        bound[:] = 0.0
    elif best != incumbent:
        members.chosen[m] = best
        if members.numeric[best] == 1:
            _, cut, rival = _best_cut(members, t, m, best)
            _cut_at(members, t, m, best, cut, rival)
        else:
            j, first = members.place[best], members.first
            ask_values(members.branches[m], members.absent[t, best], members.cells[t], first[j], first[j + 1])


@inner
def _cut_at(members, t, m, a, cut, rival):
    n = members.place[a]
    members.rival[m], members.edges[m, 0], members.n_edges[m] = rival, cut, 1
    order, count, values, edges = members.order[n], members.counts[n], members.values, members.edges[m]
    fill_intervals(members.branches[m], members.absent[t, a], members.slots[t], order, count, values, edges, 1)


@inner
def _precedes(bound, a, b):
    """Fewer bits first; tied, the attribute that comes first."""
    if abs(bound[a] - bound[b]) <= TIE * max(1.0, abs(bound[b])):
        return a < b
    return bound[a] < bound[b]


@part
def _present_bits(members, m, a):
    n = 2
    if members.numeric[a] == 0:
        n = members.first[members.place[a] + 1] - members.first[members.place[a]]
    total = 0.0
    for branch in range(FIRST_BRANCH + n):
        total += weighted_entropy(members.branches[m, branch])
    return total


@part
def _look(members, t, m, a):
    """Set the attribute's bound to the bits that its best test leaves."""
    if members.numeric[a] == 1:
        bits, cut, rival = _best_cut(members, t, m, a)
        members.bound[t, a] = bits
        if members.chosen[m] == a and cut < np.inf:
            _cut_at(members, t, m, a, cut, rival)
        return
    j = members.place[a]
    total = weighted_entropy(members.absent[t, a])
    for v in range(members.first[j], members.first[j + 1]):
        total += weighted_entropy(members.cells[t, v])
    members.bound[t, a] = total


@part
def _best_cut(members, t, m, a):
    """Return the bits that the best cut of numeric attribute a leaves, the cut, and the least bits that another leaves.

    Only boundaries can be best; other cuts count as rivals, since examples to come may make boundaries of them. Without a
    boundary the cut is infinite: known or missing.
    """
    n, slots, left, right = members.place[a], members.slots, members.sides[0], members.sides[1]
    for c in range(left.shape[0]):
        left[c] = 0.0
        right[c] = members.totals[m, c] - members.absent[t, a, c]
    missing = weighted_entropy(members.absent[t, a])
    best, cut, rival = missing + weighted_entropy(right), np.inf, np.inf
    before = -1  # slot of the last value with weight
    for k in range(members.counts[n]):
        s = members.order[n, k]
        if not has_weight(slots[t, s]):
            continue
        if before >= 0:
            bits = (missing + weighted_entropy(left)) + weighted_entropy(right)
            first = cut == np.inf
            better = first or undercuts(bits, best)
            if better and is_boundary(slots[t, before], slots[t, s]):
                rival = rival if first else min(rival, best)
                best, cut = bits, between(members.values[before], members.values[s])
            else:
                rival = min(rival, bits)
        for c in range(left.shape[0]):
            left[c] += slots[t, s, c]
            right[c] -= slots[t, s, c]
        before = s
    return best, cut, rival
