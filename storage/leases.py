"""Who runs an experiment: a runner holds a lease and renews it; when it dies, the lease ends and another goes on."""

from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import and_, or_, select

from ensembles.errors import InvalidInput, NotFound
from storage.experiment_rows import config_from_text, end, experiment_record, get_experiment_row, lease
from storage.models import ExperimentRow
from storage.records import ExperimentRecord, State
from storage.repository import Repository

__all__ = ["LeaseRepository"]


class LeaseRepository(Repository):
    """Everything about experiments that only a runner may do."""

    def claim_experiment(self, owner: str, lease_seconds: float) -> ExperimentRecord | None:
        """Take the oldest experiment that waits or whose runner has gone silent; None when there is none.

        One that this version cannot read, as it was launched by a newer one, is left to a runner that can.
        """
        with self._database.session(writes=True) as session:
            now = self._database.now(session)
            is_free = or_(
                ExperimentRow.state == "waiting",
                and_(ExperimentRow.state.in_(["running", "cancelling"]), ExperimentRow.lease_until <= now),
            )
            query = select(ExperimentRow).where(is_free).order_by(ExperimentRow.id).limit(1)
            unreadable: list[int] = []
            while True:
                others = query.where(ExperimentRow.id.not_in(unreadable)).with_for_update(skip_locked=True)
                row = session.scalars(others).one_or_none()
                if row is None:
                    return None
                try:
                    config_from_text(row.config)
                except InvalidInput:
                    unreadable.append(row.id)
                else:
                    lease(row, owner, now, lease_seconds)
                    return experiment_record(row)

    def heartbeat(
        self,
        experiment_id: str,
        owner: str,
        *,
        lease_seconds: float = 10.0,
        total: int | None = None,
        seconds_left: float | None = None,
    ) -> bool:
        """Renew the lease and report progress; return whether the runner has to stop.

        It has to when a user wishes so, when the experiment was deleted, and when another runner took it over.
        """
        with self._database.session(writes=True) as session:
            try:
                row = get_experiment_row(session, experiment_id, lock=True)
            except NotFound:
                return True
            if row.owner != owner:
                return True
            row.lease_until = self._database.now(session) + timedelta(seconds=lease_seconds)
            row.total = row.total if total is None else total
            row.seconds_left = seconds_left
            return row.state == "cancelling"

    def must_stop(self, experiment_id: str, owner: str) -> bool:
        """Return what `heartbeat` would, without writing: cheap enough to ask several times a second."""
        query = select(ExperimentRow.state, ExperimentRow.owner).where(ExperimentRow.permalink == experiment_id)
        with self._database.session() as session:
            found = session.execute(query).one_or_none()
        return found is None or found.owner != owner or found.state == "cancelling"

    def finish(self, experiment_id: str, state: State, message: str | None = None, *, owner: str) -> bool:
        """Put an experiment into a final state; False when it is not (or no longer) in the hands of `owner`."""
        return self._let_go(experiment_id, owner, lambda row, now: end(row, state, message, now))

    def release(self, experiment_id: str, owner: str) -> bool:
        """Give an experiment back unfinished, for the next runner; False when it is not in the hands of `owner`."""

        def give_back(row: ExperimentRow, now: datetime) -> None:
            if row.state == "cancelling":
                end(row, "cancelled", None, now)
            else:
                row.state, row.owner, row.lease_until, row.seconds_left = "waiting", None, None, None

        return self._let_go(experiment_id, owner, give_back)

    def _let_go(self, experiment_id: str, owner: str, change: Callable[[ExperimentRow, datetime], None]) -> bool:
        with self._database.session(writes=True) as session:
            try:
                row = get_experiment_row(session, experiment_id, lock=True)
            except NotFound:
                return False
            if row.owner != owner:
                return False
            change(row, self._database.now(session))
            return True
