"""Waking those who wait for work: word that there may be some goes to every process that listens.

PostgreSQL has it built in. With SQLite a small file beside the database is written to, and those who listen have the system
tell them so. Word may be lost, never kept back: who listens looks by itself too, from time to time.
"""

import os
import stat
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import psycopg
from sqlalchemy import Engine, event, func, select
from sqlalchemy.orm import Session
from watchdog.events import FileDeletedEvent, FileModifiedEvent, FileMovedEvent, FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

__all__ = ["Notices"]

_CHANNEL = "ensemble_lab"
_SUFFIX = "-news"
_SLICE = 0.5  # seconds in which the wish to end is heard


class Notices:
    """Word from process to process that one database has something new. Safe to share between threads.

    Parameters
    ----------
    engine : Engine
        Of the database.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._file = Path(f"{engine.url.database}{_SUFFIX}") if engine.dialect.name == "sqlite" else None
        self._ear: _Ear | None = None
        self._is_proven = False

    def announce(self, session: Session) -> None:
        """Wake all who wait once this transaction is committed; nobody when it is rolled back."""
        if (file := self._file) is None:
            session.execute(select(func.pg_notify(_CHANNEL, "")))
        else:
            event.listen(session, "after_commit", lambda _: _tell(file), once=True)

    def wait(self, seconds: float, look_seconds: float, until: threading.Event) -> bool:
        """Return at a word, when `until` is set, or after `seconds`; say whether it was a word.

        Who begins to listen says a word too, so the first call returns at once: something may have been said before. Where
        not even that is heard, nothing may ever be, and it returns after `look_seconds`. One thread at a time.
        """
        try:
            if self._ear is None:
                self._is_proven = False
                self._ear = _EarOfFile(self._file) if self._file else _EarOfServer(self._engine)
            is_said = self._hear(self._ear, seconds if self._is_proven else look_seconds, until)
        except (OSError, psycopg.Error):  # no more watches, a connection that broke: listen anew next time
            self.close()
            until.wait(look_seconds)
            return False
        self._is_proven = self._is_proven or is_said
        return is_said

    def close(self) -> None:
        """Stop listening."""
        if self._ear is not None:
            ear, self._ear = self._ear, None
            with suppress(OSError, psycopg.Error):
                ear.close()

    @staticmethod
    def _hear(ear: "_Ear", seconds: float, until: threading.Event) -> bool:
        end = time.monotonic() + seconds
        while not until.is_set() and (left := end - time.monotonic()) > 0:
            if ear.hears(min(left, _SLICE)):
                return True
        return False


class _Ear(Protocol):
    def hears(self, seconds: float) -> bool:
        """Return whether there was word since the last call, or within `seconds`; raise `OSError` or `psycopg.Error`."""

    def close(self) -> None:
        """Give everything back."""


class _EarOfServer:
    """A connection that does nothing but listen."""

    def __init__(self, engine: Engine) -> None:
        pooled = engine.raw_connection()
        connection = pooled.driver_connection
        assert isinstance(connection, psycopg.Connection)
        pooled.detach()
        self._connection = connection
        connection.autocommit = True
        connection.execute(f"LISTEN {_CHANNEL}")
        connection.execute(f"NOTIFY {_CHANNEL}")

    def hears(self, seconds: float) -> bool:
        return bool([*self._connection.notifies(timeout=seconds, stop_after=1)])

    def close(self) -> None:
        self._connection.close()


class _EarOfFile(FileSystemEventHandler):
    """A watch on a file, whose threads sleep until the system wakes them."""

    def __init__(self, file: Path) -> None:
        self._word, self._is_broken = threading.Event(), False
        _write(file)
        self._observer = Observer()
        self._observer.schedule(self, str(file), event_filter=[FileModifiedEvent, FileDeletedEvent, FileMovedEvent])
        try:
            self._observer.start()
            _write(file)
        except OSError:  # no more watches: what was opened for one is given back
            self._observer.stop()
            raise

    def on_any_event(self, event: FileSystemEvent) -> None:
        if isinstance(event, FileModifiedEvent):
            self._word.set()
        else:  # another file is written to now
            self._is_broken = True
            self._word.set()

    def hears(self, seconds: float) -> bool:
        is_said = self._word.wait(seconds)
        self._word.clear()
        if self._is_broken:
            raise FileNotFoundError
        return is_said

    def close(self) -> None:
        self._observer.stop()
        self._observer.join()


def _write(file: Path) -> None:
    try:
        descriptor = os.open(file, os.O_WRONLY)
    except FileNotFoundError:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT, 0o600)
        database = file.with_name(file.name.removesuffix(_SUFFIX))
        file.chmod(stat.S_IMODE(database.stat().st_mode))  # as SQLite does with its own
    try:
        os.write(descriptor, b"\n")
    finally:
        os.close(descriptor)


def _tell(file: Path) -> None:
    with suppress(OSError):  # what was committed stays so, and others will find it by themselves
        _write(file)
