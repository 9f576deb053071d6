"""People who use a database: an admin, who came first, and others."""

from dataclasses import replace

from storage import Storage
from storage.access import Role

__all__ = ["ISSUER", "sign_in"]

ISSUER = "https://id.example"


def sign_in(storage: Storage, name: str, role: Role = "member") -> Storage:
    """Return the storage as somebody with this role sees it."""
    storage.sign_in(f"{ISSUER} Root", "Root", "root@example.org")
    actor = storage.sign_in(f"{ISSUER} {name}", name, f"{name.lower()}@example.org")
    assert actor.user_id is not None
    storage.set_role(actor.user_id, role)
    return storage.acting_as(replace(actor, role=role))
