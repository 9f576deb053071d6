"""How a Mondrian tree grows by an example: where it is cut, what is counted on the way, and what prunings are worth after.

The Mondrian process lets a cell be cut after an exponential time of rate "how far the example lies outside of the box of the
examples in it", if that is before the cut that it has. One exponential variable is enough for all cells on the way: what is
left of it in a cell that is not cut is again exponential, and goes on to the next.

Mourtada, Gaïffas & Scornet (2021), section 3; Lakshminarayanan, Roy & Teh (2014), algorithm 4.
"""

import math

import numpy as np

from ensembles.draws import next_uniform
from ensembles.jit import inner, part
from ensembles.learners.mondrian.members import (
    AGGREGATES,
    ATTRIBUTE,
    CUT,
    DIRICHLET,
    EVIDENCE,
    LEAF,
    LEFT,
    MAX_NODES,
    NO_PARENT,
    PARENT,
    PRUNINGS,
    RELATIVE,
    RIGHT,
    SHARE,
    SPLIT_PURE,
    STEP,
    TIME,
    TOTAL,
)

__all__ = ["child_of", "grow"]

_LEAST_WIDTH = 1e-280  # what varies by less is constant, and who is outside by less is inside
_LATEST = 1e300
_LARGE = 12.0  # from here on Stirling's series is right to the last bits


@inner
def child_of(members, m, node, rows, i):
    """Return the child of a node to which example i goes; without a number for its test, the heavier one."""
    nodes, a = members.nodes, members.nodes[m, node, ATTRIBUTE]
    n_nominal = members.first.shape[0] - 1
    if a < n_nominal:
        right = rows.codes[i, a] == members.values[m, node, CUT]
    else:
        x = rows.numbers[i, a - n_nominal]
        right = x > members.values[m, node, CUT]
        if math.isnan(x):
            right = members.values[m, nodes[m, node, RIGHT], TOTAL] > members.values[m, nodes[m, node, LEFT], TOTAL]
    return nodes[m, node, RIGHT] if right else nodes[m, node, LEFT]


@part
def grow(members, m, rows, i, label, weight):
    """Take in example i: cut a cell by it if the process wants to, count it on its way, and weigh prunings anew."""
    wait = -math.log(next_uniform(members.states, m))
    place = next_uniform(members.states, m)
    members.totals[m, label] += weight
    if members.sizes[m] == 0:
        members.roots[m] = _new_leaf(members, m, NO_PARENT)
    _measure_units(members, m, rows, i)
    room = members.sizes[m] + 2 <= min(members.settings[MAX_NODES], members.nodes.shape[1])
    node, born = members.roots[m], 0.0
    while True:
        reach = _reach(members, m, node, rows, i, label) if room else 0.0
        if reach > _LEAST_WIDTH:
            rate = reach * (members.values[m, node, TIME] - born)
            if members.nodes[m, node, ATTRIBUTE] == LEAF or wait < rate:
                time = min(born + wait / reach, _LATEST)
                branch = _insert_branch(members, m, node, time)
                node = _new_leaf(members, m, branch)
                _place_cut(members, m, branch, node, rows, i, place * reach)
                _count(members, m, branch, rows, i, label, weight)
                room = False
                reach = 0.0
            else:
                wait -= rate
        _count(members, m, node, rows, i, label, weight)
        if members.nodes[m, node, ATTRIBUTE] == LEAF:
            break
        born = members.values[m, node, TIME]
        node = child_of(members, m, node, rows, i)
    if members.settings[AGGREGATES] == 1.0:
        _weigh_prunings(members, m, node)


@inner
def _measure_units(members, m, rows, i):
    """Write what distances are multiplied with: 1 / width of the range that the member has seen, example i included."""
    units, root = members.units, members.roots[m]
    for n in range(units.shape[0]):
        x = rows.numbers[i, n]
        low, high = members.bounds[m, root, 0, n], members.bounds[m, root, 1, n]
        width = (x if x > high else high) - (x if x < low else low)
        if members.settings[RELATIVE] == 0.0:
            units[n] = 1.0
        else:
            units[n] = 1.0 / width if width > _LEAST_WIDTH else 0.0


@inner
def _beyond(x, low, high):
    """Return how far x lies outside of [low, high]; 0 if it is missing, or if nothing is known of the node."""
    gap = low - x if x < low else (x - high if x > high else 0.0)
    return gap if low <= high else 0.0


@inner
def _reach(members, m, node, rows, i, label):
    """Return how far example i lies outside of a node's box, over all attributes; 0 if the node is pure and stays so."""
    counts, first = members.counts, members.first
    if members.settings[SPLIT_PURE] == 0.0 and counts[m, node, label] == members.values[m, node, TOTAL]:
        return 0.0
    reach = 0.0
    for a in range(first.shape[0] - 1):
        code = rows.codes[i, a]
        if code >= 0 and members.seen[m, node, code] == 0:
            reach += 1.0
    for n in range(members.units.shape[0]):
        x = rows.numbers[i, n]
        reach += _beyond(x, members.bounds[m, node, 0, n], members.bounds[m, node, 1, n]) * members.units[n]
    return reach


@inner
def _new_leaf(members, m, parent):
    """Return a leaf without examples."""
    node = members.sizes[m]
    members.sizes[m] += 1
    members.nodes[m, node, ATTRIBUTE], members.nodes[m, node, PARENT] = LEAF, parent
    members.nodes[m, node, LEFT], members.nodes[m, node, RIGHT] = 0, 0
    members.values[m, node] = 0.0
    members.values[m, node, SHARE] = 1.0
    members.counts[m, node] = 0.0
    members.bounds[m, node, 0] = np.inf
    members.bounds[m, node, 1] = -np.inf
    members.seen[m, node] = 0
    return node


