"""Sums, means and variances of a class, eight numbers at a time, from the places that `sums` keeps."""

from ensembles.exact import WEIGHT_STEP, add_below, moments_of, two_sum
from ensembles.jit import inner
from ensembles.lanes import WIDTH, lanes_of, put_whole_lanes, where_less, whole_lanes_at
from ensembles.learners.bayes.sums import PLACE

__all__ = ["moments_at", "pooled_moments_at", "sums_at"]


@inner
def sums_at(members, m, c, n):
    """Return the sums of class c, of eight numbers from n on and then of their squares, each as a pair of lanes."""
    units, squares_at = members.units, members.squares_at[0]
    numbers = _sum_places(members, m, c, n, 0, 1, squares_at)
    return numbers, _sum_places(members, m, c, n, members.limits.shape[1], squares_at, units.shape[0])


@inner
def _sum_places(members, m, c, n, beyond, first, end):
    """Return the sum of the places from `first` to before `end`, and of what is carried, which begins at `beyond`."""
    units, n_numeric, digits = members.units, members.limits.shape[1], members.digits
    high, low = whole_lanes_at(members.carried, (m, c, beyond + n)) * (units[end - 1] * PLACE), lanes_of(0.0)
    for j in range(end - 1, first - 1, -1):
        high, error = add_below(high, whole_lanes_at(digits, (m, c, j * n_numeric + n)) * units[j])
        low = low + error
    return high, low


@inner
def moments_at(members, m, c, n, kept):
    """Return means and variances of class c of eight numbers from n on, 0 and 0 without any weight; keep their sums.

    kept : whether sums are as they were kept
    """
    sums, first = members.sums, 4 * n
    if not kept:
        _keep_sums(members, m, c, n)
    numbers = two_sum(whole_lanes_at(sums, (m, c, first)), whole_lanes_at(sums, (m, c, first + WIDTH)))
    squares = two_sum(whole_lanes_at(sums, (m, c, first + 2 * WIDTH)), whole_lanes_at(sums, (m, c, first + 3 * WIDTH)))
    weights = whole_lanes_at(members.digits, (m, c, n))
    mean, variance = moments_of(where_less(weights, WEIGHT_STEP, WEIGHT_STEP, weights), numbers, squares)
    return mean, where_less(0.0, variance, variance, 0.0)


@inner
def _keep_sums(members, m, c, n):
    sums, first = members.sums, 4 * n
    (s, s_low), (q, q_low) = sums_at(members, m, c, n)
    put_whole_lanes(sums, (m, c, first), s)
    put_whole_lanes(sums, (m, c, first + WIDTH), s_low)
    put_whole_lanes(sums, (m, c, first + 2 * WIDTH), q)
    put_whole_lanes(sums, (m, c, first + 3 * WIDTH), q_low)


@inner
def pooled_moments_at(members, m, n):
    """Return means and variances of eight numbers from n on in all classes together; 0 and 1 of those always missing.

    Classes have been fitted.
    """
    weights, (s, s_low), (q, q_low) = lanes_of(0.0), (lanes_of(0.0), lanes_of(0.0)), (lanes_of(0.0), lanes_of(0.0))
    sums, first = members.sums, 4 * n
    for c in range(members.totals.shape[1]):
        if members.totals[m, c] > 0.0:
            weights = weights + whole_lanes_at(members.digits, (m, c, n))
            s, s_low = _add_pair(s, s_low, sums, (m, c, first))
            q, q_low = _add_pair(q, q_low, sums, (m, c, first + 2 * WIDTH))
    some = where_less(weights, WEIGHT_STEP, WEIGHT_STEP, weights)
    mean, variance = moments_of(some, two_sum(s, s_low), two_sum(q, q_low))
    variance = where_less(0.0, variance, variance, 0.0)
    return mean, where_less(weights, WEIGHT_STEP, 1.0, variance)


@inner
def _add_pair(high, low, sums, place):
    m, c, first = place
    total, error = two_sum(high, whole_lanes_at(sums, (m, c, first)))
    return total, low + (error + whole_lanes_at(sums, (m, c, first + WIDTH)))
