"""The best test of a node, and what follows from it: keep the subtree, grow it anew, or end in a leaf.

Tests are a = v for nominal attributes, "missing" being the last of the values, and x < c for numeric ones, c half way
between two neighbouring values that do not both belong to one and the same class. Of tests as good as each other the first
counts, in the order of attributes, then of values or cuts.

By information gain few attributes have to be looked at when an example came. Entropy is concave, so an example more can
only raise the bits that a test leaves, and those that an attribute's best test left when last looked at bound them from
below for ever: only attributes whose bound lies under what the present test leaves are looked at again. A cut that an
example brings parts those before it as an old cut did, but for a cut as near to the present one as can be (`note_change`).
By distance bounds loosen as classes move (`drift`), and often no test has to be looked at. The test found is the one that a
look at all would find.

Thesis, section 2.3; Utgoff, Berkman & Clouse (1997).
"""

from ensembles.jit import inner
from ensembles.learners.lossless_tree.drift import sure_until
from ensembles.learners.lossless_tree.looks import (
    BEST,
    BEST_AFTER,
    BEST_BEFORE,
    BEST_BITS,
    BEST_COLUMN,
    BEST_CUT,
    BEST_HIGH,
    BEST_KNOWN,
    BEST_LOW,
    BEST_VALUE,
    BEST_WEIGHT,
    FIRST,
    SLACK,
    beats,
    count_values,
    forget_best,
    look_at_cuts,
    look_at_values,
    rate,
    take_down,
)
from ensembles.learners.lossless_tree.nodes import (
    AFTER,
    BEFORE,
    BOUNDS,
    CLOCK,
    COLUMN,
    CUT,
    DRIFT,
    END,
    HIGH,
    LEAST,
    LEFT,
    LOW,
    MOST,
    PENDING,
    SETTLED,
    STATE,
    SURE,
    TABLE,
    TESTS,
    VALUE,
    WORTH_A_TABLE,
    drop_memory,
    fold,
    gather,
    hang,
    split,
    take_bounds,
    take_table,
)
from ensembles.learners.lossless_tree.scores import INFO_GAIN, KS, bits_before, bits_of_leaf
from ensembles.learners.lossless_tree.store import CLASS, CRITERION, EXAMPLE, SECOND, ZERO

__all__ = ["choose_node"]

_NOT_GATHERED = -1


@inner
def choose_node(members, m, v, anew):
    """Make node v what it should be: a leaf, or the best test with a leaf or a subtree on both sides.

    `anew`: look at all attributes.
    """
    nodes, node_statistics, best = members.nodes, members.node_statistics, members.best
    n = _look_for_test(members, m, v, anew)
    row = BEST if best[BEST, BEST_COLUMN] >= 0.0 or members.settings[ZERO] == 0.0 else FIRST
    column, value = int(best[row, BEST_COLUMN]), int(best[row, BEST_VALUE])
    interior = nodes[v, COLUMN] >= 0
    # Left sides of two cuts lie in one another: they are the same if they weigh the same.
    same = column == nodes[v, COLUMN] and (
        value == nodes[v, VALUE]
        if value >= 0
        else best[row, BEST_WEIGHT] == _weight_of(members.weights, nodes[v, LEFT])
    )
    if interior and not same:
        if n == _NOT_GATHERED:
            n = _gather(members, m, v)
        fold(members, v)
    if column >= 0:
        nodes[v, COLUMN] = column
        nodes[v, VALUE] = value
        node_statistics[v, CUT], node_statistics[v, LOW] = best[row, BEST_CUT], best[row, BEST_LOW]
        node_statistics[v, HIGH] = best[row, BEST_HIGH]
        node_statistics[v, BEFORE], node_statistics[v, AFTER] = best[row, BEST_BEFORE], best[row, BEST_AFTER]
        node_statistics[v, SURE] = sure_until(members, v, column)
        nodes[v, STATE] = SETTLED
        if not (interior and same):
            split(members, m, v, n)
        return
    drop_memory(members, v)
    if interior:
        for g in range(n):
            hang(nodes, members.links, m, v, members.gathered[g])
    nodes[v, STATE] = END
    node_statistics[v, LEAST] = node_statistics[v, MOST] = bits_of_leaf(members.weights, v, members.lgs)


@inner
def _weight_of(weights, v):
    total = 0.0
    for c in range(weights.shape[1]):
        total += weights[v, c]
    return total


@inner
def _look_for_test(members, m, v, anew):
    """Write the best test of node v into `best`; return how many pairs were gathered for that."""
    nodes, node_statistics = members.nodes, members.node_statistics
    forget_best(members.best)
    n_present, total, second = _look_at_classes(members, v)
    if n_present < 2 or second < members.settings[SECOND]:
        return _NOT_GATHERED
    entropy, whole, slack = members.settings[CRITERION] == INFO_GAIN, 0.0, SLACK
    if entropy:
        whole, slack = bits_before(members.work, n_present, total, members.logs), SLACK * total
    b, now, n, own, later = nodes[v, BOUNDS], 0.0, _NOT_GATHERED, -1, slack
    if b > 0 and nodes[v, COLUMN] >= 0 and not anew:
        now = _bits_now(members, v, n_present, total)
        if whole - now > 2.0 * slack:
            own = nodes[v, COLUMN]
    if own < 0:
        if nodes[v, TABLE] == 0:
            n = _gather(members, m, v)
            if nodes[v, TABLE] == 0:
                _fill_table(members, 0, n)
        _forget_looks(members, v, n)
    drift = node_statistics[v, DRIFT]
    moved = 0.0 if entropy else 2.0 * drift
    for a in range(members.place.shape[0]):
        column = members.place[a]
        if column == own:
            later = 0.0 if entropy else slack  # of tests that leave as many bits the first counts
            before, after = node_statistics[v, BEFORE] - moved, node_statistics[v, AFTER] - moved
            if before > now + slack and after >= now + later and drift < members.steady[b, a]:
                _stay(members, v, now, (whole - now) / total if entropy else -now)
                continue
        elif own >= 0 and members.bounds[b, a] - moved >= now + later and drift < members.steady[b, a]:
            continue
        if n == _NOT_GATHERED and (nodes[v, TABLE] == 0 or column >= members.first.shape[0] - 1):
            n = _gather(members, m, v)
        if own >= 0 and nodes[v, TABLE] == 0 and column < members.first.shape[0] - 1:
            count_values(members, column, n)
        _look_at(members, v, a, n, n_present, total, whole)
    return n


