"""Which nodes are pruned: a tree is worth its nodes when it describes the classes in fewer bits than a leaf.

A node with t admissible tests costs 1 + lg t bits and its two subtrees, a leaf 1 + lg c for one of c classes and lg W +
lg (c - 1) for each exception; a node is flagged where the leaf costs no more. Flagged nodes keep their subtree, so nothing
is lost when the flag goes.

Where an example ends is told without growing the whole tree, nor counting all tests: the cost of a subtree not yet looked at
lies between that of the cheapest split and that of a leaf, an example brings at most two tests an attribute and takes none
away, and mostly these bounds decide. Rounding keeps order, so bounds and exact costs agree.

Lee & Clyde (2004), section 4; Utgoff, Berkman & Clouse (1997).
"""

from ensembles.jit import inner, part
from ensembles.learners.lossless_tree.choice import choose_node
from ensembles.learners.lossless_tree.nodes import (
    COLUMN,
    DONE,
    DRIFT,
    END,
    HEAD,
    KEPT,
    LEAST,
    LEFT,
    MOST,
    PARENT,
    PENDING,
    RIGHT,
    SETTLED,
    STALE,
    STATE,
    SURE,
    TESTS,
    goes_left,
)
from ensembles.learners.lossless_tree.scores import bits_of_leaf, bits_of_test
from ensembles.learners.lossless_tree.store import CLASS, EXAMPLE, PRUNE

__all__ = ["find_end", "settle_below"]


@inner
def _is_done(members, v):
    """Say whether everything below v is settled that can matter: nothing below a pruned node does."""
    return members.nodes[v, STATE] > SETTLED and members.nodes[v, DONE] == 1


@inner
def _judge(members, v):
    """Say what the costs of its children tell about a node with a test."""
    nodes, node_statistics = members.nodes, members.node_statistics
    left, right = nodes[v, LEFT], nodes[v, RIGHT]
    nodes[v, DONE] = _is_done(members, left) and _is_done(members, right)
    if members.settings[PRUNE] == 0.0:
        nodes[v, STATE] = KEPT
        return
    alone = bits_of_leaf(members.weights, v, members.lgs)
    own_least = own_most = bits_of_test(nodes[v, TESTS], members.lgs)
    if node_statistics[v, PENDING] > 0.0:
        own_most = bits_of_test(nodes[v, TESTS] + 2.0 * node_statistics[v, PENDING], members.lgs)
    left_least, left_most = _bounds(members, left)
    right_least, right_most = _bounds(members, right)
    least, most = own_least + left_least + right_least, own_most + left_most + right_most
    node_statistics[v, LEAST] = min(alone, least)
    node_statistics[v, MOST] = min(alone, most)
    if alone <= least:
        _end(members, v, alone)
    else:
        nodes[v, STATE] = KEPT if alone > most else SETTLED


@inner
def _end(members, v, alone):
    members.nodes[v, STATE] = END
    members.nodes[v, DONE] = 1
    members.node_statistics[v, LEAST] = alone
    members.node_statistics[v, MOST] = alone


@inner
def _bounds(members, v):
    if members.nodes[v, STATE] > STALE:
        return members.node_statistics[v, LEAST], members.node_statistics[v, MOST]
    alone = bits_of_leaf(members.weights, v, members.lgs)
    return min(alone, 3.0), alone


@inner
def _settle_node(members, m, v, anew):
    """Settle node v as far as its children allow: one that is raw or stale, or `anew` one whose tests are to be counted."""
    nodes, node_statistics = members.nodes, members.node_statistics
    if members.settings[PRUNE] != 0.0 and not anew:
        alone = bits_of_leaf(members.weights, v, members.lgs)
        if alone <= bits_of_test(_tests_at_least(members, m, v), members.lgs) + 1.0 + 1.0:
            _end(members, v, alone)
            return
    if anew or nodes[v, COLUMN] < 0 or node_statistics[v, DRIFT] >= node_statistics[v, SURE]:
        choose_node(members, m, v, anew)
    nodes[v, DONE] = 1  # if it is a leaf
    if nodes[v, COLUMN] >= 0:
        _judge(members, v)


@part
def _settle_apart(members, m, v, anew):
    """As `_settle_node`, by a call, which copies hundreds of words: for all but the way of an example."""
    _settle_node(members, m, v, anew)


@inner
def _tests_at_least(members, m, v):
    """Return how many tests node v has at least: one for each attribute that parts two examples of different classes."""
    nodes, pairs, keys = members.nodes, members.pairs, members.keys
    if nodes[v, COLUMN] >= 0:
        return nodes[v, TESTS]
    p = nodes[v, HEAD]
    q = p
    while q >= 0 and pairs[q, CLASS] == pairs[p, CLASS]:
        q = members.links[m, q]
    tests = 0
    if q >= 0:
        x, y = pairs[p, EXAMPLE], pairs[q, EXAMPLE]
        for column in range(keys.shape[1]):
            tests += keys[x, column] != keys[y, column] and keys[x, column] >= 0 and keys[y, column] >= 0
    return tests


@part
def find_end(members, m, rows, i):
    """Return the node where example i ends, settling what that depends on."""
    nodes = members.nodes
    v = members.root[m]
    while True:
        if nodes[v, STATE] <= STALE:
            _settle_node(members, m, v, False)
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
    while not _is_done(members, top):
        if nodes[v, STATE] <= STALE:
            _settle_apart(members, m, v, False)
        if nodes[v, STATE] != END:
            _judge(members, v)
        if _is_done(members, v):
            v = nodes[v, PARENT] if v != top else top
        elif not _is_done(members, nodes[v, LEFT]):
            v = nodes[v, LEFT]
        elif not _is_done(members, nodes[v, RIGHT]):
            v = nodes[v, RIGHT]
        else:
            _count_below(members, m, v)


@part
def _count_below(members, m, top):
    """Count the tests of node `top` and of all below, which are done: then its cost is known."""
    nodes, node_statistics = members.nodes, members.node_statistics
    v = top
    while True:
        left, right = nodes[v, LEFT], nodes[v, RIGHT]
        if node_statistics[left, LEAST] < node_statistics[left, MOST]:
            v = left
        elif node_statistics[right, LEAST] < node_statistics[right, MOST]:
            v = right
        else:
            if node_statistics[v, PENDING] > 0.0:
                _settle_apart(members, m, v, True)
            _judge(members, v)
            if v == top:
                return
            v = nodes[v, PARENT]
