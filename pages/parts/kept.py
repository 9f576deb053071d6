"""Large values that all sessions share, within a bound of memory: of each thing the newest state, those used last."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Generic, TypeVar

__all__ = ["Kept"]

_T = TypeVar("_T")
_UNKNOWN = object()


@dataclass
class _Entry:
    """What is known of one thing; its lock is held while it is made, so that the others wait for it."""

    making: Any = field(default_factory=Lock)
    state: Hashable = _UNKNOWN
    value: Any = None
    size: int = 0
    used: float = 0.0


class Kept(Generic[_T]):
    """Values by what they are of; a new state takes the place of the one before, and the longest unused make room.

    Parameters
    ----------
    most_bytes : int
        For all together; the newest one is kept whatever its size.
    size_of : callable
        From a value to about how many bytes it takes.
    seconds : float
        After which an unused one goes when the next one comes.
    clock : callable
        Gives seconds that only grow.
    """

    def __init__(
        self,
        most_bytes: int,
        size_of: Callable[[_T], int],
        seconds: float = 3600.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most_bytes, self._size_of, self._seconds, self._clock = most_bytes, size_of, seconds, clock
        self._lock = Lock()
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()

    def get(self, key: Hashable, state: Hashable, make: Callable[[], _T]) -> _T:
        """Return the value of `key` in this state; it is made where none or another one is known."""
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
        with entry.making:
            if entry.state != state:
                entry.state, entry.value, entry.size = _UNKNOWN, None, 0  # two states of it need not be in memory
                entry.value = make()
                entry.state, entry.size = state, self._size_of(entry.value)
            entry.used = self._clock()
            value: _T = entry.value
        self._make_room()
        return value

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()

    @property
    def size(self) -> int:
        """About how many bytes all values take."""
        return sum(entry.size for entry in [*self._entries.values()])

    def _make_room(self) -> None:
        with self._lock:
            old = self._clock() - self._seconds
            for key, entry in [*self._entries.items()][:-1]:
                if entry.making.locked():
                    continue  # somebody waits for it
                if entry.state is _UNKNOWN or entry.used < old or self.size > self._most_bytes:
                    del self._entries[key]
