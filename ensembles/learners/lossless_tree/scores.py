"""What a test of a lossless tree is worth, and what a leaf costs.

`work` holds one test: row 0 the weights of the classes where it is true, row 1 of all examples; the other rows are room.

Utgoff, Berkman & Clouse (1997), and ITI 3.10; Lee & Clyde (2004), section 4; Bauer & Kohavi (1999), section 2.
"""

import math

from ensembles.jit import inner
from ensembles.learners.core.protocol import TIE

__all__ = ["GAIN_RATIO", "INFO_GAIN", "KS", "leaf_cost", "rate_test"]

KS, GAIN_RATIO, INFO_GAIN = 0.0, 1.0, 2.0


@inner
def leaf_cost(weights, v):
    """Return the bits for the class of a leaf and for its exceptions; those are examples, so weights must be natural."""
    total, most, present = 0.0, 0.0, 0
    for c in range(weights.shape[1]):
        w = weights[v, c]
        total += w
        most = max(most, w)
        present += w > 0.0
    if present < 2:
        return 1.0
    return 1.0 + math.log2(present) + (total - most) * (math.log2(max(total, 1.0)) + math.log2(present - 1))


@inner
def rate_test(work, n, weight, total, criterion):
    """Rate the test whose true side has the weights work[0, :n], of classes that weigh work[1, :n]."""
    if criterion != KS:
        return _gain(work, n, weight, total, criterion)
    if n == 2:
        return 2.0 * abs(work[0, 0] / work[1, 0] - work[0, 1] / work[1, 1])
    return _ks(work, n)


@inner
def _ks(work, n):
    """Return the distance of two groups of classes on both sides of a test.

    Groups are cut apart at the largest gap between the shares of the classes that go left. The shares that go right are
    these in reverse, so that among equal gaps the last of the one order is the first of the other.
    """
    for k in range(n):
        share, left, all_ = work[0, k] / work[1, k], work[0, k], work[1, k]
        h = k
        while h > 0 and work[2, h - 1] < share:
            work[2, h], work[3, h], work[4, h] = work[2, h - 1], work[3, h - 1], work[4, h - 1]
            h -= 1
        work[2, h], work[3, h], work[4, h] = share, left, all_
    largest = 0.0
    for k in range(1, n):
        largest = max(largest, work[2, k - 1] - work[2, k])
    first, last = 0, 0
    for k in range(1, n):
        if work[2, k - 1] - work[2, k] >= largest - TIE:
            last = k
            if first == 0:
                first = k
    distance = _distance(work, n, last)
    return 2.0 * distance if first == last else distance + _distance(work, n, first)


@inner
def _distance(work, n, split_at):
    upper, upper_all, lower, lower_all = 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        if k < split_at:
            upper += work[3, k]
            upper_all += work[4, k]
        else:
            lower += work[3, k]
            lower_all += work[4, k]
    return abs(upper / upper_all - lower / lower_all)


@inner
def _gain(work, n, weight, total, criterion):
    bits = _xlogx(total) - _xlogx(weight) - _xlogx(total - weight)
    gain = bits
    for k in range(n):
        gain += _xlogx(work[0, k]) + _xlogx(work[1, k] - work[0, k]) - _xlogx(work[1, k])
    if criterion == INFO_GAIN:
        return gain / total
    return gain / bits if bits >= 1e-12 * total else 0.0


@inner
def _xlogx(w):
    return w * math.log2(w) if w > 0.0 else 0.0
