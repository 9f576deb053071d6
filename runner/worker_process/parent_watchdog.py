"""A process that must not outlive its parent holds the end of a pipe: the pipe closes when the parent is gone."""

import os
import sys
from collections.abc import Callable
from threading import Thread, Timer

__all__ = ["shut_down_with_parent"]

_LAST_SECONDS = 5.0


def shut_down_with_parent(shutdown: Callable[[], None]) -> None:
    """Call `shutdown` when standard input ends; five seconds later the process ends whatever it does."""
    Thread(target=_watch, args=(shutdown,), name="parent watchdog", daemon=True).start()


def _watch(shutdown: Callable[[], None]) -> None:
    while os.read(sys.stdin.fileno(), 1024):
        pass
    last = Timer(_LAST_SECONDS, os._exit, args=(1,))
    last.daemon = True
    last.start()
    shutdown()
