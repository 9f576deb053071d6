"""Backups of a whole database: one file, made while others write, and the way back."""

import os
import secrets
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from glob import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from ensembles.errors import InvalidInput, StorageError
from storage.database import Database
from storage.keeping import postgresql_backup, sqlite_backup
from storage.keeping.contents import holds_anything, opened, our_tables
from storage.location import database_url, is_sqlite

__all__ = [
    "opened_to_copy",
    "put_in_place",
    "remove_left_copies",
    "remove_part",
    "restore_backup",
    "start_file",
    "write_backup",
]

_DAY = 86_400.0
_TOKEN = "[0-9a-f]" * 8
_KINDS = {"SQLite": sqlite_backup, "PostgreSQL": postgresql_backup}


def write_backup(file: Path, url: str | None = None, *, keep: int | None = None) -> None:
    """Write all that is in a database, of whatever schema, into one file, as it is at one moment.

    Parameters
    ----------
    url : str, optional
        As in `open_storage`.
    keep : int, optional
        How many backups there may be: an earlier one is called FILE.1, the one before FILE.2. Without it there must be no
        such file yet.

    Raises
    ------
    InvalidInput
        The file is there, or cannot be written; or it, or one that an earlier backup would be called, is a folder or the
        database itself.
    StorageError
        There is nothing to be backed up, or the database or its programs refuse.
    """
    with opened_to_copy(file, url) as database:
        with database.session() as session:
            if not our_tables(session.connection()):
                raise StorageError("the database must hold something to be backed up, it is empty")
        if database.is_sqlite:
            _check_apart(file, Path(str(database.url.database)), keep)
        part = start_file(file, keep, ", or say with --keep how many may stay")
        try:
            (sqlite_backup if database.is_sqlite else postgresql_backup).dump(database.url, part)
            put_in_place(part, file, keep)
        except OSError as error:
            raise InvalidInput(f"{file}: cannot be written ({error.strerror})") from error
        finally:
            remove_part(part)


@contextmanager
def opened_to_copy(file: Path, url: str | None) -> Iterator[Database]:
    """Open a database all of which is to go into a file; from a copy beside that where its disk can only be read.

    Raises
    ------
    InvalidInput
        The copy cannot be written.
    """
    place = database_url(url, makes=False)
    whole = Path(str(place.database))
    with ExitStack() as held:
        if place.get_backend_name() == "sqlite" and sqlite_backup.is_read_only(whole):
            try:
                folder = held.enter_context(TemporaryDirectory(prefix=f"{file.name}.", dir=file.parent))
                url = f"sqlite:///{sqlite_backup.copy_unopened(whole, Path(folder))}"
            except OSError as error:
                raise InvalidInput(f"{file}: cannot be written ({error.strerror})") from error
        yield held.enter_context(opened(url, makes=False))


def restore_backup(file: Path, url: str | None = None, *, force: bool = False) -> None:
    """Let a database hold what was backed up, and nothing else, in today's schema.

    The backup is looked through first, and on any error the database holds what it held before. Experiments that were
    running go on with the trials that are missing.

    Parameters
    ----------
    url : str, optional
        As in `open_storage`.
    force : bool
        Also where it holds something, which is lost then.

    Raises
    ------
    InvalidInput
        There is no such file, it is a backup of another kind of database, or the database is not empty.
    StorageError
        The backup is damaged, or of a newer version; or the database refuses.
    """
    found, wanted = _kind_of_file(file), "SQLite" if is_sqlite(url) else "PostgreSQL"
    if found != wanted:
        said = f"must be a backup of {wanted}, got a backup of {found}"
        raise InvalidInput(f"{file}: {said}; export-all and import-all go from one to the other")
    kind = _KINDS[found]
    kind.check(file)  # before a database is made for it
    with opened(url) as database:
        kind.recover(database, force=force)
        with database.session() as session:
            if not force and holds_anything(session.connection()):
                raise InvalidInput(
                    "restore: the database must be empty, it holds something; --force replaces all of it"
                )
        kind.restore(file, database)


def remove_left_copies() -> None:
    """Remove what restores into the database left that were killed a day ago; raise `StorageError` where it is not there."""
    if is_sqlite():
        sqlite_backup.remove_left(Path(str(database_url(makes=False).database)))


def start_file(file: Path, keep: int | None, otherwise: str = "") -> Path:
    """Make an empty file for us alone beside the one that is to be written, and return it.

    Where that is there, `otherwise` says what can be done besides.
    """
    for number in range(keep or 1):
        if not file.name or _numbered(file, number).is_dir():
            raise InvalidInput(f"{_numbered(file, number)}: must be a file, it is a folder")
    if keep is None and file.exists():
        raise InvalidInput(f"{file}: is there already; name another file{otherwise}")
    part = file.with_name(f"{file.name}.{secrets.token_hex(4)}.part")  # another program may be writing this file too
    try:
        for left in _parts(file.parent, f"{escape(file.name)}.{_TOKEN}.part"):  # of one that was killed
            if time.time() - left.stat().st_mtime > _DAY:
                left.unlink(missing_ok=True)
        part.touch(mode=0o600, exist_ok=False)
    except OSError as error:
        raise InvalidInput(f"{file}: cannot be written ({error.strerror})") from error
    return part


def put_in_place(part: Path, file: Path, keep: int | None) -> None:
    """Give a file that is whole its name, once it is on the disk, and earlier ones the next number."""
    _to_disk(part)
    for number in range((keep or 1) - 1, 0, -1):
        if (newer := _numbered(file, number - 1)).exists():
            newer.replace(_numbered(file, number))
    part.replace(file)
    _to_disk(file.parent)


def remove_part(part: Path) -> None:
    """Remove what did not become a whole file, with what SQLite left beside it; nothing where it has its name."""
    for left in _parts(part.parent, escape(part.name)):
        left.unlink(missing_ok=True)


def _parts(folder: Path, pattern: str) -> list[Path]:
    """Return the files of a pattern, and those that SQLite keeps beside them: `-journal`, `-wal` and `-shm`."""
    return [*folder.glob(pattern), *folder.glob(f"{pattern}-*")]


def _check_apart(file: Path, database: Path, keep: int | None) -> None:
    """Raise `InvalidInput` where a backup would take the place of the database, or move it."""
    for one in (_numbered(file, number) for number in range(keep or 1) if file.name):
        if one.exists() and one.samefile(database):
            raise InvalidInput(f"{one}: is the database itself; name another file for the backup")


def _numbered(file: Path, number: int) -> Path:
    return file.with_name(f"{file.name}.{number}") if number else file


def _to_disk(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return  # Windows opens no folders
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _kind_of_file(file: Path) -> str:
    try:
        with file.open("rb") as content:
            begins = content.read(16)
    except OSError as error:
        raise InvalidInput(f"{file}: cannot be read ({error.strerror})") from error
    found = next((name for name, kind in _KINDS.items() if begins.startswith(kind.MAGIC)), None)
    if found is None:
        raise InvalidInput(f"{file}: must be a backup of {' or '.join(_KINDS)}, got another file")
    return found
