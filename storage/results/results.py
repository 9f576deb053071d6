"""All trials of an experiment as the tables that reports read, fast enough for hundreds of thousands of them."""

import json
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sqlalchemy import Connection, select

from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.curve_means import MEAN_COLUMNS
from ensembles.experiments.point_means import PAIRS
from ensembles.experiments.results import CONFUSION, CURVE_COLUMNS, TRIAL_COLUMNS, Results, confusion_points
from storage.experiments.rows import config_from_text
from storage.models import CurveRow, TrialRow
from storage.people.reach import readable_experiment
from storage.repository import Repository, allowed
from storage.results.confusions import Sums, read_sums
from storage.results.curve_rows import StoredCurves, curve_points, read_curve_rows, read_some_curves
from storage.results.curve_sums import MEANT, SUMMED, read_curve_sums
from storage.results.packed import PLACE, read_trials

__all__ = ["ResultsRepository"]


class ResultsRepository(Repository):
    """Read what an experiment left behind."""

    @allowed("view")
    def load_results(
        self,
        experiment_id: str,
        *,
        with_curves: bool | Collection[str] = True,
        with_confusion: bool = False,
        summed: bool = False,
    ) -> Results:
        """Return the results of an experiment, as far as it is; raise `NotFound`.

        With all of their curves, with none, or with those of these names. Confusion matrices come among the curves, as
        `CONFUSION` says.

        Where `summed` is wanted, confusion matrices are summed over all trials of a learner on a data set and stand in the
        place of the first of them. So do calibrations and replaced members of a large experiment; its hard examples and its
        curves that are drawn as lines come as `curve_means`, and so do the means of all pairs of members, beside the pairs
        of evenly spaced trials.

        Trials are sorted by data set, learner, repeat, fold and order, so that the result does not depend on who
        computed what when.
        """
        with self._database.session() as session:
            experiment = readable_experiment(session, self._actor, experiment_id)
            config = config_from_text(experiment.config).model_copy(update={"name": experiment.name})
            connection = session.connection()  # plain rows: the session's own layer costs a fifth more
            trials = _in_order(read_trials(connection, experiment.id), config)
            names = _names(with_curves)
            sums = read_curve_sums(connection, experiment.id, trials, names) if summed else {}
            found = _curve_rows(connection, experiment.id, with_curves, {*sums})
            rows = [row for name in SUMMED for row in _sum_rows(name, sums, trials)]
            some = [read_some_curves(connection, trials, PAIRS)] if PAIRS in sums else []
            if with_confusion and summed:
                rows += _summed_rows(read_sums(connection, experiment.id), trials)
            elif with_confusion:
                counted = select(TrialRow.id, TrialRow.confusion).where(TrialRow.experiment_id == experiment.id)
                rows += _confusion_rows(connection.execute(counted).all())
            curves = _curve_frame(StoredCurves.joined([found, *some, StoredCurves.of(rows)]), trials)
        return Results(
            config=config,
            dataset_names=config.dataset_labels(),
            learner_labels=config.labels(),
            trials=trials.reset_index(drop=True),
            curves=curves,
            curve_means=_means(sums),
        )


def _names(with_curves: bool | Collection[str]) -> set[str]:
    """Return which of the curves that are summed up are wanted."""
    summed = {*MEANT, *SUMMED}
    if isinstance(with_curves, bool):
        return summed if with_curves else set()
    return summed.intersection(with_curves)


def _curve_rows(
    connection: Connection, experiment: int, with_curves: bool | Collection[str], known: set[str]
) -> StoredCurves:
    """Return the curves of all trials that are wanted, but for those that are known by their sums."""
    wanted = None if isinstance(with_curves, bool) else {*with_curves} - known - {CONFUSION}
    if with_curves is False or wanted == set():
        return StoredCurves.of([])
    points = select(CurveRow.trial_id, CurveRow.name, CurveRow.x, CurveRow.y).join(TrialRow)
    which = CurveRow.name.not_in(known) if wanted is None else CurveRow.name.in_(wanted)
    return read_curve_rows(connection, points.where(TrialRow.experiment_id == experiment, which))


def _sum_rows(name: str, sums: dict[str, pd.DataFrame], trials: pd.DataFrame) -> list[tuple[int, str, bytes, bytes]]:
    if name not in sums or sums[name].empty:
        return []
    numbers, rows = _firsts(trials), []
    for _, own in sums[name].groupby(["dataset", "learner"]):
        place = int(own["dataset"].iloc[0]), int(own["learner"].iloc[0])
        x, y = (own[column].to_numpy(dtype="<f8").tobytes() for column in ("x", "y"))
        rows.append((numbers[place], name, x, y))
    return rows


def _means(sums: dict[str, pd.DataFrame]) -> pd.DataFrame:
    known = [sums[name] for name in MEANT if name in sums and len(sums[name])]
    return pd.concat(known, ignore_index=True) if known else pd.DataFrame(columns=list(MEAN_COLUMNS))


def _in_order(trials: pd.DataFrame, config: ExperimentConfig) -> pd.DataFrame:
    """Return trials with the measures of the configuration in its order, then any others that trials brought.

    The measure `error` is left out: its column holds the sentences of failed trials, and reports take 1 - accuracy.
    """
    wanted = [measure for measure in config.measures if measure not in TRIAL_COLUMNS]
    others = [name for name in trials if name not in wanted and name not in TRIAL_COLUMNS]
    names = [*PLACE, *wanted, *others, *(name for name in trials if name in TRIAL_COLUMNS and name not in PLACE)]
    return trials if names == [*trials] else trials.reindex(columns=names)


def _summed_rows(sums: Sums, trials: pd.DataFrame) -> list[tuple[int, str, bytes, bytes]]:
    numbers = _firsts(trials)
    return [_confusion_row(numbers[place], matrix) for place, matrix in sums.items()]


def _firsts(trials: pd.DataFrame) -> dict[tuple[int, int], int]:
    """Return by the positions of a data set and a learner the number of their first trial."""
    first = trials.index[~trials.duplicated(["dataset", "learner"])]
    places = zip(trials.loc[first, "dataset"], trials.loc[first, "learner"], strict=True)
    return dict(zip(places, first.tolist(), strict=True))


def _confusion_rows(rows: Sequence[Any]) -> list[tuple[int, str, bytes, bytes]]:
    """Return confusion matrices as rows of curves, by the cells that are not 0."""
    matrices: list[list[list[int]]] = json.loads("[" + ",".join(text for _, text in rows) + "]")
    return [
        _confusion_row(number, np.array(matrix)) for (number, _), matrix in zip(rows, matrices, strict=True) if matrix
    ]


def _confusion_row(number: int, matrix: npt.NDArray[np.int64]) -> tuple[int, str, bytes, bytes]:
    """Return a confusion matrix as a row of curves, by the cells that are not 0."""
    x, y = (np.array(series, dtype="<f8").tobytes() for series in confusion_points(matrix))
    return number, CONFUSION, x, y


def _curve_frame(curves: StoredCurves, trials: pd.DataFrame) -> pd.DataFrame:
    """Return one row a point; `trials` is indexed by the numbers that the curves name."""
    return curve_points(curves, trials, PLACE) if curves.numbers else pd.DataFrame(columns=list(CURVE_COLUMNS))
