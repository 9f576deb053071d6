"""From lines of text to columns of text. Every cell is kept as it was written, trimmed: nothing is guessed here.

Columns of which a large file holds more different numbers than could be nominal are read as numbers at once: telling a
million texts apart takes half a second a column.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Collection, Container, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from ensembles.data.columns import MOST_CATEGORIES, Column, every_number, spelled_column, text_column
from ensembles.data.decoding import count_lines
from ensembles.data.numbers import LARGEST
from ensembles.data.sniffing import Layout
from ensembles.errors import InvalidData

__all__ = ["THREADS", "line_of_first_row", "parse", "parse_numbers"]

_BLOCKS = (1 << 20, 1 << 24)  # what is parsed at once: in 1 MiB it stays near the processor, and takes 0.6 of the time
_STRADDLES = "straddling object"  # what Arrow says of a line that is longer than a block
_SHOWN = 40
_SAMPLE_BYTES = 1 << 24  # smaller files are read in less than a second
_SPELLED = 200
THREADS = min(4, os.cpu_count() or 1)


def parse(layout: Layout, filename: str, *, as_text: bool = False) -> tuple[Column, ...]:
    """Cut the body of a file into columns.

    Parameters
    ----------
    as_text : bool
        Keep every cell as it was written, also in columns of very many plain numbers.

    Raises
    ------
    InvalidData
        Lines of different length, or a quote that is never closed; the sentence names the line.
    """
    spelled = {} if as_text else _spelled_numbers(layout)
    try:
        table = _read(layout, layout.body, spelled)
    except pa.ArrowException as error:
        if spelled:  # a cell further down holds something else
            return parse(layout, filename, as_text=True)
        _refuse_ragged(layout, filename)
        raise InvalidData(f"{filename}: the file cannot be read as a table ({_shortened(str(error))})") from error
    _refuse_swallowed_lines(layout, table, filename)
    with ThreadPoolExecutor(THREADS) as pool:  # Arrow lets go of the interpreter's lock
        if not all(pool.map(_within_range, map(table.column, spelled))):
            return parse(layout, filename, as_text=True)

    codes = np.arange(len(table), dtype=np.int32)

    def column(position: int) -> Column:
        name, chunks = layout.names[position], table.column(position)
        if position not in spelled:
            return text_column(name, chunks)
        return spelled_column(name, chunks, codes, spelled[position])

    with ThreadPoolExecutor(THREADS) as pool:
        return tuple(pool.map(column, range(len(layout.names))))


def parse_numbers(
    layout: Layout, filename: str, numbers: Collection[int], marks: Collection[str], decimal: str
) -> tuple[Column, ...]:
    """Cut the body of a file into columns, where some are known to hold numbers: `marks` stand for missing ones.

    Where one holds something else, all cells are kept as they were written.

    Raises
    ------
    InvalidData
        As `parse`.
    """
    try:
        table = _read(layout, layout.body, numbers, marks, decimal)
    except pa.ArrowException:
        return parse(layout, filename, as_text=True)
    if not all(_within_range(table.column(position)) for position in numbers):
        return parse(layout, filename, as_text=True)
    _refuse_swallowed_lines(layout, table, filename)

    def column(position: int) -> Column:
        name, chunks = layout.names[position], table.column(position)
        if position not in numbers:
            return text_column(name, chunks)
        return every_number(name, pc.fill_null(chunks, np.nan).to_numpy())

    with ThreadPoolExecutor(THREADS) as pool:
        return tuple(pool.map(column, range(len(layout.names))))


def line_of_first_row(text: bytes | memoryview, first_line: int, rows: int, start: int = 0) -> int | None:
    """Return `first_line` when every line of `text` from `start` on is a row, so that lines can be counted, else None."""
    return first_line if rows == count_lines(text, start) + (text[-1:] != b"\n") else None


def _spelled_numbers(layout: Layout) -> dict[int, tuple[str, ...]]:
    """Return which columns seem to hold plain numbers, more different ones than could be nominal, with the first cells."""
    if len(layout.body) <= _SAMPLE_BYTES:
        return {}
    try:
        head = bytes(layout.body[:_SAMPLE_BYTES])
        sample = _read(layout, head[: head.rfind(b"\n") + 1], {})
    except pa.ArrowException:
        return {}
    with ThreadPoolExecutor(THREADS) as pool:
        are_many = [*pool.map(_are_many_numbers, sample.columns)]
    return {
        position: tuple(cell.strip() for cell in cells.slice(0, _SPELLED).to_pylist())
        for position, cells in enumerate(sample.columns)
        if are_many[position]
    }


def _are_many_numbers(cells: Any) -> bool:
    if len(cells) <= MOST_CATEGORIES:
        return False
    try:
        numbers: npt.NDArray[np.float64] = pc.cast(pc.utf8_trim_whitespace(cells), pa.float64()).to_numpy()
    except pa.ArrowInvalid:
        return False
    return len(np.unique(numbers)) > MOST_CATEGORIES


def _within_range(numbers: Any) -> bool:
    """Say whether all are finite, and of a size that is taken for a number."""
    found = pc.min_max(numbers)
    if found["max"].as_py() is None:  # all are missing
        return True
    return all(abs(found[end].as_py()) <= LARGEST for end in ("min", "max")) and not pc.any(pc.is_nan(numbers)).as_py()


def _read(
    layout: Layout, body: bytes | memoryview, numbers: Container[int], marks: Collection[str] = (), decimal: str = "."
) -> Any:
    """Return the table of `body`, with columns of numbers at these positions and of texts elsewhere."""
    positions = range(len(layout.names))
    names = [*map(str, positions)]
    parsed = pyarrow.csv.ParseOptions(
        delimiter=layout.delimiter,
        quote_char=layout.quote or False,
        newlines_in_values=layout.quote is not None,
        invalid_row_handler=_skip_blank,
    )
    converted = pyarrow.csv.ConvertOptions(
        column_types={str(one): pa.float64() if one in numbers else pa.string() for one in positions},
        strings_can_be_null=False,
        null_values=[*marks],
        check_utf8=False,
        decimal_point=decimal,
    )

    def read(size: int) -> Any:
        options = pyarrow.csv.ReadOptions(column_names=names, block_size=size)
        return pyarrow.csv.read_csv(pa.BufferReader(body), options, parsed, converted)

    try:
        return read(_BLOCKS[0])
    except pa.ArrowInvalid as error:
        if _STRADDLES not in str(error):
            raise
    return read(_BLOCKS[1])


def _skip_blank(row: Any) -> str:
    return "error" if row.text.strip() else "skip"


def _refuse_swallowed_lines(layout: Layout, table: Any, filename: str) -> None:
    """Refuse a cell over several lines with text behind its closing quote, or without one: it took up the rows below it."""
    if not layout.quote or not len(table):
        return
    if "\n" not in str(table.columns[-1][-1]) and line_of_first_row(layout.body, layout.first_line, len(table)):
        return  # every line is a row
    body, quote, end = bytes(layout.body), layout.quote.encode(), 0
    closing = re.compile(b" *" + quote + b" *(" + re.escape(layout.delimiter.encode()) + rb"|\n|\Z)")
    for cell in _cells_over_lines(table):
        written = quote + cell.encode().replace(quote, quote * 2)
        start, end = end, _end_of_cell(body, written.rstrip(b" "), end, closing)
        if not end:
            opening = body.find(written[: written.rindex(b"\n") + 1], start)
            _refuse_quote(filename, layout.first_line + body.count(b"\n", 0, opening))


def _cells_over_lines(table: Any) -> Iterator[str]:
    """Yield the cells that hold a line feed, in the order of the file."""
    found: list[tuple[int, int, str]] = []
    for position, cells in enumerate(table.columns):
        if pa.types.is_string(cells.type):
            over_lines = pc.match_substring(cells, "\n")
            rows = np.flatnonzero(over_lines.to_numpy()).tolist()
            found += zip(rows, repeat(position), cells.filter(over_lines).to_pylist())
    return (cell for _, _, cell in sorted(found))


def _end_of_cell(body: bytes, written: bytes, start: int, closing: re.Pattern[bytes]) -> int:
    """Return where the first cell ends that is written so and closed behind it, 0 where none is."""
    while (start := body.find(written, start)) >= 0:
        if closed := closing.match(body, start + len(written)):
            return closed.end()
        start += 1
    return 0


def _refuse_ragged(layout: Layout, filename: str) -> None:
    """Find the first line whose number of cells is not that of the header (or of the first line) and say so."""
    expected = len(layout.names)
    rows = _walk(layout, filename)
    for line, cells in rows:
        if cells not in (0, expected):
            other = f"line {layout.width_line} has" if layout.width_line else "the header declares"
            is_cut = cells < expected and bytes(layout.body[-1:]) != b"\n" and next(rows, None) is None
            why = (
                "it is the last and has no end, as of a file that was cut off"
                if is_cut
                else "every line needs the same number"
            )
            raise InvalidData(f"{filename}: line {line:,} has {_counted(cells)}, but {other} {expected:,}; {why}")


def _walk(layout: Layout, filename: str) -> Iterator[tuple[int, int]]:
    """Yield for each row the number of its first line and how many cells it has, 0 for a blank line."""
    mark, quote = re.escape(layout.delimiter.encode()), (layout.quote or '"').encode()
    body = re.sub(quote + b" +(?=" + mark + rb"|\n|\Z)", quote, layout.body)
    reader = csv.reader(
        io.StringIO(str(body, "utf-8")),
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
    except csv.Error:
        _refuse_quote(filename, line)


def _refuse_quote(filename: str, line: int) -> NoReturn:
    raise InvalidData(f"{filename}: the quotes that open in line {line:,} are not closed as they should be")


def _counted(cells: int) -> str:
    return f"{cells:,} cell" if cells == 1 else f"{cells:,} cells"


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
