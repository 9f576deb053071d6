"""Copies of an SQLite database: one whole file at a time, whoever writes meanwhile and whatever is still in its log."""

import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from glob import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from sqlalchemy import URL

from ensembles.errors import StorageError
from storage.database import Database
from storage.keeping.contents import forget_runners
from storage.keeping.seal import is_broken, seal
from storage.migrate import check_revision, upgrade_schema
from storage.refusals import is_disk_full

__all__ = ["MAGIC", "check", "copy_unopened", "dump", "is_read_only", "recover", "remove_left", "restore"]

MAGIC = b"SQLite format 3\0"
_BUSY_SECONDS = 30.0
_COPIES = ".restore-"  # what the folder of a restore is called, after the database
_DAY = 86_400.0


def is_read_only(file: Path) -> bool:
    """Return whether a database lies on a disk that can only be read: SQLite writes beside what it opens."""
    return hasattr(os, "statvfs") and bool(os.statvfs(file.parent).f_flag & os.ST_RDONLY)


def copy_unopened(file: Path, folder: Path) -> Path:
    """Copy a database that nobody writes, with its log, and return the copy; raise `StorageError` where somebody does."""
    there = [one for one in (file, file.with_name(f"{file.name}-wal")) if one.exists()]
    before = [(one.stat().st_size, one.stat().st_mtime_ns) for one in there]
    for one in there:
        shutil.copyfile(one, folder / one.name)
    if [(one.stat().st_size, one.stat().st_mtime_ns) for one in there] != before:
        said = "the database can only be read here, and others write to it: make its backup where they do"
        raise StorageError(said, detail=f"{file}: {said}")
    return folder / file.name


def dump(url: URL, file: Path) -> None:
    """Copy a database into an empty file, which needs no files beside it."""
    place = Path(str(url.database))
    with _said(file, written=file), closing(_open(place, "rw")) as source, closing(_open(file, "rw")) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        _check(copy, file)
    seal(file)


def check(file: Path) -> None:
    """Raise `StorageError` unless the file is a whole database of a schema that this version knows."""
    if is_broken(file):
        raise _damaged(file)
    with _said(file), closing(_open(file, "ro")) as database:
        _check(database, file)


def recover(database: Database, *, force: bool) -> None:
    """Do nothing: a restore that was killed has changed nothing."""


def restore(file: Path, database: Database) -> None:
    """Let a database hold what is in the file, brought to today's schema; on any error what it held before.

    Others may have it open: SQLite writes all of it in one transaction.
    """
    target = Path(str(database.url.database))
    remove_left(target)
    with TemporaryDirectory(prefix=f"{target.name}{_COPIES}", dir=target.parent) as folder:
        fresh, before = (Path(folder, f"{target.name}.{name}") for name in ("restoring", "before-restore"))
        _copy(file, fresh)
        _bring_up(fresh)
        _copy(target, before)
        try:
            _replace(target, fresh)
            upgrade_schema(database)
            check(target)
        except BaseException:
            _replace(target, before)
            raise


def remove_left(target: Path) -> None:
    """Remove the copies that restores into a database left that were killed: no restore takes a day."""
    for folder in target.parent.glob(f"{escape(target.name)}{_COPIES}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > _DAY:
                shutil.rmtree(folder)


def _bring_up(file: Path) -> None:
    copy = Database(URL.create("sqlite", database=str(file)))
    try:
        upgrade_schema(copy)
        with copy.connection() as connection:
            forget_runners(connection)
    finally:
        copy.close()
    with _said(file, written=file), closing(_open(file, "rw")) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")  # its log goes into it


def _copy(source: Path, file: Path) -> None:
    file.touch(mode=0o600)
    with _said(source, written=file), closing(_open(source, "rw")) as connection, closing(_open(file, "rw")) as copy:
        connection.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")


def _replace(target: Path, source: Path) -> None:
    with _said(source, written=target), closing(_open(source, "rw")) as new, closing(_open(target, "rw")) as old:
        (wanted,) = old.execute("PRAGMA page_size").fetchone()
        if new.execute("PRAGMA page_size").fetchone() != (wanted,):  # a database with a log keeps the size that it has
            new.execute(f"PRAGMA page_size = {int(wanted)}")
            new.execute("VACUUM")
        new.backup(old)


def _check(connection: sqlite3.Connection, file: Path) -> None:
    found = [row[0] for row in connection.execute("PRAGMA integrity_check(1)")]
    if found != ["ok"] or connection.execute("PRAGMA foreign_key_check").fetchone():
        raise _damaged(file)
    revision = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    check_revision(str(revision and revision[0]), "the backup", detail=str(file))


def _open(file: Path, mode: str) -> sqlite3.Connection:
    """Open a file that is there; without transactions of the driver's own."""
    address = f"file:{quote(str(file.resolve()))}?mode={mode}"
    return sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)


@contextmanager
def _said(file: Path, *, written: Path | None = None) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        if written is not None and is_disk_full(error, written):
            said = "has no room left: nothing was changed"
            raise StorageError(f"the disk {said}", detail=f"{written.parent}: its disk {said}") from error
        said = f"must be a whole database of Ensemble Lab, SQLite says: {error}"
        raise StorageError(f"the backup {said}", detail=f"{file}: {said}") from error
    except UnicodeDecodeError as error:  # SQLite says what is damaged, by a name that is so itself
        raise _damaged(file) from error


def _damaged(file: Path) -> StorageError:
    return StorageError("the backup must be a whole database, it is damaged", detail=f"{file}: is damaged")
