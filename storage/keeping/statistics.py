"""How much there is and how much is going on, in a few numbers: for whoever watches the application."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from sqlalchemy import ColumnElement, func, select, text
from sqlalchemy.orm import Session

from storage.models import DatasetRow, ExperimentRow
from storage.people.rows import RunnerRow
from storage.records import FINAL_STATES, State
from storage.repository import Repository, allowed
from storage.running.runners import is_heard

__all__ = ["Statistics", "StatisticsRepository"]


@dataclass(frozen=True)
class Statistics:
    """What there is and what is going on; what is in the bin is not counted, but for its bytes.

    Attributes
    ----------
    experiments : dict of str to int
        How many are in each state, all states named.
    paused : int
        Those among them that wait until they are resumed.
    trials_done, trials_failed, trials_waiting : int
        Trials that have ended; those among them that ended with an error; and those that are still to come, as far as they
        are planned, of experiments that are not over.
    runners, workers, busy : int
        Runners that were heard lately, their worker processes, and those of them that run a trial.
    datasets, dataset_bytes, database_bytes : int
        Stored data sets, the bytes that they take, and the bytes of the whole database.
    """

    experiments: dict[str, int]
    paused: int
    trials_done: int
    trials_failed: int
    trials_waiting: int
    runners: int
    workers: int
    busy: int
    datasets: int
    dataset_bytes: int
    database_bytes: int


class StatisticsRepository(Repository):
    """Count."""

    @allowed("administrate")
    def get_statistics(self) -> Statistics:
        """Return how much there is and how much is going on, of one moment."""
        with self._database.session() as session:
            experiments = self._experiments(session)
            heard = is_heard(self._database, session)
            living = select(func.count(), _sum(RunnerRow.workers), _sum(RunnerRow.busy)).where(heard)
            runners, workers, busy = session.execute(living).one()
            kept = func.count().filter(DatasetRow.deleted.is_(None))
            stored = select(kept, _sum(DatasetRow.packed_bytes)).select_from(DatasetRow)
            datasets, bytes_ = session.execute(stored).one()
            size = session.execute(text(_SIZE_SQLITE if self._database.is_sqlite else _SIZE_POSTGRESQL)).scalar_one()
        return Statistics(
            **experiments,
            runners=runners,
            workers=workers,
            busy=busy,
            datasets=datasets,
            dataset_bytes=int(bytes_),
            database_bytes=size + self._log_bytes(),
        )

    def _experiments(self, session: Session) -> dict[str, Any]:
        waiting = func.coalesce(ExperimentRow.total, 0) - ExperimentRow.done
        sums = (ExperimentRow.done, ExperimentRow.failed, waiting)
        found = session.execute(
            select(ExperimentRow.state, ExperimentRow.paused, func.count(), *map(func.sum, sums))
            .where(ExperimentRow.deleted.is_(None))
            .group_by(ExperimentRow.state, ExperimentRow.paused)
        ).all()
        going_on = [row for row in found if row[0] not in FINAL_STATES]
        return {
            "experiments": {state: sum(row[2] for row in found if row[0] == state) for state in get_args(State)},
            "paused": sum(row[2] for row in going_on if row[1]),
            "trials_done": sum(int(row[3]) for row in found),
            "trials_failed": sum(int(row[4]) for row in found),
            "trials_waiting": sum(max(int(row[5]), 0) for row in going_on),
        }

    def _log_bytes(self) -> int:
        """Return the bytes of what SQLite has not yet taken over into its file."""
        log = Path(f"{self._database.url.database}-wal")
        return log.stat().st_size if self._database.is_sqlite and log.exists() else 0


def _sum(column: Any) -> ColumnElement[int]:
    return func.coalesce(func.sum(column), 0)


_SIZE_SQLITE = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
_SIZE_POSTGRESQL = "SELECT pg_database_size(current_database())"
