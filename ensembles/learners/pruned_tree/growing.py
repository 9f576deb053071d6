"""Growing and pruning one decision tree from all its examples: the kernels behind the pruned tree.

A split deals the positions of its node out to the branches, and every order with them, without sorting again. Nodes are
visited depth first, so that a subtree is whole, and can give way to a leaf, before its neighbour begins: its nodes are the
last of the table.
"""

from ensembles.jit import inner, kernel, part
from ensembles.learners.core.criteria import bits_of_leaf, bits_of_test
from ensembles.learners.pruned_tree.capacity import MDL, UNPRUNED
from ensembles.learners.pruned_tree.nodes import (
    BRANCH,
    COLUMN,
    FIRST,
    KIND,
    LABEL,
    LEAF,
    PARENT,
    VALUES,
    WIDTH,
    branch_of,
    label_of,
)  # fmt: skip
from ensembles.learners.pruned_tree.pruning import errors_of_leaf
from ensembles.learners.pruned_tree.scores import ASKS, CUT
from ensembles.learners.pruned_tree.split_candidates import best_test
from ensembles.learners.pruned_tree.thresholds import POSITION

__all__ = ["grow"]


@kernel
def grow(growth, rules, rows):
    """Grow a tree, and prune it if the rules say so; return the number of its nodes."""
    positions, tree, search, dealing = growth.positions, growth.tree, growth.search, growth.dealing
    nodes, spans, weights, label, weight = tree.nodes, tree.spans, tree.weights, positions.label, positions.weight
    nodes[0, PARENT], nodes[0, BRANCH] = 0, 0
    spans[0, 0], spans[0, 1], spans[0, 2] = 0, label.shape[0], 0
    weights[0] = 0.0
    for p in range(label.shape[0]):
        weights[0, label[p]] += weight[p]
    top, v = 1, 0
    while True:
        nodes[v, LABEL] = label_of(nodes, weights, 0, v)
        _make_leaf(tree, v, rules)
        if _may_split(spans, weights, v, rules):
            a = best_test(positions, tree, search, rules, v, rows)
            if a >= 0:
                nodes[v, KIND], nodes[v, COLUMN] = int(search.tests[a, ASKS]), search.column[a]
                tree.cut[v] = search.tests[a, CUT]
                top = _split(positions, tree, dealing, search.values, rules, v, rows, top)
                v = nodes[v, FIRST]
                continue
        while v > 0:  # this subtree is whole: on to its neighbour, or up
            parent = nodes[v, PARENT]
            if spans[parent, 3] < nodes[parent, FIRST] + nodes[parent, WIDTH]:
                break
            v = parent
            top = _prune(tree, v, rules, top)
        if v == 0:
            return top
        parent = nodes[v, PARENT]
        v = spans[parent, 3]
        spans[parent, 3] += 1


@part
def _make_leaf(tree, v, rules):
    nodes = tree.nodes
    nodes[v, KIND], nodes[v, FIRST], nodes[v, WIDTH], nodes[v, COLUMN] = LEAF, 0, 0, 0
    tree.cut[v] = 0.0
    if rules.prune == MDL:
        tree.errors[v] = bits_of_leaf(tree.weights, v)
    elif rules.prune != UNPRUNED:
        tree.errors[v] = errors_of_leaf(tree.weights, v, rules.z, rules.confidence)


@inner
def _may_split(spans, weights, v, rules):
    if rules.max_depth > 0 and spans[v, 2] >= rules.max_depth:
        return False
    present, total = 0, 0.0
    for c in range(weights.shape[1]):
        present += weights[v, c] > 0.0
        total += weights[v, c]
    return present > 1 and total >= 2.0 * rules.least_weight


