"""What tests are judged by: entropy and gain ratio, the Gini index, Kolmogorov and Smirnov's distance, description length.

Weights of classes are given, not shares of them: *weighted entropy* is xlogx(W) - sum_c xlogx(W_c) with xlogx(w) = w lg w,
the bits that tell the classes of these examples; the gain of a test is what its branches save of the node's, an example.

**Ties.** Of tests that are equally good the first counts, in the order of attributes, then of values or cuts. Equally good
means: no better than by `TIE`, times the worth of the best where that is above one (`exceeds`, `undercuts`); Hoeffding trees
take `TIE` as it is, in bits. Kolmogorov and Smirnov's distance parts the classes at the last of the largest gaps between
their shares: as large as the largest exactly, or up to a slack (`ks_gaps`), which lossless trees set to `TIE`.

Quinlan (1993); Breiman et al. (1984); Utgoff, Berkman & Clouse (1997); Fayyad & Irani (1993).
"""

import math

from ensembles.jit import inner, part
from ensembles.learners.core.protocol import TIE

__all__ = [
    "LEAST_GAIN",
    "TIE",
    "bits_of_leaf",
    "bits_of_test",
    "exceeds",
    "gain_ratio",
    "impurity",
    "impurity_of",
    "impurity_term",
    "insert_class",
    "is_cut_worth_it",
    "ks_at",
    "ks_distance",
    "ks_gaps",
    "ks_of",
    "undercuts",
    "weighted_entropy",
    "weighted_entropy_between",
    "weighted_entropy_of_row",
    "xlogx",
    "xlogx_from",
]  # fmt: skip

LEAST_GAIN = 1e-10  #: bits an example that a test must gain to be asked
_LEAST_SPLIT = 1e-12  # bits an example that tell the branches apart, below which a ratio to them says nothing
_SMALLEST = 1e-9  # examples but one, when weights are fractions


@inner
def exceeds(score, best, relative):
    """Say whether a score is better than the best so far, and not as good."""
    return score > best + (TIE * max(1.0, abs(best)) if relative else TIE)


@inner
def undercuts(cost, best):
    """Say whether a cost is less than the least so far, and not as low."""
    return cost < best - TIE * max(1.0, abs(best))


@inner
def xlogx(w):
    """Return w lg w, 0 for 0."""
    return w * math.log2(w) if w > 0.0 else 0.0


@inner
def xlogx_from(w, table):
    """As `xlogx`, looked up where there is a table of it for whole numbers."""
    if table.shape[0] > 0:
        return table[int(w)]
    return xlogx(w)


@part
def weighted_entropy(weights):
    """Return the bits that tell the classes of examples of these weights, shape (classes,)."""
    total, parts = 0.0, 0.0
    for c in range(weights.shape[0]):
        total += weights[c]
        parts += xlogx(weights[c])
    return xlogx(total) - parts


@inner
def weighted_entropy_of_row(row, table, logs):
    """As `weighted_entropy`, of a row of a table of class weights; `logs`: a table for `xlogx_from`."""
    total, parts = 0.0, 0.0
    for c in range(table.shape[1]):
        total += table[row, c]
        parts += xlogx_from(table[row, c], logs)
    return xlogx_from(total, logs) - parts


@part
def weighted_entropy_between(below, start, stop):
    """As `weighted_entropy`, of the values from `start` to before `stop`; below[j]: class weights of the first j."""
    total, parts = 0.0, 0.0
    for c in range(below.shape[1]):
        w = below[stop, c] - below[start, c]
        total += w
        parts += xlogx(w)
    return xlogx(total) - parts


@inner
def impurity_term(w, gini):
    """Return what a class of weight w adds to the terms of `impurity`."""
    return w * w if gini else xlogx(w)


@inner
def impurity(total, terms, gini):
    """Return Gini index or entropy, times the weight `total`; terms: the sum of `impurity_term` over the classes."""
    if total <= 0.0:
        return 0.0
    return total - terms / total if gini else xlogx(total) - terms


@part
def impurity_of(weights, gini):
    """As `impurity`, of examples of these weights, shape (classes,)."""
    total, terms = 0.0, 0.0
    for c in range(weights.shape[0]):
        total += weights[c]
        terms += impurity_term(weights[c], gini)
    return impurity(total, terms, gini)


