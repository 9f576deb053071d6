"""CSV that no spreadsheet takes for formulas, and how it is read back."""

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from ensembles.data.columns import Column, encoded_column
from ensembles.data.missing_markers import looks_like_number

__all__ = ["csv_parts", "to_csv", "without_guards"]

_STARTS = ("=", "+", "-", "@", "\t", "\r")
_LARGEST_WHOLE = 2.0**53  # beyond it not every whole number has a float of its own
_GUARDED = r"^'('*[=+\-@\t\r])"
_MANY_ROWS = 10_000  # of which each column is written at once, which is six times as quick
_AT_ONCE = 1 << 16


def to_csv(table: pd.DataFrame) -> str:
    """Return the parts of `csv_parts` as one text."""
    return "".join(csv_parts(table))


def csv_parts(table: pd.DataFrame) -> Iterator[str]:
    """Yield `table` as CSV with full precision, some rows at a time; text that a spreadsheet would run gets an apostrophe.

    Numbers stay as they are, also in columns of text, and so does a sign alone; whole numbers are written as 64 and not as
    64.0 where a column holds no others, as missing ones make floats of them. Text that starts with such an apostrophe
    gets another one, so that `without_guards` gives back what was there.
    """
    safe, texts = _safe(table)
    if _look_quoted(texts):
        yield str(safe.to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC))
    elif len(safe) < _MANY_ROWS or not _is_plain(safe):
        yield str(safe.to_csv(index=False, lineterminator="\n"))
    else:
        yield str(safe.head(0).to_csv(index=False, lineterminator="\n"))
        for start in range(0, len(safe), _AT_ONCE):
            yield _lines(safe.iloc[start : start + _AT_ONCE])


def _safe(table: pd.DataFrame) -> tuple[pd.DataFrame, set[Any]]:
    """Return a table in which no text is a formula, and its texts."""
    safe = table.copy(deep=False)
    names = [_guarded(column) for column in table.columns]
    texts = set(names)
    for position, kind in enumerate(table.dtypes):
        column = table.iloc[:, position]
        if not isinstance(kind, pd.CategoricalDtype) and not pd.api.types.is_numeric_dtype(kind):
            column = _coded(column)
            kind = column.dtype
        if isinstance(kind, pd.CategoricalDtype):
            categories = list(map(_guarded, column.array.categories))
            safe.isetitem(position, column.array.rename_categories(categories))
            texts.update(categories)
        elif not pd.api.types.is_numeric_dtype(kind):
            cells = [_guarded(cell) for cell in column]
            safe.isetitem(position, cells)
            texts.update(cells)
        elif _holds_whole_numbers(column):
            safe.isetitem(position, column.astype("Int64").array)
    safe.columns = pd.Index(names)
    return safe, texts


def _coded(column: "pd.Series[Any]") -> "pd.Series[Any]":
    """Return a long column of texts and missing cells by its different texts, which are few as a rule; else the column."""
    if len(column) < _MANY_ROWS or pd.api.types.infer_dtype(column, skipna=True) not in ("string", "empty"):
        return column
    return column.astype("category")


def _is_plain(safe: pd.DataFrame) -> bool:
    """Say whether columns hold texts, doubles and whole numbers alone; of one column an empty cell would be quoted."""
    return len(safe.columns) > 1 and all(
        isinstance(kind, pd.CategoricalDtype) or kind == "float64" or pd.api.types.is_integer_dtype(kind)
        for kind in safe.dtypes
    )


def _lines(rows: pd.DataFrame) -> str:
    cells = [_cells(rows.iloc[:, position]) for position in range(len(rows.columns))]
    lines = pc.binary_join_element_wise(*cells, ",", null_handling="replace", null_replacement="")
    # joined there: a text a row would take as long as all else
    whole = pc.binary_join(pa.ListArray.from_arrays([0, len(lines)], lines), "\n")
    return f"{whole[0].as_py()}\n"


def _cells(column: "pd.Series[Any]") -> Any:
    """Return a column as it is written, missing cells as null: doubles by their fewest digits that tell them apart."""
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return pc.cast(pa.array(column, from_pandas=True), pa.string())
    codes = column.array.codes
    return pa.array([_written(text) for text in column.array.categories], pa.string()).take(
        pa.array(codes, mask=codes < 0)
    )


def _written(text: Any) -> str:
    """Return a text as a cell: in quotes where it has to be."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([text, ""])
    return line.getvalue()[: -len(",\n")]


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
