"""Run experiments of published tables in this process, for commands."""

from collections.abc import Callable

from runner.carry_on import carry_on
from runner.cluster.cluster import Cluster
from runner.papers import Planned, launch
from runner.run_experiment import Progress
from storage import ExperimentRecord, Storage

__all__ = ["run_planned"]


def run_planned(
    storage: Storage,
    cluster: Cluster,
    planned: Planned,
    runner: str,
    *,
    shutting_down: Callable[[], bool],
    on_progress: Progress | None = None,
) -> ExperimentRecord:
    """Run the trials of an experiment that are missing, and return it as it stands then.

    Raises
    ------
    StorageError
        Another program is running it.
    """
    record = launch(storage, planned, runner)
    if record.state == "finished":
        return record
    record = carry_on(storage, cluster, record, runner, shutting_down=shutting_down, on_progress=on_progress)
    if shutting_down():
        return storage.request_cancel(record.id)  # else the next worker would go on with it
    return record
