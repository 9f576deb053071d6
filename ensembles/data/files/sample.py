"""Rows spread over a file, chosen while it is read, without knowing how many will come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["SpreadSample"]

_MOST_CELLS = 10_000_000

Rows = npt.NDArray[np.int64]


class SpreadSample:
    """Every row at first; then every second, fourth, ... whenever they became too many.

    Parameters
    ----------
    n_columns : int
    most : int
        At least half as many rows are kept where there are so many, and at most so many; fewer of very wide tables.
    """

    def __init__(self, n_columns: int, most: int) -> None:
        self._most = max(min(most, _MOST_CELLS // max(n_columns, 1)), 1)
        self._step = 1
        self._rows: list[Rows] = []
        self._parts: list[list[npt.NDArray[Any]]] = [[] for _ in range(n_columns)]
        self._always: set[int] = set()

    def add(self, first_row: int, columns: Sequence[npt.NDArray[Any]], always: Rows) -> None:
        """Choose among the rows of a block; `always` are rows of it, from 0, that are kept whatever comes."""
        n = len(columns[0])
        chosen = np.union1d(np.arange(-first_row % self._step, n, self._step), always)
        self._always.update((first_row + always).tolist())
        self._rows.append(first_row + chosen)
        for part, column in zip(self._parts, columns, strict=True):
            part.append(column[chosen])
        while sum(map(len, self._rows)) - len(self._always) > self._most:
            self._thin()

    def _thin(self) -> None:
        self._step *= 2
        always = np.array(sorted(self._always), dtype=np.int64)
        kept = [np.flatnonzero((rows % self._step == 0) | np.isin(rows, always)) for rows in self._rows]
        self._rows = [rows[some] for rows, some in zip(self._rows, kept, strict=True)]
        self._parts = [[part[some] for part, some in zip(parts, kept, strict=True)] for parts in self._parts]

    def column(self, position: int) -> list[npt.NDArray[Any]]:
        """Return the cells of a column that were chosen, block by block."""
        return self._parts[position]
