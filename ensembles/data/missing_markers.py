"""The markers that stand for a missing value when they are all that a cell holds."""

import re

__all__ = ["NUMBER", "NUMERIC_MARKERS", "TEXT_MARKERS", "is_missing_marker", "looks_like_number"]

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


def is_missing_marker(cell: str) -> bool:
    """Say whether `cell`, trimmed, can stand for a missing value."""
    return cell in TEXT_MARKERS or cell in NUMERIC_MARKERS


def looks_like_number(cell: str) -> bool:
    """Say whether `cell`, trimmed, is written like a number."""
    return _NUMBER.fullmatch(cell) is not None
