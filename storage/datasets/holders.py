"""Who else holds a stored data set, and to whom it goes when its owner deletes it."""

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from storage.models import DatasetRow, ExperimentRow
from storage.people.reach import HeldDataset
from storage.people.rows import DatasetHolderRow

__all__ = ["bound", "heirs", "pass_on"]


def heirs(session: Session, held: HeldDataset) -> list[DatasetHolderRow]:
    """Return who holds what an owner would delete, the first first."""
    if held.holder is not None:
        return []
    holders = select(DatasetHolderRow).where(DatasetHolderRow.dataset_id == held.row.id)
    return [*session.scalars(holders.order_by(DatasetHolderRow.created, DatasetHolderRow.user_id))]


def bound(held: HeldDataset, heirs: list[DatasetHolderRow]) -> list[ColumnElement[bool]]:
    """Return which experiments keep a data set from being deleted: of a holder their own, else all but those of heirs."""
    if held.holder is not None:
        return [ExperimentRow.user_id == held.holder.user_id]
    others = [heir.user_id for heir in heirs]
    return [func.coalesce(ExperimentRow.user_id, 0).not_in(others)] if others else []


def pass_on(session: Session, row: DatasetRow, heir: DatasetHolderRow) -> None:
    """Let a data set belong to who holds it, under their name."""
    row.name, row.source, row.visibility = heir.name, heir.source, heir.visibility
    row.user_id, row.created = heir.user_id, heir.created
    session.delete(heir)
