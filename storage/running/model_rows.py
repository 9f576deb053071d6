"""The rows of models to take home: found, filled and dropped, within the bounds of what is kept."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, insert, inspect, select
from sqlalchemy.orm import Session

from ensembles.errors import StorageError
from ensembles.experiments.records import TrialPlan, TrialResult
from storage.experiments.rows import is_readable
from storage.models import ExperimentRow
from storage.running.records import ModelTask
from storage.running.rows import KeptModelChunkRow, KeptModelRow, StreamRow
from storage.running.silence import SilenceWatch

__all__ = [
    "MODEL_LEASE_SECONDS",
    "MOST_BYTES",
    "MOST_KEPT",
    "drop_model",
    "end_model",
    "fill_model",
    "free_models",
    "held_model",
    "hold_free",
    "is_newer",
    "keep_models_of_trials",
    "new_model",
    "read_model",
    "stream_of",
]

MOST_KEPT = 20
"""So many models of an experiment are kept: a new one takes the place of the oldest."""

MOST_BYTES = 512 * 2**20
"""So much the models that trials of an experiment have left may take: a new one takes the place of the oldest."""

MODEL_LEASE_SECONDS = 30.0
"""After so long a silence another runner trains a model."""

_CHUNK_BYTES = 4 * 2**20


def free_models(session: Session, watch: SilenceWatch, lease_seconds: float) -> list[KeptModelRow]:
    """Return the models that a runner could take, the oldest wish first.

    Those are what waits, and what has been watched for `lease_seconds` without being renewed; not what only runners of
    another version can read.
    """
    query = select(KeptModelRow).join(ExperimentRow, ExperimentRow.id == KeptModelRow.experiment_id)
    query = query.where(KeptModelRow.state.in_(["waiting", "running"]), ExperimentRow.deleted.is_(None))
    found = session.scalars(query.order_by(KeptModelRow.asked, *inspect(KeptModelRow).primary_key)).all()
    readable = {number for number in {row.experiment_id for row in found} if is_readable(session, number)}
    rows = [row for row in found if row.experiment_id in readable]
    running = {_key(row): row for row in rows if row.state == "running"}
    watch.forget_all_but(running)
    silent = {key for key, row in running.items() if watch.silence(key, row.runner, row.lease_until) >= lease_seconds}
    return [row for row in rows if row.state == "waiting" or _key(row) in silent]


def hold_free(session: Session, row: KeptModelRow) -> KeptModelRow | None:
    """Hold a model that is free against others; None where one of them took it, or is about to."""
    as_it_stood = and_(
        *(column == value for column, value in zip(inspect(KeptModelRow).primary_key, _key(row), strict=True)),
        KeptModelRow.state == row.state,
        KeptModelRow.runner.is_not_distinct_from(row.runner),
        KeptModelRow.lease_until.is_not_distinct_from(row.lease_until),
    )
    return session.scalars(select(KeptModelRow).where(as_it_stood).with_for_update(skip_locked=True)).one_or_none()


def held_model(session: Session, task: ModelTask, runner: str) -> KeptModelRow | None:
    """Return the row of a model that is in the hands of `runner`, held against other writers; none in the bin is."""
    mine = (ExperimentRow.public_id == task.experiment.id, ExperimentRow.deleted.is_(None))
    experiment = select(ExperimentRow.id).where(*mine).scalar_subquery()
    query = select(KeptModelRow).where(_is(KeptModelRow, experiment, task.dataset, task.learner, task.of_trial))
    held = query.where(KeptModelRow.state == "running", KeptModelRow.runner == runner)
    return session.scalars(held.with_for_update()).one_or_none()


def end_model(row: KeptModelRow, state: str, message: str | None, now: datetime) -> None:
    """Note that nobody is at work on a model any more: it is ready, or has failed."""
    row.state, row.message, row.ended, row.runner, row.lease_until = state, message, now, None, None


def keep_models_of_trials(
    session: Session, experiment: int, trials: Iterable[tuple[TrialPlan, TrialResult]], now: datetime
) -> None:
    """Store what trials on streams have ended with, in the place of what they had come to."""
    for plan, result in trials:
        if result.model is not None:
            row = session.get(KeptModelRow, (experiment, plan.dataset, plan.learner, True))
            if row is None:
                row = new_model(experiment, plan.dataset, plan.learner, True)
                row.asked = now
                session.add(row)
            fill_model(session, row, result.model.content, result.model.facts, now)


def new_model(experiment: int, dataset: int, learner: int, of_trial: bool) -> KeptModelRow:
    """Return the row of a model that is not there yet."""
    return KeptModelRow(experiment_id=experiment, dataset=dataset, learner=learner, of_trial=of_trial, size=0)


def fill_model(session: Session, row: KeptModelRow, content: bytes, facts: Mapping[str, Any], now: datetime) -> None:
    """Store a model that is ready, and leave as many of its kind as are kept."""
    row.facts, row.size = json.dumps(facts, ensure_ascii=False), len(content)
    end_model(row, "ready", None, now)
    session.flush()
    session.execute(delete(KeptModelChunkRow).where(_is(KeptModelChunkRow, row.experiment_id, *_place(row))))
    place = {name: getattr(row, name) for name in ("experiment_id", "dataset", "learner", "of_trial")}
    for position, start in enumerate(range(0, len(content), _CHUNK_BYTES)):
        piece = {"position": position, "content": content[start : start + _CHUNK_BYTES]}
        session.execute(insert(KeptModelChunkRow), [place | piece])
    alike = (KeptModelRow.experiment_id == row.experiment_id, KeptModelRow.of_trial == row.of_trial)
    query = select(KeptModelRow).where(*alike, KeptModelRow.state == "ready").order_by(KeptModelRow.ended.desc())
    total = 0
    for number, one in enumerate(session.scalars(query).all()):
        total += one.size
        if one is not row and (total > MOST_BYTES if row.of_trial else number >= MOST_KEPT):
            drop_model(session, one)


def read_model(session: Session, row: KeptModelRow) -> bytes:
    """Return the file of a model that is ready; raise `StorageError` where it is not whole."""
    pieces = select(KeptModelChunkRow.content).where(_is(KeptModelChunkRow, row.experiment_id, *_place(row)))
    content = b"".join(session.scalars(pieces.order_by(KeptModelChunkRow.position)))
    if len(content) != row.size:
        raise StorageError(f"the model must have {row.size:,} bytes, got {len(content):,}")
    return content


def drop_model(session: Session, row: KeptModelRow) -> None:
    """Delete a model, or the wish for it."""
    session.execute(delete(KeptModelChunkRow).where(_is(KeptModelChunkRow, row.experiment_id, *_place(row))))
    session.delete(row)


def stream_of(session: Session, experiment: int, dataset: int, learner: int) -> StreamRow | None:
    """Return what is known of the first order's trial on a stream, if there is a snapshot of it."""
    mine = (StreamRow.experiment_id == experiment, StreamRow.dataset == dataset, StreamRow.learner == learner)
    query = select(StreamRow).where(*mine, StreamRow.order == 0, StreamRow.snapshot_bytes > 0)
    return session.scalars(query.order_by(StreamRow.key).limit(1)).one_or_none()


def is_newer(stream: StreamRow | None, row: KeptModelRow) -> bool:
    """Return whether a stream has a snapshot that is newer than the wish for the model that was made of one."""
    taken = None if stream is None else stream.snapshot_taken
    return taken is not None and taken > row.asked


def _key(row: KeptModelRow) -> tuple[int, int, int, bool]:
    return row.experiment_id, *_place(row)


def _place(row: KeptModelRow) -> tuple[int, int, bool]:
    return row.dataset, row.learner, row.of_trial


def _is(
    table: type[KeptModelRow] | type[KeptModelChunkRow], experiment: Any, dataset: int, learner: int, of_trial: bool
) -> ColumnElement[bool]:
    place = (table.dataset == dataset, table.learner == learner, table.of_trial.is_(of_trial))
    return and_(table.experiment_id == experiment, *place)
