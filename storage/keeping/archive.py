"""All that is in a database as one ZIP file, which any database of this version or a later one takes in.

It holds `archive.json` (the schema, the columns and the number of rows of each table) and `tables/NAME.jsonl`, a row a line.
Rows are read and written a few at a time, in one transaction: what is exported is of one moment, and what is imported is
there as a whole or not at all. An archive of an earlier schema goes into tables of that schema, which are then upgraded like
any others.
"""

import json
import logging
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Connection, Table, func, insert, select, text
from sqlalchemy.exc import SQLAlchemyError

from ensembles.errors import InvalidInput, StorageError
from storage.access import PROGRAM
from storage.database import Database
from storage.keeping.archive_rows import row_from_line, row_to_line, tables_of
from storage.keeping.backup import opened_to_copy, put_in_place, remove_part, start_file
from storage.keeping.contents import OF_THE_MOMENT, forget_runners, holds_anything, opened, our_tables
from storage.migrate import check_revision, make_tables, revision_of, upgrade_tables
from storage.models import DatasetChunkRow, TrialBlockRow
from storage.people.audit import write_audit
from storage.people.rows import AuditRow

__all__ = ["export_all", "import_all"]

_log = logging.getLogger(__name__)

_FORMAT = 1
_ABOUT = "archive.json"
_BATCH = 500
_LARGE = {DatasetChunkRow.__tablename__: 1, TrialBlockRow.__tablename__: 1}  # rows of many megabytes
_DAMAGED = (
    zipfile.BadZipFile,
    KeyError,
    NotImplementedError,
    RuntimeError,
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
)


def export_all(file: Path, url: str | None = None) -> dict[str, int]:
    """Write all that is in a database, as it is at one moment; return how many rows each table has.

    The log says so afterwards, in a database that has one and can be written to. An earlier schema stays, as a program
    of then may use it.

    Parameters
    ----------
    url : str, optional
        As in `open_storage`.

    Raises
    ------
    InvalidInput
        The file is there, or cannot be written.
    StorageError
        The database is empty, of a newer version, or refuses.
    """
    with opened_to_copy(file, url) as database:
        with database.session() as session:
            rows = _write_archive(file, session.connection())
        if AuditRow.__tablename__ in rows:
            _tell_log(database, file)
    return rows


def import_all(file: Path, url: str | None = None) -> dict[str, int]:
    """Fill an empty database with what was exported, in today's schema; return how many rows each table got.

    Experiments that were running go on with the trials that are missing.

    Parameters
    ----------
    url : str, optional
        As in `open_storage`.

    Raises
    ------
    InvalidInput
        The database is not empty, or the file is no archive, or damaged; nothing is imported then.
    StorageError
        The archive is of a newer version, or the database refuses.
    """
    with _unpacking(file) as archive:
        about = _about(archive)
        check_revision(about["schema"], "the archive", detail=str(file))
        with opened(url) as database, database.connection() as connection:
            if holds_anything(connection):
                raise InvalidInput("import-all: the database must be empty, it holds something; name another one")
            _make_room(connection, about["schema"])
            tables = tables_of(connection)
            for table in tables:
                _read_table(archive, connection, table, about)
            if not database.is_sqlite:
                _count_on(connection, tables)
            upgrade_tables(connection)
            forget_runners(connection)
    rows: dict[str, int] = about["rows"]
    return rows


def _tell_log(database: Database, file: Path) -> None:
    """Write into the log of deeds that all was exported; the archive is whole where that cannot be written."""
    try:
        with database.session(writes=True) as session:
            write_audit(session, PROGRAM, database.now(session), "exported", "archive", "everything", file.name)
    except StorageError as error:
        _log.warning("the log of deeds does not say that %s was exported: %s", file, error)


def _write_archive(file: Path, connection: Connection) -> dict[str, int]:
    revision = revision_of(connection)
    if revision is None:
        raise StorageError("the database must hold something to be exported, it is empty")
    check_revision(revision, "the database")
    part = start_file(file, keep=None)
    try:
        tables = tables_of(connection)
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            rows = {table.name: _write_table(archive, connection, table) for table in tables}
            about = {
                "format": _FORMAT,
                "schema": revision,
                "columns": {table.name: table.columns.keys() for table in tables},
                "rows": rows,
            }
            archive.writestr(_ABOUT, json.dumps(about, indent=1))
        put_in_place(part, file, keep=None)
    except OSError as error:
        raise InvalidInput(f"{file}: cannot be written ({error.strerror})") from error
    finally:
        remove_part(part)
    return rows


def _write_table(archive: zipfile.ZipFile, connection: Connection, table: Table) -> int:
    size, rows = _LARGE.get(table.name, _BATCH), 0
    query = select(table).order_by(*table.primary_key.columns).execution_options(yield_per=size)
    with archive.open(_member(table.name), "w", force_zip64=True) as lines:
        for row in connection.execute(query):
            lines.write(row_to_line(row))
            rows += 1
    return rows


def _read_table(archive: zipfile.ZipFile, connection: Connection, table: Table, about: dict[str, Any]) -> None:
    columns, expected, rows = about["columns"].get(table.name, []), about["rows"].get(table.name, 0), 0
    if not expected:
        return
    with archive.open(_member(table.name)) as lines:
        for batch in _batches(lines, _LARGE.get(table.name, _BATCH)):
            connection.execute(insert(table), [row_from_line(table, columns, line) for line in batch])
            rows += len(batch)
    if rows != expected:
        raise InvalidInput(f"archive: {table.name} must have {expected:,} rows, got {rows:,}")


def _batches(lines: IO[bytes], size: int) -> Iterator[list[bytes]]:
    while batch := list(islice(lines, size)):
        yield batch


def _make_room(connection: Connection, revision: str) -> None:
    """Make the tables of a schema in a database where there are none, or empty ones."""
    if revision_of(connection) == revision:
        return
    for name in OF_THE_MOMENT.intersection(our_tables(connection)):  # nothing refers to them, and they may to others
        connection.execute(text(f"DROP TABLE {name}"))
    for table in reversed(tables_of(connection)):
        table.drop(connection)
    make_tables(connection, revision)


def _count_on(connection: Connection, tables: list[Table]) -> None:
    """Let PostgreSQL number new rows from where the imported ones end."""
    for table in tables:
        if "id" in table.columns:
            sequence = func.pg_get_serial_sequence(table.name, "id")
            last = select(func.coalesce(func.max(table.columns["id"]), 0) + 1).scalar_subquery()
            connection.execute(select(func.setval(sequence, last, False)))


@contextmanager
def _unpacking(file: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(file) as archive:
            yield archive
    except (StorageError, SQLAlchemyError):
        raise
    except _DAMAGED as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "damaged or no ZIP file"
        raise InvalidInput(f"{file}: must be an archive as export-all writes it ({reason})") from error


def _about(archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        about = json.loads(archive.read(_ABOUT))
        known = {"format": int, "schema": str, "columns": dict, "rows": dict}
        is_ours = about["format"] == _FORMAT and all(isinstance(about[name], kind) for name, kind in known.items())
    except (KeyError, ValueError, TypeError, RecursionError):
        is_ours = False
    if not is_ours and "experiment.yaml" in archive.namelist():
        raise InvalidInput(
            "archive: must be one as export-all writes it, got the bundle of one experiment, as import takes it"
        )
    if not is_ours:
        raise InvalidInput(f"archive: {_ABOUT} must be of format {_FORMAT}, as export-all of this version writes it")
    return dict(about)


def _member(table: str) -> str:
    return f"tables/{table}.jsonl"
