"""The JSON interface without a server, asked by people with tokens."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.applications import Starlette
from starlette.testclient import TestClient

from server.api.routes import api_routes
from storage import Storage
from storage.access import Scope
from tests.storage.people import sign_in

__all__ = ["client_of", "everybody", "headers_of", "token_of"]


def client_of(
    storage: Storage, *, people_sign_in: bool = True, address: str = "127.0.0.1", **options: Any
) -> TestClient:
    """Return what asks the interface over `storage`, from an address."""
    find = storage if callable(storage) else lambda: storage
    app = Starlette(routes=api_routes(find, lambda: people_sign_in))
    return TestClient(app, base_url="http://localhost/api/v1", client=(address, 50000), **options)


def token_of(person: Storage, *scopes: Scope, days: float | None = None) -> str:
    """Return a token of whoever this storage acts for."""
    expires = None if days is None else datetime.now(UTC) + timedelta(days=days)
    return person.create_token("test", scopes, expires)[1]


def headers_of(token: str) -> dict[str, str]:
    """Return the headers that show a token."""
    return {"Authorization": f"Bearer {token}"}


def everybody(storage: Storage) -> dict[str, dict[str, str]]:
    """Return the headers of each kind of asker; an owner called Olga and another member, a reader, an admin."""
    owner, member, reader = (sign_in(storage, name) for name in ("Olga", "Max", "Rita"))
    reader = sign_in(storage, "Rita", "reader")
    admin = sign_in(storage, "Ada", "admin")
    most: Collection[Scope] = ("read", "launch", "data")
    over, revoked = token_of(owner, *most, days=1), token_of(owner, *most)
    owner.revoke_token(owner.list_tokens()[0].id)
    with storage._database.connection() as connection:
        connection.exec_driver_sql("UPDATE api_tokens SET expires = '2020-01-01' WHERE expires IS NOT NULL")
    return {
        "no token": {},
        "wrong token": headers_of("lab_wrong"),
        "expired": headers_of(over),
        "revoked": headers_of(revoked),
        "owner, read": headers_of(token_of(owner, "read")),
        "owner, launch": headers_of(token_of(owner, "launch")),
        "owner, data": headers_of(token_of(owner, "data")),
        "owner": headers_of(token_of(owner, *most)),
        "reader": headers_of(token_of(reader, "read")),
        "member": headers_of(token_of(member, *most)),
        "admin": headers_of(token_of(admin, *most, "admin")),
    }
