"""What a leaf of a Hoeffding tree has counted, and how it splits: the tables of leaves, merits of tests, the bound.

Domingos & Hulten (2000), table 1 and section 3; numeric attributes as a normal distribution a class, read by its
distribution function only.
"""

import math
from typing import NamedTuple

import numpy as np

from ensembles.jit import inner, part
from ensembles.learners.core.criteria import exceeds, impurity, impurity_term

__all__ = ["FRESH", "LEAF", "OFF", "HoeffdingMembers", "add_to_tables", "take_slot", "try_split"]

LEAF = -1  #: instead of an attribute: the node has no test
FRESH = -1  #: instead of a slot: the leaf has seen no example yet
OFF = -2  #: instead of a slot: no test is worth while here, the leaf only counts classes

GINI, PREDICTION, BINS, MIN_FRACTION, MAX_NODES = range(5)  # places in `settings`
GRACE, LOG_DELTA, TAU = range(3)  # places in `split_parameters`
CUT, SINCE, RIGHT_MAJORITY, RIGHT_BAYES = range(4)  # places in `node_statistics`
WEIGHT, MEAN, SQUARES, LOW, HIGH, ABSENT = range(6)  # places in `moments`
_ROOT_HALF = math.sqrt(0.5)


class HoeffdingMembers(NamedTuple):
    """Members m, nodes k, slots s (tables of leaves, one pool for all members), classes c.

    Attributes of tests are numbered nominal first. Values of nominal attributes v are numbered through all attributes; the
    last value of each is "missing". Children of a node follow each other: one a value, or low, high and missing.
    """

    nodes: np.ndarray  # (m, k, 3) attribute or LEAF, first child, slot or FRESH or OFF
    node_statistics: (
        np.ndarray
    )  # (m, k, 4) cut, weight since the last try, weight told right by majority and by naive Bayes
    weights: np.ndarray  # (m, k, c) weights of a leaf, with what its parent estimated; of a node when it was split
    sizes: np.ndarray  # (m,) nodes in use
    totals: np.ndarray  # (m, c)
    cells: np.ndarray  # (s, v, c)
    seen: np.ndarray  # (s, c) weights that the tables of the slot hold
    moments: np.ndarray  # (s, c, 6, numeric attributes) weight, mean, sum of squared differences, low, high, missing
    spread: np.ndarray  # (s, 3, numeric attributes) low, high, least variance of naive Bayes
    spare: np.ndarray  # (s,) slots given back
    stock: np.ndarray  # (2,) slots on `spare`, slots ever in use
    first: np.ndarray  # (nominal attributes + 1,) number of the attribute's first value
    order: np.ndarray  # (a,) attributes of tests in the order of the user's columns
    settings: np.ndarray  # (5,)
    split_parameters: np.ndarray  # (m, 3) what a member asks for before it splits: grace period, -ln(delta), tau
    work: np.ndarray  # (4, c)
    densities: np.ndarray  # (2, numeric attributes) room for the exponents and deviations of one class


@part
def take_slot(members, m, node):
    """Give a leaf empty tables; return its slot, or FRESH if the pool is used up."""
    stock = members.stock
    if stock[0] > 0:
        stock[0] -= 1
        s = members.spare[stock[0]]
    elif stock[1] < members.spare.shape[0]:
        s = stock[1]
        stock[1] += 1
    else:
        return FRESH
    members.cells[s] = 0.0
    members.seen[s] = 0.0
    members.moments[s] = 0.0
    members.spread[s, 0] = np.inf
    members.spread[s, 1] = -np.inf
    members.spread[s, 2] = 0.0
    members.nodes[m, node, 2] = s
    return s


@inner
def add_to_tables(members, s, rows, i, label, weight):
    """Count example i in slot s."""
    cells, codes = members.cells, rows.codes
    members.seen[s, label] += weight
    for a in range(codes.shape[1]):
        cells[s, codes[i, a], label] += weight
    if rows.numbers.shape[1] > 0:
        _add_numbers(members.moments[s, label], members.spread[s], rows.numbers[i], weight)


@inner
def _add_numbers(moments, spread, numbers, weight):
    """Count the numbers of an example; choices instead of branches, so that the loop runs several attributes at a time."""
    for n in range(numbers.shape[0]):
        missing = math.isnan(numbers[n])
        x = moments[MEAN, n] if missing else numbers[n]
        share = 0.0 if missing else weight
        before, mean = moments[WEIGHT, n], moments[MEAN, n]
        after = before + share
        moments[WEIGHT, n] = after
        moments[MEAN, n] = mean + (x - mean) * (share / (after if after > 0.0 else 1.0))
        moments[SQUARES, n] += share * (x - mean) * (x - moments[MEAN, n])
        moments[ABSENT, n] += weight - share
        low, high = moments[LOW, n], moments[HIGH, n]
        moments[LOW, n] = x if not missing and (before == 0.0 or x < low) else low
        moments[HIGH, n] = x if not missing and (before == 0.0 or x > high) else high
        least, greatest = spread[0, n], spread[1, n]
        spread[0, n] = x if not missing and x < least else least
        spread[1, n] = x if not missing and x > greatest else greatest
        width = spread[1, n] - spread[0, n]
        spread[2, n] = spread[2, n] if missing else 1e-9 * (width * width / 12.0) + 1e-12


