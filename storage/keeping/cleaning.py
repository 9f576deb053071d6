"""What nobody uses any more: looked for first, and deleted when somebody says so."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, delete, exists, func, or_, select
from sqlalchemy.orm import Session

from ensembles.evaluation.right_or_wrong import RIGHT_ON_STRETCHES, RIGHT_OR_WRONG
from storage.models import CurveRow, DatasetRow, ExperimentDatasetRow, ExperimentRow, TrialRow
from storage.people.audit import write_audit
from storage.people.rows import DatasetHolderRow
from storage.records import FINAL_STATES
from storage.repository import Repository, allowed

__all__ = ["CleaningRepository", "Unused"]

# These are small, and the significance of streams is told by them.
_MAY_GO = CurveRow.name.not_in((RIGHT_OR_WRONG, RIGHT_ON_STRETCHES))


@dataclass(frozen=True)
class Unused:
    """What nobody uses any more.

    Attributes
    ----------
    curves : tuple of (str, str, int)
        Experiments that ended long ago and have no star: id, name, and bytes of their curves, the largest first.
    datasets : tuple of (str, str, int)
        Data sets that all who hold them stored long ago and that no experiment uses, not even one in the bin; none that is
        in anybody's bin itself. SHA-256, name, and bytes, the largest first.
    binned : int
        Experiments and data sets that were put into the bin long ago.
    """

    curves: tuple[tuple[str, str, int], ...]
    datasets: tuple[tuple[str, str, int], ...]
    binned: int


class CleaningRepository(Repository):
    """Find and delete what nobody uses."""

    @allowed("administrate")
    def find_unused(self, older_than: timedelta) -> Unused:
        """Return what has not been used for so long."""
        with self._database.session() as session:
            before = self._database.now(session) - older_than
            length = func.sum(func.length(CurveRow.x) + func.length(CurveRow.y))
            curves = (
                select(ExperimentRow.public_id, ExperimentRow.name, length)
                .join(TrialRow, TrialRow.experiment_id == ExperimentRow.id)
                .join(CurveRow, CurveRow.trial_id == TrialRow.id)
                .where(_is_old(before), _MAY_GO)
                .group_by(ExperimentRow.id)
                .order_by(length.desc(), ExperimentRow.id)
            )
            stored = DatasetRow.packed_bytes
            datasets = select(DatasetRow.sha256, DatasetRow.name, stored).where(_is_idle(before))
            return Unused(
                tuple((public, name, int(size)) for public, name, size in session.execute(curves)),
                tuple(
                    (sha256, name, size)
                    for sha256, name, size in session.execute(datasets.order_by(stored.desc(), DatasetRow.id))
                ),
                _in_bin(session, before),
            )

    @allowed("program")
    def delete_old_curves(self, older_than: timedelta) -> int:
        """Delete the curves of experiments that ended so long ago and have no star; return of how many.

        Their other results stay. One transaction each, so that nobody waits long.
        """
        with self._database.session() as session:
            before = self._database.now(session) - older_than
            query = select(ExperimentRow.id).where(_is_old(before)).order_by(ExperimentRow.id)
            found = session.scalars(query.where(_has_curves())).all()
        deleted = 0
        for number in found:
            mine = select(TrialRow.id).where(TrialRow.experiment_id == number)
            still = select(ExperimentRow).where(ExperimentRow.id == number, _is_old(before)).with_for_update()
            with self._database.session(writes=True) as session:
                row = session.scalars(still).one_or_none()
                if row is not None:
                    session.execute(delete(CurveRow).where(CurveRow.trial_id.in_(mine), _MAY_GO))
                    self._note(session, "curves deleted", "experiment", row.public_id, row.name)
                    deleted += 1
        return deleted

    @allowed("program")
    def delete_idle_datasets(self, older_than: timedelta) -> int:
        """Delete data sets that all who hold them stored so long ago and that no experiment uses; return how many."""
        with self._database.session(writes=True) as session:
            is_idle = _is_idle(self._database.now(session) - older_than)
            # Whoever is storing or using one of them is waited for, and then looked at again.
            session.execute(select(DatasetRow.id).where(is_idle).order_by(DatasetRow.sha256).with_for_update())
            gone = delete(DatasetRow).where(is_idle).returning(DatasetRow.sha256, DatasetRow.name)
            found = session.execute(gone).all()
            for sha256, name in found:
                self._note(session, "deleted for good", "dataset", sha256, name)
        return len(found)

    @allowed("program")
    def give_back_room(self) -> None:
        """Let an SQLite file shrink to what is in it; PostgreSQL uses the room again by itself."""
        if self._database.is_sqlite:
            self._database.compact()

    def _note(self, session: Session, action: str, kind: str, subject: str, name: str) -> None:
        write_audit(session, self._actor, self._database.now(session), action, kind, subject, name)


def _is_old(before: datetime) -> ColumnElement[bool]:
    over = ExperimentRow.state.in_(FINAL_STATES)
    return and_(over, ExperimentRow.finished < before, ExperimentRow.starred.is_(False))


def _has_curves() -> ColumnElement[bool]:
    return exists().where(CurveRow.trial_id == TrialRow.id, TrialRow.experiment_id == ExperimentRow.id, _MAY_GO)


def _is_idle(before: datetime) -> ColumnElement[bool]:
    used = exists().where(ExperimentDatasetRow.dataset_id == DatasetRow.id)
    young = or_(DatasetHolderRow.created >= before, DatasetHolderRow.deleted.is_not(None))
    held = exists().where(DatasetHolderRow.dataset_id == DatasetRow.id, young)
    return and_(DatasetRow.created < before, DatasetRow.deleted.is_(None), ~used, ~held)


def _in_bin(session: Session, before: datetime) -> int:
    tables = (ExperimentRow, DatasetRow, DatasetHolderRow)
    counts = (select(func.count()).select_from(table).where(table.deleted < before) for table in tables)
    return sum(session.execute(count).scalar_one() for count in counts)
