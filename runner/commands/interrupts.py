"""What a command does that is told to end: what it does after Ctrl-C, so that nothing half-done is left."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["ends_as_by_ctrl_c"]

_NAMES = ("SIGTERM", "SIGHUP")  # of the system or a supervisor, and of a terminal that was closed


@contextmanager
def ends_as_by_ctrl_c() -> Iterator[None]:
    """Raise `KeyboardInterrupt` where the process is told to end, unless whoever started it had that ignored."""
    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    deadly = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in deadly:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in deadly:
            signal.signal(number, signal.SIG_DFL)
