"""Curves of large experiments as what is drawn of them: they are many times as many numbers as trials.

Those that are drawn as lines are kept as their means, and so are pairs of members and hard examples; calibrations and
replaced members as their sums. Those of a whole experiment, written just before it is over, count as long as no trial came
or went since. While it runs, parts of them are kept of the trials that are packed, each under a name that ends in the
number of its last trial; together with what came later they make up the whole.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from sqlalchemy import Connection, delete, func, insert, select
from sqlalchemy.orm import Session

from ensembles.evaluation.calibration import CALIBRATION
from ensembles.evaluation.curves import CURVES
from ensembles.evaluation.prequential import REPLACED
from ensembles.experiments.curve_means import MEAN_COLUMNS, all_means, joined_means, mean_parts
from ensembles.experiments.point_means import POINTS
from storage.models import CurveRow, CurveSumRow, ExperimentRow, TrialRow
from storage.results.curve_rows import StoredCurves, curve_points, read_curve_rows

__all__ = [
    "MEANT", "SUMMED", "forget_curve_sums", "pack_curve_parts", "pack_curves", "read_curve_sums", "sum_curves",
    "write_curve_sums",
]  # fmt: skip

_LINES = ("learning_curve", "member_errors", "trial_graph", "margins", "prequential_error")

MEANT = (*(name for kind in _LINES for name in CURVES[kind].series if name != REPLACED), *POINTS)
"""Names of the curves that are kept as their means."""

SUMMED = (CALIBRATION, REPLACED)
"""Names of those that are kept as their sums."""

_ROWS, _MOST_POINTS = 10_000, 2_000_000  # curves and points that are in memory at once, as 16 bytes and then some 60
_TOGETHER, _SAMPLED = 1_000_000, 500  # points of several learners, which are told by so many of their trials
_UP_TO = " up to "
_OPTIONS = pa.ipc.IpcWriteOptions(compression="zstd")


def pack_curves(session: Session, experiment: int, trials: pd.DataFrame) -> None:
    """Write down what is drawn of the curves of these trials of an experiment, all that it has, unless that was done."""
    rows = sum_curves(session, experiment, trials)
    others = CurveSumRow.name.not_in(_known(session.connection(), experiment, trials))
    session.execute(delete(CurveSumRow).where(CurveSumRow.experiment_id == experiment, others))
    write_curve_sums(session, rows)


def sum_curves(session: Session, experiment: int, trials: pd.DataFrame) -> list[dict[str, Any]]:
    """Return what `pack_curves` has to write down; nothing is written.

    Those of `POINTS` are too many to be read again where parts of them are known: the last bits may be others then.
    """
    connection, rows = session.connection(), []
    known = _known(connection, experiment, trials)
    for name in _recorded(session, experiment):
        if name in known:
            continue
        if parts := _parts(connection, experiment, trials, name) if name in POINTS else None:
            cells = [_joined(name, parts)]
        else:
            cells = [_whole(name, pieces) for pieces in _by_learners(connection, trials, name)]
        rows.append(_row(experiment, name, len(trials), [*filter(len, cells)] or [_nothing(name)]))
    return rows


def write_curve_sums(session: Session, rows: Sequence[dict[str, Any]]) -> None:
    """Write down what `sum_curves` returned, in the place of what is there under the same names."""
    for row in rows:
        same = (CurveSumRow.experiment_id == row["experiment_id"], CurveSumRow.name == row["name"])
        session.execute(delete(CurveSumRow).where(*same))
    if rows:
        session.execute(insert(CurveSumRow), rows)


def pack_curve_parts(session: Session, experiment: int, trials: pd.DataFrame) -> None:
    """Write down what these trials, the next ones of an experiment that runs, add to what is drawn of its curves."""
    last = int(trials.index.max())
    for name in _recorded(session, experiment):
        cells = _by_learners(session.connection(), trials, name)
        parts = [_part(name, points) for pieces in cells for points in pieces]
        row = _row(experiment, f"{name}{_UP_TO}{last}", len(trials), parts or [pd.DataFrame()])
        write_curve_sums(session, [row])


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
            found[name] = _joined(name, parts) if parts else _nothing(name)
    return found


def forget_curve_sums(session: Session, experiment: int) -> None:
    """Delete what was written down of the curves of an experiment, of which trials will change."""
    session.execute(delete(CurveSumRow).where(CurveSumRow.experiment_id == experiment))


def _known(connection: Connection, experiment: int, trials: pd.DataFrame) -> set[str]:
    """Return of which curves what is drawn of all trials is written down."""
    whole = (CurveSumRow.trials == len(trials), CurveSumRow.name.in_((*MEANT, *SUMMED)))
    return {*connection.scalars(select(CurveSumRow.name).where(CurveSumRow.experiment_id == experiment, *whole))}


def _row(experiment: int, name: str, n_trials: int, parts: list[pd.DataFrame]) -> dict[str, Any]:
    content = _to_bytes(pd.concat(parts, ignore_index=True))
    return {"experiment_id": experiment, "name": name, "trials": n_trials, "content": content}


def _parts(connection: Connection, experiment: int, trials: pd.DataFrame, name: str) -> list[pd.DataFrame] | None:
    """Return the parts that were written down, and that of the trials behind them; None where these are not all."""
    ours = CurveSumRow.name.startswith(f"{name}{_UP_TO}", autoescape=True)
    mine = (CurveSumRow.experiment_id == experiment, ours)
    rows = connection.execute(select(CurveSumRow.name, CurveSumRow.trials, CurveSumRow.content).where(*mine)).all()
    last = max((int(row.name.rpartition(_UP_TO)[2]) for row in rows), default=0)
    if not rows or sum(row.trials for row in rows) != (trials.index <= last).sum():
        return None
    later = _by_learners(connection, trials[trials.index > last], name)
    parts = [_from_bytes(row.content) for row in rows]
    parts += [_part(name, points) for pieces in later for points in pieces]
    return [part for part in parts if len(part)]


def _recorded(session: Session, experiment: int) -> list[str]:
    """Return which curves the trials of an experiment may have left."""
    config = json.loads(session.get_one(ExperimentRow, experiment).config)
    wanted = {name for kind in config.get("curves", ()) if kind in CURVES for name in CURVES[kind].series}
    return [name for name in (*MEANT, *SUMMED) if name in wanted or name == CALIBRATION]


def _by_learners(connection: Connection, trials: pd.DataFrame, name: str) -> Iterator[Iterator[pd.DataFrame]]:
    """Yield the points of the curves of some learners on a data set, in pieces that are few enough to be in memory.

    Trials of learners alternate, so each scan passes those of all: learners are read together as far as they go.
    """
    for _, own in trials.groupby("dataset"):
        for learners in _together(_sizes(connection, own, name)):
            yield _pieces(connection, own[own["learner"].isin(learners)], name)


def _sizes(connection: Connection, trials: pd.DataFrame, name: str) -> pd.Series[float]:
    """Return about how many points the curves of each learner have, by those of some of its trials."""
    some = trials.iloc[np.linspace(0, len(trials) - 1, _SAMPLED).astype(np.int64)]
    query = select(CurveRow.trial_id, func.length(CurveRow.x)).where(CurveRow.name == name)
    rows = connection.execute(query.where(CurveRow.trial_id.in_({*some.index.tolist()}))).all()
    found: dict[int, int] = {row.trial_id: row[1] for row in rows}
    sampled = pd.Series([found.get(number, 0) / 8 for number in some.index]).groupby(some["learner"].to_numpy())
    n_trials = trials.groupby("learner").size()
    return n_trials * sampled.mean().reindex(n_trials.index, fill_value=0.0)


def _together(sizes: pd.Series[float]) -> list[list[int]]:
    groups: list[list[int]] = []
    total = math.inf
    for learner, size in sizes.items():
        if total + size > _TOGETHER:
            groups.append([])
            total = 0.0
        groups[-1].append(int(str(learner)))
        total += size
    return groups


def _pieces(connection: Connection, trials: pd.DataFrame, name: str) -> Iterator[pd.DataFrame]:
    query = select(CurveRow.trial_id, CurveRow.name, CurveRow.x, CurveRow.y).join(TrialRow)
    of = (CurveRow.name == name, TrialRow.dataset == int(trials["dataset"].iloc[0]))
    query = query.where(*of, TrialRow.learner.in_(trials["learner"].unique().tolist()))
    numbers = np.sort(trials.index.to_numpy()).tolist()
    read: list[StoredCurves] = []
    n_bytes = 0
    for start in range(0, len(numbers), _ROWS):
        some = numbers[start : start + _ROWS]
        read.append(read_curve_rows(connection, query.where(CurveRow.trial_id.between(some[0], some[-1]))))
        n_bytes += sum(map(len, read[-1].x))
        if n_bytes > 8 * _MOST_POINTS:
            yield _points(read, trials)
            read, n_bytes = [], 0
    if n_bytes:
        yield _points(read, trials)


def _points(read: list[StoredCurves], trials: pd.DataFrame) -> pd.DataFrame:
    return curve_points(StoredCurves.joined(read), trials, ["dataset", "learner", "repeat", "fold", "order"])


def _whole(name: str, pieces: Iterator[pd.DataFrame]) -> pd.DataFrame:
    """Return what is drawn of all points of a learner on a data set: of more than one piece but for the last bits."""
    first, second = next(pieces, None), next(pieces, None)
    if first is None:
        return _nothing(name)
    if second is not None:
        return _joined(name, [_part(name, points) for points in chain((first, second), pieces)])
    return _sums(first) if name in SUMMED else all_means(first, name)


def _part(name: str, points: pd.DataFrame) -> pd.DataFrame:
    """Return what the points of some trials add to what is drawn."""
    return _sums(points) if name in SUMMED else mean_parts(points, name)


def _joined(name: str, parts: list[pd.DataFrame]) -> pd.DataFrame:
    """Return what is drawn, of all that adds to it."""
    return _sums(pd.concat(parts, ignore_index=True)) if name in SUMMED else joined_means(parts, name)


def _sums(points: pd.DataFrame) -> pd.DataFrame:
    return points.groupby(["dataset", "learner", "x"])["y"].sum().reset_index()


def _nothing(name: str) -> pd.DataFrame:
    return pd.DataFrame(columns=["dataset", "learner", "x", "y"] if name in SUMMED else list(MEAN_COLUMNS))


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
