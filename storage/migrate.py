"""Bring a database to the schema of this version; safe when several processes open it at once."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from ensembles.errors import StorageError
from storage.database import Database
from storage.derived import derive_anew
from storage.refusals import place_of

__all__ = ["upgrade_schema"]

_DERIVED = "0004"  # in databases before this one some of what is derived from experiments is lacking
_RENAMED = "0005"  # and in those before this one what data sets are called may be other words
_LOCK = 0x656E73656D626C65  # "ensemble" in ASCII: the advisory lock that the openers of one PostgreSQL database share


def upgrade_schema(database: Database) -> None:
    """Create the tables or upgrade them.

    Raises
    ------
    StorageError
        The database was written by a newer version, or cannot be reached.
    """
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    scripts = ScriptDirectory.from_config(config)
    newest = scripts.get_current_head()
    with database.session() as session:
        present = _revision(session.connection())
    if present == newest:
        return
    if present is not None and present not in {script.revision for script in scripts.walk_revisions()}:
        said = f"was written by a newer version of Ensemble Lab (schema {present!r})"
        raise StorageError(f"the database {said}", detail=f"the database {place_of(database.url)} {said}")
    with database.connection() as connection:
        if not database.is_sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        before = _revision(connection)
        if before != newest:  # another process may have been faster
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
            if before is not None and before < _RENAMED:
                derive_anew(connection, all_of_it=before < _DERIVED)


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()
