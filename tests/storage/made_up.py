"""Experiments to store, and runners that have gone silent."""

from datetime import timedelta

from storage import ExperimentRecord, Storage
from tests.storage.conftest import Clock, make_config

LONG, GONE = 60.0, -1.0

HOURS = timedelta(hours=5)


def launch(storage: Storage, name: str = "Trial run") -> ExperimentRecord:
    return storage.create_experiment(make_config(name=name), n_trials=8)


def claim_from_the_silent(storage: Storage, clock: Clock, runner: str) -> ExperimentRecord | None:
    """Watch those who hold experiments for as long as a lease, then claim one."""
    assert storage.claim_experiment(runner, LONG) is None
    clock.seconds += LONG
    return storage.claim_experiment(runner, LONG)