@part
def try_split(members, m, node):
    """Split the leaf if its best test is surely the best; put it off for ever if having none surely is."""
    s, order, split_parameters = members.nodes[m, node, 2], members.order, members.split_parameters
    n_nominal = members.first.shape[0] - 1
    weight, known = 0.0, 0
    for c in range(members.totals.shape[1]):
        weight += members.weights[m, node, c]
        known += members.totals[m, c] > 0.0
    members.node_statistics[m, node, SINCE] = 0.0
    chosen, cut, best, second = LEAF, 0.0, 0.0, -np.inf  # no test at all has merit 0
    for j in range(order.shape[0]):
        a = order[j]
        if a < n_nominal:
            merit, threshold = _merit_of_values(members, s, a), 0.0
        else:
            merit, threshold = _best_cut(members, s, a - n_nominal)
        if exceeds(merit, best, False):
            chosen, cut, best, second = a, threshold, merit, best
        else:
            second = max(second, merit)
    reach = 1.0 if members.settings[GINI] == 1.0 else math.log2(max(2.0, float(known)))
    bound = math.sqrt(reach * reach * split_parameters[m, LOG_DELTA] / (2.0 * weight))
    if best - second > bound or bound < split_parameters[m, TAU]:
        if chosen == LEAF:
            _give_back(members, m, node, OFF)
        else:
            _split(members, m, node, chosen, cut)


@inner
def _give_back(members, m, node, instead):
    members.spare[members.stock[0]] = members.nodes[m, node, 2]
    members.stock[0] += 1
    members.nodes[m, node, 2] = instead


@part
def _split(members, m, node, a, cut):
    """Make a leaf a node; its children start with the class weights that the tables tell, or the cut estimates."""
    nodes, node_statistics, weights, sides = members.nodes, members.node_statistics, members.weights, members.work
    s, n_nominal = nodes[m, node, 2], members.first.shape[0] - 1
    start = members.sizes[m]
    n_children = members.first[a + 1] - members.first[a] if a < n_nominal else 3
    if start + n_children > members.settings[MAX_NODES] or start + n_children > nodes.shape[1]:
        return
    if a >= n_nominal:
        _estimate_sides(members, s, a - n_nominal, cut)
    for b in range(n_children):
        for c in range(weights.shape[2]):
            weights[m, start + b, c] = members.cells[s, members.first[a] + b, c] if a < n_nominal else sides[b, c]
        nodes[m, start + b, 0], nodes[m, start + b, 1], nodes[m, start + b, 2] = LEAF, 0, FRESH
        node_statistics[m, start + b] = 0.0
    members.sizes[m] += n_children
    _give_back(members, m, node, FRESH)
    nodes[m, node, 0], nodes[m, node, 1] = a, start
    node_statistics[m, node, CUT] = cut


@inner
def _whole(members, s, gini):
    """Return weight and impurity of all that slot s has seen."""
    total, terms = 0.0, 0.0
    for c in range(members.seen.shape[1]):
        total += members.seen[s, c]
        terms += impurity_term(members.seen[s, c], gini)
    return total, impurity(total, terms, gini)


@part
def _merit_of_values(members, s, a):
    """Return the merit of a branch a value of nominal attribute a; -inf unless two branches are heavy enough."""
    cells, gini = members.cells, members.settings[GINI] == 1.0
    weight, before = _whole(members, s, gini)
    least, heavy = members.settings[MIN_FRACTION] * weight, 0
    inside = 0.0
    for v in range(members.first[a], members.first[a + 1]):
        total, terms = 0.0, 0.0
        for c in range(cells.shape[2]):
            total += cells[s, v, c]
            terms += impurity_term(cells[s, v, c], gini)
        heavy += total > least
        inside += impurity(total, terms, gini)
    return (before - inside) / weight if heavy >= 2 else -np.inf


@part
def _best_cut(members, s, n):
    """Return merit and cut of the best of equally spaced cuts of numeric attribute n; missing values are a third branch."""
    sides, gini = members.work, members.settings[GINI] == 1.0
    weight, before = _whole(members, s, gini)
    least, bins = members.settings[MIN_FRACTION] * weight, members.settings[BINS]
    low, high = members.spread[s, 0, n], members.spread[s, 1, n]
    best, chosen = -np.inf, 0.0
    if not low < high:
        return best, chosen
    for j in range(1, int(bins) + 1):
        cut = low + (high - low) * (j / (bins + 1.0))
        if not low < cut < high:
            continue
        _estimate_sides(members, s, n, cut)
        inside, heavy = 0.0, 0
        for b in range(3):
            total, terms = 0.0, 0.0
            for c in range(sides.shape[1]):
                total += sides[b, c]
                terms += impurity_term(sides[b, c], gini)
            heavy += total > least
            inside += impurity(total, terms, gini)
        merit = (before - inside) / weight
        if heavy >= 2 and exceeds(merit, best, False):
            best, chosen = merit, cut
    return best, chosen


@part
def _estimate_sides(members, s, n, cut):
    """Write into work[0..2] the class weights with x <= cut, with x > cut and missing."""
    moments, sides = members.moments, members.work
    for c in range(sides.shape[1]):
        weight = moments[s, c, WEIGHT, n]
        below = 0.0
        if weight > 0.0 and cut >= moments[s, c, HIGH, n]:
            below = weight
        elif weight > 0.0 and cut >= moments[s, c, LOW, n]:
            deviation = math.sqrt(moments[s, c, SQUARES, n] / weight)
            distance = cut - moments[s, c, MEAN, n]
            if deviation > 0.0:
                below = weight * (0.5 * math.erfc(-(distance / deviation) * _ROOT_HALF))
            elif distance >= 0.0:
                below = weight
        sides[0, c] = below
        sides[1, c] = weight - below
        sides[2, c] = moments[s, c, ABSENT, n]
