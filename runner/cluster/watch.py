"""Who has kept silent for too long, of the time that a process has lived; and whether the wall clock was set back."""

import time
from collections.abc import Callable, Mapping

from storage.running.silence import AwakeClock

__all__ = ["AwakeClock", "Silence", "WallClock"]


class WallClock:
    """How far the wall clock has been set back. Timers of Dask and Tornado go by it, and stand still for as long."""

    def __init__(self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic) -> None:
        self._wall, self._steady = wall, steady
        self._furthest = wall() - steady()

    def set_back(self) -> float:
        """Return by how many seconds the clock is behind what it has been."""
        ahead = self._wall() - self._steady()
        self._furthest = max(self._furthest, ahead)
        return self._furthest - ahead


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
