"""What weights of examples mean: counts of examples, or, far from one an example, shares of all, whatever their sum.

Least weights of branches, Laplace's one, grace periods and learning rates are in units of an example, and `exact` rounds
weights to a millionth of one. So weights that cannot be counts are brought to one an example on average before anything
is learned; scikit-learn's own ensembles, whose weights sum to one, train our models so.
"""

import warnings
from numbers import Number
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_array

from ensembles.errors import InvalidData, LightWeights
from ensembles.exact import WEIGHT_STEP, quantise

__all__ = ["check_heaviest", "checked_weights", "in_units", "testing_weights", "unit_of", "warn_if_light"]

Floats = npt.NDArray[np.float64]

# Averages between which weights count examples; those that are drawn are one on average, and stay well within.
LIGHT, HEAVY = 1 / 8, 8.0
FEW = (
    10  #: the average of fewer examples says nothing: of so many exponential weights it is below 1/8 once in a million
)
_HEAVIEST = 1e15  # in units of an example; sums and products of what is beyond may leave the range of numbers
_MOST_COPIES = 2.0**31  # beyond it, that a number is whole says nothing


def checked_weights(sample_weight: Any, n: int) -> Floats | None:
    """Return the weights of n examples, None if they were not given.

    Raises
    ------
    InvalidData
        A weight is missing, negative, masked or not finite, or all are 0.
    """
    if sample_weight is None:
        return None
    masked = np.ravel(np.ma.getmask(sample_weight))
    if masked.any():
        raise InvalidData(f"sample_weight must have a weight for each example, got none in row {masked.argmax()}")
    given = np.full(n, sample_weight) if isinstance(sample_weight, Number) else sample_weight
    try:
        weights: Floats = check_array(
            given, dtype=np.float64, order="C", ensure_2d=False, ensure_min_samples=0, input_name="sample_weight"
        )
    except (TypeError, ValueError) as error:
        raise InvalidData(f"sample_weight must have a number for each example: {error}") from error
    if weights.shape != (n,):
        raise InvalidData(
            f"sample_weight must have a weight for each of {n} examples, got an array of shape {weights.shape}"
        )
    if (weights < 0).any():
        raise InvalidData(f"sample_weight must be finite and not negative, got {weights.min():g}")
    if not weights.any():
        raise InvalidData("sample_weight: at least one weight must be positive, got only zeros")
    return weights


def testing_weights(sample_weight: Any, n: int) -> Floats:
    """Return what each of n examples counts where members are tested on them, 1 if that was not given.

    Raises
    ------
    InvalidData
        As `checked_weights`; of no examples nothing is asked.
    """
    given = checked_weights(sample_weight, n) if n else None
    return np.ones(n) if given is None else given


def unit_of(weights: Floats) -> float:
    """Return by what positive weights are divided so that they count examples: 1 if they do, their average if not.

    They do if they average between 1/8 and 8, so that what was drawn or boosted is taken as it is; and, however heavy, if
    they are whole numbers without a common divisor, as in a table that says how often each row occurred.
    """
    top = weights.max()
    average = float(top * (weights / top).mean())  # the sum may be beyond the largest number
    counts = LIGHT <= average <= HEAVY or _are_copies(weights)
    return 1.0 if counts else average


def in_units(weights: Floats, unit: float) -> Floats:
    """Return positive weights in units of an example, as multiples of 2^-20: none of them becomes 0."""
    return np.maximum(quantise(weights / unit), WEIGHT_STEP)


def check_heaviest(weights: Floats, unit: float, key: str) -> None:
    """Refuse positive weights of more than 10^15 examples, of which `unit` is one."""
    if weights.max() > _HEAVIEST * unit:
        raise InvalidData(f"{key}: sample_weight must be at most {_HEAVIEST * unit:g}, got {weights.max():g}")


def warn_if_light(weights: Floats, key: str) -> None:
    """Warn that weights which count examples sum to far less than there are."""
    n, total = len(weights), weights.sum()
    if n >= FEW and total < LIGHT * n:
        warnings.warn(
            f"{key}: sample_weight counts examples, so that {n} of them should sum to about {n}, got a sum of {total:g}, "
            "of which little can be learned; multiply the weights",
            LightWeights,
            stacklevel=2,
        )


def _are_copies(weights: Floats) -> bool:
    if weights.max() >= _MOST_COPIES or np.mod(weights, 1.0).any():
        return False
    return int(np.gcd.reduce(weights.astype(np.int64))) == 1
