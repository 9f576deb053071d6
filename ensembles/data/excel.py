"""Reading Excel workbooks (.xlsx): one sheet, the values that formulas had when the workbook was saved."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from itertools import compress, islice
from typing import Any

import pyarrow as pa

from ensembles.data.columns import DATE, Column, Content, check_cells, text_column
from ensembles.data.encoding import text_of
from ensembles.data.header import count_titles, looks_like_header, titles_notice, unique_names
from ensembles.data.names import clean_name
from ensembles.data.numbers import sniff_decimal
from ensembles.errors import InvalidData

__all__ = ["read_excel"]

_MOST_CELLS = 20_000_000  # Python objects, each
_MOST_TEXT = 2**28  # characters in all: a text that many cells share stands in the file once
#: Excel's own bounds.
_MOST_ROWS, _MOST_COLUMNS, _LONGEST_CELL = 1_048_576, 16_384, 32_767
_SAMPLE_ROWS = 200
_DATES = (datetime, date, time, timedelta)

Row = tuple[Any, ...]


def read_excel(
    content: bytes,
    filename: str,
    sheet: str | None = None,
    has_header: bool | None = None,
    skip_rows: int | None = None,
) -> Content:
    """Read a sheet of a workbook.

    Parameters
    ----------
    content : bytes
        Checked for the size it unpacks to.
    filename : str
        What messages call the file.
    sheet : str, optional
        The first one with a table when None.
    has_header : bool, optional
        Whether the first row that is not empty holds names; recognised when None.
    skip_rows : int, optional
        How many rows stand above the table; recognised when None.

    Raises
    ------
    InvalidData
        Damaged, no such sheet, a sheet without a table, or one beyond the bounds of Excel.
    """
    chosen, sheets, rows = _read_rows(content, filename, sheet, skip_rows or 0)
    titles = 0
    if skip_rows is None and has_header is not False:
        titles = count_titles([list(map(_text, row)) for row in rows[:_SAMPLE_ROWS]])
        rows = rows[titles:]
    used = _used(rows)
    if len(used) < 2:
        raise InvalidData(f"{filename}: sheet {chosen!r} has no table; two or more columns with values are needed")
    check_cells(filename, len(rows), len(used), _MOST_CELLS)
    first = [[_text(row[j]) if j < len(row) else "" for j in used] for row in rows[:_SAMPLE_ROWS]]
    if has_header is None:
        has_header = looks_like_header(first)
    if has_header and len(rows) == 1:
        raise InvalidData(f"{filename}: there is a header but no row of values below it")
    names, notices = unique_names(first[0] if has_header else [""] * len(used), has_header)
    if titles:
        notices = (titles_notice(titles), *notices)
    below = rows[int(has_header) :]
    columns = _columns(names, [[row[j] if j < len(row) else None for row in below] for j in used])
    empty = {
        j: name for j, name in zip(used, names, strict=True) if all(j >= len(row) or row[j] is None for row in below)
    }
    if empty:
        notices = (*notices, *_formula_notices(content, sheets.index(chosen), empty))
    return Content("Excel", columns, notices, has_header=has_header, sheet=chosen, sheets=sheets)


def _read_rows(
    content: bytes, filename: str, sheet: str | None, skip_rows: int
) -> tuple[str, tuple[str, ...], list[Row]]:
    """Return the name of the sheet that was read, the names of all, and its rows that are not empty.

    Unless a sheet is asked for, it is the first one with more than one column.
    """
    from openpyxl import load_workbook  # takes 0.3 s to import, and few files need it

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and the like, which nobody asks for here
            book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
            names = [clean_name(worksheet.title) for worksheet in book.worksheets]
            if (next(iter(names), "") if sheet is None else sheet) not in names:
                there = ", ".join(map(repr, names)) or "none"
                raise InvalidData(f"{filename}: there is no sheet {clean_name(sheet or '')!r}; the sheets are {there}")
            tables = {}
            for name in [sheet] if sheet else names:
                tables[name] = list(_filled(book.worksheets[names.index(name)], filename, skip_rows))
                if len(_used(tables[name])) > 1:  # else it is a cover
                    return name, tuple(names), tables[name]
    except (InvalidData, MemoryError):
        raise
    except Exception as error:  # whatever openpyxl runs into: it trusts that a workbook is as Excel writes it
        raise InvalidData(f"{filename}: the Excel workbook is damaged, or written in a way not known here") from error
    first = next(iter(tables))
    return first, tuple(names), tables[first]


def _formula_notices(content: bytes, place: int, empty: dict[int, str]) -> list[str]:
    """Say which columns without values, names by position, hold formulas: some programs write them without results."""
    from openpyxl import load_workbook

    worksheet = load_workbook(io.BytesIO(content), read_only=True).worksheets[place]
    worksheet.reset_dimensions()
    top = list(islice(worksheet.iter_rows(values_only=True), _SAMPLE_ROWS))
    return [
        f"Column “{name}” holds formulas without results: open the workbook in a spreadsheet program and save it there."
        for j, name in empty.items()
        if any(j < len(row) and str(row[j]).startswith("=") for row in top)
    ]


def _used(rows: Sequence[Row]) -> list[int]:
    """Return the positions of the columns in which anything stands."""
    return sorted({j for row in rows for j, cell in enumerate(row) if cell is not None})


def _filled(worksheet: Any, filename: str, skip_rows: int) -> Iterator[Row]:
    worksheet.reset_dimensions()  # what a workbook says of its size is often wrong
    cells = text = 0
    for number, row in enumerate(worksheet.iter_rows(values_only=True), start=1):
        lengths = [len(cell) for cell in row if isinstance(cell, str)]
        cells += len(row)
        text += sum(lengths)
        _check(filename, number, len(row), max(lengths, default=0), cells, text)
        if number > skip_rows and any(cell is not None for cell in row):
            yield row


def _check(filename: str, number: int, width: int, longest: int, cells: int, text: int) -> None:
    """Refuse a sheet beyond the bounds of Excel, or one that no memory holds."""
    if number > _MOST_ROWS:
        raise InvalidData(f"{filename}: the sheet has a row beyond the {_MOST_ROWS:,} that Excel allows")
    if width > _MOST_COLUMNS:
        raise InvalidData(
            f"{filename}: row {number:,} has a cell beyond the {_MOST_COLUMNS:,} columns that Excel allows"
        )
    if cells > _MOST_CELLS:
        raise InvalidData(f"{filename}: the sheet has more than the {_MOST_CELLS:,} cells that are allowed")
    if longest > _LONGEST_CELL:
        raise InvalidData(
            f"{filename}: row {number:,} has a cell with more than the {_LONGEST_CELL:,} characters that Excel allows"
        )
    if text > _MOST_TEXT:
        raise InvalidData(f"{filename}: the cells hold more than the {_MOST_TEXT:,} characters that are allowed in all")


def _columns(names: Sequence[str], cells: Sequence[Sequence[Any]]) -> tuple[Column, ...]:
    """Return the columns of a sheet; where numbers stand there as texts, they say which sign is the decimal one of those."""
    columns = tuple(map(_column, names, cells))
    are_texts = [all(cell is None or isinstance(cell, str) for cell in own) for own in cells]
    decimal = sniff_decimal(compress(columns, are_texts), ",")
    return tuple(
        replace(column, decimal=decimal) if are else column for column, are in zip(columns, are_texts, strict=True)
    )


def _column(name: str, cells: Sequence[Any]) -> Column:
    is_date = all(isinstance(cell, _DATES) for cell in cells if cell is not None)
    array = pa.chunked_array([pa.array(map(_text, cells), pa.string())])
    return text_column(name, array, declared="ignore" if is_date else None, reason=DATE)


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    return cell.isoformat(sep=" ") if isinstance(cell, datetime) else text_of(cell).strip()
