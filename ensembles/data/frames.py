"""What users hold as a table (pandas, Polars, Arrow, sparse matrices, arrays, lists), taken by one set of rules.

`framed` makes a DataFrame of what has columns of different kinds, and an array of what holds numbers only; `typed` settles
what the columns of a DataFrame are.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Hashable, Mapping
from decimal import Decimal
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd

from ensembles.data.table import Schema, Table
from ensembles.errors import InvalidCell, InvalidData
from ensembles.wording import listed, written

__all__ = ["MOST_DENSE", "as_numbers", "framed", "typed"]

MOST_DENSE = 100_000_000  #: cells that a sparse matrix may have: as many as a file, 0.8 GB

_NUMBERS = frozenset("fiu")
_CELLS = frozenset("OUSMm")  # kinds of arrays whose columns have to be looked at
_COUNTED = frozenset(["integer", "floating", "mixed-integer-float", "decimal"])
_DURATIONS = frozenset(["timedelta", "timedelta64"])
_DATES = frozenset(["datetime64", "datetime", "date", "time", "period", *_DURATIONS])


def framed(X: Any, known: Schema | None = None) -> Any:
    """Return X as a Table or a DataFrame if it is one or holds other things than numbers, else as what it was or an array.

    Parameters
    ----------
    X : Table, DataFrame of pandas or Polars, Arrow table, sparse matrix or array, array, or nested list
    known : Schema, optional
        The attributes seen in training.

    Raises
    ------
    InvalidData
        A sparse matrix of more than `MOST_DENSE` cells, a query that has not been run, one column or row that is no table,
        or Arrow columns that pandas lacks.
    """
    if isinstance(X, np.ma.MaskedArray):
        X = _unmasked(X)
    if isinstance(X, np.ndarray) and X.dtype.kind == "T":  # texts of any length
        X = X.astype(object)
    if isinstance(X, np.ndarray) and X.dtype.names is not None and X.ndim == 1:
        return pd.DataFrame(X)
    _check_columns(X)
    if isinstance(X, np.ndarray | list | tuple):
        X = X if isinstance(X, np.ndarray) else _of_lists(X)
        holds_all = isinstance(X, np.ndarray) and X.dtype.kind in _CELLS and X.ndim == 2 and X.size
        return _of_cells(X, known) if holds_all else X
    if isinstance(X, Table | pd.DataFrame):
        return X
    if isinstance(X, pd.Series):
        raise InvalidData(
            "X must be a table, got a Series: give X.to_frame() for an attribute, X.to_frame().T for an example"
        )
    if _is_sparse(X):
        return _dense(X)
    if hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__"):
        return _of_arrow(X)
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):
        raise InvalidData("X must be a table, got a query that has not been run: give X.collect()")
    return X


def _check_columns(X: Any) -> None:
    """Refuse dictionaries, a text, and texts or objects in a row, which are no table yet."""
    first = X[0] if isinstance(X, list | tuple) and len(X) else X
    if isinstance(first, Mapping) and not _is_sparse(X):  # SciPy's dictionaries of keys are both
        got = "a dictionary" if X is first else "dictionaries"
        raise InvalidData(f"X must be a table, got {got}: give pandas.DataFrame(X)")
    if isinstance(X, str):
        raise InvalidData(f"X must be a table, got {written(X)}")
    if isinstance(first, str) or (isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype.kind in "OUS"):
        raise InvalidData(
            "X must be a table, got texts or objects in a row: give [[value] for value in X] for an attribute, [X] for "
            "an example"
        )


def _unmasked(X: Any) -> Any:
    """Return a masked array as one, or a DataFrame, in which what is masked is missing."""
    if X.dtype.names is not None:
        return pd.DataFrame({name: _unmasked(X[name]) for name in X.dtype.names}) if X.ndim == 1 else X.filled()
    if not np.ma.is_masked(X):
        return X.data
    return X.astype(np.float64 if X.dtype.kind in _NUMBERS or X.dtype.kind == "b" else object).filled(np.nan)


def _is_sparse(X: Any) -> bool:
    """Whether it is SciPy's: who has one has loaded SciPy, which files are read without."""
    scipy_sparse = sys.modules.get("scipy.sparse")
    return scipy_sparse is not None and bool(scipy_sparse.issparse(X))


def typed(frame: pd.DataFrame, nominal: Collection[int] = (), known: Schema | None = None) -> pd.DataFrame:
    """Return the DataFrame with columns of numbers in numeric types; refuse what is neither numbers, texts nor truth values.

    Parameters
    ----------
    nominal : positions of the columns that are nominal whatever they hold
    known : Schema, optional
        The attributes seen in training: what was nominal stays so.

    Raises
    ------
    InvalidData
        No column, two of one name, dates, durations, complex numbers, or texts among numbers in a column.
    InvalidCell
        A cell is a list, a dictionary or the like.
    """
    if not len(frame.columns):
        raise InvalidData("X must have at least one attribute, got a table without columns")
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()].unique()
        raise InvalidData(f"X must have a name of its own for each attribute, got more than one {listed(twice)}")
    settled: dict[int, Any] = {}
    for j, dtype in enumerate(frame.dtypes):
        if isinstance(dtype, np.dtype) and (dtype.kind in _NUMBERS or dtype.kind == "b"):
            continue
        told = j in nominal
        stays = told or bool(known and j < len(known.attributes) and known.attributes[j].kind == "nominal")
        column = frame.iloc[:, j]
        if (found := _settled(column, str(frame.columns[j]), told, stays)) is not column:
            settled[j] = found
    if settled:
        frame = frame.copy(deep=False)
        for j, column in settled.items():
            frame.isetitem(j, column)
    return frame


