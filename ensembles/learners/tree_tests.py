"""Which test a node of a growing tree asks: the best one on each attribute by gain, then the best attribute.

The *bits* of some examples are g(W) - sum_c g(W_c) with g(w) = w lg w; the gain of a test is what its branches save of the
node's bits, an example. Of a numeric attribute only cuts next to a change of class can be best, or, where two branches must
have a least weight, the outermost cuts that are allowed: gain is convex between changes of class (Fayyad & Irani).
"""

import math

from ensembles.jit import inner, kernel
from ensembles.learners.discretise import between
from ensembles.learners.tree_nodes import EQUALS, THRESHOLD, VALUES

__all__ = ["best_test"]

GAIN, SCORE, CUT, ASKS = 0, 1, 2, 3  # columns of `Growth.tests`
LEAST_GAIN = 1e-10  # bits an example
TIE = 1e-12
_MIXED = -2

# Rows of `Growth.scratch`.
_BELOW, _ABOVE, _MISSING, _G_BELOW, _G_ABOVE = 0, 1, 2, 3, 4


@kernel
def best_test(growth, rules, v, labels, weights):
    """Return the attribute of the best test at node v, -1 if no test is allowed; the test is left in `growth.tests`."""
    tests, numeric, place = growth.tests, growth.numeric, growth.place
    counted, logs = growth.weights, growth.logs
    n_classes = counted.shape[1]
    total, bits = 0.0, 0.0
    for c in range(n_classes):
        total += counted[v, c]
        bits -= _g(counted[v, c], logs)
    bits += _g(total, logs)
    gains, n_tests = 0.0, 0
    for a in range(numeric.shape[0]):
        tests[a, GAIN] = 0.0
        if numeric[a] == 1:
            _look_for_cut(growth, rules, v, a, place[a], bits, total, labels, weights)
        else:
            _look_at_values(growth, rules, v, a, place[a], bits, total, labels, weights)
        if tests[a, GAIN] > LEAST_GAIN:
            gains += tests[a, GAIN]
            n_tests += 1
    if n_tests == 0:
        return -1
    least = gains / n_tests - TIE if rules.by_ratio else 0.0
    chosen, best = -1, 0.0
    for a in range(numeric.shape[0]):
        if tests[a, GAIN] > LEAST_GAIN and tests[a, GAIN] >= least:
            score = tests[a, SCORE]
            if chosen < 0 or score > best + TIE * max(1.0, abs(best)):
                chosen, best = a, score
    return chosen


@inner
def _g(w, logs):
    if logs.shape[0] > 0:
        return logs[int(w)]
    return w * math.log2(w) if w > 0.0 else 0.0


@inner
def _allowed(a, b, c, least):
    """Say whether two of three branches have the least weight."""
    return (a >= least and (b >= least or c >= least)) or (b >= least and c >= least)


@inner
def _record(growth, rules, a, gain, shares, total, cut, asks):
    """Note the test on attribute a; `shares`: the sum of g over the weights of its branches."""
    tests = growth.tests
    tests[a, GAIN], tests[a, CUT], tests[a, ASKS] = gain, cut, asks
    tests[a, SCORE] = gain
    if rules.by_ratio:
        split = (_g(total, growth.logs) - shares) / total
        tests[a, SCORE] = gain / split if split >= 1e-12 else 0.0


@inner
def _bits_of(row, table, logs):
    """Return the bits of the class weights in a row of a table."""
    total, parts = 0.0, 0.0
    for c in range(table.shape[1]):
        total += table[row, c]
        parts += _g(table[row, c], logs)
    return _g(total, logs) - parts


@inner
def _weight_of(row, table):
    total = 0.0
    for c in range(table.shape[1]):
        total += table[row, c]
    return total


@kernel
def _look_for_cut(growth, rules, v, a, column, bits, total, labels, weights):
    """Find the cut of greatest gain on numeric attribute a; where none gains, known or missing is a test too."""
    order, ranks, logs, scratch = growth.order, growth.ranks, growth.logs, growth.scratch
    n_classes = scratch.shape[1]
    low, high = growth.spans[v, 0], growth.spans[v, 1]
    first = ranks[column, order[column, low]]
    if first < 0 or first == ranks[column, order[column, high - 1]]:
        return  # nothing is known, or all is the same
    for c in range(n_classes):
        scratch[_BELOW, c], scratch[_MISSING, c], scratch[_G_BELOW, c] = 0.0, 0.0, 0.0
    while ranks[column, order[column, high - 1]] < 0:
        high -= 1
        i = order[column, high]
        scratch[_MISSING, labels[i]] += weights[i]
    missing = _weight_of(_MISSING, scratch)
    for c in range(n_classes):
        scratch[_ABOVE, c] = growth.weights[v, c] - scratch[_MISSING, c]
        scratch[_G_ABOVE, c] = _g(scratch[_ABOVE, c], logs)
    lost, together = _bits_of(_MISSING, scratch, logs), _bits_of(_ABOVE, scratch, logs)
    best, at, n_distinct = _scan(
        order, ranks, column, low, high, scratch, logs, labels, weights, total - missing, missing, rules.least_weight
    )
    whole_is_allowed = missing > 0.0 and missing >= rules.least_weight and total - missing >= rules.least_weight
    if at >= 0 and not (whole_is_allowed and best >= together - LEAST_GAIN * total):
        _record_cut(growth, rules, a, column, low, at, best + lost, bits, total, missing, n_distinct, weights)
    elif whole_is_allowed:
        gain = (bits - lost - together) / total
        _record(growth, rules, a, gain, _g(missing, logs) + _g(total - missing, logs), total, math.nan, THRESHOLD)


