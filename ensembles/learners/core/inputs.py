"""Inputs of the learners that take weighted sums: nominal attributes one-hot, numeric attributes standardised.

Input numbers, d in kernels: the values of each nominal attribute followed by its "missing", then the numeric attributes, the
bias, and a "missing" for each numeric attribute. A value never seen in training switches none of its inputs on. The values
of numeric attributes are standardised by the mean and standard deviation that the member has seen so far; a missing one
counts as the mean.
"""

import math

import numpy as np
import numpy.typing as npt

from ensembles.data.encoding import category_map
from ensembles.data.table import Schema, Table
from ensembles.jit import inner
from ensembles.learners.core.protocol import Rows
from ensembles.learners.core.rows import numbered_rows

__all__ = [
    "FACTOR",
    "LIMIT",
    "MEAN",
    "MOMENTS",
    "bias_input",
    "count_inputs",
    "input_rows",
    "look",
    "moved_inputs",
    "standardise",
    "standardise_one",
]

LIMIT = 10.0  #: standardised values are cut off here, so that no outlier outweighs everything else
MOMENTS = 4  #: rows of the moments: weight, mean, sum of squares, 1 / standard deviation

_LEAST = 1e-280  # a variance below this is that of a constant
_WEIGHT, MEAN, _SQUARES, FACTOR = range(MOMENTS)


def count_inputs(schema: Schema) -> int:
    """Return the number of inputs, those for missing values and the bias included."""
    return bias_input(schema) + 1 + len(schema.numeric)


def bias_input(schema: Schema) -> int:
    """Return the number of the bias."""
    return int(schema.value_counts.sum()) + len(schema.nominal) + len(schema.numeric)


def input_rows(table: Table) -> Rows:
    """Return the examples with nominal codes replaced by the number of the input that is on, -2 where none is."""
    first = _first_inputs(table.schema)
    return numbered_rows(table, first, missing=first + table.schema.value_counts)


def moved_inputs(old: Schema, new: Schema) -> npt.NDArray[np.int64]:
    """Return for each input of schema `old` its number in the larger schema `new`."""
    moved = []
    pairs = zip(old.nominal, new.nominal, _first_inputs(new), new.value_counts, strict=True)
    for before, after, first, count in pairs:
        places = category_map(old.attributes[before].categories, new.attributes[after].categories)
        moved.append(first + np.append(places, count))
    rest = np.arange(bias_input(new) - len(new.numeric), count_inputs(new))
    return np.concatenate([*moved, rest]).astype(np.int64)


def _first_inputs(schema: Schema) -> npt.NDArray[np.int64]:
    return schema.value_starts + np.arange(len(schema.nominal))


@inner
def look(moments, m, numbers, i, weight):
    """Take the numeric values of example i into the moments of member m."""
    for n in range(numbers.shape[1]):
        x = numbers[i, n]
        if not math.isnan(x):
            total = moments[m, _WEIGHT, n] + weight
            d = x - moments[m, MEAN, n]
            mean = moments[m, MEAN, n] + d * (weight / total)
            squares = moments[m, _SQUARES, n] + weight * d * (x - mean)
            moments[m, _WEIGHT, n] = total
            moments[m, MEAN, n] = mean
            moments[m, _SQUARES, n] = squares
            variance = squares / total
            moments[m, FACTOR, n] = 1.0 / math.sqrt(variance) if variance > _LEAST else 0.0


@inner
def standardise(moments, m, numbers, i, x):
    """Write the standardised numeric values of example i into x; return how many are missing."""
    missing = 0
    for n in range(numbers.shape[1]):
        value = numbers[i, n]
        if math.isnan(value):
            missing += 1
            x[n] = 0.0
        else:
            x[n] = standardise_one(moments, m, n, value)
    return missing


@inner
def standardise_one(moments, m, n, value):
    """Return value of numeric attribute n, standardised."""
    return min(max((value - moments[m, MEAN, n]) * moments[m, FACTOR, n], -LIMIT), LIMIT)
