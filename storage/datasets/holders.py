"""Who else holds a stored data set, and to whom it goes when its owner deletes it.

Each of them has a bin of their own. One that lies in its owner's bin and is held by others is there for these; it is theirs
alone once it leaves the bin.
"""

from datetime import datetime

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from storage.models import DatasetRow, ExperimentRow
from storage.people.reach import HeldDataset
from storage.people.rows import DatasetHolderRow

__all__ = ["bound", "hand_over", "heirs", "holding_of", "pass_on"]


def heirs(session: Session, held: HeldDataset) -> list[DatasetHolderRow]:
    """Return who holds a data set besides its owner and who would delete it, the first first; not those who deleted it."""
    return [one for one in _holders(session, held.row) if one is not held.holder and one.deleted is None]


def bound(held: HeldDataset, heirs: list[DatasetHolderRow]) -> list[ColumnElement[bool]]:
    """Return which experiments keep a data set from being deleted: of a holder their own, else all but those of heirs.

    All of them, of the last holder of what is in the bin.
    """
    if held.holder is not None:
        is_last = held.row.deleted is not None and not heirs
        return [] if is_last else [ExperimentRow.user_id == held.holder.user_id]
    others = [heir.user_id for heir in heirs]
    return [func.coalesce(ExperimentRow.user_id, 0).not_in(others)] if others else []


def hand_over(session: Session, row: DatasetRow, heir: DatasetHolderRow, now: datetime) -> None:
    """Let a data set belong to who holds it; who had it finds theirs in the bin, but for the program, which has none."""
    told = {"name": row.name, "source": row.source, "visibility": row.visibility, "created": row.created}
    if row.user_id is not None:
        session.add(DatasetHolderRow(dataset_id=row.id, user_id=row.user_id, deleted=now, **told))
    _give(session, row, heir)


def pass_on(session: Session, row: DatasetRow) -> bool:
    """Let a data set that leaves the bin of its owner for good belong to the first who holds it; False where nobody does.

    Before those who deleted it too, in whose bin it stays then, come those who did not.
    """
    found = sorted(_holders(session, row), key=lambda one: one.deleted is not None)
    if found:
        _give(session, row, found[0])
    return bool(found)


def holding_of(session: Session, row: DatasetRow, user_id: int | None) -> DatasetHolderRow | None:
    """Return how a user holds a data set of somebody else, in their bin too."""
    return None if user_id is None else session.get(DatasetHolderRow, (row.id, user_id))


def _give(session: Session, row: DatasetRow, heir: DatasetHolderRow) -> None:
    row.name, row.source, row.visibility = heir.name, heir.source, heir.visibility
    row.user_id, row.created, row.deleted = heir.user_id, heir.created, heir.deleted
    session.delete(heir)


def _holders(session: Session, row: DatasetRow) -> list[DatasetHolderRow]:
    holders = select(DatasetHolderRow).where(DatasetHolderRow.dataset_id == row.id)
    return [*session.scalars(holders.order_by(DatasetHolderRow.created, DatasetHolderRow.user_id))]
