"""The numbers of the figures: small frozen records that tests compare, tables show and `scatter_figure` and others draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from ensembles.experiments.curve_means import FROM_END, Over, mean_points
from ensembles.experiments.results import Results
from ensembles.registry import within_sentence
from ensembles.reports import formatting
from ensembles.reports.shared_means import shared_means
from ensembles.reports.significance import TESTABLE, Question, pair_verdicts

__all__ = [
    "MAX_POINTS",
    "Band",
    "Scatter",
    "ScatterPoint",
    "TimePoint",
    "curve_bands",
    "curve_frame",
    "curves_of",
    "scatter_points",
    "thinned",
    "time_points",
]

MAX_POINTS = 5000
"""Points drawn in one figure; above it SVG becomes slow."""

Verdict = Literal["better", "worse", "equal"]

_SIGNIFICANT = {True: "yes", False: "no", None: "not tested"}


@dataclass(frozen=True)
class ScatterPoint:
    """One data set: the means of two learners. `verdict` is about the learner that goes up.

    `significant` says whether the difference is, by the corrected resampled t-test at 0.05; None where it cannot be
    tested, as on a single split.
    """

    dataset: str
    across: float
    up: float
    verdict: Verdict
    significant: bool | None = None


@dataclass(frozen=True)
class Scatter:
    """Two learners against each other, one point a data set."""

    measure: str
    across: str
    up: str
    points: tuple[ScatterPoint, ...]

    @property
    def caption(self) -> str:
        """What the figure says, in words."""
        if not self.points:
            return "No data set has finished trials of both learners."
        tally = Counter(point.verdict for point in self.points)
        sides = ", ".join(f"{verdict} on {tally[verdict]}" for verdict in ("better", "worse", "equal"))
        return f"One point a data set. {self.up}: {sides}.{self._significance}"

    @property
    def _significance(self) -> str:
        tested = [point.significant for point in self.points if point.significant is not None]
        if not tested:
            return f" All points are hollow: not tested, which needs two learners and {TESTABLE}."
        untested = len(self.points) - len(tested)
        found = f" Filled: significant, on {sum(tested)} of {len(tested)} ({Question(self.measure).words})."
        return f"{found} Not tested: {untested:,}." if untested else found

    def to_frame(self) -> pd.DataFrame:
        """Return the numbers as a table."""
        name = within_sentence(formatting.measure_name(self.measure))
        return pd.DataFrame(
            {
                "Data set": [point.dataset for point in self.points],
                f"{self.across}, {name}": [point.across for point in self.points],
                f"{self.up}, {name}": [point.up for point in self.points],
                f"{self.up} is": [point.verdict for point in self.points],
                "Significant": [_SIGNIFICANT[point.significant] for point in self.points],
            }
        )


@dataclass(frozen=True)
class Band:
    """A curve of one learner: its mean and one standard deviation on either side.

    Attributes
    ----------
    learner : int
    label : str
    x, mean, low, high : tuple of float
        Of one length; `low` and `high` are NaN where fewer than two curves have a value.
    n : int
        Curves averaged.
    replaced : tuple of int
        Of a stream: members that began anew since the point before; empty where none did.
    """

    learner: int
    label: str
    x: tuple[float, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    n: int
    replaced: tuple[int, ...] = ()


@dataclass(frozen=True)
class TimePoint:
    """Median seconds of one learner on one data set."""

    learner: int
    label: str
    dataset: str
    n_train: int
    seconds: float


def scatter_points(results: Results, across: int, up: int, measure: str = "error") -> Scatter:
    """Compare two learners data set by data set, by their means at the digits that are shown.

    Parameters
    ----------
    across, up : int
        Positions of the learners on the horizontal and the vertical axis.
    """
    means = shared_means(results, measure, (across, up))
    found = pair_verdicts(results, Question(measure), across, up)
    significant = [None if verdict == "unknown" else verdict != "equal" for verdict in found]
    points = []
    for position, name in enumerate(results.datasets):
        x, y = means[position].tolist()
        if np.isfinite(x) and np.isfinite(y):
            points.append(ScatterPoint(name, x, y, _verdict(measure, x, y), significant[position]))
    return Scatter(measure, results.learners[across], results.learners[up], tuple(points))


def _verdict(measure: str, x: float, y: float) -> Verdict:
    gain = formatting.as_shown(y) - formatting.as_shown(x)
    gain = -gain if formatting.lower_is_better(measure) else gain
    return "equal" if gain == 0 else "better" if gain > 0 else "worse"


def curves_of(results: Results, curve: str) -> tuple[int, ...]:
    """Return the positions of the data sets that have curves of the kind `curve`."""
    frames = (results.curves, results.curve_means)
    return tuple(sorted({int(place) for one in frames for place in one.loc[one["curve"] == curve, "dataset"].unique()}))


def curve_bands(
    results: Results,
    dataset: int,
    curve: str = "learning_curve",
    *,
    over: Over = "trials",
    learners: Sequence[int] | None = None,
) -> tuple[Band, ...]:
    """Average the curves that the trials on one data set left.

    Points of learning curves are matched by their place from the end, since folds differ by an example or two, and the
    smaller may begin later; `x` is their mean, rounded. Points of other curves are matched by `x`.

    Parameters
    ----------
    over : {"trials", "repeats"}
        Whether a band spreads over single trials or over the means of the repeats.
    learners : sequence of int, optional
        Positions of the learners wanted; all by default.

    Returns
    -------
    tuple of Band
        In the order of the experiment; learners without such curves are left out.
    """
    means, curves = results.curve_means, results.curves
    numbers = means[(means["dataset"] == dataset) & (means["curve"] == curve) & (means["over"] == over)]
    if numbers.empty:
        points = curves[(curves["dataset"] == dataset) & (curves["curve"] == curve)]
        numbers = mean_points(points, over, from_end=curve in FROM_END)
    if learners is not None:
        numbers = numbers[numbers["learner"].isin(list(learners))]
    present = numbers["learner"].unique()
    x = numbers["x"].round(0 if curve == "learning_curve" else 9)
    numbers = numbers.assign(x=x.astype("int64") if (x % 1 == 0).all() else x)  # members and examples are counted
    return tuple(_band(results, int(learner), numbers[numbers["learner"] == learner]) for learner in present)


def _band(results: Results, learner: int, rows: pd.DataFrame) -> Band:
    mean, spread = rows["mean"].to_numpy(), rows["spread"].to_numpy()
    return Band(
        learner=learner,
        label=results.learners[learner],
        x=tuple(rows["x"].tolist()),
        mean=tuple(mean.tolist()),
        low=tuple((mean - spread).tolist()),
        high=tuple((mean + spread).tolist()),
        n=int(rows["n"].max()),
    )


def curve_frame(bands: Sequence[Band], x_name: str, y_name: str) -> pd.DataFrame:
    """Return bands as a table: one row a point."""
    has_replaced = any(band.replaced for band in bands)
    parts = [
        pd.DataFrame(
            {
                "Learner": band.label,
                x_name: band.x,
                f"{y_name}, mean": band.mean,
                "Standard deviation": np.subtract(band.high, band.mean),
                **({"Members replaced": band.replaced or 0} if has_replaced else {}),
            }
        )
        for band in bands
    ]
    return (
        pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["Learner", x_name, f"{y_name}, mean"])
    )


def time_points(results: Results, column: str = "fit_cpu_seconds") -> tuple[TimePoint, ...]:
    """Return median seconds for each learner and data set, each learner's points by growing number of training examples.

    Parameters
    ----------
    column : {"fit_cpu_seconds", "fit_seconds", "predict_cpu_seconds", "predict_seconds"}
    """
    times, sizes = results.median(column).to_numpy(), results.mean("n_train").to_numpy()
    points = [
        TimePoint(learner, label, name, round(sizes[dataset, learner]), float(times[dataset, learner]))
        for learner, label in enumerate(results.learners)
        for dataset, name in enumerate(results.datasets)
        if np.isfinite(times[dataset, learner])
    ]
    return tuple(sorted(points, key=lambda point: (point.learner, point.n_train)))


def thinned(length: int, limit: int) -> npt.NDArray[np.int64]:
    """Return at most `limit` (>= 2) evenly spaced positions in `range(length)`, first and last included."""
    if length <= limit:
        return np.arange(length)
    return np.linspace(0, length - 1, limit).round().astype(np.int64)
