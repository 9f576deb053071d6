"""How much heavy work goes on at once: whoever comes beyond that is asked to come again."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from starlette.exceptions import HTTPException

__all__ = ["READING", "WRITING", "Turns"]

_SECONDS = "5"


class Turns:
    """So many at once, each of which holds a thread and memory.

    Parameters
    ----------
    n : int
    what : str
        What takes a turn, in words.
    """

    def __init__(self, n: int, what: str) -> None:
        self._n, self._what, self._free = n, what, BoundedSemaphore(n)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Take a turn.

        Raises
        ------
        HTTPException
            429: all are taken.
        """
        if not self._free.acquire(blocking=False):
            sentence = f"at most {self._n} {self._what} at once, there are as many"
            raise HTTPException(429, sentence, {"Retry-After": _SECONDS})
        try:
            yield
        finally:
            self._free.release()


READING = Turns(4, "files can be read")
WRITING = Turns(8, "results and files can be put together")
