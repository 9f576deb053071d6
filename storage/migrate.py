"""Bring a database to the schema of this version; safe when several processes open it at once."""

import sqlite3
import time
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from ensembles.errors import StorageError
from storage.database import Database
from storage.refusals import place_of
from storage.results.derived import derive_anew, pack_old, tell_ranks

__all__ = [
    "ASIDE",
    "check_revision",
    "is_aside",
    "make_tables",
    "newest_revision",
    "revision_of",
    "upgrade_schema",
    "upgrade_tables",
]

ASIDE = "ensemble_lab_before_restore"
"""The schema of PostgreSQL in which the present tables wait while others are restored."""

_SCRIPTS = Path(__file__).parent / "migrations"
_DERIVED = "0004"  # in databases before this one some of what is derived from experiments is lacking
_RENAMED = "0005"  # and in those before this one what data sets are called may be other words
_PACKED = "0013"  # and in those before this one trials of large experiments are rows alone, or some of their curves are
_RANKED = "0016"  # and in those before this one the tasks by which learners are ranked, or the best, are told otherwise
_UPGRADE_SECONDS = 600.0  # large databases take minutes
_LOCK = 0x656E73656D626C65  # "ensemble" in ASCII: the advisory lock that the openers of one PostgreSQL database share


def upgrade_schema(database: Database) -> None:
    """Create the tables or upgrade them, all or nothing.

    Raises
    ------
    StorageError
        The database was written by a newer version, or cannot be reached, or another program upgrades it for too long.
    """
    with database.session() as session:
        present = revision_of(session.connection())
    if present == newest_revision():
        return
    if present is not None:
        check_revision(present, "the database", detail=f"the database {place_of(database.url)}")
    began = time.monotonic()
    while not _upgraded(database):
        if (waited := time.monotonic() - began) > _UPGRADE_SECONDS:
            said = f"another program has been upgrading the database for {waited:,.0f} seconds: wait for its end"
            raise StorageError(said, detail=f"the database {place_of(database.url)}: {said}")


def _upgraded(database: Database) -> bool:
    """Upgrade the tables; False where another program has been writing for as long as SQLite waits."""
    try:
        with database.connection() as connection:
            if not database.is_sqlite:
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
                _check_no_restore(connection)
            upgrade_tables(connection)
    except StorageError as error:
        cause = getattr(error.__cause__, "orig", None)
        if getattr(cause, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True


def _check_no_restore(connection: Connection) -> None:
    """Raise `StorageError` where all is put aside by a restore: empty tables would be in the way of what comes."""
    if revision_of(connection) is None and is_aside(connection):
        raise StorageError(
            "the database is being restored: wait for its end, or, where that was cut off, run `ensemble-lab restore` again"
        )


def is_aside(connection: Connection) -> bool:
    """Return whether a restore into PostgreSQL is under way, or was cut off."""
    return inspect(connection).has_schema(ASIDE)


def upgrade_tables(connection: Connection) -> None:
    """Create or upgrade the tables, and what is derived from what they hold, in the transaction of `connection`."""
    before = revision_of(connection)
    if before != newest_revision():  # another process may have been faster
        make_tables(connection, newest_revision())
        if before is not None and before < _RENAMED:
            derive_anew(connection, all_of_it=before < _DERIVED)
        if before is not None and before < _PACKED:
            pack_old(connection)
        if before is not None and before < _RANKED:
            tell_ranks(connection)


def make_tables(connection: Connection, revision: str) -> None:
    """Create or upgrade the tables up to a revision, whatever they hold, in the transaction of `connection`."""
    command.upgrade(_config(connection=connection), revision)


def newest_revision() -> str:
    """Return the name of the schema of this version."""
    return _revisions()[0]


def check_revision(revision: str, what: str, *, detail: str | None = None) -> None:
    """Raise `StorageError` when a schema is none of this version or an earlier one."""
    if revision not in _revisions():
        said = f"was written by a newer version of Ensemble Lab (schema {revision!r})"
        raise StorageError(f"{what} {said}", detail=f"{detail or what} {said}")


def revision_of(connection: Connection) -> str | None:
    """Return the name of a database's schema; None of an empty database."""
    return MigrationContext.configure(connection).get_current_revision()


@cache
def _revisions() -> tuple[str, ...]:
    """Return the names of all schemas, the newest first."""
    return tuple(script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions())


def _config(**attributes: Connection) -> Config:
    config = Config(attributes=dict(attributes))
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    return config
