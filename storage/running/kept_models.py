"""Models to take home: wished for by people, or left by trials on streams, made by runners, kept for some days."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ensembles.errors import Conflict, NotFound
from storage.experiments.rows import experiment_record
from storage.models import ExperimentRow
from storage.people.audit import write_audit
from storage.people.reach import changeable_experiment, readable_dataset, readable_experiment
from storage.repository import Repository, allowed
from storage.running.model_rows import (
    drop_model,
    end_model,
    fill_model,
    free_models,
    held_model,
    hold_free,
    is_newer,
    new_model,
    read_model,
    stream_of,
)
from storage.running.records import ModelRecord, ModelTask
from storage.running.rows import KeptModelRow

__all__ = ["MODEL_DAYS", "MOST_COMING", "KeptModelRepository"]

MODEL_DAYS = 7
"""So long a model is kept after it was trained."""

MOST_COMING = 20
"""So many models of an experiment may wait or be trained."""

_COMING = ("waiting", "running")


class KeptModelRepository(Repository):
    """Wish for models, train them, take them home. A model tells of its data, so who may not see these has none."""

    @allowed("read")
    def request_model(self, experiment_id: str, dataset: int, learner: int, *, of_trial: bool = False) -> ModelRecord:
        """Wish for a model; what is there, or comes, stays, and what failed is tried again.

        Parameters
        ----------
        of_trial : bool
            Wish for what the trial of the first order has come to, by its snapshot: by a newer one than before it is made
            anew. What a trial has ended with is there without a wish.

        Raises
        ------
        NotFound
            No such experiment, data set or learner, the data set is hidden from who asks, or the trial has no snapshot.
        Conflict
            Too many models of the experiment wait.
        """
        with self._database.session(writes=True) as session:
            experiment = self._reach(session, experiment_id, dataset, learner, lock=True)
            row = session.get(KeptModelRow, (experiment.id, dataset, learner, of_trial))
            stream = stream_of(session, experiment.id, dataset, learner) if of_trial else None
            if row is not None and (row.state in _COMING or (row.state == "ready" and not is_newer(stream, row))):
                return _record(row)
            if of_trial and stream is None:
                raise NotFound(
                    f"{experiment.name}: its trial has left no model, and there is no snapshot of it to make one of"
                )
            mine = (KeptModelRow.experiment_id == experiment.id, KeptModelRow.state.in_(_COMING))
            if session.scalar(select(func.count()).select_from(KeptModelRow).where(*mine)) >= MOST_COMING:  # type: ignore[operator]
                raise Conflict(f"{experiment.name}: at most {MOST_COMING} of its models may wait to be trained")
            now = self._database.now(session)
            if row is None:
                row = new_model(experiment.id, dataset, learner, of_trial)
                session.add(row)
            row.state, row.asked, row.ended, row.message, row.runner = "waiting", now, None, None, None
            row.lease_until = None
            write_audit(session, self._actor, now, "model wanted", "experiment", experiment.public_id, experiment.name)
            self._database.notices.announce(session)
            session.flush()
            return _record(row)

    @allowed("change")
    def withdraw_model(self, experiment_id: str, dataset: int, learner: int, *, of_trial: bool = False) -> None:
        """Take a wish back, or delete a model; who trains it stops. Raise `NotFound` or `Forbidden`."""
        with self._database.session(writes=True) as session:
            experiment = changeable_experiment(session, self._actor, experiment_id)
            if (row := session.get(KeptModelRow, (experiment.id, dataset, learner, of_trial))) is not None:
                drop_model(session, row)

    @allowed("read")
    def list_models(self, experiment_id: str) -> list[ModelRecord]:
        """Return the models of an experiment, as they stand, of data sets that who asks may see; raise `NotFound`."""
        with self._database.session() as session:
            experiment = readable_experiment(session, self._actor, experiment_id)
            order = (KeptModelRow.dataset, KeptModelRow.learner, KeptModelRow.of_trial)
            query = select(KeptModelRow).where(KeptModelRow.experiment_id == experiment.id).order_by(*order)
            rows = session.scalars(query).all()
            hidden = {one for one in {row.dataset for row in rows} if not self._sees(session, experiment, one)}
            return [_record(row) for row in rows if row.dataset not in hidden]

    @allowed("read")
    def load_model(
        self, experiment_id: str, dataset: int, learner: int, *, of_trial: bool = False
    ) -> tuple[ModelRecord, bytes]:
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
            row = session.get(KeptModelRow, (experiment.id, dataset, learner, of_trial))
            if row is None:
                raise NotFound(f"{experiment.name}: there is no such model now; wish for it first")
            if row.state != "ready":
                raise NotFound(f"{experiment.name}: the model was wished for and is not ready, it is {row.state}")
            return _record(row), read_model(session, row)

    @allowed("program")
    def claim_model(self, runner: str, lease_seconds: float) -> ModelTask | None:
        """Take the model that has waited longest, or has not been renewed for `lease_seconds`; None without any.

        Silence is watched by this process, whatever the clocks of the machines say, as that of experiments is. Models of
        what this version cannot read are left to a runner that can.
        """
        with self._database.session() as session:
            if not free_models(session, self._model_watch, lease_seconds):
                return None
        with self._model_watch.writing() as has_begun, self._database.session(writes=True) as session:
            has_begun()
            found = (hold_free(session, one) for one in free_models(session, self._model_watch, lease_seconds))
            if (row := next(filter(None, found), None)) is None:
                return None
            now = self._database.now(session)
            experiment = session.get(ExperimentRow, row.experiment_id)
            assert experiment is not None
            record = experiment_record(experiment, now)
            row.state, row.runner, row.lease_until = "running", runner, now + timedelta(seconds=lease_seconds)
            stream = stream_of(session, experiment.id, row.dataset, row.learner) if row.of_trial else None
            return ModelTask(record, row.dataset, row.learner, row.of_trial, stream.key if stream else "")

    @allowed("program")
    def renew_model(self, task: ModelTask, runner: str, lease_seconds: float) -> bool:
        """Renew the lease of a model; False when it is not in the hands of `runner` any more."""
        with self._database.session(writes=True, lasts=False) as session:
            if (row := held_model(session, task, runner)) is None:
                return False
            row.lease_until = self._database.now(session) + timedelta(seconds=lease_seconds)
            return True

    @allowed("program")
    def release_model(self, task: ModelTask, runner: str) -> None:
        """Give a model back, for the next runner."""
        with self._database.session(writes=True) as session:
            if (row := held_model(session, task, runner)) is not None:
                row.state, row.runner, row.lease_until = "waiting", None, None
                self._database.notices.announce(session)

    @allowed("program")
    def save_model(self, task: ModelTask, runner: str, content: bytes, facts: Mapping[str, Any]) -> None:
        """Store a model, whole or not at all; what nobody waits for any more is dropped."""
        with self._database.session(writes=True) as session:
            if (row := held_model(session, task, runner)) is None:
                return
            fill_model(session, row, content, facts, self._database.now(session))

    @allowed("program")
    def fail_model(self, task: ModelTask, runner: str, message: str) -> None:
        """Note in a sentence why a model cannot be had."""
        with self._database.session(writes=True) as session:
            if (row := held_model(session, task, runner)) is not None:
                end_model(row, "failed", message, self._database.now(session))

    @allowed("program")
    def drop_old_models(self, older_than: timedelta = timedelta(days=MODEL_DAYS)) -> int:
        """Delete models that were trained, or failed, so long ago; return how many. Who wishes for one has it again."""
        with self._database.session(writes=True) as session:
            before = self._database.now(session) - older_than
            rows = session.scalars(select(KeptModelRow).where(KeptModelRow.ended < before)).all()
            for row in rows:
                drop_model(session, row)
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
        of_trial=row.of_trial,
    )
