"""What happens inside a worker process: it holds the data of the experiments at hand and runs their trials."""

import logging
import operator
import pickle
import platform
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from distributed import get_worker
from distributed.system import MEMORY_LIMIT

from ensembles.data import Dataset
from ensembles.data.pieces import Heading
from ensembles.data.source import Source
from ensembles.errors import InvalidData, InvalidInput, NotFound
from ensembles.evaluation.stream_watch import StreamWatch
from ensembles.experiments.config import ExperimentConfig, Prequential
from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.run_trial import run_trial
from ensembles.experiments.warm_up import warm_up
from runner.cluster.limits import KEPT_SHARE, kept_share
from runner.worker_process.kept_data import KeptData
from runner.worker_process.streams import TOPIC, Stopping, WorkerWatch, streams_here
from runner.worker_process.trial_memory import Ended, WatchedTrials

__all__ = ["ExperimentContext", "Parcel", "Pieces", "lacking", "load", "run_chunk", "stop", "take_pieces", "unload"]

_USED_SHARE = 0.8  # Dask gives a process no more work from there on
_TRIAL_SHARE = 0.6
_WITHOUT_END = 10**8

_kept = KeptData()


@dataclass(frozen=True)
class ExperimentContext:
    """All that the trials of an experiment need besides their plans; sources are opened where they are read.

    The file of a model may have `most_model_bytes`.
    """

    config: ExperimentConfig
    datasets: tuple[Dataset | Source, ...]
    test_dataset: Dataset | None = None
    most_model_bytes: float = float("inf")

    def __getstate__(self) -> dict[str, Any]:
        """Go to other processes without the data sets, which go there by themselves, once for all experiments."""
        return {**vars(self), "datasets": [*map(_packed, self.datasets)], "test_dataset": _packed(self.test_dataset)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        datasets = tuple(map(_unpacked, state["datasets"]))
        vars(self).update(state, datasets=datasets, test_dataset=_unpacked(state["test_dataset"]))

    @property
    def by_hash(self) -> dict[str, Dataset]:
        """The data sets by the hash of what is in them."""
        return {dataset.sha256: dataset for dataset in self._all}

    @property
    def sizes(self) -> tuple[float, ...]:
        """How large each data set is beside the others: its cells, of a source without end those of very many examples."""
        return tuple(map(_size, self.datasets))

    @property
    def largest(self) -> str:
        """Which data set needs the most memory, for people."""
        datasets = [*self.by_hash.values()]
        if not datasets:
            return "no data set"
        rank = f", the largest of {len(datasets)}" if len(datasets) > 1 else ""
        return f"data set {max(datasets, key=_size).name!r}{rank}"

    @property
    def _all(self) -> Iterator[Dataset]:
        yield from (dataset for dataset in self.datasets if isinstance(dataset, Dataset))
        if self.test_dataset is not None:
            yield self.test_dataset

    def warm_up(self, plan: TrialPlan) -> None:
        """Compile what a trial needs, so that its time tells how long the next one of its kind will take."""
        with suppress(Exception):  # its trial will say why
            warm_up(self.config.learners[plan.learner], self.datasets[plan.dataset], stream=self.is_stream)

    @property
    def is_stream(self) -> bool:
        """Whether trials run on streams, which somebody looks at."""
        return isinstance(self.config.protocol, Prequential)

    def run(self, plan: TrialPlan, is_stopped: Callable[[], bool], watch: StreamWatch | None = None) -> TrialResult:
        """Run one trial; raise `Cancelled` when told to stop."""
        dataset, test = self.datasets[plan.dataset], self.test_dataset
        if (lack := self.lack_of(plan)) is not None:
            return TrialResult(plan.key, error=lack, host=platform.node())
        return run_trial(plan, dataset, self.config, test_dataset=test, should_stop=is_stopped, watch=watch)

    def lack_of(self, plan: TrialPlan) -> str | None:
        """Return a sentence where this machine does not find what the data set of a trial is read from."""
        dataset = self.datasets[plan.dataset]
        if isinstance(dataset, Dataset):
            return None
        try:
            dataset.batches()  # looks whether it is there; nothing is read before somebody asks for the first batch
        except InvalidData as error:
            return _not_here(dataset, error)
        return None


class Parcel:
    """The context on its way to another process, opened there by `open`: an error then comes back as it is.

    Of one that is raised while a message is read, Dask brings back no more than a text.
    """

    def __init__(self, context: ExperimentContext) -> None:
        self._content: ExperimentContext | bytes = context

    def __getstate__(self) -> dict[str, Any]:
        return {"_content": self._content if isinstance(self._content, bytes) else pickle.dumps(self._content)}

    def open(self) -> ExperimentContext:
        """Return the context; raise `NotWhole` when a data set is not here."""
        opened = pickle.loads(self._content) if isinstance(self._content, bytes) else self._content
        assert isinstance(opened, ExperimentContext)
        return opened


class Pieces:
    """Pieces of data sets on their way to workers; small ones go together.

    An object of its own, as Dask writes what a function was given into a log that nobody reads when it fails.
    """

    def __init__(self, pieces: Iterable[tuple[Heading, int, bytes]]) -> None:
        self._pieces = list(pieces)

    def __iter__(self) -> Iterator[tuple[Heading, int, bytes]]:
        return iter(self._pieces)


def _not_here(source: Source, error: InvalidData) -> str:
    return (
        f"{source.name}: every worker must find it by the same path and as it was registered, so keep it in a folder "
        f"that all of them share; {platform.node()} says: {error}"
    )


def _size(dataset: Dataset | Source) -> float:
    if isinstance(dataset, Dataset):
        return float(max(len(dataset) * len(dataset.attributes), 1))
    return float(max((dataset.n_examples or _WITHOUT_END) * len(dataset.schema.attributes), 1))


@dataclass(frozen=True)
class _Named:
    """Stands for a data set that goes to other processes by itself."""

    sha256: str
    name: str


def _packed(dataset: Dataset | Source | None) -> Any:
    return _Named(dataset.sha256, dataset.name) if isinstance(dataset, Dataset) else dataset


def _unpacked(packed: Any) -> Any:
    return _kept.get(packed.sha256, packed.name) if isinstance(packed, _Named) else packed


@dataclass(frozen=True)
class _Loaded:
    context: ExperimentContext
    trial_bytes: float


_loaded: dict[str, _Loaded] = {}


def lacking(run: str, hashes: Sequence[str], dask_worker: Any = None) -> list[str]:
    """Return which data sets this process does not hold; those that it holds, `run` uses from now on."""
    memory = _memory(dask_worker)
    _kept.most_kept, _kept.most_used = _kept_share() * memory, _USED_SHARE * memory
    return _kept.lacking(run, hashes)


def take_pieces(run: str, pieces: Pieces) -> None:
    """Put pieces of data sets together that `run` uses.

    Raises
    ------
    NoRoom
        They take more memory than a worker may use, or than there is.
    NotWhole
        A piece is damaged.
    """
    for heading, position, piece in pieces:
        _kept.add(run, heading, position, piece)
    for forgotten in [run for run in _loaded if not _kept.knows(run)]:
        del _loaded[forgotten]


def load(run: str, parcel: Parcel, trial_bytes: float | None = None, dask_worker: Any = None) -> None:
    """Keep what the trials of `run` need, of which each may take `trial_bytes`; raise `NotWhole` when data are missing."""
    limit = _TRIAL_SHARE * _memory(dask_worker) if trial_bytes is None else trial_bytes
    _loaded[run] = _Loaded(parcel.open(), limit)


def unload(run: str) -> None:
    """Note that `run` is over: what it used may be dropped when memory is needed."""
    _loaded.pop(run, None)
    streams_here.forget(run)
    _kept.release(run)


def stop(run: str, how: Stopping = "at once") -> None:
    """Make the trials of `run` end as soon as they look; called beside the thread that runs them."""
    streams_here.stopping[run] = how


def run_chunk(run: str, plans: Sequence[TrialPlan], from_snapshots: Collection[str] = ()) -> list[Ended]:
    """Run trials one after the other.

    Parameters
    ----------
    from_snapshots : collection of str
        Keys of those whose snapshots are on their way here; they wait for them.

    Returns
    -------
    list of (TrialResult, float or None)
        With the seconds each took, without compiling, in the order of `plans`; shorter than `plans` when the run was
        stopped. None in place of the last seconds: that trial goes on beyond its limit of memory, and this process has
        to be ended.

    Raises
    ------
    NotFound
        This process holds nothing for `run`, or not a snapshot: it has been started anew.
    """
    if run not in _loaded:
        raise NotFound(f"this worker holds no data for run {run!r}")
    loaded = _loaded[run]
    _kept.hear(run)
    context, is_stopped = loaded.context, partial(operator.contains, streams_here.stopping, run)
    run_one = _Streaming(run, context, _events_of_worker(run), from_snapshots) if context.is_stream else context.run
    return WatchedTrials(
        plans, run_one, context.warm_up, is_stopped, loaded.trial_bytes, lambda: _kept.n_bytes_ever
    ).run()


@dataclass(frozen=True)
class _Streaming:
    """Runs trials on streams, each with somebody who looks at it."""

    run: str
    context: ExperimentContext
    send: Callable[[dict[str, Any]], None]
    from_snapshots: Collection[str]

    def __call__(self, plan: TrialPlan, is_stopped: Callable[[], bool]) -> TrialResult:
        place, begin = (self.run, plan.key), None
        if plan.key in self.from_snapshots:
            begin = streams_here.await_snapshot(place, is_stopped)
        watch = WorkerWatch(*place, self.send, begin, most_model_bytes=self.context.most_model_bytes)
        result = self.context.run(plan, lambda: is_stopped() and watch.may_end(), watch)
        streams_here.end(place)
        return result


def _events_of_worker(run: str) -> Callable[[dict[str, Any]], None]:
    """Return what tells whoever listens to the events of Dask; nobody outside of a Dask worker."""
    try:
        worker = get_worker()
    except ValueError:
        return lambda _: None

    def send(said: dict[str, Any]) -> None:
        _kept.hear(run)
        worker.log_event(TOPIC, said)

    return send


def _memory(dask_worker: Any) -> float:
    """Return how many bytes this process may take: what Dask's nanny ends it by, or else all that the machine has."""
    limit = dask_worker.memory_manager.memory_limit if dask_worker is not None else None
    return float(limit or MEMORY_LIMIT)


def _kept_share() -> float:
    try:
        return kept_share()
    except InvalidInput as error:  # other commands say so and end; who started this process is not there to hear it
        logging.getLogger(__name__).warning("%s; it keeps %s", error, KEPT_SHARE)
        return KEPT_SHARE
