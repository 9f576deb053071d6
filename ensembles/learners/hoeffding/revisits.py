"""Whether the nodes of a Hoeffding tree come back to their tests, and how: the difference between VFDT and HATT.

Manapragada, Webb & Salehi (2018), algorithms 1 and 3.

Children come after their parent in the arrays, and those of a node follow each other. When what lies below a node is taken
away, the nodes behind it move up; the node itself and those above it stay where they are.
"""

from ensembles.jit import inner, operation, part
from ensembles.learners.hoeffding.leaf import branch_of, descend
from ensembles.learners.hoeffding.members import (
    FRESH,
    LEAF,
    RIGHT_BAYES,
    RIGHT_MAJORITY,
    SINCE,
    TAU,
    Revisited,
    Settled,
)
from ensembles.learners.hoeffding.merits import best_test, merit_of
from ensembles.learners.hoeffding.split import add_to_tables, bound_of, give_back, split_leaf

__all__ = ["walk"]


@operation
def walk(kind, members, m, rows, i, label, weight):
    """Return, as `descend`, where example i ends, which all nodes on its way count if they come back to their tests."""


@walk.implement(Settled)
def _descend(kind, members, m, rows, i, label, weight):
    return descend(members, m, rows, i)


@walk.implement(Revisited)
def _count_on_the_way(kind, members, m, rows, i, label, weight):
    nodes, node_statistics = members.nodes, members.node_statistics
    node, parent = 0, -1
    while nodes[m, node, 0] >= 0:
        if node_statistics[m, node, SINCE] >= kind.period[0]:
            _come_back(members, m, node)
        a = nodes[m, node, 0]
        if a < 0:
            break
        members.weights[m, node, label] += weight
        add_to_tables(members, nodes[m, node, 2], rows, i, label, weight)
        node_statistics[m, node, SINCE] += weight
        parent = node
        node = nodes[m, node, 1] + branch_of(members, m, node, a, rows, i)
    return node, parent


@part
def _come_back(members, m, node):
    """Put a surely better test in the place of that of a node, and fresh leaves in that of all below; or have no test."""
    s, held = members.nodes[m, node, 2], members.nodes[m, node, 0]
    members.node_statistics[m, node, SINCE] = 0.0
    chosen, cut, best, _ = best_test(members, s)
    if chosen == held:
        return
    merit, _ = merit_of(members, s, held)
    bound, tau = bound_of(members, m, node), members.split_parameters[m, TAU]
    if best - merit > bound or (bound < tau and best - merit > tau / 2.0):
        _take_away_below(members, m, node)
        if chosen != LEAF:
            split_leaf(members, m, node, chosen, cut)


@part
def _take_away_below(members, m, node):
    """Make a node a leaf, which keeps its tables."""
    nodes, marks, size = members.nodes, members.revisits.marks, members.sizes[m]
    for k in range(size):
        marks[m, k] = 0
    for k in range(node, size):
        if nodes[m, k, 0] >= 0 and (k == node or marks[m, k] < 0):
            for b in range(_count_branches(members, nodes[m, k, 0])):
                marks[m, nodes[m, k, 1] + b] = -1
    nodes[m, node, 0], nodes[m, node, 1] = LEAF, 0
    members.node_statistics[m, node, RIGHT_MAJORITY] = 0.0
    members.node_statistics[m, node, RIGHT_BAYES] = 0.0
    _move_up(members, m, size)


@inner
def _move_up(members, m, size):
    """Close the gaps that nodes marked -1 leave."""
    nodes, marks, kept = members.nodes, members.revisits.marks, 0
    for k in range(size):
        if marks[m, k] < 0:
            if nodes[m, k, 2] >= 0:
                give_back(members, m, k, FRESH)
            continue
        if kept < k:
            _copy_row(nodes, m, k, kept)
            _copy_row(members.node_statistics, m, k, kept)
            _copy_row(members.weights, m, k, kept)
        marks[m, k] = kept
        kept += 1
    members.sizes[m] = kept
    for k in range(kept):
        if nodes[m, k, 0] >= 0:
            nodes[m, k, 1] = marks[m, nodes[m, k, 1]]


@inner
def _copy_row(array, m, source, target):
    for j in range(array.shape[2]):  # an assignment of rows would make a copy first
        array[m, target, j] = array[m, source, j]


@inner
def _count_branches(members, a):
    return members.first[a + 1] - members.first[a] if a < members.first.shape[0] - 1 else 3
