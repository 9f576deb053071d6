"""CSV that no spreadsheet takes for formulas, and how it is read back."""

import csv
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from ensembles.data.columns import Column, encoded_column
from ensembles.data.missing_markers import looks_like_number

__all__ = ["to_csv", "without_guards"]

_STARTS = ("=", "+", "-", "@", "\t", "\r")
_LARGEST_WHOLE = 2.0**53  # beyond it not every whole number has a float of its own
_GUARDED = r"^'('*[=+\-@\t\r])"


def to_csv(table: pd.DataFrame) -> str:
    """Return `table` as CSV with full precision; text that a spreadsheet would run as a formula gets an apostrophe.

    Numbers stay as they are, also in columns of text, and so does a sign alone; whole numbers are written as 64 and not as
    64.0 where a column holds no others, as missing ones make floats of them. Text that starts with such an apostrophe
    gets another one, so that `without_guards` gives back what was there.
    """
    safe = table.copy()
    names = [_guarded(column) for column in table.columns]
    texts = set(names)
    for position, kind in enumerate(table.dtypes):
        if isinstance(kind, pd.CategoricalDtype):
            coded = table.iloc[:, position].array
            categories = list(map(_guarded, coded.categories))
            safe.isetitem(position, coded.rename_categories(categories))
            texts.update(categories)
        elif not pd.api.types.is_numeric_dtype(kind):
            cells = [_guarded(cell) for cell in table.iloc[:, position]]
            safe.isetitem(position, cells)
            texts.update(cells)
        elif _holds_whole_numbers(table.iloc[:, position]):
            safe.isetitem(position, table.iloc[:, position].astype("Int64").array)
    safe.columns = pd.Index(names)
    if _look_quoted(texts):
        return str(safe.to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC))
    return str(safe.to_csv(index=False, lineterminator="\n"))


def without_guards(column: Column) -> Column:
    """Return a column of text as it was before `to_csv` guarded it."""
    name = _unguarded(column.name)
    if column.holds_numbers or not pc.any(pc.match_substring_regex(column.values, _GUARDED)).as_py():
        return column if name == column.name else replace(column, name=name)
    return encoded_column(name, pc.replace_substring_regex(column.values, _GUARDED, r"\1"), column.codes)


def _holds_whole_numbers(column: "pd.Series[Any]") -> bool:
    """Say whether a column of floats holds whole numbers alone, and none that only a float can tell."""
    if not pd.api.types.is_float_dtype(column):
        return False
    known = column.dropna().to_numpy(dtype=float)
    exact = (np.abs(known) < _LARGEST_WHOLE) & (known == np.round(known)) & ~((known == 0) & np.signbit(known))
    return bool(len(known)) and bool(exact.all())


def _guarded(cell: Any) -> Any:
    if not isinstance(cell, str) or len(cell) < 2 or looks_like_number(cell):
        return cell
    return f"'{cell}" if cell.lstrip("'").startswith(_STARTS) else cell


def _look_quoted(texts: Iterable[Any]) -> bool:
    """Say whether apostrophes could be taken for quotes, by us too: some open a cell and others stand elsewhere."""
    marked = [text for text in texts if isinstance(text, str) and "'" in text]
    return any(text[0] == "'" for text in marked) and any("'" in text[1:] or text == "'" for text in marked)


def _unguarded(name: str) -> str:
    return name[1:] if name.startswith("'") and name.lstrip("'").startswith(_STARTS) else name
