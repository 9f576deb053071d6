"""Which test a node of a growing tree asks: the best one on each attribute, then the best attribute.

By gain and gain ratio the best test on an attribute is the one of greatest gain, by Kolmogorov and Smirnov the one of
greatest distance. Sorted attributes are cut by `thresholds`; all others are counted in one pass over the node's examples.
"""

import math
from typing import NamedTuple

from ensembles.jit import inner, part
from ensembles.learners.core.criteria import (
    LEAST_GAIN,
    TIE,
    exceeds,
    gain_ratio,
    undercuts,
    weighted_entropy_of_row,
    xlogx_from,
)
from ensembles.learners.core.discretise import between
from ensembles.learners.pruned_tree.capacity import MDL
from ensembles.learners.pruned_tree.nodes import EQUALS, THRESHOLD, VALUES
from ensembles.learners.pruned_tree.scores import (
    ABOVE,
    BELOW,
    MISSING,
    MIXED,
    NOTHING,
    allowed,
    class_of,
    distance_of,
    weight_of,
)
from ensembles.learners.pruned_tree.thresholds import (
    MISSING_RANK,
    POSITION,
    Stretch,
    best_boundary,
    best_cut,
    n_distinct,
)

__all__ = ["ASKS", "CUT", "best_test"]

GAIN, SCORE, CUT, ASKS = 0, 1, 2, 3  # columns of `Growth.tests`


class Node(NamedTuple):
    """The node that is to ask something: its number, its positions, its weight and the bits that tell its classes."""

    v: int
    low: int
    high: int
    weight: float
    bits: float


class Cut(NamedTuple):
    """The best cut on an attribute: what both its sides cost, if any is allowed; weight below, values that are there."""

    cost: float
    found: bool
    below: float
    at: float
    n_values: int


@part
def best_test(positions, tree, search, rules, v, rows):
    """Return the attribute of the best test at node v, -1 if no test is allowed; the test is left in `search.tests`."""
    weights, tests, row, place = tree.weights, search.tests, search.row, search.place
    bits = weighted_entropy_of_row(v, weights, search.logs)
    node = Node(int(v), tree.spans[v, 0], tree.spans[v, 1], weight_of(v, weights), bits)
    _count(positions, search.table, search.tables, node.low, node.high, rows)
    gains, n_tests, n_possible = 0.0, 0, 0
    for a in range(row.shape[0]):
        tests[a, GAIN] = 0.0
        if row[a] >= 0:
            n_possible += _look_for_cut(positions, search, weights, rules, node, a, rows)
        elif place[a] >= rows.codes.shape[1]:
            n_possible += _look_at_numbers(search, weights, rules, node, a)
        else:
            n_possible += _look_at_values(search, weights, rules, node, a)
        if tests[a, GAIN] > LEAST_GAIN:
            gains += tests[a, GAIN]
            n_tests += 1
    tree.spans[v, 4] = n_possible
    if n_tests == 0:
        return -1
    least = gains / n_tests - TIE if rules.by_ratio else 0.0
    chosen, best = -1, 0.0
    for a in range(row.shape[0]):
        if tests[a, GAIN] > LEAST_GAIN and tests[a, GAIN] >= least:
            score = tests[a, SCORE]
            if chosen < 0 or exceeds(score, best, True):
                chosen, best = a, score
    return chosen


@part
def _count(positions, table, tables, low, high, rows):
    """Count the class weights of all values of all tabled attributes over the positions [low, high)."""
    example, label, weight, codes, slots = positions.example, positions.label, positions.weight, rows.codes, rows.slots
    n_nominal, n_tables = codes.shape[1], tables.shape[0]
    for b in range(table.shape[0]):
        for c in range(table.shape[1]):
            table[b, c] = 0.0
    if n_tables == 0:
        return
    for p in range(low, high):
        i, c, w = example[p], label[p], weight[p]
        for t in range(n_nominal):
            code = codes[i, t]
            table[tables[t, 2] + (code if code >= 0 else tables[t, 3]), c] += w
        for t in range(n_nominal, n_tables):
            slot = slots[i, tables[t, 1]]
            table[tables[t, 2] + (slot if slot >= 0 else tables[t, 3]), c] += w


@inner
def _cost_of(search, weights, rules, v, row, table):
    """Return what a branch that takes the class weights in a row of a table costs: bits, or its distance with a minus."""
    if rules.by_ks:
        return -distance_of(row, table, weights, v, search.scratch)
    return weighted_entropy_of_row(row, table, search.logs)