@inner
def _look_at_classes(members, v):
    """List the classes of node v; return how many, their weight, and that of the second heaviest."""
    weights, present, work = members.weights, members.present, members.work
    n, total, heaviest, second = 0, 0.0, 0.0, 0.0
    for c in range(weights.shape[1]):
        w = weights[v, c]
        if w > 0.0:
            present[n] = c
            members.among[c] = n
            work[1, n] = w
            n += 1
            total += w
            if w > heaviest:
                second = heaviest
                heaviest = w
            else:
                second = max(second, w)
    return n, total, second


@inner
def _bits_now(members, v, n_present, total):
    """Return the bits that the present test of node v leaves."""
    left, weight = members.nodes[v, LEFT], 0.0
    for k in range(n_present):
        w = members.weights[left, members.present[k]]
        members.work[0, k] = w
        weight += w
    bits, _ = rate(members, n_present, weight, total)
    if members.settings[CRITERION] == KS:
        members.best[BEST, BEST_KNOWN] = -bits
    return bits


@inner
def _stay(members, v, now, score):
    """Let the present test of node v compete, which is better than all others of its attribute."""
    nodes, node_statistics, best = members.nodes, members.node_statistics, members.best
    if not beats(best, now, score):
        return
    take_down(best, BEST, score, nodes[v, COLUMN], nodes[v, VALUE], _weight_of(members.weights, nodes[v, LEFT]))
    best[BEST, BEST_BITS] = now
    best[BEST, BEST_CUT] = node_statistics[v, CUT]
    best[BEST, BEST_LOW], best[BEST, BEST_HIGH] = node_statistics[v, LOW], node_statistics[v, HIGH]
    best[BEST, BEST_BEFORE], best[BEST, BEST_AFTER] = node_statistics[v, BEFORE], node_statistics[v, AFTER]


@inner
def _gather(members, m, v):
    """Gather the pairs below node v with all that a look reads; return how many. Count them in a table if it is worth it."""
    pairs, below, mass = members.pairs, members.below, members.below_mass
    n = gather(members, m, v)
    for g in range(n):
        p = members.gathered[g]
        c = pairs[p, CLASS]
        below[g, 0], below[g, 1], below[g, 2], mass[g] = pairs[p, EXAMPLE], c, members.among[c], members.mass[m, p]
    if members.nodes[v, TABLE] == 0 and members.first.shape[0] > 1:
        t = take_table(members, n)
        if t > 0:
            members.nodes[v, TABLE] = t
            _fill_table(members, t, n)
    return n


@inner
def _fill_table(members, t, n):
    tables, keys, below = members.tables, members.keys, members.below
    for value in range(tables.shape[1]):
        for c in range(tables.shape[2]):
            tables[t, value, c] = 0.0
    for g in range(n):
        x, c, weight = below[g, 0], below[g, 1], members.below_mass[g]
        for j in range(members.first.shape[0] - 1):
            tables[t, keys[x, j], c] += weight


@inner
def _forget_looks(members, v, n):
    """Begin counting the tests of node v, which has a table or n gathered pairs, and bounding what they leave."""
    nodes = members.nodes
    if nodes[v, BOUNDS] == 0:
        nodes[v, BOUNDS] = take_bounds(members, WORTH_A_TABLE if n == _NOT_GATHERED else n)
    nodes[v, TESTS] = 0
    nodes[v, CLOCK] = 0
    members.node_statistics[v, PENDING] = 0.0
    members.node_statistics[v, DRIFT] = 0.0
    b = nodes[v, BOUNDS]
    if b > 0:
        for a in range(members.place.shape[0]):
            members.tested[b, a] = 0
            members.looked[b, a] = 0


@inner
def _look_at(members, v, a, n, n_present, total, whole):
    """Look at the tests of attribute a at node v, of n gathered pairs."""
    nodes, column, b, best = members.nodes, members.place[a], members.nodes[v, BOUNDS], members.best
    if column < members.first.shape[0] - 1:
        tests, least, leads = look_at_values(members, v, column, n_present, total, whole)
    else:
        tests, least, leads = look_at_cuts(members, column, n, n_present, total, whole)
    nodes[v, TESTS] += tests
    drift = members.node_statistics[v, DRIFT]
    moved = 0.0 if members.settings[CRITERION] == INFO_GAIN else 2.0 * drift
    if best[BEST, BEST_COLUMN] == column:
        best[BEST, BEST_BEFORE] += moved
        best[BEST, BEST_AFTER] += moved
    if b > 0:
        nodes[v, TESTS] -= members.tested[b, a]
        members.node_statistics[v, PENDING] -= nodes[v, CLOCK] - members.looked[b, a]
        members.bounds[b, a] = least + moved
        members.steady[b, a] = drift + (leads - SLACK) / 2.0
        members.tested[b, a] = tests
        members.looked[b, a] = nodes[v, CLOCK]
