"""The loop that claims what users launch and runs it, several experiments at once."""

import logging
import math
import os
import platform
import secrets
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from threading import Event

from ensembles.errors import InvalidInput, StorageError
from runner.cluster.cluster import Cluster, ClusterLost
from runner.cluster.processors import processors
from runner.heartbeat import LEASE_SECONDS, Heartbeat
from runner.shift import Shift
from storage import Storage

__all__ = ["keep_working", "runner_name", "work_until"]

_PAUSE_SECONDS = 3.0

_log = logging.getLogger(__name__)


def runner_name() -> str:
    """Return a name for this process that no other has ever had."""
    return f"{platform.node()}:{os.getpid()}:{secrets.token_hex(4)}"


def keep_working(
    shutdown: Event,
    storage: Storage,
    open_cluster: Callable[[], AbstractContextManager[Cluster]],
    idle_seconds: float = math.inf,
    n_workers: int | None = None,
) -> None:
    """Claim experiments and run them until `shutdown` is set, on another cluster whenever one is lost.

    Parameters
    ----------
    idle_seconds : float
        A cluster without work for so long is closed, and one is opened only when there is work; with infinity there is
        one all the time.
    n_workers : int, optional
        How many trials the clusters run at a time, as far as it is known before there is one.

    Raises
    ------
    InvalidInput
        Already the first cluster cannot be had, and there is to be one all the time.
    """
    comes_and_goes = math.isfinite(idle_seconds)
    was_there = comes_and_goes
    with Heartbeat(storage, runner_name(), workers=n_workers or processors()) as heartbeat:
        while not shutdown.is_set():
            if comes_and_goes and not _is_work_waiting(shutdown, storage):
                continue
            try:
                with open_cluster() as cluster:
                    was_there = True
                    work_until(shutdown, storage, cluster, heartbeat, idle_seconds)
            except (ClusterLost, InvalidInput) as error:
                if not was_there:
                    raise
                _log.error("%s", error)  # a scheduler that is being restarted comes back
                shutdown.wait(_PAUSE_SECONDS)


def work_until(
    shutdown: Event, storage: Storage, cluster: Cluster, heartbeat: Heartbeat, idle_seconds: float = math.inf
) -> None:
    """Claim experiments and run them side by side, until `shutdown` is set or there was none for `idle_seconds`.

    Raises
    ------
    ClusterLost
        The experiments at hand were given back; a new cluster can go on.
    """
    last = time.monotonic()
    with Shift(storage, cluster, heartbeat, shutdown.is_set) as shift:
        while not shutdown.is_set() and time.monotonic() - last < idle_seconds:
            try:
                shift.claim()
                storage.wait_for_work(shutdown, idle_seconds - (time.monotonic() - last))
            except StorageError as error:
                _log.error("%s", error.detail)  # a database that is being restarted comes back
                shutdown.wait(_PAUSE_SECONDS)
            last = time.monotonic() if shift.is_busy else last


def _is_work_waiting(shutdown: Event, storage: Storage) -> bool:
    """Return whether there is an experiment to claim; where there is none, after a moment."""
    try:
        if storage.is_work_waiting(LEASE_SECONDS):
            return True
        storage.wait_for_work(shutdown)
    except StorageError as error:
        _log.error("%s", error.detail)
        shutdown.wait(_PAUSE_SECONDS)
    return False
