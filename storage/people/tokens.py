"""Tokens, which programs show where people sign in. Only their hashes are kept."""

import hashlib
import secrets
from collections.abc import Collection
from contextlib import suppress
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from ensembles.errors import Forbidden, InvalidInput, NotFound, StorageError
from storage.access import PROGRAM, SCOPES, Actor, Scope, require_scope
from storage.people.audit import write_audit
from storage.people.people import actor_of
from storage.people.records import TokenRecord
from storage.people.rows import TokenRow, UserRow
from storage.repository import Repository, allowed, checked_name

__all__ = ["TokenRepository", "hash_of"]

_PREFIX, _RANDOM_BYTES = "lab_", 32
_MOST_TOKENS = 100  # of a user, that are neither revoked nor over
_USED_AGAIN = timedelta(minutes=1)
_MOST_ID = 2**31 - 1  # of PostgreSQL
_REFUSED = "the token is unknown, expired or revoked"


class TokenRepository(Repository):
    """Make, open, list and revoke tokens."""

    @allowed("token")
    def create_token(
        self, name: str, scopes: Collection[Scope], expires: datetime | None = None
    ) -> tuple[TokenRecord, str]:
        """Make a token by which a program may act for who asks; it is told here and never again.

        Parameters
        ----------
        scopes : collection of str
            `read`: see what its user sees; `launch`: launch and change experiments; `data`: store and change data sets;
            `admin`: what admins may. Never more than its user may when it is shown.
        expires : datetime, optional
            Until when it is good; it needs a zone.

        Raises
        ------
        InvalidInput
            No name, no scope or an unknown one, a moment without a zone or that is over.
        Forbidden
            The user may not do what a scope allows, or has too many tokens.
        """
        trimmed, wanted = checked_name("token", name), _checked_scopes(self._actor, scopes)
        token = _PREFIX + secrets.token_urlsafe(_RANDOM_BYTES)
        with self._database.session(writes=True) as session:
            now = self._database.now(session)
            if sum(_is_good(row, now) for row in self._own(session)) >= _MOST_TOKENS:
                raise Forbidden(f"tokens: you may have at most {_MOST_TOKENS} that are good, revoke one first")
            row = TokenRow(
                token_hash=hash_of(token),
                user_id=self._actor.user_id,
                name=trimmed,
                scopes=" ".join(wanted),
                created=now,
                expires=checked_expiry("token", expires, now),
            )
            session.add(row)
            session.flush()
            write_audit(session, self._actor, now, "made", "token", str(row.id), f"{trimmed}: {row.scopes}")
            return _record(row), token

    @allowed("program")
    def open_token(self, token: str) -> tuple[Actor, frozenset[Scope]]:
        """Return who acts with a token, and what it is good for; to be asked at every request.

        Raises
        ------
        Forbidden
            It is unknown, expired or revoked, or its user is locked: all in the same words.
        """
        query = select(TokenRow, UserRow).outerjoin(UserRow, UserRow.id == TokenRow.user_id)
        with self._database.session() as session:
            found = session.execute(query.where(TokenRow.token_hash == hash_of(token))).one_or_none()
            now = self._database.now(session)
        if found is None:
            raise Forbidden(_REFUSED)
        row, user = found
        is_over = row.revoked is not None or (row.expires is not None and row.expires <= now)
        if is_over or (user is not None and user.locked):
            raise Forbidden(_REFUSED)
        if row.last_used is None or now - row.last_used > _USED_AGAIN:
            self._note_use(row.id, now)
        acting = PROGRAM if user is None else actor_of(user)
        scopes: frozenset[Scope] = frozenset(row.scopes.split())  # type: ignore[arg-type]
        named = f"{acting.name} by token {row.name}"
        return Actor(acting.kind, acting.user_id, named, acting.role, scopes=scopes), scopes

    @allowed("token")
    def list_tokens(self) -> list[TokenRecord]:
        """Return the tokens of who asks, the newest first; of the program those that are nobody's."""
        with self._database.session() as session:
            return [_record(row) for row in self._own(session)]

    @allowed("token")
    def revoke_token(self, token_id: int) -> None:
        """End a token of one's own, or of anybody as an admin; raise `NotFound`."""
        with self._database.session(writes=True) as session:
            row = session.get(TokenRow, token_id) if token_id <= _MOST_ID else None
            if row is None or not (self._actor.sees_all or row.user_id == self._actor.user_id):
                raise NotFound(f"there is no token {token_id}")
            if row.revoked is None:
                row.revoked = now = self._database.now(session)
                write_audit(session, self._actor, now, "revoked", "token", str(row.id), row.name)

    def _own(self, session: Session) -> list[TokenRow]:
        query = select(TokenRow).where(TokenRow.user_id.is_not_distinct_from(self._actor.user_id))
        return [*session.scalars(query.order_by(TokenRow.id.desc()))]

    def _note_use(self, number: int, now: datetime) -> None:
        # a full disk can be read, and who asks does not wait for who writes
        with suppress(StorageError), self._database.session(writes=True, lasts=False, waits=False) as session:
            session.get_one(TokenRow, number).last_used = now


def hash_of(token: str) -> str:
    """Return what is kept of a token: it is random and long, so a plain hash tells nothing of it."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def checked_expiry(what: str, expires: datetime | None, now: datetime) -> datetime | None:
    """Return until when something is good; raise `InvalidInput` for a moment without a zone, or that is over."""
    if expires is not None and expires.tzinfo is None:
        raise InvalidInput(f"{what}: the moment of its end must have a zone, got {expires}")
    if expires is not None and expires <= now:
        raise InvalidInput(f"{what}: its end must be later than now, got {expires}")
    return expires


def _checked_scopes(actor: Actor, scopes: Collection[Scope]) -> list[Scope]:
    if not scopes or (unknown := set(scopes) - set(SCOPES)):
        got = ", ".join(sorted(unknown)) if scopes else "none"
        raise InvalidInput(f"token: its scopes must be some of {', '.join(SCOPES)}, got {got}")
    wanted = [scope for scope in SCOPES if scope in scopes]
    for scope in wanted:
        require_scope(actor, scope)
    return wanted


def _is_good(row: TokenRow, now: datetime) -> bool:
    return row.revoked is None and (row.expires is None or row.expires > now)


def _record(row: TokenRow) -> TokenRecord:
    return TokenRecord(
        id=row.id,
        name=row.name,
        scopes=tuple(row.scopes.split()),  # type: ignore[arg-type]
        user_id=row.user_id,
        user_name=row.user_name,
        created=row.created,
        expires=row.expires,
        revoked=row.revoked,
        last_used=row.last_used,
    )
