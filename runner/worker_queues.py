"""What each worker runs, and what waits there behind it, of all experiments."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ensembles.experiments.records import TrialPlan
from runner.fetching import Task

if TYPE_CHECKING:
    from runner.trial_run import TrialRun

__all__ = ["Chunk", "WorkerQueues"]

_STUCK_SECONDS = 2.0  # a chunk is meant to take some tenths of one


@dataclass(eq=False)
class Chunk:
    """Trials of one experiment that go to a worker together.

    Attributes
    ----------
    charged : float
        Worker-seconds that were charged for it so far.
    begun : float or None
        When it came to the head of its worker's queue.
    """

    run: "TrialRun"
    future: Task
    plans: list[TrialPlan]
    charged: float = 0.0
    begun: float | None = None


class WorkerQueues:
    """The chunks of each worker in the order in which they were sent: as many run as it has threads, the others wait.

    Attributes
    ----------
    threads : dict of str to int
        The workers that are there, by their addresses, with the number of their threads.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self.threads: dict[str, int] = {}
        self._clock = clock
        self._chunks: dict[str, list[Chunk]] = {}
        self._moved: dict[str, float] = {}  # when each worker last began or ended a chunk

    def __len__(self) -> int:
        return sum(map(len, self._chunks.values()))

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._chunks))

    @property
    def n_threads(self) -> int:
        """How many chunks run at a time."""
        return sum(self.threads.values())

    @property
    def n_running(self) -> int:
        """How many chunks run now."""
        return sum(len(self.running(address)) for address in self._chunks)

    def chunks(self, address: str) -> list[Chunk]:
        """Return what is at a worker, the oldest first."""
        return list(self._chunks.get(address, ()))

    def running(self, address: str) -> list[Chunk]:
        """Return what a worker runs."""
        return self._chunks.get(address, [])[: self.threads.get(address, 1)]

    def waiting(self, address: str) -> list[Chunk]:
        """Return what waits at a worker."""
        return self._chunks.get(address, [])[self.threads.get(address, 1) :]

    def has(self, address: str, run: "TrialRun") -> bool:
        """Return whether an experiment has trials at a worker."""
        return any(chunk.run is run for chunk in self._chunks.get(address, ()))

    def seconds(self, chunk: Chunk) -> float:
        """Return for how long a chunk has been running."""
        return 0.0 if chunk.begun is None else self._clock() - chunk.begun

    def is_stuck(self, address: str) -> bool:
        """Return whether nothing has ended at a worker for longer than a chunk is meant to take."""
        return address in self._chunks and self._clock() - self._moved[address] > _STUCK_SECONDS

    def add(self, address: str, chunk: Chunk) -> None:
        """Note a chunk that was sent to a worker."""
        if address not in self._chunks:
            self._chunks[address], self._moved[address] = [], self._clock()
        self._chunks[address].append(chunk)
        self._begin(address)

    def find(self, address: str, future: Task) -> Chunk | None:
        """Return the chunk of a task; None of one that was taken back or lost."""
        return next((chunk for chunk in self._chunks.get(address, ()) if chunk.future is future), None)

    def remove(self, address: str, chunk: Chunk, *, ended: bool = False) -> None:
        """Note that a chunk is no longer at a worker."""
        self._chunks[address].remove(chunk)
        if ended:
            self._moved[address] = self._clock()
        if not self._chunks[address]:
            del self._chunks[address]
        self._begin(address)

    def _begin(self, address: str) -> None:
        for chunk in self.running(address):
            chunk.begun = self._clock() if chunk.begun is None else chunk.begun
