"""Which question about one attribute is the best, by one of several criteria and with a least weight of two branches.

A test is good if its branches leave few *bits*, the sum of their `weighted_entropy`: if its information gain is great;
or by a criterion of its own. Kernels take the arrays they read, not all members: each is compiled into its callers.
"""

from typing import NamedTuple

import numpy as np

from ensembles.jit import inner, part
from ensembles.learners.core.class_weights import copy_weights, has_weight, total_of
from ensembles.learners.core.criteria import LEAST_GAIN, TIE, exceeds, gain_ratio, ks_of, weighted_entropy, xlogx
from ensembles.learners.core.discretise import between, find_intervals, interval_of
from ensembles.learners.core.value_tables import table_of

__all__ = [
    "BINARY", "CRITERIA", "CRITERION", "FIRST_BRANCH", "GINI", "INTERVALS", "LEAF", "LEAST_WEIGHT", "NOT_CHOSEN",
    "N_RULES", "N_SIDES", "N_TEST_FIELDS", "ask_values", "choose_test", "fill_intervals", "is_boundary", "join_others",
]  # fmt: skip

LEAF, NOT_CHOSEN = -1, -2
FIRST_BRANCH = 1  # branch 0 is for missing values

CRITERIA = ("info_gain", "gain_ratio", "error", "ks", "gini")
_INFO_GAIN, _GAIN_RATIO, _ERROR, _KS, GINI = range(len(CRITERIA))

CRITERION, BINARY, INTERVALS, LEAST_WEIGHT, N_RULES = range(5)  # fields of `rules`
_GAIN, _SCORE, _KEY, _CUT, N_TEST_FIELDS = range(
    5
)  # fields of `tests`; key: what the tests of one attribute compete with
_LEFT, _RIGHT, _SORTED, N_SIDES = 0, 1, 2, 5  # rows of `sides`; three to sort classes in


class Search(NamedTuple):
    """What the tests on attributes compete with and by."""

    tests: np.ndarray  # (a, N_TEST_FIELDS) the best on each attribute so far
    rules: np.ndarray  # (N_RULES,)
    sides: np.ndarray  # (N_SIDES, c) room
    totals: np.ndarray  # (c,) class weights of all examples
    bits: float  # their weighted entropy
    weight_entropy: float  # xlogx of their weight
    weight: float


@part
def choose_test(members, m):
    """Look at all attributes and ask for the best; by gain ratio, only those of at least average gain compete."""
    tests, rules, t = members.tests, members.rules, table_of(members.cells, m)
    totals, sides, cells, absent = members.totals[m], members.sides, members.cells[t], members.absent[t]
    slots, values, order, counts, first = members.slots[t], members.values, members.order, members.counts, members.first
    weight = total_of(totals)
    search = Search(tests, rules, sides, totals, weighted_entropy(totals), xlogx(weight), weight)
    for a in range(tests.shape[0]):
        tests[a, _GAIN] = 0.0
        j = members.place[a]
        if members.numeric[a] == 0:
            _look_at_values(search, absent[a], a, cells, first[j], first[j + 1])
        elif rules[INTERVALS] == 1.0:
            n = find_intervals(members, t, j)
            _rate_intervals(search, absent[a], a, members.below, n, members.is_cut)
        else:
            _look_at_cuts(search, absent[a], a, slots, order[j], counts[j], values)
    best = _best_attribute(tests, rules)
    members.chosen[m] = best
    if best < 0:
        return
    j, branches = members.place[best], members.branches[m]
    members.n_edges[m], members.edges[m, 0] = 1, tests[best, _CUT]
    if members.numeric[best] == 0:
        ask_values(branches, absent[best], cells, first[j], first[j + 1])
        if rules[BINARY] == 1.0:
            join_others(branches, int(tests[best, _CUT]))
        return
    if rules[INTERVALS] == 1.0:
        members.n_edges[m] = 0
        for k in range(find_intervals(members, t, j)):
            if members.is_cut[k]:
                members.edges[m, members.n_edges[m]] = between(members.ascending[k - 1], members.ascending[k])
                members.n_edges[m] += 1
    fill_intervals(branches, absent[best], slots, order[j], counts[j], values, members.edges[m], members.n_edges[m])


@part
def _best_attribute(tests, rules):
    """Return the attribute of the best test, LEAF if none is allowed; ties go to the first."""
    gains, n_tests = 0.0, 0
    for a in range(tests.shape[0]):
        if tests[a, _GAIN] > 0.0:
            gains += tests[a, _GAIN]
            n_tests += 1
    least = gains / n_tests - TIE if n_tests > 0 and rules[CRITERION] == _GAIN_RATIO else 0.0
    best = LEAF
    for a in range(tests.shape[0]):
        allowed = tests[a, _GAIN] > 0.0 and tests[a, _GAIN] >= least
        if allowed and (best < 0 or exceeds(tests[a, _SCORE], tests[best, _SCORE], True)):
            best = a
    return best


@part
def _rate_intervals(search, absent, a, below, n, is_cut):
    """Rate the question on attribute a that has a branch for each interval."""
    rules, weights, start = search.rules, search.sides[_LEFT], 0
    rating = _rated(absent, rules[LEAST_WEIGHT])
    for stop in range(1, n + 1):
        if stop == n or is_cut[stop]:
            for c in range(weights.shape[0]):
                weights[c] = below[stop, c] - below[start, c]
            rating = _plus(rating, _rated(weights, rules[LEAST_WEIGHT]))
            start = stop
    _note(search, a, rating, 0.0)


