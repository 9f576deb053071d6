"""Experiments as users see them: create, read, list, rename, delete, wish for an end."""

import secrets
import string
from collections.abc import Collection, Iterable

from sqlalchemy import delete, func, insert, select

from ensembles.errors import StorageError
from ensembles.experiments.config import FORMAT, ExperimentConfig
from storage.experiment_rows import (
    acquire_lease,
    config_to_text,
    experiment_record,
    finish,
    get_experiment_row,
    missing_experiment,
)
from storage.models import ExperimentDatasetRow, ExperimentRow, TrialRow, WordRow
from storage.named_datasets import dataset_names, stored_datasets, with_names
from storage.records import ExperimentRecord
from storage.repository import checked_name, get_dataset_row
from storage.search import SearchRepository
from storage.words import checked_tags, words_of

__all__ = ["ExperimentRepository"]

_ALPHABET = string.ascii_letters + string.digits


class ExperimentRepository(SearchRepository):
    """Everything about experiments that a page may do."""

    def create_experiment(
        self,
        config: ExperimentConfig,
        *,
        n_trials: int | None = None,
        runner: str | None = None,
        lease_seconds: float = 10.0,
        tags: Iterable[str] = (),
        extends: str | None = None,
    ) -> ExperimentRecord:
        """Store a new experiment: `waiting` for a runner, or already `running` for the runner called `runner`.

        Parameters
        ----------
        extends : str, optional
            Id of an experiment whose finished trials are taken over where they would be the same.

        Raises
        ------
        NotFound
            The configuration names a stored data set that is not there.
        InvalidInput
            No name, or one that is too long; or tags that are no short words.
        """
        name, tagged = checked_name("experiment", config.name), checked_tags(tags)
        with self._database.session(writes=True) as session:
            now = self._database.now(session)
            names = dataset_names(session, config)
            named = with_names(config, names)
            row = ExperimentRow(
                public_id="".join(secrets.choice(_ALPHABET) for _ in range(12)),
                name=name,
                state="waiting",
                config=config_to_text(named),
                created=now,
                total=n_trials,
                done=0,
                failed=0,
                tags=" ".join(tagged),
                extends=extends,
            )
            if runner is not None:
                acquire_lease(row, runner, now, lease_seconds)
            session.add(row)
            session.flush()
            words = [*words_of(named, names), *({"kind": "tag", "word": tag, "label": tag} for tag in tagged)]
            session.execute(insert(WordRow), [{"experiment_id": row.id, **word} for word in words])
            self._database.notices.announce(session)
            for sha256 in stored_datasets(config):
                dataset = get_dataset_row(session, sha256)
                session.add(ExperimentDatasetRow(experiment_id=row.id, dataset_id=dataset.id))
            return experiment_record(row, now)

    def get_experiment(self, experiment_id: str) -> ExperimentRecord:
        """Return an experiment as it stands; raise `NotFound`."""
        found = self._records(select(ExperimentRow).where(ExperimentRow.public_id == experiment_id))
        if not found:
            raise missing_experiment(experiment_id)
        return found[0]

    def find_experiment(self, config: ExperimentConfig) -> ExperimentRecord | None:
        """Return the newest experiment launched with this very configuration, or None."""
        with self._database.session() as session:
            named = with_names(config, dataset_names(session, config))
        texts = {config_to_text(one) for one in (config, named)}
        earlier = [*((form, False) for form in range(1, FORMAT)), (1, True)]
        texts |= {
            config_to_text(one, format=form, former_names=former) for one in (config, named) for form, former in earlier
        }
        query = select(ExperimentRow).where(ExperimentRow.config.in_(texts))
        found = self._records(query.order_by(ExperimentRow.id.desc()).limit(1))
        return found[0] if found else None

    def reopen_experiment(
        self, experiment_id: str, *, runner: str | None = None, lease_seconds: float = 10.0, retry: bool = False
    ) -> ExperimentRecord:
        """Let an experiment that is over go on with its missing trials: as `waiting`, or in the hands of `runner`.

        Parameters
        ----------
        retry : bool
            Whether the trials that failed are forgotten, so that they are missing too.

        Raises
        ------
        NotFound
            No such experiment.
        StorageError
            It is not over: a runner is at it, or was; `take_experiment` finds out.
        """
        with self._database.session(writes=True) as session:
            row = get_experiment_row(session, experiment_id, lock=True)
            now = self._database.now(session)
            if row.state in {"running", "cancelling"}:
                raise StorageError(f"{row.name}: is being run by another program, wait for its end")
            row.state, row.message, row.started, row.finished = "waiting", None, None, None
            if retry:
                session.execute(delete(TrialRow).where(TrialRow.experiment_id == row.id, TrialRow.error.is_not(None)))
                row.done, row.failed = row.done - row.failed, 0
            self._database.notices.announce(session)
            if runner is not None:
                acquire_lease(row, runner, now, lease_seconds)
            return experiment_record(row, now)

    def list_experiments(
        self, limit: int = 50, offset: int = 0, names: Collection[str] | None = None
    ) -> list[ExperimentRecord]:
        """Return `limit` experiments, the newest first, after `offset` others; only those of certain `names`, if wished."""
        query = select(ExperimentRow).order_by(ExperimentRow.id.desc()).limit(limit).offset(offset)
        if names is not None:
            query = query.where(ExperimentRow.name.in_(names))
        return self._records(query)

    def count_experiments(self) -> int:
        """Return how many experiments there are."""
        with self._database.session() as session:
            return session.execute(select(func.count(ExperimentRow.id))).scalar_one()

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
            row = get_experiment_row(session, experiment_id, lock=True)
            row.name = trimmed
            return experiment_record(row, self._database.now(session))

    def delete_experiment(self, experiment_id: str) -> None:
        """Delete an experiment with its trials; a runner that is at it stops. Raise `NotFound`."""
        with self._database.session(writes=True) as session:
            session.delete(get_experiment_row(session, experiment_id, lock=True))

    def request_cancel(self, experiment_id: str) -> ExperimentRecord:
        """Ask for an end: at once when nobody runs it, else its runner stops within seconds. Raise `NotFound`.

        Trials that have ended stay. An experiment that is over stays as it is.
        """
        with self._database.session(writes=True) as session:
            row = get_experiment_row(session, experiment_id, lock=True)
            now = self._database.now(session)
            is_held = row.lease_until is not None and row.lease_until > now
            if row.state == "running" and is_held:
                row.state = "cancelling"
            elif row.state == "waiting" or (row.state in {"running", "cancelling"} and not is_held):
                finish(session, row, "cancelled", None, now)
            self._database.notices.announce(session)
            return experiment_record(row, now)
