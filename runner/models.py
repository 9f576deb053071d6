"""Models that people wish to take home: a runner makes one at a time, beside its experiments, on the same workers."""

import logging
import time
from collections.abc import Callable
from threading import Thread

from ensembles.errors import EnsembleLabError, InvalidInput, NotFound, StorageError
from ensembles.evaluation.stream_watch import StreamNews
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.whole import whole_experiment, whole_plan
from runner.cluster.cluster import ClusterLost
from runner.cluster.limits import model_bytes
from runner.dispatch.dispatcher import Dispatcher
from runner.heartbeat import LEASE_SECONDS, PATIENCE_SECONDS
from runner.worker_process.model_training import ModelContext
from storage import MODEL_LEASE_SECONDS, ModelTask, Storage

__all__ = ["ModelDesk", "model_context"]

_RENEW_SECONDS = 3.0
_AGAIN_SECONDS = 1.0

_log = logging.getLogger(__name__)


def model_context(
    storage: Storage, config: ExperimentConfig, dataset: int, learner: int, trial: str | None = None
) -> tuple[ModelContext, TrialPlan]:
    """Return what the training of a learner on a data set, by their positions, needs; raise what `whole_experiment` does.

    Parameters
    ----------
    trial : str, optional
        Key of the trial whose snapshot shall become a model, so that nothing is trained.
    """
    config, found = whole_experiment(config, dataset, learner, storage.open_dataset)
    context = ModelContext(config, (found,), most_model_bytes=model_bytes(), of_trial=trial is not None)
    return context, whole_plan(0, 0) if trial is None else TrialPlan(trial, 0, 0, 0, 0, 0)


class ModelDesk:
    """Makes models that wait, one after the other, each in a thread of its own."""

    def __init__(
        self, storage: Storage, dispatcher: Dispatcher, runner: str, shutting_down: Callable[[], bool]
    ) -> None:
        self._storage, self._dispatcher, self._runner = storage, dispatcher, runner
        self._shutting_down = shutting_down
        self._thread: Thread | None = None

    @property
    def is_busy(self) -> bool:
        """Whether a model is being trained."""
        return self._thread is not None and self._thread.is_alive()

    def look(self) -> None:
        """Begin with the next model, if there is one and none is at hand; raise `StorageError`."""
        if self.is_busy or self._shutting_down():
            return
        task = self._storage.claim_model(self._runner, MODEL_LEASE_SECONDS)
        if task is not None:
            self._thread = Thread(target=self._run, args=(task,), name=f"model of {task.experiment.id}")
            self._thread.start()

    def close(self) -> None:
        """Wait for what is at hand, which `shutting_down` ends early."""
        if self._thread is not None:
            self._thread.join()

    def _run(self, task: ModelTask) -> None:
        begun = time.monotonic()
        try:
            try:
                self._train(task)
            except (InvalidInput, NotFound) as error:
                self._storage.fail_model(task, self._runner, str(error))
            except ClusterLost:
                self._storage.release_model(task, self._runner)
            except StorageError:
                raise
            except Exception as error:  # whatever it is, others go on
                _log.exception("a model of experiment %s failed", task.experiment.id)
                reason = f"an error of this program stopped it: {type(error).__name__}: {error}"
                self._storage.fail_model(task, self._runner, reason)
        except EnsembleLabError as error:  # the lease ends, and another one trains it
            _log.warning("a model of experiment %s was lost: %s", task.experiment.id, error)
        _log.info("a model of experiment %s: let go after %.1f s", task.experiment.id, time.monotonic() - begun)

    def _train(self, task: ModelTask) -> None:
        experiment = task.experiment
        trial = task.trial if task.of_trial else None
        context, plan = model_context(self._storage, experiment.config, task.dataset, task.learner, trial)
        streams = None if trial is None else _Snapshot(self._storage, experiment.id, trial)
        run = self._dispatcher.start(
            context, [plan], user=experiment.user_id, priority=experiment.priority, streams=streams
        )
        lease = _Lease(self._storage, task, self._runner)
        result: TrialResult | None = None
        for batch in run.results(lambda: self._shutting_down() or not lease.holds()):
            result = batch[0][1] if batch else result
        if result is None:
            self._storage.release_model(task, self._runner)
        else:
            self._store(task, result)

    def _store(self, task: ModelTask, result: TrialResult) -> None:
        """Store what came out, however long the database is away, within bounds."""
        ended = time.monotonic()
        while True:
            try:
                if result.model is not None:
                    self._storage.save_model(task, self._runner, result.model.content, result.model.facts)
                else:
                    self._storage.fail_model(task, self._runner, str(result.error))
                return
            except StorageError as error:
                patience = LEASE_SECONDS if self._shutting_down() else PATIENCE_SECONDS
                if time.monotonic() - ended > patience:
                    raise
                _log.warning("a model of experiment %s waits to be stored: %s", task.experiment.id, error.detail)
            time.sleep(_AGAIN_SECONDS)


class _Snapshot:
    """The snapshot of one trial, on its way to the worker that makes a model of it; a `Streams` that hears nothing.

    Raises
    ------
    NotFound
        There is none any more.
    """

    most_bytes, is_long = 0.0, False

    def __init__(self, storage: Storage, experiment: str, trial: str) -> None:
        snapshot = storage.load_snapshot(experiment, trial)
        if snapshot is None:
            raise NotFound("its trial has no snapshot any more")
        self.begun, self._content = {trial}, snapshot

    def last_snapshot_seconds(self) -> float:
        """Nobody goes on from here."""
        return 0.0

    def tell(self, key: str, news: StreamNews) -> None:
        """Nothing runs."""

    def keep(self, key: str, seen: int, snapshot: bytes) -> None:
        """Nothing runs."""

    def refuse(self, key: str, size: int) -> None:
        """Nothing runs."""

    def load(self, key: str) -> bytes | None:  # noqa: ARG002
        """Return the snapshot."""
        return self._content


class _Lease:
    """Renews the lease of a model whenever it is asked after some seconds."""

    def __init__(self, storage: Storage, task: ModelTask, runner: str) -> None:
        self._storage, self._task, self._runner = storage, task, runner
        self._looked, self._holds = time.monotonic(), True

    def holds(self) -> bool:
        """Return whether somebody still waits for this runner's model; a database that is away changes nothing."""
        if self._holds and time.monotonic() - self._looked > _RENEW_SECONDS:
            self._looked = time.monotonic()
            try:
                self._holds = self._storage.renew_model(self._task, self._runner, MODEL_LEASE_SECONDS)
            except StorageError as error:
                _log.warning("a model of experiment %s: %s", self._task.experiment.id, error.detail)
        return self._holds
