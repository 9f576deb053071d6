"""What happens inside a worker process: it holds the data of the experiments at hand and runs their trials."""

import hashlib
import pickle
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from ensembles.data import Dataset, dataset_from_bytes, dataset_to_bytes
from ensembles.errors import EnsembleLabError, InvalidData, NotFound
from ensembles.experiments.config import ExperimentConfig, Prequential
from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.run_trial import Cancelled, run_trial
from ensembles.experiments.warm_up import warm_up
from ensembles.jit import source_digest

__all__ = ["VERSION", "ExperimentContext", "NoRoom", "Parcel", "load", "run_chunk", "stop", "unload", "version"]


def _digest() -> str:
    """Return a digest of the sources of the package and of the runner: both sides of a connection run both."""
    digest, folder = hashlib.sha256(source_digest().encode()), Path(__file__).parent
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


VERSION = _digest()
"""Names the sources that this process has imported, whatever becomes of the files.

Processes are compared by it. Trials are stored with that of the package alone, which is what their numbers depend on.
"""


def version() -> str:
    """Return `VERSION`, of the process in which this is called."""
    return VERSION


class NoRoom(EnsembleLabError):
    """A process has no memory left for a data set."""


@dataclass(frozen=True)
class ExperimentContext:
    """All that the trials of an experiment need besides their plans; sent once to each worker process."""

    config: ExperimentConfig
    datasets: tuple[Dataset, ...]
    test_dataset: Dataset | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Go to other processes in the stored form: a message is copied several times, and this one is far smaller."""
        test = self.test_dataset and _pack(self.test_dataset)
        return {**vars(self), "datasets": [*map(_pack, self.datasets)], "test_dataset": test}

    def __setstate__(self, state: dict[str, Any]) -> None:
        test = state["test_dataset"] and _unpack(state["test_dataset"])
        vars(self).update(state, datasets=tuple(map(_unpack, state["datasets"])), test_dataset=test)

    @property
    def sizes(self) -> tuple[float, ...]:
        """How large each data set is beside the others: its cells."""
        return tuple(map(_size, self.datasets))

    @property
    def largest(self) -> str:
        """Which data set needs the most memory, for people."""
        datasets = [*self.datasets, *([self.test_dataset] if self.test_dataset else [])]
        if not datasets:
            return "no data set"
        rank = f", the largest of {len(datasets)}" if len(datasets) > 1 else ""
        return f"data set {max(datasets, key=_size).name!r}{rank}"

    def warm_up(self, plan: TrialPlan) -> None:
        """Compile what a trial needs, so that its time tells how long the next one of its kind will take."""
        with suppress(Exception):  # its trial will say why
            stream = isinstance(self.config.protocol, Prequential)
            warm_up(self.config.learners[plan.learner], self.datasets[plan.dataset], stream=stream)

    def run(self, plan: TrialPlan, is_stopped: "_IsStopped") -> TrialResult:
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
        """Return the context; raise `NoRoom`, or `InvalidData` when a data set is damaged."""
        opened = pickle.loads(self._content) if isinstance(self._content, bytes) else self._content
        assert isinstance(opened, ExperimentContext)
        return opened


def _size(dataset: Dataset) -> float:
    return float(max(len(dataset) * len(dataset.attributes), 1))


def _pack(dataset: Dataset) -> tuple[str, bytes]:
    return dataset.name, dataset_to_bytes(dataset)


def _unpack(packed: tuple[str, bytes]) -> Dataset:
    name, content = packed
    try:
        return dataset_from_bytes(content)
    except (MemoryError, InvalidData) as error:
        if not isinstance(error, MemoryError) and not isinstance(error.__cause__, MemoryError):
            raise InvalidData(f"data set {name!r}: {error}") from error
        raise NoRoom(f"data set {name!r}: no memory is left for it") from error


_loaded: dict[str, ExperimentContext] = {}
_stopped: set[str] = set()


@dataclass(frozen=True)
class _IsStopped:
    run: str

    def __call__(self) -> bool:
        return self.run in _stopped


def load(run: str, parcel: Parcel) -> None:
    """Keep what the trials of `run` need."""
    _loaded[run] = parcel.open()


def unload(run: str) -> None:
    """Give back the memory that `run` took."""
    _loaded.pop(run, None)
    _stopped.discard(run)


def stop(run: str) -> None:
    """Make the trials of `run` end as soon as they look; called beside the thread that runs them."""
    _stopped.add(run)


def run_chunk(run: str, plans: Sequence[TrialPlan]) -> list[tuple[TrialResult, float]]:
    """Run trials one after the other.

    Returns
    -------
    list of (TrialResult, float)
        With the seconds each took, without compiling, in the order of `plans`; shorter than `plans` when the run was
        stopped.

    Raises
    ------
    NotFound
        This process holds nothing for `run`: it has been started anew.
    """
    if run not in _loaded:
        raise NotFound(f"this worker holds no data for run {run!r}")
    context, is_stopped, ended = _loaded[run], _IsStopped(run), []
    for plan in plans:
        if is_stopped():
            break
        context.warm_up(plan)
        begun = perf_counter()
        try:
            result = context.run(plan, is_stopped)
        except Cancelled:
            break
        ended.append((result, perf_counter() - begun))
    return ended
