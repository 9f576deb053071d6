"""Who has kept silent for too long, of the time that a process has lived."""

from collections.abc import Mapping

from storage.running.silence import AwakeClock

__all__ = ["AwakeClock", "Silence"]


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
