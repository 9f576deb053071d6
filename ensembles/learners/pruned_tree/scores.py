"""Rows of class weights: how heavy, of which class, and how far a branch sets the classes apart.

By Kolmogorov and Smirnov a branch tells two groups of classes apart by the difference between the shares of them that take
it; the test is worth the sum over its branches (Utgoff, Berkman & Clouse 1997, for two branches).
"""

from ensembles.jit import inner, part
from ensembles.learners.core.criteria import insert_class, ks_distance

__all__ = [
    "ABOVE", "BELOW", "MISSING", "MIXED", "NOTHING", "N_SCRATCH", "SORTED", "allowed", "class_of", "distance_of",
    "weight_of",
]  # fmt: skip

BELOW, ABOVE, MISSING, SORTED, N_SCRATCH = 0, 1, 2, 3, 6  #: rows of `Growth.scratch`; three to sort classes in

NOTHING, MIXED = -1, -2


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