def _settled(column: pd.Series[Any], name: str, told: bool, stays: bool) -> pd.Series[Any]:
    """Return a column as it is or as numbers. `told`: users say that it is nominal; `stays`: or it was in training."""
    dtype: Any = column.dtype
    if isinstance(dtype, pd.CategoricalDtype | pd.StringDtype):
        return column
    if isinstance(dtype, pd.SparseDtype):
        dense: pd.Series[Any] = pd.Series(np.asarray(column), index=column.index)
        return dense
    if getattr(dtype, "kind", "") == "c":
        raise InvalidData(f"attribute {name!r} must hold real numbers, got complex ones: make two attributes of it")
    found = pd.api.types.infer_dtype(column, skipna=True)
    if found in _DATES or _is_temporal(dtype):
        if not told:
            raise InvalidData(_no_dates(name, found in _DURATIONS or getattr(dtype, "kind", "") == "m"))
        return column
    if not pd.api.types.is_object_dtype(dtype):
        return column
    if found in _COUNTED:
        return column if stays else as_numbers(column, name)
    return _looked_through(column, name, stays) if found.startswith("mixed") else column


def _looked_through(column: pd.Series[Any], name: str, stays: bool) -> pd.Series[Any]:
    """Return a column of cells of several kinds, if these may stand together."""
    there = column[column.notna()]
    text = number = None
    for row, cell in zip(np.flatnonzero(column.notna()), there, strict=True):
        if not isinstance(cell, Hashable):
            raise InvalidCell(
                f"attribute {name!r}: a cell of the argument must be a string, a truth value or a number, "
                f"got {written(cell)} in row {row}"
            )
        if isinstance(cell, str | bytes | bool | np.bool_):
            text = text or (cell, row)
        elif isinstance(cell, Number | Decimal):
            number = number or (cell, row)
    if text and number and not stays:
        raise InvalidData(
            f"attribute {name!r} must hold only texts or only numbers, got {written(text[0])} in row {text[1]} and "
            f"{written(number[0])} in row {number[1]}: make all of one kind, or name it in categorical_features"
        )
    return column


def as_numbers(column: pd.Series[Any], name: str) -> pd.Series[Any]:
    """Return a column of numbers that are held as objects in a numeric type, NaN where one is missing.

    Raises
    ------
    InvalidData
        One is larger than any in that type.
    """
    try:
        return column.where(column.notna(), np.nan).astype(np.float64)
    except OverflowError as error:
        raise InvalidData(
            f"attribute {name!r}: numeric values must lie in [-1e150, 1e150], got a larger one"
        ) from error


def _is_temporal(dtype: Any) -> bool:
    if isinstance(dtype, pd.DatetimeTZDtype | pd.PeriodDtype):
        return True
    if isinstance(dtype, pd.ArrowDtype):
        from pyarrow import types

        return bool(types.is_temporal(dtype.pyarrow_dtype))
    return getattr(dtype, "kind", "") in {"M", "m"}


def _no_dates(name: str, durations: bool) -> str:
    if durations:
        return f"attribute {name!r} must not hold durations: make it a number, such as the seconds that they last"
    return (
        f"attribute {name!r} must not hold dates or times: make it a number, such as days since 1970, or parts, such as "
        "year, month and weekday, or drop it"
    )


def _dense(X: Any) -> Any:
    rows, columns = X.shape if len(X.shape) == 2 else (X.shape[0], 1)
    if rows * columns > MOST_DENSE:
        raise InvalidData(
            f"X is sparse and must have at most {MOST_DENSE:,} cells, as learners see all of them, got {rows:,} rows of "
            f"{columns:,}: choose attributes (SelectKBest), combine them (TruncatedSVD), or give fewer rows at a time"
        )
    return X.toarray()


def _of_arrow(X: Any) -> pd.DataFrame:
    import pyarrow as pa  # takes a tenth of a second, and who holds such a table has it already

    try:
        table = X if isinstance(X, pa.Table) else pa.table(X)
        if len({*table.column_names}) < len(table.column_names):
            twice = {name for name in table.column_names if table.column_names.count(name) > 1}
            raise InvalidData(
                f"X must have a name of its own for each attribute, got more than one {listed(sorted(twice))}"
            )
        frame: pd.DataFrame = table.to_pandas(date_as_object=False, ignore_metadata=True)
        return frame
    except (pa.ArrowException, TypeError, NotImplementedError) as error:
        raise InvalidData(
            f"X must be a table of numbers, texts and truth values, got {type(X).__name__}: {error}"
        ) from error


def _of_lists(X: list[Any] | tuple[Any, ...]) -> Any:
    """Return nested lists as an array whose cells are what they were: NumPy would make texts of numbers beside texts."""
    try:
        cells = np.asarray(X)
        return np.array(X, dtype=object) if cells.dtype.kind in "US" else cells
    except ValueError:  # ragged, which scikit-learn has a sentence for
        return X


def _of_cells(X: Any, known: Schema | None) -> pd.DataFrame:
    """Return an array of objects or texts as a DataFrame; columns without a value and texts that are numbers are numeric."""
    frame = pd.DataFrame(np.char.decode(X, "utf-8") if X.dtype.kind == "S" else X)
    if X.dtype.kind in "OUS":
        for j in range(X.shape[1]):
            if known is None or j >= len(known.attributes) or known.attributes[j].kind == "numeric":
                frame.isetitem(j, _read_numbers(X[:, j], frame.iloc[:, j]))
    return frame


def _read_numbers(cells: Any, column: pd.Series[Any]) -> Any:
    """Return a column of an array as numbers if NumPy made texts of these, or if it has no value."""
    if cells.dtype.kind == "O":
        return np.full(len(cells), np.nan) if column.isna().all() else column
    try:
        return cells.astype(np.float64)
    except ValueError:
        return column
