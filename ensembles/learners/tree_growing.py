"""Growing and pruning one decision tree from all its examples: the kernels behind the pruned tree.

Each numeric attribute keeps the examples in ascending order of its values, each node a stretch of all these orders; a split
deals every stretch out to the branches without sorting again. Nodes are visited depth first, so that a subtree is whole,
and can give way to a leaf, before its neighbour begins: its nodes are the last of the table.
"""

import math
from typing import NamedTuple

import numpy as np

from ensembles.jit import inner, kernel
from ensembles.learners.tree_nodes import (
    BRANCH,
    COLUMN,
    FIRST,
    KIND,
    LABEL,
    LEAF,
    N_FIELDS,
    PARENT,
    VALUES,
    WIDTH,
    branch_of,
    label_of,
)  # fmt: skip
from ensembles.learners.tree_tests import best_test

__all__ = ["Growth", "Rules", "grow", "pessimistic_errors", "room_for_growth"]

LARGEST_TABLE = 1 << 20  #: total weight up to which w lg w is looked up when all weights are whole


class Rules(NamedTuple):
    """The settings of the tree."""

    by_ratio: bool
    least_weight: float  # of two branches of a test
    max_depth: int  # 0: as deep as it takes
    binary: bool  # nominal tests ask for one value
    penalty: bool  # numeric gains are reduced by lg(cuts) / W
    prune: bool
    z: float
    slack: float


class Growth(NamedTuple):
    """Room for one tree: examples i, attributes a, nodes v, classes c."""

    order: np.ndarray  # (numeric attributes + 1, i) examples by value, missing last; the last row in any order
    buffer: np.ndarray  # (i + 1,) for dealing out
    side: np.ndarray  # (all examples,) branch that the example takes at the node being split
    starts: np.ndarray  # (branches + 1,)
    table: np.ndarray  # (branches, c) class weights
    logs: np.ndarray  # (weight + 1,) w lg w of whole numbers, empty when weights are fractions
    scratch: np.ndarray  # (5, c)
    tests: np.ndarray  # (a, 4) gain, score, cut and kind of the best test on each attribute; gain 0 if there is none
    nodes: np.ndarray  # (v, N_FIELDS)
    spans: np.ndarray  # (v, 4) first and last + 1 of the node's stretch, depth, next child to visit
    cut: np.ndarray  # (v,)
    weights: np.ndarray  # (v, c)
    errors: np.ndarray  # (v,) pessimistic errors of the subtree
    ranks: np.ndarray  # (numeric attributes, all examples) rank of the value among the distinct ones, -1 missing
    numbers: np.ndarray  # (all examples, numeric attributes)
    codes: np.ndarray  # (nominal attributes, all examples)
    numeric: np.ndarray  # (a,) 1 if the attribute is numeric
    place: np.ndarray  # (a,) column of the attribute among its kind
    values: np.ndarray  # (nominal attributes,) number of values


def room_for_growth(members, rows, weights):
    """Return room for a tree over the examples of positive weight, their orders sorted."""
    live = np.flatnonzero(weights).astype(np.int32)
    n, n_numeric, n_classes = len(live), rows.numbers.shape[1], members.weights.shape[1]
    total = weights.sum()
    whole = total <= LARGEST_TABLE and not np.mod(weights, 1.0).any()
    branches = max(int(members.values.max(initial=0)) + 1, 3)
    growth = Growth(
        order=np.empty((n_numeric + 1, n), dtype=np.int32),
        buffer=np.empty(n + 1, dtype=np.int32),
        side=np.empty(len(weights), dtype=np.int32),
        starts=np.empty(branches + 1, dtype=np.int64),
        table=np.empty((branches, n_classes)),
        logs=np.empty(int(total) + 1 if whole else 0),
        scratch=np.empty((5, n_classes)),
        tests=np.empty((len(members.numeric), 4)),
        nodes=np.empty((2 * n, N_FIELDS), dtype=np.int32),
        spans=np.empty((2 * n, 4), dtype=np.int64),
        cut=np.empty(2 * n),
        weights=np.empty((2 * n, n_classes)),
        errors=np.empty(2 * n),
        ranks=np.ascontiguousarray(rows.slots.T),
        numbers=rows.numbers,
        codes=np.ascontiguousarray(rows.codes.T),
        numeric=members.numeric,
        place=members.place,
        values=members.values,
    )
    n_ranks = int(growth.ranks.max(initial=-1)) + 1
    _prepare(growth, live, np.empty(n_ranks + 2, dtype=np.int64))
    return growth


@kernel
def _prepare(growth, live, counts):
    """Sort the examples by each numeric attribute, by counting; fill the table of w lg w."""
    order, ranks, logs = growth.order, growth.ranks, growth.logs
    n = live.shape[0]
    last = counts.shape[0] - 2
    for j in range(n):
        order[order.shape[0] - 1, j] = live[j]
    for a in range(ranks.shape[0]):
        counts[:] = 0
        for j in range(n):
            r = ranks[a, live[j]]
            counts[(r if r >= 0 else last) + 1] += 1
        for r in range(last + 1):
            counts[r + 1] += counts[r]
        for j in range(n):
            r = ranks[a, live[j]]
            r = r if r >= 0 else last
            order[a, counts[r]] = live[j]
            counts[r] += 1
    for w in range(logs.shape[0]):
        logs[w] = w * math.log2(w) if w > 0 else 0.0


