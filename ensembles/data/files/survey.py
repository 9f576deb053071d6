"""One pass over a file: what its columns hold, how many examples there are, and where one could start."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np
import numpy.typing as npt

from ensembles.data.files.blocks import START, Block, Blocks, Mark, Plain
from ensembles.data.files.opened import OpenedFile
from ensembles.data.files.sample import SpreadSample
from ensembles.data.files.tally import Tally
from ensembles.data.files.text_blocks import ArffBlocks, CsvBlocks
from ensembles.data.inference import guess_target
from ensembles.data.names import clean_name
from ensembles.errors import InvalidData

__all__ = ["Survey"]

_SAMPLED = 100_000
_MOST_MARKS = 64
_MOST_FIRST = 1000  # examples that are in the sample because they are the first of their class
_SHOWN_NAMES = 20


class Survey:
    """What is found out of a file.

    Parameters
    ----------
    target : str, optional
        The class column, recognised by the first rows when None.
    missing : collection of str, optional
        What the user says stands for a missing cell.

    Attributes
    ----------
    tallies : list of Tally
        Of all columns of the file.
    sample : SpreadSample
        What `Tally.add` returned for some of the rows.
    n_examples, n_rows : int
        Rows with a class, and all.
    """

    def __init__(self, file: OpenedFile, blocks: Blocks, target: str | None, missing: Collection[str] | None) -> None:
        self._file, self.blocks, self._missing = file, blocks, missing
        if target is not None and target not in blocks.names:
            raise InvalidData(f"{file.filename}: there is no column {clean_name(target)!r}; {self.columns_named}")
        self.target = target or ""
        self.tallies: list[Tally] = []
        self.sample = SpreadSample(len(blocks.names), _SAMPLED)
        self.n_examples = self.n_rows = 0
        self._marks: list[Mark] = []
        self._step, self._seen_classes = 1, 0
        self._plain = Plain(decimal=blocks.decimal)

    @property
    def columns_named(self) -> str:
        """What the columns are called, in words."""
        names = self.blocks.names
        more = f" and {len(names) - _SHOWN_NAMES:,} more" if len(names) > _SHOWN_NAMES else ""
        return f"the columns are {', '.join(names[:_SHOWN_NAMES])}{more}"

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Places from which reading can start, the first row among them."""
        return (START, *(mark for mark in self._marks if mark.row))

    def jumps(self, n_bytes: int) -> bool:
        """Return whether bytes of the text are bytes of the file: nothing was packed, recoded or left out."""
        blocks = self.blocks
        return isinstance(blocks, ArffBlocks | CsvBlocks) and blocks.is_as_it_lies and blocks.end == n_bytes

    def read(self, progress: Callable[[float], None], n_bytes: int) -> None:
        """Read the file to its end."""
        for block in self.blocks.read(START, self._plain):
            self._add(block)
            progress(self._share(block, n_bytes))
        if not self.n_rows:
            raise InvalidData(f"{self._file.filename}: there is no row of values")
        self._count_again()

    def _share(self, block: Block, n_bytes: int) -> float:
        total = getattr(self.blocks, "n_rows", None)
        return min(self.n_rows / total if total else max(block.mark.offset, 0) / max(n_bytes, 1), 1.0)

    def _add(self, block: Block) -> None:
        if not self.tallies:
            self.tallies = [Tally(column, self.blocks.decimal, self._missing) for column in block.columns]
        told = [tally.add(column) for tally, column in zip(self.tallies, block.columns, strict=True)]
        if not self.target:
            self.target = self._guess_target()
        at = self.blocks.names.index(self.target)
        self._mark(block)
        self.sample.add(block.mark.row, told, self._first_of_classes(told[at]))
        self.n_rows += block.n_rows
        self.n_examples += self._with_class(self.tallies[at], told[at])
        plain = {i: tally.plain_marks for i, tally in enumerate(self.tallies)}
        self._plain.positions = frozenset(i for i, marks in plain.items() if marks is not None)
        self._plain.marks = next((marks for marks in plain.values() if marks is not None), ())

    def _guess_target(self) -> str:
        readings, guesses = [tally.reading() for tally in self.tallies], [tally.guess() for tally in self.tallies]
        target = guess_target(readings, guesses, named=self.blocks.has_header)
        if target is None:
            raise InvalidData(
                f"{self._file.filename}: it is not clear which column is the class, so name it (target); "
                f"{self.columns_named}"
            )
        return target

    def _first_of_classes(self, places: npt.NDArray[np.int32] | npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Return the rows of a block in which a class comes for the first time."""
        if places.dtype.kind == "f":
            return np.empty(0, dtype=np.int64)
        values, first = np.unique(places.astype(np.int64), return_index=True)
        fresh = values >= self._seen_classes
        self._seen_classes = max(self._seen_classes, int(values[-1]) + 1)
        return np.sort(first[fresh])[:_MOST_FIRST].astype(np.int64)

    def _with_class(self, tally: Tally, places: npt.NDArray[np.int32] | npt.NDArray[np.float64]) -> int:
        if tally.is_many:
            return 0  # it will be refused
        reading = tally.reading()
        return int((~reading.missing[places.astype(np.int64)]).sum())

    def _count_again(self) -> None:
        """Count the examples by all that is known now: what stands for a missing class may show late."""
        tally = self.tallies[self.blocks.names.index(self.target)]
        if not tally.is_many:
            reading = tally.reading()
            if reading.present != self.n_examples:
                self.n_examples, self._marks = reading.present, []

    def _mark(self, block: Block) -> None:
        """Note where a block starts: every block at first, then every second, fourth, ... of them."""
        if block.mark.offset < 0:
            return
        self._marks.append(Mark(self.n_examples, block.mark.row, block.mark.offset, block.mark.line))
        if len(self._marks) > 2 * _MOST_MARKS:
            self._marks = self._marks[::2]
