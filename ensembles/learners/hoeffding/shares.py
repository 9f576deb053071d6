"""The nominal values of an example in a leaf's naive Bayes: the product of their Laplace shares in each class.

All but few examples have values that were seen before, and most leaves never counted a missing one: then how many values an
attribute has is all that its divisor depends on besides the class.
"""

from ensembles.jit import inner
from ensembles.lanes import WIDTH, lanes_at, lanes_of, put_lanes, where_less
from ensembles.learners.hoeffding.subspaces import count_nominal, nominal_at

__all__ = ["SCALE", "has_gaps", "multiply_shares", "share_products"]

_STEP = 16  # factors multiplied before the product is brought back into range: (2^33)^16 < 1e160
SCALE = 2.0**512  #: what a product that came out of range was multiplied with


@inner
def multiply_shares(members, m, node, s, codes, i, work):
    """Write into work[0] class weight times Laplace shares of nominal values, into work[1] its exponent of `SCALE`."""
    gaps = members.gaps[s] or has_gaps(members.first, codes, i)
    for c in range(0, work.shape[1], WIDTH):
        score, exponent = share_products(members, m, node, s, c, codes, i, gaps)
        put_lanes(work, (0, c), score)
        put_lanes(work, (1, c), exponent)


@inner
def share_products(members, m, node, s, c, codes, i, gaps):
    """Return of the classes from c on what `multiply_shares` writes; gaps: whether a value is missing, or was never seen."""
    score, exponent = lanes_at(members.weights, (m, node, c)), lanes_of(0.0)
    if gaps:
        return _times_known_shares(members, s, c, codes, i, score, exponent)
    return _times_shares(members, s, c, codes, i, score, exponent)


@inner
def has_gaps(first, codes, i):
    """Return whether a nominal value of example i is missing, or has never been seen."""
    found = 0
    for a in range(codes.shape[1]):
        v = codes[i, a]
        found += v < 0 or v == first[a + 1] - 1
    return found > 0


@inner
def _times_shares(members, s, c, codes, i, score, exponent):
    """Return the scores of classes from c on times their shares of all values, and exponents."""
    cells, subspaces, known = members.cells, members.subspaces, lanes_at(members.seen, (s, c))
    above, below = lanes_of(1.0), lanes_of(1.0)
    for j in range(count_nominal(subspaces, s, codes.shape[1])):
        if j % _STEP == 0 and j > 0:
            score, exponent = _in_range(score * (above / below), exponent)
            above, below = lanes_of(1.0), lanes_of(1.0)
        a = nominal_at(subspaces, s, j)
        above = above * (lanes_at(cells, (s, codes[i, a], c)) + 1.0)
        below = below * (known + members.n_values[a])
    return _in_range(score * (above / below), exponent)


@inner
def _times_known_shares(members, s, c, codes, i, score, exponent):
    """As `_times_shares`, without missing values, and with one value more where there is none of the kind."""
    cells, subspaces, known = members.cells, members.subspaces, lanes_at(members.seen, (s, c))
    above, below = lanes_of(1.0), lanes_of(1.0)
    for j in range(count_nominal(subspaces, s, codes.shape[1])):
        if j % _STEP == 0 and j > 0:
            score, exponent = _in_range(score * (above / below), exponent)
            above, below = lanes_of(1.0), lanes_of(1.0)
        a = nominal_at(subspaces, s, j)
        v, missing = codes[i, a], members.first[a + 1] - 1
        if v == missing:
            continue
        if v >= 0:
            above = above * (lanes_at(cells, (s, v, c)) + 1.0)
        n_values = members.n_values[a] if v >= 0 else members.n_values[a] + 1.0
        below = below * (known - lanes_at(cells, (s, missing, c)) + n_values)
    return _in_range(score * (above / below), exponent)


@inner
def _in_range(score, exponent):
    """Return a score, multiplied with `SCALE` if it is small, and its exponent."""
    small = 1.0 / SCALE
    return where_less(score, small, score * SCALE, score), where_less(score, small, exponent - 1.0, exponent)
