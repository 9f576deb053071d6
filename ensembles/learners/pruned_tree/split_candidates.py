"""Which test a node of a growing tree asks: the best one on each attribute, then the best attribute.

By gain and gain ratio the best test on an attribute is the one of greatest gain, by Kolmogorov and Smirnov the one of
greatest distance. Numeric attributes are cut by `cuts`; the values of all others, and of numeric ones of few values,
are counted in one pass over the node's examples.
"""

import math

from ensembles.jit import part
from ensembles.learners.core.criteria import LEAST_GAIN, TIE, exceeds, undercuts, weighted_entropy_of_row, xlogx_from
from ensembles.learners.pruned_tree.cuts import look_at_numbers, look_for_cut
from ensembles.learners.pruned_tree.nodes import EQUALS, VALUES
from ensembles.learners.pruned_tree.scores import ABOVE, GAIN, SCORE, Node, allowed, cost_of, record, weight_of

__all__ = ["best_test"]


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
            n_possible += look_for_cut(positions, search, weights, rules, node, a, rows)
        elif place[a] >= rows.codes.shape[1]:
            n_possible += look_at_numbers(search, weights, rules, node, a)
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
            cost += cost_of(search, weights, rules, node.v, b, table)
    n_branches = n_values + (weight_of(missing, table) > 0.0)
    if n_branches < 2:
        return 0
    if rules.binary:
        _look_for_value(search, weights, rules, node, a, first, missing)
        return n_values if n_values > 2 else 1
    if n_heavy >= 2:
        record(search, rules, node, a, cost, entropy, 0.0, VALUES)
    return 1


@part
def _look_for_value(search, weights, rules, node, a, first, missing):
    """Find the value of a nominal attribute that is best asked for; its class weights stand from row `first` on."""
    table, scratch, logs, v = search.table, search.scratch, search.logs, node.v
    lost, unknown = cost_of(search, weights, rules, v, missing, table), weight_of(missing, table)
    best, chosen = math.inf, -1
    for b in range(first, missing):
        weight = weight_of(b, table)
        if weight > 0.0 and allowed(weight, node.weight - unknown - weight, unknown, rules.least_weight):
            for c in range(table.shape[1]):
                scratch[ABOVE, c] = weights[v, c] - table[missing, c] - table[b, c]
            cost = (
                lost + cost_of(search, weights, rules, v, b, table) + cost_of(search, weights, rules, v, ABOVE, scratch)
            )
            if chosen < 0 or undercuts(cost, best):
                best, chosen = cost, b
    if chosen >= 0:
        weight = weight_of(chosen, table)
        others = node.weight - unknown - weight
        entropy = xlogx_from(weight, logs) + xlogx_from(others, logs) + xlogx_from(unknown, logs)
        record(search, rules, node, a, best, entropy, float(chosen - first), EQUALS)
