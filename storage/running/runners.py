"""The runners that are there: how experiments that wait are shared among them."""

import math
import os
import platform
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session

from ensembles.jit import source_digest
from storage.database import Database
from storage.models import ExperimentRow
from storage.people.rows import RunnerRow
from storage.repository import Repository, allowed
from storage.running.records import RunnerRecord

__all__ = ["RunnerRepository", "fair_room", "is_heard", "write_presence"]

_LONGEST_SILENCE = timedelta(seconds=90)  # a runner without work is heard twice a minute
_FORGOTTEN = timedelta(days=1)


class RunnerRepository(Repository):
    """Everything about runners themselves."""

    @allowed("view")
    def has_runners(self) -> bool:
        """Return whether a runner was heard in the last minute and a half."""
        with self._database.session() as session:
            return session.scalar(select(RunnerRow.name).where(is_heard(self._database, session)).limit(1)) is not None

    @allowed("administrate")
    def list_runners(self) -> list[RunnerRecord]:
        """Return the runners that were heard in the last minute and a half, those that began first in front."""
        held = select(func.count()).where(ExperimentRow.runner == RunnerRow.name).scalar_subquery()
        with self._database.session() as session:
            living = is_heard(self._database, session)
            found = session.execute(select(RunnerRow, held).where(living).order_by(RunnerRow.started, RunnerRow.name))
            return [_record(row, experiments) for row, experiments in found]

    @allowed("program")
    def remove_runner(self, runner: str) -> None:
        """Forget a runner that ends."""
        with self._database.session(writes=True, lasts=False) as session:
            session.execute(delete(RunnerRow).where(RunnerRow.name == runner))


def is_heard(database: Database, session: Session) -> ColumnElement[bool]:
    """Return whether a runner was heard in the last minute and a half, as a condition.

    One that was heard later than now was so before the clock was set back, and is heard anew if it lives.
    """
    now = database.now(session)
    return RunnerRow.seen.between(now - _LONGEST_SILENCE, now + _LONGEST_SILENCE)


def write_presence(database: Database, session: Session, runner: str, workers: int, busy: int) -> None:
    """Note that a runner, which is this process, is there."""
    now = database.now(session)
    told = {"workers": workers, "busy": busy, "seen": now}
    process = {"name": runner, "host": platform.node(), "pid": os.getpid(), "version": source_digest(), "started": now}
    insert = database.insert(RunnerRow).values(**process, **told)
    session.execute(insert.on_conflict_do_update(index_elements=["name"], set_=told))
    session.execute(delete(RunnerRow).where(~RunnerRow.seen.between(now - _FORGOTTEN, now + _FORGOTTEN)))


def fair_room(session: Session, database: Database, runner: str, experiments: int) -> int:
    """Return how many of so many experiments that wait or run a runner may hold by its share of all workers."""
    living = select(RunnerRow.name, RunnerRow.workers).where(is_heard(database, session))
    workers: dict[str, int] = {row.name: row.workers for row in session.execute(living)}
    whole = sum(workers.values())
    if not whole or runner not in workers:
        return experiments
    return max(math.ceil(experiments * workers[runner] / whole), 1)


def _record(row: RunnerRow, experiments: int) -> RunnerRecord:
    started: datetime = row.started
    return RunnerRecord(row.name, row.host, row.version, row.pid, row.workers, row.busy, experiments, started, row.seen)
