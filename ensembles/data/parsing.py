"""From lines of text to columns of text. Every cell is kept as it was written, trimmed: nothing is guessed here."""

from __future__ import annotations

import csv
import io
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pyarrow as pa
import pyarrow.csv

from ensembles.data.columns import Column, text_column
from ensembles.data.sniffing import Layout
from ensembles.errors import InvalidData

__all__ = ["THREADS", "line_of_first_row", "parse"]

_BLOCK = 1 << 24  # a line longer than a block cannot be parsed
_SHOWN = 40
THREADS = min(4, os.cpu_count() or 1)


def parse(layout: Layout, filename: str) -> tuple[Column, ...]:
    """Cut the body of a file into columns.

    Raises
    ------
    InvalidData
        Lines of different length, or a quote that is never closed; the sentence names the line.
    """
    table = _read(layout, filename)
    if layout.quote and _may_have_swallowed_lines(table):
        _refuse_open_quote(layout, filename)
    with ThreadPoolExecutor(THREADS) as pool:  # Arrow lets go of the interpreter's lock
        return tuple(pool.map(text_column, layout.names, table.columns))


def line_of_first_row(body: bytes, first_line: int, rows: int) -> int | None:
    """Return `first_line` when every line of `body` is one of its rows, so that lines can be counted, else None."""
    return first_line if rows == body.count(b"\n") + (not body.endswith(b"\n")) else None


def _read(layout: Layout, filename: str) -> Any:
    positions = [str(position) for position in range(len(layout.names))]
    try:
        return pyarrow.csv.read_csv(
            pa.BufferReader(layout.body),
            read_options=pyarrow.csv.ReadOptions(column_names=positions, block_size=_BLOCK),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=layout.delimiter,
                quote_char=layout.quote or False,
                newlines_in_values=layout.quote is not None,
                invalid_row_handler=_skip_blank,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(positions, pa.string()), strings_can_be_null=False, check_utf8=False
            ),
        )
    except pa.ArrowException as error:
        _refuse_ragged(layout, filename)
        raise InvalidData(f"{filename}: the file cannot be read as a table ({_shortened(str(error))})") from error


def _skip_blank(row: Any) -> str:
    return "error" if row.text.strip() else "skip"


def _may_have_swallowed_lines(table: Any) -> bool:
    """Say whether the very last cell goes over a line: a quote that is never closed takes the rest of the file."""
    return len(table) > 0 and "\n" in str(table.column(table.num_columns - 1)[-1])


def _refuse_ragged(layout: Layout, filename: str) -> None:
    """Find the first line whose number of cells is not that of the header (or of the first line) and say so."""
    expected = len(layout.names)
    for line, cells in _walk(layout, filename):
        if cells not in (0, expected):
            other = f"line {layout.width_line} has" if layout.width_line else "the header declares"
            raise InvalidData(
                f"{filename}: line {line:,} has {_counted(cells)}, but {other} {expected:,}; "
                "every line needs the same number"
            )


def _refuse_open_quote(layout: Layout, filename: str) -> None:
    for _ in _walk(layout, filename):
        pass


def _walk(layout: Layout, filename: str) -> Any:
    """Yield for each row the number of its first line and how many cells it has, 0 for a blank line."""
    reader = csv.reader(
        io.StringIO(layout.body.decode()),
        delimiter=layout.delimiter,
        quotechar=layout.quote or '"',
        quoting=csv.QUOTE_MINIMAL if layout.quote else csv.QUOTE_NONE,
        strict=True,
    )
    line = layout.first_line
    try:
        for row in reader:
            yield line, len(row) if layout.delimiter.join(row).strip() else 0
            line = layout.first_line + reader.line_num
    except csv.Error as error:
        raise InvalidData(
            f"{filename}: the quotes that open in line {line:,} are not closed as they should be"
        ) from error


def _counted(cells: int) -> str:
    return f"{cells:,} cell" if cells == 1 else f"{cells:,} cells"


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