@kernel
def _scan(order, ranks, column, low, high, scratch, logs, labels, weights, known, missing, least_weight):
    """Return the least bits of both sides of a cut, where the upper side begins (-1: no cut allowed), distinct values."""
    n_classes = scratch.shape[1]
    best, at, n_distinct = math.inf, -1, 0
    below, above = 0.0, known
    class_before, allowed_before = _MIXED, False
    j = low
    while j < high:
        i = order[column, j]
        rank = ranks[column, i]
        label, weight = labels[i], weights[i]
        of_class = label
        stop = j + 1
        while stop < high and ranks[column, order[column, stop]] == rank:
            i = order[column, stop]
            weight += weights[i]
            if labels[i] != label:
                of_class = _MIXED
            stop += 1
        if j > low:
            allowed = _allowed(below, above, missing, least_weight)
            if allowed:
                outermost = not allowed_before or not _allowed(below + weight, above - weight, missing, least_weight)
                if outermost or of_class != class_before or of_class == _MIXED:
                    cost = _g(below, logs) + _g(above, logs)
                    for c in range(n_classes):
                        cost -= scratch[_G_BELOW, c] + scratch[_G_ABOVE, c]
                    if at < 0 or cost < best - TIE * max(1.0, abs(best)):
                        best, at = cost, j
            allowed_before = allowed
        if of_class >= 0:
            scratch[_BELOW, label] += weight
            scratch[_ABOVE, label] -= weight
            scratch[_G_BELOW, label] = _g(scratch[_BELOW, label], logs)
            scratch[_G_ABOVE, label] = _g(scratch[_ABOVE, label], logs)
        else:
            for k in range(j, stop):
                i = order[column, k]
                scratch[_BELOW, labels[i]] += weights[i]
                scratch[_ABOVE, labels[i]] -= weights[i]
            for c in range(n_classes):
                scratch[_G_BELOW, c] = _g(scratch[_BELOW, c], logs)
                scratch[_G_ABOVE, c] = _g(scratch[_ABOVE, c], logs)
        below += weight
        above -= weight
        class_before = of_class
        n_distinct += 1
        j = stop
    return best, at, n_distinct


@kernel
def _record_cut(growth, rules, a, column, low, at, after, bits, total, missing, n_distinct, weights):
    """Note the cut before position `at` of the attribute's order."""
    order, numbers = growth.order, growth.numbers
    below = 0.0
    for j in range(low, at):
        below += weights[order[column, j]]
    gain = (bits - after) / total
    if rules.penalty and n_distinct > 2:
        gain -= math.log2(n_distinct - 1.0) / total
    under, over = numbers[order[column, at - 1], column], numbers[order[column, at], column]
    logs = growth.logs
    shares = _g(below, logs) + _g(total - missing - below, logs) + _g(missing, logs)
    _record(growth, rules, a, gain, shares, total, between(under, over), THRESHOLD)


@kernel
def _look_at_values(growth, rules, v, a, column, bits, total, labels, weights):
    """Weigh the test on nominal attribute a: a branch for each value, or the best question for one value."""
    order, codes, table, logs, spans = growth.order, growth.codes, growth.table, growth.logs, growth.spans
    last, n_values, n_classes = order.shape[0] - 1, growth.values[column], table.shape[1]
    for b in range(n_values + 1):
        for c in range(n_classes):
            table[b, c] = 0.0
    for j in range(spans[v, 0], spans[v, 1]):
        i = order[last, j]
        code = codes[column, i]
        table[code if code >= 0 else n_values, labels[i]] += weights[i]
    if rules.binary:
        _look_for_value(growth, rules, v, a, n_values, bits, total)
        return
    after, shares, heavy = 0.0, 0.0, 0
    for b in range(n_values + 1):
        weight = _weight_of(b, table)
        heavy += weight >= rules.least_weight
        shares += _g(weight, logs)
        after += _bits_of(b, table, logs)
    if heavy >= 2:
        _record(growth, rules, a, (bits - after) / total, shares, total, 0.0, VALUES)


@kernel
def _look_for_value(growth, rules, v, a, n_values, bits, total):
    """Find the value of nominal attribute a that is best asked for; `growth.table` holds the class weights of all."""
    table, scratch, logs = growth.table, growth.scratch, growth.logs
    lost, missing = _bits_of(n_values, table, logs), _weight_of(n_values, table)
    best, chosen = math.inf, -1
    for b in range(n_values):
        weight = _weight_of(b, table)
        if weight > 0.0 and _allowed(weight, total - missing - weight, missing, rules.least_weight):
            for c in range(table.shape[1]):
                scratch[_ABOVE, c] = growth.weights[v, c] - table[n_values, c] - table[b, c]
            after = lost + _bits_of(b, table, logs) + _bits_of(_ABOVE, scratch, logs)
            if chosen < 0 or after < best - TIE * max(1.0, abs(best)):
                best, chosen = after, b
    if chosen >= 0:
        weight = _weight_of(chosen, table)
        shares = _g(weight, logs) + _g(total - missing - weight, logs) + _g(missing, logs)
        _record(growth, rules, a, (bits - best) / total, shares, total, float(chosen), EQUALS)
