"""Nodes of lossless trees: taken from one pool for all members, split, folded into a leaf again, and counted.

Left is where the test is true. A leaf holds the list of its pairs; a node with a test counts the nominal values below it in
a table, when it got one. Two leaves of one tree never hold the same pair.
"""

from ensembles.jit import inner, kernel, part
from ensembles.learners.core.tree_size import TreeSize
from ensembles.learners.lossless_tree.store import (
    CELLS,
    CLASS,
    EXAMPLE,
    FREE_NODE,
    FREE_TABLES,
    NODES,
    TABLE_FIELD,
    TABLES,
    LosslessMembers,
)

__all__ = [
    "COLUMN", "CUT", "END", "KEPT", "LEAST", "LEFT", "MOST", "PARENT", "RAW", "RIGHT", "SETTLED", "STALE", "STATE",
    "TABLE", "TESTS", "VALUE", "count_nodes", "drop_table", "fill_table", "fold", "forget_tree", "gather", "goes_left",
    "hang", "label_of", "replant", "split", "take_node", "take_table",
]  # fmt: skip

# What a node holds.
COLUMN = 0  # of the keys; -1 for a leaf
VALUE = 1  # of a nominal test
LEFT, RIGHT, PARENT = 2, 3, 4
HEAD = 5  # first pair of a leaf, -1 if none
TABLE = TABLE_FIELD
STATE = 7  # one of the five below
TESTS = 8  # admissible tests

RAW = 0  # a leaf that may have to split
STALE = 1  # its test may no longer be the best
SETTLED = 2  # its test is the best; whether it is pruned is not known
KEPT = 3  # its test is the best, and examples go on
END = 4  # examples end here: a leaf, or pruned

# What else it holds, in `node_statistics`.
LEAST, MOST = 0, 1  # bounds of its cost, equal when the cost is known; not valid while RAW or STALE
CUT = 2  # of a numeric test

_WORTH_A_TABLE = 24  # pairs below a node; fewer are counted again as fast


@inner
def take_node(nodes, node_statistics, weights, stock, parent):
    """Return a leaf without examples."""
    v = stock[FREE_NODE]
    if v >= 0:
        stock[FREE_NODE] = nodes[v, PARENT]
    else:
        v = stock[NODES]
        stock[NODES] = v + 1
    nodes[v, COLUMN] = -1
    nodes[v, PARENT] = parent
    nodes[v, HEAD] = -1
    nodes[v, TABLE] = 0
    nodes[v, STATE] = END
    node_statistics[v, LEAST] = 1.0
    node_statistics[v, MOST] = 1.0
    for c in range(weights.shape[1]):
        weights[v, c] = 0.0
    return v


@inner
def _give_back(nodes, spare, stock, v):
    drop_table(nodes, spare, stock, v)
    nodes[v, PARENT] = stock[FREE_NODE]
    stock[FREE_NODE] = v


@inner
def drop_table(nodes, spare, stock, v):
    """Give the table of node v back."""
    if nodes[v, TABLE] > 0:
        spare[stock[FREE_TABLES]] = nodes[v, TABLE]
        stock[FREE_TABLES] += 1
        nodes[v, TABLE] = 0


@inner
def take_table(spare, stock, settings, n_tables, n):
    """Return a table for a node of n pairs; 0 if it is not worth one or none is left."""
    if n < _WORTH_A_TABLE or settings[CELLS] == 0.0:
        return 0
    if stock[FREE_TABLES] > 0:
        stock[FREE_TABLES] -= 1
        return spare[stock[FREE_TABLES]]
    if stock[TABLES] < n_tables:
        stock[TABLES] += 1
        return stock[TABLES] - 1
    return 0


@inner
def fill_table(members, m, t, n):
    """Count the nominal values of the n gathered pairs in table t."""
    tables, gathered, pairs, keys, mass = members.tables, members.gathered, members.pairs, members.keys, members.mass
    n_nominal = members.first.shape[0] - 1
    for value in range(tables.shape[1]):
        for c in range(tables.shape[2]):
            tables[t, value, c] = 0.0
    for g in range(n):
        p = gathered[g]
        x, c, weight = pairs[p, EXAMPLE], pairs[p, CLASS], mass[m, p]
        for j in range(n_nominal):
            tables[t, keys[x, j], c] += weight


@inner
def hang(nodes, links, m, v, p):
    """Put pair p on the list of leaf v."""
    links[m, p] = nodes[v, HEAD]
    nodes[v, HEAD] = p


@inner
def goes_left(members, v, rows, i):
    """Say whether the test of node v is true for example i of the rows; it is not where the value is missing."""
    column, n_nominal = members.nodes[v, COLUMN], members.first.shape[0] - 1
    if column < n_nominal:
        return rows.codes[i, column] == members.nodes[v, VALUE]
    return rows.numbers[i, column - n_nominal] < members.node_statistics[v, CUT]


