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
from ensembles.experiments.results import CONFUSION, CURVE_COLUMNS, TRIAL_COLUMNS, Results
from storage.columns import unpack_series
from storage.experiments.rows import config_from_text
from storage.models import CurveRow, TrialRow
from storage.people.reach import readable_experiment
from storage.repository import Repository, allowed
from storage.results.confusions import Sums, read_sums
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
        place of the first of them. So do calibrations of a large experiment; its learning curves come as `curve_means`.

        Trials are sorted by data set, learner, repeat, fold and order, so that the result does not depend on who
        computed what when.
        """
        with self._database.session() as session:
            experiment = readable_experiment(session, self._actor, experiment_id)
            config = config_from_text(experiment.config)
            connection = session.connection()  # plain rows: the session's own layer costs a fifth more
            trials = _in_order(read_trials(connection, experiment.id), config)
            names = _names(with_curves)
            sums = read_curve_sums(connection, experiment.id, trials, names) if summed else {}
            rows = _curve_rows(connection, experiment.id, with_curves, {*sums})
            rows += _calibration_rows(sums, trials)
            if with_confusion and summed:
                rows += _summed_rows(read_sums(connection, experiment.id), trials)
            elif with_confusion:
                counted = select(TrialRow.id, TrialRow.confusion).where(TrialRow.experiment_id == experiment.id)
                rows += _confusion_rows(connection.execute(counted).all())
            curves = _curve_frame(rows, trials)
        return Results(
            config=config,
            dataset_names=tuple(reference.label for reference in config.datasets),
            learner_labels=config.labels(),
            trials=trials.reset_index(drop=True),
            curves=curves,
            curve_means=sums.get(MEANT, pd.DataFrame(columns=list(MEAN_COLUMNS))),
        )


def _names(with_curves: bool | Collection[str]) -> set[str]:
    """Return which of the curves that are summed up are wanted."""
    summed = {MEANT, SUMMED}
    if isinstance(with_curves, bool):
        return summed if with_curves else set()
    return summed.intersection(with_curves)


def _curve_rows(
    connection: Connection, experiment: int, with_curves: bool | Collection[str], known: set[str]
) -> list[Any]:
    """Return the curves of all trials that are wanted, but for those that are known by their sums."""
    wanted = None if isinstance(with_curves, bool) else {*with_curves} - known - {CONFUSION}
    if with_curves is False or wanted == set():
        return []
    points = select(CurveRow.trial_id, CurveRow.name, CurveRow.x, CurveRow.y).join(TrialRow)
    which = CurveRow.name.not_in(known) if wanted is None else CurveRow.name.in_(wanted)
    return [*connection.execute(points.where(TrialRow.experiment_id == experiment, which))]


def _calibration_rows(sums: dict[str, pd.DataFrame], trials: pd.DataFrame) -> list[tuple[int, str, bytes, bytes]]:
    if SUMMED not in sums or sums[SUMMED].empty:
        return []
    numbers = _firsts(trials)
    sums_of = sums[SUMMED].groupby(["dataset", "learner"])
    return [_sum_row(numbers[int(own["dataset"].iloc[0]), int(own["learner"].iloc[0])], own) for _, own in sums_of]


def _sum_row(number: int, points: pd.DataFrame) -> tuple[int, str, bytes, bytes]:
    x, y = (points[name].to_numpy(dtype="<f8").tobytes() for name in ("x", "y"))
    return number, SUMMED, x, y


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
    cells = matrix.ravel()
    x = np.append(np.flatnonzero(cells), cells.size)
    y = np.append(cells[cells != 0], 0)
    return number, CONFUSION, x.astype("<f8").tobytes(), y.astype("<f8").tobytes()


def _curve_frame(rows: Sequence[Any], trials: pd.DataFrame) -> pd.DataFrame:
    """Return one row a point; `trials` is indexed by the numbers that the curves name."""
    if not rows:
        return pd.DataFrame(columns=list(CURVE_COLUMNS))
    numbers, names, x, y = zip(*rows, strict=True)
    lengths = np.array([len(blob) for blob in x]) // 8
    which = pd.Categorical(names)
    points: dict[str, Any] = {"curve": pd.Categorical.from_codes(np.repeat(which.codes, lengths), which.categories)}
    points |= {"x": unpack_series(b"".join(x)), "y": unpack_series(b"".join(y))}
    curves = pd.DataFrame(points, index=np.repeat(numbers, lengths))
    # By number, so that points of a trial that is not there belong to nobody, not to another one.
    curves = trials[PLACE].join(curves, how="inner")
    return curves.sort_values([*PLACE, "curve"], kind="stable", ignore_index=True)
