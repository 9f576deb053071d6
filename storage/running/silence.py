"""How long the runners of experiments and of models have been silent, by a clock that nobody can set."""

import time
from collections.abc import Callable, Collection, Hashable, Iterator
from contextlib import contextmanager
from datetime import datetime
from threading import Lock

from ensembles.errors import StorageError

__all__ = ["AwakeClock", "SilenceWatch"]

_LONGEST_WAIT = 2.0

_Sign = tuple[str | None, datetime | None]


class AwakeClock:
    """Seconds in which this process was awake and looked around.

    A laptop that was closed, a runner that was stopped or waited for the database has no right to call others slow or
    dead: they may have slept too, or their word lies unread. So no more than a step passes between two looks.

    Parameters
    ----------
    longest_step : float
        Seconds; looks should be more frequent.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic, longest_step: float = 5.0) -> None:
        self._now, self._longest_step = now, longest_step
        self._looked = now()
        self._seconds = 0.0

    def look(self) -> float:
        """Return the seconds so far."""
        now = self._now()
        self._seconds += min(now - self._looked, self._longest_step)
        self._looked = now
        return self._seconds


class SilenceWatch:
    """Remembers when each lease was first seen as it stands: a living runner changes it every few seconds.

    The moments that leases hold are only compared with one another. The clocks of machines are set forward and back,
    and a lease that ended by such a clock says nothing about its runner: one set back by hours would keep the
    experiment of a dead runner for hours, one set forward would take it from a living one.

    Parameters
    ----------
    clock : callable
        Seconds that only go forward, such as `time.monotonic`.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen: dict[Hashable, tuple[_Sign, float]] = {}
        self._lock = Lock()

    def silence(self, number: Hashable, runner: str | None, lease_until: datetime | None) -> float:
        """Return for how many seconds the lease of experiment `number` has been seen as it stands; 0 the first time."""
        sign = (runner, lease_until)
        with self._lock:
            now = self._clock()
            before, since = self._seen.get(number, (None, now))
            if before != sign:
                since = now
                self._seen[number] = (sign, now)
            return now - since

    @property
    def is_watching(self) -> bool:
        """Whether there is anybody who may fall silent."""
        return bool(self._seen)

    @contextmanager
    def writing(self) -> Iterator[Callable[[], None]]:
        """Forget what was seen when one cannot write: others could not either, and are heard anew from then on.

        Gives what is to be called as soon as one may write: who waited long for it was not alone.
        """
        asked = time.monotonic()

        def has_begun() -> None:
            if time.monotonic() - asked > _LONGEST_WAIT:
                self.forget_all_but(())

        try:
            yield has_begun
        except StorageError:
            self.forget_all_but(())
            raise

    def forget_all_but(self, numbers: Collection[Hashable]) -> None:
        """Forget experiments that nobody holds any more."""
        with self._lock:
            self._seen = {number: seen for number, seen in self._seen.items() if number in numbers}
