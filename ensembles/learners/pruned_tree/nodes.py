"""Decision trees as rows of a table, many trees one after another, and the way of an example through one of them.

A node says what it asks; its children, one for each branch that training examples took, stand side by side behind it. An
example whose branch no training example took ends at the node itself.
"""

import math
from typing import NamedTuple

import numpy as np

from ensembles.jit import inner, kernel
from ensembles.learners.core.protocol import finalize, predict_one, predict_proba_one, reset
from ensembles.learners.core.sharing import Sharing
from ensembles.learners.pruned_tree.sharing import SHARING

__all__ = [
    "BRANCH", "COLUMN", "EQUALS", "FIRST", "KIND", "LABEL", "LEAF", "N_FIELDS", "PARENT", "THRESHOLD", "VALUES", "WIDTH",
    "TreeMembers", "branch_of", "count_again", "find_child", "label_of",
]  # fmt: skip

# What a node holds. Nodes are numbered from the root of their tree, which is node 0.
KIND = 0  # one of the four below
COLUMN = 1  # of the rows' numbers (THRESHOLD) or codes (VALUES, EQUALS)
FIRST = 2  # its first child
WIDTH = 3  # how many children
BRANCH = 4  # the branch of the parent that leads here
LABEL = 5  # class of an example that ends here
PARENT = 6
N_FIELDS = 7

LEAF = 0
THRESHOLD = 1  # branches: 0 below the cut, 1 not below, 2 missing
VALUES = 2  # branches: the position of the value among the attribute's, then missing
EQUALS = 3  # branches: 0 the value, 1 another one, 2 missing

MAJORITY, FREQUENCY, LAPLACE, M_LAPLACE = 0, 1, 2, 3


class TreeMembers(NamedTuple):
    """Members m, nodes v of all members, classes c; member m has `size[m]` nodes from `root[m]` on."""

    root: np.ndarray  # (m,) -1 if nothing was learned
    size: np.ndarray  # (m,)
    nodes: np.ndarray  # (v, N_FIELDS)
    cut: np.ndarray  # (v,) THRESHOLD: x < cut takes branch 0; EQUALS: position of the value
    weights: np.ndarray  # (v, c) of the training examples that came through
    numeric: np.ndarray  # (a,) 1 if the attribute is numeric
    place: np.ndarray  # (a,) column of the attribute in the rows' codes or numbers
    values: np.ndarray  # (nominal attributes,) number of values
    proba: np.ndarray  # (1,) how leaves tell probabilities

    @property
    def long_steps(self) -> bool:
        """What an operation does for one example is long beside a call, see `bound`."""
        return True

    @property
    def sharing(self) -> Sharing:
        """How threads share the arrays."""
        return SHARING


@reset.implement(TreeMembers)
def _reset(members, m):
    members.root[m] = -1
    members.size[m] = 0


@finalize.implement(TreeMembers)
def _finalize(members, m):
    pass


@predict_one.implement(TreeMembers)
def _predict_one(members, m, rows, i, work):
    if members.root[m] < 0:
        return -1
    return members.nodes[_last_node(members, m, rows, i), LABEL]


@predict_proba_one.implement(TreeMembers)
def _predict_proba_one(members, m, rows, i, work, out):
    root = members.root[m]
    if root < 0:
        out[:] = 1.0 / out.shape[0]
        return
    v = _last_node(members, m, rows, i)
    total = _total(members.weights, v)
    while total == 0.0:  # counted again without an example here
        v = root + members.nodes[v, PARENT]
        total = _total(members.weights, v)
    how = members.proba[0]
    added = 0.0
    if how == LAPLACE:
        added = 1.0
    elif how == M_LAPLACE:
        added = 1.0 / _total(members.weights, root)
    for c in range(out.shape[0]):
        if how == MAJORITY:
            out[c] = 1.0 if c == members.nodes[v, LABEL] else 0.0
        else:
            out[c] = (members.weights[v, c] + added) / (total + added * out.shape[0])


@inner
def _last_node(members, m, rows, i):
    """Return where example i ends: row of the table, not number in the tree."""
    nodes, root = members.nodes, members.root[m]
    v = root
    while nodes[v, KIND] != LEAF:
        b = branch_of(nodes, members.cut, members.values, v, rows, i)
        child = find_child(nodes, root, v, b)
        if child < 0:
            break
        v = child
    return v


@inner
def branch_of(nodes, cut, values, v, rows, i):
    """Return the branch that example i takes at row v; -1 for a value that the schema does not know."""
    kind, j = nodes[v, KIND], nodes[v, COLUMN]
    if kind == THRESHOLD:
        x = rows.numbers[i, j]
        if x < cut[v]:
            return 0
        return 2 if math.isnan(x) else 1
    code = rows.codes[i, j]
    if kind == EQUALS:
        if code == -1:
            return 2
        return 0 if code == cut[v] else 1
    if code == -1:
        return values[j]
    return max(code, -1)


@inner
def find_child(nodes, root, v, b):
    """Return the row of the child that branch b leads to, -1 if none does; branches ascend from child to child."""
    first, width = root + nodes[v, FIRST], nodes[v, WIDTH]
    for child in range(first + min(b, width - 1), first - 1, -1):
        if nodes[child, BRANCH] <= b:
            return child if nodes[child, BRANCH] == b else -1
    return -1


@inner
def label_of(nodes, weights, root, v):
    """Return the class of most weight at row v; ties go to the class that weighs more at its parent, and so on upwards."""
    n_classes = weights.shape[1]
    best = 0
    for c in range(1, n_classes):
        if weights[v, c] > weights[v, best]:
            best = c
    for c in range(best + 1, n_classes):
        if weights[v, c] == weights[v, best] and _outweighs(nodes, weights, root, v, c, best):
            best = c
    return best


@inner
def _outweighs(nodes, weights, root, v, c, d):
    """Say whether class c weighs more than class d at the nearest node above where they differ."""
    while v != root:
        v = root + nodes[v, PARENT]
        if weights[v, c] != weights[v, d]:
            return weights[v, c] > weights[v, d]
    return False


@inner
def _total(weights, v):
    total = 0.0
    for c in range(weights.shape[1]):
        total += weights[v, c]
    return total


@kernel
def count_again(members, m, rows, labels, weights):
    """Keep the tests of member m and replace the class weights of its nodes by those of these examples."""
    nodes, root = members.nodes, members.root[m]
    for v in range(root, root + members.size[m]):
        members.weights[v] = 0.0
    for i in range(labels.shape[0]):
        v = root
        while v >= 0:
            members.weights[v, labels[i]] += weights[i]
            if nodes[v, KIND] == LEAF:
                break
            v = find_child(nodes, root, v, branch_of(nodes, members.cut, members.values, v, rows, i))
    for v in range(root, root + members.size[m]):  # parents stand before their children
        nodes[v, LABEL] = label_of(nodes, members.weights, root, v)
