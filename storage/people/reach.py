"""Experiments and data sets by their addresses, as far as who asks may see or change them.

What is hidden is not found, in the same words as what was never there.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, func, null, select
from sqlalchemy.orm import Session, aliased

from ensembles.errors import Forbidden, NotFound
from storage.access import Action, Actor, may_change, shown_to, visible_datasets, visible_experiments
from storage.experiments.rows import missing_experiment
from storage.models import DatasetRow, ExperimentRow
from storage.people.rows import DatasetHolderRow

__all__ = [
    "HeldDataset",
    "changeable_experiment",
    "missing_dataset",
    "readable_dataset",
    "readable_experiment",
    "require_owner",
    "select_datasets",
]


def readable_experiment(session: Session, actor: Actor, experiment_id: str, *, lock: bool = False) -> ExperimentRow:
    """Return the row of an experiment that is there for the actor, held against other writers when `lock`."""
    wanted = select(ExperimentRow).where(ExperimentRow.public_id == experiment_id, visible_experiments(actor))
    row = session.scalars(wanted.with_for_update() if lock else wanted).one_or_none()
    if row is None:
        raise missing_experiment(experiment_id)
    return row


def changeable_experiment(session: Session, actor: Actor, experiment_id: str, *, lock: bool = True) -> ExperimentRow:
    """Return the row of an experiment that the actor may change, held against other writers when `lock`.

    Raises
    ------
    NotFound
        It is not there for the actor.
    Forbidden
        It belongs to somebody else.
    """
    row = readable_experiment(session, actor, experiment_id, lock=lock)
    require_owner(actor, row.name, row.user_id, row.user_name)
    return row


def require_owner(actor: Actor, what: str, owner_id: int | None, owner: str | None, action: Action = "change") -> None:
    """Raise `Forbidden`, which names the owner, when the actor may not change what belongs to this user."""
    if not may_change(actor, owner_id, action):
        belongs = "nobody who signs in" if owner_id is None else owner
        raise Forbidden(f"{what}: only its owner and admins may change it; it belongs to {belongs}")


@dataclass(frozen=True)
class HeldDataset:
    """A data set as the actor knows it.

    Attributes
    ----------
    row : DatasetRow
    holder : DatasetHolderRow or None
        By whom the actor knows it, where that is not its owner: the actor, or somebody who shows it.
    """

    row: DatasetRow
    holder: DatasetHolderRow | None

    @property
    def name(self) -> str:
        """What it is called."""
        return (self.holder or self.row).name

    @property
    def source(self) -> str:
        """Where it is from."""
        return (self.holder or self.row).source

    @property
    def created(self) -> datetime:
        """Since when it is here."""
        return (self.holder or self.row).created

    @property
    def user_id(self) -> int | None:
        """To whom it belongs."""
        return (self.holder or self.row).user_id

    @property
    def user_name(self) -> str | None:
        """What they are called."""
        return (self.holder or self.row).user_name

    @property
    def deleted(self) -> datetime | None:
        """Since when it is in the bin of whom it belongs to."""
        return (self.holder or self.row).deleted

    @property
    def visibility(self) -> str:
        """Who sees it."""
        return (self.holder or self.row).visibility


def select_datasets(actor: Actor) -> Select[DatasetRow, DatasetHolderRow]:
    """Return the query of the data sets that are there for the actor, each with the holder that it is known by."""
    through = and_(DatasetHolderRow.dataset_id == DatasetRow.id, DatasetHolderRow.user_id == _known_by(actor))
    found = select(DatasetRow, DatasetHolderRow)
    return found.outerjoin(DatasetHolderRow, through).where(visible_datasets(actor))


def _known_by(actor: Actor) -> ColumnElement[Any]:
    """Return the user by whom the actor knows a data set: the actor, nobody where it shows itself, else who shows it.

    What is in the bin of its owner, or of who holds it, is shown by none of these.
    """
    mine, others = aliased(DatasetHolderRow), aliased(DatasetHolderRow)
    kept, holders = DatasetRow.deleted.is_(None), select(func.min(others.user_id))
    holders = holders.where(others.dataset_id == DatasetRow.id, others.deleted.is_(None))
    if actor.sees_all:
        found = case((kept, null()), else_=holders.scalar_subquery())
    else:
        shown = shown_to(actor)
        who_shows = holders.where(others.visibility.in_(shown)).scalar_subquery()
        found = case((and_(kept, DatasetRow.visibility.in_(shown)), null()), else_=who_shows)
    if actor.user_id is None:
        return found
    is_mine = (mine.dataset_id == DatasetRow.id, mine.user_id == actor.user_id, mine.deleted.is_(None))
    held = func.coalesce(select(mine.user_id).where(*is_mine).scalar_subquery(), found)
    return case((and_(kept, DatasetRow.user_id == actor.user_id), null()), else_=held)


def readable_dataset(session: Session, actor: Actor, sha256: str, *, lock: bool = False) -> HeldDataset:
    """Return a data set that is there for the actor, held against other writers when `lock`; raise `NotFound`."""
    wanted = select_datasets(actor).where(DatasetRow.sha256 == sha256)
    found = session.execute(wanted.with_for_update(of=DatasetRow) if lock else wanted).one_or_none()
    if found is None:
        raise missing_dataset(sha256)
    return HeldDataset(*found)


def missing_dataset(sha256: str) -> NotFound:
    """Return the error that says that there is no such data set."""
    return NotFound(f"there is no stored data set with SHA-256 {sha256!r}; it may have been deleted")
