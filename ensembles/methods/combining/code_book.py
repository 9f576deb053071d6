"""Codes of classes for `output_codes`: exhaustive where there are few classes, else of a number of columns far apart.

Dietterich & Bakiri (1995), section 2.3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["code_book", "count_columns", "row_distances"]

Code = npt.NDArray[np.int64]

_TRIES = 2000
_NUMBERED = 20  # classes of which all columns can be numbered


def count_columns(n_classes: int, most: int) -> int:
    """Return how many columns the code has: all that differ, if these are no more than `most`."""
    if n_classes <= 2:
        return 1
    return min((1 << min(n_classes - 1, 62)) - 1, most)


def code_book(n_classes: int, most: int, rng: np.random.Generator) -> Code:
    """Return the code words of the classes, 0 and 1: shape (n_classes, columns).

    No column is constant, equal to another one, or its complement; class 0 has zeros only. Up to `most` columns the code is
    exhaustive: all there are.
    """
    n_columns = count_columns(n_classes, most)
    if n_classes == 1:
        return np.zeros((1, 1), dtype=np.int64)
    if n_columns == (1 << min(n_classes - 1, 62)) - 1:
        return _columns_numbered(np.arange(1, n_columns + 1), n_classes)
    return _climbed(_drawn(n_classes, n_columns, rng), rng)


def row_distances(code: Code) -> npt.NDArray[np.int64]:
    """Return in how many columns each two classes differ, shape (n_classes, n_classes)."""
    ones = code.sum(axis=1)
    distances: npt.NDArray[np.int64] = ones[:, None] + ones - 2 * (code @ code.T)
    return distances


def _columns_numbered(numbers: npt.NDArray[np.int64], n_classes: int) -> Code:
    """Return the columns whose digits, from class 1 on, are those of these numbers."""
    places = np.arange(n_classes - 1, -1, -1)
    digits: Code = (numbers[None, :] >> places[:, None]) & 1
    return digits


def _drawn(n_classes: int, n_columns: int, rng: np.random.Generator) -> Code:
    """Return random columns that differ."""
    if n_classes <= _NUMBERED:
        return _columns_numbered(rng.permutation((1 << (n_classes - 1)) - 1)[:n_columns] + 1, n_classes)
    seen: set[bytes] = {bytes(8 * n_classes)}
    columns: list[Code] = []
    while len(columns) < n_columns:
        column = _column(n_classes, rng)
        if column.tobytes() not in seen:
            seen.add(column.tobytes())
            columns.append(column)
    return np.column_stack(columns)


def _column(n_classes: int, rng: np.random.Generator) -> Code:
    drawn = rng.integers(0, 2, n_classes)
    column: Code = drawn ^ drawn[0]
    return column


def _climbed(code: Code, rng: np.random.Generator) -> Code:
    """Return the code after tries to put a random column in the place of another: kept where the code is no worse."""
    code, rows = code.copy(), row_distances(code)
    apart = np.triu_indices(len(code), 1)
    for _ in range(_TRIES):
        j, new = int(rng.integers(code.shape[1])), _column(len(code), rng)
        old = code[:, j]
        changed = rows + (new[:, None] != new) - (old[:, None] != old)
        before, after = (_Worth.of(rows[apart], old, j, code), _Worth.of(changed[apart], new, j, code))
        if new.any() and after.columns > 0 and after >= before:
            code[:, j], rows = new, changed
    return code


class _Worth(NamedTuple):
    """What a column in its place is judged by: nearest classes, nearest other column, and how few classes are so near."""

    rows: int
    columns: int
    few: int

    @classmethod
    def of(cls, rows: npt.NDArray[np.int64], column: Code, j: int, code: Code) -> _Worth:
        """Return the worth of `column` as number j; rows: the distances of classes with it."""
        distances = np.asarray((code != column[:, None]).sum(axis=0))
        separation = np.minimum(distances, len(code) - distances)
        separation[j] = len(code)
        return cls(int(rows.min()), int(separation.min()), -int((rows == rows.min()).sum()))
