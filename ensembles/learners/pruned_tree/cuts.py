"""The best cut on a numeric attribute, sorted or counted in a table, and the test whether its value is missing."""

import math
from typing import NamedTuple

from ensembles.jit import inner, part
from ensembles.learners.core.criteria import LEAST_GAIN, undercuts, xlogx_from
from ensembles.learners.core.discretise import between
from ensembles.learners.pruned_tree.capacity import MDL
from ensembles.learners.pruned_tree.nodes import THRESHOLD
from ensembles.learners.pruned_tree.scores import (
    ABOVE,
    BELOW,
    MISSING,
    MIXED,
    NOTHING,
    allowed,
    class_of,
    cost_of,
    record,
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

__all__ = ["look_at_numbers", "look_for_cut"]


class Cut(NamedTuple):
    """The best cut on an attribute: what both its sides cost, if any is allowed; weight below, values that are there."""

    cost: float
    found: bool
    below: float
    at: float
    n_values: int


@part
def look_for_cut(positions, search, weights, rules, node, a, rows):
    """Find the best cut on a sorted attribute; return how many tests there are, if pruning asks."""
    keys, scratch, s = positions.keys, search.scratch, search.row[a]
    if keys[s, node.low] >> 32 == keys[s, node.high - 1] >> 32:
        return 0  # nothing is known, or all is the same
    stretch = _part_missing(positions, scratch, weights, node, s)
    together = cost_of(search, weights, rules, node.v, ABOVE, scratch)
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
def look_at_numbers(search, weights, rules, node, a):
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
    together = cost_of(search, weights, rules, node.v, ABOVE, scratch)
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
                cost = cost_of(search, weights, rules, node.v, BELOW, scratch)
                cost += cost_of(search, weights, rules, node.v, ABOVE, scratch)
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
    lost = cost_of(search, weights, rules, node.v, MISSING, search.scratch)
    whole_is_allowed = missing > 0.0 and missing >= rules.least_weight and known >= rules.least_weight
    slack = LEAST_GAIN if rules.by_ks else LEAST_GAIN * node.weight
    if cut.found and not (whole_is_allowed and cut.cost >= together - slack):
        cost = cut.cost + lost
        if rules.penalty and cut.n_values > 2 and not rules.by_ks:
            cost += math.log2(cut.n_values - 1.0)
        entropy = xlogx_from(cut.below, logs) + xlogx_from(known - cut.below, logs) + xlogx_from(missing, logs)
        record(search, rules, node, a, cost, entropy, cut.at, THRESHOLD)
    elif whole_is_allowed:
        entropy = xlogx_from(missing, logs) + xlogx_from(known, logs)
        record(search, rules, node, a, lost + together, entropy, math.nan, THRESHOLD)
