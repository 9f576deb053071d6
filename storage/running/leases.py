"""Who runs an experiment: a runner holds a lease and renews it; when it dies, the lease ends and another goes on."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from threading import Event
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from ensembles.errors import NotFound
from storage.experiments.rows import (
    acquire_lease,
    ended_import,
    experiment_record,
    finish,
    get_experiment_row,
    is_readable,
    let_go,
    missing_experiment,
)
from storage.models import ExperimentRow
from storage.records import ExperimentRecord, Standing, State
from storage.repository import Repository, allowed
from storage.results.packed import sum_ahead
from storage.running.model_rows import MODEL_LEASE_SECONDS, free_models
from storage.running.records import Holding
from storage.running.runners import fair_room, write_presence

__all__ = ["LeaseRepository"]

_Change = Callable[[Session, ExperimentRow, datetime], None]

_LOOK_SECONDS, _REST_SECONDS = 0.5, 30.0

_CLAIMABLE = ("waiting", "running", "cancelling")
_CLAIMED_BY = (
    *("id", "public_id", "state", "runner", "lease_until"),
    *("priority", "user_id", "seconds", "paused", "deleted"),
)
_RUNNING_OF_USERS = (
    select(ExperimentRow.user_id, func.count().label("n"))
    .where(ExperimentRow.state.in_(["running", "cancelling"]))
    .group_by(ExperimentRow.user_id)
)

# Seconds in which other runners can take what is theirs by their share, before one takes more than its own.
_PATIENCE_IDLE, _PATIENCE_BUSY = 1.0, 5.0


class LeaseRepository(Repository):
    """Everything about experiments that only a runner may do.

    A lease is over when this process has watched it for its whole length without seeing it renewed, whatever the clocks
    of the machines say; so who has just started leaves a dead runner's experiment alone for that long.
    """

    _is_quiet = False  # whether nothing waits or runs, as far as was seen last
    _unreadable: frozenset[int] = frozenset()  # what only runners of another version can take: it does not wait for us

    @allowed("program")
    def claim_experiment(
        self, runner: str, lease_seconds: float, *, held: Collection[str] = (), has_idle_workers: bool = True
    ) -> ExperimentRecord | None:
        """Take an experiment that waits, or that has not been renewed for `lease_seconds`; None without any.

        Of those that wait the one of the highest priority comes first, then that of the user who has the fewest running,
        then the one that ran for the shortest time so far, then the oldest. Where several runners are there, each takes
        its share by workers at once; more than that it takes after a second if it has idle workers, else after five, so
        that others can be first.

        What `runner` held when it lost sight of the database it gets again. One that this version cannot read, as it was
        launched by a newer one, is left to a runner that can. An import that was cut off is put to its end.

        Parameters
        ----------
        held : collection of str
            Ids of those that `runner` is at.
        has_idle_workers : bool
            Whether it has workers that nobody gives work.
        """
        for row in self._claimable(runner, lease_seconds, held, has_idle_workers):
            if (taken := self._take(row.id, runner, lease_seconds)) is not None:
                return taken
        return None

    @allowed("program")
    def is_work_waiting(self, lease_seconds: float) -> bool:
        """Return whether there is an experiment that `claim_experiment` could take, or a model, without taking it."""
        with self._database.session() as session:
            is_free = any(self._is_readable(session, row.id) for row in self._free(session, None, lease_seconds))
            return is_free or bool(free_models(session, self._model_watch, max(lease_seconds, MODEL_LEASE_SECONDS)))

    @allowed("program")
    def wait_for_work(self, shutdown: Event, seconds: float = _REST_SECONDS) -> bool:
        """Return when there may be an experiment to claim that was not there before, or `shutdown` is set.

        That is when one was launched, or anything else was done that is announced, by whatever process; and after `seconds`,
        at most half a minute. While others run experiments or train models it is after half a second: they may fall silent.
        Says whether anything was announced.
        """
        may_rest = self._is_quiet and not self._model_watch.is_watching
        longest = min(seconds, _REST_SECONDS) if may_rest else _LOOK_SECONDS
        return self._database.notices.wait(longest, _LOOK_SECONDS, shutdown)

    @allowed("program")
    def take_experiment(self, experiment_id: str, runner: str, lease_seconds: float) -> ExperimentRecord | None:
        """Take this experiment if `claim_experiment` could; None when it is over or another runner has it.

        Raises
        ------
        NotFound
            No such experiment.
        """
        with self._database.session() as session:
            number = session.scalar(select(ExperimentRow.id).where(ExperimentRow.public_id == experiment_id))
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
        """Do what `heartbeats` does for one experiment."""
        told = self.heartbeats(runner, {experiment_id: (total, seconds_left)}, lease_seconds=lease_seconds)
        return told[experiment_id].standing

    @allowed("program")
    def heartbeats(
        self,
        runner: str,
        reports: Mapping[str, tuple[int | None, float | None]],
        *,
        lease_seconds: float = 10.0,
        presence: tuple[int, int] | None = None,
    ) -> dict[str, Holding]:
        """Renew the leases of a runner, all in one transaction, and report progress; return how they stand.

        A lease whose row another transaction of the runner is writing is left for the next beat.

        Parameters
        ----------
        reports : mapping of str to (int or None, float or None)
            By the id of each experiment the number of its trials, None where it stays, and the seconds left.
        presence : (int, int), optional
            Workers of the runner and trials that it runs, for `list_runners`.
        """
        mine = (ExperimentRow.public_id.in_(reports), ExperimentRow.runner == runner)
        own = select(ExperimentRow.id, ExperimentRow.public_id).where(*mine).order_by(ExperimentRow.id)
        with self._database.session(writes=True, lasts=False) as session:
            until = self._database.now(session) + timedelta(seconds=lease_seconds)
            for row in session.execute(own.with_for_update(skip_locked=True)).all():
                total, seconds_left = reports[row.public_id]
                change: dict[str, Any] = {"lease_until": until, "seconds_left": seconds_left}
                if total is not None:
                    change["total"] = total
                session.execute(update(ExperimentRow).where(ExperimentRow.id == row.id).values(**change))
            if presence is not None:
                write_presence(self._database, session, runner, *presence)
            return _holdings(session, runner, reports)

    @allowed("program")
    def get_holdings(self, runner: str, experiment_ids: Collection[str]) -> dict[str, Holding]:
        """Return what `heartbeats` would, without writing: cheap enough to ask several times a second."""
        with self._database.session() as session:
            return _holdings(session, runner, experiment_ids)

    @allowed("program")
    def get_standing(self, experiment_id: str, runner: str) -> Standing:
        """Return how an experiment stands for a runner."""
        return self.get_holdings(runner, [experiment_id])[experiment_id].standing

    @allowed("program")
    def finish(
        self, experiment_id: str, state: State, message: str | None = None, *, runner: str, has_run: bool = True
    ) -> bool:
        """Put an experiment into a final state; False when it is not (or no longer) in the hands of `runner`.

        Without `has_run` the time in these hands does not count, as its trials were brought from elsewhere.
        """

        def end(session: Session, row: ExperimentRow, now: datetime) -> None:
            row.started = row.started if has_run else None
            finish(session, row, state, message, now)

        sum_ahead(self._database, experiment_id, ExperimentRow.runner == runner)
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
                let_go(row, now, message)
            self._database.notices.announce(session)

        sum_ahead(self._database, experiment_id, ExperimentRow.runner == runner, ExperimentRow.state == "cancelling")
        return self._let_go(experiment_id, runner, give_back)

    def _claimable(
        self, runner: str, lease_seconds: float, held: Collection[str], has_idle_workers: bool
    ) -> Sequence[Any]:
        with self._database.session() as session:  # reads only, so that idle runners stand in nobody's way
            free = [row for row in self._free(session, runner, lease_seconds) if row.public_id not in held]
            if not free:
                return []
            running = {row.user_id: row.n for row in session.execute(_RUNNING_OF_USERS)}
            room = fair_room(session, self._database, runner, len(free) + sum(running.values())) - len(held)
        patience = _PATIENCE_IDLE if has_idle_workers else _PATIENCE_BUSY
        in_order = sorted(
            free, key=lambda row: (-row.priority, running.get(row.user_id, 0), row.seconds or 0.0, row.id)
        )
        return [
            row
            for place, row in enumerate(in_order)
            if place < room or row.runner == runner or self._silence(row) >= patience
        ]

    def _free(self, session: Session, runner: str | None, lease_seconds: float) -> list[Any]:
        columns = [getattr(ExperimentRow, name) for name in _CLAIMED_BY]
        query = select(*columns).where(ExperimentRow.state.in_(_CLAIMABLE)).order_by(ExperimentRow.id)
        found = [row for row in session.execute(query) if row.id not in self._unreadable]
        self._watch.forget_all_but({row.id for row in found})
        self._is_quiet = all(row.state == "waiting" and not _is_wanted(row) for row in found)
        return [row for row in found if self._is_free(row, runner, lease_seconds)]

    def _is_free(self, row: Any, runner: str | None, lease_seconds: float) -> bool:
        if row.state == "waiting":
            return _is_wanted(row)
        if row.runner == runner:
            return True
        return row.state in _CLAIMABLE and self._silence(row) >= lease_seconds

    def _is_readable(self, session: Session, number: int) -> bool:
        if not is_readable(session, number):
            self._unreadable |= {number}
        return number not in self._unreadable

    def _silence(self, row: Any) -> float:
        """Return for how many seconds the lease of an experiment, or that there is none, has been seen as it is."""
        return self._watch.silence(row.id, row.runner, row.lease_until)

    def _take(self, number: int, runner: str, lease_seconds: float) -> ExperimentRecord | None:
        query = select(ExperimentRow).where(ExperimentRow.id == number).with_for_update(skip_locked=True)
        with self._watch.writing() as has_begun, self._database.session(writes=True) as session:
            row = session.scalars(query).one_or_none()
            has_begun()
            if row is None or not self._is_free(row, runner, lease_seconds):
                return None  # another one was faster, or its runner has just been heard
            if ended_import(session, row, now := self._database.now(session)) or not self._is_readable(session, number):
                return None
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


def _is_wanted(row: Any) -> bool:
    return not row.paused and row.deleted is None


def _holdings(session: Session, runner: str, experiment_ids: Collection[str]) -> dict[str, Holding]:
    row = ExperimentRow
    columns = (row.public_id, row.state, row.runner, row.paused, row.deleted, row.priority, row.snapshots_wanted)
    found = session.execute(select(*columns).where(row.public_id.in_(experiment_ids))).all()
    stands = {one.public_id: Holding(_standing(one, runner), one.priority, one.snapshots_wanted) for one in found}
    return {one: stands.get(one, Holding("lost")) for one in experiment_ids}


def _standing(row: Any, runner: str) -> Standing:
    if row.runner != runner:
        return "lost"
    if row.state == "cancelling":
        return "unwanted"
    return "held" if _is_wanted(row) else "paused"
