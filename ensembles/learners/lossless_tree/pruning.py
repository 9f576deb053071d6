"""Which nodes are pruned: a tree is worth its nodes when it describes the classes in fewer bits than a leaf.

A node with t admissible tests costs 1 + lg t bits and its two subtrees, a leaf 1 + lg c for one of c classes and lg W +
lg (c - 1) for each exception; a node is flagged where the leaf costs no more. Flagged nodes keep their subtree, so nothing
is lost when the flag goes.

Where an example ends is told without growing the whole tree: the cost of a subtree not yet looked at lies between 3 (the
cheapest split) and that of a leaf, and mostly these bounds decide. Rounding keeps order, so bounds and exact costs agree.

Lee & Clyde (2004), section 4; Utgoff, Berkman & Clouse (1997).
"""

from ensembles.jit import inner, part
from ensembles.learners.core.criteria import bits_of_leaf, bits_of_test
from ensembles.learners.lossless_tree.choice import choose_node
from ensembles.learners.lossless_tree.nodes import (
    COLUMN,
    END,
    KEPT,
    LEAST,
    LEFT,
    MOST,
    PARENT,
    RIGHT,
    SETTLED,
    STALE,
    STATE,
    TESTS,
    goes_left,
)
from ensembles.learners.lossless_tree.store import PRUNE

__all__ = ["find_end", "settle_below"]


@inner
def _is_known(members, v):
    """Say whether everything below v is settled that can matter: nothing below a pruned node does."""
    return members.nodes[v, STATE] > STALE and members.node_statistics[v, LEAST] == members.node_statistics[v, MOST]


@inner
def _judge(members, v):
    """Say what the costs of its children tell about a node with a test."""
    nodes, node_statistics = members.nodes, members.node_statistics
    left, right = nodes[v, LEFT], nodes[v, RIGHT]
    if members.settings[PRUNE] == 0.0:
        nodes[v, STATE] = KEPT
        node_statistics[v, MOST] = 1.0
        node_statistics[v, LEAST] = 1.0 if _is_known(members, left) and _is_known(members, right) else 0.0
        return
    alone = bits_of_leaf(members.weights, v)
    own = bits_of_test(nodes[v, TESTS])
    left_least, left_most = _bounds(members, left)
    right_least, right_most = _bounds(members, right)
    least, most = own + left_least + right_least, own + left_most + right_most
    node_statistics[v, LEAST] = min(alone, least)
    node_statistics[v, MOST] = min(alone, most)
    if alone <= least:
        nodes[v, STATE] = END
    else:
        nodes[v, STATE] = KEPT if alone > most else SETTLED


@inner
def _bounds(members, v):
    if members.nodes[v, STATE] > STALE:
        return members.node_statistics[v, LEAST], members.node_statistics[v, MOST]
    alone = bits_of_leaf(members.weights, v)
    return min(alone - 0.5, 3.0), alone  # never equal: the cost is known when the node is settled


@part
def find_end(members, m, rows, i):
    """Return the node where example i ends, settling what that depends on."""
    nodes = members.nodes
    v = members.root[m]
    while True:
        if nodes[v, STATE] <= STALE:
            choose_node(members, m, v)
        if nodes[v, STATE] == END:
            break
        v = nodes[v, LEFT] if goes_left(members, v, rows, i) else nodes[v, RIGHT]
    while nodes[v, PARENT] >= 0:
        v = nodes[v, PARENT]
        _judge(members, v)
    while nodes[v, STATE] != END:
        if nodes[v, STATE] == SETTLED:
            settle_below(members, m, v)
        else:
            v = nodes[v, LEFT] if goes_left(members, v, rows, i) else nodes[v, RIGHT]
    return v


@part
def settle_below(members, m, top):
    """Settle node `top` and everything below it, children before parents."""
    nodes = members.nodes
    v = top
    while not _is_known(members, top):
        if nodes[v, STATE] <= STALE:
            choose_node(members, m, v)
        if nodes[v, COLUMN] >= 0 and not _is_known(members, nodes[v, LEFT]):
            v = nodes[v, LEFT]
        elif nodes[v, COLUMN] >= 0 and not _is_known(members, nodes[v, RIGHT]):
            v = nodes[v, RIGHT]
        else:
            if nodes[v, COLUMN] >= 0:
                _judge(members, v)
            v = nodes[v, PARENT] if v != top else top
