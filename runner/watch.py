"""Time as a process has lived it, and who has kept silent for too long of it."""

import time
from collections.abc import Callable, Mapping

__all__ = ["AwakeClock", "Silence"]

_LONGEST_STEP = 5.0


class AwakeClock:
    """Seconds in which this process was awake and looked around.

    A laptop that was closed, a runner that was stopped or waited for the database has no right to call others slow: they
    may have slept too, or their word lies unread. So no more than five seconds pass between two looks.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._looked = now()
        self._seconds = 0.0

    def look(self) -> float:
        """Return the seconds so far; to be called more often than every five seconds."""
        now = self._now()
        self._seconds += min(now - self._looked, _LONGEST_STEP)
        self._looked = now
        return self._seconds


class Silence:
    """How long each of several processes has not been heard.

    Parameters
    ----------
    allowed : float
        Seconds, by the clock whose moments are given to `note`.
    """

    def __init__(self, allowed: float) -> None:
        self._allowed = allowed
        self._heard: dict[str, tuple[float, float]] = {}

    def note(self, signs: Mapping[str, float], now: float) -> set[str]:
        """Take the latest sign of life of each process, whatever clock it is from; return who has been silent too long."""
        self._heard = {
            name: self._heard[name] if name in self._heard and self._heard[name][0] == sign else (sign, now)
            for name, sign in signs.items()
        }
        return {name for name, (_, heard) in self._heard.items() if now - heard > self._allowed}
