"""How many trials this machine runs at a time, when nobody says otherwise."""

import os

__all__ = ["IDLE_SECONDS", "processors"]

IDLE_SECONDS = 300.0
"""Processes of a worker's own end when there was nothing to do for so long, and start again when there is."""


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
