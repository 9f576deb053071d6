"""Results as tables: numbers first, one function a table, and CSV that a spreadsheet cannot mistake for formulas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ensembles.data import spreadsheets
from ensembles.experiments.results import Results
from ensembles.registry import within_sentence
from ensembles.reports import formatting

if TYPE_CHECKING:
    from ensembles.experiments.config import LearnerSpec

__all__ = [
    "LEFT_OUT",
    "best_cells",
    "failure_table",
    "mean_table",
    "median_table",
    "single_models",
    "spread_table",
    "summary_table",
    "time_ratio_table",
    "time_table",
    "to_csv",
    "trial_table",
    "without_value",
]

LEFT_OUT = (
    "left out of every mean: a mean is of the splits that its learner finished, while tests, ranks and the verdict go by "
    "splits that those compared have in common"
)
"""Of failed trials, after "are": a mean can look better than that of a learner which is found to be better."""


def mean_table(results: Results, measure: str) -> pd.DataFrame:
    """Return the mean of `measure` (over orders, then folds and repeats).

    Returns
    -------
    DataFrame of float, shape (n_datasets, n_learners)
        Rows are data sets, columns learners, by the names people read; NaN where no trial has finished.
    """
    return _named(results, results.mean(measure))


def without_value(results: Results, measure: str) -> list[str]:
    """Return a sentence on finished trials that have no value of a measure, where their cells have a mean; none if none."""
    counted, finished = results.n_trials(measure), results.n_trials("n_train")
    if not (n := int((finished - counted).to_numpy()[counted.to_numpy() > 0].sum())):
        return []
    have = "have" if n > 1 else "has"
    name = within_sentence(formatting.measure_name(measure))
    return [f"{formatting.pluralize(n, 'trial')} {have} no {name}: a mean is of the others."]


def median_table(results: Results, column: str) -> pd.DataFrame:
    """Return the median of a column of seconds over trials, shaped like `mean_table`."""
    return _named(results, results.median(column))


def spread_table(results: Results, measure: str) -> pd.DataFrame:
    """Return the standard deviation of `measure` over trials, shaped like `mean_table`."""
    return _named(results, results.spread(measure))


def best_cells(means: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return which cells of a mean table are the best of their row, at the digits that are shown.

    A row with fewer than two values has no best one.
    """
    shown = means.map(formatting.as_shown)
    best = shown.min(axis=1) if formatting.lower_is_better(measure) else shown.max(axis=1)
    return shown.eq(best, axis=0).mul(shown.notna().sum(axis=1) > 1, axis=0)


def summary_table(results: Results) -> pd.DataFrame:
    """Return one row for each data set, learner and measure: mean, standard deviation over trials, number of trials."""
    parts = []
    for measure in results.measures:
        cells = {
            "Mean": results.mean(measure),
            "Standard deviation": results.spread(measure),
            "Trials": results.n_trials(measure),
        }
        flat = pd.DataFrame({name: grid.stack(future_stack=True) for name, grid in cells.items()}).reset_index()
        flat.insert(2, "Measure", formatting.measure_name(measure))
        parts.append(flat)
    if not parts:
        return pd.DataFrame(columns=["Data set", "Learner", "Measure", "Mean", "Standard deviation", "Trials"])
    table = pd.concat(parts, ignore_index=True)
    return _with_names(results, table[table["Trials"] > 0].reset_index(drop=True))


def time_table(results: Results) -> pd.DataFrame:
    """Return one row for each data set and learner: median seconds to train and to predict, and a ratio.

    Processor seconds are of the process that trained, wall seconds those of the clock, which other work stretches. The
    ratio compares processor seconds with those of the single model of the same base model on the same data set; NaN
    without one.
    """
    grids = {
        "Training examples": results.mean("n_train").round(),
        "Processor seconds to train": results.median("fit_cpu_seconds"),
        "Wall seconds to train": results.median("fit_seconds"),
        "Processor seconds to predict": results.median("predict_cpu_seconds"),
        "Wall seconds to predict": results.median("predict_seconds"),
        "Times the single model": _time_ratios(results),
    }
    flat = pd.DataFrame({name: grid.stack(future_stack=True) for name, grid in grids.items()}).reset_index()
    flat = flat[flat["Wall seconds to train"].notna()].reset_index(drop=True)
    return _with_names(results, flat.astype({"Training examples": int}))


