"""From lines of text to columns of text. Every cell is kept as it was written, trimmed: nothing is guessed here."""

from __future__ import annotations

import csv
import io
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from ensembles.data.sniffing import Layout
from ensembles.errors import InvalidData

__all__ = ["TextColumn", "parse"]

_BLOCK = 1 << 24  # a line longer than a block cannot be parsed
_SHOWN = 40
_THREADS = min(4, os.cpu_count() or 1)


@dataclass(frozen=True, eq=False)
class TextColumn:
    """One column as text.

    Attributes
    ----------
    values : pyarrow.StringArray
        The different cells, in the order in which they first appear. Not Python strings: there may be millions.
    codes : ndarray of int32, shape (n_rows,)
        Index into `values` of each row.
    """

    name: str
    values: Any
    codes: npt.NDArray[np.int32]

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """How often each of `values` occurs."""
        return np.bincount(self.codes, minlength=len(self.values)).astype(np.int64)

    def first_row(self, position: int) -> int:
        """Return the first row that holds `values[position]`, from 0."""
        return int(np.argmax(self.codes == position))

    def texts(self, positions: npt.NDArray[np.integer[Any]]) -> list[str]:
        """Return the values at `positions` as Python strings."""
        texts: list[str] = self.values.take(pa.array(positions)).to_pylist()
        return texts


def parse(layout: Layout, filename: str) -> tuple[TextColumn, ...]:
    """Cut the body of a file into columns.

    Raises
    ------
    InvalidData
        Lines of different length, or a quote that is never closed; the sentence names the line.
    """
    table = _read(layout, filename)
    if layout.quote and _may_have_swallowed_lines(table):
        _refuse_open_quote(layout, filename)
    with ThreadPoolExecutor(_THREADS) as pool:  # Arrow lets go of the interpreter's lock
        return tuple(pool.map(_encode, layout.names, table.columns))


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


def _encode(name: str, chunks: Any) -> TextColumn:
    encoded = chunks.combine_chunks().dictionary_encode()
    values, codes = encoded.dictionary, encoded.indices.to_numpy()
    trimmed = pc.utf8_trim_whitespace(values)
    if not trimmed.equals(values):
        merged = trimmed.dictionary_encode()
        values, codes = merged.dictionary, merged.indices.to_numpy()[codes]
    return TextColumn(name, values, codes)


def _refuse_ragged(layout: Layout, filename: str) -> None:
    """Find the first line whose number of cells is not that of the header (or of the first line) and say so."""
    expected = len(layout.names)
    for line, cells in _walk(layout, filename):
        if cells not in (0, expected):
            raise InvalidData(
                f"{filename}: line {line:,} has {_counted(cells)}, but line {layout.width_line} has {expected:,}; "
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