@kernel
def grow(growth, rules, rows, labels, weights):
    """Grow a tree, and prune it if the rules say so; return the number of its nodes."""
    nodes, spans, errors = growth.nodes, growth.spans, growth.errors
    nodes[0, PARENT], nodes[0, BRANCH] = 0, 0
    spans[0, 0], spans[0, 1], spans[0, 2] = 0, growth.order.shape[1], 0
    top, v = 1, 0
    while True:
        _count(growth, v, labels, weights)
        nodes[v, KIND], nodes[v, FIRST], nodes[v, WIDTH], nodes[v, COLUMN] = LEAF, 0, 0, 0
        errors[v] = _errors_of_leaf(growth.weights, v, rules.z)
        growth.cut[v] = 0.0
        if _may_split(growth, v, rules):
            a = best_test(growth, rules, v, labels, weights)
            if a >= 0:
                top = _split(growth, v, a, rows, top)
                v = nodes[v, FIRST]
                continue
        while v > 0:  # this subtree is whole: on to its neighbour, or up
            parent = nodes[v, PARENT]
            if spans[parent, 3] < nodes[parent, FIRST] + nodes[parent, WIDTH]:
                break
            v = parent
            top = _prune(growth, v, rules, top)
        if v == 0:
            return top
        parent = nodes[v, PARENT]
        v = spans[parent, 3]
        spans[parent, 3] += 1


@kernel
def _count(growth, v, labels, weights):
    """Add up the class weights of node v and say its class."""
    order, counted, spans = growth.order, growth.weights, growth.spans
    last = order.shape[0] - 1
    for c in range(counted.shape[1]):
        counted[v, c] = 0.0
    for j in range(spans[v, 0], spans[v, 1]):
        i = order[last, j]
        counted[v, labels[i]] += weights[i]
    growth.nodes[v, LABEL] = label_of(growth.nodes, counted, 0, v)


@inner
def _may_split(growth, v, rules):
    if rules.max_depth > 0 and growth.spans[v, 2] >= rules.max_depth:
        return False
    present = 0
    for c in range(growth.weights.shape[1]):
        present += growth.weights[v, c] > 0.0
    return present > 1


@kernel
def _split(growth, v, a, rows, top):
    """Give node v the best test on attribute a, deal its examples out, and put its children behind `top`."""
    nodes, spans, starts = growth.nodes, growth.spans, growth.starts
    order, side = growth.order, growth.side
    nodes[v, KIND], nodes[v, COLUMN] = int(growth.tests[a, 3]), growth.place[a]
    growth.cut[v] = growth.tests[a, 2]
    low, high = spans[v, 0], spans[v, 1]
    last = order.shape[0] - 1
    n_branches = growth.values[growth.place[a]] + 1 if nodes[v, KIND] == VALUES else 3
    starts[: n_branches + 1] = 0
    for j in range(low, high):
        i = order[last, j]
        b = branch_of(nodes, growth.cut, growth.values, v, rows, i)
        side[i] = b
        starts[b + 1] += 1
    nodes[v, FIRST], spans[v, 3] = top, top + 1
    at = low
    for b in range(n_branches):
        count = starts[b + 1]
        starts[b] = at
        if count > 0:
            nodes[top, PARENT], nodes[top, BRANCH] = v, b
            spans[top, 0], spans[top, 1], spans[top, 2] = at, at + count, spans[v, 2] + 1
            top += 1
        at += count
    nodes[v, WIDTH] = top - nodes[v, FIRST]
    _deal(growth, low, high, n_branches)
    return top


@kernel
def _deal(growth, low, high, n_branches):
    """Deal the stretch [low, high) of every order out to the branches, each in its order; `starts`: where they begin."""
    order, buffer, side, starts = growth.order, growth.buffer, growth.side, growth.starts
    if n_branches == 3 and starts[2] == high:
        middle = starts[1]
        for a in range(order.shape[0]):
            left, right = low, middle
            for j in range(low, high):  # both writes, and one of them counts: no branch to foresee
                i = order[a, j]
                s = side[i]
                order[a, left] = i
                buffer[right] = i
                left += 1 - s
                right += s
            for j in range(middle, high):
                order[a, j] = buffer[j]
        return
    for a in range(order.shape[0]):
        for j in range(low, high):
            i = order[a, j]
            buffer[starts[side[i]]] = i
            starts[side[i]] += 1
        for b in range(n_branches, 0, -1):
            starts[b] = starts[b - 1]
        starts[0] = low
        for j in range(low, high):
            order[a, j] = buffer[j]


@kernel
def _prune(growth, v, rules, top):
    """Replace the subtree of v by a leaf if that is not expected to make more errors; return the new number of nodes."""
    nodes, errors = growth.nodes, growth.errors
    if not rules.prune:
        return top
    below = 0.0
    for child in range(nodes[v, FIRST], nodes[v, FIRST] + nodes[v, WIDTH]):
        below += errors[child]
    if errors[v] <= below + rules.slack + 1e-10:
        top = nodes[v, FIRST]
        nodes[v, KIND], nodes[v, FIRST], nodes[v, WIDTH], nodes[v, COLUMN] = LEAF, 0, 0, 0
        growth.cut[v] = 0.0
    else:
        errors[v] = below
    return top


@inner
def _errors_of_leaf(weights, v, z):
    total, most = 0.0, 0.0
    for c in range(weights.shape[1]):
        total += weights[v, c]
        most = max(most, weights[v, c])
    return pessimistic_errors(total - most, total, z)


@kernel
def pessimistic_errors(wrong, n, z):
    """Return n times the upper limit, z deviations up, of the error rate of which `wrong` of n examples are a sample."""
    f = min((wrong + 0.5) / n, 1.0)
    deviation = z * math.sqrt(max(f / n - f * f / n + z * z / (4.0 * n * n), 0.0))
    return n * (f + z * z / (2.0 * n) + deviation) / (1.0 + z * z / n)
