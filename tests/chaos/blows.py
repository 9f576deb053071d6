"""The bad things that happen, and whom they hit."""

import os
import random
import signal
import sqlite3
import time
from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import dataclass

from sqlalchemy import select

from runner.heartbeat import LEASE_SECONDS
from storage import Storage
from storage.database import Database
from storage.location import database_url
from storage.models import ExperimentRow
from tests.chaos.clock import WallClock
from tests.chaos.disk import Disk
from tests.chaos.parties import PATIENCE_SECONDS, Parties
from tests.runner.conftest import children_of, is_running, wait_until
from tests.storage.postgresql import Server

__all__ = ["KINDS", "Chaos", "Missed", "Place"]

_NAP_SECONDS = 3.0
_GONE_SECONDS = 60.0
_CLOCK_SECONDS = 5.0
_HOUR = 3600

KINDS = (
    "worker",
    "runner",
    "sleep",
    "nap",
    "scheduler",
    "dask_worker",
    "web",
    "database",
    "gone",
    "disk",
    "clock",
)


@dataclass(frozen=True)
class Place:
    """What can be struck besides processes; None where this machine does not let us.

    Attributes
    ----------
    server : Server, optional
        Of the database, when that has one.
    disk : Disk, optional
        On which the database and the data folder are.
    clock : WallClock, optional
        Of one runner.
    """

    server: Server | None
    disk: Disk | None
    clock: WallClock | None

    def missing(self) -> dict[str, str]:
        """Return the kinds of blows that cannot strike here, and why."""
        reasons = {
            "database": "" if self.server else "the database has no server",
            "disk": "" if self.disk else "nobody may mount a small disk here (root may, on Linux)",
            "clock": "" if self.clock else "there is no compiler of C, or no Linux",
        }
        return {kind: reason for kind, reason in reasons.items() if reason}


class Missed(Exception):
    """The blow did not strike."""


class Chaos:
    """Somebody who strikes at those who run experiments.

    Attributes
    ----------
    blows : dict of str to int
        How often each kind of blow has struck.
    """

    def __init__(
        self,
        storage: Storage,
        experiments: Collection[str],
        parties: Parties,
        place: Place,
        rng: random.Random,
        kinds: Sequence[str] = KINDS,
    ) -> None:
        self._storage, self._ids, self._parties = storage, experiments, parties
        self._place, self._rng = place, rng
        self._database = Database(database_url(storage.url))
        self.blows = dict.fromkeys([kind for kind in kinds if kind not in place.missing()], 0)

    def strike(self) -> None:
        """Do one bad thing, of a kind that has struck least so far; raise `Missed` when it did not strike."""
        least = min(self.blows.values())
        kind = self._rng.choice([kind for kind, struck in self.blows.items() if struck == least])
        getattr(self, f"_strike_{kind}")()
        self._parties.check()
        self.blows[kind] += 1

    def _strike_worker(self) -> None:
        """Kill a process that runs trials, or that looks after those."""
        os.kill(self._worker_of(self._holder()), signal.SIGKILL)

    def _strike_runner(self) -> None:
        self._parties.kill_runner(self._holder())

    def _strike_sleep(self) -> None:
        """Let a runner sleep until others have taken over what it is at."""
        sleeper, deadline = self._holder(), time.monotonic() + 4 * LEASE_SECONDS
        os.kill(sleeper, signal.SIGSTOP)
        try:
            while sleeper in self._holders():
                if time.monotonic() > deadline:
                    raise Missed  # it fell asleep while it wrote, and holds the lock of the SQLite file
                time.sleep(0.2)
        finally:
            os.kill(sleeper, signal.SIGCONT)

    def _strike_nap(self) -> None:
        """Let a process that runs trials stand still for a moment."""
        worker = self._worker_of(self._holder())
        os.kill(worker, signal.SIGSTOP)
        time.sleep(_NAP_SECONDS)
        if is_running(worker):
            os.kill(worker, signal.SIGCONT)

    def _strike_scheduler(self) -> None:
        self._parties.kill("scheduler")

    def _strike_dask_worker(self) -> None:
        """Kill a process of the Dask cluster, or all of them with who started them."""
        workers = sorted(self._parties.dask_workers())
        if workers and self._rng.random() < 0.5:
            os.kill(self._rng.choice(workers), signal.SIGKILL)
        else:
            self._parties.kill_dask_workers()

    def _strike_web(self) -> None:
        self._parties.kill("web")

    def _strike_database(self) -> None:
        """Let the server of the database be away for longer than a lease."""
        assert self._place.server is not None
        self._place.server.stop()
        time.sleep(1.5 * LEASE_SECONDS)
        self._place.server.start()

    def _strike_gone(self) -> None:
        """Let nobody write to the database for a minute."""
        if self._place.server is not None:
            self._place.server.stop()
            time.sleep(_GONE_SECONDS)
            self._place.server.start()
            return
        with closing(sqlite3.connect(str(self._database.url.database), timeout=_GONE_SECONDS)) as other:
            other.execute("BEGIN EXCLUSIVE")
            time.sleep(_GONE_SECONDS)
            other.rollback()

    def _strike_disk(self) -> None:
        """Let the disk of the database and of all files of theirs be full; the web server answers all the while."""
        assert self._place.disk is not None
        self._parties.wait_for_web()
        self._place.disk.fill()
        try:
            time.sleep(1.5 * LEASE_SECONDS)
            self._parties.wait_for_web()
        finally:
            self._place.disk.free()
        if self._place.server is not None:
            self._place.server.revive()
        wait_until(lambda: self._storage.check_schema().is_well, "the database answers again", PATIENCE_SECONDS)

    def _strike_clock(self) -> None:
        """Set the wall clock of two runners forward by an hour, then back; a worker process begins by each."""
        assert self._place.clock is not None
        struck = sorted(self._holders() & self._parties.by_clock())
        if not struck:
            raise Missed
        try:
            for wrong in (_HOUR, -_HOUR):
                self._place.clock.set_wrong(wrong)
                time.sleep(_CLOCK_SECONDS)
                os.kill(self._worker_of(self._rng.choice(struck)), signal.SIGKILL)
                time.sleep(_CLOCK_SECONDS)
        finally:
            self._place.clock.set_wrong(0)

    def _worker_of(self, runner: int) -> int:
        workers = sorted(children_of(runner))
        if not workers:
            raise Missed  # it has only begun, or it is the one on the Dask cluster
        return self._rng.choice(workers)

    def _holder(self) -> int:
        """Return a runner that lives and is at an experiment."""

        def is_found() -> bool:
            return bool(self._holders()) or self._is_over()

        wait_until(is_found, "somebody is at an experiment", PATIENCE_SECONDS)
        holders = self._holders()
        if not holders:
            raise Missed
        return self._rng.choice(sorted(holders))

    def _is_over(self) -> bool:
        return all(self._storage.get_experiment(number).is_final for number in self._ids)

    def _holders(self) -> set[int]:
        query = select(ExperimentRow.runner).where(ExperimentRow.public_id.in_(self._ids))
        with self._database.session() as session:
            names = session.scalars(query.where(ExperimentRow.runner.is_not(None)))
            pids = {int(name.split(":")[-2]) for name in names if name}
        return {pid for pid in pids if is_running(pid)}
