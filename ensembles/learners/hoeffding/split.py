"""What a leaf of a Hoeffding tree has counted, and how it splits: the tables of leaves, and the bound.

Domingos & Hulten (2000), table 1.
"""

import math

import numpy as np

from ensembles.jit import inner, operation, part
from ensembles.learners.hoeffding.members import (
    ABSENT,
    CURRENT,
    CUT,
    FRESH,
    GINI,
    HIGH,
    LEAF,
    LOG_DELTA,
    LOW,
    MAX_NODES,
    MEAN,
    OFF,
    SINCE,
    SQUARES,
    TAU,
    WEIGHT,
    Revisited,
    Settled,
)
from ensembles.learners.hoeffding.merits import best_test, estimate_sides
from ensembles.learners.hoeffding.shares import has_gaps
from ensembles.learners.hoeffding.subspaces import (
    count_nominal,
    count_numeric,
    draw_attributes,
    nominal_at,
    numeric_at,
)

__all__ = ["add_to_tables", "bound_of", "comes_back", "give_back", "split_leaf", "take_slot", "try_split"]


@part
def take_slot(members, m, node):
    """Give a leaf empty tables; return its slot, or FRESH if the pool is used up."""
    stock = members.stock
    if stock[0] > 0:
        stock[0] -= 1
        s = members.spare[stock[0]]
    elif stock[1] < members.spare.shape[0]:
        s = stock[1]
        stock[1] += 1
    else:
        return FRESH
    members.cells[s] = 0.0
    members.seen[s] = 0.0
    members.gaps[s] = False
    members.moments[s] = 0.0
    members.outlooks[s] = 0.0
    members.spread[s, 0] = np.inf
    members.spread[s, 1] = -np.inf
    members.spread[s, 2] = 0.0
    members.nodes[m, node, 2] = s
    draw_attributes(members.subspaces, m, s, members.order.shape[0], members.first.shape[0] - 1)
    return s


@inner
def add_to_tables(members, s, rows, i, label, weight):
    """Count example i in slot s."""
    cells, codes, subspaces = members.cells, rows.codes, members.subspaces
    members.seen[s, label] += weight
    members.gaps[s] = members.gaps[s] or has_gaps(members.first, codes, i)
    for j in range(count_nominal(subspaces, s, codes.shape[1])):
        cells[s, codes[i, nominal_at(subspaces, s, j)], label] += weight
    if rows.numbers.shape[1] > 0:
        members.outlooks[s, label, CURRENT] = 0.0
        if _add_numbers(members, s, members.moments[s, label], members.spread[s], rows.numbers[i], weight):
            for c in range(members.outlooks.shape[1]):
                members.outlooks[s, c, CURRENT] = 0.0


@inner
def _add_numbers(members, s, moments, spread, numbers, weight):
    """Count the numbers of an example; return whether any lies beyond those before.

    Choices instead of branches, so that the loop runs several attributes at a time.
    """
    subspaces, n_nominal, beyond = members.subspaces, members.first.shape[0] - 1, 0
    for j in range(count_numeric(subspaces, s, numbers.shape[0])):
        n = numeric_at(subspaces, s, j, n_nominal)
        missing = math.isnan(numbers[n])
        x = moments[MEAN, n] if missing else numbers[n]
        share = 0.0 if missing else weight
        before, mean = moments[WEIGHT, n], moments[MEAN, n]
        after = before + share
        moments[WEIGHT, n] = after
        moments[MEAN, n] = mean + (x - mean) * (share / (after if after > 0.0 else 1.0))
        moments[SQUARES, n] += share * (x - mean) * (x - moments[MEAN, n])
        moments[ABSENT, n] += weight - share
        low, high = moments[LOW, n], moments[HIGH, n]
        moments[LOW, n] = x if not missing and (before == 0.0 or x < low) else low
        moments[HIGH, n] = x if not missing and (before == 0.0 or x > high) else high
        least, greatest = spread[0, n], spread[1, n]
        beyond += 1 if not missing and (x < least or x > greatest) else 0
        spread[0, n] = x if not missing and x < least else least
        spread[1, n] = x if not missing and x > greatest else greatest
        width = spread[1, n] - spread[0, n]
        spread[2, n] = spread[2, n] if missing else 1e-9 * (width * width / 12.0) + 1e-12
    return beyond > 0


@part
def try_split(members, m, node):
    """Split the leaf if its best test is surely the best; put it off for ever if having none surely is.

    Where nodes come back to their tests, it is enough that the test is surely better than none.
    """
    members.node_statistics[m, node, SINCE] = 0.0
    revisits = comes_back(members.revisits)
    chosen, cut, best, second = best_test(members, members.nodes[m, node, 2])
    bound = bound_of(members, m, node)
    ahead = best if revisits else best - second
    if ahead > bound or bound < members.split_parameters[m, TAU]:
        if chosen != LEAF:
            split_leaf(members, m, node, chosen, cut)
        elif not revisits:
            give_back(members, m, node, OFF)


@inner
def bound_of(members, m, node):
    """Return Hoeffding's bound on the error of a difference of merits at a node."""
    weight, known = 0.0, 0
    for c in range(members.totals.shape[1]):
        weight += members.weights[m, node, c]
        known += members.totals[m, c] > 0.0
    reach = 1.0 if members.settings[GINI] == 1.0 else math.log2(max(2.0, float(known)))
    return math.sqrt(reach * reach * members.split_parameters[m, LOG_DELTA] / (2.0 * weight))


@inner
def give_back(members, m, node, instead):
    """Return the tables of a node to the pool."""
    members.spare[members.stock[0]] = members.nodes[m, node, 2]
    members.stock[0] += 1
    members.nodes[m, node, 2] = instead


@part
def split_leaf(members, m, node, a, cut):
    """Make a leaf a node; its children start with the class weights that the tables tell, or the cut estimates."""
    nodes, node_statistics, weights, sides = members.nodes, members.node_statistics, members.weights, members.work
    s, n_nominal = nodes[m, node, 2], members.first.shape[0] - 1
    start = members.sizes[m]
    n_children = members.first[a + 1] - members.first[a] if a < n_nominal else 3
    if start + n_children > members.settings[MAX_NODES] or start + n_children > nodes.shape[1]:
        return
    if a >= n_nominal:
        estimate_sides(members, s, a - n_nominal, cut)
    for b in range(n_children):
        for c in range(weights.shape[2]):
            weights[m, start + b, c] = members.cells[s, members.first[a] + b, c] if a < n_nominal else sides[b, c]
        nodes[m, start + b, 0], nodes[m, start + b, 1], nodes[m, start + b, 2] = LEAF, 0, FRESH
        node_statistics[m, start + b] = 0.0
    members.sizes[m] += n_children
    if not comes_back(members.revisits):
        give_back(members, m, node, FRESH)
    nodes[m, node, 0], nodes[m, node, 1] = a, start
    node_statistics[m, node, CUT] = cut


@operation
def comes_back(kind):
    """Return whether nodes come back to their tests."""


@comes_back.implement(Settled)
def _never(kind):
    return False


@comes_back.implement(Revisited)
def _comes_back(kind):
    return True
