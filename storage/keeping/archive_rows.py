"""Rows of any table as lines of JSON and back, the same for every database."""

import base64
import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, DateTime, LargeBinary, MetaData, Table, event
from sqlalchemy.engine.interfaces import ReflectedColumn

from ensembles.errors import InvalidInput
from storage.columns import UTCDateTime
from storage.keeping.contents import OF_THE_MOMENT, our_tables

__all__ = ["row_from_line", "row_to_line", "tables_of"]


def tables_of(connection: Connection) -> list[Table]:
    """Return the tables that tell of what people did, as they are in this database, those that others refer to first."""
    found = MetaData()

    @event.listens_for(found, "column_reflect")
    def know_moments(_inspector: Any, _table: Table, column: ReflectedColumn) -> None:
        if isinstance(column["type"], DateTime):
            column["type"] = UTCDateTime()

    found.reflect(connection, only=[name for name in our_tables(connection) if name not in OF_THE_MOMENT])
    return found.sorted_tables


def row_to_line(row: Any) -> bytes:
    """Return the values of a row in the order of its columns."""
    values = [_to_json(value) for value in row]
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def row_from_line(table: Table, columns: list[str], line: bytes) -> dict[str, Any]:
    """Return the row that `row_to_line` wrote.

    Raises
    ------
    InvalidInput
        The line is none.
    """
    try:
        values = json.loads(line)
        pairs = zip(columns, values, strict=True)
        return {name: _from_json(table.columns[name].type, value) for name, value in pairs}
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InvalidInput(f"archive: {table.name} must hold rows as they are exported here") from error


def _to_json(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(value).decode("ascii")
    return value


def _from_json(kind: Any, value: Any) -> Any:
    if value is None:
        return None
    if isinstance(kind, UTCDateTime):
        return datetime.fromisoformat(value)
    return base64.b64decode(value, validate=True) if isinstance(kind, LargeBinary) else value
