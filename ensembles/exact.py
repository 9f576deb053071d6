"""Numbers handled without rounding, so that "lossless" can be tested with ``==``.

Weights are rounded to multiples of 2^-20 on entry: sums of them are exact in float64 up to 2^33. Steps of longer sums are
error-free transformations: the rounded result, and what was rounded away.
"""

import math

import numpy as np
import numpy.typing as npt

from ensembles.jit import inner

__all__ = ["WEIGHT_STEP", "quantise", "quantise_one", "square", "two_sum", "variance_of"]

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
def two_sum(a, b):
    """Return the rounded sum of two numbers, and what was rounded away (Knuth)."""
    total = a + b
    shadow = total - a
    return total, (a - (total - shadow)) + (b - shadow)


@inner
def _halves(x):
    t = _SPLITTER * x
    high = t - (t - x)
    return high, x - high


@inner
def square(x):
    """Return the rounded square of a number, and what was rounded away (Dekker)."""
    high, low = _halves(x)
    p = x * x
    return p, ((high * high - p) + 2.0 * high * low) + low * low


@inner
def _product(a, b):
    p = a * b
    ah, al = _halves(a)
    bh, bl = _halves(b)
    return p, ((ah * bh - p) + ah * bl + al * bh) + al * bl


@inner
def variance_of(weight, numbers, squares):
    """Return mean and variance, 0 and 0 of nothing; cancellation does no harm.

    numbers, squares : the weighted sums of numbers and of their squares, each as a pair of doubles
    """
    weight = max(weight, WEIGHT_STEP)
    s, s_low = numbers
    q, q_low = squares
    mean = s / weight
    p, p_low = _product(mean, weight)
    # W * variance = Q - mean * (2 S - mean * W), each product with its rounding error
    r = (s - p) + s
    r_low = s_low + s_low - p_low
    t, t_low = _product(mean, r)
    variance = ((q - t) + (q_low - t_low - mean * r_low)) / weight
    return mean, max(variance, 0.0)
