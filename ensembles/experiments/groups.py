"""Trials told apart by keys that are numbers: once, and not for each column anew; of a million that is what takes time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

__all__ = ["Groups", "Pairs", "one_number"]

Whole = npt.NDArray[np.int64]


class Groups:
    """Rows by some of their columns, which are whole numbers from 0 on.

    Parameters
    ----------
    rows : mapping of str to array of int
        A data frame, or columns by their names.
    names : list of str
        The columns that tell groups apart; groups are in their order.
    """

    def __init__(self, rows: Mapping[str, Any] | pd.DataFrame, names: list[str]) -> None:
        columns = [np.asarray(rows[name], dtype=np.int64) for name in names]
        places = one_number(columns)
        is_in_order = bool((places[1:] >= places[:-1]).all())  # as trials come from storage
        self._order = None if is_in_order else np.argsort(places, kind="stable")
        if self._order is not None:
            places, columns = places[self._order], [column[self._order] for column in columns]
        is_new = np.ones(len(places), dtype=bool)
        is_new[1:] = places[1:] != places[:-1]
        self._is_single = bool(is_new.all())
        self._groups = np.cumsum(is_new) - 1
        self.keys = dict(
            zip(names, columns if self._is_single else [column[is_new] for column in columns], strict=True)
        )

    @cached_property
    def index(self) -> pd.MultiIndex:
        """The keys of all groups."""
        return _index(self.keys)

    def agg(self, values: pd.Series[float], statistic: str) -> pd.Series[float]:
        """Return what pandas calls `statistic` of each group, in the order of the keys."""
        ordered = values if self._order is None else values.iloc[self._order]
        if statistic == "mean" and self._is_single:
            return ordered.set_axis(self.index)
        # pandas need not find out which groups there are
        groups = pd.CategoricalIndex(pd.Categorical.from_codes(self._groups, pd.RangeIndex(len(self.index))))
        return ordered.groupby(groups, observed=False).agg(statistic).set_axis(self.index)


class Pairs:
    """Splits as rows of a table with a column for each learner: where each number goes is worked out once."""

    def __init__(self, keys: Mapping[str, Whole]) -> None:
        splits = {name: keys[name] for name in ("dataset", "repeat", "fold")}
        places = one_number([*splits.values()])
        _, first, self._row = np.unique(places, return_index=True, return_inverse=True)
        learners = np.flatnonzero(np.bincount(keys["learner"]))
        self._column = _codes(learners, keys["learner"])
        self._index = _index({name: column[first] for name, column in splits.items()})
        self._columns = pd.Index(learners, name="learner")

    @property
    def n_rows(self) -> pd.Series[int]:
        """Return the number of rows of each data set."""
        return self._index.to_frame(index=False).groupby("dataset").size()

    def table(self, values: npt.NDArray[Any]) -> pd.DataFrame:
        """Return the table of one number a split and learner; NaN where there is none."""
        cells = np.full((len(self._index), len(self._columns)), np.nan)
        cells[self._row, self._column] = values
        return pd.DataFrame(cells, self._index, self._columns)


def _index(columns: Mapping[str, Whole]) -> pd.MultiIndex:
    """Return what `pd.MultiIndex.from_arrays` does of whole numbers from 0 on, without looking for those there are."""
    levels = [np.flatnonzero(np.bincount(column)) for column in columns.values()]
    codes = [_codes(level, column) for level, column in zip(levels, columns.values(), strict=True)]
    return pd.MultiIndex(levels, codes, names=[*columns], verify_integrity=False)  # type: ignore[arg-type]  # arrays


def _codes(level: Whole, column: Whole) -> Whole:
    """Return which of the numbers of `level`, which has all that there are, each one is."""
    return column if len(level) and level[-1] == len(level) - 1 else np.searchsorted(level, column)


def one_number(columns: Sequence[Whole]) -> Whole:
    """Return for each row one number, in the order of the rows' places."""
    number = columns[0]
    for column in columns[1:]:
        number = number * (int(column.max(initial=0)) + 1) + column
    return number
