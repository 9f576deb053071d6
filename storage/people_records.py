"""The frozen records of people, and of what they share."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from storage.access import Role, Scope

__all__ = ["TokenRecord", "UserRecord"]


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
