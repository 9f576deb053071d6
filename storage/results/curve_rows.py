"""Curves of many trials as they are stored: read as columns, laid out as one row a point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sqlalchemy import Connection, Select, select

from storage.columns import unpack_series
from storage.models import CurveRow

__all__ = ["StoredCurves", "curve_points", "read_curve_rows", "read_some_curves"]

_SOME, _FEWEST = 4_000, 20  # trials in all, and of each learner on a data set
_BATCH = 500  # below the number of bound values that any SQLite build allows


class StoredCurves(NamedTuple):
    """Curves, one entry each: the number of its trial, its name, and its series as they are stored."""

    numbers: Sequence[int]
    names: Sequence[str]
    x: Sequence[bytes]
    y: Sequence[bytes]

    @classmethod
    def of(cls, rows: Sequence[tuple[int, str, bytes, bytes]]) -> StoredCurves:
        """Return rows as columns."""
        columns: Any = ([row[place] for row in rows] for place in range(4))  # `zip` wakes the garbage collector
        return cls(*columns)

    @classmethod
    def joined(cls, some: Iterable[StoredCurves]) -> StoredCurves:
        """Return all curves as one."""
        return cls(*(list(chain.from_iterable(column)) for column in zip(*some, strict=True)))


def read_curve_rows(connection: Connection, query: Select[int, str, bytes, bytes]) -> StoredCurves:
    """Return the curves of a query: number, name, `x`, `y`."""
    result = connection.execute(query)
    assert result.cursor is not None
    rows = result.cursor.fetchall()  # rows of SQLAlchemy take as long again, and twice that to be turned into columns
    result.close()
    return StoredCurves.of(rows)


def read_some_curves(connection: Connection, trials: pd.DataFrame, name: str) -> StoredCurves:
    """Return the curves called `name` of evenly spaced ones of `trials`, of as many of each learner on each data set."""
    cells = [own.index.to_numpy() for _, own in trials[trials["error"].isna()].groupby(["dataset", "learner"])]
    most = max(_SOME // max(len(cells), 1), _FEWEST)
    places = [np.linspace(0, len(own) - 1, min(most, len(own))).round().astype(np.int64) for own in cells]
    numbers = [number for own, some in zip(cells, places, strict=True) for number in own[some].tolist()]
    query = select(CurveRow.trial_id, CurveRow.name, CurveRow.x, CurveRow.y).where(CurveRow.name == name)
    batches = [numbers[start : start + _BATCH] for start in range(0, len(numbers), _BATCH)]
    read = [read_curve_rows(connection, query.where(CurveRow.trial_id.in_(batch))) for batch in batches]
    return StoredCurves.joined([*read, StoredCurves.of([])])


def curve_points(curves: StoredCurves, trials: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return the points of curves by the order of their trials, then by name.

    Parameters
    ----------
    trials : DataFrame
        Indexed by their numbers. Curves of others are left out.
    columns : sequence of str
        Those of `trials` that each point is given, before `curve`, `x` and `y`.
    """
    known = {name: code for code, name in enumerate(sorted({*curves.names}))}
    codes = np.fromiter(map(known.__getitem__, curves.names), dtype=np.int64, count=len(curves.names))
    places = trials.index.get_indexer(pd.Index(curves.numbers, dtype=np.int64))
    order = np.argsort(places * len(known) + codes, kind="stable")
    order = order[places[order] >= 0]
    x, y = ([column[place] for place in order.tolist()] for column in (curves.x, curves.y))
    lengths = np.fromiter(map(len, x), dtype=np.int64, count=len(x)) // 8
    rows = places[order]
    points: dict[str, Any] = {name: np.repeat(trials[name].to_numpy()[rows], lengths) for name in columns}
    points["curve"] = pd.Categorical.from_codes(np.repeat(codes[order], lengths), pd.Index([*known]))
    points |= {"x": unpack_series(b"".join(x)), "y": unpack_series(b"".join(y))}
    return pd.DataFrame(points, copy=False)
