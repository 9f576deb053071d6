"""Who waits for work is woken by what others do, in whatever process, and by nothing else."""

import errno
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from ctypes import set_errno
from pathlib import Path
from threading import Event, Thread
from unittest.mock import Mock

import psycopg
import pytest

from ensembles.errors import StorageError
from storage import ExperimentRecord, Storage, open_storage
from storage.running import leases as leases_module
from tests.storage.conftest import make_config

LONG = 120.0
"""Longest that a test waits for a word."""


@pytest.fixture
def waiting(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> Storage:
    """A storage that listens, has heard itself, and sees nothing to do."""
    monkeypatch.setattr(leases_module, "_REST_SECONDS", LONG)
    assert not storage.is_work_waiting(10.0)
    assert woken(storage)
    return storage


def woken(storage: Storage) -> bool:
    """Return whether a word comes."""
    return storage.wait_for_work(Event(), LONG)


def stays(storage: Storage) -> bool:
    """Return whether no word comes."""
    return not storage.wait_for_work(Event(), 0.3)


class Ear:
    """What hears nothing, and notes how long it was to listen; or cannot be had."""

    listened = 0.0

    def __init__(self, *_: object) -> None:
        Ear.listened = 0.0

    def hears(self, seconds: float) -> bool:
        time.sleep(seconds)
        Ear.listened += seconds
        return False

    def close(self) -> None:
        """Have nothing to give back."""


def no_ear(*_: object) -> None:
    raise OSError(24, "no more watches")


def launch(storage: Storage) -> ExperimentRecord:
    return storage.create_experiment(make_config())


@pytest.mark.parametrize("act", ["create", "cancel", "reopen", "release", "resume"])
def test_what_is_done_elsewhere_wakes_those_who_wait(
    storage: Storage, url: str, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    monkeypatch.setattr(leases_module, "_REST_SECONDS", LONG)
    with open_storage(url) as other:
        acts: dict[str, Callable[[str], object]] = {
            "create": lambda _: launch(other),
            "cancel": other.request_cancel,
            "reopen": other.reopen_experiment,
            "release": lambda known: other.release(known, "holder"),
            "resume": other.resume_experiment,
        }
        known = other.create_experiment(make_config(), runner="holder" if act == "release" else None).id
        before = {"reopen": other.request_cancel, "resume": other.pause_experiment}
        if act in before:
            before[act](known)
        storage._is_quiet = True  # as if what is there were not
        assert woken(storage)
        storage.wait_for_work(Event(), 0.3)  # word of what was done above, if it comes late
        assert stays(storage)
        acts[act](known)
        assert woken(storage)
        assert stays(storage)


def test_all_who_wait_are_woken(waiting: Storage, url: str) -> None:
    with open_storage(url) as second:
        assert not second.is_work_waiting(10.0)
        assert woken(second)
        while not stays(waiting):  # it heard the second one begin to listen
            pass
        launch(second)
        assert woken(second)
        assert woken(waiting)


def test_what_is_taken_back_wakes_nobody(waiting: Storage) -> None:
    def fail() -> None:
        with waiting._database.session(writes=True) as session:
            waiting._database.notices.announce(session)
            raise ZeroDivisionError

    with suppress(ZeroDivisionError):
        fail()
    assert stays(waiting)


def test_what_is_there_already_is_looked_after_often(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    monkeypatch.setattr(storage._database.notices, "wait", lambda seconds, *_: bool(asked.append(seconds)))
    assert not storage.is_work_waiting(10.0)
    storage.wait_for_work(Event())
    storage.create_experiment(make_config(), runner="may fall silent")
    assert not storage.is_work_waiting(10.0)
    storage.wait_for_work(Event())
    assert asked == [30.0, 0.5]


def test_the_wish_to_end_is_heard(waiting: Storage) -> None:
    shutdown = Event()
    thread = Thread(target=waiting.wait_for_work, args=(shutdown, LONG))
    thread.start()
    shutdown.set()
    thread.join(10.0)
    assert not thread.is_alive()


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_another_process_wakes(waiting: Storage, tmp_path: Path) -> None:
    code = "import os, sys; os.write(os.open(sys.argv[1], os.O_WRONLY), b'x')"
    with subprocess.Popen([sys.executable, "-S", "-c", code, str(tmp_path / "test.sqlite-news")]):
        assert woken(waiting)


def test_where_nothing_is_ever_heard_it_looks_often(waiting: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting._database.notices.close()
    for name in ("_EarOfFile", "_EarOfServer"):
        monkeypatch.setattr(f"storage.notices.{name}", Ear)
    assert not woken(waiting)
    assert 0.4 < Ear.listened <= 0.5


def test_a_watch_that_cannot_be_had_is_no_error(waiting: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting._database.notices.close()
    for name in ("_EarOfFile", "_EarOfServer"):
        monkeypatch.setattr(f"storage.notices.{name}", no_ear)
    assert not woken(waiting)
    monkeypatch.undo()
    monkeypatch.setattr(leases_module, "_REST_SECONDS", LONG)
    assert woken(waiting)


@pytest.mark.skipif(sys.platform != "linux", reason="watches of Linux, and its list of open files")
def test_a_watch_that_is_refused_again_and_again_takes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        set_errno(errno.ENOSPC)
        return -1

    inotify = pytest.importorskip("watchdog.observers.inotify_c")
    refused = Mock(side_effect=refuse)
    monkeypatch.setattr(inotify, "inotify_add_watch", refused)
    with open_storage(f"sqlite:///{tmp_path / 'lab.sqlite'}") as storage:
        notices = storage._database.notices
        before = len(os.listdir("/proc/self/fd")), threading.active_count()
        for _ in range(3):
            assert not notices.wait(0.01, 0.01, Event())
        assert refused.call_count == 3
        assert (len(os.listdir("/proc/self/fd")), threading.active_count()) == before


def test_who_lost_the_connection_listens_anew(waiting: Storage, url: str, tmp_path: Path) -> None:
    if url.startswith("sqlite"):
        Path(tmp_path, "test.sqlite-news").unlink()
    else:
        with psycopg.connect(url, autocommit=True) as connection:
            listening = "query LIKE 'NOTIFY%'"
            connection.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {listening}")
    waiting.wait_for_work(Event(), LONG)
    assert woken(waiting)
    while not stays(waiting):
        pass
    launch(waiting)
    assert woken(waiting)


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_who_may_write_to_the_database_may_wake_others(storage: Storage, tmp_path: Path) -> None:
    Path(tmp_path, "test.sqlite").chmod(0o660)
    launch(storage)
    assert Path(tmp_path, "test.sqlite-news").stat().st_mode & 0o777 == 0o660


def test_a_folder_that_cannot_be_written_keeps_nobody_from_launching(
    waiting: Storage, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if url.startswith("sqlite"):
        monkeypatch.setattr("storage.notices._write", lambda _: os.stat("/no/such/file"))
    launch(waiting)
    assert waiting.is_work_waiting(10.0)


def test_a_database_that_is_gone_is_told_by_who_asks_it(waiting: Storage, url: str) -> None:
    if url.startswith("sqlite"):
        return
    waiting._database.close()
    waiting.wait_for_work(Event(), 0.1)
    with pytest.raises(StorageError), waiting._database.session() as session:
        session.connection().exec_driver_sql("SELECT nothing")
