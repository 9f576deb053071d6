"""Keep at one experiment until it is over, through restarts of the database: for commands that run what they name."""

import sys
import time
from collections.abc import Callable

from ensembles.errors import StorageError
from runner.cluster.cluster import Cluster
from runner.heartbeat import LEASE_SECONDS
from runner.run_experiment import Progress, run_experiment
from storage import ExperimentRecord, Storage

__all__ = ["carry_on"]

_PAUSE_SECONDS = 0.5
_PATIENCE_SECONDS = 600.0  # without the database


def carry_on(
    storage: Storage,
    cluster: Cluster,
    record: ExperimentRecord,
    runner: str,
    *,
    shutting_down: Callable[[], bool],
    on_progress: Progress | None = None,
) -> ExperimentRecord:
    """Run an experiment, again whenever the database was lost and is back; return it as it stands at the end.

    While another runner has it, that one's end is awaited.

    Parameters
    ----------
    record : ExperimentRecord
        In the hands of `runner`.

    Raises
    ------
    StorageError
        The database was away for ten minutes after the trials had been given up, or is away and this process has to end.
        The experiment can go on.
    """
    held: ExperimentRecord | None = record
    lost_at: float | None = None
    while True:
        try:
            if held is not None:
                run_experiment(storage, cluster, held, runner, shutting_down=shutting_down, on_progress=on_progress)
            present, lost_at = storage.get_experiment(record.id), None
            if present.is_final or shutting_down():
                return present
            held = storage.take_experiment(record.id, runner, LEASE_SECONDS)
        except StorageError as error:
            held, now = None, time.monotonic()
            if lost_at is None:
                lost_at = now
                print(f"{error.detail}; {record.name} waits for it and goes on then", file=sys.stderr, flush=True)
            if shutting_down() or now - lost_at > _PATIENCE_SECONDS:
                raise
        if held is None:
            time.sleep(_PAUSE_SECONDS)
