"""Who asks, and what they may: the one table of rights. Every repository goes by it; pages only hide what it refuses."""

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import ColumnElement, false, or_, select, true

from ensembles.errors import Forbidden
from storage.models import DatasetRow, ExperimentRow
from storage.people_rows import DatasetHolderRow

__all__ = [
    "NOBODY",
    "PROGRAM",
    "Action",
    "Actor",
    "Role",
    "Visibility",
    "may_change",
    "require",
    "visible_datasets",
    "visible_experiments",
]

Role = Literal["reader", "member", "admin"]

Visibility = Literal["private", "team", "link"]
"""Seen by its owner, by everybody who signed in, by whoever has its address too."""

Action = Literal["read", "launch", "upload", "comment", "share", "change", "administrate"]

_ALLOWED: dict[Role, frozenset[Action]] = {
    "reader": frozenset({"read"}),
    "member": frozenset({"read", "launch", "upload", "comment", "share", "change"}),
    "admin": frozenset({"read", "launch", "upload", "comment", "share", "change", "administrate"}),
}

_TEXTS: dict[Action, str] = {
    "read": "to see anything here",
    "launch": "to launch experiments",
    "upload": "to store data sets",
    "comment": "to comment",
    "share": "to share",
    "change": "to change anything",
    "administrate": "to look after people, limits and the log",
}


@dataclass(frozen=True)
class Actor:
    """Who asks.

    Attributes
    ----------
    kind : str
        `program`: the program itself, a runner, the command line, or everybody where nobody signs in: may do all.
        `user`: somebody who signed in. `link`: whoever has a link to some experiments. `nobody`: a stranger.
    user_id : int or None
        Of a user.
    name : str
        As it stands in the log.
    role : str or None
        Of a user.
    experiments : frozenset of str
        Ids of the experiments that a link shows.
    """

    kind: Literal["program", "user", "link", "nobody"]
    user_id: int | None = None
    name: str = ""
    role: Role | None = None
    experiments: frozenset[str] = frozenset()

    @property
    def sees_all(self) -> bool:
        """Whether nothing is hidden from it."""
        return self.kind == "program" or self.role == "admin"

    def may(self, action: Action) -> bool:
        """Return whether it may do this to what is its own, or to anything for one who sees all."""
        if self.kind == "program":
            return True
        if self.kind == "link":
            return action == "read"
        return self.role is not None and action in _ALLOWED[self.role]


PROGRAM = Actor("program", name="program")
NOBODY = Actor("nobody", name="nobody")


def require(actor: Actor, action: Action) -> None:
    """Raise `Forbidden` when the actor may not do this at all."""
    if not actor.may(action):
        who = {"link": "who has a link", "nobody": "who has not signed in"}.get(actor.kind, f"a {actor.role}")
        needed = "an admin" if action == "administrate" else "a member" if action != "read" else "signed in"
        raise Forbidden(f"one must be {needed} {_TEXTS[action]}, got {who}")


def may_change(actor: Actor, owner_id: int | None) -> bool:
    """Return whether the actor may change, share or delete what belongs to this user; None: to the program."""
    return actor.may("change") and (actor.sees_all or (owner_id is not None and owner_id == actor.user_id))


def visible_experiments(actor: Actor) -> ColumnElement[bool]:
    """Return the condition on `ExperimentRow` under which an experiment is there for the actor; the bin aside."""
    if actor.sees_all:
        return true()
    if actor.kind == "link":
        return ExperimentRow.public_id.in_(actor.experiments)
    if not actor.may("read"):
        return false()
    return or_(ExperimentRow.user_id == actor.user_id, ExperimentRow.visibility != "private")


def visible_datasets(actor: Actor) -> ColumnElement[bool]:
    """Return the condition on `DatasetRow` under which a data set is there for the actor; the bin aside."""
    if actor.sees_all:
        return true()
    if actor.kind == "link" or not actor.may("read"):
        return false()
    held = select(DatasetHolderRow.dataset_id).where(DatasetHolderRow.user_id == actor.user_id)
    return or_(DatasetRow.user_id == actor.user_id, DatasetRow.visibility != "private", DatasetRow.id.in_(held))
