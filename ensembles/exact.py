"""Sums that do not depend on the order of their terms, so that "lossless" can be tested with ``==``.

Weights are rounded to multiples of 2^-20 on entry: sums of them are exact in float64 up to 2^33. Sums of attribute values
are carried in three doubles (159 bits), each step an error-free transformation (Knuth's two-sum, Dekker's product): what
is rounded away lies far below the last bit of the result, whatever the order.
"""

import math

import numpy as np
import numpy.typing as npt

from ensembles.jit import inner

__all__ = ["GRAIN", "add_exactly", "add_product", "quantise", "quantise_one", "square_parts", "variance_of"]

_GRID = 2.0**20
GRAIN = 1 / _GRID  #: the least positive weight
_SPLITTER = 134217729.0  # 2^27 + 1


def quantise(weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Round weights to multiples of 2^-20; a positive weight stays positive."""
    rounded = np.floor(weights * _GRID + 0.5) / _GRID
    return np.where((weights > 0) & (rounded == 0), GRAIN, rounded)


@inner
def quantise_one(weight):
    """Round one weight to a multiple of 2^-20."""
    return math.floor(weight * _GRID + 0.5) / _GRID


@inner
def add_exactly(total, value):
    """Add `value` to the sum held in total[0], total[1], total[2]."""
    for level in range(3):
        before = total[level]
        after = before + value
        shadow = after - before
        value = (before - (after - shadow)) + (value - shadow)
        total[level] = after
        if value == 0.0:
            return


@inner
def _halves(x):
    t = _SPLITTER * x
    high = t - (t - x)
    return high, x - high


@inner
def square_parts(x):
    """Return p and e with x * x = p + e exactly."""
    high, low = _halves(x)
    p = x * x
    return p, ((high * high - p) + 2.0 * high * low) + low * low


@inner
def add_product(total, weight, x):
    """Add weight * x exactly, for weights of at most 26 significant bits; finer weights lose bits below 2^-80."""
    if weight == 1.0:
        add_exactly(total, x)
    else:
        high, low = _halves(x)
        add_exactly(total, weight * high)
        add_exactly(total, weight * low)


@inner
def _product(a, b):
    p = a * b
    ah, al = _halves(a)
    bh, bl = _halves(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


@inner
def _two(total):
    """Return the sum as a pair of doubles, the first its rounded value."""
    low = total[1] + total[2]
    high = total[0] + low
    return high, low - (high - total[0])


@inner
def variance_of(weight, sums, squares):
    """Return mean and variance from the exact sums of weight, weight * x and weight * x * x; cancellation does no harm."""
    s, s_low = _two(sums)
    q, q_low = _two(squares)
    mean = s / weight
    p, p_low = _product(mean, weight)
    # W * variance = Q - mean * (2 S - mean * W), each product with its rounding error
    r = (s - p) + s
    r_low = s_low + s_low - p_low
    t, t_low = _product(mean, r)
    variance = ((q - t) + (q_low - t_low - mean * r_low)) / weight
    return mean, max(variance, 0.0)
