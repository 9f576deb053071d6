"""The loop that claims what users launch and runs it."""

import logging
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

__all__ = ["keep_working", "owner_name", "work_until"]

_POLL_SECONDS = 0.5
_PAUSE_SECONDS = 3.0

_log = logging.getLogger(__name__)


def owner_name() -> str:
    """Return a name for this process that no other has ever had."""
    return f"{platform.node()}:{os.getpid()}:{secrets.token_hex(4)}"


def keep_working(
    shutdown: Event, storage: Storage, open_cluster: Callable[[], AbstractContextManager[Cluster]]
) -> None:
    """Claim experiments and run them until `shutdown` is set, on another cluster whenever one is lost.

    Raises
    ------
    InvalidInput
        Already the first cluster cannot be had.
    """
    was_there = False
    while not shutdown.is_set():
        try:
            with open_cluster() as cluster:
                was_there = True
                work_until(shutdown, storage, cluster)
        except (ClusterLost, InvalidInput) as error:
            if not was_there:
                raise
            _log.error("%s", error)  # a scheduler that is being restarted comes back
            shutdown.wait(_PAUSE_SECONDS)


def work_until(shutdown: Event, storage: Storage, cluster: Cluster) -> None:
    """Claim experiments and run them, one after the other, until `shutdown` is set.

    Raises
    ------
    ClusterLost
        The experiment at hand was given back; a new cluster can go on.
    """
    owner = owner_name()
    while not shutdown.is_set():
        try:
            record = storage.claim_experiment(owner, LEASE_SECONDS)
            if record is None:
                shutdown.wait(_POLL_SECONDS)
            else:
                _run(shutdown, storage, cluster, record, owner)
        except StorageError as error:
            _log.error("%s", error.detail)  # a database that is being restarted comes back
            shutdown.wait(_PAUSE_SECONDS)


def _run(shutdown: Event, storage: Storage, cluster: Cluster, record: ExperimentRecord, owner: str) -> None:
    begun = time.monotonic()
    _log.info("experiment %s: %s trials done", record.id, record.done)
    try:
        run_experiment(storage, cluster, record, owner, shutting_down=shutdown.is_set)
    except ClusterLost as error:
        storage.release(record.id, owner, str(error))
        raise
    except StorageError:
        _log.warning("experiment %s: lost the database; it goes on when that is back", record.id)
        raise
    except EnsembleLabError:
        raise
    except Exception as error:  # whatever it is, the next experiment must not wait for it
        _log.exception("experiment %s failed", record.id)
        reason = f"an error of this program stopped the experiment: {type(error).__name__}: {error}"
        storage.finish(record.id, "failed", reason, owner=owner)
    _log.info("experiment %s: over after %.1f s", record.id, time.monotonic() - begun)
