"""What a test of a lossless tree is worth.

`work` holds one test: row 0 the weights of the classes where it is true, row 1 of all examples; the other rows are room.

Utgoff, Berkman & Clouse (1997), and ITI 3.10; Lee & Clyde (2004), section 4; Bauer & Kohavi (1999), section 2.
"""

import math

from ensembles.jit import inner
from ensembles.learners.core.criteria import TIE, gain_ratio, insert_class, ks_at, ks_gaps, xlogx

__all__ = [
    "GAIN_RATIO",
    "INFO_GAIN",
    "KS",
    "bits_after",
    "bits_before",
    "bits_of_leaf",
    "bits_of_test",
    "rate_by_distance",
    "rate_test",
    "xlogx_of",
]

KS, GAIN_RATIO, INFO_GAIN = 0.0, 1.0, 2.0

_SORTED = 2  # the first of three rows of `work` to sort classes in


@inner
def rate_test(work, n, weight, total, criterion):
    """Rate, by distance or ratio, the test whose true side weighs work[0, :n], of classes that weigh work[1, :n]."""
    if criterion == GAIN_RATIO:
        return _gain_ratio(work, n, weight, total)
    return rate_by_distance(work, n, 0.0)[0]


@inner
def rate_by_distance(work, n, least):
    """Return the distance of two groups of classes on both sides of a test, and by how much the gap that parts them leads.

    Groups are cut apart at the largest gap between the shares of the classes that go left. The shares that go right are
    these in reverse, so that among equal gaps the last of the one order is the first of the other. They are no further
    apart than the outermost of their classes: where that is less than `least`, it is returned, and groups do not matter.
    """
    if n == 2:
        return 2.0 * abs(work[0, 0] / work[1, 0] - work[0, 1] / work[1, 1]), math.inf
    low, high = 1.0, 0.0
    for k in range(n):
        share = work[0, k] / work[1, k]
        low, high = min(low, share), max(high, share)
    if 2.0 * (high - low) < least:
        return 2.0 * (high - low), math.inf
    for k in range(n):
        insert_class(work, _SORTED, k, work[0, k], work[1, k])
    first, last = ks_gaps(work, _SORTED, n, TIE)
    distance = ks_at(work, _SORTED, n, last)
    if first != last:
        return distance + ks_at(work, _SORTED, n, first), 0.0
    return 2.0 * distance, _lead(work, n, last)


@inner
def _lead(work, n, place):
    """Return by how much the gap at `place` is larger than all others."""
    second = 0.0
    for k in range(1, n):
        if k != place:
            second = max(second, work[_SORTED, k - 1] - work[_SORTED, k])
    return work[_SORTED, place - 1] - work[_SORTED, place] - second


@inner
def bits_after(work, n, weight, total, logs):
    """Return the bits that tell the classes of all examples once the test is answered; logs: a table for `xlogx_of`."""
    true, false = xlogx_of(weight, logs), xlogx_of(total - weight, logs)
    for k in range(n):
        true -= xlogx_of(work[0, k], logs)
        false -= xlogx_of(work[1, k] - work[0, k], logs)
    return true + false


@inner
def bits_before(work, n, total, logs):
    """As `bits_after`, before any test."""
    bits = xlogx_of(total, logs)
    for k in range(n):
        bits -= xlogx_of(work[1, k], logs)
    return bits


@inner
def xlogx_of(w, logs):
    """As `xlogx`, looked up where w is whole and `logs` has it."""
    k = int(w)
    if k < logs.shape[0] and float(k) == w:
        return logs[k]
    return xlogx(w)


@inner
def bits_of_leaf(weights, v, lgs):
    """As `criteria.bits_of_leaf`, which is called at every node on the way of an example; lgs: a table for `_lg`."""
    total, most, present = 0.0, 0.0, 0
    for c in range(weights.shape[1]):
        w = weights[v, c]
        total += w
        most = max(most, w)
        present += w > 0.0
    if present < 2:
        return 1.0
    return 1.0 + lgs[present] + (total - most) * (_lg(max(total, 1.0), lgs) + lgs[present - 1])


@inner
def bits_of_test(n_tests, lgs):
    """As `criteria.bits_of_test`."""
    return 1.0 + _lg(max(float(n_tests), 1.0), lgs)


@inner
def _lg(w, lgs):
    """Return lg w, looked up where w is whole and `lgs` has it."""
    k = int(w)
    if k < lgs.shape[0] and float(k) == w:
        return lgs[k]
    return math.log2(w)


@inner
def _gain_ratio(work, n, weight, total):
    bits = xlogx(total) - xlogx(weight) - xlogx(total - weight)
    gain = bits
    for k in range(n):
        gain += xlogx(work[0, k]) + xlogx(work[1, k] - work[0, k]) - xlogx(work[1, k])
    return gain_ratio(gain, bits, total)
