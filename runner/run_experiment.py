"""Run one experiment from where it stands to its end, and store what comes out."""

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from ensembles.errors import InvalidConfig, InvalidInput, NotFound, StorageError
from ensembles.experiments.estimate import expected_seconds
from ensembles.experiments.records import TrialPlan
from ensembles.experiments.resolve import UnfitTestSet, resolve_datasets, resolve_test_dataset
from ensembles.experiments.trials import plan_trials
from runner.cluster.cluster import Cluster, ClusterLost
from runner.cluster.limits import model_bytes
from runner.dispatch.dispatcher import Dispatcher
from runner.dispatch.trial_run import Completed, TrialRun
from runner.heartbeat import LEASE_SECONDS, PATIENCE_SECONDS, Heartbeat, Lease
from runner.streams import ExperimentStreams
from runner.worker_process.tasks import ExperimentContext
from storage import ExperimentRecord, Storage

__all__ = ["Progress", "prepare", "run_beside_others", "run_experiment"]

_COMMIT_SECONDS = 0.1
_MOST_UNSAVED = 10_000  # trials that wait for the database in memory
_GONE = "Trials that had ended are not there any more, as after a backup was restored: they run again."

_log = logging.getLogger(__name__)

Progress = Callable[[int, int, float | None], None]
"""Called with the number of trials that have ended, of all trials, and the estimated seconds left."""


def run_experiment(
    storage: Storage,
    cluster: Cluster,
    record: ExperimentRecord,
    runner: str,
    *,
    shutting_down: Callable[[], bool] = lambda: False,
    on_progress: Progress | None = None,
) -> None:
    """Run one experiment with all of a cluster for itself, as `run_beside_others` does.

    Parameters
    ----------
    record : ExperimentRecord
        Claimed by `runner`.
    """
    with Heartbeat(storage, runner) as heartbeat, heartbeat.hold(record) as lease, Dispatcher(cluster) as dispatcher:
        run_beside_others(
            storage, dispatcher, record, lease, runner, shutting_down=shutting_down, on_progress=on_progress
        )


def run_beside_others(
    storage: Storage,
    dispatcher: Dispatcher,
    record: ExperimentRecord,
    lease: Lease,
    runner: str,
    *,
    shutting_down: Callable[[], bool] = lambda: False,
    on_progress: Progress | None = None,
) -> None:
    """Run the trials of an experiment that are still missing, and put it into its final state.

    Parameters
    ----------
    record : ExperimentRecord
        Held by `runner`, by `lease`.
    shutting_down : callable
        Says when this process has to end: the experiment is given back unfinished, for another runner.

    Raises
    ------
    ClusterLost
        It stays claimed until the lease ends.
    StorageError
        The database could not be reached for ten minutes, or for as long as a lease lasts when this process has to end.
        The experiment has not ended: it stays claimed until the lease ends, and whoever takes it then, be it `runner`,
        goes on.
    """
    try:
        context, plans = prepare(storage, record)
        run = _ExperimentRun(storage, record, lease, runner, shutting_down, on_progress)
        missing = run.run(dispatcher, context, plans)
    except (InvalidInput, NotFound) as error:
        if isinstance(error, _ImpossiblePlan | UnfitTestSet):
            storage.heartbeat(record.id, runner, lease_seconds=LEASE_SECONDS, total=0)
        storage.finish(record.id, "failed", str(error), runner=runner)
        return
    if lease.standing == "lost":
        _log.info("experiment %s: deleted, or in the hands of another runner", record.id)
    elif not missing and _are_stored(storage, record, plans):
        storage.finish(record.id, "finished", runner=runner)
    elif lease.standing == "unwanted":
        storage.finish(record.id, "cancelled", runner=runner)
    elif lease.lost_contact is not None:
        raise lease.lost_contact
    else:
        storage.release(record.id, runner, run.message if missing else _GONE)


def _are_stored(storage: Storage, record: ExperimentRecord, plans: Sequence[TrialPlan]) -> bool:
    """Return whether all trials are there: where a backup was restored meanwhile, some that had ended are not."""
    try:
        if storage.get_experiment(record.id).done >= len(plans):
            return True
        return storage.finished_keys(record.id).issuperset(plan.key for plan in plans)
    except NotFound:
        return True  # nobody asks any more


class _ImpossiblePlan(InvalidConfig):
    """The trials of an experiment cannot be planned, however often it is tried."""


def prepare(storage: Storage, record: ExperimentRecord) -> tuple[ExperimentContext, Sequence[TrialPlan]]:
    """Return what the trials of an experiment need, and the trials.

    Raises
    ------
    InvalidInput
        The data sets do not go with the experiment.
    NotFound
        A data set was deleted.
    """
    config = record.config
    datasets = resolve_datasets(config, storage.open_dataset)
    test_dataset = resolve_test_dataset(config, datasets[0], storage.open_dataset)
    context = ExperimentContext(config, tuple(datasets), test_dataset, model_bytes())
    try:
        return context, plan_trials(config, datasets)
    except InvalidConfig as error:
        raise _ImpossiblePlan(str(error)) from None


