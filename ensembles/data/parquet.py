"""Reading Parquet: the kinds of columns stand in the file, except that whole numbers may be codes."""

from __future__ import annotations

import io
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ensembles.data.columns import (
    DATE,
    Column,
    ColumnKind,
    Content,
    check_cells,
    check_columns,
    encoded_column,
    number_column,
    text_column,
)
from ensembles.data.encoding import text_of
from ensembles.data.frames import as_numbers, framed
from ensembles.data.header import unique_names
from ensembles.data.numbers import sniff_decimal
from ensembles.data.parsing import THREADS
from ensembles.data.unpacking import MOST_BYTES, size_of
from ensembles.errors import InvalidData

__all__ = [
    "column_of",
    "decimal_of_texts",
    "is_number",
    "looks_like_parquet",
    "numbers_of",
    "parquet_of",
    "read_parquet",
    "refuse_nested",
]

_MAGIC = b"PAR1"
_BINARY = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_fixed_size_binary)
_NOMINAL = "Declared nominal in the file."


def looks_like_parquet(content: bytes) -> bool:
    """Say whether `content` starts like a Parquet file."""
    return content.startswith(_MAGIC)


def parquet_of(source: Any) -> bytes:
    """Return a table in memory, of pandas, Polars or Arrow, as the bytes of a Parquet file, its index left out.

    Raises
    ------
    InvalidData
        It is no table with names, or a column holds values of several kinds, or of a kind that files do not have.
    """
    frame = framed(source)
    if not isinstance(frame, pd.DataFrame):
        raise InvalidData(f"source must be a path, bytes or a table with names, got {type(source).__name__}")
    columns: list[Any] = []
    for place, name in enumerate(frame.columns):
        try:
            columns.append(_array_of(frame.iloc[:, place], str(name)))
        except InvalidData:
            raise
        except (pa.ArrowException, TypeError, ValueError, NotImplementedError) as error:
            raise InvalidData(
                f"column {str(name)!r} must hold texts, truth values, numbers or dates, all of one kind: make texts of what "
                "it holds (astype(str)), or leave it out"
            ) from error
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(columns, names=[str(name) for name in frame.columns]), sink)
    return sink.getvalue()


def _array_of(column: Any, name: str) -> Any:
    plain = _plain(column)
    try:
        return pa.Array.from_pandas(plain)
    except OverflowError:  # whole numbers of Python that are larger than those of files
        return pa.Array.from_pandas(as_numbers(plain, name))


def _plain(column: Any) -> Any:
    """Return a column of what files have: categories and intervals are texts, periods the moments that they begin at."""
    if isinstance(column.dtype, pd.SparseDtype):
        return column.sparse.to_dense()
    if isinstance(column.dtype, pd.IntervalDtype):
        column = column.astype("category")
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.rename_categories([text_of(category) for category in column.cat.categories])
    if isinstance(column.dtype, pd.PeriodDtype):
        return column.dt.to_timestamp()
    return column


def read_parquet(content: bytes, filename: str) -> Content:
    """Read a Parquet file.

    Dictionaries and truth values are nominal, dates and times are left out, texts (with their decimal sign) and numbers are
    guessed as in a table as text. Infinite numbers are missing.

    Raises
    ------
    InvalidData
        Damaged, without a row, too large for memory, or with a column of lists or the like.
    """
    try:
        source = pa.BufferReader(content)
        schema = pq.read_schema(source)
        check_columns(filename, len(schema))
        refuse_nested(schema, filename)
        # a long text that a million rows share must not be copied a million times
        texts = [
            field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
        ]
        file = pq.ParquetFile(source, read_dictionary=texts)
        _check_size(file.metadata, filename)
        table = file.read()
        table.validate(full=True)
        names, notices = unique_names(table.column_names, has_header=True)
        if table.num_rows == 0 or table.num_columns == 0:
            raise InvalidData(f"{filename}: there is no row of values")
        with ThreadPoolExecutor(THREADS) as pool:  # Arrow lets go of the interpreter's lock
            columns = tuple(pool.map(column_of, names, schema.types, table.columns))
    except (InvalidData, MemoryError):
        raise
    except (pa.ArrowException, OSError, ValueError, LookupError) as error:
        raise InvalidData(f"{filename}: the Parquet file is damaged, or written in a way not known here") from error
    return Content("Parquet", columns, notices, decimal=decimal_of_texts(columns))


def _check_size(metadata: Any, filename: str) -> None:
    """Refuse by what the file says of itself, before anything is unpacked."""
    check_cells(filename, metadata.num_rows, metadata.num_columns)
    size = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    if size > MOST_BYTES:
        raise InvalidData(f"{filename}: the file unpacks to more than the {size_of(MOST_BYTES)} that are allowed")


def refuse_nested(schema: Any, filename: str) -> None:
    """Raise `InvalidData` where a column holds lists, bytes or the like."""
    for field in schema:
        if pa.types.is_nested(field.type) or any(is_binary(field.type) for is_binary in _BINARY):
            raise InvalidData(
                f"{filename}: column {field.name!r} holds {field.type}; "
                "only numbers, texts, truth values, dates and times can be read"
            )


def is_number(kind: Any) -> bool:
    """Say whether a type of Arrow is one of numbers."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def numbers_of(chunks: Any) -> npt.NDArray[np.float64]:
    """Return numbers of any type, NaN where one is missing; of the two zeros the one without a sign."""
    numbers: npt.NDArray[np.float64] = pc.fill_null(pc.cast(chunks, pa.float64(), safe=False), np.nan).to_numpy()
    return numbers + 0.0 if np.signbit(numbers[numbers == 0.0]).any() else numbers


def column_of(name: str, kind: Any, chunks: Any) -> Column:
    """Return a column of a chunked array, which has the type `kind` in the file."""
    if pa.types.is_dictionary(chunks.type):
        return _dictionary_column(name, chunks, declared="nominal" if pa.types.is_dictionary(kind) else None)
    if is_number(kind):
        return number_column(name, numbers_of(chunks))
    texts = pc.fill_null(pc.cast(chunks, pa.string()), "")
    if pa.types.is_boolean(kind):
        return text_column(name, texts, declared="nominal", reason=_NOMINAL)
    return text_column(name, texts, declared="ignore" if pa.types.is_temporal(kind) else None, reason=DATE)


def decimal_of_texts(columns: Iterable[Column]) -> str:
    """Return the decimal sign of numbers that stand in a file as texts; that of others is known."""
    return sniff_decimal((column for column in columns if not column.holds_numbers), ",")


def _dictionary_column(name: str, chunks: Any, declared: ColumnKind | None) -> Column:
    encoded = chunks.unify_dictionaries().combine_chunks()
    values = pc.fill_null(pc.cast(encoded.dictionary, pa.string()), "")
    codes = pc.fill_null(pc.cast(encoded.indices, pa.int32()), len(values)).to_numpy()
    values = pa.concat_arrays([values, pa.array([""])])
    return encoded_column(name, values, codes, declared=declared, reason=_NOMINAL)
