"""Take an experiment into one's hands that another runner had, or nobody."""

import time

from ensembles.errors import StorageError
from runner.heartbeat import LEASE_SECONDS
from storage import ExperimentRecord, Storage

__all__ = ["take_over"]

_PAUSE_SECONDS = 0.5
_HEARING_SECONDS = 2.0  # more than a lease, for the last beat of a living runner to be missed


def take_over(storage: Storage, experiment_id: str, runner: str) -> ExperimentRecord:
    """Take an experiment that is not finished, whoever had it; listens for a living runner as long as a lease lasts.

    Raises
    ------
    NotFound
        No such experiment.
    StorageError
        Another program is running it.
    """
    deadline = time.monotonic() + LEASE_SECONDS + _HEARING_SECONDS
    while True:
        present = storage.get_experiment(experiment_id)
        if present.is_final:
            return storage.reopen_experiment(experiment_id, runner=runner)
        if present.paused:
            storage.resume_experiment(experiment_id)
        taken = storage.take_experiment(experiment_id, runner, LEASE_SECONDS)
        if taken is not None:
            return taken
        if time.monotonic() > deadline:
            raise StorageError(f"{present.name}: is being run by another program, wait for its end")
        time.sleep(_PAUSE_SECONDS)
