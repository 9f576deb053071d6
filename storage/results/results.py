"""All trials of an experiment as the tables that reports read, fast enough for hundreds of thousands of them."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sqlalchemy import select

from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.results import CONFUSION, CURVE_COLUMNS, TRIAL_COLUMNS, Results
from storage.columns import unpack_series
from storage.experiments.rows import config_from_text
from storage.models import CurveRow, TrialRow
from storage.people.reach import readable_experiment
from storage.repository import Repository, allowed

__all__ = ["ResultsRepository"]

_PLACE = ["dataset", "learner", "repeat", "fold", "order"]
_COUNTS = [*_PLACE, "members_used", "n_train", "n_test"]
_SECONDS = ["fit_seconds", "fit_cpu_seconds", "predict_seconds", "predict_cpu_seconds"]
_SENTENCES = ["stopped", "error"]


class ResultsRepository(Repository):
    """Read what an experiment left behind."""

    @allowed("view")
    def load_results(self, experiment_id: str, *, with_curves: bool = True, with_confusion: bool = False) -> Results:
        """Return the results of an experiment, as far as it is; raise `NotFound`.

        Confusion matrices come among the curves, as `CONFUSION` says.

        Trials are sorted by data set, learner, repeat, fold and order, so that the result does not depend on who
        computed what when.
        """
        columns = [getattr(TrialRow, name) for name in ("id", *TRIAL_COLUMNS, "measures")]
        with self._database.session() as session:
            experiment = readable_experiment(session, self._actor, experiment_id)
            config = config_from_text(experiment.config)
            mine = TrialRow.experiment_id == experiment.id
            connection = session.connection()  # plain rows: the session's own layer costs a fifth more
            trials = _trial_frame(connection.execute(select(*columns).where(mine)).all(), config)
            points = select(CurveRow.trial_id, CurveRow.name, CurveRow.x, CurveRow.y).join(TrialRow).where(mine)
            rows: list[Any] = [*connection.execute(points)] if with_curves else []
            if with_confusion:
                counted = select(TrialRow.id, TrialRow.confusion).where(mine)
                rows += _confusion_rows(connection.execute(counted).all())
            curves = _curve_frame(rows, trials)
        return Results(
            config=config,
            dataset_names=tuple(reference.label for reference in config.datasets),
            learner_labels=config.labels(),
            trials=trials.reset_index(drop=True),
            curves=curves,
        )


def _trial_frame(rows: Sequence[Any], config: ExperimentConfig) -> pd.DataFrame:
    """Return trials indexed by their number in the database, one column a measure."""
    names = ("id", *TRIAL_COLUMNS, "measures")
    fields = dict(zip(names, zip(*rows, strict=True) if rows else [()] * len(names), strict=True))
    frame = pd.DataFrame({name: np.array(fields[name], dtype=np.int32) for name in _COUNTS})
    for name in _SECONDS:
        frame[name] = np.array(fields[name], dtype=np.float64)  # None becomes NaN
    for name in _SENTENCES:
        frame[name] = pd.Series(fields[name], dtype=object)  # an array would become text, and None NaN
    # One call of the parser for all rows: a call for each costs as much as reading them.
    measured: list[dict[str, float | None]] = json.loads("[" + ",".join(fields["measures"]) + "]")
    for measure in _measures(config, measured):
        frame[measure] = np.array([one.get(measure) for one in measured], dtype=np.float64)
    frame.index = pd.Index(np.array(fields["id"], dtype=np.int64))
    frame = frame.sort_values(_PLACE, kind="stable")
    return frame[[*_PLACE, *(name for name in frame if name not in (*_PLACE, *_LAST)), *_LAST]]


_LAST = (*_SECONDS, "members_used", "n_train", "n_test", *_SENTENCES)


def _measures(config: ExperimentConfig, measured: list[dict[str, float | None]]) -> list[str]:
    """Return the measures of the configuration in its order, then any others that trials brought.

    The measure `error` is left out: its column holds the sentences of failed trials, and reports take 1 - accuracy.
    """
    found = dict.fromkeys(config.measures)
    for one in measured:
        found.update(dict.fromkeys(one))
    return [measure for measure in found if measure not in TRIAL_COLUMNS]


def _confusion_rows(rows: Sequence[Any]) -> list[tuple[int, str, bytes, bytes]]:
    """Return confusion matrices as rows of curves, by the cells that are not 0."""
    matrices: list[list[list[int]]] = json.loads("[" + ",".join(text for _, text in rows) + "]")
    found = []
    for (number, _), matrix in zip(rows, matrices, strict=True):
        if matrix:
            cells = np.array(matrix, dtype=np.float64).ravel()
            x = np.append(np.flatnonzero(cells), cells.size)
            y = np.append(cells[cells != 0], 0.0)
            found.append((number, CONFUSION, x.astype("<f8").tobytes(), y.astype("<f8").tobytes()))
    return found


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
    curves = trials[_PLACE].join(curves, how="inner")
    return curves.sort_values([*_PLACE, "curve"], kind="stable", ignore_index=True)
