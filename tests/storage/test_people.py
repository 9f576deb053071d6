"""People: who is let in, as what, and who may say so."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from ensembles.errors import Forbidden, InvalidInput, NotFound
from storage import NOBODY, Storage
from tests.storage.people import sign_in


def test_the_first_becomes_an_admin_and_others_members(storage: Storage) -> None:
    first, second = storage.sign_in("a", "Ann", "ann@example.org"), storage.sign_in("b", "Bob")
    assert (first.kind, first.role, first.name) == ("user", "admin", "Ann")
    assert (second.kind, second.role) == ("user", "member")
    assert storage.sign_in("a", "Ann", "ann@example.org") == first
    people = storage.acting_as(first).list_users()
    assert [(one.name, one.email, one.role, one.locked) for one in people] == [
        ("Ann", "ann@example.org", "admin", False),
        ("Bob", None, "member", False),
    ]


def test_of_many_who_come_first_one_becomes_an_admin(storage: Storage) -> None:
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(lambda n: storage.sign_in(f"subject {n}", f"Name {n}").role, range(6)))
    assert sorted(role or "" for role in found) == ["admin", *["member"] * 5]


def test_the_setting_names_admins_and_the_role_of_others(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENSEMBLE_LAB_ADMINS", "Ann@Example.org, issuer|7")
    monkeypatch.setenv("ENSEMBLE_LAB_ROLE", "reader")
    assert storage.sign_in("x", "First", "first@example.org").role == "reader"
    assert storage.sign_in("y", "Ann", "ann@example.ORG").role == "admin"
    assert storage.sign_in("issuer|7", "Seven").role == "admin"
    monkeypatch.setenv("ENSEMBLE_LAB_ROLE", "king")
    with pytest.raises(InvalidInput, match="ENSEMBLE_LAB_ROLE: must be one of reader, member, admin, got 'king'"):
        storage.sign_in("z", "Zoe")


@pytest.mark.parametrize(
    ("named", "subject", "email"),
    [
        ("stra\u00dfe@example.org", "x", "strasse@example.org"),
        ("strasse@example.org", "x", "stra\u00dfe@example.org"),
        ("kim@example.org", "x", "\u212aim@example.org"),
        ("issuer|kim", "issuer|\u212aim", None),
        ("Ä@example.org", "x", "ä@example.org"),
    ],
)
def test_who_is_only_called_nearly_as_an_admin_is_none(
    storage: Storage, monkeypatch: pytest.MonkeyPatch, named: str, subject: str, email: str | None
) -> None:
    monkeypatch.setenv("ENSEMBLE_LAB_ADMINS", named)
    assert storage.sign_in(subject, "Somebody", email).role == "member"
    assert storage.sign_in("issuer|other", "Another", named.upper() if named.isascii() else named).role == "admin"


@pytest.mark.parametrize("subject", ["", "a\0b", "x" * 501])
def test_a_subject_that_could_be_taken_for_another_is_refused(storage: Storage, subject: str) -> None:
    with pytest.raises(InvalidInput, match="sign-in: the subject must have 1 to 500 characters"):
        storage.sign_in(subject, "Ann")


def test_who_is_called_otherwise_stays_the_same(storage: Storage) -> None:
    first = storage.sign_in("a", "Ann")
    again = storage.sign_in("a", "Ann\u202e Smith" + "x" * 300, "ann@example.org")
    assert again.user_id == first.user_id
    [record] = storage.list_users()
    assert record.name.startswith("Ann\ufffd Smith")
    assert len(record.name) <= 200
    assert storage.sign_in("c", "  ", "cy@example.org").name == "cy@example.org"


def test_who_is_locked_is_refused(storage: Storage) -> None:
    sign_in(storage, "Bob")
    bob = next(one for one in storage.list_users() if one.name == "Bob")
    storage.set_locked(bob.id, True)
    with pytest.raises(Forbidden, match=r"^Bob: this account is locked, ask an admin$"):
        storage.sign_in(bob.subject, "Bob", bob.email)
    with pytest.raises(Forbidden, match=r"^Bob: this account is locked, ask an admin$"):
        storage.sign_in(bob.subject, "Robert", bob.email)
    storage.set_locked(bob.id, False)
    assert storage.sign_in(bob.subject, "Bob", bob.email).role == "member"


@pytest.mark.parametrize(
    "change",
    [lambda storage, user: storage.set_role(user, "member"), lambda storage, user: storage.set_locked(user, True)],
)
def test_the_last_admin_stays_one(storage: Storage, change: Callable[[Storage, int], object]) -> None:
    root, bob = storage.sign_in("root", "Root"), storage.sign_in("bob", "Bob")
    assert root.user_id is not None
    assert bob.user_id is not None
    with pytest.raises(Forbidden, match=r"^Root: is the last admin, make somebody else one first$"):
        change(storage.acting_as(root), root.user_id)
    assert storage.sign_in("root", "Root").role == "admin"
    storage.set_role(bob.user_id, "admin")
    change(storage.acting_as(root), root.user_id)


def test_people_are_looked_after_where_no_admin_has_come_yet(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENSEMBLE_LAB_ADMINS", "ann@example.org")
    bob = storage.sign_in("bob", "Bob").user_id
    assert bob is not None
    assert storage.set_limits(bob, {"rows": 5}).limits == {"rows": 5}
    assert storage.set_role(bob, "reader").role == "reader"
    assert [storage.set_locked(bob, locked).locked for locked in (True, False)] == [True, False]
    assert storage.set_role(bob, "admin").role == "admin"
    with pytest.raises(Forbidden, match=r"^Bob: is the last admin, make somebody else one first$"):
        storage.set_role(bob, "member")
    assert storage.set_limits(bob, {}).role == "admin"


def test_only_admins_look_after_people(storage: Storage) -> None:
    member = sign_in(storage, "Mia")
    said = "^one must be an admin to look after people, limits and the log, got a member$"
    for refused in (
        member.list_users,
        lambda: member.set_role(1, "admin"),
        lambda: member.set_locked(1, True),
        lambda: member.set_limits(1, {}),
    ):
        with pytest.raises(Forbidden, match=said):
            refused()
    with pytest.raises(Forbidden, match=r"^only the program itself may do this, got who has not signed in$"):
        storage.acting_as(NOBODY).sign_in("a", "Ann")
    with pytest.raises(NotFound, match="there is no user 77"):
        storage.set_role(77, "reader")
    with pytest.raises(InvalidInput, match="role: must be one of reader, member, admin, got 'king'"):
        storage.set_role(1, "king")  # type: ignore[arg-type]
