"""Blocks of rows of a table as text and of ARFF, gzipped or as they are."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from ensembles.data.arff import ArffHeader, read_arff_header
from ensembles.data.columns import Column, check_columns
from ensembles.data.files.blocks import MOST_COLUMNS, Block, Mark, Plain
from ensembles.data.files.opened import OpenedFile
from ensembles.data.files.text import BLOCK_BYTES, pieces_of, whole_rows
from ensembles.data.numbers import sniff_decimal
from ensembles.data.parsing import line_of_first_row, parse, parse_numbers
from ensembles.data.sniffing import Layout, sniff_layout
from ensembles.data.spreadsheets import without_guards
from ensembles.errors import InvalidData

__all__ = ["ArffBlocks", "CsvBlocks"]

_HEAD_BYTES = 4 * 2**20


class _TextBlocks:
    """What both have in common: text that is cut where rows end.

    Parameters
    ----------
    file : OpenedFile
    encoding : str

    Attributes
    ----------
    encoding : str
    jumps : bool
        Whether bytes of the text are bytes of the file, so that what comes before a mark need not be read.
    end : int
        How many bytes of text there are; known once they were read.
    """

    jumps = False
    end = 0

    decimal = "."
    has_header = True
    _first: Mark
    _cut: dict[str, Any] = {}

    def __init__(self, file: OpenedFile, encoding: str) -> None:
        self._file, self.encoding = file, encoding

    @property
    def is_as_it_lies(self) -> bool:
        """Whether the file is not packed, and in UTF-8."""
        with self._file.reading():
            return self.encoding == "utf-8" and not self._file.is_gzipped

    def head(self) -> bytes:
        """Return the first lines, about 4 MiB of them."""
        with self._file.reading(), self._file.unpacked() as file:
            blocks = whole_rows(pieces_of(file, self.encoding, self._file.filename), self._file.filename, _HEAD_BYTES)
            head = next(blocks, b"")
            if head.count(b"\n") == 1:  # names, and a first row that is longer
                head += next(blocks, b"")
        if head.isspace() or not head:
            raise InvalidData(f"{self._file.filename}: the file is empty")
        return head

    def read(self, mark: Mark, plain: Plain, used: Collection[int] | None = None) -> Iterator[Block]:  # noqa: ARG002
        """Yield the blocks from `mark` on, as `Blocks.read`; all columns, as all are parsed."""
        at = self._first if mark.offset < 0 else mark
        filename, row, offset, line = self._file.filename, at.row, at.offset, at.line
        with self._file.reading(), self._file.unpacked() as file:
            if self.jumps:
                file.seek(offset)
            pieces = pieces_of(file, self.encoding, filename)
            if not self.jumps:
                pieces = _behind(pieces, offset)
            for rows in whole_rows(pieces, filename, BLOCK_BYTES, **self._cut):
                if not self._is_blank(rows):
                    columns = self._columns(rows, Mark(0, row, offset, line), plain)
                    n_rows = len(columns[0].codes)
                    are_lines = line_of_first_row(rows, line, n_rows) is not None
                    yield Block(columns, Mark(0, row, offset, line), are_lines)
                    row += n_rows
                offset, line = offset + len(rows), line + rows.count(b"\n")
            self.end = offset

    def _is_blank(self, rows: bytes) -> bool:
        return rows.isspace()

    def _columns(self, rows: bytes, mark: Mark, plain: Plain) -> tuple[Column, ...]:
        raise NotImplementedError


class CsvBlocks(_TextBlocks):
    """A table as text."""

    format = "text"

    def __init__(self, file: OpenedFile, encoding: str, skip_rows: int | None) -> None:
        super().__init__(file, encoding)
        head = self.head()
        layout = sniff_layout(head, file.filename, skip_rows=skip_rows)
        check_columns(file.filename, len(layout.names), MOST_COLUMNS)
        self.has_header = layout.has_header
        self._first = Mark(0, 0, layout.start, layout.first_line)
        self._cut = {
            "quote": layout.quote_mark,
            "delimiter": layout.delimiter,
            "padded_quotes": layout.padded_quotes,
        }
        text = next(whole_rows(iter([head[layout.start :]]), file.filename, BLOCK_BYTES, **self._cut), b"")
        first = tuple(map(without_guards, parse(layout.of_rows(text, layout.first_line), file.filename, as_text=True)))
        self.decimal = sniff_decimal(first, layout.delimiter)
        self.names = tuple(column.name for column in first)
        self._layout: Layout = replace(layout, body=b"")

    def _columns(self, rows: bytes, mark: Mark, plain: Plain) -> tuple[Column, ...]:
        layout, filename = self._layout.of_rows(rows, mark.line), self._file.filename
        if plain.positions:
            columns = parse_numbers(layout, filename, plain.positions, plain.marks, plain.decimal)
        else:
            columns = parse(layout, filename, as_text=True)
        return tuple(map(without_guards, columns))


class ArffBlocks(_TextBlocks):
    """An ARFF file."""

    format = "ARFF"

    def __init__(self, file: OpenedFile, encoding: str) -> None:
        super().__init__(file, encoding)
        self._header: ArffHeader = read_arff_header(self.head(), file.filename)
        check_columns(file.filename, len(self._header.names), MOST_COLUMNS)
        self.names = self._header.names
        self._first = Mark(0, 0, self._header.start, self._header.first_line)

    def _is_blank(self, rows: bytes) -> bool:
        return all(not line.strip() or line.lstrip().startswith(b"%") for line in rows.split(b"\n"))

    def _columns(self, rows: bytes, mark: Mark, plain: Plain) -> tuple[Column, ...]:
        numbers = plain.positions.intersection(self._header.numeric)
        return self._header.columns(rows, mark.line, self._file.filename, numbers=numbers, first_row=mark.row)[0]


def _behind(pieces: Iterator[bytes], offset: int) -> Iterator[bytes]:
    """Yield what stands behind the first `offset` bytes."""
    for piece in pieces:
        if offset < len(piece):
            yield piece[offset:]
        offset = max(offset - len(piece), 0)
