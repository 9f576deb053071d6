"""The results of an experiment: its trials as one table, aggregated once and read by every table and figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from ensembles.errors import InvalidInput, NotFound
from ensembles.evaluation.checks import check_whole
from ensembles.evaluation.curve import Curve
from ensembles.experiments.config import ExperimentConfig, check_config
from ensembles.experiments.curve_means import MEAN_COLUMNS
from ensembles.experiments.given_trials import checked_trials, place_of
from ensembles.experiments.groups import Groups, Pairs
from ensembles.wording import distinct, written

if TYPE_CHECKING:
    from ensembles.data import Dataset
    from ensembles.data.source import Source
    from ensembles.experiments.records import TrialPlan, TrialResult

__all__ = ["CONFUSION", "CURVE_COLUMNS", "SECONDS", "TRIAL_COLUMNS", "Results", "check_learners", "confusion_points"]

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

SECONDS = ("fit_seconds", "fit_cpu_seconds", "predict_seconds", "predict_cpu_seconds")
"""Those that are sums over all trainings of a trial."""

CONFUSION = "confusion"
"""Name under which `Results.curves` have confusion matrices: a point a cell that is not 0, at x = true class * number of
classes + predicted class, and one of height 0 at the end, x = number of classes squared."""

CURVE_COLUMNS = ("dataset", "learner", "repeat", "fold", "order", "curve", "x", "y")

_T = TypeVar("_T")

_PLACE = TRIAL_COLUMNS[:5]

_SPLIT = ["dataset", "learner", "repeat", "fold"]
_CELL = ["dataset", "learner"]


@dataclass(frozen=True, eq=False, repr=False)
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
    curve_means : DataFrame
        One row a point of a mean curve, columns `MEAN_COLUMNS`, of curves of which their means were read: instead of them,
        or of pairs of members (`POINTS`) beside those of some trials.
    content : callable
        From the position of a data set to what it holds, which names classes and, held in memory, examples; None where it
        is not at hand.
    """

    config: ExperimentConfig
    dataset_names: tuple[str, ...]
    learner_labels: tuple[str, ...]
    trials: pd.DataFrame
    curves: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(CURVE_COLUMNS)))
    curve_means: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=list(MEAN_COLUMNS)))
    content: Callable[[int], Dataset | Source | None] = lambda _: None

    def __repr__(self) -> str:
        cells = f"{len(self.dataset_names)} x {len(self.learner_labels)}"
        return f"<Results of {self.config.name}: {len(self.trials)} trials, data sets x learners {cells}>"

    @classmethod
    def of_trials(
        cls,
        config: ExperimentConfig,
        trials: Iterable[tuple[TrialPlan, TrialResult]],
        datasets: Sequence[Dataset | Source] = (),
    ) -> Results:
        """Put together what trials left that were run here (`run_trial`), for verdicts, tables and reports.

        Parameters
        ----------
        trials : iterable of (TrialPlan, TrialResult)
            As many as there are yet, in any order.
        datasets : sequence of Dataset or Source, optional
            Those of the experiment, which name classes and examples in reports, and of files the data sets.

        Raises
        ------
        InvalidConfig
            The configuration is none.
        InvalidInput
            What is no pair of a plan and its result, a result of another plan, a trial of another experiment or on another
            data set, or one that is there twice.
        """
        check_config("Results.of_trials", config)
        rows, points, brought = [], list[tuple[Any, ...]](), dict.fromkeys(config.measures)
        for plan, result in checked_trials("Results.of_trials", config, trials, datasets):
            place, curves = place_of(plan), result.curves
            rows.append({**result.measures, **vars(result), **dict(zip(_PLACE, place, strict=True))})
            brought |= dict.fromkeys(result.measures)
            if result.confusion:
                curves = {**curves, CONFUSION: Curve(*confusion_points(np.array(result.confusion)))}
            for name in sorted(curves):
                points += [(*place, name, x, y) for x, y in zip(curves[name].x, curves[name].y, strict=True)]
        measures = [name for name in brought if name not in TRIAL_COLUMNS]
        names = config.dataset_labels()
        return cls(
            config,
            tuple(
                datasets[place].name if reference.file and place < len(datasets) else name
                for place, (reference, name) in enumerate(zip(config.datasets, names, strict=True))
            ),
            config.labels(),
            pd.DataFrame(rows, columns=[*_PLACE, *measures, *TRIAL_COLUMNS[len(_PLACE) :]]),
            pd.DataFrame(points, columns=list(CURVE_COLUMNS)),
            content=lambda position: datasets[position] if position < len(datasets) else None,
        )

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
        went_well = self.trials["error"].isna()
        return self.trials if went_well.all() else self.trials[went_well]

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

        return replace(
            self, trials=chosen(self.trials), curves=chosen(self.curves), curve_means=chosen(self.curve_means)
        )

    def values(self, column: str) -> pd.Series[float]:
        """Return a measure or a column of numbers, one value a finished trial; of one that trains often, seconds of once.

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
        numbers = self.finished[column].astype(float)
        return numbers / self.config.protocol.trainings if column in SECONDS else numbers

    def splits(self, column: str) -> pd.Series[float]:
        """Return the mean over orders for each (dataset, learner, repeat, fold): the pairs that learners share."""
        return self._kept("splits", column, lambda: self._splits.agg(self.values(column), "mean"))

    def pairs(self, column: str) -> pd.DataFrame:
        """Return the same with one row for each (dataset, repeat, fold) and one column for each learner that has any."""
        return self._kept("pairs", column, lambda: self._pairs.table(self.splits(column).to_numpy(dtype=np.float64)))

    @cached_property
    def n_splits(self) -> pd.Series[int]:
        """How many different splits of each data set any learner has finished."""
        return self._pairs.n_rows

    def mean(self, column: str) -> pd.DataFrame:
        """Return means over orders, then over folds and repeats.

        Returns
        -------
        DataFrame of float, shape (n_datasets, n_learners)
            Rows and columns are positions; NaN where no trial has finished.
        """
        return self._kept("mean", column, lambda: self._grid(self._split_cells.agg(self.splits(column), "mean")))

    def median(self, column: str) -> pd.DataFrame:
        """Return medians over trials, shaped like `mean`: of times, which a busy machine stretches now and then."""
        return self.over_trials(column, "median")

    def spread(self, column: str) -> pd.DataFrame:
        """Return standard deviations over trials (n - 1), shaped like `mean`; NaN below two trials."""
        return self.over_trials(column, "std")

    def n_trials(self, column: str) -> pd.DataFrame:
        """Return how many trials have a value, shaped like `mean`."""
        return self.over_trials(column, "count").fillna(0).astype(int)

    def over_trials(self, column: str, statistic: str) -> pd.DataFrame:
        """Return what pandas calls `statistic` over trials, shaped like `mean`."""
        return self._kept(statistic, column, lambda: self.by_cell(self.values(column), statistic))

    def by_cell(self, values: pd.Series[float], statistic: str) -> pd.DataFrame:
        """Return what pandas calls `statistic` of numbers of the finished trials, shaped like `mean`."""
        return self._grid(self._cells.agg(values, statistic))

    def _kept(self, what: str, column: str, work: Callable[[], _T]) -> _T:
        """Return what is worked out once: of a million trials that takes a tenth of a second, and pages are drawn often."""
        if (what, column) not in self._known:
            self._known[what, column] = work()
        found: _T = self._known[what, column]
        return found

    @cached_property
    def _known(self) -> dict[tuple[str, str], Any]:
        return {}

    @cached_property
    def _splits(self) -> Groups:
        return Groups(self.finished, _SPLIT)

    @cached_property
    def _pairs(self) -> Pairs:
        return Pairs(self._splits.keys)

    @cached_property
    def _cells(self) -> Groups:
        return Groups(self.finished, _CELL)

    @cached_property
    def _split_cells(self) -> Groups:
        return Groups(self._splits.keys, _CELL)

    def _grid(self, cells: pd.Series[float]) -> pd.DataFrame:
        return cells.unstack("learner").reindex(
            index=range(len(self.dataset_names)), columns=range(len(self.learner_labels))
        )


def confusion_points(matrix: npt.NDArray[np.int64]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return a confusion matrix as a curve, x and y, as `CONFUSION` says."""
    cells = matrix.ravel()
    x, y = np.append(np.flatnonzero(cells), cells.size), np.append(cells[cells != 0], 0)
    return tuple(x.astype(float).tolist()), tuple(y.astype(float).tolist())


def check_learners(owner: str, results: object, **positions: object) -> None:
    """Raise `InvalidInput` unless these are results, and the positions those of learners of theirs; None is of nobody."""
    if not isinstance(results, Results):
        raise InvalidInput(f"{owner}: results must be Results, as Results.of_trials makes them, got {written(results)}")
    for name, position in positions.items():
        if position is not None:
            check_whole(owner, name, position, 0, len(results.learner_labels) - 1)
