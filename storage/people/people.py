"""Who signs in, as whom, and what admins say of them."""

import json
import os
from collections.abc import Callable, Mapping
from datetime import timedelta
from string import ascii_lowercase, ascii_uppercase

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from ensembles.data.names import clean_name, clean_text
from ensembles.errors import Forbidden, InvalidInput, NotFound, StorageError
from storage.access import ROLES, Actor, Role
from storage.people.audit import write_audit
from storage.people.limits import Limits, checked_limits, limits_of
from storage.people.records import UserRecord
from storage.people.rows import UserRow
from storage.repository import Repository, allowed

__all__ = ["PeopleRepository", "actor_of", "default_role", "known_as", "refuse_locked"]

_LONGEST_SUBJECT = 500
_SMALL_LETTERS = str.maketrans(ascii_uppercase, ascii_lowercase)
_SEEN_AGAIN = timedelta(minutes=1)  # pages ask at every click; what they write must not be more than that


class PeopleRepository(Repository):
    """Let people in, and look after them."""

    @allowed("program")
    def sign_in(self, subject: str, name: str, email: str | None = None) -> Actor:
        """Return who acts for somebody whose identity was proved, with the role of now; to be asked at every request.

        The first one ever becomes an admin, unless `ENSEMBLE_LAB_ADMINS` names admins by subject or address, separated by
        commas; others get `ENSEMBLE_LAB_ROLE`, `member` without it.

        Parameters
        ----------
        subject : str
            Who it is to whoever proved it, for ever the same and nobody else's: issuer and subject.
        name : str
            What to call them.
        email : str, optional
            Only one that was proved too: who has that of an admin becomes one.

        Raises
        ------
        Forbidden
            An admin has locked them.
        InvalidInput
            The subject is no text of 1 to 500 characters that can be shown, or the setting is no role.
        """
        if not 1 <= len(subject) <= _LONGEST_SUBJECT or clean_text(subject) != subject:
            raise InvalidInput(f"sign-in: the subject must have 1 to {_LONGEST_SUBJECT} characters, got {len(subject)}")
        told = (clean_name(name).strip() or clean_name(email or subject), email and clean_name(email))
        named = select(UserRow).where(UserRow.subject == subject)
        with self._database.session() as session:
            known, now = session.scalars(named).one_or_none(), self._database.now(session)
            if known is not None and (known.name, known.email) == told and now - known.seen < _SEEN_AGAIN:
                return actor_of(refuse_locked(known))
        try:
            return self._let_in(subject, told, waits=known is None)
        except StorageError:
            if known is None:
                raise
            return actor_of(refuse_locked(known))  # a full disk can be read, and a page need not wait for who writes

    def _let_in(self, subject: str, told: tuple[str, str | None], *, waits: bool) -> Actor:
        """Note that somebody is here, and since when, as whom."""
        named = select(UserRow).where(UserRow.subject == subject)
        with self._database.session(writes=True, waits=waits) as session:
            _hold_people(session)
            row, now = session.scalars(named).one_or_none(), self._database.now(session)
            if row is None:
                row = UserRow(subject=subject, role=_first_role(session, subject, told[1]), created=now, seen=now)
                session.add(row)
                before = None
            else:
                refuse_locked(row)
                before = row.seen.date()
            if _is_named_admin(subject, told[1]):
                row.role = "admin"
            (row.name, row.email), row.seen = told, now
            session.flush()
            if before != now.date():
                write_audit(session, actor_of(row), now, "signed in", "user", str(row.id), row.role)
            return actor_of(row)

    @allowed("administrate")
    def list_users(self) -> list[UserRecord]:
        """Return everybody who has signed in, by name."""
        with self._database.session() as session:
            return [
                _record(row) for row in session.scalars(select(UserRow).order_by(func.lower(UserRow.name), UserRow.id))
            ]

    @allowed("administrate")
    def set_role(self, user_id: int, role: Role) -> UserRecord:
        """Give somebody another role.

        Raises
        ------
        InvalidInput
            No such role.
        NotFound
            Nobody has this number.
        Forbidden
            There would be no admin left.
        """
        if role not in ROLES:
            raise InvalidInput(f"role: must be one of {', '.join(ROLES)}, got {role!r}")

        def change(row: UserRow) -> None:
            row.role = role

        return self._change(user_id, change, "made " + role)

    @allowed("administrate")
    def set_locked(self, user_id: int, locked: bool) -> UserRecord:
        """Refuse somebody from now on, with their links and tokens, or no longer.

        Raises
        ------
        NotFound
            Nobody has this number.
        Forbidden
            There would be no admin left.
        """

        def change(row: UserRow) -> None:
            row.locked = locked

        return self._change(user_id, change, "locked" if locked else "unlocked")

    @allowed("administrate")
    def set_limits(self, user_id: int, limits: Mapping[str, int | None]) -> UserRecord:
        """Say what differs for somebody from the limits of everybody; those that are not named are as for everybody.

        Raises
        ------
        InvalidInput
            No such limit, or no whole number.
        NotFound
            Nobody has this number.
        """
        checked = json.dumps(checked_limits("limits", limits))

        def change(row: UserRow) -> None:
            row.limits = checked

        return self._change(user_id, change, "limited", checked)

    @allowed("read")
    def get_limits(self) -> Limits:
        """Return the limits of who asks."""
        with self._database.session() as session:
            return limits_of(session, self._actor)

    def _change(self, user_id: int, change: Callable[[UserRow], None], action: str, detail: str = "") -> UserRecord:
        with self._database.session(writes=True) as session:
            _hold_people(session)
            row = session.get(UserRow, user_id)
            if row is None:
                raise NotFound(f"there is no user {user_id}")
            was_admin = _is_admin(row)
            change(row)
            session.flush()
            admins = select(func.count()).where(UserRow.role == "admin", UserRow.locked.is_(False))
            if was_admin and not _is_admin(row) and not session.scalar(admins):
                raise Forbidden(f"{row.name}: is the last admin, make somebody else one first")
            now = self._database.now(session)
            write_audit(session, self._actor, now, action, "user", str(row.id), detail or row.name)
            return _record(row)


