"""Values in sentences, as people write them: `0`, not `np.int64(0)`."""

from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = ["listed", "written"]

_MOST = 10  # values listed in a sentence


def written(value: Any) -> str:
    """Return a value as it stands in a sentence, on one line."""
    return " ".join(repr(value.item() if isinstance(value, np.generic) else value).split())


def listed(values: Iterable[Any]) -> str:
    """Return values as they stand in a sentence, the first ten of them if there are more."""
    words = [written(value) for value in values]
    return ", ".join(words if len(words) <= _MOST else [*words[:_MOST], f"... ({len(words):,} in all)"])