def time_ratio_table(results: Results) -> pd.DataFrame:
    """Return processor seconds to train as a multiple of the single model's, shaped like `mean_table`; NaN without one."""
    return _named(results, _time_ratios(results))


def trial_table(results: Results) -> pd.DataFrame:
    """Return every trial as a row; repeats, folds and orders are counted from 1."""
    trials = results.trials
    table = pd.DataFrame(
        {
            "Data set": np.array(results.datasets, dtype=object)[trials["dataset"].to_numpy(dtype=int)],
            "Learner": np.array(results.learners, dtype=object)[trials["learner"].to_numpy(dtype=int)],
            "Repeat": trials["repeat"].to_numpy() + 1,
            "Fold": trials["fold"].to_numpy() + 1,
            "Order": trials["order"].to_numpy() + 1,
        }
    )
    for measure in results.measures:
        table[formatting.measure_name(measure)] = results.values(measure).reindex(trials.index).to_numpy()
    table["Processor seconds to train"] = trials["fit_cpu_seconds"].to_numpy()
    table["Seconds to train"] = trials["fit_seconds"].to_numpy()
    table["Processor seconds to predict"] = trials["predict_cpu_seconds"].to_numpy()
    table["Seconds to predict"] = trials["predict_seconds"].to_numpy()
    failed = trials["error"].notna()
    for column, name in (
        ("members_used", "Members that vote"),
        ("n_train", "Training examples"),
        ("n_test", "Test examples"),
    ):
        table[name] = trials[column].astype("Int64").mask(failed).array
    table["Stopped early"] = trials["stopped"].to_numpy()
    table["Failure"] = trials["error"].to_numpy()
    return table


def failure_table(results: Results) -> pd.DataFrame:
    """Return one row for each sentence that failed trials left, with how often each learner met it on each data set."""
    failed = results.failed
    groups = failed.groupby(["dataset", "learner", "error"], sort=True).size().rename("Trials").reset_index()
    return _with_names(results, groups.rename(columns={"error": "Failure"}))


def to_csv(table: pd.DataFrame, *, index: str | None = None) -> str:
    """Return `table` as CSV with full precision; text that a spreadsheet would run as a formula gets an apostrophe.

    Parameters
    ----------
    index : str, optional
        Name of the first column that holds the row labels; left out by default.
    """
    if index is not None:
        table = table.rename_axis(index).reset_index()
    return spreadsheets.to_csv(table)


def single_models(learners: Sequence[LearnerSpec]) -> tuple[int | None, ...]:
    """Return for each learner the position of the single model of its base model; None without one."""
    bases = [learner.base and (learner.base, repr(sorted(learner.base_settings.items()))) for learner in learners]
    singles = {bases[place]: place for place in reversed(range(len(bases))) if learners[place].method == "single"}
    return tuple(singles.get(base) for base in bases)


def _time_ratios(results: Results) -> pd.DataFrame:
    times = results.median("fit_cpu_seconds")
    ratios = pd.DataFrame(np.nan, index=times.index, columns=times.columns)
    for learner, single in enumerate(single_models(results.config.learners)):
        if single is not None:
            ratios[learner] = times[learner] / times[single].where(times[single] > 0)
    return ratios


def _named(results: Results, grid: pd.DataFrame) -> pd.DataFrame:
    return grid.set_axis(list(results.datasets), axis=0).set_axis(list(results.learners), axis=1)


def _with_names(results: Results, table: pd.DataFrame) -> pd.DataFrame:
    positions = table.rename(columns={table.columns[0]: "Data set", table.columns[1]: "Learner"})
    return positions.assign(
        **{
            "Data set": [results.datasets[position] for position in positions["Data set"]],
            "Learner": [results.learners[position] for position in positions["Learner"]],
        }
    )
