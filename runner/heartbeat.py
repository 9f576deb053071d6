"""The heartbeat of a runner: renews the leases of its experiments, all at once, and listens for wishes to stop."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Self

from ensembles.errors import StorageError
from storage import ExperimentRecord, Holding, Standing, Storage

__all__ = ["LEASE_SECONDS", "PATIENCE_SECONDS", "Heartbeat", "Lease"]

LEASE_SECONDS = 10.0
"""After so long a silence another runner takes an experiment over."""

PATIENCE_SECONDS = 600.0
"""So long a runner goes on without the database. If it was lost to this one alone, another runs the same trials meanwhile:
those that are stored first stay."""

_BEAT_SECONDS = 1.0
_LISTEN_SECONDS = 0.5  # between two beats a look that writes nothing
_IDLE_SECONDS = 30.0  # while there is nothing to renew


class Lease:
    """An experiment in the hands of a runner.

    Attributes
    ----------
    standing : str
        What the database said last. All but "held" is for good.
    lost_contact : StorageError or None
        Why the database could not be asked for ten minutes: it makes no sense to go on.
    priority : int
        How much it counts beside others.
    snapshots_wanted : int
        How often somebody has wished for snapshots of its streams.
    shall_yield : bool
        Whether it is given back as soon as what runs of it has ended: `yield_place` was called.
    keeps_place : bool
        Whether nobody should call that, as what runs could not go on from where it is.
    """

    def __init__(self, record: ExperimentRecord) -> None:
        self.experiment_id = record.id
        self.priority = record.priority
        self.standing: Standing = "held"
        self.lost_contact: StorageError | None = None
        self.shall_yield = self.keeps_place = False
        self.snapshots_wanted = 0
        self.total: int | None = None
        self.seconds_left: float | None = None
        self._renewed = time.monotonic()

    def must_stop(self) -> bool:
        """Return whether trials make no sense any more, for the time being or for good."""
        return self.standing != "held" or self.lost_contact is not None

    def report(self, *, total: int | None = None, seconds_left: float | None = None) -> None:
        """Leave word for the next beat."""
        self.total, self.seconds_left = total or self.total, seconds_left

    def yield_place(self) -> None:
        """Wish that the experiment is given back, without haste."""
        self.shall_yield = True

    def note(self, told: Holding, *, renewed: bool) -> None:
        """Take note of what the database says."""
        self.priority, self.snapshots_wanted = told.priority, told.snapshots_wanted
        if not self.must_stop():
            self.standing = told.standing
        if renewed:
            self._renewed = time.monotonic()

    def miss(self, error: StorageError) -> None:
        """Take note that the database does not answer."""
        if time.monotonic() - self._renewed > PATIENCE_SECONDS:
            self.lost_contact = error


class Heartbeat:
    """Beats in a thread of its own while it is open, for all experiments that a runner holds.

    Parameters
    ----------
    workers : int, optional
        How many trials the runner can run at a time, if others shall know that it is there.

    Attributes
    ----------
    workers, busy : int
        What others are told: how many trials it can run at a time, and how many it runs.
    """

    def __init__(self, storage: Storage, runner: str, *, workers: int | None = None) -> None:
        self.runner, self.workers, self.busy = runner, workers or 0, 0
        self._storage, self._is_present = storage, workers is not None
        self._leases: dict[str, Lease] = {}
        self._lock = Lock()
        self._changed, self._is_open = Event(), True
        self._thread = Thread(target=self._beat, name="heartbeat", daemon=True)

    @contextmanager
    def hold(self, record: ExperimentRecord) -> Iterator[Lease]:
        """Renew the lease of an experiment that was claimed, as long as the block lasts."""
        lease = Lease(record)
        with self._lock:
            self._leases[record.id] = lease
        self._changed.set()
        try:
            yield lease
        finally:
            with self._lock:
                del self._leases[record.id]
            self._changed.set()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_open = False
        self._changed.set()
        self._thread.join()

    def _beat(self) -> None:
        due = 0.0  # at once, so that the number of trials is known early
        while self._is_open:
            with self._lock:
                leases = {key: lease for key, lease in self._leases.items() if not lease.must_stop()}
            now, is_due = time.monotonic(), time.monotonic() >= due
            self._tell(leases, renews=is_due)
            due = now + _BEAT_SECONDS if is_due else due
            if self._changed.wait(_LISTEN_SECONDS if leases else _IDLE_SECONDS):
                self._changed.clear()
                due = 0.0
        if self._is_present:
            with suppress(StorageError):  # it is forgotten as it is silent
                self._storage.remove_runner(self.runner)

    def _tell(self, leases: dict[str, Lease], *, renews: bool) -> None:
        try:
            if renews and (leases or self._is_present):
                reports = {key: (lease.total, lease.seconds_left) for key, lease in leases.items()}
                presence = (self.workers, self.busy) if self._is_present else None
                told = self._storage.heartbeats(self.runner, reports, lease_seconds=LEASE_SECONDS, presence=presence)
            else:
                told = self._storage.get_holdings(self.runner, leases) if leases else {}
        except StorageError as error:
            for lease in leases.values():
                lease.miss(error)
            return
        for key, holding in told.items():
            leases[key].note(holding, renewed=renews)
