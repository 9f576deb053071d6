"""Reading Excel workbooks (.xlsx): one sheet, the values that formulas had when the workbook was saved."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import pyarrow as pa

from ensembles.data.columns import DATE, Column, Content, check_cells, text_column
from ensembles.data.encoding import text_of
from ensembles.data.sniffing import looks_like_header, unique_names
from ensembles.errors import InvalidData

__all__ = ["read_excel"]

_MOST_CELLS = 20_000_000  # Python objects, each
_SAMPLE_ROWS = 200
_DATES = (datetime, date, time, timedelta)

Row = tuple[Any, ...]


def read_excel(content: bytes, filename: str, sheet: str | None = None, has_header: bool | None = None) -> Content:
    """Read a sheet of a workbook.

    Parameters
    ----------
    content : bytes
        Checked for the size it unpacks to.
    filename : str
        What messages call the file.
    sheet : str, optional
        The first one when None.
    has_header : bool, optional
        Whether the first row that is not empty holds names; recognised when None.

    Raises
    ------
    InvalidData
        Damaged, no such sheet, or a sheet without a table.
    """
    sheet, sheets, rows = _read_rows(content, filename, sheet)
    used = [
        j for j in range(max(map(len, rows), default=0)) if any(j < len(row) and row[j] is not None for row in rows)
    ]
    if len(used) < 2:
        raise InvalidData(f"{filename}: sheet {sheet!r} has no table; two or more columns with values are needed")
    cells = [[row[j] if j < len(row) else None for j in used] for row in rows]
    texts = [list(map(_text, row)) for row in cells]
    if has_header is None:
        has_header = looks_like_header(texts[:_SAMPLE_ROWS])
    if has_header and len(texts) == 1:
        raise InvalidData(f"{filename}: there is a header but no row of values below it")
    names, notices = unique_names(texts[0] if has_header else [""] * len(used), has_header)
    first = int(has_header)
    columns = tuple(
        _column(name, [row[j] for row in texts[first:]], [row[j] for row in cells[first:]])
        for j, name in enumerate(names)
    )
    return Content("Excel", columns, notices, has_header=has_header, sheet=sheet, sheets=sheets)


def _read_rows(content: bytes, filename: str, sheet: str | None) -> tuple[str, tuple[str, ...], list[Row]]:
    """Return the name of the sheet that was read, the names of all, and its rows that are not empty."""
    from openpyxl import load_workbook  # takes 0.3 s to import, and few files need it

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and the like, which nobody asks for here
            book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
            names = [worksheet.title for worksheet in book.worksheets]
            chosen = sheet or next(iter(names), "")
            if chosen not in names:
                there = ", ".join(map(repr, names)) or "none"
                raise InvalidData(f"{filename}: there is no sheet {chosen!r}; the sheets are {there}")
            rows = list(_filled(book.worksheets[names.index(chosen)], filename))
    except InvalidData:
        raise
    except Exception as error:  # whatever openpyxl runs into: it trusts that a workbook is as Excel writes it
        raise InvalidData(f"{filename}: the Excel workbook is damaged, or written in a way not known here") from error
    return chosen, tuple(names), rows


def _filled(worksheet: Any, filename: str) -> Iterator[Row]:
    worksheet.reset_dimensions()  # what a workbook says of its size is often wrong
    for number, row in enumerate(worksheet.iter_rows(values_only=True), start=1):
        check_cells(filename, number, len(row), _MOST_CELLS)
        if any(cell is not None for cell in row):
            yield row


def _column(name: str, texts: Sequence[str], cells: Sequence[Any]) -> Column:
    is_date = all(isinstance(cell, _DATES) for cell in cells if cell is not None)
    array = pa.chunked_array([pa.array(texts, pa.string())])
    return text_column(name, array, declared="ignore" if is_date else None, reason=DATE)


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    return cell.isoformat(sep=" ") if isinstance(cell, datetime) else text_of(cell).strip()
