"""What was recognised about a file, before the user decides."""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from ensembles.data.arff import looks_like_arff, read_arff
from ensembles.data.columns import Content
from ensembles.data.decoding import decode
from ensembles.data.excel import read_excel
from ensembles.data.given import check_given
from ensembles.data.inference import ColumnGuess, class_problem, guess_column, guess_target
from ensembles.data.missing_markers import NUMERIC_MARKERS, TEXT_MARKERS, check_markers
from ensembles.data.names import clean_name
from ensembles.data.numbers import Reading, read_numbers, sniff_decimal
from ensembles.data.parquet import looks_like_parquet, read_parquet
from ensembles.data.parsing import THREADS, line_of_first_row, parse
from ensembles.data.sniffing import sniff_layout
from ensembles.data.spreadsheets import without_guards
from ensembles.data.unpacking import ZIP, read_content
from ensembles.errors import InvalidData

__all__ = ["ColumnGuess", "Preview", "preview_file"]

_HEAD_ROWS = 50
_HEAD_COLUMNS = 200
_SHOWN_NAMES = 20


@dataclass(frozen=True, eq=False)
class Preview:
    """What was recognised about a file. Names and values are the user's: data, never markup.

    Attributes
    ----------
    filename : str
    content : Content
        The table as the file holds it: format, and the layout of a table as text.
    missing_marks : tuple of str
        The marks for missing values that were found; the empty string for an empty cell.
    columns : tuple of ColumnGuess
        In the order of the file.
    rows : int
        Number of rows of values, those without a class included.
    target : str or None
        The class column, None when it is not clear which one it is.
    head : DataFrame
        The first rows, at most 50, and columns, at most 200, as text.
    notices : tuple of str
        What the user should know, in sentences.
    readings : tuple of Reading
        The whole content, one for each column.
    """

    filename: str
    content: Content
    missing_marks: tuple[str, ...]
    columns: tuple[ColumnGuess, ...]
    rows: int
    target: str | None
    head: pd.DataFrame
    notices: tuple[str, ...]
    readings: tuple[Reading, ...] = field(repr=False)

    def find_reading(self, name: str) -> Reading:
        """Return the content of the column `name`; raise `InvalidData` naming the columns there are."""
        if name not in self._by_name:
            raise InvalidData(f"{self.filename}: there is no column {clean_name(name)!r}; {self.named_columns()}")
        return self._by_name[name]

    @cached_property
    def _by_name(self) -> dict[str, Reading]:
        return {reading.column.name: reading for reading in self.readings}

    def named_columns(self) -> str:
        """Return what the columns are called, in words."""
        names = [column.name for column in self.columns]
        more = f" and {len(names) - _SHOWN_NAMES:,} more" if len(names) > _SHOWN_NAMES else ""
        return f"the columns are {', '.join(names[:_SHOWN_NAMES])}{more}"

    def place(self, row: int) -> str:
        """Return where row `row` (from 0) stands, in words."""
        first = self.content.first_line
        return f"row {row + 1:,} of the data" if first is None else f"line {first + row:,}"


def preview_file(
    source: str | Path | bytes,
    *,
    filename: str,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    has_header: bool | None = None,
    skip_rows: int | None = None,
    sheet: str | None = None,
    missing: Collection[str] | None = None,
    max_bytes: int | None = None,
) -> Preview:
    """Read a table and say what was recognised.

    The format is told by the content: ARFF, Parquet, Excel, or else a table as text.

    Parameters
    ----------
    source : path or bytes
        The file or its content; gzipped, the only file in a ZIP archive, or as it is.
    filename : str
        What messages call the file.
    delimiter, decimal, encoding, has_header : optional
        What the user knows better of a table as text (`has_header` also of a sheet); recognised when None.
    skip_rows : int, optional
        How many rows stand above the header, or above the values where there is none: lines of a table as text, rows of
        a sheet. Titles are recognised when None.
    sheet : str, optional
        Of a workbook; the first one when None.
    missing : collection of str, optional
        What stands for a missing cell besides an empty one, instead of the usual marks.
    max_bytes : int, optional
        Limit for the size of the file, packed and unpacked, 1 GB when None; checked before it is read.

    Raises
    ------
    InvalidData
        The file cannot be used, or not as is wished; one sentence that names it and says what was found and where.
    """
    filename = clean_name(filename)
    check_markers(filename, missing)
    check_given(filename, skip_rows=skip_rows, max_bytes=max_bytes, sheet=sheet)
    try:
        content = read_content(source, filename, max_bytes)
        if looks_like_parquet(content):
            _refuse_unheeded(filename, "Parquet", sheet=sheet, skip_rows=skip_rows)
            table = read_parquet(content, filename)
        elif content.startswith(ZIP):
            table = read_excel(content, filename, sheet, has_header, skip_rows)
        else:
            _refuse_unheeded(filename, "no workbook", sheet=sheet)
            table = _read_text(content, filename, delimiter, decimal, encoding, has_header, skip_rows)
        del content
        return _look(table, filename, missing)
    except MemoryError as error:
        raise InvalidData(f"{filename}: reading the table takes more memory than there is") from error


