"""The results of an experiment: its trials as one table, aggregated once and read by every table and figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd

from ensembles.errors import NotFound
from ensembles.wording import distinct

if TYPE_CHECKING:
    from ensembles.data import Dataset
    from ensembles.experiments.config import ExperimentConfig

__all__ = ["CONFUSION", "CURVE_COLUMNS", "TRIAL_COLUMNS", "Results"]

TRIAL_COLUMNS = (
    "dataset",
    "learner",
    "repeat",
    "fold",
    "order",
    "fit_seconds",
    "fit_cpu_seconds",
    "predict_seconds",
    "predict_cpu_seconds",
    "members_used",
    "n_train",
    "n_test",
    "stopped",
    "error",
)
"""Columns of `Results.trials` besides the measures; `stopped` says why training ended early, `error` why the
trial failed; else they are None."""

CONFUSION = "confusion"
"""Name under which `Results.curves` have confusion matrices: a point a cell that is not 0, at x = true class * number of
classes + predicted class, and one of height 0 at the end, x = number of classes squared."""

CURVE_COLUMNS = ("dataset", "learner", "repeat", "fold", "order", "curve", "x", "y")

_SPLIT = ["dataset", "learner", "repeat", "fold"]
_CELL = ["dataset", "learner"]


@dataclass(frozen=True, eq=False)
class Results:
    """What the trials of an experiment left behind, finished or not.

    Attributes
    ----------
    config : ExperimentConfig
    dataset_names, learner_labels : tuple of str
        By position, as `trials` and `curves` refer to them. Names are text of the user: never markup.
    trials : DataFrame
        One row a trial, columns `TRIAL_COLUMNS` and one for each measure. Never changed.
    curves : DataFrame
        One row a point, columns `CURVE_COLUMNS`. Never changed.
    content : callable
        From the position of a data set to what it holds, which names classes and examples; None where it is not at hand.
    """

    config: ExperimentConfig
    dataset_names: tuple[str, ...]
    learner_labels: tuple[str, ...]
    trials: pd.DataFrame
    curves: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(CURVE_COLUMNS)))
    content: Callable[[int], Dataset | None] = lambda _: None

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """Names of the data sets, told apart where two are alike."""
        return distinct(self.dataset_names)

    @cached_property
    def learners(self) -> tuple[str, ...]:
        """Labels of the learners, told apart where two are alike."""
        return distinct(self.learner_labels)

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """Keys of the measures there are; `error` follows `accuracy`, from which it comes."""
        stored = [column for column in self.trials.columns if column not in TRIAL_COLUMNS]
        derived = [("accuracy", "error") if measure == "accuracy" else (measure,) for measure in stored]
        return tuple(measure for pair in derived for measure in pair)

    @cached_property
    def finished(self) -> pd.DataFrame:
        """The trials that did not fail."""
        return self.trials[self.trials["error"].isna()]

    @cached_property
    def failed(self) -> pd.DataFrame:
        """The trials that failed, with their sentences in column `error`."""
        return self.trials[self.trials["error"].notna()]

    def select(self, *, datasets: Sequence[int] | None = None, learners: Sequence[int] | None = None) -> Results:
        """Return the results of some data sets and learners; positions stay what they were."""

        def chosen(frame: pd.DataFrame) -> pd.DataFrame:
            for column, wanted in (("dataset", datasets), ("learner", learners)):
                if wanted is not None:
                    frame = frame[frame[column].isin(list(wanted))]
            return frame

        return replace(self, trials=chosen(self.trials), curves=chosen(self.curves))

    def values(self, column: str) -> pd.Series[float]:
        """Return a measure or a column of numbers, one value a finished trial.

        Raises
        ------
        NotFound
            No trial has it.
        """
        if column == "error" and "accuracy" in self.finished:
            return 1.0 - self.finished["accuracy"].astype(float)
        if column == "error" or column not in self.finished:
            known = ", ".join(self.measures) or "none yet"
            raise NotFound(f"results: no measure is called {column!r}; there are {known}")
        return self.finished[column].astype(float)

    def splits(self, column: str) -> pd.Series[float]:
        """Return the mean over orders for each (dataset, learner, repeat, fold): the pairs that learners share."""
        return self._splits[column] if column in self._splits else self._by_split(column)

    def mean(self, column: str) -> pd.DataFrame:
        """Return means over orders, then over folds and repeats.

        Returns
        -------
        DataFrame of float, shape (n_datasets, n_learners)
            Rows and columns are positions; NaN where no trial has finished.
        """
        return self._grid(self.splits(column).groupby(level=_CELL).mean())

    def median(self, column: str) -> pd.DataFrame:
        """Return medians over trials, shaped like `mean`: of times, which a busy machine stretches now and then."""
        return self._grid(self._over_trials(column, "median"))

    def spread(self, column: str) -> pd.DataFrame:
        """Return standard deviations over trials (n - 1), shaped like `mean`; NaN below two trials."""
        return self._grid(self._over_trials(column, "std"))

    def n_trials(self, column: str) -> pd.DataFrame:
        """Return how many trials have a value, shaped like `mean`."""
        return self._grid(self._over_trials(column, "count")).fillna(0).astype(int)

    @cached_property
    def _splits(self) -> dict[str, pd.Series[float]]:
        return {measure: self._by_split(measure) for measure in self.measures}

    def _by_split(self, column: str) -> pd.Series[float]:
        keys = [self.finished[key] for key in _SPLIT]
        return self.values(column).groupby(keys).mean()

    def _over_trials(self, column: str, statistic: str) -> pd.Series[float]:
        keys = [self.finished[key] for key in _CELL]
        return self.values(column).groupby(keys).agg(statistic)

    def _grid(self, cells: pd.Series[float]) -> pd.DataFrame:
        return cells.unstack("learner").reindex(
            index=range(len(self.dataset_names)), columns=range(len(self.learner_labels))
        )
