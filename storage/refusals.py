"""What a database that refuses says, in two sentences: one for everybody, one for whoever runs the program."""

import re
import sqlite3

import psycopg
from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from ensembles.errors import StorageError

__all__ = ["place_of", "refusal"]


def place_of(url: URL) -> str:
    """Return an address without password and settings: any of these may be a secret."""
    return url.set(query={}).render_as_string(hide_password=True)


def refusal(url: URL, error: SQLAlchemyError) -> StorageError:
    """Return the error of this product that stands for one of the driver or of SQLAlchemy."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    reason = _without_secrets(url, str(cause).strip().partition("\n")[0]) or type(cause).__name__
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


def _without_secrets(url: URL, text: str) -> str:
    values = [value for given in url.query.values() for value in ([given] if isinstance(given, str) else given)]
    for secret in filter(None, (url.password and str(url.password), *values)):
        text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", "***", text)
    return text
