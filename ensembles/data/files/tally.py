"""What a column of a file holds, found out block by block: its different values, or that they are too many."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ensembles.data.columns import MOST_CATEGORIES, Column
from ensembles.data.inference import ColumnGuess, guess_column, guess_many
from ensembles.data.missing_markers import NUMERIC_MARKERS, TEXT_MARKERS
from ensembles.data.numbers import Reading, read_numbers, read_so

__all__ = ["Cells", "Tally"]

_OTHER = {".": ",", ",": "."}
_EXAMPLES = 5

Places = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Cells:
    """How the cells of a column are read.

    Attributes
    ----------
    decimal : {".", ","}
    missing : tuple of str
        What stands for a missing cell.
    may_group : bool
        Thousands may be grouped.
    """

    decimal: str = "."
    missing: tuple[str, ...] = ()
    may_group: bool = True

    def read(self, column: Column) -> Reading:
        """Read some cells as numbers."""
        return read_so(column, self.decimal, self.missing, may_group=self.may_group)


class Tally:
    """The different values of one column, as long as they are few enough to be categories, and what they have in common.

    Parameters
    ----------
    first : Column
        Some cells, with what the file declares of the column.
    decimal : {".", ","}
        The decimal sign of the file.
    missing : collection of str, optional
        What the user says stands for a missing cell.

    Attributes
    ----------
    n_missing : int
        Of a column of many values: how many cells are missing.
    former : ndarray of float64
        The numbers of the values that were told apart before they became many.
    """

    def __init__(self, first: Column, decimal: str, missing: Collection[str] | None) -> None:
        self._first, self._decimal, self._missing = first, decimal, missing
        self._places: dict[Any, int] | None = {}
        self._counts: list[int] = []
        self._examples: tuple[str, ...] = ()
        marks = _marks(first, missing)
        self._ways = [Cells(decimal, marks), Cells(_OTHER[decimal], marks, may_group=False)]
        self._whole, self._counts_up, self._last = True, True, np.nan
        self.n_missing = 0
        self.former: Numbers = np.empty(0)

    @property
    def is_many(self) -> bool:
        """Whether there are more values than can be categories."""
        return self._places is None

    @property
    def plain_marks(self) -> tuple[str, ...] | None:
        """What stands for missing cells where all others are very many numbers, written as most of the file."""
        return self._ways[0].missing if self.is_many and self._ways and self._ways[0].may_group else None

    def add(self, column: Column) -> Places | Numbers:
        """Take in the cells of a block; return where the value of each stands among all, or numbers where they are many."""
        if self._places is not None:
            places = self._count(column, self._places)
            if places is not None:
                self._follow(self._numbers(column) if self._counts_up else None)
                return places
            self._turn_to_many()
        return self._take_many(column)

    def _count(self, column: Column, known: dict[Any, int]) -> Places | None:
        """Count the cells of a block; None when there are too many values with these, which are not counted then."""
        values, codes = column.values.to_pylist(), np.asarray(column.codes, dtype=np.int64)
        if column.holds_numbers:  # which nobody has told apart
            different, codes = np.unique(column.values.to_numpy()[codes], return_inverse=True)
            values = [None if value != value else value for value in different.tolist()]
        places = np.array([known.setdefault(value, len(known)) for value in values], dtype=np.int32)
        if len(known) > MOST_CATEGORIES:
            for value in list(known)[len(self._counts) :]:
                del known[value]
            return None
        self._counts += [0] * (len(known) - len(self._counts))
        for place, n in zip(places.tolist(), np.bincount(codes, minlength=len(values)).tolist(), strict=True):
            self._counts[place] += n
        found: Places = places[codes]
        return found

    def _turn_to_many(self) -> None:
        """Give the values up, but for what they have in common."""
        counted = self.counted()
        self._examples = tuple(counted.texts(np.arange(len(counted.values)))[:_EXAMPLES])
        readings = [(cells, cells.read(counted)) for cells in self._ways]
        self._ways = [cells for cells, reading in readings if not reading.wrong.any()]
        if self._ways:
            reading = next(reading for cells, reading in readings if cells is self._ways[0])
            self.n_missing, self.former = int(counted.counts[reading.missing].sum()), reading.numbers
            known = reading.numbers[~reading.missing]
            self._whole = bool((known == np.floor(known)).all())
        self._places, self._counts = None, []

    def _take_many(self, column: Column) -> Numbers:
        self._ways = [cells for cells in self._ways if not cells.read(column).wrong.any()]
        numbers = self._numbers(column)
        if not self._examples:
            self._examples = tuple(column.texts(np.arange(min(_EXAMPLES, len(column.values)))))
        known = numbers[~np.isnan(numbers)]
        self.n_missing += len(numbers) - len(known)
        self._whole = self._whole and bool((known == np.floor(known)).all())
        self._follow(numbers)
        return numbers

    def _numbers(self, column: Column) -> Numbers:
        """Return the numbers of all rows, NaN where one is missing or all is text."""
        if not self._ways:
            return np.full(len(column.codes), np.nan)
        numbers: Numbers = self._ways[0].read(column).numbers[column.codes]
        return numbers

    def _follow(self, numbers: Numbers | None) -> None:
        """Look whether the column still counts the rows."""
        if numbers is None or not self._counts_up or not len(numbers):
            return
        before = self._last if self._last == self._last else float(numbers[0]) - 1.0
        is_start = self._last == self._last or numbers[0] in (0.0, 1.0)
        self._counts_up = bool(is_start and (np.diff(numbers, prepend=before) == 1.0).all())
        self._last = float(numbers[-1])

    def counted(self) -> Column:
        """Return the different values and how often each occurs."""
        first, values = self._first, [*(self._places or {})]
        if first.holds_numbers:
            made = pa.array([np.nan if value is None else value for value in values], pa.float64())
        else:
            made = pa.array(values, pa.string())
        tally = np.array(self._counts, dtype=np.int64)
        none = np.empty(0, dtype=np.int32)
        return Column(
            first.name, made, none, first.declared, first.reason, first.marks, tally=tally, counts_up=self._counts_up
        )

    def reading(self) -> Reading:
        """Return the different values, read as far as possible as numbers."""
        return read_numbers(self.counted(), self._decimal, self._missing)

    def guess(self) -> ColumnGuess:
        """Guess the kind of the column."""
        if not self.is_many:
            return guess_column(self.reading())
        return guess_many(self.counted(), self._examples, self.n_missing, numeric=bool(self._ways), whole=self._whole)

    def numeric_cells(self) -> Cells | None:
        """Return how the column is read as numbers, None where it cannot be."""
        if self.is_many:
            return self._ways[0] if self._ways else None
        reading = self.reading()
        if reading.wrong.any():
            return None
        marks = tuple(reading.column.texts(np.flatnonzero(reading.missing)))
        ways = (Cells(way.decimal, tuple(dict.fromkeys((*way.missing, *marks))), way.may_group) for way in self._ways)
        return next((way for way in ways if not way.read(reading.column).wrong.any()), None)


def _marks(column: Column, missing: Collection[str] | None) -> tuple[str, ...]:
    """Return what stands for a missing cell of a column of numbers."""
    if missing is not None:
        return tuple(dict.fromkeys(("", *(column.marks or ()), *missing)))
    return column.marks or (*TEXT_MARKERS, *NUMERIC_MARKERS)
