"""Values and names as people write them: `0`, not `np.int64(0)`, and none twice."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

__all__ = ["distinct", "listed", "written"]

_MOST = 10  # values listed in a sentence


def written(value: Any) -> str:
    """Return a value as it stands in a sentence, on one line."""
    return " ".join(repr(value.item() if isinstance(value, np.generic) else value).split())


def listed(values: Iterable[Any]) -> str:
    """Return values as they stand in a sentence, the first ten of them if there are more."""
    words = [written(value) for value in values]
    return ", ".join(words if len(words) <= _MOST else [*words[:_MOST], f"... ({len(words):,} in all)"])


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
