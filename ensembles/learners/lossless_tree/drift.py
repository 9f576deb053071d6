"""How long the best test of a node stays the best, by distance, whatever examples come.

An example of weight w, of a class that weighed W, moves the share of that class that takes a branch by w / (W + w) at most,
and so do the shares of groups with that class. The sum of these is the *drift* of a node. A distance of two groups on both
sides of a test moves by twice the drift at most, as long as the same gap parts the groups: its lead over other gaps shrinks
by twice the drift at most. The outermost classes are never closer than the groups, and move alike. So what the tests of an
attribute were rated at most, when last looked at, bounds them for ever: `bounds` hold that as bits, signs changed, as if
there had been no drift then, and `steady` the drift below which gaps lead.
"""

import math

from ensembles.jit import inner
from ensembles.learners.lossless_tree.looks import BEST, BEST_BITS, BEST_COLUMN, SLACK
from ensembles.learners.lossless_tree.nodes import (
    AFTER,
    BEFORE,
    BOUNDS,
    CLOCK,
    COLUMN,
    DRIFT,
    HIGH,
    LOW,
    PENDING,
    STALE,
    STATE,
    SURE,
    VALUE,
)
from ensembles.learners.lossless_tree.scores import KS
from ensembles.learners.lossless_tree.store import CRITERION

__all__ = ["note_change", "sure_until"]


@inner
def note_change(members, v, rows, i, label, weight):
    """Note that example i is about to be counted at node v, which has a test: it may no longer be the best."""
    nodes, node_statistics = members.nodes, members.node_statistics
    nodes[v, STATE] = STALE
    nodes[v, CLOCK] += 1
    node_statistics[v, PENDING] += members.place.shape[0]
    node_statistics[v, DRIFT] += weight / (members.weights[v, label] + weight)
    column, n_nominal, low = nodes[v, COLUMN], members.first.shape[0] - 1, node_statistics[v, LOW]
    if column < n_nominal:
        value = rows.codes[i, column]
        rivals = (
            low >= 0.0 and value != nodes[v, VALUE] and value != low
        )  # a third value: the other two are two questions
    else:
        rivals = low < rows.numbers[i, column - n_nominal] < node_statistics[v, HIGH]  # a new cut
    if rivals:
        node_statistics[v, BEFORE] = -math.inf  # a test about as good as the present one
        node_statistics[v, SURE] = 0.0


@inner
def sure_until(members, v, column):
    """Return the drift below which the best test, of this column, stays the best: by distance, else 0.

    A share that moves by d moves two distances by 2 d each: those of the best test and of its rival.
    """
    node_statistics, best, b = members.node_statistics, members.best, members.nodes[v, BOUNDS]
    if b == 0 or best[BEST, BEST_COLUMN] < 0.0 or members.settings[CRITERION] != KS:
        return 0.0
    rival, sure = min(node_statistics[v, BEFORE], node_statistics[v, AFTER]), math.inf
    for a in range(members.place.shape[0]):
        sure = min(sure, members.steady[b, a])
        if members.place[a] != column:
            rival = min(rival, members.bounds[b, a])
    return min(sure, (rival - best[BEST, BEST_BITS] + 2.0 * node_statistics[v, DRIFT] - SLACK) / 4.0)
