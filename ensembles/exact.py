"""Numbers handled without rounding, so that "lossless" can be tested with ``==``.

Weights are rounded to multiples of 2^-20 on entry: sums of them are exact in float64 up to 2^33. Steps of longer sums are
error-free transformations: the rounded result, and what was rounded away.
"""

import math

import numpy as np
import numpy.typing as npt

from ensembles.jit import inner
from ensembles.lanes import rest_of_product

__all__ = ["WEIGHT_STEP", "add_below", "moments_of", "product", "quantise", "quantise_one", "two_sum"]

_GRID = 2.0**20
WEIGHT_STEP = 1 / _GRID  #: the least positive weight


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
def add_below(a, b):
    """As `two_sum`, in half the steps, where a is a multiple of the last place of b (Boldo, Graillat & Muller, 2017)."""
    total = a + b
    return total, b - (total - a)


@inner
def product(a, b):
    """Return the rounded products of lanes, and what was rounded away."""
    p = a * b
    return p, rest_of_product(a, b, p)


@inner
def moments_of(weight, numbers, squares):
    """Return the mean, and the variance times the weight, which rounding may leave below 0; cancellation does no harm.

    All are lanes.

    numbers, squares : the weighted sums of numbers and of their squares, each as a pair
    """
    s, s_low = numbers
    q, q_low = squares
    mean = s / weight
    p, p_low = product(mean, weight)
    # W * variance = Q - mean * (2 S - mean * W), each product with its rounding error
    r = (s - p) + s
    r_low = s_low + s_low - p_low
    t, t_low = product(mean, r)
    return mean, (q - t) + (q_low - t_low - mean * r_low)
