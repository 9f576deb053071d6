"""Engine and sessions. One context manager owns commit, rollback and the translation of errors."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, Session

from ensembles.errors import StorageError

__all__ = ["Database"]

_BUSY_SECONDS = 30


class Database:
    """One SQLite file or one PostgreSQL database. Safe to share between threads."""

    def __init__(self, url: URL) -> None:
        self.url = url
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self._reader = _sqlite_engine(url) if self.is_sqlite else create_engine(url, pool_pre_ping=True)
        self._writer = self._reader.execution_options(writes=True)

    @contextmanager
    def session(self, *, writes: bool = False) -> Iterator[Session]:
        """Open a transaction: committed at the end of the block, rolled back on any error.

        With `writes`, SQLite takes the write lock at once: a transaction that first reads and then wants to write
        could not be served when another one wrote in between.

        Raises
        ------
        StorageError
            The database cannot be reached or refuses.
        """
        engine = self._writer if writes else self._reader
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
        if self.is_sqlite:
            return datetime.now(UTC)
        moment: datetime = session.execute(select(func.clock_timestamp())).scalar_one()
        return moment.astimezone(UTC)

    def close(self) -> None:
        """Give back every connection."""
        self._reader.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            cause = error.orig if isinstance(error, DBAPIError) else error
            reason = str(cause).strip().splitlines()[0] if str(cause).strip() else type(cause).__name__
            place = self.url.render_as_string(hide_password=True)
            raise StorageError(f"the database {place} cannot be used: {reason}") from error


def _sqlite_engine(url: URL) -> Engine:
    engine = create_engine(url, connect_args={"timeout": _BUSY_SECONDS, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # the driver must not begin transactions by its own rules
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        _use_write_ahead_log(connection)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


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
