"""Weighted sums of the inputs of an example, and weights moved by them.

The *inputs* of an example are its scaled numbers, the factor of all of them but the bias, and how many numbers are missing.
"""

import math

from ensembles.jit import inner, part
from ensembles.lanes import WIDTH, add_halves, first_four, four_lanes, where_less, whole_lanes_at
from ensembles.learners.core.inputs import FACTOR, LIMIT, MEAN, standardise_one

__all__ = [
    "add_inputs", "add_nominal", "add_to_past", "sum_inputs", "sum_nominal", "sum_past", "sum_standardised",
]  # fmt: skip


@inner
def sum_nominal(weights, m, v, codes, i):
    """Return the sum of the weights of the nominal inputs that are on in example i; four chains run at a time."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    n_nominal = codes.shape[1]
    even = n_nominal - n_nominal % 4
    for a in range(0, even, 4):
        if codes[i, a] >= 0:
            s0 += weights[m, v, codes[i, a]]
        if codes[i, a + 1] >= 0:
            s1 += weights[m, v, codes[i, a + 1]]
        if codes[i, a + 2] >= 0:
            s2 += weights[m, v, codes[i, a + 2]]
        if codes[i, a + 3] >= 0:
            s3 += weights[m, v, codes[i, a + 3]]
    for a in range(even, n_nominal):
        if codes[i, a] >= 0:
            s0 += weights[m, v, codes[i, a]]
    return (s0 + s1) + (s2 + s3)


@inner
def sum_inputs(weights, m, v, rows, i, inputs):
    """Return the weighted sum of the inputs of example i; four chains of additions run at a time."""
    x, factor, missing = inputs
    n_numeric = x.shape[0]
    bias = weights.shape[2] - 1 - n_numeric
    first = bias - n_numeric
    s0, s1, s2, s3 = sum_nominal(weights, m, v, rows.codes, i), 0.0, 0.0, 0.0
    even = n_numeric - n_numeric % 4
    for n in range(0, even, 4):
        s0 += x[n] * weights[m, v, first + n]
        s1 += x[n + 1] * weights[m, v, first + n + 1]
        s2 += x[n + 2] * weights[m, v, first + n + 2]
        s3 += x[n + 3] * weights[m, v, first + n + 3]
    for n in range(even, n_numeric):
        s1 += x[n] * weights[m, v, first + n]
    if missing > 0:
        for n in range(n_numeric):
            if math.isnan(rows.numbers[i, n]):
                s2 += weights[m, v, bias + 1 + n]
    return ((s0 + s1) + (s2 + s3)) * factor + weights[m, v, bias]


@inner
def sum_standardised(weights, moments, m, rows, i):
    """Return what `sum_inputs` does of vector 0 for standardised numbers, and whether that is so: no number is missing.

    Eight numbers are scaled at a time, and wait for nothing: none is written down.
    """
    numbers, n_numeric = rows.numbers, rows.numbers.shape[1]
    bias = weights.shape[2] - 1 - n_numeric
    first, n = bias - n_numeric, 0
    sums = four_lanes(sum_nominal(weights, m, 0, rows.codes, i))
    while n + WIDTH <= n_numeric:
        value = whole_lanes_at(numbers, (i, n))
        scaled = (value - whole_lanes_at(moments, (m, MEAN, n))) * whole_lanes_at(moments, (m, FACTOR, n))
        scaled = where_less(scaled, -LIMIT, -LIMIT, scaled)
        scaled = where_less(LIMIT, scaled, LIMIT, scaled)
        sums = add_halves(sums, scaled * whole_lanes_at(weights, (m, 0, first + n)))
        n += WIDTH
    s0, s1, s2, s3 = first_four(sums)
    if n + 4 <= n_numeric:
        s0 += standardise_one(moments, m, n, numbers[i, n]) * weights[m, 0, first + n]
        s1 += standardise_one(moments, m, n + 1, numbers[i, n + 1]) * weights[m, 0, first + n + 1]
        s2 += standardise_one(moments, m, n + 2, numbers[i, n + 2]) * weights[m, 0, first + n + 2]
        s3 += standardise_one(moments, m, n + 3, numbers[i, n + 3]) * weights[m, 0, first + n + 3]
        n += 4
    while n < n_numeric:
        s1 += standardise_one(moments, m, n, numbers[i, n]) * weights[m, 0, first + n]
        n += 1
    score = ((s0 + s1) + (s2 + s3)) + weights[m, 0, bias]
    return score, not math.isnan(score)  # as it is where any number is missing


@part
def sum_past(past, m, v, rows, i, inputs):
    """As `sum_inputs`, called where it is used: few average."""
    return sum_inputs(past, m, v, rows, i, inputs)


@inner
def add_nominal(weights, m, v, codes, i, step):
    """Add `step` to the weights of the nominal inputs that are on in example i."""
    for a in range(codes.shape[1]):
        if codes[i, a] >= 0:
            weights[m, v, codes[i, a]] += step


@inner
def add_inputs(weights, m, v, rows, i, inputs, step, bias_step):
    """Add `step` times the inputs of example i to the weights, and `bias_step` to those of inputs that are 1."""
    x, _, missing = inputs
    n_numeric = x.shape[0]
    bias = weights.shape[2] - 1 - n_numeric
    first = bias - n_numeric
    add_nominal(weights, m, v, rows.codes, i, step)
    for n in range(n_numeric):
        weights[m, v, first + n] += step * x[n]
    weights[m, v, bias] += bias_step
    if missing > 0:
        for n in range(n_numeric):
            if math.isnan(rows.numbers[i, n]):
                weights[m, v, bias + 1 + n] += step


@part
def add_to_past(past, m, v, rows, i, inputs, step, bias_step):
    """As `add_inputs`, called where it is used: few average."""
    add_inputs(past, m, v, rows, i, inputs, step, bias_step)
