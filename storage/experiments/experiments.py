"""Experiments as users see them: create, read, list, rename, delete, wish for an end."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, func, insert, or_, select
from sqlalchemy.orm import Session

from ensembles.errors import Conflict, InvalidConfig
from ensembles.experiments.config import FORMAT, ExperimentConfig
from storage.access import Visibility, checked_visibility
from storage.datasets.names import dataset_names, stored_datasets, with_names
from storage.experiments.imported import with_origin
from storage.experiments.launches import launched_before, new_id
from storage.experiments.rows import (
    acquire_lease,
    config_to_text,
    experiment_record,
    finish,
    missing_experiment,
)
from storage.experiments.search import SearchRepository
from storage.models import ExperimentDatasetRow, ExperimentRow, TrialRow, WordRow
from storage.people.audit import write_audit
from storage.people.limits import require_trials, require_turn
from storage.people.reach import changeable_experiment, readable_dataset
from storage.records import FINAL_STATES, ExperimentRecord
from storage.repository import allowed, checked_name
from storage.results.packed import forget_packed, sum_ahead
from storage.results.words import checked_tags, words_of
from storage.running.streams import forget_streams, rewind_streams

__all__ = ["ExperimentRepository"]

_HIDDEN: dict[str, Any] = {"user_id": None, "user_name": None, "notes": "", "tags": (), "extends": None}
"""What is no result, of those who have not signed in."""


class ExperimentRepository(SearchRepository):
    """Everything about experiments that a page may do."""

    @allowed("launch")
    def create_experiment(
        self,
        config: ExperimentConfig,
        *,
        n_trials: int | None = None,
        runner: str | None = None,
        lease_seconds: float = 10.0,
        tags: Iterable[str] = (),
        extends: str | None = None,
        visibility: Visibility = "team",
        launch_key: str | None = None,
    ) -> ExperimentRecord:
        """Store a new experiment: `waiting` for a runner, or already `running` for the runner called `runner`.

        Parameters
        ----------
        extends : str, optional
            Id of an experiment whose finished trials are taken over where they would be the same; as if it had not been
            said when that is not there.
        visibility : str
            `private`, `team` or `link`: who sees it, besides its owner, who is whoever launches it.
        launch_key : str, optional
            Random text, the same where a launch is sent again: then the experiment that is there already is returned.

        Raises
        ------
        NotFound
            The configuration names a stored data set that is not there.
        InvalidInput
            No name, or one that is too long; tags that are no short words; no such visibility; or more trials than an
            experiment, or the user in one, may have.
        Forbidden
            It is to wait, and the user has as many experiments that wait or run as they may have.
        Conflict
            The key is that of another experiment.
        """
        tagged, public_id = checked_tags(tags), new_id(self._actor, launch_key)
        values = {
            "public_id": public_id,
            "name": checked_name("experiment", config.name),
            "total": n_trials,
            "tags": " ".join(tagged),
            "visibility": checked_visibility(visibility),
        }
        with self._database.session(writes=True) as session:
            now = self._database.now(session)
            if launch_key is not None and (known := launched_before(session, self._actor, public_id, config)):
                return experiment_record(known, now)
            require_trials(session, self._actor, config, n_trials)
            if runner is None:  # what is imported neither waits nor runs
                require_turn(session, self._actor)
            names = dataset_names(session, self._actor, config)
            named = with_names(config, names)
            row = self._new_row(session, now, named, extends, values)
            if runner is not None:
                acquire_lease(row, runner, now, lease_seconds)
            session.add(row)
            session.flush()
            words = [*words_of(named, names), *({"kind": "tag", "word": tag, "label": tag} for tag in tagged)]
            session.execute(insert(WordRow), [{"experiment_id": row.id, **word} for word in words])
            self._database.notices.announce(session)
            self._bind_datasets(session, row, config)
            self._note_experiment(session, now, "launched", row)
            return experiment_record(row, now)

    @allowed("view")
    def get_experiment(self, experiment_id: str) -> ExperimentRecord:
        """Return an experiment as it stands; raise `NotFound`, or `InvalidConfig` where it cannot be read here."""
        found = self._records(select(ExperimentRow).where(ExperimentRow.public_id == experiment_id))
        if not found:
            raise missing_experiment(experiment_id)
        if found[0].unreadable is not None:
            raise InvalidConfig(found[0].unreadable)
        return found[0] if self._actor.may("read") else replace(found[0], **_HIDDEN)

    @allowed("read")
    def find_experiment(self, config: ExperimentConfig) -> ExperimentRecord | None:
        """Return the newest experiment launched with this very configuration, or None."""
        with self._database.session() as session:
            named = with_names(config, dataset_names(session, self._actor, config))
        texts = {config_to_text(one) for one in (config, named)}
        earlier = [*((form, False) for form in range(1, FORMAT)), (1, True)]
        texts |= {
            config_to_text(one, format=form, former_names=former) for one in (config, named) for form, former in earlier
        }
        query = select(ExperimentRow).where(ExperimentRow.config.in_(texts))
        found = self._records(query.order_by(ExperimentRow.id.desc()).limit(1))
        return found[0] if found else None

    @allowed("change")
    def reopen_experiment(
        self,
        experiment_id: str,
        *,
        runner: str | None = None,
        lease_seconds: float = 10.0,
        retry: bool = False,
        from_snapshots: bool = False,
    ) -> ExperimentRecord:
        """Let an experiment that is over go on with its missing trials: as `waiting`, or in the hands of `runner`.

        Parameters
        ----------
        retry : bool
            Whether the trials that failed are forgotten, so that they are missing too.
        from_snapshots : bool
            Whether streams that failed go on from their snapshots then.

        Raises
        ------
        NotFound
            No such experiment.
        Conflict
            It is not over (`take_experiment` finds out), or finished without a gap, or its trials cannot be planned.
        """
        with self._database.session(writes=True) as session:
            row, now = changeable_experiment(session, self._actor, experiment_id), self._database.now(session)
            if row.state in {"running", "cancelling"}:
                raise Conflict(f"{row.name}: is being run by another program, wait for its end")
            if row.state not in FINAL_STATES:
                raise Conflict(f"{row.name}: is not over, it {'is paused' if row.paused else 'waits for its turn'}")
            if row.state == "finished" and row.done == row.total and not (retry and row.failed):
                raise Conflict(f"{row.name}: is finished, none of its {row.done:,} trials is missing")
            if row.state == "failed" and row.total == 0:
                raise Conflict(f"{row.name}: its trials cannot be planned, {row.message}")
            require_turn(session, self._actor)
            row.state, row.message, row.started, row.finished = "waiting", with_origin(None, row.message), None, None
            self._note_experiment(session, now, "reopened", row)
            if retry:
                failed = (TrialRow.experiment_id == row.id, TrialRow.error.is_not(None))
                if not from_snapshots:
                    forget_streams(session, row, select(TrialRow.key).where(*failed))
                session.execute(delete(TrialRow).where(*failed))
                forget_packed(session, row.id)
                row.done, row.failed = row.done - row.failed, 0
            rewind_streams(session, row)
            self._database.notices.announce(session)
            if runner is not None:
                acquire_lease(row, runner, now, lease_seconds)
            return experiment_record(row, now)

    @allowed("read")
    def list_experiments(
        self, limit: int = 50, offset: int = 0, names: Collection[str] | None = None
    ) -> list[ExperimentRecord]:
        """Return `limit` experiments, the newest first, after `offset` others; only those of certain `names`, if wished."""
        query = select(ExperimentRow).order_by(ExperimentRow.id.desc()).limit(limit).offset(offset)
        if names is not None:
            query = query.where(ExperimentRow.name.in_(names))
        return self._records(query)

    @allowed("read")
    def count_experiments(self) -> int:
        """Return how many experiments there are."""
        with self._database.session() as session:
            return session.execute(select(func.count(ExperimentRow.id)).where(self._visible())).scalar_one()

    @allowed("change")
    def rename_experiment(self, experiment_id: str, name: str) -> ExperimentRecord:
        """Give an experiment another name; its configuration stays as it was launched.

        Raises
        ------
        InvalidInput
            No name, or one that is too long.
        NotFound
            No such experiment.
        """
        trimmed = checked_name("experiment", name)
        with self._database.session(writes=True) as session:
            row = changeable_experiment(session, self._actor, experiment_id)
            now, row.name = self._database.now(session), trimmed
            self._note_experiment(session, now, "renamed", row)
            return experiment_record(row, now)

    @allowed("change")
    def set_experiment_visibility(self, experiment_id: str, visibility: Visibility) -> ExperimentRecord:
        """Say who sees an experiment.

        Raises
        ------
        InvalidInput
            No such visibility.
        NotFound
            No such experiment.
        Forbidden
            It belongs to somebody else.
        """
        wanted = checked_visibility(visibility)
        with self._database.session(writes=True) as session:
            row = changeable_experiment(session, self._actor, experiment_id)
            now, row.visibility = self._database.now(session), wanted
            self._note_experiment(session, now, f"shown to {wanted}", row)
            return experiment_record(row, now)

    @allowed("change")
    def delete_experiment(self, experiment_id: str) -> None:
        """Put an experiment into the bin; a runner that is at it stops. Raise `NotFound` or `Forbidden`."""
        self._sum_ahead(experiment_id)
        with self._database.session(writes=True) as session:
            row = changeable_experiment(session, self._actor, experiment_id)
            now = self._database.now(session)
            if row.state not in FINAL_STATES:
                finish(session, row, "cancelled", None, now)
            row.deleted = now
            self._note_experiment(session, now, "deleted", row)

    @allowed("change")
    def request_cancel(self, experiment_id: str) -> ExperimentRecord:
        """Ask for an end: at once when nobody runs it, else its runner stops within seconds. Raise `NotFound`.

        Trials that have ended stay. An experiment that is over stays as it is.
        """
        lease = ExperimentRow.lease_until
        self._sum_ahead(experiment_id, or_(lease.is_(None), lease <= self._database.moment()))
        with self._database.session(writes=True) as session:
            row = changeable_experiment(session, self._actor, experiment_id)
            now = self._database.now(session)
            if row.state not in FINAL_STATES:
                self._note_experiment(session, now, "cancelled", row)
            is_held = row.lease_until is not None and row.lease_until > now
            if row.state == "running" and is_held:
                row.state = "cancelling"
            elif row.state == "waiting" or (row.state in {"running", "cancelling"} and not is_held):
                finish(session, row, "cancelled", None, now)
            self._database.notices.announce(session)
            return experiment_record(row, now)

    def _sum_ahead(self, experiment_id: str, *still: ColumnElement[bool]) -> None:
        """Sum the curves of an experiment that who asks may end, and that has not ended, before others have to wait."""
        with self._database.session() as session:
            changeable_experiment(session, self._actor, experiment_id, lock=False)
        sum_ahead(self._database, experiment_id, ExperimentRow.state.not_in(FINAL_STATES), *still)

    def _new_row(
        self, session: Session, now: datetime, config: ExperimentConfig, extends: str | None, values: dict[str, Any]
    ) -> ExperimentRow:
        there = select(ExperimentRow.public_id).where(ExperimentRow.public_id == extends, self._visible())
        return ExperimentRow(
            state="waiting",
            config=config_to_text(config),
            created=now,
            done=0,
            failed=0,
            extends=session.scalar(there),
            user_id=self._actor.user_id,
            **values,
        )

    def _bind_datasets(self, session: Session, row: ExperimentRow, config: ExperimentConfig) -> None:
        for sha256 in stored_datasets(config):
            held = readable_dataset(session, self._actor, sha256, lock=True)  # else it could go into the bin meanwhile
            session.add(ExperimentDatasetRow(experiment_id=row.id, dataset_id=held.row.id))

    def _note_experiment(self, session: Session, now: datetime, action: str, row: ExperimentRow) -> None:
        write_audit(session, self._actor, now, action, "experiment", row.public_id, row.name)
