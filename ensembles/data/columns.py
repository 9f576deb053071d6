"""A table as a file holds it: columns of texts or of numbers, before anybody decides what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ensembles.data.encoding import text_of
from ensembles.data.names import clean_values
from ensembles.errors import InvalidData

__all__ = [
    "DATE",
    "MOST_CATEGORIES",
    "MOST_CELLS",
    "MOST_COLUMNS",
    "Column",
    "ColumnKind",
    "Content",
    "check_cells",
    "check_columns",
    "encoded_column",
    "every_number",
    "number_column",
    "spelled_column",
    "text_column",
]

ColumnKind = Literal["nominal", "numeric", "ignore"]

MOST_CATEGORIES = 10_000  #: more values than this and tables of counts grow without bound
MOST_CELLS = 100_000_000  #: a small file can hold a table that no memory does
MOST_COLUMNS = 100_000  #: each takes some 100 microseconds, whatever it holds

DATE = "A date or a time, of which nothing is learned as such; nominal if its values repeat."

_SAMPLE = 4 * MOST_CATEGORIES
_FEW = 8


@dataclass(frozen=True, eq=False)
class Column:
    """One column.

    Attributes
    ----------
    values : pyarrow.StringArray or pyarrow.DoubleArray
        The different cells. Not Python objects: there may be millions. Only numbers of which there are more than
        `MOST_CATEGORIES` may stand there more than once. A missing number is NaN.
    codes : ndarray of int32, shape (n_rows,)
        Index into `values` of each row.
    declared : {"nominal", "numeric", "ignore"}, optional
        What the file says the column is, or how its format is dealt with; it wins over guessing.
    reason : str
        Why, in one sentence.
    marks : tuple of str, optional
        What stands for a missing cell, where the format says so.
    spelled : tuple of str
        The first of `values` as the file has them, where numbers were read out of text.
    tally : ndarray of int64, optional
        How often each of `values` occurs, where the rows are not held; then there are no codes.
    counts_up : bool, optional
        Whether the numbers start at 0 or 1 and go up by 1 from row to row, where the rows are not held.
    decimal : {".", ","}, optional
        Its decimal sign, where columns of a file differ in it.
    """

    name: str
    values: Any
    codes: npt.NDArray[np.int32]
    declared: ColumnKind | None = None
    reason: str = ""
    marks: tuple[str, ...] | None = None
    spelled: tuple[str, ...] = ()
    tally: npt.NDArray[np.int64] | None = None
    counts_up: bool | None = None
    decimal: str | None = None

    @property
    def holds_numbers(self) -> bool:
        """The cells are numbers and not texts."""
        return bool(pa.types.is_floating(self.values.type))

    @property
    def n_rows(self) -> int:
        """How many cells there are."""
        return len(self.codes) if self.tally is None else int(self.tally.sum())

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """How often each of `values` occurs."""
        if self.tally is not None:
            return self.tally
        return np.bincount(self.codes, minlength=len(self.values)).astype(np.int64)

    def first_row(self, position: int) -> int:
        """Return the first row that holds `values[position]`, from 0."""
        return int(np.argmax(self.codes == position))

    def texts(self, positions: npt.NDArray[np.integer[Any]]) -> list[str]:
        """Return the values at `positions` as Python strings; a missing number is an empty one."""
        if self.spelled:
            known = len(self.spelled)
            return [self.spelled[p] if p < known else text_of(self.values[p].as_py()) for p in positions.tolist()]
        if len(positions) <= _FEW:  # a fifth of the time, which counts where columns are many
            values = [self.values[position].as_py() for position in positions.tolist()]
        else:
            values = self.values.take(pa.array(positions)).to_pylist()
        return ["" if value != value else text_of(value) for value in values]


@dataclass(frozen=True, eq=False)
class Content:
    """What a reader took out of a file.

    Attributes
    ----------
    format : str
        What people call it ("ARFF").
    notices : tuple of str
        What was done to it, in sentences.
    first_line : int, optional
        Line of the first row; None when rows and lines do not go together.
    delimiter, encoding, decimal, has_header : optional
        Of a table as text.
    sheet, sheets : optional
        The sheet that was read, and all of a workbook.
    """

    format: str
    columns: tuple[Column, ...]
    notices: tuple[str, ...] = ()
    first_line: int | None = None
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str = "."
    has_header: bool = True
    sheet: str | None = None
    sheets: tuple[str, ...] = ()


def text_column(name: str, chunks: Any, **declared: Any) -> Column:
    """Return a column of a chunked array of strings without nulls."""
    encoded = chunks.combine_chunks().dictionary_encode()
    return encoded_column(name, encoded.dictionary, encoded.indices.to_numpy(), **declared)


def encoded_column(name: str, values: Any, codes: npt.NDArray[np.int32], **declared: Any) -> Column:
    """Return a column of an array of strings and the index of each row; blanks around cells are taken away.

    Strings may repeat or not occur.
    """
    merged = pc.utf8_trim_whitespace(clean_values(values)).dictionary_encode()
    if len(merged.dictionary) < len(values) or not merged.dictionary.equals(values):
        values, codes = merged.dictionary, merged.indices.to_numpy()[codes]
    occurs = np.bincount(codes, minlength=len(values)) > 0
    if not occurs.all():
        values, codes = values.filter(pa.array(occurs)), (np.cumsum(occurs, dtype=np.int32) - 1)[codes]
    return Column(name, values, codes, **declared)


def spelled_column(name: str, numbers: Any, codes: npt.NDArray[np.int32], spelled: tuple[str, ...]) -> Column:
    """Return a column of a chunked array of very many numbers, none missing, the first of which are so spelled.

    codes : ndarray of int32
        From 0 on; such columns of a table share them.
    """
    return Column(name, numbers.combine_chunks(), codes, spelled=spelled)


def every_number(name: str, numbers: npt.NDArray[np.float64]) -> Column:
    """Return a column of numbers that nobody tells apart, NaN where one is missing."""
    return Column(name, pa.array(numbers), np.arange(len(numbers), dtype=np.int32))


def number_column(name: str, numbers: npt.NDArray[np.float64]) -> Column:
    """Return a column of numbers, NaN where one is missing."""
    values = pa.array(numbers)
    if len(values.slice(0, _SAMPLE).unique()) > MOST_CATEGORIES:
        # telling 580,000 fractions apart takes 0.3 s a column, and they can neither be nominal nor classes
        return every_number(name, numbers)
    encoded = values.dictionary_encode()
    return Column(name, encoded.dictionary, encoded.indices.to_numpy())


def check_cells(filename: str, rows: int, columns: int, most: int | None = None) -> None:
    """Refuse a table of more than `most` cells, else `MOST_CELLS`."""
    most = most or MOST_CELLS
    if rows * columns > most:
        raise InvalidData(
            f"{filename}: the table has {rows:,} rows of {columns:,} columns; at most {most:,} cells are allowed"
        )


def check_columns(filename: str, columns: int, most: int = MOST_COLUMNS) -> None:
    """Refuse a table of more than `most` columns."""
    if columns > most:
        raise InvalidData(f"{filename}: the table has {columns:,} columns; at most {most:,} are allowed")
