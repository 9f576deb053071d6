"""The commands about tokens."""

import json
from argparse import Namespace
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

from ensembles.errors import InvalidInput, NotFound
from runner.commands.columns import print_columns
from storage import PROGRAM, Actor, Storage, TokenRecord, UserRecord, open_storage
from storage.people.people import known_as

__all__ = ["create_token", "list_tokens", "revoke_token"]

_MOST_DAYS = 3650


def create_token(wanted: Namespace) -> int:
    """Make a token for somebody, or for the program, and print it."""
    if not 0 < wanted.days <= _MOST_DAYS:
        raise InvalidInput(f"days must be above 0 and at most {_MOST_DAYS:,}, got {wanted.days:,.12g}")
    expires = datetime.now(UTC) + timedelta(days=wanted.days)
    with open_storage(wanted.database) as storage:
        actor = PROGRAM if wanted.user is None else _actor_of(_find_user(storage, wanted.user))
        record, token = storage.acting_as(actor).create_token(wanted.name, wanted.scopes, expires)
    print(json.dumps({**_plain(record), "token": token}, ensure_ascii=False) if wanted.json else token)
    return 0


def list_tokens(wanted: Namespace) -> int:
    """List the tokens of somebody, or of everybody."""
    with open_storage(wanted.database, makes=False) as storage:
        users = storage.list_users() if wanted.user is None else [_find_user(storage, wanted.user)]
        actors = [*([PROGRAM] if wanted.user is None else []), *map(_actor_of, users)]
        found = [record for actor in actors for record in storage.acting_as(actor).list_tokens()]
    if wanted.json:
        print(json.dumps([_plain(record) for record in found], indent=2, ensure_ascii=False))
    else:
        rows = [_row(record) for record in found]
        print_columns(("Id", "Name", "User", "Scopes", "Good until", "Last used"), rows)
    return 0


def revoke_token(wanted: Namespace) -> int:
    """End a token."""
    with open_storage(wanted.database, makes=False) as storage:
        storage.revoke_token(wanted.id)
    print(json.dumps({"id": wanted.id, "revoked": True}) if wanted.json else f"Token {wanted.id} is revoked")
    return 0


def _find_user(storage: Storage, name: str) -> UserRecord:
    users, wanted = storage.list_users(), known_as(name)
    alike = [user for user in users if wanted in {known_as(one) for one in (user.subject, user.email) if one}]
    found = [user for user in alike if user.subject == name] or alike
    if len(found) != 1:
        said = "nobody" if not found else f"{len(found)} people"
        raise NotFound(f"user: must be the address of one who has signed in, {said} has {name!r}")
    return found[0]


def _actor_of(user: UserRecord) -> Actor:
    return Actor("user", user.id, user.name, user.role)


def _plain(record: TokenRecord) -> dict[str, Any]:
    facts = asdict(record)
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in facts.items()}


def _row(record: TokenRecord) -> tuple[str, ...]:
    until = "revoked" if record.revoked else _day(record.expires) or "for ever"
    owner = record.user_name or "the program"
    return (str(record.id), record.name, owner, " ".join(record.scopes), until, _day(record.last_used) or "never")


def _day(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d %H:%M} UTC"
