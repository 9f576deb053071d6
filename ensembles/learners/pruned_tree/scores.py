"""What tests are judged by: bits of class weights, and the distance of Kolmogorov and Smirnov.

The *bits* of some examples are g(W) - sum_c g(W_c) with g(w) = w lg w; the gain of a test is what its branches save of the
node's bits, an example. By Kolmogorov and Smirnov a branch tells two groups of classes apart by the difference between the
shares of them that take it; the test is worth the sum over its branches (Utgoff, Berkman & Clouse 1997, for two branches).
"""

import math

from ensembles.jit import inner, part

__all__ = [
    "ABOVE",
    "BELOW",
    "LEAST_GAIN",
    "MISSING",
    "MIXED",
    "NOTHING",
    "TIE",
    "allowed",
    "class_of",
    "distance_of",
    "weight_of",
    "weighted_entropy",
    "xlogx",
]  # fmt: skip

LEAST_GAIN = 1e-10  # of a test that is worth asking
TIE = 1e-12

# Rows of `Growth.scratch`.
BELOW, ABOVE, MISSING = 0, 1, 2
_SHARE, _PLACE = 3, 4

NOTHING, MIXED = -1, -2


@inner
def xlogx(w, logs):
    if logs.shape[0] > 0:
        return logs[int(w)]
    return w * math.log2(w) if w > 0.0 else 0.0


@inner
def weighted_entropy(row, table, logs):
    """Return the bits of the class weights in a row of a table."""
    total, parts = 0.0, 0.0
    for c in range(table.shape[1]):
        total += table[row, c]
        parts += xlogx(table[row, c], logs)
    return xlogx(total, logs) - parts


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
    """Return what a branch is worth that takes the class weights in a row of a table from those of node v.

    Classes are ordered by the share of them that takes the branch, greatest first, and parted at the last of the largest
    gaps between shares.
    """
    n = 0
    for c in range(table.shape[1]):
        if counted[v, c] <= 0.0:
            continue
        share = table[row, c] / counted[v, c]
        at = n
        while at > 0 and scratch[_SHARE, at - 1] < share:
            scratch[_SHARE, at], scratch[_PLACE, at] = scratch[_SHARE, at - 1], scratch[_PLACE, at - 1]
            at -= 1
        scratch[_SHARE, at], scratch[_PLACE, at] = share, float(c)
        n += 1
    parted, gap = 1, -1.0
    for k in range(1, n):
        if scratch[_SHARE, k - 1] - scratch[_SHARE, k] >= gap:
            parted, gap = k, scratch[_SHARE, k - 1] - scratch[_SHARE, k]
    taken, whole, taken_below, whole_below = 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        c = int(scratch[_PLACE, k])
        if k < parted:
            taken += table[row, c]
            whole += counted[v, c]
        else:
            taken_below += table[row, c]
            whole_below += counted[v, c]
    return abs(taken / whole - taken_below / whole_below) if whole_below > 0.0 else 0.0
