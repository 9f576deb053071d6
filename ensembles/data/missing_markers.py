"""The markers that stand for a missing value when they are all that a cell holds."""

import re
from collections.abc import Collection
from typing import Any

from ensembles.errors import InvalidData
from ensembles.wording import written

__all__ = ["NUMBER", "NUMERIC_MARKERS", "TEXT_MARKERS", "check_markers", "is_missing_marker", "looks_like_number"]

#: Missing in every column.
TEXT_MARKERS = (
    *("", "?", "NA", "na", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "-nan", "-NaN"),
    *("NULL", "Null", "null", "#NULL!"),
)
#: Missing only where everything else is a number: `none`, `-` and the like are honest values of a nominal column.
NUMERIC_MARKERS = (
    *("-", "--", "---", ".", "..", "...", "*", "none", "None", "NONE", "#VALUE!", "#DIV/0!", "#REF!"),
    *("inf", "Inf", "INF", "-inf", "-Inf", "-INF", "+inf", "+Inf", "infinity", "Infinity", "-infinity", "-Infinity"),
)

#: A number as people write it; whether the comma groups or divides is decided for the whole file.
NUMBER = r"[+-]?([0-9]+([.,][0-9]*)*|[.,][0-9]+)([eE][+-]?[0-9]+)?"
_NUMBER = re.compile(NUMBER)


def check_markers(owner: str, missing: Any) -> None:
    """Raise `InvalidData` unless these are texts that shall stand for a missing cell, or None."""
    # Of a text each sign would count.
    is_list = isinstance(missing, Collection) and not isinstance(missing, str | bytes)
    if missing is not None and not (is_list and all(isinstance(marker, str) for marker in missing)):
        raise InvalidData(f"{owner}: missing must be a list of texts, got {written(missing)}")


def is_missing_marker(cell: str) -> bool:
    """Say whether `cell`, trimmed, can stand for a missing value."""
    return cell in TEXT_MARKERS or cell in NUMERIC_MARKERS


def looks_like_number(cell: str) -> bool:
    """Say whether `cell`, trimmed, is written like a number."""
    return _NUMBER.fullmatch(cell) is not None
