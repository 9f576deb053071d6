"""A stopwatch for wall clock and CPU time."""

import time
from collections.abc import Callable
from types import TracebackType

__all__ = ["Stopwatch"]


class Stopwatch:
    """Adds up the time spent in its `with` blocks.

    Parameters
    ----------
    beside : callable, optional
        CPU seconds so far of what runs beside it in the process and is not meant.

    Attributes
    ----------
    seconds : float
        Wall clock.
    cpu_seconds : float
        CPU time of the process, without what runs beside.
    """

    def __init__(self, beside: Callable[[], float] = lambda: 0.0) -> None:
        self._beside = beside
        self.seconds = 0.0
        self.cpu_seconds = 0.0

    def __enter__(self) -> "Stopwatch":
        self._cpu_start = time.process_time() - self._beside()
        self._start = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.seconds += time.perf_counter() - self._start
        self.cpu_seconds += time.process_time() - self._beside() - self._cpu_start
