"""What the tests of a node are rated by, from rows of class weights.

By Kolmogorov and Smirnov a branch tells two groups of classes apart by the difference between the shares of them that take
it; the test is worth the sum over its branches (Utgoff, Berkman & Clouse 1997, for two branches).
"""

from typing import NamedTuple

from ensembles.jit import inner, part
from ensembles.learners.core.criteria import gain_ratio, insert_class, ks_distance, weighted_entropy_of_row, xlogx_from

__all__ = [
    "ABOVE", "ASKS", "BELOW", "CUT", "GAIN", "MISSING", "MIXED", "NOTHING", "N_SCRATCH", "SCORE", "SORTED", "Node",
    "allowed", "class_of", "cost_of", "distance_of", "record", "weight_of",
]  # fmt: skip

BELOW, ABOVE, MISSING, SORTED, N_SCRATCH = 0, 1, 2, 3, 6  #: rows of `Growth.scratch`; three to sort classes in

GAIN, SCORE, CUT, ASKS = 0, 1, 2, 3  #: columns of `Growth.tests`

NOTHING, MIXED = -1, -2


class Node(NamedTuple):
    """The node that is to ask something: its number, its positions, its weight and the bits that tell its classes."""

    v: int
    low: int
    high: int
    weight: float
    bits: float


@inner
def weight_of(row, table):
    total = 0.0
    for c in range(table.shape[1]):
        total += table[row, c]
    return total


@inner
def class_of(row, table):
    """Return the only class of a row of a table, or NOTHING or MIXED."""
    found = NOTHING
    for c in range(table.shape[1]):
        if table[row, c] > 0.0:
            if found != NOTHING:
                return MIXED
            found = c
    return found


@inner
def allowed(a, b, c, least):
    """Say whether two of three branches have the least weight."""
    return (a >= least and (b >= least or c >= least)) or (b >= least and c >= least)


@part
def distance_of(row, table, counted, v, scratch):
    """Return what a branch is worth that takes the class weights in a row of a table from those of node v."""
    n = 0
    for c in range(table.shape[1]):
        if counted[v, c] > 0.0:
            n = insert_class(scratch, SORTED, n, table[row, c], counted[v, c])
    return ks_distance(scratch, SORTED, n)


@inner
def cost_of(search, weights, rules, v, row, table):
    """Return what a branch that takes the class weights in a row of a table costs: bits, or its distance with a minus."""
    if rules.by_ks:
        return -distance_of(row, table, weights, v, search.scratch)
    return weighted_entropy_of_row(row, table, search.logs)


@inner
def record(search, rules, node, a, cost, branch_entropy, cut, asks):
    """Note the test on attribute a whose branches cost so much; `branch_entropy`: the sum of xlogx over their weights."""
    tests = search.tests
    gain = -cost if rules.by_ks else (node.bits - cost) / node.weight
    tests[a, GAIN], tests[a, SCORE], tests[a, CUT], tests[a, ASKS] = gain, gain, cut, asks
    if rules.by_ratio:
        split = (xlogx_from(node.weight, search.logs) - branch_entropy) / node.weight
        tests[a, SCORE] = gain_ratio(gain, split, 1.0)
