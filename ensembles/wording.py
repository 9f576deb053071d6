"""Values and names as people write them: `0`, not `np.int64(0)`, and none twice."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

__all__ = ["UNKNOWN", "as_shown", "distinct", "listed", "number", "written"]

UNKNOWN = "–"

_MOST = 10  # values listed in a sentence
_EXACT = 12  # decimals: of what lies halfway rounding of sums would decide, as of 1 - 0.86875 = 0.13124999999999998
_NOTHING, _TINY = 1e-10, 0.00095  # below the second four decimals show one digit or none


def written(value: Any) -> str:
    """Return a value as it stands in a sentence, on one line."""
    return " ".join(repr(value.item() if isinstance(value, np.generic) else value).split())


def listed(values: Iterable[Any]) -> str:
    """Return values as they stand in a sentence, the first ten of them if there are more, "none" if there are none."""
    words = [written(value) for value in values] or ["none"]
    return ", ".join(words if len(words) <= _MOST else [*words[:_MOST], f"... ({len(words):,} in all)"])


def number(value: float) -> str:
    """Return a measure with four decimals, "0.9017", large ones with fewer: "580,712", "5,527"; an unknown one as a dash.

    One below 0.001 has two digits that tell it, "0.00014" or "0.0000075", unless it is nothing but rounding.
    """
    if not math.isfinite(value):
        return UNKNOWN
    value = round(value, _EXACT) + 0.0
    if _NOTHING < abs(value) < _TINY:
        return f"{value:.{1 - math.floor(math.log10(abs(value)))}f}"
    return f"{value:,.{4 if abs(value) < 100 else 0 if abs(value) >= 10_000 or value.is_integer() else 1}f}"


def as_shown(value: float) -> float:
    """Return a number as it reads where `number` writes it, so that what looks the same is the same."""
    return float(number(value).replace(",", "")) if math.isfinite(value) else value


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Return `names` with a number behind those that occur before: ("Car", "Car (2)")."""
    taken, told_apart = set(names), []
    for position, name in enumerate(names):
        label, copy = name, 2
        while position > names.index(name) and label in taken:
            label, copy = f"{name} ({copy})", copy + 1
        taken.add(label)
        told_apart.append(label)
    return tuple(told_apart)