def _look(table: Content, filename: str, missing: Collection[str] | None) -> Preview:
    """Say what each column is."""
    with ThreadPoolExecutor(THREADS) as pool:  # NumPy lets go of the interpreter's lock
        readings = tuple(pool.map(lambda column: read_numbers(column, table.decimal, missing), table.columns))
        for reading in readings:
            _refuse_undeclared(reading, filename)
        columns = tuple(pool.map(guess_column, readings))
    target = guess_target(readings, columns, named=table.has_header)
    return Preview(
        filename=filename,
        content=table,
        missing_marks=_marks_found(readings),
        columns=columns,
        rows=len(table.columns[0].codes),
        target=target,
        head=_head(readings),
        notices=(*table.notices, *_notices(readings, target)),
        readings=readings,
    )


def _read_text(
    content: bytes,
    filename: str,
    delimiter: str | None,
    decimal: str | None,
    encoding: str | None,
    has_header: bool | None,
    skip_rows: int | None,
) -> Content:
    text, encoding = decode(content, filename, encoding)
    if looks_like_arff(text):
        _refuse_unheeded(filename, "ARFF", skip_rows=skip_rows)
        return read_arff(text, filename)
    layout = sniff_layout(text, filename, delimiter, has_header, skip_rows)
    columns = tuple(map(without_guards, parse(layout, filename, as_text=decimal == ",")))
    found = decimal or sniff_decimal(columns, layout.delimiter)
    if found == "," and any(column.spelled for column in columns):  # of which points may group thousands
        columns = tuple(map(without_guards, parse(layout, filename, as_text=True)))
    return Content(
        "text",
        columns,
        layout.notices,
        line_of_first_row(text, layout.first_line, len(columns[0].codes), layout.start),
        layout.delimiter,
        encoding,
        found,
        layout.has_header,
    )


def _refuse_unheeded(filename: str, form: str, **settings: str | int | None) -> None:
    """Raise `InvalidData` where something is said of a file that goes with files of another form."""
    if named := [name for name, value in settings.items() if value is not None]:
        raise InvalidData(f"{filename}: {named[0]} cannot go with it, as it is {form}")


def _refuse_undeclared(reading: Reading, filename: str) -> None:
    column = reading.column
    if column.declared == "numeric" and reading.wrong.any():
        position = int(np.argmax(reading.wrong))
        found = column.texts(np.array([position]))[0]
        row = column.first_row(position) + 1
        raise InvalidData(
            f"{filename}: attribute {column.name!r} is declared numeric, but row {row:,} of the data holds {found!r}"
        )


def _marks_found(readings: tuple[Reading, ...]) -> tuple[str, ...]:
    found = {text for reading in readings for text in reading.column.texts(np.flatnonzero(reading.missing))}
    usual = [mark for mark in (*TEXT_MARKERS, *NUMERIC_MARKERS) if mark in found]
    return (*usual, *sorted(found.difference(usual)))


def _head(readings: tuple[Reading, ...]) -> pd.DataFrame:
    columns = [reading.column for reading in readings[:_HEAD_COLUMNS]]
    return pd.DataFrame({column.name: column.texts(column.codes[:_HEAD_ROWS]) for column in columns}, dtype=object)


def _notices(readings: tuple[Reading, ...], target: str | None) -> list[str]:
    notices = []
    for reading in readings:
        name = reading.column.name
        if reading.grouped and reading.is_numeric:
            notices.append(f"Column “{name}”: thousands are grouped, and the groups were joined.")
        if name == target:
            without = len(reading.column.codes) - reading.present
            if problem := class_problem(reading):
                notices.append(f"Column “{name}” cannot be the class as it is: it {problem}.")
            elif without:
                rows = "1 row" if without == 1 else f"{without:,} rows"
                notices.append(f"{rows} without a class (column “{name}”) will be left out.")
    return notices
