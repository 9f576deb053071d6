"""Whether the database can do what it is there for, said in sentences that everybody may read."""

import shutil
from datetime import timedelta
from pathlib import Path

from sqlalchemy import String, case, column, func, select, table, update

from ensembles.errors import StorageError
from storage.migrate import newest_revision
from storage.models import ExperimentRow
from storage.people.rows import RunnerRow
from storage.records import Health
from storage.repository import Repository, allowed
from storage.running.runners import is_heard

__all__ = ["HealthRepository"]

_LEAST_FREE_BYTES = 100 * 2**20
_LONGEST_SILENCE = timedelta(seconds=30)  # after the end of the lease: a living worker takes over within ten

_UNTIL_A_RUNNER_IS_HEARD = timedelta(minutes=1)

# Whoever reaches the address may ask for the health: of what belongs to somebody, the name is not told.
_NAME = case((ExperimentRow.user_id.is_(None), ExperimentRow.name), else_="an experiment")

_VERSION = column("version_num", String())
_SCHEMA = table("alembic_version", _VERSION)  # one row that is always there, and nobody else writes


class HealthRepository(Repository):
    """Look after the database itself."""

    @allowed("program")
    def check_health(self) -> Health:
        """Write a little, look for room on the disk, for runners that have gone silent, and for work without any.

        Never raises `StorageError`: a database that cannot be reached is a problem like others.
        """
        try:
            # A transaction that is rolled back would not touch the disk; this one writes what was there before.
            with self._database.session(writes=True) as session:
                session.execute(update(_SCHEMA).values(version_num=_VERSION))
            silent = (*self._silent_experiments(), *self._left_waiting())
        except StorageError as error:
            return Health((str(error), *self._shortage()), database=False)
        return Health((*self._shortage(), *silent))

    @allowed("program")
    def check_schema(self) -> Health:
        """Look whether the database answers and has the tables of this version; never raises `StorageError`."""
        try:
            with self._database.session() as session:
                revision = session.execute(select(_VERSION)).scalar_one_or_none()
        except StorageError as error:
            return Health((str(error),), database=False)
        if revision == newest_revision():
            return Health(())
        return Health((f"the database must be of schema {newest_revision()}, it is of {revision}",))

    def _shortage(self) -> tuple[str, ...]:
        if not self._database.is_sqlite:
            return ()  # the disk of a server is for the server to watch
        try:
            free = shutil.disk_usage(Path(str(self._database.url.database)).parent).free
        except OSError:
            return ()  # a folder that is gone has shown by now that nothing can be written
        if free >= _LEAST_FREE_BYTES:
            return ()
        least = _LEAST_FREE_BYTES // 2**20
        return (f"the disk of the database must have {least} MB free, it has {free // 2**20} MB",)

    def _silent_experiments(self) -> tuple[str, ...]:
        query = select(_NAME, ExperimentRow.lease_until, self._database.moment())
        held = query.where(ExperimentRow.state.in_(["running", "cancelling"])).order_by(ExperimentRow.id)
        with self._database.session() as session:
            found = session.execute(held).all()
        return tuple(
            f"{name}: stands still, its runner has been silent for {(now - until).total_seconds():.0f} s and no other "
            "has taken it over"
            for name, until, now in found
            if until is not None and now - until > _LONGEST_SILENCE
        )

    def _left_waiting(self) -> tuple[str, ...]:
        """Return what is wrong where experiments have waited for long and no runner is there at all."""
        wanted = (ExperimentRow.state == "waiting", ExperimentRow.paused.is_(False), ExperimentRow.deleted.is_(None))
        with self._database.session() as session:
            long_ago = self._database.now(session) - _UNTIL_A_RUNNER_IS_HEARD
            heard = select(RunnerRow.name).where(is_heard(self._database, session)).exists()
            query = (
                select(func.count()).select_from(ExperimentRow).where(*wanted, ExperimentRow.created < long_ago, ~heard)
            )
            n = session.scalar(query) or 0
        return (f"{n:,} experiment{' waits' if n == 1 else 's wait'}, and no runner is there",) if n else ()
