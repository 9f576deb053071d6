"""What a database holds as a whole, for what copies, replaces or fills all of it."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, exists, inspect, select, table, update

from storage.database import Database
from storage.location import database_url
from storage.models import Base, ExperimentRow
from storage.people.rows import RunnerRow
from storage.running.rows import KeptModelChunkRow, KeptModelRow, SnapshotChunkRow, StreamRow

__all__ = ["OF_THE_MOMENT", "forget_runners", "holds_anything", "opened", "our_tables"]

_PASSING = (RunnerRow, StreamRow, SnapshotChunkRow, KeptModelRow, KeptModelChunkRow)

OF_THE_MOMENT = {"alembic_version", *(table.__tablename__ for table in _PASSING)}
"""Tables that tell nothing of what people did."""


@contextmanager
def opened(url: str | None, *, makes: bool = True) -> Iterator[Database]:
    """Open a database as it is, of whatever schema; `url` and `makes` as in `open_storage`."""
    database = Database(database_url(url, makes=makes))
    try:
        yield database
    finally:
        database.close()


def our_tables(connection: Connection, schema: str | None = None) -> list[str]:
    """Return which tables of this product are there, by name."""
    known = {*Base.metadata.tables, "alembic_version"}
    return sorted(known & {*inspect(connection).get_table_names(schema)})


def holds_anything(connection: Connection) -> bool:
    """Return whether there is a row in any table that tells of what people did."""
    names = [name for name in our_tables(connection) if name not in OF_THE_MOMENT]
    return any(connection.execute(select(exists(select(1).select_from(table(name))))).scalar_one() for name in names)


def forget_runners(connection: Connection) -> None:
    """Let nobody hold an experiment, in tables of today: runners that are at it learn that it is no longer theirs.

    What they think is stored may be so no longer.
    """
    held = update(ExperimentRow).where(ExperimentRow.runner.is_not(None))
    connection.execute(held.where(ExperimentRow.state == "running").values(state="waiting"))
    connection.execute(held.values(runner=None, lease_until=None, seconds_left=None))
    connection.execute(RunnerRow.__table__.delete())  # type: ignore[attr-defined]
