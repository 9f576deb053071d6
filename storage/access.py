"""Who asks, and what they may: the one table of rights. Every repository goes by it; pages only hide what it refuses."""

import os
from dataclasses import dataclass
from typing import Literal, get_args

from sqlalchemy import ColumnElement, and_, exists, or_
from sqlalchemy.orm import aliased

from ensembles.errors import Forbidden, InvalidInput
from storage.models import DatasetRow, ExperimentRow
from storage.people.rows import DatasetHolderRow

__all__ = [
    "NOBODY",
    "PROGRAM",
    "ROLES",
    "SCOPES",
    "Action",
    "Actor",
    "Role",
    "Rule",
    "Scope",
    "Visibility",
    "checked_visibility",
    "default_visibility",
    "may_change",
    "require",
    "require_scope",
    "shown_to",
    "visible_datasets",
    "visible_experiments",
]

Role = Literal["reader", "member", "admin"]

Visibility = Literal["private", "team", "link"]
"""Seen by its owner, by everybody who signed in, by whoever has its address too."""

Action = Literal["view", "read", "token", "launch", "upload", "change", "comment", "share", "administrate"]
"""`view` is to open one experiment or data set by its address, `read` to look around, `change` is about experiments."""

Rule = Literal[Action, "program", "everybody"]
"""What a method of the storage asks of who calls it; then it looks at what it is called for."""

Scope = Literal["read", "launch", "data", "admin"]
"""What a token is good for, as far as its user may."""

ROLES: tuple[Role, ...] = get_args(Role)
SCOPES: tuple[Scope, ...] = get_args(Scope)
_VISIBILITIES: tuple[Visibility, ...] = get_args(Visibility)
_SETTING = "ENSEMBLE_LAB_VISIBILITY"

_READER: frozenset[Action] = frozenset({"view", "read", "token"})
_MEMBER: frozenset[Action] = _READER | {"launch", "upload", "change", "comment", "share"}
_ALLOWED: dict[Role, frozenset[Action]] = {
    "reader": _READER,
    "member": _MEMBER,
    "admin": _MEMBER | {"administrate"},
}

_GRANTED: dict[Scope, frozenset[Action]] = {
    "read": frozenset({"view", "read"}),
    "launch": frozenset({"launch", "change"}),
    "data": frozenset({"upload"}),
    "admin": frozenset({"administrate"}),
}

_TEXTS: dict[Action, str] = {
    "view": "to see anything here",
    "read": "to look around here",
    "token": "to make tokens",
    "launch": "to launch experiments",
    "upload": "to store or change data sets",
    "change": "to change experiments",
    "comment": "to comment",
    "share": "to share",
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
    scopes : frozenset of str or None
        What the token of who asks is good for; None without a token.
    """

    kind: Literal["program", "user", "link", "nobody"]
    user_id: int | None = None
    name: str = ""
    role: Role | None = None
    experiments: frozenset[str] = frozenset()
    scopes: frozenset[Scope] | None = None

    @property
    def sees_all(self) -> bool:
        """Whether nothing is hidden from it."""
        return self.kind == "program" or self.may("administrate")

    def may(self, action: Action) -> bool:
        """Return whether it may do this to what is its own, or to anything for one who sees all."""
        if self.scopes is not None and not any(action in _GRANTED[scope] for scope in self.scopes):
            return False
        if self.kind == "program":
            return True
        return action in _ALLOWED[self.role] if self.role is not None else action == "view"


PROGRAM = Actor("program", name="program")
NOBODY = Actor("nobody", name="nobody")


def require(actor: Actor, rule: Rule) -> None:
    """Raise `Forbidden` when the actor may not do this at all."""
    if rule == "everybody":
        return
    who = {"program": "a token", "link": "who has a link", "nobody": "who has not signed in"}.get(
        actor.kind, f"{'an' if actor.role == 'admin' else 'a'} {actor.role}"
    )
    if rule == "program":
        if actor.kind != "program" or actor.scopes is not None:
            raise Forbidden(f"only the program itself may do this, got {who}")
    elif not actor.may(rule):
        if actor.scopes is not None and Actor(actor.kind, role=actor.role).may(rule):
            granting = next((f"the scope {scope!r}" for scope in SCOPES if rule in _GRANTED[scope]), "no scopes")
            got = " ".join(sorted(actor.scopes))
            raise Forbidden(f"a token must have {granting} {_TEXTS[rule]}, got {got!r}")
        needed = "an admin" if rule == "administrate" else "signed in" if rule in _READER else "a member"
        raise Forbidden(f"one must be {needed} {_TEXTS[rule]}, got {who}")


def require_scope(actor: Actor, scope: Scope) -> None:
    """Raise `Forbidden` when the actor may not do all that a token with this scope could."""
    for action in sorted(_GRANTED[scope]):
        require(actor, action)


def may_change(actor: Actor, owner_id: int | None, action: Action = "change") -> bool:
    """Return whether the actor may do this to what belongs to this user; None: to the program."""
    return actor.may(action) and (actor.sees_all or (owner_id is not None and owner_id == actor.user_id))


def checked_visibility(visibility: str, field: str = "visibility") -> Visibility:
    """Return who is to see something; raise `InvalidInput` for another word, which names the `field` that says it."""
    for known in _VISIBILITIES:
        if visibility == known:
            return known
    raise InvalidInput(f"{field}: must be one of {', '.join(_VISIBILITIES)}, got {visibility!r}")


def default_visibility() -> Visibility:
    """Return who sees what is new, unless its owner says otherwise: whom `ENSEMBLE_LAB_VISIBILITY` names, else the team.

    Raises
    ------
    InvalidInput
        The setting is another word.
    """
    return checked_visibility(os.environ.get(_SETTING, "").strip() or "team", _SETTING)


def shown_to(actor: Actor) -> tuple[Visibility, ...]:
    """Return how what belongs to others must be marked to be there for the actor."""
    if actor.kind == "link":
        return ()
    return ("team", "link") if actor.role is not None else ("link",)


def visible_experiments(actor: Actor) -> ColumnElement[bool]:
    """Return the condition on `ExperimentRow` under which an experiment is there for the actor; none in the bin is."""
    kept = ExperimentRow.deleted.is_(None)
    if actor.sees_all:
        return kept
    if actor.kind == "link":
        return and_(kept, ExperimentRow.public_id.in_(actor.experiments))
    return and_(kept, _shown(actor, ExperimentRow))


def visible_datasets(actor: Actor) -> ColumnElement[bool]:
    """Return the condition on `DatasetRow` under which a data set is there for the actor.

    None in the bin is, but for those who hold it too: each has a bin of their own.
    """
    kept, holder = DatasetRow.deleted.is_(None), aliased(DatasetHolderRow)
    held = exists().where(holder.dataset_id == DatasetRow.id, holder.deleted.is_(None))
    if actor.sees_all:
        return or_(kept, held)
    return or_(and_(kept, _shown(actor, DatasetRow)), held.where(_shown(actor, holder)))


def _shown(actor: Actor, table: type[ExperimentRow] | type[DatasetRow] | type[DatasetHolderRow]) -> ColumnElement[bool]:
    shown = table.visibility.in_(shown_to(actor))
    return shown if actor.user_id is None else or_(shown, table.user_id == actor.user_id)  # most are shown: asked first
