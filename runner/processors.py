"""How many trials this machine runs at a time, when nobody says otherwise."""

import os

__all__ = ["processors"]


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
