"""When an experiment has its turn: its priority, and whether it is paused."""

from sqlalchemy.orm import Session

from ensembles.errors import Forbidden, InvalidInput
from storage.experiments.rows import experiment_record, let_go
from storage.models import ExperimentRow
from storage.people.audit import write_audit
from storage.people.reach import changeable_experiment
from storage.records import ExperimentRecord
from storage.repository import Repository, allowed

__all__ = ["MOST_PRIORITY", "TurnRepository"]

MOST_PRIORITY = 2
"""Priorities go from minus this to plus this; each step doubles the share of the workers."""


class TurnRepository(Repository):
    """Let experiments go before others, behind them, or not at all for now."""

    @allowed("change")
    def set_priority(self, experiment_id: str, priority: int) -> ExperimentRecord:
        """Let an experiment count more or less beside others, whether it waits or runs.

        Beside one of priority 0 it gets 2 to the power of its priority times as much of the workers. Of those that wait the
        highest comes first. Where people sign in, only an admin may let one go before those of others, with more than 0.

        Raises
        ------
        InvalidInput
            The priority is no integer in [-2, 2].
        NotFound
            No such experiment.
        Forbidden
            It belongs to somebody else, or only an admin may do this.
        """
        if isinstance(priority, bool) or not isinstance(priority, int) or abs(priority) > MOST_PRIORITY:
            raise InvalidInput(f"priority must be an integer in [-{MOST_PRIORITY}, {MOST_PRIORITY}], got {priority!r}")
        if priority > 0 and not self._actor.may("administrate"):
            raise Forbidden(
                f"only admins, by tokens with the scope 'admin', may give a priority above 0, got {priority}"
            )
        with self._database.session(writes=True) as session:
            row = changeable_experiment(session, self._actor, experiment_id)
            row.priority = priority
            return self._changed(session, row, f"given priority {priority}")

    @allowed("change")
    def pause_experiment(self, experiment_id: str) -> ExperimentRecord:
        """Let nobody go on with an experiment until it is resumed; a runner that is at it stops within seconds.

        Trials that have ended stay. An experiment that is over, or shall be, stays as it is.
        Raise `NotFound` or `Forbidden`.
        """
        with self._database.session(writes=True) as session:
            row = changeable_experiment(session, self._actor, experiment_id)
            now = self._database.now(session)
            row.paused = row.state in {"waiting", "running"}
            if row.state == "running" and (row.lease_until is None or row.lease_until <= now):
                let_go(row, now)
            return self._changed(session, row, "paused")

    @allowed("change")
    def resume_experiment(self, experiment_id: str) -> ExperimentRecord:
        """Let runners go on with an experiment that was paused; raise `NotFound` or `Forbidden`."""
        with self._database.session(writes=True) as session:
            row = changeable_experiment(session, self._actor, experiment_id)
            row.paused = False
            return self._changed(session, row, "resumed")

    def _changed(self, session: Session, row: ExperimentRow, action: str) -> ExperimentRecord:
        now = self._database.now(session)
        write_audit(session, self._actor, now, action, "experiment", row.public_id, row.name)
        self._database.notices.announce(session)
        return experiment_record(row, now)