@inner
def _record(search, rules, node, a, cost, branch_entropy, cut, asks):
    """Note the test on attribute a whose branches cost so much; `branch_entropy`: the sum of xlogx over their weights."""
    tests = search.tests
    gain = -cost if rules.by_ks else (node.bits - cost) / node.weight
    tests[a, GAIN], tests[a, SCORE], tests[a, CUT], tests[a, ASKS] = gain, gain, cut, asks
    if rules.by_ratio:
        split = (xlogx_from(node.weight, search.logs) - branch_entropy) / node.weight
        tests[a, SCORE] = gain_ratio(gain, split, 1.0)


@part
def _look_for_cut(positions, search, weights, rules, node, a, rows):
    """Find the best cut on a sorted attribute; return how many tests there are, if pruning asks."""
    keys, scratch, s = positions.keys, search.scratch, search.row[a]
    if keys[s, node.low] >> 32 == keys[s, node.high - 1] >> 32:
        return 0  # nothing is known, or all is the same
    stretch = _part_missing(positions, scratch, weights, node, s)
    together = _cost_of(search, weights, rules, node.v, ABOVE, scratch)
    best, at, n_boundaries = math.inf, -1, 0
    if rules.by_ks or rules.prune == MDL:
        best, at, n_boundaries = best_boundary(
            positions, weights, scratch, node.v, stretch, rules.least_weight, rules.by_ks
        )
        for c in range(scratch.shape[1]):  # all has gone below
            scratch[BELOW, c], scratch[ABOVE, c] = 0.0, scratch[BELOW, c]
    if not rules.by_ks:
        best, at = best_cut(positions, search, stretch, rules.least_weight)
    cut = Cut(best, at >= 0, 0.0, 0.0, 0)
    if at >= 0:
        cut = _cut_before(positions, search, rules, stretch, a, best, at, rows)
    _record_cut(search, weights, rules, node, a, cut, together, stretch.missing)
    return n_boundaries + (stretch.missing > 0.0)


@inner
def _part_missing(positions, scratch, weights, node, s):
    """Write the class weights of missing and of known values into `scratch`; return where the known ones stand."""
    label, weight, keys, high = positions.label, positions.weight, positions.keys, node.high
    for c in range(scratch.shape[1]):
        scratch[BELOW, c], scratch[MISSING, c] = 0.0, 0.0
    while keys[s, high - 1] >> 32 == MISSING_RANK:
        high -= 1
        p = keys[s, high] & POSITION
        scratch[MISSING, label[p]] += weight[p]
    for c in range(scratch.shape[1]):
        scratch[ABOVE, c] = weights[node.v, c] - scratch[MISSING, c]
    missing = weight_of(MISSING, scratch)
    return Stretch(s, node.low, high, node.weight - missing, missing)


@inner
def _cut_before(positions, search, rules, stretch, a, cost, at, rows):
    """Return the cut before position `at` of a sorted attribute."""
    keys, s, below, n_values = positions.keys, stretch.s, 0.0, 0
    for j in range(stretch.low, at):
        below += positions.weight[keys[s, j] & POSITION]
    column = search.column[a]
    under, over = positions.example[keys[s, at - 1] & POSITION], positions.example[keys[s, at] & POSITION]
    if rules.penalty:
        n_values = n_distinct(keys, stretch)
    return Cut(cost, True, below, between(rows.numbers[under, column], rows.numbers[over, column]), n_values)


@part
def _look_at_numbers(search, weights, rules, node, a):
    """Find the best cut on a numeric attribute that is tabled; return how many tests there are."""
    table, scratch = search.table, search.scratch
    first = search.tables[search.place[a], 2]
    end = first + search.tables[search.place[a], 3]
    for c in range(scratch.shape[1]):
        scratch[BELOW, c], scratch[MISSING, c] = 0.0, table[end, c]
        scratch[ABOVE, c] = weights[node.v, c] - table[end, c]
    missing = weight_of(MISSING, scratch)
    known, below, before, class_before = node.weight - missing, 0.0, -1, NOTHING
    if known == 0.0:
        return 0
    together = _cost_of(search, weights, rules, node.v, ABOVE, scratch)
    best, lighter, cut, n_values, n_boundaries = math.inf, 0.0, math.nan, 0, 0
    for b in range(first, end):
        weight = weight_of(b, table)
        if weight == 0.0:
            continue
        of_class = class_of(b, table)
        if before >= 0:
            is_boundary = of_class != class_before or of_class == MIXED
            n_boundaries += is_boundary
            if (is_boundary or not rules.by_ks) and allowed(below, known - below, missing, rules.least_weight):
                cost = _cost_of(search, weights, rules, node.v, BELOW, scratch)
                cost += _cost_of(search, weights, rules, node.v, ABOVE, scratch)
                if math.isnan(cut) or undercuts(cost, best):
                    best, lighter, cut = cost, below, between(search.numbers[before], search.numbers[b])
        for c in range(scratch.shape[1]):
            scratch[BELOW, c] += table[b, c]
            scratch[ABOVE, c] -= table[b, c]
        below += weight
        before, class_before = b, of_class
        n_values += 1
    if n_values > 1 or missing > 0.0:
        found = Cut(best, not math.isnan(cut), lighter, cut, n_values)
        _record_cut(search, weights, rules, node, a, found, together, missing)
    return n_boundaries + (missing > 0.0)