@inner
def gain_ratio(gain, split, weight):
    """Return gain over what tells the branches apart, both for examples of this weight; 0 where nothing does."""
    return gain / split if split >= _LEAST_SPLIT * weight else 0.0


@inner
def insert_class(work, top, n, side, whole):
    """Put a class of which `side` of `whole` takes a branch among the n that are there, by falling share; return n + 1.

    work : row `top` holds the shares, the next two what takes the branch and the whole.
    """
    share, k = side / whole, n
    while k > 0 and work[top, k - 1] < share:
        for row in range(top, top + 3):
            work[row, k] = work[row, k - 1]
        k -= 1
    work[top, k], work[top + 1, k], work[top + 2, k] = share, side, whole
    return n + 1


@inner
def ks_gaps(work, top, n, slack):
    """Return the first and the last place where the gap between the shares of n classes is the largest, up to `slack`."""
    largest, first, last = 0.0, 0, 0
    for k in range(1, n):
        largest = max(largest, work[top, k - 1] - work[top, k])
    for k in range(1, n):
        if work[top, k - 1] - work[top, k] >= largest - slack:
            last = k
            if first == 0:
                first = k
    return first, last


@inner
def ks_at(work, top, n, place):
    """Return how far the shares of two groups of classes are apart: those before `place`, and the others."""
    upper, upper_whole, lower, lower_whole = 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        if k < place:
            upper += work[top + 1, k]
            upper_whole += work[top + 2, k]
        else:
            lower += work[top + 1, k]
            lower_whole += work[top + 2, k]
    return abs(upper / upper_whole - lower / lower_whole)


@inner
def ks_distance(work, top, n):
    """Return the distance by a branch: of the groups that the last of the largest gaps parts; 0 for one class."""
    if n < 2:
        return 0.0
    _, last = ks_gaps(work, top, n, 0.0)
    return ks_at(work, top, n, last)


@part
def ks_of(low, high, work, top):
    """Return the distance of two sides, in [0, 2]: by the one and by the other; `work` has three rows from `top` on.

    With two classes it is twice the difference of their shares.
    """
    n = 0
    for c in range(low.shape[0]):
        if low[c] + high[c] > 0.0:
            n = insert_class(work, top, n, low[c], low[c] + high[c])
    distance = ks_distance(work, top, n)
    n = 0
    for c in range(low.shape[0]):
        if low[c] + high[c] > 0.0:
            n = insert_class(work, top, n, high[c], low[c] + high[c])
    return distance + ks_distance(work, top, n)


@inner
def bits_of_leaf(weights, v):
    """Return the bits that tell the classes at node v: its majority, and each exception with its class.

    Utgoff, Berkman & Clouse (1997), with weights for counts as in Lee & Clyde (2004).
    """
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
def bits_of_test(n_tests):
    """Return the bits that name one of so many tests."""
    return 1.0 + math.log2(max(float(n_tests), 1.0))


@part
def is_cut_worth_it(below, start, at, stop):
    """Say whether a cut gains more than its description is long: it lies `at`, between `start` and `stop`.

    Gain > (lg(n - 1) + lg(3^k - 2) - k Ent(S) + k1 Ent(S1) + k2 Ent(S2)) / n, both sides times n; Fayyad & Irani (1993).
    """
    whole = weighted_entropy_between(below, start, stop)
    lower, upper = weighted_entropy_between(below, start, at), weighted_entropy_between(below, at, stop)
    n, n_lower, n_upper = _weight(below, start, stop), _weight(below, start, at), _weight(below, at, stop)
    k = _n_classes(below, start, stop)
    k_lower, k_upper = _n_classes(below, start, at), _n_classes(below, at, stop)
    subsets = k * math.log2(3.0)
    if k < 30:
        power = 1.0
        for _ in range(k):
            power *= 3.0
        subsets = math.log2(power - 2.0)
    delta = subsets - (k * (whole / n) - k_lower * (lower / n_lower) - k_upper * (upper / n_upper))
    return whole - lower - upper > math.log2(max(n - 1.0, _SMALLEST)) + delta


@inner
def _weight(below, start, stop):
    total = 0.0
    for c in range(below.shape[1]):
        total += below[stop, c] - below[start, c]
    return total


@inner
def _n_classes(below, start, stop):
    k = 0
    for c in range(below.shape[1]):
        k += below[stop, c] > below[start, c]
    return k
