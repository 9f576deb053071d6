"""Nodes of lossless trees: taken from one pool for all members, split, folded into a leaf again, and counted.

Left is where the test is true. A leaf holds the list of its pairs; a node with a test counts the nominal values below it in
a table, when it got one. Two leaves of one tree never hold the same pair.
"""

from ensembles.jit import inner, kernel, part
from ensembles.learners.core.tree_size import TreeSize
from ensembles.learners.lossless_tree.scores import GAIN_RATIO
from ensembles.learners.lossless_tree.store import (
    BOUND_SETS,
    BOUNDS_FIELD,
    CELLS,
    CLASS,
    CRITERION,
    FREE_BOUND_SETS,
    FREE_NODE,
    FREE_TABLES,
    NODES,
    TABLE_FIELD,
    TABLES,
    LosslessMembers,
)

__all__ = [
    "AFTER", "BEFORE", "BOUNDS", "CLOCK", "COLUMN", "CUT", "DONE", "DRIFT", "END", "HEAD", "HIGH", "KEPT", "LEAST", "LEFT",
    "LOW", "MOST", "PARENT", "PENDING", "RAW", "RIGHT", "SETTLED", "STALE", "STATE", "SURE", "TABLE", "TESTS", "VALUE",
    "WORTH_A_TABLE", "count_nodes", "drop_memory", "fold", "forget_tree", "gather", "goes_left", "hang", "label_of",
    "replant", "split", "take_bounds", "take_node", "take_table",
]  # fmt: skip

# What a node holds.
COLUMN = 0  # of the keys; -1 for a leaf
VALUE = 1  # of a nominal test
LEFT, RIGHT, PARENT = 2, 3, 4
HEAD = 5  # first pair of a leaf, -1 if none
TABLE = TABLE_FIELD
STATE = 7  # one of the five below
TESTS = 8  # admissible tests when last counted, which never become fewer
BOUNDS = BOUNDS_FIELD
CLOCK = 10  # examples that came since all attributes were looked at
DONE = 11  # whether everything below that matters is settled; tells of nodes that are KEPT or END

RAW = 0  # a leaf that may have to split
STALE = 1  # its test may no longer be the best
SETTLED = 2  # its test is the best; whether it is pruned is not known
KEPT = 3  # its test is the best, and examples go on
END = 4  # examples end here: a leaf, or pruned

# What else it holds, in `node_statistics`.
LEAST, MOST = 0, 1  # bounds of its cost, equal when the cost is known; not valid while RAW or STALE
CUT = 2  # of a numeric test
PENDING = 3  # examples that came since an attribute was looked at, summed over the attributes
LOW, HIGH = (
    4,
    5,
)  # the values on both sides of the cut; of a nominal test, LOW is the only other value, -1 if there are more
BEFORE, AFTER = 6, 7  # bits that tests of the same attribute before and after the present one leave at least
DRIFT = 8  # how far the share of any class that takes a branch can have moved since all attributes were looked at
SURE = 9  # the drift below which the present test is the best in any case

WORTH_A_TABLE = 24  #: pairs below a node; fewer are counted again as fast
_WORTH_BOUNDS = 6


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
    nodes[v, BOUNDS] = 0
    nodes[v, STATE] = END
    nodes[v, DONE] = 1
    node_statistics[v, LEAST] = 1.0
    node_statistics[v, MOST] = 1.0
    for c in range(weights.shape[1]):
        weights[v, c] = 0.0
    return v


@inner
def _give_back(members, v):
    drop_memory(members, v)
    members.nodes[v, PARENT] = members.stock[FREE_NODE]
    members.stock[FREE_NODE] = v


@inner
def drop_memory(members, v):
    """Give the table and the bounds of node v back."""
    nodes, stock = members.nodes, members.stock
    if nodes[v, TABLE] > 0:
        members.spare[stock[FREE_TABLES]] = nodes[v, TABLE]
        stock[FREE_TABLES] += 1
        nodes[v, TABLE] = 0
    if nodes[v, BOUNDS] > 0:
        members.spare_bounds[stock[FREE_BOUND_SETS]] = nodes[v, BOUNDS]
        stock[FREE_BOUND_SETS] += 1
        nodes[v, BOUNDS] = 0


@inner
def take_table(members, n):
    """Return a table for a node of n pairs; 0 if it is not worth one or none is left."""
    stock = members.stock
    if n < WORTH_A_TABLE or members.settings[CELLS] == 0.0:
        return 0
    if stock[FREE_TABLES] > 0:
        stock[FREE_TABLES] -= 1
        return members.spare[stock[FREE_TABLES]]
    if stock[TABLES] < members.tables.shape[0]:
        stock[TABLES] += 1
        return stock[TABLES] - 1
    return 0


@inner
def take_bounds(members, n):
    """As `take_table`, a set of bounds; gain ratio has none."""
    stock = members.stock
    if n < _WORTH_BOUNDS or members.settings[CELLS] == 0.0 or members.settings[CRITERION] == GAIN_RATIO:
        return 0
    if stock[FREE_BOUND_SETS] > 0:
        stock[FREE_BOUND_SETS] -= 1
        return members.spare_bounds[stock[FREE_BOUND_SETS]]
    if stock[BOUND_SETS] < members.bounds.shape[0]:
        stock[BOUND_SETS] += 1
        return stock[BOUND_SETS] - 1
    return 0


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
def fold(members, v):
    """Take away all nodes below v, which is left without a list."""
    nodes = members.nodes
    u = _leftmost(nodes, v)
    while u != v:
        parent = nodes[u, PARENT]
        was_left = nodes[parent, LEFT] == u
        _give_back(members, u)
        u = _leftmost(nodes, nodes[parent, RIGHT]) if was_left else parent
    nodes[v, COLUMN] = -1
    nodes[v, HEAD] = -1


@inner
def split(members, m, v, n):
    """Give node v, whose test is written, two leaves with the n gathered pairs, which stand in `below` too."""
    nodes, node_statistics, weights = members.nodes, members.node_statistics, members.weights
    below, keys, mass, values = members.below, members.keys, members.below_mass, members.values
    column, value, cut = nodes[v, COLUMN], nodes[v, VALUE], node_statistics[v, CUT]
    nominal = column < members.first.shape[0] - 1
    left = take_node(nodes, node_statistics, weights, members.stock, v)
    right = take_node(nodes, node_statistics, weights, members.stock, v)
    nodes[v, LEFT] = left
    nodes[v, RIGHT] = right
    for g in range(n):
        key = keys[below[g, 0], column]
        true = key == value if nominal else key >= 0 and values[key] < cut
        side = left if true else right
        weights[side, below[g, 1]] += mass[g]
        hang(nodes, members.links, m, side, members.gathered[g])
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
    root = members.root[m]
    if root >= 0:
        n = gather(members, m, root)
        for g in range(n):
            members.mass[m, members.gathered[g]] = 0.0
        fold(members, root)
        _give_back(members, root)
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
