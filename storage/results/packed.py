"""Trials of large experiments as columns of numbers, beside their rows: a million are read in a fraction of a second.

Blocks hold what reports read of the first trials of an experiment, up to a number of the database, well or not; what came
later is read from its rows. Trials are only added, and by one writer at a time. Where one changes after all, a failure that
gives way to a success, all blocks go, and are written anew when many trials or the end have come.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from sqlalchemy import ColumnElement, Connection, delete, func, insert, select
from sqlalchemy.orm import Session

from ensembles.experiments.groups import one_number
from ensembles.experiments.results import TRIAL_COLUMNS
from storage.database import Database
from storage.models import ExperimentRow, TrialBlockRow, TrialRow
from storage.results.confusions import Sums, read_sums, sums_to_text
from storage.results.curve_sums import (
    forget_curve_sums,
    pack_curve_parts,
    pack_curves,
    sum_curves,
    write_curve_sums,
)

__all__ = ["FEWEST", "PLACE", "UNREADABLE", "forget_packed", "pack_all", "pack_many", "read_trials", "sum_ahead"]

PLACE = ["dataset", "learner", "repeat", "fold", "order"]
_EXAMPLES = ["n_train", "n_test"]  # in blocks of earlier releases they are shorter integers, as each block says itself
_COUNTS = ["members_used", *_EXAMPLES]
_SECONDS = ["fit_seconds", "fit_cpu_seconds", "predict_seconds", "predict_cpu_seconds"]
_SENTENCES = ["stopped", "error"]
_FIXED = ("id", *PLACE, *_COUNTS, *_SECONDS, *_SENTENCES)

FEWEST = 5_000
"""Trials that are packed once an experiment is over: of fewer the rows are read as quickly."""

UNREADABLE = (ArithmeticError, LookupError, TypeError, ValueError)
"""What goes wrong where trials say what nothing here can be worked out from; a database that refuses says otherwise."""

_MANY = 50_000  # are packed while an experiment runs
_IN_BLOCK = 250_000
_OPTIONS = pa.ipc.IpcWriteOptions(compression="zstd")

_log = logging.getLogger(__name__)

Columns = dict[str, npt.NDArray[Any]]


def read_trials(connection: Connection, experiment: int) -> pd.DataFrame:
    """Return the trials of an experiment that have ended, sorted by their places.

    Returns
    -------
    DataFrame
        Indexed by their numbers in the database; columns `TRIAL_COLUMNS`, and one a measure that any of them left.
    """
    mine = TrialBlockRow.experiment_id == experiment
    packed = select(TrialBlockRow.content, TrialBlockRow.last_id).where(mine).order_by(TrialBlockRow.position)
    blocks = connection.execute(packed).all()
    last = max((one.last_id for one in blocks), default=0)
    parts = [_unpacked(one.content) for one in blocks]
    later = _after(connection, experiment, last)
    return _frame(_sorted(_joined([*parts, later] if len(later["id"]) else parts or [later])))


def pack_many(session: Session, experiment: int, done: int) -> None:
    """Pack what has come since the last block of an experiment with so many trials, once it is much."""
    if done < _MANY:
        return
    known, last = _packed(session, experiment)
    if done - known >= _MANY:
        connection = session.connection()
        later = _after(connection, experiment, last)
        _write(session, experiment, later, read_sums(connection, experiment, last))
        pack_curve_parts(session, experiment, pd.DataFrame({name: later[name] for name in PLACE}, later["id"]))


def pack_all(session: Session, experiment: int) -> pd.DataFrame:
    """Pack all trials of an experiment in their order where they are many; return them as `read_trials` does."""
    frame = read_trials(session.connection(), experiment)
    if len(frame) >= FEWEST:
        sums = read_sums(session.connection(), experiment)
        _forget_blocks(session, experiment)
        found = {"id": frame.index.to_numpy(), **{str(name): frame[name].to_numpy() for name in frame}}
        _write(session, experiment, found, sums)
        pack_curves(session, experiment, frame)
    return frame


def sum_ahead(database: Database, experiment_id: str, *still: ColumnElement[bool]) -> None:
    """Write down what is drawn of the curves of an experiment that will soon be put into its final state.

    Some hundred thousand curves take many seconds to be read. Here nobody waits for it who has something to write. Where
    they cannot be read nothing is written down, and the experiment ends all the same.

    Parameters
    ----------
    still : conditions
        What must hold of its row for who asks to put an end to it; nothing is done otherwise.
    """
    ours = (ExperimentRow.public_id == experiment_id, ExperimentRow.done >= FEWEST, *still)
    number = select(ExperimentRow.id).where(*ours)
    with database.session() as session:
        if (experiment := session.scalar(number)) is None:
            return
        try:
            rows = sum_curves(session, experiment, read_trials(session.connection(), experiment))
        except UNREADABLE:
            _log.exception("experiment %s: its curves cannot be summed", experiment_id)
            return
    with database.session(writes=True) as session:
        if session.scalar(number.with_for_update()) is not None:
            write_curve_sums(session, rows)


def forget_packed(session: Session, experiment: int) -> None:
    """Delete the blocks of an experiment, of which trials that are packed will change."""
    forget_curve_sums(session, experiment)
    _forget_blocks(session, experiment)


def _forget_blocks(session: Session, experiment: int) -> None:
    session.execute(delete(TrialBlockRow).where(TrialBlockRow.experiment_id == experiment))


def _packed(session: Session, experiment: int) -> tuple[int, int]:
    """Return how many trials are packed, and the number of the last of them."""
    found = select(func.coalesce(func.sum(TrialBlockRow.trials), 0), func.coalesce(func.max(TrialBlockRow.last_id), 0))
    trials, last = session.execute(found.where(TrialBlockRow.experiment_id == experiment)).one()
    return int(trials), int(last)


def _write(session: Session, experiment: int, columns: Columns, sums: Sums) -> None:
    mine = TrialBlockRow.experiment_id == experiment
    position = session.scalar(select(func.coalesce(func.max(TrialBlockRow.position), -1)).where(mine)) or 0
    last = int(columns["id"].max())
    for start in range(0, len(columns["id"]), _IN_BLOCK):
        position += 1
        some = {name: column[start : start + _IN_BLOCK] for name, column in columns.items()}
        values = {"position": position, "trials": len(some["id"]), "last_id": last, "content": _block(some)}
        told = sums_to_text({} if start else sums)
        session.execute(insert(TrialBlockRow).values(experiment_id=experiment, confusion=told, **values))


def _block(columns: Columns) -> bytes:
    arrays = {
        name: pa.array(column, pa.string()).dictionary_encode() if name in _SENTENCES else pa.array(column)
        for name, column in columns.items()
    }
    batch = pa.record_batch(arrays)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=_OPTIONS) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())


def _unpacked(content: bytes) -> Columns:
    with pa.ipc.open_stream(pa.BufferReader(content)) as reader:
        batch = reader.read_next_batch()
    return {
        name: _sentences(column) if name in _SENTENCES else column.to_numpy(zero_copy_only=False)
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    }


def _sentences(column: Any) -> npt.NDArray[np.object_]:
    """Return texts and None: each different text is one object, however often it stands there."""
    if column.null_count == len(column):
        return np.full(len(column), None, dtype=object)
    texts = np.array([*column.dictionary.to_pylist(), None], dtype=object)
    found: npt.NDArray[np.object_] = texts[column.indices.fill_null(-1).to_numpy(zero_copy_only=False)]
    return found


def _after(connection: Connection, experiment: int, last: int) -> Columns:
    """Return the trials that are stored behind a number."""
    names = (*_FIXED, "measures")
    columns = [getattr(TrialRow, name) for name in names]
    rows = connection.execute(select(*columns).where(TrialRow.experiment_id == experiment, TrialRow.id > last)).all()
    fields = dict(zip(names, zip(*rows, strict=True) if rows else [()] * len(names), strict=True))
    found: Columns = {"id": np.array(fields["id"], dtype=np.int64)}
    found |= {name: np.array(fields[name], dtype=np.int32) for name in (*PLACE, "members_used")}
    found |= {name: np.array(fields[name], dtype=np.int64) for name in _EXAMPLES}
    found |= {name: np.array(fields[name], dtype=np.float64) for name in _SECONDS}  # None becomes NaN
    for name in _SENTENCES:
        found[name] = np.empty(len(rows), dtype=object)
        found[name][:] = fields[name]
    # One call of the parser for all rows: a call for each costs as much as reading them.
    measured: list[dict[str, float | None]] = json.loads("[" + ",".join(fields["measures"]) + "]")
    for measure in dict.fromkeys(key for one in measured for key in one):
        # `error` holds the sentences of failed trials, and reports take 1 - accuracy for the measure
        if measure not in found and measure not in TRIAL_COLUMNS:
            found[measure] = np.array([one.get(measure) for one in measured], dtype=np.float64)
    return found


def _joined(parts: Sequence[Columns]) -> Columns:
    if len(parts) == 1:
        return parts[0]
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: np.concatenate([_column(part, name) for part in parts]) for name in names}


def _column(part: Columns, name: str) -> npt.NDArray[Any]:
    """Return a column; NaN for a measure that none of these trials left."""
    return part[name] if name in part else np.full(len(part["id"]), np.nan)


def _sorted(columns: Columns) -> Columns:
    """Return trials by data set, learner, repeat, fold and order."""
    place = one_number([columns[name].astype(np.int64) for name in PLACE])
    if (place[1:] >= place[:-1]).all():
        return columns
    order = np.argsort(place, kind="stable")
    return {name: column[order] for name, column in columns.items()}


def _frame(columns: Columns) -> pd.DataFrame:
    measures: Iterable[str] = [name for name in columns if name not in _FIXED]
    names = (*PLACE, *measures, *_SECONDS, *_COUNTS, *_SENTENCES)
    index = pd.Index(columns["id"])
    # as objects, or pandas makes texts of them, and NaN of None
    told = {name: pd.Series(columns[name], index, dtype=object) for name in _SENTENCES}
    return pd.DataFrame({name: told.get(name, columns[name]) for name in names}, index=index, copy=False)
