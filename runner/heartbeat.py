"""The heartbeat of a runner: renews the lease of an experiment and listens for the wish to stop."""

import time
from threading import Event, Thread
from types import TracebackType
from typing import Self

from ensembles.errors import StorageError
from storage import Standing, Storage

__all__ = ["LEASE_SECONDS", "Heartbeat"]

LEASE_SECONDS = 10.0
"""After so long a silence another runner takes the experiment over."""

_BEAT_SECONDS = 1.0
_LISTEN_SECONDS = 0.25


class Heartbeat:
    """Beats in a thread of its own while it is open, and knows how the experiment stands for its runner.

    Attributes
    ----------
    standing : str
        What the database said last. "unwanted" and "lost" are for good.
    lost_contact : StorageError or None
        Why the database could not be asked for as long as a lease lasts: by now another runner may be at it.
    """

    def __init__(self, storage: Storage, experiment_id: str, runner: str) -> None:
        self._storage = storage
        self._experiment_id = experiment_id
        self._runner = runner
        self._total: int | None = None
        self._seconds_left: float | None = None
        self.standing: Standing = "held"
        self.lost_contact: StorageError | None = None
        self._closed = Event()
        self._thread = Thread(target=self._beat, name="heartbeat", daemon=True)

    def must_stop(self) -> bool:
        """Return whether trials make no sense any more, for the time being or for good."""
        return self.standing != "held" or self.lost_contact is not None

    def report(self, *, total: int | None = None, seconds_left: float | None = None) -> None:
        """Leave word for the next beat."""
        self._total, self._seconds_left = total or self._total, seconds_left

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed.set()
        self._thread.join()

    def _beat(self) -> None:
        renewed = time.monotonic()
        due = renewed  # at once, so that the number of trials is known early
        while not self._closed.wait(_LISTEN_SECONDS) and not self.must_stop():
            now = time.monotonic()
            try:
                if now >= due:
                    self.standing = self._renew()
                    renewed, due = now, now + _BEAT_SECONDS
                else:
                    self.standing = self._storage.get_standing(self._experiment_id, self._runner)
            except StorageError as error:
                if now - renewed > LEASE_SECONDS:
                    self.lost_contact = error

    def _renew(self) -> Standing:
        return self._storage.heartbeat(
            self._experiment_id,
            self._runner,
            lease_seconds=LEASE_SECONDS,
            total=self._total,
            seconds_left=self._seconds_left,
        )
