"""The bin: what was deleted is hidden everywhere, and can be restored until the bin is emptied.

No data set is in the bin that an experiment outside of it uses, but those of people who hold it too, and none leaves it
for good that one inside uses. Of a data set that several hold, each puts their own into the bin and takes it out again.
"""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import ColumnElement, exists, or_, select, true
from sqlalchemy.orm import Session

from ensembles.errors import Conflict
from storage.access import Actor
from storage.datasets.datasets import told_record
from storage.datasets.holders import heirs, holding_of, pass_on
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

_Row = ExperimentRow | DatasetRow | DatasetHolderRow
_TABLES: dict[str, type[ExperimentRow] | type[DatasetRow]] = {"experiment": ExperimentRow, "dataset": DatasetRow}

_USED = exists().where(ExperimentDatasetRow.dataset_id == DatasetRow.id)
_MAY_GO = or_(~_USED, exists().where(DatasetHolderRow.dataset_id == DatasetRow.id))


class BinRepository(Repository):
    """See what was deleted, restore it, or delete it for good."""

    @allowed("read")
    def list_bin(self) -> Bin:
        """Return what who asks has deleted, or for one who sees all everybody, the newest deed first.

        Of a data set that several have deleted, one who sees all is shown the one that would be restored first.
        """
        newest = (ExperimentRow.deleted.desc(), ExperimentRow.id)
        with self._database.session() as session:
            now = self._database.now(session)
            experiments = session.scalars(select(ExperimentRow).where(self._in_bin(ExperimentRow)).order_by(*newest))
            datasets = [told_record(session, self._actor, held) for held in self._binned_datasets(session)]
            return Bin(
                tuple(experiment_record(row, now) for row in experiments),
                tuple(sorted(datasets, key=lambda record: record.deleted or now, reverse=True)),
            )

    @allowed("change")
    def restore_experiment(self, experiment_id: str) -> ExperimentRecord:
        """Take an experiment out of the bin, with its data sets; one that had not ended was cancelled.

        What others have deleted comes back only where nobody holds it any more.

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
            used = [HeldDataset(one, holding_of(session, one, row.user_id)) for one in _used_datasets(session, row)]
            gone = [held for held in used if held.deleted is not None]
            binned = [held for held in gone if held.user_id == row.user_id or not heirs(session, held)]
            own = [held.row.packed_bytes for held in binned if held.user_id == row.user_id]
            self._require_room(session, row, sum(own))
            for one in (row, *((held.holder or held.row) for held in binned)):
                one.deleted = None
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
            held = self._binned_dataset(session, sha256)
            self._require_room(session, held.holder or held.row, held.row.packed_bytes)
            (held.holder or held.row).deleted = None
            write_audit(session, self._actor, self._database.now(session), "restored", "dataset", sha256, held.name)
            return told_record(session, self._actor, held)

    @allowed("change")
    def purge_experiment(self, experiment_id: str) -> None:
        """Delete an experiment that is in the bin for good, with its trials; raise `NotFound`."""
        with self._database.session(writes=True) as session:
            row = self._binned_experiment(session, experiment_id)
            self._purge(session, "experiment", row.public_id, row)

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
            held = self._binned_dataset(session, sha256)
            bound = select(DatasetRow.id).where(DatasetRow.id == held.row.id, ~_MAY_GO)
            if held.holder is None and session.scalar(bound) is not None:
                raise Conflict(f"{held.name}: cannot be deleted for good, an experiment in the bin uses it")
            self._purge(session, "dataset", sha256, held.holder or held.row)

    @allowed("administrate")
    def empty_bin(self, older_than: timedelta = timedelta(days=BIN_DAYS)) -> tuple[int, int]:
        """Delete for good what has been in the bin for longer; return how many experiments and data sets there were.

        One transaction each, so that others wait for none of it.
        """
        experiments, holdings = self._empty("experiment", older_than, true()), self._empty_of_holders(older_than)
        return experiments, holdings + self._empty("dataset", older_than, _MAY_GO)

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
                    self._purge(session, kind, row.public_id if isinstance(row, ExperimentRow) else row.sha256, row)
                    gone += 1
        return gone

    def _empty_of_holders(self, older_than: timedelta) -> int:
        gone = 0
        with self._database.session() as session:
            is_old = DatasetHolderRow.deleted < self._database.now(session) - older_than
            found = session.execute(select(DatasetHolderRow.dataset_id, DatasetHolderRow.user_id).where(is_old)).all()
        for number, user_id in found:
            mine = (DatasetHolderRow.dataset_id == number, DatasetHolderRow.user_id == user_id)
            with self._database.session(writes=True) as session:  # the data set is held first, as whoever restores does
                row = session.scalars(select(DatasetRow).where(DatasetRow.id == number).with_for_update()).one_or_none()
                holder = session.scalars(select(DatasetHolderRow).where(*mine, is_old)).one_or_none()
                if row is not None and holder is not None:
                    self._purge(session, "dataset", row.sha256, holder)
                    gone += 1
        return gone

    def _purge(self, session: Session, kind: str, subject: str, row: _Row) -> None:
        write_audit(session, self._actor, self._database.now(session), "deleted for good", kind, subject, row.name)
        if not (isinstance(row, DatasetRow) and pass_on(session, row)):
            session.delete(row)

    def _require_room(self, session: Session, row: _Row, n_bytes: int) -> None:
        """Hold who owns what comes back to their limit, whoever restores it: it counts as theirs afterwards."""
        whose = "yours" if row.user_id == self._actor.user_id else f"those of {row.user_name}"
        if n_bytes:
            require_room(session, Actor("user", row.user_id), n_bytes, whose)

    def _in_bin(self, table: type[_Row]) -> ColumnElement[bool]:
        own = true() if self._actor.sees_all else table.user_id == self._actor.user_id
        return table.deleted.is_not(None) & own

    def _binned_experiment(self, session: Session, experiment_id: str) -> ExperimentRow:
        wanted = select(ExperimentRow).where(ExperimentRow.public_id == experiment_id, self._in_bin(ExperimentRow))
        row = session.scalars(wanted.with_for_update()).one_or_none()
        if row is None:
            raise missing_experiment(experiment_id)
        return row

    def _binned_dataset(self, session: Session, sha256: str) -> HeldDataset:
        """Return a data set in the bin of who asks, held against other writers after who owns it."""
        wanted = DatasetRow.sha256 == sha256
        for held in self._binned_datasets(session, wanted):
            take_turn(session, Actor("user", held.user_id))
        session.execute(select(DatasetRow.id).where(wanted).with_for_update())
        session.expire_all()
        if not (found := self._binned_datasets(session, wanted)):
            raise missing_dataset(sha256)
        return found[0]

    def _binned_datasets(self, session: Session, wanted: ColumnElement[bool] | None = None) -> list[HeldDataset]:
        """Return the data sets in the bin of who asks, each once: as their own, else its owner's, else another's."""
        is_wanted = true() if wanted is None else wanted
        owned = session.scalars(select(DatasetRow).where(is_wanted, self._in_bin(DatasetRow)))
        holders = select(DatasetRow, DatasetHolderRow).join(DatasetHolderRow)
        holders = holders.where(is_wanted, self._in_bin(DatasetHolderRow)).order_by(DatasetHolderRow.user_id)
        found = [HeldDataset(row, None) for row in owned]
        found += [HeldDataset(row, holder) for row, holder in session.execute(holders)]
        first: dict[int, HeldDataset] = {}
        for held in sorted(found, key=lambda held: held.user_id != self._actor.user_id):
            first.setdefault(held.row.id, held)
        return [*first.values()]


def _used_datasets(session: Session, row: ExperimentRow) -> Sequence[DatasetRow]:
    """Return the data sets of an experiment, held against other writers in the order in which launches hold them."""
    used = select(ExperimentDatasetRow.dataset_id).where(ExperimentDatasetRow.experiment_id == row.id)
    found = select(DatasetRow).where(DatasetRow.id.in_(used)).order_by(DatasetRow.sha256)
    return session.scalars(found.with_for_update()).all()
