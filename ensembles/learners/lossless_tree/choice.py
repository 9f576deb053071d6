"""The best test of a node, and what follows from it: keep the subtree, grow it anew, or end in a leaf.

Tests are a = v for nominal attributes, "missing" being the last of the values, and x < c for numeric ones, c half way
between two neighbouring values that do not both belong to one and the same class. Of tests as good as each other the first
counts, in the order of attributes, then of values or cuts.

Thesis, section 2.3; Utgoff, Berkman & Clouse (1997).
"""

from ensembles.jit import inner, part
from ensembles.learners.core.criteria import bits_of_leaf, exceeds
from ensembles.learners.lossless_tree.nodes import (
    COLUMN,
    CUT,
    END,
    LEAST,
    LEFT,
    MOST,
    SETTLED,
    STATE,
    TABLE,
    TESTS,
    VALUE,
    drop_table,
    fill_table,
    fold,
    gather,
    hang,
    split,
    take_table,
)
from ensembles.learners.lossless_tree.scores import rate_test
from ensembles.learners.lossless_tree.store import CLASS, CRITERION, EXAMPLE, SECOND, ZERO

__all__ = ["choose_node"]

_LEAST_SCORE = 1e-9
_MIXED = -1
_NOT_GATHERED = -1

# Rows of `best`, and what stands in them.
_BEST, _FIRST = 0, 1  # the best test, and the first one of all
_SCORE, _COLUMN, _VALUE, _CUT, _WEIGHT = range(5)  # the last is that of its true side


@part
def choose_node(members, m, v):
    """Make node v what it should be: a leaf, or the best test with a leaf or a subtree on both sides."""
    nodes, node_statistics, best = members.nodes, members.node_statistics, members.best
    n = _look_for_test(members, m, v)
    row = _BEST if best[_BEST, _COLUMN] >= 0.0 or members.settings[ZERO] == 0.0 else _FIRST
    column, value, cut = int(best[row, _COLUMN]), int(best[row, _VALUE]), best[row, _CUT]
    node_statistics[v, LEAST] = 1.0
    node_statistics[v, MOST] = bits_of_leaf(members.weights, v)
    interior = nodes[v, COLUMN] >= 0
    # Left sides of two cuts lie in one another: they are the same if they weigh the same.
    same = column == nodes[v, COLUMN] and (
        value == nodes[v, VALUE] if value >= 0 else best[row, _WEIGHT] == _weight_of(members.weights, nodes[v, LEFT])
    )
    if interior and not same:
        if n == _NOT_GATHERED:
            n = gather(members, m, v)
        fold(nodes, members.spare, members.stock, v)
    if column >= 0:
        nodes[v, COLUMN] = column
        nodes[v, VALUE] = value
        node_statistics[v, CUT] = cut
        nodes[v, STATE] = SETTLED
        if not (interior and same):
            split(members, m, v, n)
        return
    drop_table(nodes, members.spare, members.stock, v)
    if interior:
        for g in range(n):
            hang(nodes, members.links, m, v, members.gathered[g])
    nodes[v, STATE] = END
    node_statistics[v, LEAST] = node_statistics[v, MOST]


@inner
def _weight_of(weights, v):
    total = 0.0
    for c in range(weights.shape[1]):
        total += weights[v, c]
    return total


@inner
def _look_for_test(members, m, v):
    """Write the best test of node v into `best`; return how many pairs were gathered for that."""
    nodes, best, stock = members.nodes, members.best, members.stock
    best[_BEST, _SCORE] = _LEAST_SCORE
    best[_BEST, _COLUMN] = -1.0
    best[_FIRST, _COLUMN] = -1.0
    n_present, total, second = _look_at_classes(members, v)
    if n_present < 2 or second < members.settings[SECOND]:
        return _NOT_GATHERED
    n, t, n_nominal = _NOT_GATHERED, nodes[v, TABLE], members.first.shape[0] - 1
    if t == 0 or n_nominal < members.place.shape[0]:
        n = gather(members, m, v)
    if t == 0 and n_nominal > 0:
        t = take_table(members.spare, stock, members.settings, members.tables.shape[0], n)
        fill_table(members, m, t, n)
        nodes[v, TABLE] = t
    tests = 0
    for a in range(members.place.shape[0]):
        column = members.place[a]
        if column < n_nominal:
            tests += _try_values(members, t, column, n_present, total)
        else:
            tests += _try_cuts(members, m, column, n, n_present, total)
    nodes[v, TESTS] = tests
    return n


