"""How a leaf of a regression tree counts, and how it splits: tables of targets, variance reduction, the Hoeffding bound.

Ikonomovska, Gama & Džeroski (2011), section 4; MOA's FIMTDD with `VarianceReductionSplitCriterion`.
"""

import math

from ensembles.jit import inner, part
from ensembles.learners.core.criteria import exceeds
from ensembles.methods.gradient_boosting.trees import (
    ALTERNATE,
    ATTRIBUTE,
    CUT,
    DELTA,
    ERRORS,
    GRACE,
    LEAF,
    LEFT,
    LOWEST,
    MAX_NODES,
    NONE,
    PARENT,
    RIGHT,
    SINCE,
    SLOT,
    SQUARES,
    SUM,
    TAU,
    WATCHES,
    WEIGHT,
)

__all__ = ["child_of", "give_back_slot", "learn_leaf", "new_leaf", "value_at"]

_LEAST_SIDE = 5.0


@inner
def child_of(trees, t, node, rows, i):
    """Return the child of a node to which example i goes; a missing number is larger than any."""
    a, n_nominal = trees.nodes[t, node, ATTRIBUTE], trees.first.shape[0] - 1
    if a < n_nominal:
        left = rows.codes[i, a] != trees.values[t, node, CUT]
    else:
        left = rows.numbers[i, a - n_nominal] <= trees.values[t, node, CUT]
    return trees.nodes[t, node, LEFT] if left else trees.nodes[t, node, RIGHT]


@inner
def value_at(trees, t, node, rows, i):
    """Return what a subtree says of example i: the mean target of its leaf, 0 if it has none."""
    while trees.nodes[t, node, ATTRIBUTE] != LEAF:
        node = child_of(trees, t, node, rows, i)
    weight = trees.values[t, node, WEIGHT]
    return trees.values[t, node, SUM] / weight if weight > 0.0 else 0.0


@inner
def new_leaf(trees, t, parent, watches):
    """Return a leaf that has learned nothing: a node given back, or one never used."""
    nodes, sizes = trees.nodes, trees.sizes
    node = sizes[t, 1]
    if node == NONE:
        node = sizes[t, 0]
        sizes[t, 0] += 1
    else:
        sizes[t, 1] = nodes[t, node, LEFT]
        sizes[t, 2] -= 1
    nodes[t, node, ATTRIBUTE], nodes[t, node, LEFT], nodes[t, node, RIGHT] = LEAF, NONE, NONE
    nodes[t, node, PARENT], nodes[t, node, ALTERNATE] = parent, NONE
    nodes[t, node, WATCHES], nodes[t, node, SLOT] = watches, NONE
    for j in range(trees.values.shape[2]):
        trees.values[t, node, j] = 0.0
    return node


@inner
def _may_grow(trees, t):
    """Return whether a tree has room for two more nodes."""
    return trees.sizes[t, 0] - trees.sizes[t, 2] + 2 <= trees.settings[MAX_NODES]


@part
def learn_leaf(trees, t, node, rows, i, target, weight, error, grows):
    """Count the target of example i in a leaf; if it `grows` and it is time, try to split it."""
    values = trees.values
    values[t, node, WEIGHT] += weight
    values[t, node, SUM] += weight * target
    values[t, node, SQUARES] += weight * target * target
    values[t, node, ERRORS] += weight * error
    s = trees.nodes[t, node, SLOT]
    if s == NONE:
        s = _take_slot(trees)
        trees.nodes[t, node, SLOT] = s
    _count(trees, t, s, rows, i, target, weight)
    if grows and values[t, node, WEIGHT] - values[t, node, SINCE] >= trees.settings[GRACE]:
        values[t, node, SINCE] = values[t, node, WEIGHT]
        if _may_grow(trees, t):
            _try_split(trees, t, node)


@inner
def _take_slot(trees):
    """Return a slot with empty tables; there is always one, see `has_room`."""
    stock = trees.stock
    if stock[0] > 0:
        stock[0] -= 1
        s = trees.spare[stock[0]]
    else:
        s = stock[1]
        stock[1] += 1
    trees.cells[s] = 0.0
    trees.filled[s] = 0
    return s


@inner
def give_back_slot(trees, t, node):
    """Take the tables of a node from it."""
    if trees.nodes[t, node, SLOT] != NONE:
        trees.spare[trees.stock[0]] = trees.nodes[t, node, SLOT]
        trees.stock[0] += 1
        trees.nodes[t, node, SLOT] = NONE


