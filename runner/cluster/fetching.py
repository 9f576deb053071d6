"""Results come from workers as soon as they are there, many at a time."""

from collections.abc import Callable
from concurrent.futures import Executor
from concurrent.futures import Future as Outcome
from typing import Any

from distributed import Future

__all__ = ["FETCHERS", "Task"]

FETCHERS = 16
"""So many results are fetched at a time: one takes 10 ms, most of it waiting, and 1,000 workers end 100 trials a second."""

_FETCH_SECONDS = (
    20.0  # a busy scheduler takes its time, and what is not fetched runs again; who dies meanwhile is missed
)


class Task:
    """What was sent to a worker. Once it is done, its result is fetched, and only then is it said to be done.

    Parameters
    ----------
    sent : distributed.Future
    fetchers : Executor
        Threads that fetch.
    """

    def __init__(self, sent: Future, fetchers: Executor) -> None:
        self._sent, self._fetchers = sent, fetchers
        self._outcome: Outcome[Any] = Outcome()

    def add_done_callback(self, call: "Callable[[Task], None]") -> None:
        """Call a function with this task when the result is here, or why there is none; in some thread, and once."""
        self._outcome.add_done_callback(lambda _: call(self))
        self._sent.add_done_callback(self._begin)

    def result(self, timeout: float | None = None) -> Any:
        """Return the result, or raise what came instead: `OSError` or `TimeoutError` where it was lost on the way."""
        return self._outcome.result(timeout)

    def cancel(self) -> None:
        """Do not run it any more, if it has not begun, and forget its result."""
        self._sent.cancel()

    def _begin(self, _: Future) -> None:
        try:
            self._fetchers.submit(self._fetch)
        except RuntimeError as error:  # the cluster is being closed
            self._outcome.set_exception(error)

    def _fetch(self) -> None:
        try:
            result = self._sent.result(timeout=_FETCH_SECONDS)
        except BaseException as error:
            self._outcome.set_exception(error)
        else:
            self._outcome.set_result(result)
