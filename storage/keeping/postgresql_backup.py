"""Backups of a PostgreSQL database by its own programs, `pg_dump` and `pg_restore`."""

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo
from sqlalchemy import URL, Connection, text
from sqlalchemy.schema import CreateSchema, DropSchema

from ensembles.errors import StorageError
from storage.database import Database
from storage.keeping.contents import forget_runners, holds_anything, our_tables
from storage.migrate import ASIDE, check_revision, is_aside, upgrade_schema
from storage.models import Base
from storage.refusals import place_of

__all__ = ["MAGIC", "check", "dump", "recover", "restore"]

MAGIC = b"PGDMP"
_LOCK_SECONDS, _PAUSE_SECONDS = 30.0, 0.1
_NO_SECRET_OF_OTHERS = ("--no-owner", "--no-privileges")
_REVISION = re.compile(r"^COPY .*alembic_version .*\n(\S+)$", re.MULTILINE)


class _Refused(StorageError):
    """What a program of PostgreSQL does not do."""


def dump(url: URL, file: Path) -> None:
    """Copy the tables of this product as they are at one moment into a file."""
    names = [f"--table={name}" for name in (*Base.metadata.tables, "alembic_version")]
    _call("pg_dump", url, "--format=custom", *_NO_SECRET_OF_OTHERS, *names, f"--file={file}")
    check(file)


def check(file: Path) -> None:
    """Raise `StorageError` unless the file is a whole backup of a schema that this version knows."""
    try:
        _call("pg_restore", None, f"--file={os.devnull}", str(file))  # reads all of it
    except _Refused as error:
        said = "must be a whole database of Ensemble Lab"
        raise StorageError(f"the backup {said}", detail=f"{file}: {said}, {error.detail}") from error
    found = _call("pg_restore", None, "--data-only", "--table=alembic_version", "--file=-", str(file))
    revision = _REVISION.search(found)
    if revision is None:
        raise StorageError("the backup must be one of Ensemble Lab", detail=f"{file}: is no backup of Ensemble Lab")
    check_revision(revision[1], "the backup", detail=str(file))


def recover(database: Database, *, force: bool) -> None:
    """Put back what a restore that was killed left aside.

    Where there is something else by now it raises `StorageError`, unless all is to be replaced anyhow (`force`).
    """
    with database.connection() as connection:
        if is_aside(connection) and holds_anything(connection) and not force:
            raise StorageError(
                f"the database holds something beside what a restore that was cut off left in the schema {ASIDE}; "
                "--force replaces both"
            )
        _put_back(connection)


def restore(file: Path, database: Database) -> None:
    """Let a database hold what is in the file, brought to today's schema; on any error what it held before.

    Its tables wait in a schema of their own until those of the file are there; where this process was killed meanwhile,
    `recover` puts them back.
    """
    _put_aside_in_time(database)
    try:
        _call("pg_restore", database.url, "--single-transaction", "--exit-on-error", *_NO_SECRET_OF_OTHERS, str(file))
        upgrade_schema(database)
        with database.connection() as connection:
            forget_runners(connection)
            connection.execute(DropSchema(ASIDE, cascade=True))
    except BaseException:
        with database.connection() as connection:
            _put_back(connection)
        raise


def _put_aside_in_time(database: Database) -> None:
    """Put aside what is there, as soon as the transactions let us that are under way."""
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            with database.connection() as connection:
                return _put_aside(connection)
        except StorageError as error:
            is_held = isinstance(getattr(error.__cause__, "orig", None), psycopg.errors.LockNotAvailable)
            if not is_held or time.monotonic() > deadline:
                raise
        time.sleep(_PAUSE_SECONDS)


def _put_aside(connection: Connection) -> None:
    # Who reads takes tables in any order: we give way before PostgreSQL, after 1 s, looks who waits for whom, and ends one.
    connection.execute(text("SET LOCAL lock_timeout = '500ms'"))
    connection.execute(CreateSchema(ASIDE))
    there = our_tables(connection)
    # In the order in which others take them, so that nobody waits for us while we wait for them.
    for table in Base.metadata.sorted_tables:
        if table.name in there:
            connection.execute(text(f"LOCK TABLE {table.name} IN ACCESS EXCLUSIVE MODE"))
    for name in there:
        connection.execute(text(f"ALTER TABLE {name} SET SCHEMA {ASIDE}"))


def _put_back(connection: Connection) -> None:
    """Bring back what was put aside, in the place of what is there; nothing where nothing was."""
    if not is_aside(connection):
        return
    here = connection.execute(text("SELECT current_schema()")).scalar_one()
    for name in our_tables(connection):
        connection.execute(text(f"DROP TABLE {name} CASCADE"))
    for name in our_tables(connection, ASIDE):
        connection.execute(text(f'ALTER TABLE {ASIDE}.{name} SET SCHEMA "{here}"'))
    connection.execute(DropSchema(ASIDE, cascade=True))


def _call(name: str, url: URL | None, *arguments: str) -> str:
    """Run a program of PostgreSQL, which gets the password by its environment, where nobody else can read it."""
    program = shutil.which(name)
    if program is None:
        raise StorageError(
            f"backups of PostgreSQL need its program {name}, which is not installed here; install PostgreSQL's client "
            "programs, or use export-all and import-all"
        )
    environment, place = dict(os.environ), []
    if url is not None:
        given = url.get_dialect()().create_connect_args(url)[1]
        environment |= {"PGPASSWORD": str(given.pop("password"))} if given.get("password") else {}
        given.pop("sslpassword", None)
        place = ["--no-password", f"--dbname={make_conninfo(**given)}"]
    done = subprocess.run([program, *place, *arguments], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = next(iter(done.stderr.strip().splitlines()), f"exit code {done.returncode}")
        where = "" if url is None else f" of {place_of(url)}"
        reason = reason.removeprefix(f"{name}: error: ")
        raise _Refused(f"the backup cannot be made or read by {name}", detail=f"{name}{where} says: {reason}")
    return done.stdout
