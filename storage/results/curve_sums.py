"""Curves of large experiments that are over, as what is drawn of them: they are many times as many numbers as trials.

Learning curves are kept as their means, calibrations as their sums. They count as long as no trial came or went since.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np
import pandas as pd
import pyarrow as pa
from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.orm import Session

from ensembles.evaluation.calibration import CALIBRATION
from ensembles.experiments.curve_means import MEAN_COLUMNS, Over, mean_points
from storage.columns import unpack_series
from storage.models import CurveRow, CurveSumRow, TrialRow

__all__ = ["MEANT", "SUMMED", "forget_curve_sums", "pack_curves", "read_curve_sums"]

MEANT = "learning_curve"
SUMMED = CALIBRATION
_SUM_COLUMNS = ("dataset", "learner", "x", "y")
_OVER: tuple[Over, ...] = ("trials", "repeats")
_OPTIONS = pa.ipc.IpcWriteOptions(compression="zstd")


def pack_curves(session: Session, experiment: int, trials: pd.DataFrame) -> None:
    """Write down what is drawn of the curves of these trials of an experiment, all that it has."""
    forget_curve_sums(session, experiment)
    connection = session.connection()
    for name, sum_up, columns in ((MEANT, _means, MEAN_COLUMNS), (SUMMED, _sums, _SUM_COLUMNS)):
        parts = [sum_up(points) for points in _by_cell(connection, trials, name)]
        found = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=list(columns))
        values = {"experiment_id": experiment, "name": name, "trials": len(trials), "content": _to_bytes(found)}
        session.execute(insert(CurveSumRow).values(values))


def read_curve_sums(
    connection: Connection, experiment: int, n_trials: int, names: Collection[str]
) -> dict[str, pd.DataFrame]:
    """Return by the name of the curve what `pack_curves` wrote down of as many trials; of other curves nothing.

    Means have the columns `MEAN_COLUMNS`, sums `dataset`, `learner`, `x` and `y`.
    """
    mine = (CurveSumRow.experiment_id == experiment, CurveSumRow.trials == n_trials, CurveSumRow.name.in_(names))
    found = connection.execute(select(CurveSumRow.name, CurveSumRow.content).where(*mine))
    return {name: _from_bytes(content) for name, content in found}


def forget_curve_sums(session: Session, experiment: int) -> None:
    """Delete what was written down of the curves of an experiment, of which trials will change."""
    session.execute(delete(CurveSumRow).where(CurveSumRow.experiment_id == experiment))


def _by_cell(connection: Connection, trials: pd.DataFrame, name: str) -> Iterator[pd.DataFrame]:
    """Yield the points of the curves of each learner on each data set, which are few enough to be in memory."""
    places = ["dataset", "learner", "repeat", "fold", "order"]
    for (dataset, learner), own in trials.groupby(["dataset", "learner"]):
        first, last = int(own.index.min()), int(own.index.max())
        query = select(CurveRow.trial_id, CurveRow.x, CurveRow.y).join(TrialRow, TrialRow.id == CurveRow.trial_id)
        here = (CurveRow.name == name, TrialRow.dataset == dataset, TrialRow.learner == learner)
        rows = connection.execute(query.where(CurveRow.trial_id.between(first, last), *here)).all()
        if rows:
            numbers, x, y = zip(*rows, strict=True)
            points = pd.DataFrame(
                {"x": unpack_series(b"".join(x)), "y": unpack_series(b"".join(y))},
                index=np.repeat(numbers, [len(one) // 8 for one in x]),
            )
            # by number: trials of another experiment may lie between
            yield own[places].join(points, how="inner")


def _means(points: pd.DataFrame) -> pd.DataFrame:
    means = [mean_points(points, over, from_end=True).assign(over=over) for over in _OVER]
    found = pd.concat(means, ignore_index=True)
    return found.assign(curve=MEANT, dataset=points["dataset"].iloc[0])[list(MEAN_COLUMNS)]


def _sums(points: pd.DataFrame) -> pd.DataFrame:
    return points.groupby(["dataset", "learner", "x"])["y"].sum().reset_index()


def _to_bytes(frame: pd.DataFrame) -> bytes:
    sink = pa.BufferOutputStream()
    table = pa.Table.from_pandas(frame, preserve_index=False)
    with pa.ipc.new_stream(sink, table.schema, options=_OPTIONS) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def _from_bytes(content: bytes) -> pd.DataFrame:
    with pa.ipc.open_stream(pa.BufferReader(content)) as reader:
        frame: pd.DataFrame = reader.read_all().to_pandas()
    return frame
