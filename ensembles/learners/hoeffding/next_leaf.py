"""The tables of the next tree's leaf, fetched while the tree before works, where all see an example one after another.

Large trees do not stay in the processor's caches, and an example reaches another leaf of each.
"""

from ensembles.addresses import hidden
from ensembles.fetching import LINE, fetch
from ensembles.jit import inner
from ensembles.learners.core.protocol import learn_all, learn_one, predict_and_learn, predict_and_learn_all
from ensembles.learners.hoeffding.leaf import descend
from ensembles.learners.hoeffding.members import ABSENT, HoeffdingMembers

__all__ = ["fetch_leaf"]

_FEW = 128  # nodes of a tree whose tables caches hold, most of them
_MOST = 32  # lines of a table that are fetched: processors see by themselves where more of it is read
_BYTES = 8  # of a number


@learn_all.implement(HoeffdingMembers)
def _learn_all(members, rows, i, label, weights):
    for m in range(weights.shape[0]):
        if m + 1 < weights.shape[0] and weights[m + 1] > 0.0:
            fetch_leaf(members, m + 1, rows, i, label)
        if weights[m] > 0.0:
            learn_one(members, hidden(m), rows, i, label, weights[m])


@predict_and_learn_all.implement(HoeffdingMembers)
def _predict_and_learn_all(members, rows, i, label, weights, work, predicted):
    for m in range(weights.shape[0]):
        fetch_leaf(members, m + 1, rows, i, label)
        predicted[m] = predict_and_learn(members, hidden(m), rows, i, label, weights[m], False, work)


@inner
def fetch_leaf(members, m, rows, i, label):
    """Fetch what member m, if there is one of this number, needs of its leaf for example i."""
    if m == members.sizes.shape[0] or members.sizes[m] < _FEW:
        return
    node, _ = descend(members, m, rows, i)
    s = members.nodes[m, node, 2]
    fetch(members.node_statistics, (m, node, 0), 1)
    fetch(members.weights, (m, node, 0), 1)
    if s >= 0:
        _fetch_tables(members, s, rows, i, label)


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
        fetch(members.moments, (s, label, 0, 0), _lines(ABSENT * n_numbers))  # few examples change what follows
        fetch(members.normals, (s, 0, 0, 0), _lines(members.normals.shape[1] * n_numbers * n_classes))
        fetch(members.spread, (s, 0, 0), _lines(members.spread.shape[1] * n_numbers))


@inner
def _lines(n):
    """Return how many lines are fetched of a table with n numbers."""
    return min(_MOST, 1 + (n - 1) // (LINE // _BYTES))
