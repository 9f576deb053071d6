"""Curves of many trials as their means: what is drawn of them, in as few numbers as there are points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from ensembles.experiments.groups import one_number
from ensembles.experiments.point_means import PAIRS, POINTS, single_points

__all__ = ["FROM_END", "MEAN_COLUMNS", "Over", "added_means", "all_means", "joined_means", "mean_parts", "mean_points"]

Over = Literal["trials", "repeats"]
"""What is averaged: trials, or the means of repeats."""

MEAN_COLUMNS = ("curve", "over", "dataset", "learner", "x", "mean", "spread", "n")
"""Columns of `Results.curve_means`: one row a point of the mean curve of a learner on a data set."""

FROM_END = ("learning_curve", PAIRS)
"""Curves whose points are matched by their place from the end; those of others by `x`."""

_REPEAT = ("learner", "repeat")
_CELL = ["dataset", "learner", "place"]


def mean_points(points: pd.DataFrame, over: Over, *, from_end: bool) -> pd.DataFrame:
    """Average the curves of one kind that trials on one data set left.

    Parameters
    ----------
    points : DataFrame
        Columns `learner`, `repeat`, `fold`, `order`, `x` and `y`, one row a point.
    from_end : bool
        Whether points are matched by their place from the end, and not by `x`: the numbers of training examples differ by
        one or two between folds, and the smaller may begin later.

    Returns
    -------
    DataFrame
        Columns `learner`, `x`, `mean`, `spread` (standard deviation with n - 1, NaN below two curves) and `n` (curves
        averaged); points of a learner from left to right.
    """
    return _means(_placed(points, _REPEAT, from_end=from_end), over, from_end=from_end)


def all_means(points: pd.DataFrame, curve: str) -> pd.DataFrame:
    """Return the means of the curves called `curve`, of which there are any, as `Results.curve_means` has them.

    Parameters
    ----------
    points : DataFrame
        As of `mean_points`, of one data set or more, which a column `dataset` tells.
    """
    from_end, found = curve in FROM_END, []
    for dataset, own in (single_points(points, curve) if curve in POINTS else points).groupby("dataset"):
        placed = _placed(own, _REPEAT, from_end=from_end)
        found += [_means(placed, over, from_end=from_end).assign(over=over, dataset=dataset) for over in _overs(curve)]
    return pd.concat(found, ignore_index=True).assign(curve=curve)[list(MEAN_COLUMNS)]


def mean_parts(points: pd.DataFrame, curve: str) -> pd.DataFrame:
    """Return what the means of some trials' curves called `curve` add to those of all.

    Parameters
    ----------
    points : DataFrame
        As of `all_means`.

    Returns
    -------
    DataFrame
        Columns `dataset`, `learner`, `repeat`, `place` (from the end, 0 is the last point, or `x`), `n` (points), `x` (their
        sum), `n_y` (those that have a `y`), `y` (its sum) and `gaps` (squares of its differences from its mean, summed).
    """
    keys, from_end = ("dataset", *_REPEAT), curve in FROM_END
    alone = single_points(points, curve) if curve in POINTS else points
    *cell, place, x, y = _placed(alone, keys, from_end=from_end)
    groups = _Groups(*cell, place)
    found = {name: column[groups.first] for name, column in zip(keys, cell, strict=True)}
    found["place"] = place[groups.first] if from_end else x[groups.first]
    found |= {"n": groups.agg(x, "size"), "x": groups.agg(x, "sum")}
    found |= {"n_y": groups.agg(y, "count"), "y": groups.agg(y, "sum"), "gaps": groups.agg(y, "var", ddof=0)}
    parts = pd.DataFrame(found)
    return parts.assign(gaps=parts["gaps"].fillna(0.0) * parts["n_y"])


def joined_means(parts: Sequence[pd.DataFrame], curve: str) -> pd.DataFrame:
    """Return what `all_means` does of all trials, but for the last bits, from what `mean_parts` says of some at a time."""
    means = [_joined(parts, over, from_end=curve in FROM_END).assign(over=over) for over in _overs(curve)]
    return pd.concat(means, ignore_index=True).assign(curve=curve)[list(MEAN_COLUMNS)]


def _overs(curve: str) -> tuple[Over, ...]:
    return ("trials",) if curve in POINTS else ("trials", "repeats")


def _joined(parts: Sequence[pd.DataFrame], over: Over, *, from_end: bool) -> pd.DataFrame:
    every = pd.concat(parts, ignore_index=True)
    if over == "repeats":
        sums = every.groupby(["dataset", "learner", "repeat", "place"], as_index=False)[["n", "x", "n_y", "y"]].sum()
        every = sums.assign(x=sums["x"] / sums["n"], y=sums["y"] / sums["n_y"], n=1, n_y=(sums["n_y"] > 0), gaps=0.0)
        every["y"] = every["y"].fillna(0.0)
    sums = every.groupby(_CELL)[["n", "x", "n_y", "y"]].sum()
    mean = sums["y"] / sums["n_y"]
    own = every["y"] / every["n_y"] - mean.loc[pd.MultiIndex.from_frame(every[_CELL])].to_numpy()
    gaps = (every["gaps"] + every["n_y"] * own**2).groupby([every[name] for name in _CELL]).sum()
    spread = np.sqrt(gaps / (sums["n_y"] - 1).where(sums["n_y"] > 1))
    found = pd.DataFrame({"x": sums["x"] / sums["n"], "mean": mean, "spread": spread, "n": sums["n"]}).reset_index()
    found = found.sort_values(_CELL, ascending=[True, True, not from_end], ignore_index=True)
    return found[["dataset", "learner", "x", "mean", "spread", "n"]]


def added_means(means: pd.DataFrame) -> pd.DataFrame:
    """Return means of which several tell of other repeats of the same learner on the same data set as one.

    Parameters
    ----------
    means : DataFrame
        Columns `MEAN_COLUMNS`, points of a curve from left to right, and `part`, which tells those of the same apart.
    """
    found = []
    for _, own in means.groupby(["curve", "over"], sort=False):
        curve, over = own["curve"].iloc[0], own["over"].iloc[0]
        from_end = curve in FROM_END
        at = own.groupby(["part", "dataset", "learner"]).cumcount(ascending=False) if from_end else own["x"]
        n, known = own["n"].astype(float), own["mean"].notna()
        sums = own.assign(
            place=at,
            x=own["x"] * n,
            n_y=n.where(known, 0.0),
            y=(own["mean"] * n).fillna(0.0),
            gaps=(own["spread"] ** 2 * (n - 1.0)).fillna(0.0),
        )
        found.append(_joined([sums], "trials", from_end=from_end).assign(curve=curve, over=over))
    return pd.concat(found, ignore_index=True)[list(MEAN_COLUMNS)]


def _means(placed: list[npt.NDArray[Any]], over: Over, *, from_end: bool) -> pd.DataFrame:
    learner, repeat, place, x, y = placed
    place = place.max(initial=0) - place if from_end else place  # from left to right
    if over == "repeats":
        repeats = _Groups(learner, repeat, place)
        learner, place = learner[repeats.first], place[repeats.first]
        x, y = repeats.agg(x, "mean"), repeats.agg(y, "mean")
    groups = _Groups(learner, place)
    found = {"learner": learner[groups.first], "x": groups.agg(x, "mean"), "mean": groups.agg(y, "mean")}
    return pd.DataFrame(found | {"spread": groups.agg(y, "std"), "n": groups.agg(y, "size")})


def _placed(points: pd.DataFrame, keys: Sequence[str], *, from_end: bool) -> list[npt.NDArray[Any]]:
    """Return columns of points, trial by trial and from left to right, then places as numbers from 0 on, `x` and `y`."""
    columns = [points[name].to_numpy(dtype=np.int64) for name in (*keys, "fold", "order")]
    trial, x, y = one_number(columns), *(points[name].to_numpy(dtype=np.float64) for name in ("x", "y"))
    goes_on = trial[1:] == trial[:-1]
    if not (np.where(goes_on, x[1:] >= x[:-1], trial[1:] > trial[:-1])).all():
        order = np.lexsort((x, trial))
        trial, x, y, *columns = (column[order] for column in (trial, x, y, *columns))
        goes_on = trial[1:] == trial[:-1]
    found = [*columns[: len(keys)], x, y]
    if from_end:
        lasts = np.flatnonzero(np.append(~goes_on, len(trial) > 0))
        place = np.repeat(lasts, np.diff(lasts, prepend=-1)) - np.arange(len(trial))
    else:
        place = pd.factorize(x, sort=True)[0]
        found, place = [column[place >= 0] for column in found], place[place >= 0]  # no point without an `x`
    return [*found[:-2], place, *found[-2:]]


class _Groups:
    """Rows by columns that are whole numbers from 0 on, groups in the order of these."""

    def __init__(self, *columns: npt.NDArray[np.int64]) -> None:
        codes, found = pd.factorize(one_number(columns), sort=True)
        self.first = np.empty(len(found), dtype=np.int64)
        self.first[codes[::-1]] = np.arange(len(codes))[::-1]
        # pandas need not look for them
        self._codes = pd.CategoricalIndex(pd.Categorical.from_codes(codes, pd.RangeIndex(len(found))))

    def agg(self, values: npt.NDArray[np.float64], statistic: str, **settings: Any) -> npt.NDArray[Any]:
        """Return what pandas calls `statistic` of each group."""
        return np.asarray(pd.Series(values).groupby(self._codes, observed=False).agg(statistic, **settings))
