"""The form in which learners see examples: nominal attributes as codes, numeric attributes as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ensembles.errors import InvalidData
from ensembles.wording import listed

__all__ = ["MISSING", "UNSEEN", "Attribute", "Schema", "Table"]

Kind = Literal["nominal", "numeric"]

MISSING = -1  #: code of a missing nominal value
UNSEEN = -2  #: code of a nominal value that the schema does not know

_BLOCK = 1024
_FEW_CELLS = 32  # of so few a list is asked in a twentieth of the time that NumPy takes


@dataclass(frozen=True)
class Attribute:
    """An input column. `categories` are the values of a nominal attribute, as text, in order; empty when numeric."""

    name: str
    kind: Kind
    categories: tuple[str, ...] = ()


@dataclass(frozen=True)
class Schema:
    """The attributes of a table, in the order of the user's columns."""

    attributes: tuple[Attribute, ...]

    @cached_property
    def nominal(self) -> tuple[int, ...]:
        """Positions of the nominal attributes; column j of `Table.codes` is attribute `nominal[j]`."""
        return tuple(i for i, attribute in enumerate(self.attributes) if attribute.kind == "nominal")

    @cached_property
    def numeric(self) -> tuple[int, ...]:
        """Positions of the numeric attributes; column j of `Table.numbers` is attribute `numeric[j]`."""
        return tuple(i for i, attribute in enumerate(self.attributes) if attribute.kind == "numeric")

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Column of `Table.codes` or `Table.numbers` in which each attribute stands."""
        seen = {"nominal": 0, "numeric": 0}
        places = []
        for attribute in self.attributes:
            places.append(seen[attribute.kind])
            seen[attribute.kind] += 1
        return tuple(places)

    @cached_property
    def value_counts(self) -> npt.NDArray[np.int64]:
        """Number of categories of each nominal attribute, in the order of `nominal`."""
        return np.array([len(self.attributes[i].categories) for i in self.nominal], dtype=np.int64)

    @cached_property
    def value_starts(self) -> npt.NDArray[np.int64]:
        """Number of the first value of each nominal attribute, of the values of all of them numbered through."""
        return np.cumsum(self.value_counts) - self.value_counts

    def __getstate__(self) -> dict[str, Any]:
        # What was worked out stays: a model would else have more bytes where somebody had asked its schema before.
        return {"attributes": self.attributes}


class Table:
    """Examples without their classes.

    Attributes
    ----------
    schema : Schema
    codes : ndarray of int32, shape (n_examples, n_nominal)
        Index into the attribute's categories; `MISSING` (-1) where the value is missing, `UNSEEN` (-2) where it is
        not among the categories.
    numbers : ndarray of float64, shape (n_examples, n_numeric)
        NaN where the value is missing; never infinite.

    Raises
    ------
    InvalidData
        There are more or fewer columns than attributes, or a code that is none of a category: kernels check no bounds.
    """

    __slots__ = ("codes", "numbers", "schema")

    def __init__(self, schema: Schema, codes: npt.NDArray[np.int32], numbers: npt.NDArray[np.float64]) -> None:
        if codes.shape[1] != len(schema.nominal) or numbers.shape[1] != len(schema.numeric):
            raise InvalidData(
                f"table: expected {len(schema.nominal)} nominal and {len(schema.numeric)} numeric columns, "
                f"got {codes.shape[1]} and {numbers.shape[1]}"
            )
        if codes.shape[0] != numbers.shape[0]:
            raise InvalidData(f"table: {codes.shape[0]} rows of codes but {numbers.shape[0]} rows of numbers")
        self.schema = schema
        self.codes = np.ascontiguousarray(codes, dtype=np.int32)
        self.numbers = np.ascontiguousarray(numbers, dtype=np.float64)
        if self.codes.size and (self.codes.min() < UNSEEN or (self.codes.max(axis=0) >= schema.value_counts).any()):
            raise InvalidData(_wrong_code(self))

    @classmethod
    def unchecked(cls, schema: Schema, codes: npt.NDArray[np.int32], numbers: npt.NDArray[np.float64]) -> Table:
        """Return a table of codes that are right for sure, such as those of another table, without a look at them."""
        table = cls.__new__(cls)
        table.schema = schema
        table.codes = np.ascontiguousarray(codes, dtype=np.int32)
        table.numbers = np.ascontiguousarray(numbers, dtype=np.float64)
        return table

    def __len__(self) -> int:
        return int(self.codes.shape[0])

    def __getitem__(self, rows: Any) -> Table:
        """Return the examples at positions `rows`, of which one alone is a table too: what scikit-learn takes splits by.

        Those of a slice share their numbers with this table, as in NumPy.
        """
        if isinstance(rows, slice):
            return self.take(rows)
        return self.take(np.atleast_1d(np.arange(len(self))[rows]))

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of examples and attributes."""
        return len(self), len(self.schema.attributes)

    @property
    def ndim(self) -> int:
        """2, as of an array: what scikit-learn asks of the parts that a ColumnTransformer puts together."""
        return 2

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """Return the numbers, for estimators of scikit-learn; raise `InvalidData` where an attribute is nominal."""
        if nominal := [self.schema.attributes[position].name for position in self.schema.nominal]:
            raise InvalidData(
                f"a table is an array only if all its attributes are numeric, got the nominal {listed(nominal)}: "
                "AttributeEncoder(nominal='one_hot') makes numbers of them, also of intervals that one before it has cut; "
                "its set_output(transform='pandas') makes a DataFrame"
            )
        return np.array(self.numbers, dtype=dtype, copy=copy)

    def take(self, rows: npt.NDArray[np.int64] | slice) -> Table:
        """Return the examples at positions `rows`."""
        return Table.unchecked(self.schema, self.codes[rows], self.numbers[rows])

    def writable(self) -> Table:
        """Return the examples in arrays that could be written to, which is what kernels are compiled for: itself, or a copy
        of what is read-only, such as memory maps."""
        if self.codes.flags.writeable and self.numbers.flags.writeable:
            return self
        return Table.unchecked(self.schema, np.require(self.codes, None, "W"), np.require(self.numbers, None, "W"))

    @property
    def holds_unseen(self) -> bool:
        """Whether a value is not among the categories."""
        codes = self.codes
        if codes.size <= _FEW_CELLS:
            return UNSEEN in codes.ravel().tolist()
        return bool(codes.min() <= UNSEEN)

    def to_learn(self) -> Table:
        """Return the examples as learners learn them: as `writable`, with a value that is `UNSEEN` missing.

        There is no place where such a value could be counted. Whoever predicts may tell it from one that is missing.
        """
        if not self.holds_unseen:
            return self.writable()
        return Table.unchecked(self.schema, np.maximum(self.codes, MISSING), np.require(self.numbers, None, "W"))

    @property
    def missing_cells(self) -> int:
        """Number of missing values."""
        return int((self.codes == MISSING).sum() + np.isnan(self.numbers).sum())

    def column(self, position: int) -> npt.NDArray[np.int32] | npt.NDArray[np.float64]:
        """Return the attribute at `position` of the schema: codes if nominal, numbers if numeric."""
        place = self.schema.places[position]
        return self.codes[:, place] if self.schema.attributes[position].kind == "nominal" else self.numbers[:, place]

    @classmethod
    def from_columns(
        cls, attributes: Sequence[Attribute], columns: Sequence[npt.NDArray[np.int32] | npt.NDArray[np.float64]]
    ) -> Table:
        """Build a table from one array per attribute: codes for nominal attributes, numbers for numeric ones."""
        schema = Schema(tuple(attributes))
        length = len(columns[0]) if columns else 0
        codes = np.empty((length, len(schema.nominal)), dtype=np.int32)
        numbers = np.empty((length, len(schema.numeric)), dtype=np.float64)
        # block by block, so that the rows written stay in the processor's cache: six times as fast with 581,012 rows
        for rows in (slice(start, start + _BLOCK) for start in range(0, length, _BLOCK)):
            for j, position in enumerate(schema.nominal):
                codes[rows, j] = columns[position][rows]
            for j, position in enumerate(schema.numeric):
                numbers[rows, j] = columns[position][rows]
        return cls(schema, codes, numbers)


def _wrong_code(table: Table) -> str:
    """Return what to say of the first code that is none of a category."""
    row, j = np.argwhere((table.codes < UNSEEN) | (table.codes >= table.schema.value_counts))[0]
    attribute = table.schema.attributes[table.schema.nominal[j]]
    return (
        f"table: codes of attribute {attribute.name!r} must be from {UNSEEN} (unseen) to {len(attribute.categories) - 1}, "
        f"got {table.codes[row, j]} in row {row}"
    )
