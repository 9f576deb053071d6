"""The loop that claims what users launch and runs it."""

import logging
import math
import os
import platform
import secrets
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from threading import Event

from ensembles.errors import EnsembleLabError, InvalidInput, StorageError
from runner.cluster import Cluster, ClusterLost
from runner.heartbeat import LEASE_SECONDS
from runner.run_experiment import run_experiment
from storage import ExperimentRecord, Storage

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
) -> None:
    """Claim experiments and run them until `shutdown` is set, on another cluster whenever one is lost.

    Parameters
    ----------
    idle_seconds : float
        A cluster without work for so long is closed, and one is opened only when there is work; with infinity there is
        one all the time.

    Raises
    ------
    InvalidInput
        Already the first cluster cannot be had, and there is to be one all the time.
    """
    comes_and_goes = math.isfinite(idle_seconds)
    was_there = comes_and_goes
    while not shutdown.is_set():
        if comes_and_goes and not _is_work_waiting(shutdown, storage):
            continue
        try:
            with open_cluster() as cluster:
                was_there = True
                work_until(shutdown, storage, cluster, idle_seconds)
        except (ClusterLost, InvalidInput) as error:
            if not was_there:
                raise
            _log.error("%s", error)  # a scheduler that is being restarted comes back
            shutdown.wait(_PAUSE_SECONDS)


def work_until(shutdown: Event, storage: Storage, cluster: Cluster, idle_seconds: float = math.inf) -> None:
    """Claim experiments and run them, one after the other, until `shutdown` is set or none came for `idle_seconds`.

    Raises
    ------
    ClusterLost
        The experiment at hand was given back; a new cluster can go on.
    """
    runner, last = runner_name(), time.monotonic()
    while not shutdown.is_set() and time.monotonic() - last < idle_seconds:
        try:
            record = storage.claim_experiment(runner, LEASE_SECONDS)
            if record is None:
                storage.wait_for_work(shutdown, idle_seconds - (time.monotonic() - last))
            else:
                _run(shutdown, storage, cluster, record, runner)
                last = time.monotonic()
        except StorageError as error:
            _log.error("%s", error.detail)  # a database that is being restarted comes back
            shutdown.wait(_PAUSE_SECONDS)


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


def _run(shutdown: Event, storage: Storage, cluster: Cluster, record: ExperimentRecord, runner: str) -> None:
    begun = time.monotonic()
    _log.info("experiment %s: %s trials done", record.id, record.done)
    try:
        run_experiment(storage, cluster, record, runner, shutting_down=shutdown.is_set)
    except ClusterLost as error:
        storage.release(record.id, runner, str(error))
        raise
    except StorageError:
        _log.warning("experiment %s: lost the database; it goes on when that is back", record.id)
        raise
    except EnsembleLabError:
        raise
    except Exception as error:  # whatever it is, the next experiment must not wait for it
        _log.exception("experiment %s failed", record.id)
        reason = f"an error of this program stopped the experiment: {type(error).__name__}: {error}"
        storage.finish(record.id, "failed", reason, runner=runner)
    _log.info("experiment %s: over after %.1f s", record.id, time.monotonic() - begun)
