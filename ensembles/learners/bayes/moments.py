"""Sums, means and variances of a class, eight numbers at a time, from the places that `sums` keeps."""

from ensembles.exact import WEIGHT_STEP, add_below, moments_of, two_sum
from ensembles.jit import inner
from ensembles.lanes import lanes_of, put_whole_lanes, where_less, whole_lanes_at

__all__ = ["moments_at", "pooled_moments_at", "sums_at"]


@inner
def sums_at(members, m, c, eight):
    """Return the sums of class c, of eight numbers and then of their squares, each as a pair of lanes."""
    squares_at, end = members.squares_at[0], members.units.shape[0]
    return _sum_places(members, m, c, eight, 0, 1, squares_at), _sum_places(members, m, c, eight, 1, squares_at, end)


@inner
def _sum_places(members, m, c, eight, beyond, first, end):
    """Return the sum of the places from `first` to before `end`, and of what is carried beyond."""
    digits, high, low = members.digits, lanes_of(0.0), lanes_of(0.0)
    if members.loads[m, c, 2] > 0.0:
        high = whole_lanes_at(members.carried, (m, c, eight, beyond, 0))
    for j in range(end - 1, first - 1, -1):
        high, error = add_below(high, whole_lanes_at(digits, (m, c, eight, j, 0)))
        low = low + error
    return add_below(high, low)  # what was rounded away is less than a unit of the last place of what was not


@inner
def moments_at(members, m, c, eight, kept):
    """Return weights of class c of eight numbers, their means, and variances times weights; keep their sums.

    Without any weight the others are 0.

    kept : whether sums are as they were kept
    """
    weights = whole_lanes_at(members.digits, (m, c, eight, 0, 0))
    if kept:
        numbers, squares = _kept_pair(members, m, c, eight, 0), _kept_pair(members, m, c, eight, 2)
    else:
        numbers, squares = sums_at(members, m, c, eight)
        _keep_pair(members, m, c, eight, 0, numbers)
        _keep_pair(members, m, c, eight, 2, squares)
    mean, scatter = moments_of(where_less(weights, WEIGHT_STEP, WEIGHT_STEP, weights), numbers, squares)
    return weights, mean, scatter


@inner
def _keep_pair(members, m, c, eight, first, pair):
    put_whole_lanes(members.sums, (m, c, eight, first, 0), pair[0])
    put_whole_lanes(members.sums, (m, c, eight, first + 1, 0), pair[1])


@inner
def _kept_pair(members, m, c, eight, first):
    sums = members.sums
    return whole_lanes_at(sums, (m, c, eight, first, 0)), whole_lanes_at(sums, (m, c, eight, first + 1, 0))


@inner
def pooled_moments_at(members, m, eight):
    """Return means and variances of eight numbers in all classes together; 0 and 1 of those always missing.

    Classes have been fitted.
    """
    weights, (s, s_low), (q, q_low) = lanes_of(0.0), (lanes_of(0.0), lanes_of(0.0)), (lanes_of(0.0), lanes_of(0.0))
    for c in range(members.totals.shape[1]):
        if members.totals[m, c] > 0.0:
            weights = weights + whole_lanes_at(members.digits, (m, c, eight, 0, 0))
            s, s_low = _add_pair(s, s_low, _kept_pair(members, m, c, eight, 0))
            q, q_low = _add_pair(q, q_low, _kept_pair(members, m, c, eight, 2))
    some = where_less(weights, WEIGHT_STEP, WEIGHT_STEP, weights)
    mean, scatter = moments_of(some, two_sum(s, s_low), two_sum(q, q_low))
    variance = where_less(0.0, scatter, scatter, 0.0) / some
    return mean, where_less(weights, WEIGHT_STEP, 1.0, variance)


@inner
def _add_pair(high, low, pair):
    total, error = two_sum(high, pair[0])
    return total, low + (error + pair[1])