@part
def _split(positions, tree, dealing, values, rules, v, rows, top):
    """Deal the examples of node v out by what it asks, and put its children behind `top`."""
    nodes, spans, weights, starts, side = tree.nodes, tree.spans, tree.weights, dealing.starts, dealing.side
    low, high = spans[v, 0], spans[v, 1]
    n_branches = values[nodes[v, COLUMN]] + 1 if nodes[v, KIND] == VALUES else 3
    starts[: n_branches + 1] = 0
    for p in range(low, high):
        b = branch_of(nodes, tree.cut, values, v, rows, positions.example[p])
        side[p] = b
        starts[b + 1] += 1
    nodes[v, FIRST], spans[v, 3] = top, top + 1
    at = low
    for b in range(n_branches):
        count = starts[b + 1]
        starts[b] = at
        if count > 0:
            nodes[top, PARENT], nodes[top, BRANCH] = v, b
            spans[top, 0], spans[top, 1], spans[top, 2] = at, at + count, spans[v, 2] + 1
            weights[top] = 0.0
            dealing.child[b] = top
            top += 1
        at += count
    nodes[v, WIDTH] = top - nodes[v, FIRST]
    _deal_examples(positions, weights, dealing, low, high, n_branches)
    for child in range(nodes[v, FIRST], top):
        if _may_split(spans, weights, child, rules):  # nobody reads the orders of leaves
            _deal_orders(positions.keys, dealing, low, high, n_branches)
            break
    return top


@inner
def _back_to_start(starts, n_branches, low):
    for b in range(n_branches, 0, -1):
        starts[b] = starts[b - 1]
    starts[0] = low


@part
def _deal_examples(positions, weights, dealing, low, high, n_branches):
    """Deal the positions [low, high) out to the branches, which begin at `starts`, and count the classes of the children."""
    starts, side, moved, child = dealing.starts, dealing.side, dealing.moved, dealing.child
    example, label, weight = positions.example, positions.label, positions.weight
    for p in range(low, high):
        b = side[p]
        to = starts[b]
        starts[b] = to + 1
        moved[p] = to
        dealing.spare_example[to], dealing.spare_label[to], dealing.spare_weight[to] = example[p], label[p], weight[p]
        weights[child[b], label[p]] += weight[p]
    for p in range(low, high):
        example[p], label[p], weight[p] = dealing.spare_example[p], dealing.spare_label[p], dealing.spare_weight[p]
    _back_to_start(starts, n_branches, low)


@part
def _deal_orders(keys, dealing, low, high, n_branches):
    """Deal the stretch [low, high) of every order out to the branches, each in its order."""
    spare, side, moved, starts = dealing.spare_key, dealing.side, dealing.moved, dealing.starts
    if n_branches == 3 and starts[2] == high:
        middle = starts[1]
        for s in range(keys.shape[0]):
            left, right = low, middle
            for j in range(low, high):  # both writes, and one of them counts: no branch to prepare_example
                key = keys[s, j]
                p = key & POSITION
                to = moved[p]
                goes_right = to >= middle
                key += to - p
                keys[s, left] = key
                spare[right] = key
                left += 1 - goes_right
                right += goes_right
            for j in range(middle, high):
                keys[s, j] = spare[j]
        return
    for s in range(keys.shape[0]):
        for j in range(low, high):
            key = keys[s, j]
            p = key & POSITION
            b = side[p]
            spare[starts[b]] = key + (moved[p] - p)
            starts[b] += 1
        _back_to_start(starts, n_branches, low)
        for j in range(low, high):
            keys[s, j] = spare[j]


@part
def _prune(tree, v, rules, top):
    """Replace the subtree of v by a leaf if that costs no more; return the new number of nodes."""
    nodes, errors = tree.nodes, tree.errors
    if rules.prune == UNPRUNED:
        return top
    below = bits_of_test(tree.spans[v, 4]) if rules.prune == MDL else 0.0
    for child in range(nodes[v, FIRST], nodes[v, FIRST] + nodes[v, WIDTH]):
        below += errors[child]
    slack = 0.0 if rules.prune == MDL else rules.slack
    if errors[v] <= below + slack + 1e-10:
        top = nodes[v, FIRST]
        _make_leaf(tree, v, rules)
    else:
        errors[v] = below
    return top
