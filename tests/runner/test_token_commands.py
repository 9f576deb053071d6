"""Tokens on the command line: told once, and never again."""

import json

import pytest

from runner.command_line import main
from storage import Storage
from tests.storage.people import sign_in


def test_a_token_acts_for_the_user_that_it_was_made_for(
    storage: Storage, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = sign_in(storage, "Olga")
    made = ["token", "create", "--user", "OLGA@example.org", "--scopes", "read, launch", "--days", "7", "nightly"]
    assert main([*made, "--database", url]) == 0
    token = capsys.readouterr().out.strip()
    actor, scopes = storage.open_token(token)
    assert (actor.user_id, scopes) == (owner.actor.user_id, {"read", "launch"})
    (record,) = owner.list_tokens()
    assert record.expires is not None
    assert (record.expires - record.created).days in {6, 7}
    assert main(["token", "list", "--database", url]) == 0
    listed = capsys.readouterr().out
    assert {"nightly", "Olga", "read launch"} <= {cell.strip() for cell in listed.splitlines()[-1].split("  ")}
    assert token not in listed
    assert main(["token", "revoke", str(record.id), "--database", url]) == 0
    assert capsys.readouterr().out == f"Token {record.id} is revoked\n"
    assert main(["token", "list", "--user", "olga@example.org", "--json", "--database", url]) == 0
    assert json.loads(capsys.readouterr().out)[0]["revoked"] is not None


def test_a_token_of_nobody_acts_for_the_program(storage: Storage, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["token", "create", "--scopes", "data", "--json", "--database", url, "uploads"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert storage.open_token(told["token"])[0].kind == "program"
    assert (told["scopes"], told["user_id"]) == (["data"], None)


def test_a_user_is_found_by_a_subject_or_an_address_and_nobody_by_nothing(
    storage: Storage, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first = storage.sign_in("proxy Olga", "Olga")
    made = ["token", "create", "--scopes", "read", "--database", url, "nightly", "--user"]
    for name in ("proxy Olga", "Proxy OLGA"):
        assert main([*made, name]) == 0
        assert storage.open_token(capsys.readouterr().out.strip())[0].user_id == first.user_id
    assert main([*made, "  "]) == main([*made, ""]) == 2
    assert "nobody has ''" in capsys.readouterr().err
    second = storage.sign_in("proxy olga", "Another")
    for name, user in (("proxy Olga", first), ("proxy olga", second)):
        assert main([*made, name]) == 0
        assert storage.open_token(capsys.readouterr().out.strip())[0].user_id == user.user_id
    assert main([*made, "PROXY OLGA"]) == 2
    assert "2 people has 'PROXY OLGA'" in capsys.readouterr().err


def test_a_user_is_not_found_by_what_only_looks_alike(
    storage: Storage, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    storage.sign_in("x", "Somebody", "stra\u00dfe@example.org")
    made = ["token", "create", "--scopes", "read", "--database", url, "nightly", "--user"]
    assert main([*made, "strasse@example.org"]) == 2
    assert "nobody has 'strasse@example.org'" in capsys.readouterr().err
    assert main([*made, "STRA\u00dfE@example.org"]) == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["create", "--user", "x@y", "--scopes", "read", "a"], "user: must be the address of one who has signed in"),
        (
            ["create", "--scopes", "write", "a"],
            "token: its scopes must be some of read, launch, data, admin, got write",
        ),
        (["create", "--scopes", "read", "--days", "0", "a"], "days must be above 0 and at most 3,650, got 0"),
        (["create", "--scopes", "read", ""], "token: the name must have 1 to 200 characters, got 0"),
        (["revoke", "7"], "there is no token 7"),
    ],
)
@pytest.mark.usefixtures("storage")
def test_what_cannot_be_is_said_in_a_sentence(
    url: str, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["token", *arguments, "--database", url]) == 2
    assert sentence in capsys.readouterr().err
