"""What a leaf of a Hoeffding tree has counted, and how it splits: the tables of leaves, and the bound.

Domingos & Hulten (2000), table 1.
"""

import math

import numpy as np

from ensembles.jit import inner, operation, part
from ensembles.learners.hoeffding.counts import add_numbers
from ensembles.learners.hoeffding.leads import greatest_lead
from ensembles.learners.hoeffding.members import (
    CURRENT,
    CUT,
    FRESH,
    GINI,
    LEAF,
    LOG_DELTA,
    MAX_NODES,
    OFF,
    SINCE,
    TAU,
    Revisited,
    Settled,
)
from ensembles.learners.hoeffding.merits import best_test, estimate_sides
from ensembles.learners.hoeffding.shares import has_gaps
from ensembles.learners.hoeffding.subspaces import (
    count_nominal,
    draw_attributes,
    nominal_at,
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
    members.normals[s] = 1.0  # also classes without weight go through divisions, in lanes beside others
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
        members.outlooks[s, CURRENT, label] = 0.0
        if add_numbers(members.subspaces, members, s, label, rows.numbers, i, weight):
            for c in range(members.outlooks.shape[2]):
                members.outlooks[s, CURRENT, c] = 0.0


@part
def try_split(members, m, node):
    """Split the leaf if its best test is surely the best; put it off for ever if having none surely is.

    Where nodes come back to their tests, it is enough that the test is surely better than none. A leaf that knows no test
    yet, as all attributes were constant or missing, goes on.
    """
    members.node_statistics[m, node, SINCE] = 0.0
    revisits, s = comes_back(members.revisits), members.nodes[m, node, 2]
    bound, tau = bound_of(members, m, node), members.split_parameters[m, TAU]
    if bound >= tau and members.moments.shape[3] > 0 and greatest_lead(members, s, revisits) <= bound:
        return
    chosen, cut, best, second = best_test(members, s)
    ahead = best if revisits else best - second
    if ahead > bound or bound < tau:
        if chosen != LEAF:
            split_leaf(members, m, node, chosen, cut)
        elif not revisits and second > -np.inf:
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