@inner
def _insert_branch(members, m, node, time):
    """Return a new node in the place of another, with all that has come to that; its cut and its other child are to come."""
    nodes, parent = members.nodes, members.nodes[m, node, PARENT]
    branch = _new_leaf(members, m, parent)
    if parent == NO_PARENT:
        members.roots[m] = branch
    elif nodes[m, parent, LEFT] == node:
        nodes[m, parent, LEFT] = branch
    else:
        nodes[m, parent, RIGHT] = branch
    nodes[m, node, PARENT], nodes[m, branch, LEFT] = branch, node
    members.values[m, branch, TIME] = time
    members.values[m, branch, TOTAL] = members.values[m, node, TOTAL]
    members.values[m, branch, EVIDENCE] = members.values[m, node, EVIDENCE]
    members.values[m, branch, SHARE] = 0.0
    _copy_examples(members, m, node, branch)
    return branch


@inner
def _copy_examples(members, m, source, target):
    """Write all that has come to one node into another; element by element, as kernels allocate nothing."""
    counts, bounds, seen = members.counts, members.bounds, members.seen
    for c in range(counts.shape[2]):
        counts[m, target, c] = counts[m, source, c]
    for n in range(bounds.shape[3]):
        bounds[m, target, 0, n] = bounds[m, source, 0, n]
        bounds[m, target, 1, n] = bounds[m, source, 1, n]
    for v in range(seen.shape[2]):
        seen[m, target, v] = seen[m, source, v]


@inner
def _place_cut(members, m, branch, leaf, rows, i, place):
    """Cut a branch at `place`, of [0, reach), on the way from its box to example i, for which the leaf is."""
    nodes, n_nominal = members.nodes, members.first.shape[0] - 1
    box = nodes[m, branch, LEFT]
    for a in range(n_nominal):
        code = rows.codes[i, a]
        if code >= 0 and members.seen[m, box, code] == 0:
            nodes[m, branch, ATTRIBUTE], nodes[m, branch, RIGHT] = a, leaf
            members.values[m, branch, CUT] = code
            place -= 1.0
            if place < 0.0:
                return
    for n in range(members.units.shape[0]):
        x, low, high = rows.numbers[i, n], members.bounds[m, box, 0, n], members.bounds[m, box, 1, n]
        length = _beyond(x, low, high) * members.units[n]
        if length > 0.0:
            above = x > high
            near, far = (high, x) if above else (x, low)  # left of the cut lies what is at most the cut
            share = min(place / length, 1.0)
            cut = (1.0 - share) * near + share * far
            nodes[m, branch, ATTRIBUTE] = n_nominal + n
            nodes[m, branch, LEFT] = box if above else leaf
            nodes[m, branch, RIGHT] = leaf if above else box
            members.values[m, branch, CUT] = cut if near <= cut < far else near
            place -= length
            if place < 0.0:
                return


@inner
def _count(members, m, node, rows, i, label, weight):
    """Count example i in a node, after the loss of what the node predicted for it, if it is not its first."""
    counts, values, dirichlet = members.counts, members.values, members.settings[DIRICHLET]
    if members.settings[AGGREGATES] == 1.0 and values[m, node, TOTAL] > 0.0:
        whole = values[m, node, TOTAL] + dirichlet * counts.shape[2]
        values[m, node, EVIDENCE] -= members.settings[STEP] * _loss(counts[m, node, label] + dirichlet, whole, weight)
    counts[m, node, label] += weight
    values[m, node, TOTAL] += weight
    for n in range(members.units.shape[0]):
        x = rows.numbers[i, n]
        low, high = members.bounds[m, node, 0, n], members.bounds[m, node, 1, n]
        members.bounds[m, node, 0, n] = x if x < low else low
        members.bounds[m, node, 1, n] = x if x > high else high
    for a in range(members.first.shape[0] - 1):
        if rows.codes[i, a] >= 0:
            members.seen[m, node, rows.codes[i, a]] = 1


@inner
def _loss(own, whole, weight):
    """Return the logarithmic loss of an example of a weight: the losses of so many examples, one after the other.

    own, whole: what the node has counted of the class and of all classes, with the prior.
    """
    if weight == 1.0:
        return -math.log(own / whole)
    return (_log_gamma(whole + weight) - _log_gamma(whole)) - (_log_gamma(own + weight) - _log_gamma(own))


@part
def _log_gamma(x):
    """Return the logarithm of the gamma function of a positive number."""
    product = 1.0
    while x < _LARGE:
        product *= x
        x += 1.0
    inverse = 1.0 / (x * x)
    series = (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse * (1.0 / 1260.0 - inverse * (1.0 / 1680.0)))) / x
    return (x - 0.5) * math.log(x) - x + 0.9189385332046727 + series - math.log(product)


@inner
def _weigh_prunings(members, m, node):
    """Bring weights of subtrees up to date from a leaf to the root: half for the node as a leaf, half for its children."""
    nodes, values = members.nodes, members.values
    while node != NO_PARENT:
        if nodes[m, node, ATTRIBUTE] == LEAF:
            values[m, node, PRUNINGS] = values[m, node, EVIDENCE]
        else:
            children = values[m, nodes[m, node, LEFT], PRUNINGS] + values[m, nodes[m, node, RIGHT], PRUNINGS]
            lead = children - values[m, node, EVIDENCE]
            small = math.exp(-abs(lead))
            values[m, node, PRUNINGS] = max(children, values[m, node, EVIDENCE]) + math.log(0.5 * (1.0 + small))
            values[m, node, SHARE] = (small if lead > 0.0 else 1.0) / (1.0 + small)
        node = nodes[m, node, PARENT]
