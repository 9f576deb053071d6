"""The heartbeat of a runner: renews the lease of an experiment and listens for the wish to stop."""

import time
from threading import Event, Thread
from types import TracebackType
from typing import Self

from ensembles.errors import StorageError
from storage import Storage

__all__ = ["LEASE_SECONDS", "Heart"]

LEASE_SECONDS = 10.0
"""After so long a silence another runner takes the experiment over."""

_BEAT_SECONDS = 2.0
_LISTEN_SECONDS = 0.25


class Heart:
    """Beats in a thread of its own while it is open; `must_stop()` tells what the database says."""

    def __init__(self, storage: Storage, experiment_id: str, owner: str) -> None:
        self._storage = storage
        self._experiment_id = experiment_id
        self._owner = owner
        self._total: int | None = None
        self._seconds_left: float | None = None
        self._stop_wish = Event()
        self._closed = Event()
        self._thread = Thread(target=self._beat, name="heartbeat", daemon=True)

    def must_stop(self) -> bool:
        """Return whether a user cancelled or deleted the experiment, or another runner has taken it over."""
        return self._stop_wish.is_set()

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
        while not self._closed.wait(_LISTEN_SECONDS) and not self._stop_wish.is_set():
            now = time.monotonic()
            try:
                if now >= due:
                    wish = self._renew()
                    renewed, due = now, now + _BEAT_SECONDS
                else:
                    wish = self._storage.must_stop(self._experiment_id, self._owner)
            except StorageError:
                wish = now - renewed > LEASE_SECONDS  # by now another runner may have it
            if wish:
                self._stop_wish.set()

    def _renew(self) -> bool:
        return self._storage.heartbeat(
            self._experiment_id,
            self._owner,
            lease_seconds=LEASE_SECONDS,
            total=self._total,
            seconds_left=self._seconds_left,
        )