@inner
def _count(trees, t, s, rows, i, target, weight):
    """Count a target in the tables of slot s, for the attributes that tree t may ask for."""
    n_nominal = trees.first.shape[0] - 1
    for a in range(n_nominal):
        if trees.chosen[t, a] == 1:
            _add(trees.cells[s, rows.codes[i, a]], target, weight)
    for n in range(trees.filled.shape[1]):
        x = rows.numbers[i, n]
        if trees.chosen[t, n_nominal + n] == 1 and not math.isnan(x):
            _count_number(trees, s, n, x, target, weight)


@inner
def _add(sums, target, weight):
    sums[0] += weight
    sums[1] += weight * target
    sums[2] += weight * target * target


@inner
def _count_number(trees, s, n, x, target, weight):
    """Count a number in its bin; the first numbers that come become cuts, with a bin each, until all bins are taken."""
    cuts, bins, filled = trees.cuts, trees.bins, trees.filled[s, n]
    low, high = 0, filled
    while low < high:
        middle = (low + high) // 2
        if cuts[s, n, middle] < x:
            low = middle + 1
        else:
            high = middle
    if filled < cuts.shape[2] and (low == filled or cuts[s, n, low] != x):
        for j in range(filled, low, -1):
            cuts[s, n, j] = cuts[s, n, j - 1]
            bins[s, n, j, 0], bins[s, n, j, 1], bins[s, n, j, 2] = (
                bins[s, n, j - 1, 0],
                bins[s, n, j - 1, 1],
                bins[s, n, j - 1, 2],
            )
        cuts[s, n, low] = x
        bins[s, n, low, 0], bins[s, n, low, 1], bins[s, n, low, 2] = 0.0, 0.0, 0.0
        trees.filled[s, n] = filled + 1
        filled += 1
    if low < filled:
        _add(bins[s, n, low], target, weight)


@inner
def _merit(values, t, node, weight, total, squares):
    """Return how much the variance of a leaf's targets falls if those with these sums go left; 0 if a side is light."""
    whole, rest = values[t, node, WEIGHT], values[t, node, WEIGHT] - weight
    if weight < _LEAST_SIDE or rest < _LEAST_SIDE:
        return 0.0
    other = values[t, node, SUM] - total
    inside = (squares - total * total / weight) + (values[t, node, SQUARES] - squares - other * other / rest)
    mean = values[t, node, SUM] / whole
    return (values[t, node, SQUARES] - inside) / whole - mean * mean


@part
def _try_split(trees, t, node):
    """Split a leaf if its best test is surely the best, or as good as any."""
    values, settings, s = trees.values, trees.settings, trees.nodes[t, node, SLOT]
    n_nominal = trees.first.shape[0] - 1
    chosen, cut, best, second = NONE, 0.0, 0.0, 0.0
    for a in range(trees.chosen.shape[1]):
        if trees.chosen[t, a] == 0:
            continue
        if a < n_nominal:
            start, stop = trees.first[a], trees.first[a + 1]
            for v in range(start + (1 if stop - start <= 3 else 0), stop):  # of two values one is enough
                merit = _merit(values, t, node, trees.cells[s, v, 0], trees.cells[s, v, 1], trees.cells[s, v, 2])
                second = max(second, min(merit, best))
                if exceeds(merit, best, True):
                    chosen, cut, best = a, float(v), merit
        else:
            merit, where = _best_cut(trees, t, node, a - n_nominal)
            second = max(second, min(merit, best))
            if exceeds(merit, best, True):
                chosen, cut, best = a, where, merit
    bound = math.sqrt(-math.log(settings[DELTA]) / (2.0 * values[t, node, WEIGHT]))
    if chosen != NONE and (second < best * (1.0 - bound) or bound < settings[TAU]):
        _split(trees, t, node, chosen, cut)


@inner
def _best_cut(trees, t, node, n):
    """Return merit and place of the best cut of numeric attribute n."""
    s = trees.nodes[t, node, SLOT]
    weight, total, squares, best, cut = 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(trees.filled[s, n]):
        weight += trees.bins[s, n, j, 0]
        total += trees.bins[s, n, j, 1]
        squares += trees.bins[s, n, j, 2]
        merit = _merit(trees.values, t, node, weight, total, squares)
        if exceeds(merit, best, True):
            best, cut = merit, trees.cuts[s, n, j]
    return best, cut


@inner
def _split(trees, t, node, a, cut):
    """Give a leaf a test and two leaves that have learned nothing."""
    nodes, values = trees.nodes, trees.values
    give_back_slot(trees, t, node)
    left = new_leaf(trees, t, node, nodes[t, node, WATCHES])
    right = new_leaf(trees, t, node, nodes[t, node, WATCHES])
    nodes[t, node, ATTRIBUTE], nodes[t, node, LEFT], nodes[t, node, RIGHT] = a, left, right
    values[t, node, CUT] = cut
    values[t, node, LOWEST] = math.inf
