"""Sums that do not depend on the order of their terms, so that "lossless" can be tested with ``==``.

Weights are rounded to multiples of 2^-20 on entry: sums of them are exact in float64 up to 2^33. Sums of attribute values
are carried in three doubles (159 bits), each step an error-free transformation (Knuth's two-sum, Dekker's product): what
is rounded away lies far below the last bit of the result, whatever the order.
"""

import math

import numpy as np
import numpy.typing as npt

from ensembles.jit import inner

__all__ = ["WEIGHT_STEP", "add_moments", "mean_and_variance", "merge_moments", "quantise", "quantise_one"]

_GRID = 2.0**20
WEIGHT_STEP = 1 / _GRID  #: the least positive weight
_SPLITTER = 134217729.0  # 2^27 + 1


def quantise(weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Round weights to multiples of 2^-20; a positive weight stays positive."""
    rounded = np.floor(weights * _GRID + 0.5) / _GRID
    return np.where((weights > 0) & (rounded == 0), WEIGHT_STEP, rounded)


@inner
def quantise_one(weight):
    """Round one weight to a multiple of 2^-20."""
    return math.floor(weight * _GRID + 0.5) / _GRID


@inner
def _two_sum(a, b):
    total = a + b
    shadow = total - a
    return total, (a - (total - shadow)) + (b - shadow)


@inner
def _plus(first, second, third, value):
    """Return the sum held in three doubles with `value` added; without branches, so that loops run as vectors."""
    first, value = _two_sum(first, value)
    second, value = _two_sum(second, value)
    return first, second, third + value


@inner
def _halves(x):
    t = _SPLITTER * x
    high = t - (t - x)
    return high, x - high


@inner
def _square(x):
    high, low = _halves(x)
    p = x * x
    return p, ((high * high - p) + 2.0 * high * low) + low * low


@inner
def _plus_product(first, second, third, weight, x):
    """Add weight * x exactly, for weights of at most 26 significant bits; finer weights lose bits below 2^-80."""
    high, low = _halves(x)
    first, second, third = _plus(first, second, third, x if weight == 1.0 else weight * high)
    return _plus(first, second, third, 0.0 if weight == 1.0 else weight * low)


@inner
def add_moments(sums, n, weight, x):
    """Add a value to column n of `sums`: rows of the weight, of the sum of x (three rows), of the sum of x * x (three)."""
    sums[0, n] += weight
    sums[1, n], sums[2, n], sums[3, n] = _plus_product(sums[1, n], sums[2, n], sums[3, n], weight, x)
    p, e = _square(x)
    q0, q1, q2 = _plus_product(sums[4, n], sums[5, n], sums[6, n], weight, p)
    sums[4, n], sums[5, n], sums[6, n] = _plus(q0, q1, q2, weight * e)


@inner
def merge_moments(sums, others, n):
    """Add column n of `others` to that of `sums`."""
    sums[0, n] += others[0, n]
    for j in range(3):
        sums[1, n], sums[2, n], sums[3, n] = _plus(sums[1, n], sums[2, n], sums[3, n], others[1 + j, n])
        sums[4, n], sums[5, n], sums[6, n] = _plus(sums[4, n], sums[5, n], sums[6, n], others[4 + j, n])


@inner
def _product(a, b):
    p = a * b
    ah, al = _halves(a)
    bh, bl = _halves(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


@inner
def _pair(first, second, third):
    """Return the sum as a pair of doubles, the first its rounded value."""
    low = second + third
    high = first + low
    return high, low - (high - first)


@inner
def mean_and_variance(sums, n):
    """Return mean and variance of column n, 0 and 0 if it is empty; cancellation does no harm."""
    weight = max(sums[0, n], WEIGHT_STEP)
    s, s_low = _pair(sums[1, n], sums[2, n], sums[3, n])
    q, q_low = _pair(sums[4, n], sums[5, n], sums[6, n])
    mean = s / weight
    p, p_low = _product(mean, weight)
    # W * variance = Q - mean * (2 S - mean * W), each product with its rounding error
    r = (s - p) + s
    r_low = s_low + s_low - p_low
    t, t_low = _product(mean, r)
    variance = ((q - t) + (q_low - t_low - mean * r_low)) / weight
    return mean, max(variance, 0.0)
