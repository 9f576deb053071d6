"""Curves of large experiments as what is drawn of them: they are many times as many numbers as trials.

Learning curves are kept as their means, calibrations as their sums. Those of an experiment that is over count as long as no
trial came or went since. While it runs, parts of them are kept of the trials that are packed, each under a name that ends in
the number of its last trial; together with what came later they make up the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import numpy as np
import pandas as pd
import pyarrow as pa
from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.orm import Session

from ensembles.evaluation.calibration import CALIBRATION
from ensembles.experiments.curve_means import MEAN_COLUMNS, Over, joined_means, mean_parts, mean_points
from storage.columns import unpack_series
from storage.models import CurveRow, CurveSumRow, TrialRow

__all__ = ["MEANT", "SUMMED", "forget_curve_sums", "pack_curve_parts", "pack_curves", "read_curve_sums"]

MEANT = "learning_curve"
SUMMED = CALIBRATION
_OVER: tuple[Over, ...] = ("trials", "repeats")
_UP_TO = " up to "
_OPTIONS = pa.ipc.IpcWriteOptions(compression="zstd")


def pack_curves(session: Session, experiment: int, trials: pd.DataFrame) -> None:
    """Write down what is drawn of the curves of these trials of an experiment, all that it has."""
    forget_curve_sums(session, experiment)
    for name, sum_up in _WHOLE.items():
        parts = [sum_up(points) for points in _by_cell(session.connection(), trials, name)]
        _write(session, experiment, name, len(trials), parts or [pd.DataFrame(columns=list(_COLUMNS[name]))])


def pack_curve_parts(session: Session, experiment: int, trials: pd.DataFrame) -> None:
    """Write down what these trials, the next ones of an experiment that runs, add to what is drawn of its curves."""
    last = int(trials.index.max())
    for name, sum_up in _PARTS.items():
        parts = [sum_up(points) for points in _by_cell(session.connection(), trials, name)]
        _write(session, experiment, f"{name}{_UP_TO}{last}", len(trials), parts or [pd.DataFrame()])


def read_curve_sums(
    connection: Connection, experiment: int, trials: pd.DataFrame, names: Collection[str]
) -> dict[str, pd.DataFrame]:
    """Return by the name of the curve what is drawn of all `trials` of an experiment, as far as it was written down.

    Means have the columns `MEAN_COLUMNS`, sums `dataset`, `learner`, `x` and `y`.
    """
    mine = (CurveSumRow.experiment_id == experiment, CurveSumRow.trials == len(trials), CurveSumRow.name.in_(names))
    rows = connection.execute(select(CurveSumRow.name, CurveSumRow.content).where(*mine))
    found = {name: _from_bytes(content) for name, content in rows}
    for name in {*names} - {*found}:
        if (parts := _parts(connection, experiment, trials, name)) is not None:
            found[name] = _JOINED[name](parts) if parts else pd.DataFrame(columns=list(_COLUMNS[name]))
    return found


def forget_curve_sums(session: Session, experiment: int) -> None:
    """Delete what was written down of the curves of an experiment, of which trials will change."""
    session.execute(delete(CurveSumRow).where(CurveSumRow.experiment_id == experiment))


def _write(session: Session, experiment: int, name: str, n_trials: int, parts: list[pd.DataFrame]) -> None:
    content = _to_bytes(pd.concat(parts, ignore_index=True))
    values = {"experiment_id": experiment, "name": name, "trials": n_trials, "content": content}
    session.execute(insert(CurveSumRow).values(values))


def _parts(connection: Connection, experiment: int, trials: pd.DataFrame, name: str) -> list[pd.DataFrame] | None:
    """Return the parts that were written down, and that of the trials behind them; None where these are not all."""
    ours = CurveSumRow.name.startswith(f"{name}{_UP_TO}", autoescape=True)
    mine = (CurveSumRow.experiment_id == experiment, ours)
    rows = connection.execute(select(CurveSumRow.name, CurveSumRow.trials, CurveSumRow.content).where(*mine)).all()
    last = max((int(row.name.rpartition(_UP_TO)[2]) for row in rows), default=0)
    if not rows or sum(row.trials for row in rows) != (trials.index <= last).sum():
        return None
    later = _by_cell(connection, trials[trials.index > last], name)
    parts = [*(_from_bytes(row.content) for row in rows), *map(_PARTS[name], later)]
    return [part for part in parts if len(part)]


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


def _all_means(parts: list[pd.DataFrame]) -> pd.DataFrame:
    means = [joined_means(parts, over).assign(over=over) for over in _OVER]
    return pd.concat(means, ignore_index=True).assign(curve=MEANT)[list(MEAN_COLUMNS)]


def _sums(points: pd.DataFrame) -> pd.DataFrame:
    return points.groupby(["dataset", "learner", "x"])["y"].sum().reset_index()


def _joined_sums(parts: list[pd.DataFrame]) -> pd.DataFrame:
    return _sums(pd.concat(parts, ignore_index=True))


_COLUMNS = {MEANT: MEAN_COLUMNS, SUMMED: ("dataset", "learner", "x", "y")}
_WHOLE: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {MEANT: _means, SUMMED: _sums}
_PARTS: dict[str, Callable[[pd.DataFrame], pd.DataFrame]] = {MEANT: mean_parts, SUMMED: _sums}
_JOINED: dict[str, Callable[[list[pd.DataFrame]], pd.DataFrame]] = {MEANT: _all_means, SUMMED: _joined_sums}
"""By the name of the curve: what all points of a learner on a data set make, those of some trials, and several of these."""


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