@part
def _record_cut(search, weights, rules, node, a, cut, together, missing):
    """Note the best cut on attribute a, or, where no cut is better, the test whether the value is missing.

    together : what all known values cost as one branch; missing : weight of the others.
    """
    logs, known = search.logs, node.weight - missing
    lost = _cost_of(search, weights, rules, node.v, MISSING, search.scratch)
    whole_is_allowed = missing > 0.0 and missing >= rules.least_weight and known >= rules.least_weight
    slack = LEAST_GAIN if rules.by_ks else LEAST_GAIN * node.weight
    if cut.found and not (whole_is_allowed and cut.cost >= together - slack):
        cost = cut.cost + lost
        if rules.penalty and cut.n_values > 2 and not rules.by_ks:
            cost += math.log2(cut.n_values - 1.0)
        entropy = xlogx_from(cut.below, logs) + xlogx_from(known - cut.below, logs) + xlogx_from(missing, logs)
        _record(search, rules, node, a, cost, entropy, cut.at, THRESHOLD)
    elif whole_is_allowed:
        entropy = xlogx_from(missing, logs) + xlogx_from(known, logs)
        _record(search, rules, node, a, lost + together, entropy, math.nan, THRESHOLD)


@part
def _look_at_values(search, weights, rules, node, a):
    """Weigh the test on a nominal attribute: a branch for each value, or the best question for one value.

    Return how many tests there are: values that take the same branches ask the same.
    """
    table, logs = search.table, search.logs
    first = search.tables[search.place[a], 2]
    missing = first + search.tables[search.place[a], 3]
    cost, entropy, n_heavy, n_values = 0.0, 0.0, 0, 0
    for b in range(first, missing + 1):
        weight = weight_of(b, table)
        n_heavy += weight >= rules.least_weight
        if weight > 0.0:
            n_values += b < missing
            entropy += xlogx_from(weight, logs)
            cost += _cost_of(search, weights, rules, node.v, b, table)
    n_branches = n_values + (weight_of(missing, table) > 0.0)
    if n_branches < 2:
        return 0
    if rules.binary:
        _look_for_value(search, weights, rules, node, a, first, missing)
        return n_values if n_values > 2 else 1
    if n_heavy >= 2:
        _record(search, rules, node, a, cost, entropy, 0.0, VALUES)
    return 1


@part
def _look_for_value(search, weights, rules, node, a, first, missing):
    """Find the value of a nominal attribute that is best asked for; its class weights stand from row `first` on."""
    table, scratch, logs, v = search.table, search.scratch, search.logs, node.v
    lost, unknown = _cost_of(search, weights, rules, v, missing, table), weight_of(missing, table)
    best, chosen = math.inf, -1
    for b in range(first, missing):
        weight = weight_of(b, table)
        if weight > 0.0 and allowed(weight, node.weight - unknown - weight, unknown, rules.least_weight):
            for c in range(table.shape[1]):
                scratch[ABOVE, c] = weights[v, c] - table[missing, c] - table[b, c]
            cost = (
                lost
                + _cost_of(search, weights, rules, v, b, table)
                + _cost_of(search, weights, rules, v, ABOVE, scratch)
            )
            if chosen < 0 or undercuts(cost, best):
                best, chosen = cost, b
    if chosen >= 0:
        weight = weight_of(chosen, table)
        others = node.weight - unknown - weight
        entropy = xlogx_from(weight, logs) + xlogx_from(others, logs) + xlogx_from(unknown, logs)
        _record(search, rules, node, a, best, entropy, float(chosen - first), EQUALS)
