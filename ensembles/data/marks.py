"""The marks that stand for a missing value when they are all that a cell holds."""

import re

__all__ = ["NUMBER", "NUMERIC_MARKS", "TEXT_MARKS", "is_mark", "looks_like_number"]

#: Missing in every column.
TEXT_MARKS = (
    *("", "?", "NA", "na", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "-nan", "-NaN"),
    *("NULL", "Null", "null", "#NULL!"),
)
#: Missing only where everything else is a number: `none`, `-` and the like are honest values of a nominal column.
NUMERIC_MARKS = (
    *("-", "--", "---", ".", "..", "...", "*", "none", "None", "NONE", "#VALUE!", "#DIV/0!", "#REF!"),
    *("inf", "Inf", "INF", "-inf", "-Inf", "-INF", "+inf", "+Inf", "infinity", "Infinity", "-infinity", "-Infinity"),
)

#: A number as people write it; whether the comma groups or divides is decided for the whole file.
NUMBER = r"[+-]?([0-9]+([.,][0-9]*)*|[.,][0-9]+)([eE][+-]?[0-9]+)?"
_NUMBER = re.compile(NUMBER)


def is_mark(cell: str) -> bool:
    """Say whether `cell`, trimmed, can stand for a missing value."""
    return cell in TEXT_MARKS or cell in NUMERIC_MARKS


def looks_like_number(cell: str) -> bool:
    """Say whether `cell`, trimmed, is written like a number."""
    return _NUMBER.fullmatch(cell) is not None