def actor_of(row: UserRow) -> Actor:
    """Return who acts for a user."""
    return Actor("user", row.id, row.name, row.role)  # type: ignore[arg-type]


def known_as(text: str) -> str:
    """Return a subject or an address in the form in which it is compared: A to Z are small, all else stays as it is.

    More would let people in as others: "straße" is "strasse" for `str.casefold`, and the Kelvin sign a "k" for `str.lower`.
    """
    return text.translate(_SMALL_LETTERS)


def refuse_locked(row: UserRow) -> UserRow:
    """Return the row of a user; raise `Forbidden` when an admin has locked them."""
    if row.locked:
        raise Forbidden(f"{row.name}: this account is locked, ask an admin")
    return row


def _is_admin(row: UserRow) -> bool:
    return row.role == "admin" and not row.locked


def _hold_people(session: Session) -> None:
    """Let nobody else change people before this is over: else two could be the first, and two the last admin."""
    if session.get_bind().dialect.name != "sqlite":  # which lets one write at a time
        session.execute(text("LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE"))


def default_role() -> str:
    """Return the role of who comes first without being an admin; raise `InvalidInput` where the setting is none."""
    default = os.environ.get("ENSEMBLE_LAB_ROLE", "").strip() or "member"
    if default not in ROLES:
        raise InvalidInput(f"ENSEMBLE_LAB_ROLE: must be one of {', '.join(ROLES)}, got {default!r}")
    return default


def _first_role(session: Session, subject: str, email: str | None) -> str:
    default = default_role()
    if _admins():
        return "admin" if _is_named_admin(subject, email) else default
    return default if session.scalar(select(func.count()).select_from(UserRow)) else "admin"


def _is_named_admin(subject: str, email: str | None) -> bool:
    return bool({known_as(subject), known_as(email or subject)} & _admins())


def _admins() -> set[str]:
    named = os.environ.get("ENSEMBLE_LAB_ADMINS", "").split(",")
    return {known_as(one.strip()) for one in named} - {""}


def _record(row: UserRow) -> UserRecord:
    return UserRecord(
        id=row.id,
        subject=row.subject,
        name=row.name,
        email=row.email,
        role=row.role,  # type: ignore[arg-type]
        locked=row.locked,
        created=row.created,
        seen=row.seen,
        limits=json.loads(row.limits),
    )
