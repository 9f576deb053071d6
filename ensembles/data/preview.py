"""What was recognised about a file, before the user decides."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from ensembles.data.decoding import decode, read_content
from ensembles.data.inference import ColumnGuess, class_problem, guess_column, guess_target
from ensembles.data.marks import NUMERIC_MARKS, TEXT_MARKS
from ensembles.data.numbers import Reading, read_numbers, sniff_decimal
from ensembles.data.parsing import parse
from ensembles.data.sniffing import Layout, sniff_layout
from ensembles.errors import InvalidData

__all__ = ["ColumnGuess", "Preview", "preview_file"]

_HEAD_ROWS = 50
_SHOWN_NAMES = 20


@dataclass(frozen=True, eq=False)
class Preview:
    """What was recognised about a file. Names and values are the user's: data, never markup.

    Attributes
    ----------
    filename : str
    delimiter : str
        One character.
    encoding : str
        Name of the codec ("utf-8", "cp1252", ...).
    decimal : {".", ","}
    has_header : bool
    missing_marks : tuple of str
        The marks for missing values that were found; the empty string for an empty cell.
    columns : tuple of ColumnGuess
        In the order of the file.
    rows : int
        Number of rows of values, those without a class included.
    target : str
        The guessed class column.
    head : DataFrame
        The first rows, at most 50, as text.
    notices : tuple of str
        What the user should know, in sentences.
    readings : tuple of Reading
        The whole content, one for each column.
    first_line : int or None
        Line of the first row; None when rows and lines do not go together.
    """

    filename: str
    delimiter: str
    encoding: str
    decimal: str
    has_header: bool
    missing_marks: tuple[str, ...]
    columns: tuple[ColumnGuess, ...]
    rows: int
    target: str
    head: pd.DataFrame
    notices: tuple[str, ...]
    readings: tuple[Reading, ...] = field(repr=False)
    first_line: int | None = field(repr=False)

    def find_reading(self, name: str) -> Reading:
        """Return the content of the column `name`; raise `InvalidData` naming the columns there are."""
        for reading in self.readings:
            if reading.column.name == name:
                return reading
        names = [reading.column.name for reading in self.readings]
        more = f" and {len(names) - _SHOWN_NAMES:,} more" if len(names) > _SHOWN_NAMES else ""
        raise InvalidData(
            f"{self.filename}: there is no column {name!r}; the columns are {', '.join(names[:_SHOWN_NAMES])}{more}"
        )

    def place(self, row: int) -> str:
        """Return where row `row` (from 0) stands, in words."""
        return f"row {row + 1:,} of the data" if self.first_line is None else f"line {self.first_line + row:,}"


def preview_file(
    source: str | Path | bytes,
    *,
    filename: str,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    has_header: bool | None = None,
    max_bytes: int | None = None,
) -> Preview:
    """Read a table as text and say what was recognised.

    Parameters
    ----------
    source : path or bytes
        The file or its content; gzipped or not.
    filename : str
        What messages call the file.
    delimiter, decimal, encoding, has_header : optional
        What the user knows better; recognised when None.
    max_bytes : int, optional
        Limit for the size of the file, packed and unpacked; checked before it is read.

    Raises
    ------
    InvalidData
        The file cannot be used; one sentence that names it and says what was found and where.
    """
    content = read_content(source, filename, max_bytes)
    text, encoding = decode(content, filename, encoding)
    del content
    layout = sniff_layout(text, filename, delimiter, has_header)
    del text
    columns = parse(layout, filename)
    decimal = decimal or sniff_decimal(columns, layout.delimiter)
    readings = tuple(read_numbers(column, decimal) for column in columns)
    guesses = tuple(guess_column(reading) for reading in readings)
    rows = len(columns[0].codes)
    target = guess_target(readings)
    return Preview(
        filename=filename,
        delimiter=layout.delimiter,
        encoding=encoding,
        decimal=decimal,
        has_header=layout.has_header,
        missing_marks=_marks_found(readings),
        columns=guesses,
        rows=rows,
        target=target,
        head=_head(readings),
        notices=(*layout.notices, *_notices(readings, target)),
        readings=readings,
        first_line=layout.first_line if rows == _count_lines(layout) else None,
    )


def _marks_found(readings: tuple[Reading, ...]) -> tuple[str, ...]:
    found = {text for reading in readings for text in reading.column.texts(np.flatnonzero(reading.missing))}
    return tuple(mark for mark in (*TEXT_MARKS, *NUMERIC_MARKS) if mark in found)


def _head(readings: tuple[Reading, ...]) -> pd.DataFrame:
    cells = {reading.column.name: reading.column.texts(reading.column.codes[:_HEAD_ROWS]) for reading in readings}
    return pd.DataFrame(cells, dtype=object)


def _notices(readings: tuple[Reading, ...], target: str) -> list[str]:
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


def _count_lines(layout: Layout) -> int:
    return layout.body.count(b"\n") + (not layout.body.endswith(b"\n"))
