"""The tables of the leaf that will be asked for next, fetched while the one before is worked on.

Large trees do not stay in the processor's caches, and an example reaches another leaf of each.
"""

from ensembles.addresses import hidden
from ensembles.fetching import LINE, fetch
from ensembles.jit import inner
from ensembles.learners.core.protocol import learn_all, learn_one
from ensembles.learners.hoeffding.leaf import branch_of
from ensembles.learners.hoeffding.members import HoeffdingMembers

__all__ = ["fetch_next"]

_FEW = 4096  # leaves of all members, whose tables caches hold, most of them
_MOST = 32  # lines of a table that are fetched: processors see by themselves where more of it is read
_BYTES = 8  # of a number
_DEEPEST = 64  # tests on the way to a leaf that is fetched


@inner
def fetch_next(members, m, rows, i, label):
    """Fetch what is needed next, most often by the member after m for the same example, or by the first for the next."""
    m += 1
    if m == members.sizes.shape[0]:
        m, i = 0, i + 1
    if i < rows.codes.shape[0]:
        _fetch_leaf(members, m, rows, i, label)


@learn_all.implement(HoeffdingMembers)
def _learn_all(members, rows, i, label, weights):
    for m in range(weights.shape[0]):
        if m + 1 < weights.shape[0] and weights[m + 1] > 0.0:
            _fetch_leaf(members, m + 1, rows, i, label)
        if weights[m] > 0.0:
            learn_one(members, hidden(m), rows, i, label, weights[m])


@inner
def _fetch_leaf(members, m, rows, i, label):
    """Fetch what member m needs of its leaf for example i."""
    if members.stock[1] < _FEW:
        return
    node = _leaf_of(members, m, rows, i)
    s = members.nodes[m, node, 2]
    fetch(members.node_statistics, (m, node, 0), 1)
    fetch(members.weights, (m, node, 0), 1)
    if s >= 0:
        _fetch_tables(members, s, rows, i, label)


@inner
def _leaf_of(members, m, rows, i):
    """Return what `descend` does; of a tree that another thread changes meanwhile, some node within its arrays."""
    nodes, node = members.nodes, 0
    a = nodes[m, node, 0]
    for _ in range(_DEEPEST):
        branch = branch_of(members, m, node, a, rows, i) if a >= 0 else -1
        child = nodes[m, node, 1] + branch
        if branch < 0 or child >= nodes.shape[1]:
            break
        node = child
        a = nodes[m, node, 0]
    return node


@inner
def _fetch_tables(members, s, rows, i, label):
    """Fetch what slot s has counted of the values of example i and of numbers, and what its densities are made of."""
    n_classes, n_numbers = members.seen.shape[1], rows.numbers.shape[1]
    fetch(members.seen, (s, 0), 1)
    for a in range(min(rows.codes.shape[1], _MOST)):
        if rows.codes[i, a] >= 0:
            fetch(members.cells, (s, rows.codes[i, a], 0), 1)
    if n_numbers > 0:
        fetch(members.outlooks, (s, 0, 0), _lines(members.outlooks.shape[1] * n_classes))
        fetch(members.moments, (s, label, 0, 0), _lines(members.moments.shape[2] * n_numbers))
        fetch(members.normals, (s, 0, 0, 0), _lines(members.normals.shape[1] * n_numbers * n_classes))
        fetch(members.spread, (s, 0, 0), _lines(members.spread.shape[1] * n_numbers))


@inner
def _lines(n):
    """Return how many lines are fetched of a table with n numbers."""
    return min(_MOST, 1 + (n - 1) // (LINE // _BYTES))
