"""Batches that a thread reads while those before them are used."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from threading import Semaphore, Thread
from types import TracebackType
from typing import Self

from ensembles.data.source import Batch

__all__ = ["ReadAhead"]

_AHEAD = 2  # batches that are read and not yet taken
_LOOK_SECONDS = 0.25  # between two calls of `pause` while a batch is waited for
_END_SECONDS = 5.0  # for which somebody who closes waits for the batch that is being read


class ReadAhead(Iterator[Batch]):
    """The batches of an iterator, in order, read by a thread of its own, two ahead at most.

    Parsing in libraries and kernels hold no lock, so that one goes on beside the other. What the iterator raises is raised
    where its batch would have come. The iterator is used, and closed, by the thread alone. To be used as a context.

    Parameters
    ----------
    batches : iterator
    pause : callable
        Called four times a second while a batch is waited for; what it raises ends the wait.
    """

    def __init__(self, batches: Iterator[Batch], pause: Callable[[], None] = lambda: None) -> None:
        self._batches, self._pause = batches, pause
        self._room, self._come = Semaphore(_AHEAD), SimpleQueue[Batch | BaseException | None]()
        self._is_closed, self._is_over = False, False
        self._clock: int | None = None
        self._cpu_seconds = 0.0
        self._thread = Thread(target=self._read, name="read-ahead", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the thread once it has read its batch, and wait a while for that."""
        self._is_closed = self._is_over = True
        self._room.release()
        self._thread.join(_END_SECONDS)

    def __next__(self) -> Batch:
        """Return the next batch.

        Raises
        ------
        Exception
            Whatever the iterator raised.
        """
        if self._is_over:
            raise StopIteration
        came = self._wait()
        if came is None or isinstance(came, BaseException):
            self._is_over = True
            raise StopIteration if came is None else came
        self._room.release()
        return came

    @property
    def cpu_seconds(self) -> float:
        """Processor time of the thread so far; 0 on systems that do not tell that of another thread."""
        if (clock := self._clock) is None:
            return self._cpu_seconds
        try:
            return time.clock_gettime(clock)
        except OSError:  # it has just ended
            return self._cpu_seconds

    def _wait(self) -> Batch | BaseException | None:
        while True:
            try:
                return self._come.get(timeout=_LOOK_SECONDS)
            except Empty:
                self._pause()

    def _read(self) -> None:
        if hasattr(time, "pthread_getcpuclockid"):
            self._clock = time.pthread_getcpuclockid(self._thread.ident or 0)
        last = self._read_all()
        if self._clock is not None:
            self._cpu_seconds, self._clock = time.thread_time(), None
        self._come.put(last)

    def _read_all(self) -> BaseException | None:
        """Read until the end, or until closed; return what was raised."""
        try:
            try:
                while self._room.acquire() and not self._is_closed:
                    batch = next(self._batches, None)
                    if batch is None:
                        break
                    self._come.put(batch)
            finally:
                if close := getattr(self._batches, "close", None):
                    close()
        except BaseException as error:
            return error
        return None