@inner
def _look_at_classes(members, v):
    """List the classes of node v; return how many, their weight, and that of the second heaviest."""
    weights, present, work = members.weights, members.present, members.work
    n, total, heaviest, second = 0, 0.0, 0.0, 0.0
    for c in range(weights.shape[1]):
        w = weights[v, c]
        if w > 0.0:
            present[n] = c
            work[1, n] = w
            n += 1
            total += w
            if w > heaviest:
                second = heaviest
                heaviest = w
            else:
                second = max(second, w)
    return n, total, second


@inner
def _try_values(members, t, column, n_present, total):
    """Rate the tests of a nominal attribute; return how many there are, two values being one question."""
    tables, work, present = members.tables, members.work, members.present
    observed = 0
    for value in range(members.first[column], members.first[column + 1]):
        weight = 0.0
        for k in range(n_present):
            w = tables[t, value, present[k]]
            work[0, k] = w
            weight += w
        if weight > 0.0:
            observed += 1
            if weight < total:
                score = rate_test(work, n_present, weight, total, members.settings[CRITERION])
                _consider(members.best, score, column, value, 0.0, weight)
    return observed if observed > 2 else max(observed - 1, 0)


@inner
def _try_cuts(members, m, column, n, n_present, total):
    """Rate the tests of a numeric attribute; return how many there are."""
    work, present, bins, values = members.work, members.present, members.bins, members.values
    length, in_order = _sort_into_bins(members, m, column, n)
    tests, weight, before, kind_before = 0, 0.0, -1, _MIXED
    for k in range(n_present):
        work[0, k] = 0.0
    for step in range(length):
        s = members.order[column - (members.first.shape[0] - 1), step] if in_order else members.touched[step]
        found, kind = 0, _MIXED
        for k in range(n_present):
            if bins[s, present[k]] > 0.0:
                found += 1
                kind = k
        if found == 0:  # not below this node, or seen a moment ago
            continue
        if found > 1:
            kind = _MIXED
        if before >= 0 and (kind == _MIXED or kind != kind_before):
            tests += 1
            score = rate_test(work, n_present, weight, total, members.settings[CRITERION])
            _consider(members.best, score, column, -1, _middle(values[before], values[s]), weight)
        for k in range(n_present):
            w = bins[s, present[k]]
            work[0, k] += w
            weight += w
            bins[s, present[k]] = 0.0
        before, kind_before = s, kind
    return tests


@inner
def _consider(best, score, column, value, cut, weight):
    """Take down a test that is better than those before it, and the first one of all."""
    if exceeds(score, best[_BEST, _SCORE], True):
        _take_down(best, _BEST, score, column, value, cut, weight)
    if best[_FIRST, _COLUMN] < 0.0:
        _take_down(best, _FIRST, score, column, value, cut, weight)


@inner
def _take_down(best, row, score, column, value, cut, weight):
    best[row, _SCORE] = score
    best[row, _COLUMN] = column
    best[row, _VALUE] = value
    best[row, _CUT] = cut
    best[row, _WEIGHT] = weight


@inner
def _middle(low, high):
    """Return a cut with low < cut <= high."""
    cut = low + (high - low) / 2.0
    return cut if cut > low else high


@inner
def _sort_into_bins(members, m, column, n):
    """Add the gathered pairs to the bins of a numeric column; return how many slots to look at and where they stand.

    They stand in the order of all values if there are few of those, otherwise, with repeats, in `touched`.
    """
    keys, pairs, gathered, mass = members.keys, members.pairs, members.gathered, members.mass
    bins, touched, values = members.bins, members.touched, members.values
    known = members.counts[column - (members.first.shape[0] - 1)]
    length = 0
    for g in range(n):
        p = gathered[g]
        s = keys[pairs[p, EXAMPLE], column]
        if s >= 0:
            bins[s, pairs[p, CLASS]] += mass[m, p]
            touched[length] = s
            length += 1
    if known < 4 * length:
        return known, True
    _sort_slots(touched, values, length)
    return length, False


@inner
def _sort_slots(touched, values, length):
    """Sort slots by their values (Shell's sort)."""
    gap = 1
    while gap < length:
        gap = 3 * gap + 1
    while gap > 1:
        gap //= 3
        for g in range(gap, length):
            s = touched[g]
            x = values[s]
            h = g
            while h >= gap and values[touched[h - gap]] > x:
                touched[h] = touched[h - gap]
                h -= gap
            touched[h] = s
