"""The bin: what was deleted is hidden everywhere, and can be restored until the bin is emptied.

No data set is in the bin that an experiment outside of it uses, but those of people who hold it too, and none leaves it
for good that one inside uses.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import TypeVar

from sqlalchemy import ColumnElement, exists, or_, select, true
from sqlalchemy.orm import Session

from ensembles.errors import Conflict, NotFound
from storage.access import Actor
from storage.datasets.datasets import dataset_record
from storage.datasets.holders import heirs, is_holder, pass_on
from storage.experiments.rows import experiment_record, missing_experiment
from storage.models import DatasetRow, ExperimentDatasetRow, ExperimentRow
from storage.people.audit import write_audit
from storage.people.limits import require_room, take_turn
from storage.people.reach import HeldDataset, missing_dataset
from storage.people.records import Bin
from storage.people.rows import DatasetHolderRow
from storage.records import DatasetRecord, ExperimentRecord
from storage.repository import Repository, allowed

__all__ = ["BIN_DAYS", "BinRepository"]

BIN_DAYS = 30

_Row = TypeVar("_Row", ExperimentRow, DatasetRow)
_TABLES: dict[str, type[ExperimentRow] | type[DatasetRow]] = {"experiment": ExperimentRow, "dataset": DatasetRow}

_USED = exists().where(ExperimentDatasetRow.dataset_id == DatasetRow.id)
_MAY_GO = or_(~_USED, exists().where(DatasetHolderRow.dataset_id == DatasetRow.id))


class BinRepository(Repository):
    """See what was deleted, restore it, or delete it for good."""

    @allowed("read")
    def list_bin(self) -> Bin:
        """Return what who asks has deleted, or for one who sees all everybody, the newest deed first."""
        with self._database.session() as session:
            now = self._database.now(session)
            experiments, datasets = (
                session.scalars(select(table).where(self._in_bin(table)).order_by(table.deleted.desc(), table.id)).all()
                for table in (ExperimentRow, DatasetRow)
            )
            return Bin(
                tuple(experiment_record(row, now) for row in experiments),  # type: ignore[arg-type]
                tuple(dataset_record(HeldDataset(row, None), 0) for row in datasets),  # type: ignore[arg-type]
            )

    @allowed("change")
    def restore_experiment(self, experiment_id: str) -> ExperimentRecord:
        """Take an experiment out of the bin, with its data sets; one that had not ended was cancelled.

        Raises
        ------
        NotFound
            It is not in the bin of who asks.
        Forbidden
            With those of its data sets that come back, its owner would have more than they may store.
        """
        with self._database.session(writes=True) as session:
            row, now = self._binned_experiment(session, experiment_id), self._database.now(session)
            take_turn(session, Actor("user", row.user_id))
            used = _used_datasets(session, row)
            binned = [one for one in used if one.deleted is not None and not is_holder(session, one, row.user_id)]
            own = [one.packed_bytes for one in binned if one.user_id == row.user_id]
            self._require_room(session, row, sum(own))
            for one in binned:
                one.deleted = None
            row.deleted = None
            write_audit(session, self._actor, now, "restored", "experiment", row.public_id, row.name)
            return experiment_record(row, now)

    @allowed("upload")
    def restore_dataset(self, sha256: str) -> DatasetRecord:
        """Take a data set out of the bin.

        Raises
        ------
        NotFound
            It is not in the bin of who asks.
        Forbidden
            With it, its owner would have more than they may store.
        """
        with self._database.session(writes=True) as session:
            owner = select(DatasetRow.user_id).where(DatasetRow.sha256 == sha256, self._in_bin(DatasetRow))
            take_turn(session, Actor("user", session.scalar(owner)))
            row = self._binned_dataset(session, sha256)
            self._require_room(session, row, row.packed_bytes)
            row.deleted = None
            write_audit(session, self._actor, self._database.now(session), "restored", "dataset", sha256, row.name)
            return dataset_record(HeldDataset(row, None), 0)

    @allowed("change")
    def purge_experiment(self, experiment_id: str) -> None:
        """Delete an experiment that is in the bin for good, with its trials; raise `NotFound`."""
        with self._database.session(writes=True) as session:
            self._purge(session, "experiment", self._binned_experiment(session, experiment_id))

    @allowed("upload")
    def purge_dataset(self, sha256: str) -> None:
        """Delete a data set that is in the bin for good; where others hold it, it belongs to the first of these.

        Raises
        ------
        NotFound
            It is not in the bin of who asks.
        Conflict
            An experiment in the bin uses it, which could not be restored without.
        """
        with self._database.session(writes=True) as session:
            row = self._binned_dataset(session, sha256)
            if session.scalar(select(DatasetRow.id).where(DatasetRow.id == row.id, ~_MAY_GO)) is not None:
                raise Conflict(f"{row.name}: cannot be deleted for good, an experiment in the bin uses it")
            self._purge(session, "dataset", row)

    @allowed("administrate")
    def empty_bin(self, older_than: timedelta = timedelta(days=BIN_DAYS)) -> tuple[int, int]:
        """Delete for good what has been in the bin for longer; return how many experiments and data sets there were.

        One transaction each, so that others wait for none of it.
        """
        return self._empty("experiment", older_than, true()), self._empty("dataset", older_than, _MAY_GO)

    def _empty(self, kind: str, older_than: timedelta, may_go: ColumnElement[bool]) -> int:
        table, gone = _TABLES[kind], 0
        with self._database.session() as session:
            is_old = table.deleted < self._database.now(session) - older_than
            numbers = session.scalars(select(table.id).where(is_old).order_by(table.id)).all()
        for number in numbers:
            with self._database.session(writes=True) as session:
                still = select(table).where(table.id == number, is_old, may_go).with_for_update()
                row: ExperimentRow | DatasetRow | None = session.scalars(still).one_or_none()  # type: ignore[assignment]
                if row is not None:
                    self._purge(session, kind, row)
                    gone += 1
        return gone

    def _purge(self, session: Session, kind: str, row: ExperimentRow | DatasetRow) -> None:
        subject = row.public_id if isinstance(row, ExperimentRow) else row.sha256
        write_audit(session, self._actor, self._database.now(session), "deleted for good", kind, subject, row.name)
        if isinstance(row, DatasetRow) and (others := heirs(session, HeldDataset(row, None))):
            pass_on(session, row, others[0])
        else:
            session.delete(row)

    def _require_room(self, session: Session, row: ExperimentRow | DatasetRow, n_bytes: int) -> None:
        """Hold who owns what comes back to their limit, whoever restores it: it counts as theirs afterwards."""
        whose = "yours" if row.user_id == self._actor.user_id else f"those of {row.user_name}"
        if n_bytes:
            require_room(session, Actor("user", row.user_id), n_bytes, whose)

    def _in_bin(self, table: type[ExperimentRow] | type[DatasetRow]) -> ColumnElement[bool]:
        own = true() if self._actor.sees_all else table.user_id == self._actor.user_id
        return table.deleted.is_not(None) & own

    def _binned_experiment(self, session: Session, experiment_id: str) -> ExperimentRow:
        wanted = (ExperimentRow.public_id == experiment_id, self._in_bin(ExperimentRow))
        return _held(session, ExperimentRow, wanted, missing_experiment(experiment_id))

    def _binned_dataset(self, session: Session, sha256: str) -> DatasetRow:
        wanted = (DatasetRow.sha256 == sha256, self._in_bin(DatasetRow))
        return _held(session, DatasetRow, wanted, missing_dataset(sha256))


def _used_datasets(session: Session, row: ExperimentRow) -> Sequence[DatasetRow]:
    """Return the data sets of an experiment, held against other writers in the order in which launches hold them."""
    used = select(ExperimentDatasetRow.dataset_id).where(ExperimentDatasetRow.experiment_id == row.id)
    found = select(DatasetRow).where(DatasetRow.id.in_(used)).order_by(DatasetRow.sha256)
    return session.scalars(found.with_for_update()).all()


def _held(session: Session, table: type[_Row], wanted: tuple[ColumnElement[bool], ...], missing: NotFound) -> _Row:
    row = session.scalars(select(table).where(*wanted).with_for_update()).one_or_none()
    if row is None:
        raise missing
    return row
