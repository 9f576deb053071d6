"""Tokens: what a program may with one, and that nobody finds it in the database."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from ensembles.errors import Forbidden, InvalidInput, NotFound
from storage import Scope, Storage
from storage.access import SCOPES
from storage.database import Database
from storage.location import database_url
from storage.people import tokens as tokens_module
from tests.storage.conftest import make_config, make_dataset
from tests.storage.people import ISSUER, sign_in

REFUSED = "^the token is unknown, expired or revoked$"


def test_a_token_acts_for_its_user(storage: Storage) -> None:
    mia = sign_in(storage, "Mia")
    record, token = mia.create_token(" Nightly  run ", ["launch", "read"])
    assert (record.name, record.scopes, record.user_name) == ("Nightly run", ("read", "launch"), "Mia")
    assert token.startswith("lab_")
    assert len(token) > 40
    actor, scopes = storage.open_token(token)
    assert (actor.user_id, actor.role, scopes) == (mia.actor.user_id, "member", {"read", "launch"})
    launched = storage.acting_as(actor).create_experiment(make_config())
    assert mia.get_experiment(launched.id).user_name == "Mia"
    [listed] = mia.list_tokens()
    assert listed.last_used is not None


def test_the_token_itself_is_not_stored(storage: Storage, url: str) -> None:
    _, token = storage.create_token("CI", ["read"])
    database = Database(database_url(url))
    with database.session() as session:
        rows = str(session.execute(text("SELECT * FROM api_tokens")).all())
    database.close()
    assert token not in rows
    assert token.removeprefix("lab_") not in rows


@pytest.mark.parametrize("scope", SCOPES)
def test_a_scope_allows_one_thing(storage: Storage, scope: Scope) -> None:
    root = storage.acting_as(storage.sign_in("root", "Root"))
    acting = storage.acting_as(storage.open_token(root.create_token("CI", [scope])[1])[0])
    calls: dict[str, Callable[[], object]] = {
        "read": acting.list_experiments,
        "launch": lambda: acting.create_experiment(make_config()),
        "data": lambda: acting.save_dataset(make_dataset()),
        "admin": acting.list_users,
        "no scopes": lambda: acting.create_token("Another", ["read"]),
    }
    calls.pop(scope)()
    for call in calls.values():
        with pytest.raises(Forbidden, match=r"^a token must have .* got '"):
            call()


def test_a_token_may_never_more_than_its_user(storage: Storage) -> None:
    reader, root = sign_in(storage, "Rea", "reader"), sign_in(storage, "Ada", "admin")
    with pytest.raises(Forbidden, match=r"^one must be a member to change experiments, got a reader$"):
        reader.create_token("CI", ["launch"])
    _, token = root.create_token("CI", ["read", "admin"])
    assert root.actor.user_id is not None
    storage.set_role(root.actor.user_id, "reader")
    acting = storage.acting_as(storage.open_token(token)[0])
    assert acting.list_experiments() == []
    with pytest.raises(Forbidden, match="one must be an admin"):
        acting.list_users()


def test_what_an_admin_hides_from_a_token_stays_hidden(storage: Storage) -> None:
    mia, root = sign_in(storage, "Mia"), sign_in(storage, "Ada", "admin")
    hidden = mia.create_experiment(make_config(), visibility="private")
    acting = storage.acting_as(storage.open_token(root.create_token("CI", ["read", "launch"])[1])[0])
    assert root.get_experiment(hidden.id) == hidden
    with pytest.raises(NotFound):
        acting.delete_experiment(hidden.id)


def test_a_token_that_is_over_is_refused_in_the_same_words(storage: Storage, url: str) -> None:
    mia = sign_in(storage, "Mia")
    record, token = mia.create_token("CI", ["read"])
    soon = datetime.now(UTC) + timedelta(hours=1)
    _, expired = mia.create_token("Short", ["read"], expires=soon)
    storage.open_token(expired)
    database = Database(database_url(url))
    with database.connection() as connection:
        connection.execute(text("UPDATE api_tokens SET expires = '2020-01-01 00:00:00' WHERE expires IS NOT NULL"))
    database.close()
    mia.revoke_token(record.id)
    for refused in (token, expired, "lab_unknown", "", "\udfff"):
        with pytest.raises(Forbidden, match=REFUSED):
            storage.open_token(refused)
    _, another = mia.create_token("CI", ["read"])
    assert mia.actor.user_id is not None
    storage.set_locked(mia.actor.user_id, True)
    with pytest.raises(Forbidden, match=REFUSED):
        storage.open_token(another)


def test_tokens_of_others_are_theirs(storage: Storage) -> None:
    mia, bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
    record, token = mia.create_token("CI", ["read"])
    assert bob.list_tokens() == []
    with pytest.raises(NotFound, match=f"there is no token {record.id}"):
        bob.revoke_token(record.id)
    storage.open_token(token)
    sign_in(storage, "Ada", "admin").revoke_token(record.id)
    with pytest.raises(Forbidden, match=REFUSED):
        storage.open_token(token)


def test_where_nobody_signs_in_tokens_are_the_programs(storage: Storage) -> None:
    _, token = storage.create_token("CI", ["read"])
    acting = storage.acting_as(storage.open_token(token)[0])
    record = storage.create_experiment(make_config())
    assert acting.get_experiment(record.id) == record
    with pytest.raises(Forbidden, match=r"^a token must have the scope 'launch' to change experiments, got 'read'$"):
        acting.delete_experiment(record.id)
    with pytest.raises(Forbidden, match=r"^only the program itself may do this, got a token$"):
        acting.claim_experiment("me", 10.0)


def test_what_no_token_can_be_is_refused(storage: Storage) -> None:
    past = datetime.now(UTC) - timedelta(seconds=1)
    for said, made in (
        ("token: its scopes must be some of read, launch, data, admin, got none", ("CI", [], None)),
        ("token: its scopes must be some of read, launch, data, admin, got all", ("CI", ["all"], None)),
        ("token: its end must be later than now", ("CI", ["read"], past)),
        ("token: the moment of its end must have a zone", ("CI", ["read"], past.replace(tzinfo=None))),
        ("token: the name must have 1 to 200 characters, got 0", (" ", ["read"], None)),
    ):
        with pytest.raises(InvalidInput, match=said):
            storage.create_token(*made)  # type: ignore[arg-type]
    assert storage.list_tokens() == []


def test_tokens_that_are_over_leave_room_for_others(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens_module, "_MOST_TOKENS", 2)
    mia = sign_in(storage, "Mia")
    revoked, _ = mia.create_token("first", ["read"])
    mia.revoke_token(revoked.id)
    mia.create_token("short", ["read"], datetime.now(UTC) + timedelta(seconds=1))
    mia.create_token("third", ["read"])
    with pytest.raises(Forbidden, match=r"^tokens: you may have at most 2 that are good, revoke one first$"):
        mia.create_token("too many", ["read"])
    time.sleep(1.1)
    assert mia.create_token("fourth", ["read"])[0].name == "fourth"


def test_who_writes_for_long_keeps_nobody_waiting_who_only_asks(storage: Storage, url: str) -> None:
    _, token = sign_in(storage, "Mia").create_token("CI", ["read"])
    writer = Database(database_url(url))
    begun = time.monotonic()
    with writer.session(writes=True) as session:
        session.execute(text("SELECT 1"))
        assert storage.open_token(token)[0].name == "Mia by token CI"
        assert storage.sign_in(f"{ISSUER} Mia", "Mia", "mia@example.org, a new one").name == "Mia"
    writer.close()
    assert time.monotonic() - begun < 10.0


@pytest.mark.parametrize("number", [-1, 2**31, 2**63])
def test_a_number_that_no_token_can_have_is_none(storage: Storage, number: int) -> None:
    with pytest.raises(NotFound, match=rf"^there is no token {number}$"):
        storage.revoke_token(number)
