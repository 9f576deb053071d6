"""A disk that takes no more for a while."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import psycopg
import pytest
from sqlalchemy import URL, Pool, event
from sqlalchemy.exc import OperationalError

from ensembles.errors import StorageError
from ensembles.evaluation.curve import Curve
from storage import Storage, refusals
from storage.database import Database
from storage.people import people
from tests.storage.conftest import make_config
from tests.storage.people import ISSUER, sign_in
from tests.storage.test_trials import counts, plan_of, result_of

_MOST_PAGES = 2**30
_FULL = """
CREATE FUNCTION is_full() RETURNS trigger LANGUAGE plpgsql
AS $$ BEGIN RAISE EXCEPTION 'could not extend file \"base/1/2\"' USING ERRCODE = 'disk_full'; END $$;
CREATE TRIGGER is_full BEFORE INSERT ON curves EXECUTE FUNCTION is_full();
"""


@contextmanager
def full_disk(storage: Storage) -> Iterator[None]:
    """Let there be no room for curves as long as the block lasts."""
    if storage.url.startswith("postgresql"):
        with psycopg.connect(storage.url.replace("+psycopg", ""), autocommit=True) as connection:
            connection.execute(_FULL)
            yield
            connection.execute("DROP FUNCTION is_full CASCADE")
        return
    room = [0]  # SQLite goes by the size of the file when that is larger

    def limit(connection: Any, *_: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {room[0] or 1}")

    event.listen(Pool, "checkout", limit)
    try:
        yield
        room[0] = _MOST_PAGES
        storage.count_experiments()  # the same connection has room again
    finally:
        event.remove(Pool, "checkout", limit)


def test_it_is_said_in_a_sentence_and_nothing_is_half_saved(storage: Storage) -> None:
    experiment = storage.create_experiment(make_config()).id
    curve = Curve(tuple(map(float, range(5000))), tuple(map(float, range(5000))))
    plans = [plan_of(number) for number in range(3)]
    trials = [(plan, replace(result_of(plan), curves={"learning_curve": curve})) for plan in plans]
    with full_disk(storage):
        with pytest.raises(StorageError) as refusal:
            storage.save_trials(experiment, trials)
        assert storage.list_trials(experiment) == [], "it can be read all the while"
    assert str(refusal.value) == "the disk of the database is full: nothing was changed"
    assert counts(storage, experiment) == (0, 0)
    storage.save_trials(experiment, trials)
    assert counts(storage, experiment) == (3, 0)
    assert [result.curves for _, result in storage.list_trials(experiment)] == [{"learning_curve": curve}] * 3


@pytest.mark.parametrize(
    ("code", "free", "writable", "said"),
    [
        (sqlite3.SQLITE_IOERR | 19 << 8, 0, True, "disk I/O error, as its disk is full"),
        (sqlite3.SQLITE_CANTOPEN, 2**30, False, "disk I/O error, as it or its folder can only be read"),
        (sqlite3.SQLITE_IOERR, 2**30, True, "disk I/O error"),
        (sqlite3.SQLITE_ERROR, 0, False, "disk I/O error"),
    ],
)
def test_what_the_disk_has_to_do_with_it_is_said(
    code: int, free: int, writable: bool, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refusals.shutil, "disk_usage", lambda _: Mock(free=free))
    monkeypatch.setattr(refusals.os, "access", lambda *_: writable)
    cause = sqlite3.OperationalError("disk I/O error")
    cause.sqlite_errorcode = code
    url = URL.create("sqlite", database=str(tmp_path / "lab.sqlite"))
    error = refusals.refusal(url, OperationalError("SELECT 1", None, cause))
    assert str(error) == f"the database cannot be used: {said}"
    assert error.detail == f"the database {url} cannot be used: {said}"


def test_who_is_known_comes_in_all_the_while(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    mia = sign_in(storage, "Mia")
    token = mia.create_token("CI", ["read"])[1]
    link = mia.create_link([mia.create_experiment(make_config()).id], "results", "Summary")[1]
    monkeypatch.setattr(people, "_SEEN_AGAIN", timedelta(0))
    session = Database.session

    def reads(self: Database, *, writes: bool = False, **given: bool) -> Any:
        if writes:
            raise StorageError("the disk of the database is full: nothing was changed")
        return session(self, writes=writes, **given)

    monkeypatch.setattr(Database, "session", reads)
    assert storage.sign_in(f"{ISSUER} Mia", "Mia", "mia@example.org") == mia.actor
    assert storage.open_token(token)[0].user_id == mia.actor.user_id
    assert storage.open_link(link, signed_in=False)[0].opened == 0
    with pytest.raises(StorageError, match="is full"):
        storage.sign_in(f"{ISSUER} Bob", "Bob", "bob@example.org")
