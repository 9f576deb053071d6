"""The form in which a data set is stored: one Parquet file with exact values, described by JSON in its metadata.

Columns are named by position (`0`, `1`, ..., and `labels`), so that no name of the user can clash; names, categories
and classes stand in the metadata. Nothing is pickled.
"""

import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from ensembles.data.columns import check_cells
from ensembles.data.dataset import Dataset
from ensembles.data.table import Attribute, Schema, Table
from ensembles.errors import InvalidData

__all__ = [
    "Room",
    "check_stored",
    "dataset_from_bytes",
    "dataset_to_bytes",
    "describe",
    "read_stored",
    "write_dataset",
    "write_rows",
]

_METADATA = b"ensemble-lab"
_FORMAT = 1
_TOO_MUCH = (MemoryError, RecursionError)
_LOOKED_AT = 2**12  # numbers by which is told how they are packed
_ROWS = 2**16  # written and read at a time: a second copy of a large data set has no room


def dataset_to_bytes(dataset: Dataset) -> bytes:
    """Return `dataset` as the bytes of a Parquet file: codes, numbers and labels bit for bit, and what they mean."""
    starts = range(0, len(dataset), _ROWS)
    return write_rows(dataset, (slice(start, start + _ROWS) for start in starts), {_METADATA: describe(dataset)})


def write_rows(dataset: Dataset, groups: Iterable[slice], metadata: dict[bytes, Any] | None = None) -> bytes:
    """Return a Parquet file with some examples, a row group for each of `groups`, and JSON in its metadata."""
    columns = [*map(dataset.table.column, range(len(dataset.attributes))), dataset.labels]
    names = [*map(str, range(len(dataset.attributes))), "labels"]
    schema = pa.schema(
        [(name, pa.from_numpy_dtype(column.dtype)) for name, column in zip(names, columns, strict=True)],
        {key: json.dumps(value).encode() for key, value in (metadata or {}).items()},
    )
    sink = io.BytesIO()
    # A table of values for numbers that are nearly all different takes longer to write than they do, and more bytes;
    # they hardly get smaller by Zstandard than by LZ4, which takes a third of the time.
    different = [name for name, column in zip(names, columns, strict=True) if _are_different(column[:_LOOKED_AT])]
    repeated = [name for name in names if name not in different]
    layout = {"use_dictionary": repeated or False, "use_byte_stream_split": different or False}
    packing = {name: "lz4" if name in different else "zstd" for name in names}
    with pq.ParquetWriter(sink, schema, compression=packing, **layout) as writer:
        for rows in groups:
            some = [pa.array(column[rows]) for column in columns]
            writer.write_batch(pa.record_batch(some, schema=schema))
    return sink.getvalue()


def _are_different(numbers: npt.NDArray[Any]) -> bool:
    return numbers.dtype.kind == "f" and 2 * len(np.unique(numbers)) > len(numbers)


def dataset_from_bytes(content: bytes) -> Dataset:
    """Return the data set that `dataset_to_bytes` wrote.

    Raises
    ------
    InvalidData
        Not such bytes, or bytes that changed since.
    """
    try:
        file = pq.ParquetFile(pa.BufferReader(content))
        described = json.loads((file.schema_arrow.metadata or {})[_METADATA])
        if described["format"] != _FORMAT:
            raise InvalidData(f"stored data set: expected format {_FORMAT}, got {described['format']}")
        dataset = _rebuild(file, described)
        unchanged = dataset.sha256 == described["sha256"]
    except InvalidData:
        raise
    except (pa.ArrowException, OSError, LookupError, TypeError, AttributeError, ValueError, *_TOO_MUCH) as error:
        raise InvalidData(
            "stored data set: the bytes are not a data set that was stored here, or are damaged"
        ) from error
    if not unchanged:
        raise InvalidData(f"stored data set {dataset.name!r}: the content differs from what was stored")
    return dataset


def check_stored(name: str, content: bytes) -> None:
    """Refuse bytes of a stranger before they are read: a small file can announce a table that no memory holds.

    Raises
    ------
    InvalidData
        Not a stored data set, one with other columns than numbers (one text may unpack to any size), or too many cells.
    """
    try:
        file = pq.ParquetFile(pa.BufferReader(content))
        facts, types = file.metadata, file.schema_arrow.types
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InvalidData(f"{name}: is not a stored data set, or is damaged") from error
    if not all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in types):
        raise InvalidData(f"{name}: is not a stored data set, whose columns hold numbers")
    check_cells(name, facts.num_rows, facts.num_columns)


def write_dataset(dataset: Dataset, path: str | Path) -> None:
    """Write `dataset` to the file `path` in the stored form."""
    Path(path).write_bytes(dataset_to_bytes(dataset))


def read_stored(path: str | Path) -> Dataset:
    """Read a data set that `write_dataset` wrote.

    Raises
    ------
    InvalidData
        The file cannot be read, or is not a stored data set.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InvalidData(f"{Path(path).name}: the file cannot be read ({error.strerror})") from error
    return dataset_from_bytes(content)


def describe(dataset: Dataset) -> dict[str, Any]:
    """Return all that is to be known of a data set besides its rows, fit for JSON."""
    return {
        "format": _FORMAT,
        "name": dataset.name,
        "target": dataset.target,
        "source": dataset.source,
        "classes": dataset.classes,
        "attributes": [[attribute.name, attribute.kind, attribute.categories] for attribute in dataset.attributes],
        "sha256": dataset.sha256,
    }


def _rebuild(file: Any, described: dict[str, Any]) -> Dataset:
    n = file.metadata.num_rows
    room = Room(described, n)
    end = room.fill(file, 0)
    if end != n:
        raise ValueError(f"{n} rows are announced, {end} are there")
    return room.dataset()


class Room:
    """The arrays of a data set that is being read.

    Parameters
    ----------
    described : dict
        As `describe` returns it.
    n_rows : int
    """

    def __init__(self, described: dict[str, Any], n_rows: int) -> None:
        self._described = described
        self._attributes = [
            Attribute(name, kind, tuple(categories)) for name, kind, categories in described["attributes"]
        ]
        self._schema = Schema(tuple(self._attributes))
        self._codes = np.empty((n_rows, len(self._schema.nominal)), dtype=np.int32)
        self._numbers = np.empty((n_rows, len(self._schema.numeric)), dtype=np.float64)
        self._labels = np.empty(n_rows, dtype=np.int64)

    def fill(self, file: Any, start: int) -> int:
        """Put the examples of a Parquet file where they belong, the first one to row `start`; return where they end."""
        for batch in file.iter_batches(_ROWS):
            columns = [column.to_numpy(zero_copy_only=False) for column in batch.columns]
            some, rows = Table.from_columns(self._attributes, columns[:-1]), slice(start, start + len(batch))
            self._codes[rows], self._numbers[rows], self._labels[rows] = some.codes, some.numbers, columns[-1]
            start += len(batch)
        return start

    def dataset(self) -> Dataset:
        """Return what the rows make; raise `InvalidData` as `Dataset` does."""
        return Dataset(
            self._described["name"],
            Table(self._schema, self._codes, self._numbers),
            self._labels,
            tuple(self._described["classes"]),
            self._described["target"],
            self._described["source"],
        )
