"""The frozen records of people, and of what they share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ensembles.experiments.config import ExperimentConfig
from storage.access import Role, Scope
from storage.records import DatasetRecord, ExperimentRecord

__all__ = ["AuditRecord", "Bin", "CommentRecord", "LinkRecord", "PresetRecord", "TokenRecord", "UserRecord"]


@dataclass(frozen=True)
class UserRecord:
    """Somebody who has signed in.

    Attributes
    ----------
    subject : str
        Who it is to whoever vouches for them.
    email : str or None
    locked : bool
        Whether they are refused.
    limits : mapping
        What differs from the limits of everybody, by the names of `Limits`; None: no limit.
    created, seen : datetime
        When they first signed in, and were last seen, in UTC.
    """

    id: int
    subject: str
    name: str
    email: str | None
    role: Role
    locked: bool
    created: datetime
    seen: datetime
    limits: Mapping[str, int | None] = field(default_factory=dict)


@dataclass(frozen=True)
class TokenRecord:
    """What a program shows instead of signing in, but for the token itself, which is told once.

    Attributes
    ----------
    name : str
        What it is for.
    scopes : tuple of str
        What it is good for: `read`, `launch`, `data`, `admin`.
    user_id, user_name : int, str or None
        For whom the program acts; None: for the program itself.
    created, expires, revoked, last_used : datetime or None
        In UTC.
    """

    id: int
    name: str
    scopes: tuple[Scope, ...]
    user_id: int | None
    user_name: str | None
    created: datetime
    expires: datetime | None
    revoked: datetime | None
    last_used: datetime | None


@dataclass(frozen=True)
class LinkRecord:
    """A link that shows one view of some experiments to whoever has it, but for its token, which is told once.

    Attributes
    ----------
    experiments : tuple of str
        Ids of those that it shows and that are still there, in their order.
    page, view : str
        The page, and the address of the view after its question mark.
    needs_sign_in : bool
    user_id, user_name : int, str or None
        Who made it.
    created, expires, revoked, last_opened : datetime or None
        In UTC.
    opened : int
        How often.
    """

    id: int
    experiments: tuple[str, ...]
    page: str
    view: str
    needs_sign_in: bool
    user_id: int | None
    user_name: str | None
    created: datetime
    expires: datetime | None
    revoked: datetime | None
    last_opened: datetime | None
    opened: int


@dataclass(frozen=True)
class CommentRecord:
    """What somebody said about an experiment: text, to be shown as it is."""

    id: int
    user_id: int
    user_name: str
    text: str
    created: datetime


@dataclass(frozen=True)
class PresetRecord:
    """What a new experiment can start from, as somebody saved it.

    Attributes
    ----------
    name : str
        There is no other one of it.
    readable : ExperimentConfig or None
        An experiment whose learners, protocol, measures and curves are meant; None where this installation cannot read it.
    user_id, user_name : int, str or None
        Who saved it; None: the program itself.
    created : datetime
        When it was first saved, in UTC.
    """

    name: str
    readable: ExperimentConfig | None
    user_id: int | None
    user_name: str | None
    created: datetime


@dataclass(frozen=True)
class AuditRecord:
    """Who did what.

    Attributes
    ----------
    moment : datetime
        In UTC.
    user_id : int or None
        None: the program, or whoever has a link.
    who : str
        Their name as it was then.
    action, kind, subject, detail : str
        What was done, to what kind of thing, to which, and what else is worth telling.
    """

    id: int
    moment: datetime
    user_id: int | None
    who: str
    action: str
    kind: str
    subject: str
    detail: str


@dataclass(frozen=True)
class Bin:
    """What was deleted and can be restored."""

    experiments: tuple[ExperimentRecord, ...]
    datasets: tuple[DatasetRecord, ...]
