"""What a database that refuses says, in two sentences: one for everybody, one for whoever runs the program."""

import os
import re
import shutil
import sqlite3
from pathlib import Path

import psycopg
from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from ensembles.errors import StorageError

__all__ = ["is_disk_full", "place_of", "refusal"]

_LEAST_FREE_BYTES = 2**20
#: What SQLite says of any trouble with the disk.
_OF_THE_DISK = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY}


def place_of(url: URL) -> str:
    """Return an address without password and settings: any of these may be a secret."""
    return url.set(query={}).render_as_string(hide_password=True)


def refusal(url: URL, error: SQLAlchemyError) -> StorageError:
    """Return the error of this product that stands for one of the driver or of SQLAlchemy."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    reason = _without_secrets(url, str(cause).strip().partition("\n")[0]) or type(cause).__name__
    reason += _trouble_of_disk(url, cause)
    detail = f"the database {place_of(url)} cannot be used: {reason}"
    if _is_full(cause):
        return StorageError("the disk of the database is full: nothing was changed", detail=detail)
    if isinstance(cause, sqlite3.Error):
        return StorageError(f"the database cannot be used: {reason}", detail=detail)  # SQLite names no places
    # PostgreSQL's texts name host, user and database. Its errors have a class each, but for those of the connection.
    if type(cause).__name__ in {"OperationalError", "InterfaceError"}:
        return StorageError("the database cannot be reached", detail=detail)
    kind = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(cause).__name__).lower()
    return StorageError(f"the database cannot be used: {kind}", detail=detail)


def _is_full(cause: BaseException) -> bool:
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    return isinstance(cause, psycopg.errors.DiskFull)


def is_disk_full(cause: BaseException, file: Path) -> bool:
    """Return whether SQLite refuses as the disk is full on which it writes a file, or what it keeps beside that."""
    if _is_full(cause):
        return True
    return getattr(cause, "sqlite_errorcode", -1) & 0xFF in _OF_THE_DISK and _has_no_room(file)


def _has_no_room(file: Path) -> bool:
    try:
        return shutil.disk_usage(file.parent).free < _LEAST_FREE_BYTES
    except OSError:
        return False


def _trouble_of_disk(url: URL, cause: BaseException) -> str:
    """Return why a file cannot be used, where SQLite says that it cannot, and its disk or its folder shows why."""
    if getattr(cause, "sqlite_errorcode", -1) & 0xFF not in _OF_THE_DISK:
        return ""
    file = Path(str(url.database))
    if not file.parent.exists():
        return ""
    if _has_no_room(file):
        return ", as its disk is full"
    can_be_written = all(os.access(one, os.W_OK) for one in (file.parent, file) if one.exists())
    return "" if can_be_written else ", as it or its folder can only be read"


def _without_secrets(url: URL, text: str) -> str:
    values = [value for given in url.query.values() for value in ([given] if isinstance(given, str) else given)]
    for secret in filter(None, (url.password and str(url.password), *values)):
        text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "***", text)
    return text
