"""What happens inside a worker process: it holds the data of the experiments at hand and runs their trials."""

import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from distributed.system import MEMORY_LIMIT

from ensembles.data import Dataset
from ensembles.data.pieces import Heading
from ensembles.errors import NotFound
from ensembles.experiments.config import ExperimentConfig, Prequential
from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.run_trial import run_trial
from ensembles.experiments.warm_up import warm_up
from runner.worker_process.kept_data import KeptData
from runner.worker_process.trial_memory import Ended, WatchedTrials

__all__ = ["ExperimentContext", "Parcel", "Pieces", "lacking", "load", "run_chunk", "stop", "take_pieces", "unload"]

_KEPT_SHARE = 0.3
_USED_SHARE = 0.8  # Dask gives a process no more work from there on
_TRIAL_SHARE = 0.6

_kept = KeptData()


@dataclass(frozen=True)
class ExperimentContext:
    """All that the trials of an experiment need besides their plans."""

    config: ExperimentConfig
    datasets: tuple[Dataset, ...]
    test_dataset: Dataset | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Go to other processes without the data sets, which go there by themselves, once for all experiments."""
        test = self.test_dataset and _named(self.test_dataset)
        return {**vars(self), "datasets": [*map(_named, self.datasets)], "test_dataset": test}

    def __setstate__(self, state: dict[str, Any]) -> None:
        test = state["test_dataset"] and _kept.get(*state["test_dataset"])
        datasets = tuple(_kept.get(*named) for named in state["datasets"])
        vars(self).update(state, datasets=datasets, test_dataset=test)

    @property
    def by_hash(self) -> dict[str, Dataset]:
        """The data sets by the hash of what is in them."""
        return {dataset.sha256: dataset for dataset in self._all}

    @property
    def sizes(self) -> tuple[float, ...]:
        """How large each data set is beside the others: its cells."""
        return tuple(map(_size, self.datasets))

    @property
    def largest(self) -> str:
        """Which data set needs the most memory, for people."""
        datasets = [*self._all]
        if not datasets:
            return "no data set"
        rank = f", the largest of {len(datasets)}" if len(datasets) > 1 else ""
        return f"data set {max(datasets, key=_size).name!r}{rank}"

    @property
    def _all(self) -> Iterator[Dataset]:
        yield from self.datasets
        if self.test_dataset is not None:
            yield self.test_dataset

    def warm_up(self, plan: TrialPlan) -> None:
        """Compile what a trial needs, so that its time tells how long the next one of its kind will take."""
        with suppress(Exception):  # its trial will say why
            stream = isinstance(self.config.protocol, Prequential)
            warm_up(self.config.learners[plan.learner], self.datasets[plan.dataset], stream=stream)

    def run(self, plan: TrialPlan, is_stopped: Callable[[], bool]) -> TrialResult:
        """Run one trial; raise `Cancelled` when told to stop."""
        dataset = self.datasets[plan.dataset]
        return run_trial(plan, dataset, self.config, test_dataset=self.test_dataset, should_stop=is_stopped)


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


def _size(dataset: Dataset) -> float:
    return float(max(len(dataset) * len(dataset.attributes), 1))


def _named(dataset: Dataset) -> tuple[str, str]:
    return dataset.sha256, dataset.name


@dataclass(frozen=True)
class _Loaded:
    context: ExperimentContext
    trial_bytes: float


_loaded: dict[str, _Loaded] = {}
_stopped: set[str] = set()


@dataclass(frozen=True)
class _IsStopped:
    run: str

    def __call__(self) -> bool:
        return self.run in _stopped


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
    _stopped.discard(run)
    _kept.release(run)


def stop(run: str) -> None:
    """Make the trials of `run` end as soon as they look; called beside the thread that runs them."""
    _stopped.add(run)


def run_chunk(run: str, plans: Sequence[TrialPlan]) -> list[Ended]:
    """Run trials one after the other.

    Returns
    -------
    list of (TrialResult, float or None)
        With the seconds each took, without compiling, in the order of `plans`; shorter than `plans` when the run was
        stopped. None in place of the last seconds: that trial goes on beyond its limit of memory, and this process has
        to be ended.

    Raises
    ------
    NotFound
        This process holds nothing for `run`: it has been started anew.
    """
    if run not in _loaded:
        raise NotFound(f"this worker holds no data for run {run!r}")
    loaded = _loaded[run]
    _kept.hear(run)
    context = loaded.context
    return WatchedTrials(
        plans, context.run, context.warm_up, _IsStopped(run), loaded.trial_bytes, lambda: _kept.n_bytes_ever
    ).run()


def _memory(dask_worker: Any) -> float:
    """Return how many bytes this process may take: what Dask's nanny ends it by, or else all that the machine has."""
    limit = dask_worker.memory_manager.memory_limit if dask_worker is not None else None
    return float(limit or MEMORY_LIMIT)


def _kept_share() -> float:
    with suppress(ValueError):
        share = float(os.environ.get("ENSEMBLE_LAB_KEPT_DATA") or _KEPT_SHARE)
        if 0 <= share <= 1:
            return share
    return _KEPT_SHARE
