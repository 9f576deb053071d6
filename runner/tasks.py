"""What happens inside a worker process: it holds the data of the experiments at hand and runs their trials."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from ensembles.data import Dataset
from ensembles.errors import NotFound
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.run_trial import Cancelled, run_trial

__all__ = ["Work", "forget", "hold", "run_chunk", "stop"]


@dataclass(frozen=True)
class Work:
    """All that the trials of an experiment need besides their plans; sent once to each worker process."""

    config: ExperimentConfig
    datasets: tuple[Dataset, ...]
    test_dataset: Dataset | None = None

    def run(self, plan: TrialPlan, is_stopped: "_IsStopped") -> TrialResult:
        """Run one trial; raise `Cancelled` when told to stop."""
        dataset = self.datasets[plan.dataset]
        return run_trial(plan, dataset, self.config, test_dataset=self.test_dataset, should_stop=is_stopped)


_held: dict[str, Work] = {}
_stopped: set[str] = set()


@dataclass(frozen=True)
class _IsStopped:
    run: str

    def __call__(self) -> bool:
        return self.run in _stopped


def hold(run: str, work: Work) -> None:
    """Keep what the trials of `run` need."""
    _held[run] = work


def forget(run: str) -> None:
    """Give back the memory that `run` took."""
    _held.pop(run, None)
    _stopped.discard(run)


def stop(run: str) -> None:
    """Make the trials of `run` end as soon as they look; called beside the thread that runs them."""
    _stopped.add(run)


def run_chunk(run: str, plans: Sequence[TrialPlan]) -> list[tuple[TrialResult, float]]:
    """Run trials one after the other.

    Returns
    -------
    list of (TrialResult, float)
        With the seconds each took, in the order of `plans`; shorter than `plans` when the run was stopped.

    Raises
    ------
    NotFound
        This process holds nothing for `run`: it has been started anew.
    """
    if run not in _held:
        raise NotFound(f"this worker holds no data for run {run!r}")
    work, is_stopped, ended = _held[run], _IsStopped(run), []
    for plan in plans:
        begun = perf_counter()
        try:
            if is_stopped():
                break
            result = work.run(plan, is_stopped)
        except Cancelled:
            break
        ended.append((result, perf_counter() - begun))
    return ended
