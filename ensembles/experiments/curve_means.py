"""Curves of many trials as their means: what is drawn of them, in as few numbers as there are points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

__all__ = ["MEAN_COLUMNS", "Over", "joined_means", "mean_parts", "mean_points"]

Over = Literal["trials", "repeats"]
"""What is averaged: trials, or the means of repeats."""

MEAN_COLUMNS = ("curve", "over", "dataset", "learner", "x", "mean", "spread", "n")
"""Columns of `Results.curve_means`: one row a point of the mean curve of a learner on a data set."""

_TRIAL = ["learner", "repeat", "fold", "order"]
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
    ordered = points.sort_values([*_TRIAL, "x"], kind="stable")
    place = -ordered.groupby(_TRIAL).cumcount(ascending=False) if from_end else ordered["x"]
    ordered = ordered.assign(place=place)
    if over == "repeats":
        ordered = ordered.groupby(["learner", "repeat", "place"], as_index=False)[["x", "y"]].mean()
    found = ordered.groupby(["learner", "place"], as_index=False).agg(
        x=("x", "mean"), mean=("y", "mean"), spread=("y", "std"), n=("y", "size")
    )
    return found[["learner", "x", "mean", "spread", "n"]]


def mean_parts(points: pd.DataFrame) -> pd.DataFrame:
    """Return what the means of some trials add to those of all, where points are matched by their place from the end.

    Parameters
    ----------
    points : DataFrame
        As of `mean_points`, with a column `dataset`.

    Returns
    -------
    DataFrame
        Columns `dataset`, `learner`, `repeat`, `place` (0 is the last point), `n` (points), `x` (their sum), `n_y` (those
        that have a `y`), `y` (its sum) and `gaps` (squares of its differences from its mean, summed).
    """
    trial = ["dataset", *_TRIAL]
    ordered = points.sort_values([*trial, "x"], kind="stable")
    ordered = ordered.assign(place=ordered.groupby(trial).cumcount(ascending=False))
    groups = ordered.groupby(["dataset", "learner", "repeat", "place"])
    found = groups.agg(n=("x", "size"), x=("x", "sum"), n_y=("y", "count"), y=("y", "sum"))
    found["gaps"] = groups["y"].var(ddof=0).fillna(0.0) * found["n_y"]
    return found.reset_index()


def joined_means(parts: Sequence[pd.DataFrame], over: Over) -> pd.DataFrame:
    """Return what `mean_points` does of all trials of all data sets, but for the last bits, from what `mean_parts` says.

    Returns
    -------
    DataFrame
        Columns of `mean_points`, and `dataset`.
    """
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
    found = found.sort_values(_CELL, ascending=[True, True, False], ignore_index=True)
    return found[["dataset", "learner", "x", "mean", "spread", "n"]]
