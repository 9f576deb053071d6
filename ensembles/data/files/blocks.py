"""A file as blocks of rows: columns of some thousands of cells each, in order, from any of the places that were marked."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Protocol

from ensembles.data.columns import Column

__all__ = ["MOST_COLUMNS", "START", "Block", "Blocks", "Mark", "Plain"]

MOST_COLUMNS = 10_000  #: of a file that is read in batches: each is tallied by itself


@dataclass(frozen=True)
class Mark:
    """A place in a file where a block starts.

    Attributes
    ----------
    examples, row : int
        How many examples, and how many rows, come before it.
    offset : int
        How many bytes of text, or groups of rows, come before it.
    line : int
        Number of its first line, from 1; 0 where there are no lines.
    """

    examples: int = 0
    row: int = 0
    offset: int = -1
    line: int = 0


START = Mark()  #: the first row, wherever it stands


@dataclass(frozen=True)
class Block:
    """Some rows.

    Attributes
    ----------
    columns : tuple of Column
        All of the file.
    mark : Mark
        Where the first of them stands; `examples` is not known.
    lines : bool
        Whether each line is one of the rows.
    """

    columns: tuple[Column, ...]
    mark: Mark
    lines: bool = False

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.columns[0].codes)

    def place(self, row: int) -> str:
        """Return where one of the rows, from 0, stands, in words."""
        return f"line {self.mark.line + row:,}" if self.lines else f"row {self.mark.row + row + 1:,} of the data"


@dataclass
class Plain:
    """Which columns hold numbers that nobody tells apart, from the next block on, and what stands for missing ones there."""

    positions: frozenset[int] = frozenset()
    marks: tuple[str, ...] = ()
    decimal: str = "."


class Blocks(Protocol):
    """A file of one format."""

    @property
    def format(self) -> str:
        """What people call the format."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        ...

    @property
    def decimal(self) -> str:
        """The decimal sign."""
        ...

    @property
    def encoding(self) -> str:
        """Of text; empty for other formats."""
        ...

    @property
    def has_header(self) -> bool:
        """Whether the columns have names of their own."""
        ...

    def read(self, mark: Mark, plain: Plain, used: Collection[int] | None = None) -> Iterator[Block]:
        """Yield the blocks from `mark` on.

        Parameters
        ----------
        plain : Plain
            Columns that hold numbers; where cells are something else, they come as text.
        used : collection of int, optional
            Columns that somebody looks at; the others may be empty.

        Raises
        ------
        InvalidData
            A row that cannot be read.
        """
        ...
