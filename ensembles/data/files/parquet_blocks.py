"""Blocks of rows of a Parquet file."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ensembles.data.columns import Column, check_columns, every_number, text_column
from ensembles.data.files.blocks import MOST_COLUMNS, START, Block, Mark, Plain
from ensembles.data.files.opened import OpenedFile
from ensembles.data.header import unique_names
from ensembles.data.parquet import column_of, decimal_of_texts, is_number, numbers_of, refuse_nested
from ensembles.errors import InvalidData

__all__ = ["ParquetBlocks"]

_CELLS = 2**20  # in a block
_MOST_ROWS = 2**16
_BUFFER = 2**20  # bytes that are read of a column at once


class ParquetBlocks:
    """A Parquet file, group of rows after group of rows."""

    format = "Parquet"
    has_header = True
    encoding = ""

    def __init__(self, file: OpenedFile) -> None:
        self._file = file
        with _opened(file) as (opened, schema):
            self.n_rows = opened.metadata.num_rows
            check_columns(file.filename, len(schema), MOST_COLUMNS)
            refuse_nested(schema, file.filename)
        if self.n_rows == 0 or not len(schema):
            raise InvalidData(f"{file.filename}: there is no row of values")
        self._schema = schema
        self.names, _ = unique_names(schema.names, has_header=True)
        self._block_rows = min(max(_CELLS // len(schema), 1), _MOST_ROWS)
        texts = [position for position, kind in enumerate(schema.types) if not is_number(kind)]
        first = next(self.read(START, Plain(), texts)).columns if texts else ()
        self.decimal = decimal_of_texts(first[position] for position in texts)

    def read(self, mark: Mark, plain: Plain, used: Collection[int] | None = None) -> Iterator[Block]:  # noqa: ARG002
        """Yield the blocks from `mark` on, as `Blocks.read`; numbers come as they stand in the file, never as text."""
        wanted = self._chosen(used)
        row = mark.row
        with _opened(self._file) as (opened, _):
            for group in range(max(mark.offset, 0), opened.metadata.num_row_groups):
                start = row
                for batch in self._batches(opened, group, wanted):
                    offset = group if row == start else -1
                    yield Block(self._columns(batch, wanted), Mark(0, row, offset))
                    row += len(batch)

    def _chosen(self, used: Collection[int] | None) -> list[int]:
        unnamed = len(set(self._schema.names)) < len(self._schema)  # columns of one name cannot be told apart
        everything = range(len(self._schema))
        return [position for position in everything if used is None or unnamed or position in used]

    def _batches(self, opened: Any, group: int, wanted: list[int]) -> Iterator[Any]:
        names = [self._schema.names[position] for position in wanted]
        batches = opened.iter_batches(self._block_rows, row_groups=[group], columns=names)
        while True:
            with _damages(self._file):
                batch = next(batches, None)
                if batch is not None:
                    batch.validate(full=True)
            if batch is None:
                return
            yield batch

    def _columns(self, batch: Any, wanted: list[int]) -> tuple[Column, ...]:
        place = {position: i for i, position in enumerate(wanted)}
        return tuple(
            self._column(position, pa.chunked_array([batch.column(place[position])]))
            if position in place
            else text_column(self.names[position], pa.chunked_array([pa.array([""] * len(batch))]))
            for position in range(len(self._schema))
        )

    def _column(self, position: int, chunks: Any) -> Column:
        name, kind = self.names[position], self._schema.types[position]
        if is_number(kind):
            return every_number(name, numbers_of(chunks))
        return column_of(name, kind, chunks)


@contextmanager
def _damages(file: OpenedFile) -> Iterator[None]:
    """Turn what Arrow says of a damaged file into one sentence."""
    try:
        yield
    except InvalidData:
        raise
    except (pa.ArrowException, OSError, ValueError, LookupError) as error:
        raise InvalidData(
            f"{file.filename}: the Parquet file is damaged, or written in a way not known here"
        ) from error


@contextmanager
def _opened(file: OpenedFile) -> Iterator[tuple[Any, Any]]:
    """Open the file with Arrow, which holds some megabytes of it at a time; yield it and its schema."""
    with file.reading(), file.raw() as raw:
        with _damages(file):
            schema = pq.read_schema(raw)  # which the other way says that texts are dictionaries
            texts = [one.name for one in schema if pa.types.is_string(one.type) or pa.types.is_large_string(one.type)]
            opened = pq.ParquetFile(raw, read_dictionary=texts, buffer_size=_BUFFER, pre_buffer=False)
        yield opened, schema
