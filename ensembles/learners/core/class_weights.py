"""What learners ask of the class weights of some examples: how many bits tell the classes, which class leads, what shares.

The *bits* of class weights are g(W) - sum_c g(W_c) with g(w) = w lg w: weight times entropy.
"""

import math

from ensembles.jit import inner, part

__all__ = ["copy_weights", "has_weight", "ks_of", "total_of", "weighted_entropy", "write_shares", "xlogx"]


@inner
def xlogx(w):
    """Return w lg w, 0 for 0."""
    return w * math.log2(w) if w > 0.0 else 0.0


@inner
def total_of(weights):
    """Return the sum."""
    total = 0.0
    for c in range(weights.shape[0]):
        total += weights[c]
    return total


@inner
def has_weight(weights):
    """Say whether any class has weight."""
    for c in range(weights.shape[0]):  # noqa: SIM110 - compiled loop
        if weights[c] > 0.0:
            return True
    return False


@part
def weighted_entropy(weights):
    """Return the bits that tell the classes of these examples."""
    total, parts = 0.0, 0.0
    for c in range(weights.shape[0]):
        total += weights[c]
        parts += xlogx(weights[c])
    return xlogx(total) - parts


@part
def copy_weights(source, target):
    """Write the class weights of `source` into `target`."""
    for c in range(source.shape[0]):
        target[c] = source[c]


@part
def write_shares(weights, out):
    """Write into `out` the share of each class; some class has weight."""
    total = total_of(weights)
    for c in range(out.shape[0]):
        out[c] = weights[c] / total


@part
def ks_of(low, high, shares):
    """Return the Kolmogorov-Smirnov distance of two sides, in [0, 2]; `shares` has room for one number a class.

    Classes are sorted by the share of their weight that is on a side and parted at the last greatest gap between shares;
    the distance is that of the shares of both groups, added for both sides. With two classes it is twice the difference of
    their shares.
    """
    return _distance(low, high, shares) + _distance(high, low, shares)


@part
def _distance(side, other, shares):
    """Part the classes where their shares of `side` leave the greatest gap; return how far both groups' shares differ."""
    lowest = math.inf
    for c in range(side.shape[0]):
        total = side[c] + other[c]
        shares[c] = side[c] / total if total > 0.0 else -1.0
        if total > 0.0:
            lowest = min(lowest, shares[c])
    # From the greatest share down to the next: `bound` becomes the least share of the upper group.
    bound, widest, at = math.inf, -1.0, 2.0
    while at > lowest:
        below = -1.0
        for c in range(side.shape[0]):
            if shares[c] < at:
                below = max(below, shares[c])
        if at <= 1.0 and at - below >= widest:
            widest, bound = at - below, at
        at = below
    upper_side, upper_total, lower_side, lower_total = 0.0, 0.0, 0.0, 0.0
    for c in range(side.shape[0]):
        if shares[c] >= bound:
            upper_side += side[c]
            upper_total += side[c] + other[c]
        elif shares[c] >= 0.0:
            lower_side += side[c]
            lower_total += side[c] + other[c]
    if upper_total == 0.0 or lower_total == 0.0:
        return 0.0
    return abs(upper_side / upper_total - lower_side / lower_total)
