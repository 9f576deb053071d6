"""Where the database is: the wish of the caller, `DATABASE_URL`, or a file in the user's data folder."""

import os
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from ensembles.errors import StorageError
from ensembles.folders import data_folder

__all__ = ["database_url"]

_POSTGRESQL = {"postgres", "postgresql", "postgresql+psycopg"}


def database_url(url: str | None = None) -> URL:
    """Return the address of the database with the driver we use; make the folder of an SQLite file.

    Raises
    ------
    StorageError
        Not an address, a database we do not know, or a folder that cannot be made.
    """
    text = url or os.environ.get("DATABASE_URL")
    if not text:
        return _in_folder(URL.create("sqlite"), data_folder() / "ensemble-lab.sqlite")
    try:
        parsed = make_url(text)
    except (ArgumentError, ValueError):  # the latter of a port that is no number
        shown = text if "@" not in text else f"...@{text.rpartition('@')[2]}"  # what stands before may be a password
        raise StorageError(f"database must be {_ALLOWED}, got {shown!r}") from None
    if parsed.drivername in _POSTGRESQL:
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername not in {"sqlite", "sqlite+pysqlite"}:
        raise StorageError(f"database must be {_ALLOWED}, got {parsed.drivername!r}")
    if not parsed.database or parsed.database == ":memory:":
        raise StorageError(f"database must be {_ALLOWED}, got one in memory, which the runner could not see")
    return _in_folder(parsed, Path(parsed.database))


_ALLOWED = "an address like sqlite:////folder/file.sqlite or postgresql://user@host/name"


def _in_folder(url: URL, path: Path) -> URL:
    try:
        whole = Path(os.path.expanduser(path)).resolve()
        whole.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"database: the folder {path.parent} cannot be made: {error.strerror}") from error
    return url.set(database=str(whole))
