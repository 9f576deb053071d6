"""Where the database is: the wish of the caller, `DATABASE_URL`, or a file in the user's data folder."""

import os
from contextlib import suppress
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from ensembles.errors import StorageError
from ensembles.folders import data_folder, make_private

__all__ = ["database_url", "is_sqlite"]

_DRIVER = "postgresql+psycopg"
_POSTGRESQL = {"postgres", "postgresql", _DRIVER}


def database_url(url: str | None = None, *, makes: bool = True) -> URL:
    """Return the address of the database with the driver we use; make an SQLite file that is not there.

    Parameters
    ----------
    url : str, optional
        An address, or `@FILE` with one in that file; else `DATABASE_URL`, which may be either too, else a file in the
        user's data folder.
    makes : bool
        Whether such a file is made; else it must be there.

    Raises
    ------
    StorageError
        Not an address, a database we do not know, or a file that cannot be made or read, or must be there and is not.
    """
    if (parsed := _address(url)) is None:
        ours = _in_folder(URL.create("sqlite"), data_folder() / "ensemble-lab.sqlite", makes)
        if not os.environ.get("ENSEMBLE_LAB_HOME"):  # nobody but us makes this one, and earlier versions left it open
            with suppress(OSError):
                data_folder().chmod(0o700)
        return ours
    return parsed if parsed.drivername == _DRIVER else _in_folder(parsed, Path(str(parsed.database)), makes)


def is_sqlite(url: str | None = None) -> bool:
    """Return whether a database is a file of SQLite, without making it; `url` and what it raises as in `database_url`."""
    return (parsed := _address(url)) is None or parsed.drivername != _DRIVER


def _address(url: str | None) -> URL | None:
    """Return the address that is wished for, with the driver we use; None for the file in the user's data folder."""
    text = url or os.environ.get("DATABASE_URL")
    if text and text.startswith("@"):
        text = _text_of(text[1:])
    if not text:
        return None
    try:
        parsed = make_url(text)
    except (ArgumentError, ValueError):  # the latter of a port that is no number
        # What stands before an @ or after a ? may be a password, and a password may hold either sign.
        shown = "..." if "?" in text else f"...@{text.rpartition('@')[2]}" if "@" in text else text
        detail = f"database must be {_ALLOWED}, got {shown!r}"
        raise StorageError(f"database must be {_ALLOWED}", detail=detail) from None
    if parsed.drivername in _POSTGRESQL:
        return parsed.set(drivername=_DRIVER)
    if parsed.drivername not in {"sqlite", "sqlite+pysqlite"}:
        raise StorageError(f"database must be {_ALLOWED}, got {parsed.drivername!r}")
    if not parsed.database or parsed.database == ":memory:":
        raise StorageError(f"database must be {_ALLOWED}, got one in memory, which the runner could not see")
    return parsed


_ALLOWED = "an address like sqlite:////folder/file.sqlite or postgresql://user@host/name"


def _text_of(file: str) -> str:
    try:
        return Path(os.path.expanduser(file)).read_text(encoding="utf-8").strip() or "an empty file"
    except (OSError, UnicodeDecodeError) as error:
        said = f"cannot be read: {error.strerror if isinstance(error, OSError) else 'it is not text in UTF-8'}"
        detail = f"database: the file {file} with the address {said}"
        raise StorageError(f"database: the file with the address {said}", detail=detail) from error


def _make_private(file: Path) -> None:
    """Make the database file and its folder for their owner alone; what is there already keeps its permissions.

    SQLite gives the files beside it, -wal and -shm, the permissions of the database.
    """
    make_private(file.parent)
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def _in_folder(url: URL, path: Path, makes: bool) -> URL:
    try:
        whole = Path(os.path.expanduser(path)).resolve()
        if not makes and not whole.exists():
            said = "must be there, it is not"
            raise StorageError(f"database: its file {said}", detail=f"database: the file {path} {said}")
        _make_private(whole)
    except OSError as error:
        said = f"cannot be made: {error.strerror}"
        raise StorageError(f"database: its file {said}", detail=f"database: the file {path} {said}") from error
    return url.set(database=str(whole))