@part
def _look_at_values(search, absent, a, cells, first, stop):
    """Rate the question on nominal attribute a that has a branch for each value, or find the value best asked for."""
    rules, sides, totals = search.rules, search.sides, search.totals
    missing = _rated(absent, rules[LEAST_WEIGHT])
    if rules[BINARY] == 0.0:
        rating = missing
        for v in range(first, stop):
            rating = _plus(rating, _rated(cells[v], rules[LEAST_WEIGHT]))
        _note(search, a, rating, 0.0)
        return
    for v in range(first, stop):
        for c in range(totals.shape[0]):
            sides[_LEFT, c] = cells[v, c]
            sides[_RIGHT, c] = totals[c] - absent[c] - cells[v, c]
        _note_sides(search, missing, a, float(v - first))


@part
def _look_at_cuts(search, absent, a, slots, order, count, values):
    """Note the best cut of numeric attribute a; where none gains, known or missing is a test too.

    Only boundaries can be best, unless the best of them leave a side with too little weight.
    """
    rules, sides, totals = search.rules, search.sides, search.totals
    for c in range(totals.shape[0]):
        sides[_LEFT, c] = 0.0
        sides[_RIGHT, c] = totals[c] - absent[c]
    missing, before = _rated(absent, rules[LEAST_WEIGHT]), -1
    for k in range(count):
        s = order[k]
        if not has_weight(slots[s]):
            continue
        if before >= 0 and (rules[LEAST_WEIGHT] > 0.0 or is_boundary(slots[before], slots[s])):
            _note_sides(search, missing, a, between(values[before], values[s]))
        for c in range(totals.shape[0]):
            sides[_LEFT, c] += slots[s, c]
            sides[_RIGHT, c] -= slots[s, c]
        before = s
    if search.tests[a, _GAIN] == 0.0:
        _note_sides(search, missing, a, np.inf)


@part
def _rated(weights, least):
    """Return bits, xlogx of the weight, weight of the leading class, purity, and whether a branch is heavy enough.

    The purity is the weight less its Gini index: what is guessed right by drawing a class in proportion to the weights.
    """
    top, squares, weight = 0.0, 0.0, total_of(weights)
    for c in range(weights.shape[0]):
        top = max(top, weights[c])
        squares += weights[c] * weights[c]
    purity = squares / weight if weight > 0.0 else 0.0
    return weighted_entropy(weights), xlogx(weight), top, purity, int(weight >= least)


@part
def _note(search, a, rating, cut):
    """Keep a test on attribute a if it is allowed and the best so far; `rating`: sums of `_rated` over the branches."""
    tests, sides, criterion = search.tests, search.sides, search.rules[CRITERION]
    after, branch_entropy, right, purity, heavy = rating
    total = search.weight
    gain = (search.bits - after) / total
    if heavy < 2 or gain <= LEAST_GAIN:
        return
    score = gain
    if criterion == _GAIN_RATIO:
        score = gain_ratio(gain, (search.weight_entropy - branch_entropy) / total, 1.0)
    elif criterion == _ERROR:
        score = right / total
    elif criterion == GINI:
        score = purity / total
    elif criterion == _KS:
        score = ks_of(sides[_LEFT], sides[_RIGHT], sides, _SORTED)
    key = gain if criterion == _GAIN_RATIO else score
    if tests[a, _GAIN] == 0.0 or exceeds(key, tests[a, _KEY], True):
        tests[a, _GAIN], tests[a, _SCORE], tests[a, _KEY], tests[a, _CUT] = gain, score, key, cut


@inner
def _plus(rating, more):
    bits, entropy, right, purity, heavy = rating
    return bits + more[0], entropy + more[1], right + more[2], purity + more[3], heavy + more[4]


@part
def _note_sides(search, missing, a, cut):
    """As `_note`, for the test whose branches are `sides` and the missing values, rated before."""
    rating = missing
    for side in (_LEFT, _RIGHT):
        rating = _plus(rating, _rated(search.sides[side], search.rules[LEAST_WEIGHT]))
    _note(search, a, rating, cut)


@inner
def is_boundary(low, high):
    """A cut between two values of the same single class is never best (Fayyad & Irani)."""
    seen = -1
    for c in range(low.shape[0]):
        if low[c] > 0.0 or high[c] > 0.0:
            if seen >= 0:
                return True
            seen = c
    return False


@inner
def _start_branches(branches, absent):
    for b in range(branches.shape[0]):
        for c in range(branches.shape[1]):
            branches[b, c] = 0.0 if b > 0 else absent[c]


@part
def ask_values(branches, absent, cells, first, stop):
    """Fill the branches of a question that has one for each nominal value."""
    _start_branches(branches, absent)
    for v in range(first, stop):
        copy_weights(cells[v], branches[FIRST_BRANCH + v - first])


@part
def join_others(branches, asked):
    """Make one branch of the value asked for, and one of all others."""
    for c in range(branches.shape[1]):
        own, every = branches[FIRST_BRANCH + asked, c], 0.0
        for b in range(FIRST_BRANCH, branches.shape[0]):
            every += branches[b, c]
            branches[b, c] = 0.0
        branches[FIRST_BRANCH, c], branches[FIRST_BRANCH + 1, c] = own, every - own


@part
def fill_intervals(branches, absent, slots, order, count, values, edges, n_edges):
    """Fill the branches of a question for the interval of a numeric value."""
    _start_branches(branches, absent)
    for k in range(count):
        s = order[k]
        b = FIRST_BRANCH + interval_of(edges, 0, n_edges, values[s])
        for c in range(branches.shape[1]):
            branches[b, c] += slots[s, c]
