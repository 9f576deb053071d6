"""A data set in pieces, for a way on which nothing may be large: some rows each, as Parquet, in any order.

A process that puts them together holds the arrays and one piece; who takes slices of the stored bytes and joins them holds
those bytes beside the arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ensembles.data.dataset import Dataset
from ensembles.data.stored import Room, describe, write_rows
from ensembles.errors import InvalidData

__all__ = ["Assembly", "Heading", "array_bytes"]

_PIECE_BYTES = 16 * 2**20  # of arrays; packed it is less


def array_bytes(dataset: Dataset) -> int:
    """Return how many bytes the arrays of a data set take."""
    return dataset.table.codes.nbytes + dataset.table.numbers.nbytes + dataset.labels.nbytes


@dataclass(frozen=True)
class Heading:
    """What goes ahead of the pieces.

    Attributes
    ----------
    described : dict
        Name, attributes, classes and content hash.
    n_rows, n_bytes, rows_each : int
        Of all pieces together: examples, and bytes of arrays; examples in each piece but the last.
    """

    described: dict[str, Any]
    n_rows: int
    n_bytes: int
    rows_each: int

    @classmethod
    def of(cls, dataset: Dataset, piece_bytes: int | None = None) -> Heading:
        """Return the heading of a data set whose pieces have `piece_bytes` of arrays each (else 16 MiB), or one example."""
        size = array_bytes(dataset)
        return cls(describe(dataset), len(dataset), size, max((piece_bytes or _PIECE_BYTES) * len(dataset) // size, 1))

    @property
    def name(self) -> str:
        """Name of the data set."""
        return str(self.described["name"])

    @property
    def sha256(self) -> str:
        """Content hash of the data set."""
        return str(self.described["sha256"])

    @property
    def n_pieces(self) -> int:
        """How many pieces there are."""
        return -(-self.n_rows // self.rows_each)

    def cut(self, dataset: Dataset, position: int) -> bytes:
        """Return one piece, as the bytes of a Parquet file."""
        start = position * self.rows_each
        return write_rows(dataset, [slice(start, start + self.rows_each)])


class Assembly:
    """Puts the pieces of a data set together, in whichever order they come, and each may come twice."""

    def __init__(self, heading: Heading) -> None:
        self.heading = heading
        self._room = Room(heading.described, heading.n_rows)
        self._is_there = np.zeros(heading.n_pieces, dtype=bool)

    def add(self, position: int, piece: bytes) -> None:
        """Put a piece into its place.

        Raises
        ------
        InvalidData
            It is damaged, or not that piece.
        """
        heading = self.heading
        start = position * heading.rows_each
        wanted = min(heading.rows_each, heading.n_rows - start)
        try:
            file = pq.ParquetFile(pa.BufferReader(piece))
            found = file.metadata.num_rows
            if found == wanted:
                self._room.fill(file, start)
        except (pa.ArrowException, OSError, LookupError, TypeError, ValueError) as error:
            raise self._refusal(f"piece {position + 1} is damaged") from error
        if found != wanted:
            raise self._refusal(f"piece {position + 1} has {found} examples, not {wanted}")
        self._is_there[position] = True

    def lacks(self, position: int) -> bool:
        """Return whether a piece has not come yet."""
        return not self._is_there[position]

    @property
    def is_whole(self) -> bool:
        """Whether all pieces are there."""
        return bool(self._is_there.all())

    def finish(self) -> Dataset:
        """Return the data set.

        Raises
        ------
        InvalidData
            A piece is missing, or the content is another one than was sent.
        """
        if not self.is_whole:
            raise self._refusal(f"piece {int(self._is_there.argmin()) + 1} is missing")
        dataset = self._room.dataset()
        if dataset.sha256 != self.heading.sha256:
            raise self._refusal("what was put together is not what was sent")
        return dataset

    def _refusal(self, what: str) -> InvalidData:
        return InvalidData(f"data set {self.heading.name!r}, sent in {self.heading.n_pieces} pieces: {what}")
