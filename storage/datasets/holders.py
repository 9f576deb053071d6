"""Who else holds a stored data set, and to whom it goes when its owner deletes it.

One that lies in its owner's bin and is held by others is there for these; it is theirs alone once it leaves the bin.
"""

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from storage.models import DatasetRow, ExperimentRow
from storage.people.reach import HeldDataset
from storage.people.rows import DatasetHolderRow

__all__ = ["bound", "heirs", "is_holder", "pass_on"]


def heirs(session: Session, held: HeldDataset) -> list[DatasetHolderRow]:
    """Return who holds a data set besides its owner and who would delete it, the first first."""
    holders = select(DatasetHolderRow).where(DatasetHolderRow.dataset_id == held.row.id)
    found = session.scalars(holders.order_by(DatasetHolderRow.created, DatasetHolderRow.user_id))
    return [one for one in found if one is not held.holder]


def bound(held: HeldDataset, heirs: list[DatasetHolderRow]) -> list[ColumnElement[bool]]:
    """Return which experiments keep a data set from being deleted: of a holder their own, else all but those of heirs.

    All of them, of the last holder of what is in the bin.
    """
    if held.holder is not None:
        is_last = held.row.deleted is not None and not heirs
        return [] if is_last else [ExperimentRow.user_id == held.holder.user_id]
    others = [heir.user_id for heir in heirs]
    return [func.coalesce(ExperimentRow.user_id, 0).not_in(others)] if others else []


def pass_on(session: Session, row: DatasetRow, heir: DatasetHolderRow) -> None:
    """Let a data set belong to who holds it, under their name."""
    row.name, row.source, row.visibility = heir.name, heir.source, heir.visibility
    row.user_id, row.created, row.deleted = heir.user_id, heir.created, None
    session.delete(heir)


def is_holder(session: Session, row: DatasetRow, user_id: int | None) -> bool:
    """Return whether a user holds a data set of somebody else."""
    return user_id is not None and session.get(DatasetHolderRow, (row.id, user_id)) is not None
