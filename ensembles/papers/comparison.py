"""Published numbers and ours, cell by cell."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.experiments.results import Results
from ensembles.papers.published import PublishedNumber
from ensembles.papers.tables import Place, PublishedTable

__all__ = ["Cell", "compare"]

_NAN = float("nan")
_FAR = 0.02
_ROUNDING = 1e-9  # 0.83 - 0.82 is a little more than 0.01

_Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Cell:
    """A published number with ours beside it.

    Attributes
    ----------
    table, dataset, method, base, metric
        As in `PublishedNumber`.
    published, std_error : float
        The second is the standard error of the first: what the paper prints, or, where that is the standard deviation of
        its trials, what follows from it. NaN where the paper gives none.
    ours, sd : float
        Mean (over orders, then over folds and repeats) and standard deviation over trials; NaN where there is none.
    n : int
        Trials that have finished.
    note : str
        Why there is no number of ours, or why it does not count; else what is to be known about it.
    counts : bool
        Whether it counts into shares of agreement.
    decimals : int
        Digits after the point to which the paper prints it.
    is_bound : bool
        Whether the paper only says that a time was below the published one ("< 0.02").
    """

    table: str
    dataset: str
    method: str
    base: str
    metric: str
    published: float
    std_error: float
    ours: float = _NAN
    sd: float = _NAN
    n: int = 0
    note: str = ""
    counts: bool = False
    decimals: int = 15
    is_bound: bool = False

    @property
    def difference(self) -> float:
        """Ours less the published one; NaN where there is none."""
        return self.ours - self.published

    @property
    def is_time(self) -> bool:
        """Whether it is told in seconds."""
        return self.metric == "seconds"

    @property
    def is_far(self) -> bool:
        """Whether it counts and ours is more than 0.02 from it."""
        return self.counts and not self.is_within(_FAR)

    def is_within(self, distance: float) -> bool:
        """Whether ours is so near, to the decimals of the paper: what it prints as 0.253 may be 0.2534."""
        return abs(round(self.ours, self.decimals) - self.published) <= distance + _ROUNDING

    @property
    def is_compared(self) -> bool:
        """Whether ours stands beside it for good: it counts, or both are told in seconds."""
        return self.counts or (self.is_time and math.isfinite(self.ours))

    def describe(self) -> dict[str, Any]:
        """Return the cell as plain values; what is unknown is null."""
        numbers = {
            name: value if math.isfinite(value) else None
            for name, value in (
                ("published", self.published),
                ("std_error", self.std_error),
                ("ours", self.ours),
                ("sd", self.sd),
                ("difference", self.difference),
            )
        }
        words = {"dataset": self.dataset, "algorithm": self.method, "base_model": self.base, "metric": self.metric}
        return {**words, **numbers, "n": self.n, "note": self.note, "counts": self.counts}


def compare(
    table: PublishedTable, results: Mapping[str, Results], missing: Mapping[str, str] | None = None
) -> tuple[Cell, ...]:
    """Return a table's numbers with ours beside them, in its order.

    Parameters
    ----------
    results : mapping of str to Results
        By `Experiment.key`, as far as they are.
    missing : mapping of str to str, optional
        Why a data set, by key, is not to be had here.
    """
    return tuple(_cell(table, number, results, missing or {}) for number in table.numbers)


def _cell(
    table: PublishedTable, number: PublishedNumber, results: Mapping[str, Results], missing: Mapping[str, str]
) -> Cell:
    place = table.place(number)
    if not isinstance(place, Place):
        return _with(table, number, note=f"cannot be run again: {place}")
    found = results.get(place.experiment.key)
    notes = [table.left_out and f"left out of the shares: {table.left_out}", place.experiment.dataset.note]
    if found is None or (ours := _ours(table, number, place, found)) is None:
        why = missing.get(number.dataset, "")
        failed = "" if found is None else next(iter(found.failed["error"]), "")
        return _with(
            table, number, note=_joined(f"data not available here: {why}" if why else failed or "not run", *notes)
        )
    mean, sd, n = ours
    counts = not (table.left_out or number.metric == "seconds")
    return _with(table, number, ours=mean, sd=sd, n=n, note=_joined(*notes), counts=counts)


def _joined(*notes: str) -> str:
    return "; ".join(filter(None, notes))


def _with(table: PublishedTable, number: PublishedNumber, **ours: Any) -> Cell:
    error = _NAN if number.std_error is None else number.std_error / math.sqrt(table.deviation_of)
    place = number.table, number.dataset, number.method, number.base, number.metric
    return Cell(*place, number.value, error, decimals=number.decimals, is_bound=number.mark == "<", **ours)


def _ours(
    table: PublishedTable, number: PublishedNumber, place: Place, results: Results
) -> tuple[float, float, int] | None:
    """Return mean, standard deviation and number of trials; None where no trial has finished."""
    if results.finished.empty:
        return None
    if number.metric == "seconds":
        parts = [_each(results, column, place.learners) for column in table.paper.seconds]
        mean = float(sum(means.sum() for means, _, _ in parts))
        sd = float(parts[0][1][0]) if len(parts) == len(place.learners) == 1 else _NAN
        return (mean, sd, int(parts[0][2].min())) if math.isfinite(mean) else None
    means, spreads, counts = _each(results, number.metric, place.learners)
    if np.isnan(means).all():
        return None
    best = np.nanargmax(means)  # only accuracies have several learners behind them
    return float(means[best]), float(spreads[best]), int(counts[best])


def _each(results: Results, column: str, learners: tuple[int, ...]) -> tuple[_Numbers, _Numbers, _Numbers]:
    """Return means, standard deviations and numbers of trials of some learners on the one data set."""
    grids = (results.mean(column), results.spread(column), results.n_trials(column))
    means, spreads, counts = (grid.to_numpy()[0, list(learners)] for grid in grids)
    return means, spreads, counts
