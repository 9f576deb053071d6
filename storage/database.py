"""Engine and sessions. One context manager owns commit, rollback and the translation of errors."""

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import URL, ColumnElement, Connection, Engine, create_engine, event, func, literal, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, InstrumentedAttribute, Session

from storage.columns import UTCDateTime
from storage.notices import Notices
from storage.refusals import refusal

__all__ = ["Database"]

_BUSY_SECONDS, _HURRY_SECONDS = 30, 0.25

# All statements of one who reads see one moment, whatever others write in between: SQLite knows nothing else.
_SQLITE_READS = {"sqlite_begin": ("BEGIN",)}
_TO_LAST = ("PRAGMA synchronous = FULL", "BEGIN IMMEDIATE")
_HASTILY = ("PRAGMA synchronous = NORMAL", "BEGIN IMMEDIATE")
_POSTGRESQL_READS = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}

# A server that vanished without a word is noticed within half a minute; a system would wait for hours.
_NOTICE_LOSS = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}


class Database:
    """One SQLite file or one PostgreSQL database. Safe to share between threads."""

    def __init__(self, url: URL) -> None:
        self.url = url
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self._writer = _sqlite_engine(url) if self.is_sqlite else _postgresql_engine(url)
        self._reader = self._writer.execution_options(**(_SQLITE_READS if self.is_sqlite else _POSTGRESQL_READS))
        self._hasty = self._writer.execution_options(sqlite_begin=_HASTILY)
        self.notices = Notices(self._writer)

    @contextmanager
    def session(self, *, writes: bool = False, lasts: bool = True, waits: bool = True) -> Iterator[Session]:
        """Open a transaction: committed at the end of the block, rolled back on any error.

        Without `writes` it may only read, and all it reads is of one moment.

        With `writes`, SQLite takes the write lock at once: a transaction that first reads and then wants to write
        could not be served when another one wrote in between. What was written survives a power cut, unless `lasts` is
        False: SQLite then does not wait for the disk, and the last few seconds may be lost, never the database. What may
        be left out altogether does not wait long while somebody else writes to SQLite: `waits` is False.

        Raises
        ------
        StorageError
            The database cannot be reached or refuses.
        """
        engine = self._reader if not writes else self._writer if lasts else self._hasty
        if not waits:
            engine = engine.execution_options(sqlite_waits=_HURRY_SECONDS)
        with self._translated(), Session(engine, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Open a transaction that writes, for schema changes."""
        with self._translated(), self._writer.begin() as connection:
            yield connection

    def insert(self, table: type[DeclarativeBase]) -> sqlite.Insert | postgresql.Insert:
        """Return an insert statement that can say what happens on a conflict: SQL leaves that to each database."""
        return sqlite.insert(table) if self.is_sqlite else postgresql.insert(table)

    def now(self, session: Session) -> datetime:
        """Return the present moment: all machines of a team go by the clock of their PostgreSQL server."""
        return session.execute(select(self.moment())).scalar_one()

    def moment(self) -> ColumnElement[datetime]:
        """Return the present moment as a column, for queries that want it beside what they read."""
        return (
            literal(datetime.now(UTC), UTCDateTime()) if self.is_sqlite else func.clock_timestamp(type_=UTCDateTime())
        )

    def holds(self, text: InstrumentedAttribute[str], part: str) -> ColumnElement[bool]:
        """Return whether a text holds a part, in capitals or not.

        SQLite knows the capitals of ASCII only, and PostgreSQL no others where its locale is C.
        """
        if part.isascii():
            return text.icontains(part, autoescape=True)
        if self.is_sqlite:
            return func.folded(text, type_=text.type).contains(part.casefold(), autoescape=True)
        return text.regexp_match("".join(map(_in_any_case, part)))

    def compact(self) -> None:
        """Write an SQLite database anew without what was deleted; that takes as much room again while it lasts."""
        engine = self._writer.execution_options(sqlite_begin=())
        with self._translated(), engine.connect() as connection:
            connection.exec_driver_sql("VACUUM")
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Give back every connection."""
        self.notices.close()
        self._writer.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            raise refusal(self.url, error) from error


def _postgresql_engine(url: URL) -> Engine:
    settings = {name: value for name, value in _NOTICE_LOSS.items() if name not in url.query}
    return create_engine(url, connect_args=settings, pool_pre_ping=True)


def _sqlite_engine(url: URL) -> Engine:
    engine = create_engine(url, connect_args={"timeout": _BUSY_SECONDS, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # the driver must not begin transactions by its own rules
        connection.execute("PRAGMA foreign_keys = ON")
        connection.create_function("folded", 1, _folded, deterministic=True)
        _use_write_ahead_log(connection)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {1000 * options.get('sqlite_waits', _BUSY_SECONDS):.0f}")
        for statement in options.get("sqlite_begin", _TO_LAST):
            connection.exec_driver_sql(statement)

    return engine


def _folded(text: str | None) -> str | None:
    return None if text is None else text.casefold()


def _in_any_case(letter: str) -> str:
    """Return the regular expression of a letter, large or small; what is no letter stands for itself."""
    if not letter.isalpha():
        return re.escape(letter)
    return f"({'|'.join(sorted({letter, letter.lower(), letter.upper()}))})"


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    # SQLite does not wait for the lock that this switch needs, so two first openers have to take turns by hand.
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