@inner
def _leftmost(nodes, v):
    while nodes[v, COLUMN] >= 0:
        v = nodes[v, LEFT]
    return v


@inner
def gather(members, m, v):
    """Write the pairs below node v into `gathered`; return how many."""
    nodes, links, gathered = members.nodes, members.links, members.gathered
    n = 0
    u = _leftmost(nodes, v)
    while True:
        p = nodes[u, HEAD]
        while p >= 0:
            gathered[n] = p
            n += 1
            p = links[m, p]
        while u != v and nodes[nodes[u, PARENT], RIGHT] == u:
            u = nodes[u, PARENT]
        if u == v:
            return n
        u = _leftmost(nodes, nodes[nodes[u, PARENT], RIGHT])


@inner
def fold(nodes, spare, stock, v):
    """Take away all nodes below v, which is left without a list."""
    u = _leftmost(nodes, v)
    while u != v:
        parent = nodes[u, PARENT]
        was_left = nodes[parent, LEFT] == u
        _give_back(nodes, spare, stock, u)
        u = _leftmost(nodes, nodes[parent, RIGHT]) if was_left else parent
    nodes[v, COLUMN] = -1
    nodes[v, HEAD] = -1


@inner
def split(members, m, v, n):
    """Give node v, whose test is written, two leaves with the n gathered pairs."""
    nodes, node_statistics, weights = members.nodes, members.node_statistics, members.weights
    gathered, pairs, keys, mass, values = members.gathered, members.pairs, members.keys, members.mass, members.values
    column, value, cut = nodes[v, COLUMN], nodes[v, VALUE], node_statistics[v, CUT]
    nominal = column < members.first.shape[0] - 1
    left = take_node(nodes, node_statistics, weights, members.stock, v)
    right = take_node(nodes, node_statistics, weights, members.stock, v)
    nodes[v, LEFT] = left
    nodes[v, RIGHT] = right
    for g in range(n):
        p = gathered[g]
        key = keys[pairs[p, EXAMPLE], column]
        true = key == value if nominal else key >= 0 and values[key] < cut
        side = left if true else right
        weights[side, pairs[p, CLASS]] += mass[m, p]
        hang(nodes, members.links, m, side, p)
    for side in (left, right):
        present = 0
        for c in range(weights.shape[1]):
            present += weights[side, c] > 0.0
        if present > 1:
            nodes[side, STATE] = RAW


@inner
def label_of(nodes, weights, v):
    """Return the class of most weight at v; ties go to the class that weighs more at its parent, and so on upwards."""
    best = 0
    for c in range(1, weights.shape[1]):
        if weights[v, c] > weights[v, best] or (
            weights[v, c] == weights[v, best] and _outweighs(nodes, weights, v, c, best)
        ):
            best = c
    return best


@inner
def _outweighs(nodes, weights, v, c, d):
    """Say whether class c weighs more than class d at the nearest node above v where they differ."""
    while v >= 0:
        if weights[v, c] != weights[v, d]:
            return weights[v, c] > weights[v, d]
        v = nodes[v, PARENT]
    return False


@part
def forget_tree(members, m):
    """Take all nodes and weights from member m."""
    nodes, root = members.nodes, members.root[m]
    if root >= 0:
        n = gather(members, m, root)
        for g in range(n):
            members.mass[m, members.gathered[g]] = 0.0
        fold(nodes, members.spare, members.stock, root)
        _give_back(nodes, members.spare, members.stock, root)
    members.root[m] = -1


@kernel
def replant(members, n_pairs):
    """Give each member one leaf with all its pairs."""
    for m in range(members.root.shape[0]):
        members.root[m] = -1
        for p in range(n_pairs):
            if members.mass[m, p] > 0.0:
                if members.root[m] < 0:
                    members.root[m] = take_node(
                        members.nodes, members.node_statistics, members.weights, members.stock, -1
                    )
                v = members.root[m]
                members.weights[v, members.pairs[p, CLASS]] += members.mass[m, p]
                members.nodes[v, STATE] = RAW
                hang(members.nodes, members.links, m, v, p)


def count_nodes(members: LosslessMembers, m: int) -> TreeSize:
    """Return nodes, leaves and depth of member m's tree, all 0 if it has learned nothing; a pruned node is a leaf."""
    nodes, leaves, depth = 0, 0, 0
    level = members.root[m : m + 1]
    level = level[level >= 0]
    while len(level):
        asking = level[members.nodes[level, STATE] != END]
        nodes, leaves = nodes + len(level), leaves + len(level) - len(asking)
        depth += len(asking) > 0
        level = members.nodes[asking][:, [LEFT, RIGHT]].ravel()
    return TreeSize(nodes, leaves, depth)
