"""A stopwatch for wall clock and CPU time."""

import time
from types import TracebackType

__all__ = ["Stopwatch"]


class Stopwatch:
    """Adds up the time spent in its `with` blocks.

    Attributes
    ----------
    seconds : float
        Wall clock.
    cpu_seconds : float
        CPU time of the process.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.cpu_seconds = 0.0

    def __enter__(self) -> "Stopwatch":
        self._cpu_start = time.process_time()
        self._start = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.seconds += time.perf_counter() - self._start
        self.cpu_seconds += time.process_time() - self._cpu_start
