"""Run one experiment from where it stands to its end, and store what comes out."""

import time
from collections.abc import Callable, Sequence

from ensembles.errors import InvalidInput, NotFound
from ensembles.experiments.records import TrialPlan
from ensembles.experiments.resolve import resolve_datasets, resolve_test_dataset
from ensembles.experiments.trials import plan_trials
from runner.cluster import Cluster
from runner.engine import Ended, TrialRun
from runner.heart import Heart
from runner.tasks import Work
from storage import ExperimentRecord, Storage

__all__ = ["Progress", "conduct", "prepare"]

_COMMIT_SECONDS = 0.1

Progress = Callable[[int, int, float | None], None]
"""Called with the number of trials that have ended, of all trials, and the estimated seconds left."""


def conduct(
    storage: Storage,
    cluster: Cluster,
    record: ExperimentRecord,
    owner: str,
    *,
    must_leave: Callable[[], bool] = lambda: False,
    on_progress: Progress | None = None,
) -> None:
    """Run the trials of an experiment that are still missing, and put it into its final state.

    Parameters
    ----------
    record : ExperimentRecord
        Claimed by `owner`.
    must_leave : callable
        Says when this process has to end: the experiment is given back unfinished, for another runner.

    Raises
    ------
    ClusterLost, StorageError
        It stays claimed until the lease ends.
    """
    with Heart(storage, record.id, owner) as heart:
        try:
            work, plans = prepare(storage, record)
            missing = _Conduct(storage, record, heart, must_leave, on_progress).run(cluster, work, plans)
        except (InvalidInput, NotFound) as error:
            storage.finish(record.id, "failed", str(error), owner=owner)
            return
    if not missing:
        storage.finish(record.id, "finished", owner=owner)
    elif must_leave() and not heart.must_stop():
        storage.release(record.id, owner)
    else:
        storage.finish(record.id, "cancelled", owner=owner)


def prepare(storage: Storage, record: ExperimentRecord) -> tuple[Work, Sequence[TrialPlan]]:
    """Return what the trials of an experiment need, and the trials.

    Raises
    ------
    InvalidInput
        The data sets do not go with the experiment.
    NotFound
        A data set was deleted.
    """
    config = record.config
    datasets = resolve_datasets(config, storage.get_dataset)
    test_dataset = resolve_test_dataset(config, datasets[0], storage.get_dataset)
    return Work(config, tuple(datasets), test_dataset), plan_trials(config, datasets)


class _Conduct:
    """The way from missing trials to stored ones."""

    def __init__(
        self,
        storage: Storage,
        record: ExperimentRecord,
        heart: Heart,
        must_leave: Callable[[], bool],
        on_progress: Progress | None,
    ) -> None:
        self._storage, self._record, self._heart = storage, record, heart
        self._must_leave, self._on_progress = must_leave, on_progress
        self._unsaved: Ended = []
        self._saved_at = time.monotonic()

    def run(self, cluster: Cluster, work: Work, plans: Sequence[TrialPlan]) -> int:
        """Run what is not stored yet; return how many trials are missing at the end."""
        self._heart.report(total=len(plans))
        ended = self._storage.finished_keys(self._record.id)
        missing = [plan for plan in plans if plan.key not in ended]
        n_missing = len(missing)
        trials = TrialRun(cluster, work, missing)
        for batch in trials.results(self._should_stop):
            self._unsaved += batch
            n_missing -= len(batch)
            self._save_in_time()
            self._heart.report(seconds_left=trials.seconds_left())
            if self._on_progress is not None:
                self._on_progress(len(plans) - n_missing, len(plans), trials.seconds_left())
        self._save()
        return n_missing

    def _should_stop(self) -> bool:
        return self._heart.must_stop() or self._must_leave()

    def _save_in_time(self) -> None:
        if time.monotonic() - self._saved_at >= _COMMIT_SECONDS:
            self._save()

    def _save(self) -> None:
        if self._unsaved:
            self._storage.save_trials(self._record.id, self._unsaved)
            self._unsaved = []
        self._saved_at = time.monotonic()
