"""Who runs an experiment: a runner holds a lease and renews it; when it dies, the lease ends and another goes on."""

from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Event
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ensembles.errors import InvalidInput, NotFound
from storage.experiment_rows import (
    acquire_lease,
    config_from_text,
    experiment_record,
    finish,
    get_experiment_row,
    missing_experiment,
)
from storage.models import ExperimentRow
from storage.records import ExperimentRecord, Standing, State
from storage.repository import Repository, allowed

__all__ = ["LeaseRepository"]

_Change = Callable[[Session, ExperimentRow, datetime], None]

_LOOK_SECONDS, _REST_SECONDS = 0.5, 30.0

_CLAIMABLE = ("waiting", "running", "cancelling")


class LeaseRepository(Repository):
    """Everything about experiments that only a runner may do.

    A lease is over when this process has watched it for its whole length without seeing it renewed, whatever the clocks
    of the machines say; so who has just started leaves a dead runner's experiment alone for that long.
    """

    _is_quiet = False  # whether nothing waits or runs, as far as was seen last

    @allowed("program")
    def claim_experiment(self, runner: str, lease_seconds: float) -> ExperimentRecord | None:
        """Take the oldest experiment that waits, or that has not been renewed for `lease_seconds`; None without any.

        What `runner` holds already it gets again, as when it lost sight of the database for a while. One that this
        version cannot read, as it was launched by a newer one, is left to a runner that can.
        """
        free = self._free(runner, lease_seconds)
        return next(filter(None, (self._take(number, runner, lease_seconds) for number in free)), None)

    @allowed("program")
    def is_work_waiting(self, lease_seconds: float) -> bool:
        """Return whether there is an experiment that `claim_experiment` could take, without taking it."""
        return bool(self._free(None, lease_seconds))

    @allowed("program")
    def wait_for_work(self, shutdown: Event, seconds: float = _REST_SECONDS) -> None:
        """Return when there may be an experiment to claim that was not there before, or `shutdown` is set.

        That is when one was launched, or anything else was done that is announced, by whatever process; and after `seconds`,
        at most half a minute. While others run experiments it is after half a second, as they may fall silent any time.
        """
        longest = min(seconds, _REST_SECONDS) if self._is_quiet else _LOOK_SECONDS
        self._database.notices.wait(longest, _LOOK_SECONDS, shutdown)

    @allowed("program")
    def take_experiment(self, experiment_id: str, runner: str, lease_seconds: float) -> ExperimentRecord | None:
        """Take this experiment if `claim_experiment` could; None when it is over or another runner has it.

        Raises
        ------
        NotFound
            No such experiment.
        """
        query = select(ExperimentRow.id).where(ExperimentRow.public_id == experiment_id)
        with self._database.session() as session:
            number = session.scalars(query).one_or_none()
        if number is None:
            raise missing_experiment(experiment_id)
        return self._take(number, runner, lease_seconds)

    @allowed("program")
    def heartbeat(
        self,
        experiment_id: str,
        runner: str,
        *,
        lease_seconds: float = 10.0,
        total: int | None = None,
        seconds_left: float | None = None,
    ) -> Standing:
        """Renew the lease and report progress; return how the experiment stands for its runner."""
        with self._database.session(writes=True, lasts=False) as session:
            try:
                row = get_experiment_row(session, experiment_id, lock=True)
            except NotFound:
                return "lost"
            if row.runner == runner:
                row.lease_until = self._database.now(session) + timedelta(seconds=lease_seconds)
                row.total = row.total if total is None else total
                row.seconds_left = seconds_left
            return _standing(row.state, row.runner, runner)

    @allowed("program")
    def get_standing(self, experiment_id: str, runner: str) -> Standing:
        """Return what `heartbeat` would, without writing: cheap enough to ask several times a second."""
        query = select(ExperimentRow.state, ExperimentRow.runner).where(ExperimentRow.public_id == experiment_id)
        with self._database.session() as session:
            found = session.execute(query).one_or_none()
        return "lost" if found is None else _standing(found.state, found.runner, runner)

    @allowed("program")
    def finish(self, experiment_id: str, state: State, message: str | None = None, *, runner: str) -> bool:
        """Put an experiment into a final state; False when it is not (or no longer) in the hands of `runner`."""

        def end(session: Session, row: ExperimentRow, now: datetime) -> None:
            finish(session, row, state, message, now)

        return self._let_go(experiment_id, runner, end)

    @allowed("program")
    def release(self, experiment_id: str, runner: str, message: str | None = None) -> bool:
        """Give an experiment back unfinished, for the next runner; False when it is not in the hands of `runner`.

        Parameters
        ----------
        message : str, optional
            One sentence on why; it stands until a runner takes the experiment.
        """

        def give_back(session: Session, row: ExperimentRow, now: datetime) -> None:
            if row.state == "cancelling":
                finish(session, row, "cancelled", None, now)
            else:
                row.state, row.runner, row.lease_until, row.seconds_left = "waiting", None, None, None
                row.message = message
            self._database.notices.announce(session)

        return self._let_go(experiment_id, runner, give_back)

    def _free(self, runner: str | None, lease_seconds: float) -> list[int]:
        query = select(ExperimentRow.id, ExperimentRow.state, ExperimentRow.runner, ExperimentRow.lease_until)
        with self._database.session() as session:  # reads only, so that idle runners stand in nobody's way
            found = session.execute(query.where(ExperimentRow.state.in_(_CLAIMABLE)).order_by(ExperimentRow.id)).all()
        self._watch.forget_all_but({row.id for row in found})
        self._is_quiet = not found
        return [row.id for row in found if self._is_free(row, runner, lease_seconds)]

    def _is_free(self, row: Any, runner: str | None, lease_seconds: float) -> bool:
        if row.state == "waiting" or row.runner == runner:
            return True
        silence = self._watch.silence(row.id, row.runner, row.lease_until)
        return row.state in _CLAIMABLE and silence >= lease_seconds

    def _take(self, number: int, runner: str, lease_seconds: float) -> ExperimentRecord | None:
        query = select(ExperimentRow).where(ExperimentRow.id == number)
        with self._database.session(writes=True) as session:
            row = session.scalars(query.with_for_update(skip_locked=True)).one_or_none()
            if row is None or not self._is_free(row, runner, lease_seconds):
                return None  # another one was faster, or its runner has just been heard
            try:
                config_from_text(row.config)
            except InvalidInput:
                return None
            now = self._database.now(session)
            acquire_lease(row, runner, now, lease_seconds)
            return experiment_record(row, now)

    def _let_go(self, experiment_id: str, runner: str, change: _Change) -> bool:
        with self._database.session(writes=True) as session:
            try:
                row = get_experiment_row(session, experiment_id, lock=True)
            except NotFound:
                return False
            if row.runner != runner:
                return False
            change(session, row, self._database.now(session))
            return True


def _standing(state: str, holder: str | None, runner: str) -> Standing:
    if holder != runner:
        return "lost"
    return "unwanted" if state == "cancelling" else "held"
