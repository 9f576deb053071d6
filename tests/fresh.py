"""Databases with the tables of now and nothing in them, for tests that do not ask how these are made."""

import tempfile
from functools import cache
from pathlib import Path

import psycopg

from storage import open_storage
from storage.models import Base
from tests.storage.postgresql import empty

__all__ = ["empty_tables", "write_empty_tables"]


def write_empty_tables(file: Path) -> None:
    """Write an SQLite database: to copy its tables takes a tenth of the time of the migrations that make them."""
    file.write_bytes(_tables())


def empty_tables(address: str) -> None:
    """Delete all rows of a PostgreSQL database, number anew, and make its tables where a test has left others or none."""
    tables = [table.name for table in reversed(Base.metadata.sorted_tables)]
    with psycopg.connect(address, autocommit=True) as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        if {name for (name,) in found} == {*tables, "alembic_version"}:
            connection.execute("; ".join(f"DELETE FROM {name}" for name in tables))
            connection.execute("SELECT setval(sequencename::text::regclass, start_value, false) FROM pg_sequences")
            return
    empty(address)
    open_storage(address).close()


@cache
def _tables() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "lab.sqlite")
        open_storage(f"sqlite:///{file}").close()
        return file.read_bytes()
