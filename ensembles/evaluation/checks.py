"""What the functions of this package accept; each sentence says who, what is allowed, what came."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeGuard

import numpy as np
import numpy.typing as npt
import pandas as pd

from ensembles.errors import InvalidInput, InvalidParameter

__all__ = [
    "HIGHEST_SEED",
    "check_classes",
    "check_finite",
    "check_level",
    "check_not_negative",
    "check_pair",
    "check_whole",
    "names_in",
    "numbers_in",
    "paired_values",
    "sizes_in",
]

HIGHEST_SEED = 2**32 - 1
"""Of an experiment, and of whatever is drawn here."""


def check_level(owner: str, alpha: object) -> None:
    """Raise `InvalidParameter` unless `alpha` can be a level of significance."""
    if not (_is_number(alpha) and 0.0 < alpha < 1.0):
        raise InvalidParameter(f"{owner}: alpha must be a number in (0, 1), got {_said(alpha)}")


def check_finite(owner: str, name: str, value: object) -> None:
    """Raise `InvalidParameter` unless `value` is a finite number."""
    if not (_is_number(value) and math.isfinite(value)):
        raise InvalidParameter(f"{owner}: {name} must be a finite number, got {_said(value)}")


def check_not_negative(owner: str, name: str, value: object, *, zero: bool = True) -> None:
    """Raise `InvalidParameter` unless `value` is a finite number of 0 or more, or above 0."""
    if not (_is_number(value) and 0.0 <= value < math.inf) or (value == 0.0 and not zero):
        raise InvalidParameter(f"{owner}: {name} must be a finite number {'>=' if zero else '>'} 0, got {_said(value)}")


def check_whole(owner: str, name: str, value: object, low: int, high: int | None = None) -> None:
    """Raise `InvalidParameter` unless `value` is a whole number in [low, high], or without `high` one of `low` or more."""
    most, allowed = (math.inf, f">= {low}") if high is None else (high, f"in [{low}, {high}]")
    if not (isinstance(value, int | np.integer) and not isinstance(value, bool) and low <= value <= most):
        raise InvalidParameter(f"{owner}: {name} must be an integer {allowed}, got {_said(value)}")


def check_classes(owner: str, n_classes: int, *labels: npt.NDArray[np.int64]) -> None:
    """Raise `InvalidInput` unless labels, one or more in each array, are integers in [0, n_classes)."""
    check_whole(owner, "n_classes", n_classes, 1)
    if not all(some.dtype.kind in "iu" and some.min() >= 0 and some.max() < n_classes for some in labels):
        told = np.concatenate([some.ravel() for some in labels])
        ends = np.unique(told.astype(str) if told.dtype == object else told)[[0, -1]]
        raise InvalidInput(
            f"{owner}: classes must be numbered from 0 to {n_classes - 1}, got {', '.join(map(str, ends))}"
        )


def names_in(owner: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return names of learners; raise `InvalidInput` for what are no texts."""
    told = tuple(names) if isinstance(names, Iterable) else (None,)
    if not all(isinstance(name, str) for name in told):
        raise InvalidInput(f"{owner}: names must be a list of texts, got {_said(names)}")
    return tuple(map(str, told))


def check_pair(owner: str, names: Iterable[str]) -> None:
    """Raise `InvalidInput` unless these are the names of two learners."""
    if len(names_in(owner, names)) != 2:
        raise InvalidInput(f"{owner}: names must be two, got {_said(names)}")


def paired_values(
    owner: str, first: npt.ArrayLike, second: npt.ArrayLike, names: str = "first and second"
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return two series of one length, NaN where either is not a finite number; raise `InvalidInput` for anything else."""
    one, other = (numbers_in(owner, names, values) for values in (first, second))
    if one.ndim != 1 or other.ndim != 1:
        raise InvalidInput(f"{owner}: {names} must have one value each, got shapes {one.shape} and {other.shape}")
    if one.shape != other.shape:
        raise InvalidInput(f"{owner}: {names} must be of one length, got shapes {one.shape} and {other.shape}")
    if _in_another_order(first, second):
        raise InvalidInput(f"{owner}: {names} must be in one order, got series with the same labels in two")
    known = np.isfinite(one) & np.isfinite(other)
    return np.where(known, one, np.nan), np.where(known, other, np.nan)


def numbers_in(owner: str, name: str, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return an array, NaN where a masked one is masked; raise `InvalidInput` for what are no numbers."""
    try:
        return (
            np.ma.filled(np.ma.asarray(values, dtype=float), np.nan)
            if np.ma.isMA(values)
            else np.asarray(values, float)
        )
    except (TypeError, ValueError):
        raise InvalidInput(f"{owner}: {name} must be numbers, got {_said(values)}") from None


def sizes_in(owner: str, name: str, sizes: npt.ArrayLike, n: int) -> npt.NDArray[np.float64]:
    """Return numbers of examples, one for each of `n` rows; raise `InvalidInput` for others, or negative ones."""
    told = numbers_in(owner, name, sizes)
    if told.shape != (n,) or (told < 0.0).any():
        raise InvalidInput(f"{owner}: {name} must be {n} numbers >= 0, one a row, got {_said(sizes)}")
    return told


def _in_another_order(first: npt.ArrayLike, second: npt.ArrayLike) -> bool:
    """Return whether two series of pandas have the same labels at different places: pairs go by place."""
    if not (isinstance(first, pd.Series) and isinstance(second, pd.Series)):
        return False
    return not first.index.equals(second.index) and set(first.index) == set(second.index)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def _said(value: object) -> str:
    return repr(value.item() if isinstance(value, np.generic) else value)
