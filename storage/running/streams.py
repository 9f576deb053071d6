"""Streams while they run: what they tell, bounded, and the snapshots from which they go on. Both go when a result comes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple
from typing import Any

from sqlalchemy import ColumnElement, Select, delete, insert, select
from sqlalchemy.orm import Session

from ensembles.errors import StorageError
from ensembles.evaluation.stream_watch import StreamNews
from ensembles.experiments.records import TrialPlan
from storage.columns import pack_series, unpack_series
from storage.experiments.imported import with_origin
from storage.experiments.rows import experiment_record, get_experiment_row
from storage.models import ExperimentRow, TrialRow
from storage.people.audit import write_audit
from storage.people.reach import changeable_experiment, readable_experiment
from storage.records import FINAL_STATES, ExperimentRecord
from storage.repository import Repository, allowed
from storage.running.records import StreamRecord
from storage.running.rows import SnapshotChunkRow, StreamRow

__all__ = ["MOST_NEWS", "StreamRepository", "forget_streams", "rewind_streams"]

MOST_NEWS = 200
"""So many points of a stream are stored while it runs."""

_CHUNK_BYTES = 4 * 2**20
_WHOLE = ("seen", "model_bytes", "drifts", "replaced")


class StreamRepository(Repository):
    """Write and read what is known of streams that have not ended."""

    @allowed("program")
    def save_streams(self, experiment_id: str, news: Sequence[tuple[TrialPlan, Sequence[StreamNews]]]) -> None:
        """Store what trials have told so far, in the place of what was stored of them; not of trials that have ended.

        Parameters
        ----------
        news : sequence of (TrialPlan, sequence of StreamNews)
            The oldest first, at most `MOST_NEWS` of each trial.

        Raises
        ------
        NotFound
            The experiment was deleted.
        """
        with self._database.session(writes=True, lasts=False) as session:
            number = get_experiment_row(session, experiment_id).id
            ended = _ended(session, number, [plan.key for plan, _ in news])
            told = {"told": self._database.now(session)}
            rows = [{**_row(number, plan), **told, "news": _pack(said)} for plan, said in news if plan.key not in ended]
            self._upsert(session, rows, ("told", "news"))

    @allowed("program")
    def save_snapshot(self, experiment_id: str, plan: TrialPlan, snapshot: bytes, seen: int) -> None:
        """Store the snapshot of a trial in the place of the one before, whole or not at all; not of one that has ended.

        Parameters
        ----------
        seen : int
            After how many examples it was taken.

        Raises
        ------
        NotFound
            The experiment was deleted.
        """
        with self._database.session(writes=True) as session:
            number = get_experiment_row(session, experiment_id).id
            if _ended(session, number, [plan.key]):
                return
            now = self._database.now(session)
            taken = {"snapshot_seen": seen, "snapshot_bytes": len(snapshot), "snapshot_taken": now}
            self._upsert(session, [{**_row(number, plan), "told": now, "news": b"", **taken}], [*taken])
            session.execute(delete(SnapshotChunkRow).where(_is(SnapshotChunkRow, number, plan.key)))
            pieces = [snapshot[start : start + _CHUNK_BYTES] for start in range(0, len(snapshot), _CHUNK_BYTES)]
            for position, piece in enumerate(pieces):
                content = {"experiment_id": number, "key": plan.key, "position": position, "content": piece}
                session.execute(insert(SnapshotChunkRow), [content])

    @allowed("program")
    def load_snapshot(self, experiment_id: str, key: str) -> bytes | None:
        """Return the snapshot of a trial, None without one; raise `NotFound`, or `StorageError` when it is not whole."""
        with self._database.session() as session:
            number = get_experiment_row(session, experiment_id).id
            expected = session.scalar(select(StreamRow.snapshot_bytes).where(_is(StreamRow, number, key)))
            if not expected:
                return None
            pieces = select(SnapshotChunkRow.content).where(_is(SnapshotChunkRow, number, key))
            snapshot = b"".join(session.scalars(pieces.order_by(SnapshotChunkRow.position)))
        if len(snapshot) != expected:
            raise StorageError(f"the snapshot of trial {key} must have {expected:,} bytes, got {len(snapshot):,}")
        return snapshot

    @allowed("program")
    def set_message(self, experiment_id: str, message: str | None, *, runner: str) -> None:
        """Let an experiment say a sentence while it is in the hands of `runner`; nothing happens when it is not."""
        mine = (ExperimentRow.public_id == experiment_id, ExperimentRow.runner == runner)
        with self._database.session(writes=True) as session:
            for row in session.scalars(select(ExperimentRow).where(*mine).with_for_update()):
                row.message = with_origin(message, row.message)

    @allowed("view")
    def list_streams(self, experiment_id: str) -> list[StreamRecord]:
        """Return what is known of the streams of an experiment that have not ended well, by data set and learner."""
        order = (StreamRow.dataset, StreamRow.learner, StreamRow.order)
        with self._database.session() as session:
            number = readable_experiment(session, self._actor, experiment_id).id
            rows = session.scalars(select(StreamRow).where(StreamRow.experiment_id == number).order_by(*order)).all()
            # A query, as a database takes no list of any length.
            known = select(StreamRow.key).where(StreamRow.experiment_id == number)
            mine = (TrialRow.experiment_id == number, TrialRow.key.in_(known))
            failed = {*session.scalars(select(TrialRow.key).where(*mine, TrialRow.error.is_not(None)))}
            return [_record(row, failed=row.key in failed) for row in rows]

    @allowed("change")
    def request_snapshots(self, experiment_id: str) -> ExperimentRecord:
        """Wish for a snapshot of each stream that runs; its runner sees to it within seconds.

        Nothing happens to an experiment that does not run. Raise `NotFound` or `Forbidden`.
        """
        with self._database.session(writes=True) as session:
            row, now = changeable_experiment(session, self._actor, experiment_id), self._database.now(session)
            if row.state not in FINAL_STATES:
                row.snapshots_wanted += 1
                write_audit(session, self._actor, now, "snapshot wanted", "experiment", row.public_id, row.name)
            return experiment_record(row, now)

    def _upsert(self, session: Session, rows: Sequence[Mapping[str, object]], replaced: Collection[str]) -> None:
        if rows:
            statement = self._database.insert(StreamRow)
            new = {name: statement.excluded[name] for name in replaced}
            session.execute(statement.on_conflict_do_update(index_elements=["experiment_id", "key"], set_=new), rows)


def forget_streams(session: Session, experiment: ExperimentRow, keys: Collection[str] | Select[str]) -> None:
    """Delete what was known of trials while they ran: of some hundred keys, or of all that a query finds."""
    for table in (StreamRow, SnapshotChunkRow):
        session.execute(delete(table).where(table.experiment_id == experiment.id, table.key.in_(keys)))


def rewind_streams(session: Session, experiment: ExperimentRow) -> None:
    """Forget what trials told that came after their snapshots: they tell it anew."""
    for row in session.scalars(select(StreamRow).where(StreamRow.experiment_id == experiment.id)):
        row.news = _pack([news for news in _unpack(row.news) if news.seen <= row.snapshot_seen])


def _ended(session: Session, experiment: int, keys: Collection[str]) -> set[str]:
    query = select(TrialRow.key).where(TrialRow.experiment_id == experiment, TrialRow.error.is_(None))
    return set(session.scalars(query.where(TrialRow.key.in_(keys))))


def _is(table: type[StreamRow] | type[SnapshotChunkRow], experiment: int, key: str) -> ColumnElement[bool]:
    return (table.experiment_id == experiment) & (table.key == key)


def _row(experiment: int, plan: TrialPlan) -> dict[str, object]:
    place = {"dataset": plan.dataset, "learner": plan.learner, "order": plan.order}
    return {"experiment_id": experiment, "key": plan.key, **place, "snapshot_seen": 0, "snapshot_bytes": 0}


def _pack(news: Sequence[StreamNews]) -> bytes:
    return pack_series(tuple(float(value) for one in news for value in astuple(one)))


def _unpack(packed: bytes) -> tuple[StreamNews, ...]:
    fields = list(StreamNews.__dataclass_fields__)
    points = unpack_series(packed).reshape(-1, len(fields)).tolist()
    told: list[dict[str, Any]] = [dict(zip(fields, point, strict=True)) for point in points]
    return tuple(StreamNews(**{**one, **{name: int(one[name]) for name in _WHOLE}}) for one in told)


def _record(row: StreamRow, *, failed: bool) -> StreamRecord:
    return StreamRecord(
        key=row.key,
        dataset=row.dataset,
        learner=row.learner,
        order=row.order,
        told=row.told,
        news=_unpack(row.news),
        snapshot_seen=row.snapshot_seen,
        snapshot_bytes=row.snapshot_bytes,
        snapshot_taken=row.snapshot_taken,
        failed=failed,
    )