class _ExperimentRun:
    """The way from missing trials to stored ones.

    Attributes
    ----------
    message : str or None
        What people are told while it runs, and until it goes on.
    """

    def __init__(
        self,
        storage: Storage,
        record: ExperimentRecord,
        lease: Lease,
        runner: str,
        shutting_down: Callable[[], bool],
        on_progress: Progress | None,
    ) -> None:
        self._storage, self._record, self._lease, self._runner = storage, record, lease, runner
        self._shutting_down, self._on_progress = shutting_down, on_progress
        self._unsaved: Completed = []
        self._saved_at = self._tried_at = time.monotonic()
        self._streams: ExperimentStreams | None = None
        self._answered = 0
        self.message: str | None = None

    def run(self, dispatcher: Dispatcher, context: ExperimentContext, plans: Sequence[TrialPlan]) -> int:
        """Run what is not stored yet; return how many trials are missing at the end."""
        self._lease.report(total=len(plans))
        if self._record.total != len(plans):  # it may be over before the next beat
            with suppress(StorageError):
                self._storage.heartbeat(self._record.id, self._runner, lease_seconds=LEASE_SECONDS, total=len(plans))
        missing = self._missing(plans)
        if self._record.extends is not None and missing:
            with suppress(NotFound):  # what was not taken over before that was deleted runs again
                self._storage.adopt_trials(self._record.id, self._record.extends, missing)
            missing = self._missing(plans)
        n_missing = len(missing)
        expected, user, priority = self._expected(context), self._record.user_id, self._lease.priority
        self._streams = self._streams_of(context, missing)
        trials = dispatcher.start(
            context, missing, expected=expected, user=user, priority=priority, streams=self._streams
        )
        try:
            for batch in trials.results(self._should_stop, lambda: self._lease.shall_yield):
                self._unsaved += batch
                n_missing -= len(batch)
                self._save_in_time()
                self._lease.report(seconds_left=trials.seconds_left)
                if priority != self._lease.priority:
                    priority = self._lease.priority
                    dispatcher.set_priority(trials, priority)
                self._look_after_streams(dispatcher, trials)
                if self._on_progress is not None:
                    self._on_progress(len(plans) - n_missing, len(plans), trials.seconds_left)
        except ClusterLost:  # what has ended need not run again
            with suppress(StorageError, NotFound):
                self._save_all()
            raise
        self._save_all()
        if self._streams is not None and self._lease.standing != "lost":  # else somebody else tells of them by now
            self._streams.save()
            self._tell_refused(self._streams)
        return n_missing

    def _save_all(self) -> None:
        """Store what has ended, however long the database is away, within bounds."""
        self._tried_at = 0.0
        while self._unsaved:
            self._save_in_time()
            time.sleep(_COMMIT_SECONDS if self._unsaved else 0.0)

    def _streams_of(self, context: ExperimentContext, missing: Sequence[TrialPlan]) -> ExperimentStreams | None:
        if not (context.is_stream and missing):
            return None
        return ExperimentStreams(self._storage, self._record, missing, self._lease)

    def _look_after_streams(self, dispatcher: Dispatcher, trials: TrialRun) -> None:
        """Store what streams told, say which cannot be kept, and hand a wish for snapshots on."""
        if self._streams is None:
            return
        self._streams.save_in_time()
        self._tell_refused(self._streams)
        if self._lease.snapshots_wanted > self._answered:
            dispatcher.ask_for_snapshots(trials)
            self._answered = self._lease.snapshots_wanted

    def _tell_refused(self, streams: ExperimentStreams) -> None:
        if (refused := streams.refused()) != self.message:
            self._lease.keeps_place = refused is not None
            with suppress(StorageError):  # it is said a little later
                self._storage.set_message(self._record.id, refused, runner=self._runner)
                self.message = refused

    def _expected(self, context: ExperimentContext) -> dict[tuple[int, int], float]:
        """Return what trials may take, from those that ended before and from probes; nothing where that cannot be told."""
        try:
            past = self._storage.find_past_trials(context.config)
            return expected_seconds(context.config, context.datasets, test_dataset=context.test_dataset, past=past)
        except Exception as error:  # whatever a learner of somebody's own does in a probe: its trials tell of it too
            _log.warning("experiment %s: its time cannot be estimated: %r", self._record.id, error)
            return {}

    def _missing(self, plans: Sequence[TrialPlan]) -> list[TrialPlan]:
        ended = self._storage.finished_keys(self._record.id)
        return [plan for plan in plans if plan.key not in ended]

    def _should_stop(self) -> bool:
        return self._lease.must_stop() or self._shutting_down()

    def _save_in_time(self) -> None:
        now = time.monotonic()
        if now - self._tried_at < _COMMIT_SECONDS:
            return
        self._tried_at = now
        try:
            if self._unsaved:
                self._storage.save_trials(self._record.id, self._unsaved)
        except StorageError:  # what has ended is kept for a while: most databases are back soon
            patience = LEASE_SECONDS if self._should_stop() else PATIENCE_SECONDS
            if now - self._saved_at > patience or len(self._unsaved) > _MOST_UNSAVED:
                raise
        else:
            self._unsaved, self._saved_at = [], time.monotonic()
