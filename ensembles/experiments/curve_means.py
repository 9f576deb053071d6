"""Curves of many trials as their means: what is drawn of them, in as few numbers as there are points."""

from __future__ import annotations

from typing import Literal

import pandas as pd

__all__ = ["MEAN_COLUMNS", "Over", "mean_points"]

Over = Literal["trials", "repeats"]
"""What is averaged: trials, or the means of repeats."""

MEAN_COLUMNS = ("curve", "over", "dataset", "learner", "x", "mean", "spread", "n")
"""Columns of `Results.curve_means`: one row a point of the mean curve of a learner on a data set."""

_TRIAL = ["learner", "repeat", "fold", "order"]


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
