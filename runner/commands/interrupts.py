"""What a command does that is told to end: what it does after Ctrl-C, so that nothing half-done is left."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["ends_as_by_ctrl_c", "hearing"]

_NAMES = ("SIGTERM", "SIGHUP")  # of the system or a supervisor, and of a terminal that was closed


@contextmanager
def ends_as_by_ctrl_c() -> Iterator[None]:
    """Raise `KeyboardInterrupt` where the process is told to end."""
    with hearing(signal.default_int_handler):
        yield


@contextmanager
def hearing(end: Callable[[int, Any], object]) -> Iterator[None]:
    """Call `end` where the process is told to end, unless whoever started it had that ignored."""
    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    before = {number: signal.signal(number, end) for number in numbers if signal.getsignal(number) != signal.SIG_IGN}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
