"""Models to take home: wished for by people, trained by runners on all examples, kept for some days."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, func, insert, or_, select
from sqlalchemy.orm import Session

from ensembles.errors import Conflict, InvalidInput, NotFound, StorageError
from storage.experiments.rows import experiment_record
from storage.models import ExperimentRow
from storage.people.audit import write_audit
from storage.people.reach import changeable_experiment, readable_dataset, readable_experiment
from storage.repository import Repository, allowed
from storage.running.records import ModelRecord, ModelTask
from storage.running.rows import KeptModelChunkRow, KeptModelRow

__all__ = ["MODEL_DAYS", "MOST_COMING", "MOST_KEPT", "KeptModelRepository", "free_model"]

MODEL_DAYS = 7
"""So long a model is kept after it was trained."""

MOST_KEPT = 20
"""So many models of an experiment are kept: a new one takes the place of the oldest."""

MOST_COMING = 20
"""So many models of an experiment may wait or be trained."""

_CHUNK_BYTES = 4 * 2**20
_COMING = ("waiting", "running")


class KeptModelRepository(Repository):
    """Wish for models, train them, take them home. A model tells of its data, so who may not see these has none."""

    @allowed("read")
    def request_model(self, experiment_id: str, dataset: int, learner: int) -> ModelRecord:
        """Wish for a model; what is there, or comes, stays, and what failed is tried again.

        Raises
        ------
        NotFound
            No such experiment, data set or learner, or the data set is hidden from who asks.
        Conflict
            Too many models of the experiment wait.
        """
        with self._database.session(writes=True) as session:
            experiment = self._reach(session, experiment_id, dataset, learner, lock=True)
            row = session.get(KeptModelRow, (experiment.id, dataset, learner))
            if row is not None and row.state != "failed":
                return _record(row)
            mine = (KeptModelRow.experiment_id == experiment.id, KeptModelRow.state.in_(_COMING))
            if session.scalar(select(func.count()).select_from(KeptModelRow).where(*mine)) >= MOST_COMING:  # type: ignore[operator]
                raise Conflict(f"{experiment.name}: at most {MOST_COMING} of its models may wait to be trained")
            now = self._database.now(session)
            if row is None:
                row = KeptModelRow(experiment_id=experiment.id, dataset=dataset, learner=learner, size=0)
                session.add(row)
            row.state, row.asked, row.ended, row.message, row.runner = "waiting", now, None, None, None
            row.lease_until = None
            write_audit(session, self._actor, now, "model wanted", "experiment", experiment.public_id, experiment.name)
            self._database.notices.announce(session)
            session.flush()
            return _record(row)

    @allowed("change")
    def withdraw_model(self, experiment_id: str, dataset: int, learner: int) -> None:
        """Take a wish back, or delete a model; who trains it stops. Raise `NotFound` or `Forbidden`."""
        with self._database.session(writes=True) as session:
            experiment = changeable_experiment(session, self._actor, experiment_id)
            if (row := session.get(KeptModelRow, (experiment.id, dataset, learner))) is not None:
                _drop(session, row)

    @allowed("read")
    def list_models(self, experiment_id: str) -> list[ModelRecord]:
        """Return the models of an experiment, as they stand, of data sets that who asks may see; raise `NotFound`."""
        with self._database.session() as session:
            experiment = readable_experiment(session, self._actor, experiment_id)
            order = (KeptModelRow.dataset, KeptModelRow.learner)
            query = select(KeptModelRow).where(KeptModelRow.experiment_id == experiment.id).order_by(*order)
            rows = session.scalars(query).all()
            hidden = {one for one in {row.dataset for row in rows} if not self._sees(session, experiment, one)}
            return [_record(row) for row in rows if row.dataset not in hidden]

    @allowed("read")
    def load_model(self, experiment_id: str, dataset: int, learner: int) -> tuple[ModelRecord, bytes]:
        """Return a model that is ready, and its file `model.skops`.

        Raises
        ------
        NotFound
            There is none, or it is hidden from who asks.
        StorageError
            It is not whole.
        """
        with self._database.session() as session:
            experiment = self._reach(session, experiment_id, dataset, learner)
            row = session.get(KeptModelRow, (experiment.id, dataset, learner))
            if row is None or row.state != "ready":
                raise NotFound(f"{experiment.name}: there is no such model now; wish for it first")
            pieces = select(KeptModelChunkRow.content).where(_is(KeptModelChunkRow, experiment.id, dataset, learner))
            content = b"".join(session.scalars(pieces.order_by(KeptModelChunkRow.position)))
            if len(content) != row.size:
                raise StorageError(f"the model must have {row.size:,} bytes, got {len(content):,}")
            return _record(row), content

    @allowed("program")
    def claim_model(self, runner: str, lease_seconds: float) -> ModelTask | None:
        """Take the model that has waited longest, or whose runner is silent; None without any."""
        with self._database.session() as session:
            if free_model(session, self._database.now(session)) is None:
                return None
        with self._database.session(writes=True) as session:
            now = self._database.now(session)
            if (row := free_model(session, now, lock=True)) is None:
                return None
            experiment = session.get(ExperimentRow, row.experiment_id)
            assert experiment is not None
            try:
                record = experiment_record(experiment, now)
            except InvalidInput as error:  # a newer version launched it
                row.state, row.message, row.ended = "failed", str(error), now
                return None
            row.state, row.runner, row.lease_until = "running", runner, now + timedelta(seconds=lease_seconds)
            return ModelTask(record, row.dataset, row.learner)

    @allowed("program")
    def renew_model(self, task: ModelTask, runner: str, lease_seconds: float) -> bool:
        """Renew the lease of a model; False when it is not in the hands of `runner` any more."""
        with self._database.session(writes=True, lasts=False) as session:
            if (row := _held(session, task, runner)) is None:
                return False
            row.lease_until = self._database.now(session) + timedelta(seconds=lease_seconds)
            return True

    @allowed("program")
    def release_model(self, task: ModelTask, runner: str) -> None:
        """Give a model back, for the next runner."""
        with self._database.session(writes=True) as session:
            if (row := _held(session, task, runner)) is not None:
                row.state, row.runner, row.lease_until = "waiting", None, None
                self._database.notices.announce(session)

    @allowed("program")
    def save_model(self, task: ModelTask, runner: str, content: bytes, facts: Mapping[str, Any]) -> None:
        """Store a model, whole or not at all; what nobody waits for any more is dropped."""
        with self._database.session(writes=True) as session:
            if (row := _held(session, task, runner)) is None:
                return
            row.facts, row.size = json.dumps(facts, ensure_ascii=False), len(content)
            _end(row, "ready", None, self._database.now(session))
            place = {"experiment_id": row.experiment_id, "dataset": row.dataset, "learner": row.learner}
            session.execute(delete(KeptModelChunkRow).where(_is(KeptModelChunkRow, *place.values())))
            for position, start in enumerate(range(0, len(content), _CHUNK_BYTES)):
                piece = {"position": position, "content": content[start : start + _CHUNK_BYTES]}
                session.execute(insert(KeptModelChunkRow), [place | piece])
            _drop_oldest(session, row.experiment_id)

    @allowed("program")
    def fail_model(self, task: ModelTask, runner: str, message: str) -> None:
        """Note in a sentence why a model cannot be had."""
        with self._database.session(writes=True) as session:
            if (row := _held(session, task, runner)) is not None:
                _end(row, "failed", message, self._database.now(session))

    @allowed("program")
    def drop_old_models(self, older_than: timedelta = timedelta(days=MODEL_DAYS)) -> int:
        """Delete models that were trained, or failed, so long ago; return how many. Who wishes for one has it again."""
        with self._database.session(writes=True) as session:
            before = self._database.now(session) - older_than
            rows = session.scalars(select(KeptModelRow).where(KeptModelRow.ended < before)).all()
            for row in rows:
                _drop(session, row)
            return len(rows)

    def _reach(
        self, session: Session, experiment_id: str, dataset: int, learner: int, *, lock: bool = False
    ) -> ExperimentRow:
        """Return the experiment, if there is such a learner and data set for who asks."""
        experiment = readable_experiment(session, self._actor, experiment_id, lock=lock)
        config = experiment_record(experiment, self._database.now(session)).config
        for what, position, known in (("data set", dataset, config.datasets), ("learner", learner, config.learners)):
            if not 0 <= position < len(known):
                raise NotFound(f"{experiment.name}: it has {len(known)} of it, from 0, but no {what} {position}")
        if not self._sees(session, experiment, dataset):
            raise NotFound(f"{experiment.name}: its data set is hidden from you, and a model tells of its data")
        return experiment

    def _sees(self, session: Session, experiment: ExperimentRow, dataset: int) -> bool:
        config = experiment_record(experiment, self._database.now(session)).config
        sha256 = config.datasets[dataset].sha256
        if sha256 is None:
            return True
        try:
            readable_dataset(session, self._actor, sha256)
        except NotFound:
            return False
        return True


def free_model(session: Session, now: datetime, *, lock: bool = False) -> KeptModelRow | None:
    """Return the model that a runner could take, held against others when `lock`; None without any."""
    silent = (KeptModelRow.state == "running") & (KeptModelRow.lease_until < now)
    query = select(KeptModelRow).join(ExperimentRow, ExperimentRow.id == KeptModelRow.experiment_id)
    query = query.where(or_(KeptModelRow.state == "waiting", silent), ExperimentRow.deleted.is_(None))
    query = query.order_by(KeptModelRow.asked, KeptModelRow.experiment_id, KeptModelRow.dataset, KeptModelRow.learner)
    query = query.limit(1)
    return session.scalars(query.with_for_update(skip_locked=True, of=KeptModelRow) if lock else query).one_or_none()


def _held(session: Session, task: ModelTask, runner: str) -> KeptModelRow | None:
    """Return the row of a model that is in the hands of `runner`, held against other writers; none in the bin is."""
    mine = (ExperimentRow.public_id == task.experiment.id, ExperimentRow.deleted.is_(None))
    experiment = select(ExperimentRow.id).where(*mine).scalar_subquery()
    query = select(KeptModelRow).where(_is(KeptModelRow, experiment, task.dataset, task.learner))
    held = query.where(KeptModelRow.state == "running", KeptModelRow.runner == runner)
    return session.scalars(held.with_for_update()).one_or_none()


def _end(row: KeptModelRow, state: str, message: str | None, now: datetime) -> None:
    row.state, row.message, row.ended, row.runner, row.lease_until = state, message, now, None, None


def _drop_oldest(session: Session, experiment: int) -> None:
    """Leave as many models of an experiment as are kept."""
    session.flush()
    ready = (KeptModelRow.experiment_id == experiment, KeptModelRow.state == "ready")
    for row in session.scalars(
        select(KeptModelRow).where(*ready).order_by(KeptModelRow.ended.desc()).offset(MOST_KEPT)
    ):
        _drop(session, row)


def _drop(session: Session, row: KeptModelRow) -> None:
    session.execute(
        delete(KeptModelChunkRow).where(_is(KeptModelChunkRow, row.experiment_id, row.dataset, row.learner))
    )
    session.delete(row)


def _is(
    table: type[KeptModelRow] | type[KeptModelChunkRow], experiment: Any, dataset: int, learner: int
) -> ColumnElement[bool]:
    return and_(table.experiment_id == experiment, table.dataset == dataset, table.learner == learner)


def _record(row: KeptModelRow) -> ModelRecord:
    return ModelRecord(
        dataset=row.dataset,
        learner=row.learner,
        state=row.state,  # type: ignore[arg-type]
        asked=row.asked,
        ended=row.ended,
        message=row.message,
        facts=json.loads(row.facts) if row.facts and row.state == "ready" else None,
        size=row.size,
    )
