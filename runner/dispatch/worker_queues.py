"""What each worker runs, and what waits there behind it, of all experiments."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ensembles.experiments.records import TrialPlan
from runner.cluster.fetching import Task

if TYPE_CHECKING:
    from runner.dispatch.trial_run import TrialRun

__all__ = ["Chunk", "WorkerQueues"]

_AHEAD_SECONDS = 2.0  # a busy scheduler of 1,000 workers takes about one to hand a chunk over
_STUCK_SECONDS = 2.0


@dataclass(eq=False)
class Chunk:
    """Trials of one experiment that go to a worker together.

    Attributes
    ----------
    expected : float or None
        What it should take, once that is known.
    charged : float
        Worker-seconds that were charged for it so far.
    begun : float or None
        When it came to the head of its worker's queue.
    """

    run: "TrialRun"
    future: Task
    plans: list[TrialPlan]
    expected: float | None = None
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
        return sum(min(len(chunks), self.threads.get(address, 1)) for address, chunks in self._chunks.items())

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

    def has_room(self, address: str) -> bool:
        """Return whether a worker could run more than it does."""
        return len(self._chunks.get(address, ())) < self.threads[address]

    def with_room(self) -> list[str]:
        """Return the workers that could run more than they do."""
        return [address for address in self.threads if self.has_room(address)]

    def soon_with_room(self) -> list[str]:
        """Return the workers at which nothing waits, and of whose chunks one is about to end by what is expected."""
        now = self._clock()
        return [
            address
            for address, threads in self.threads.items()
            if len(chunks := self._chunks.get(address, ())) == threads
            and any(_is_ending(chunk, now) for chunk in chunks)
        ]

    def is_stuck(self, address: str) -> bool:
        """Return whether all that a worker runs takes two seconds longer than expected; of the unknown, two seconds."""
        now, running = self._clock(), self.running(address)
        return bool(running) and all(_is_late(chunk, now) for chunk in running)

    def add(self, address: str, chunk: Chunk) -> None:
        """Note a chunk that was sent to a worker."""
        self._chunks.setdefault(address, []).append(chunk)
        self._begin(address)

    def find(self, address: str, future: Task) -> Chunk | None:
        """Return the chunk of a task; None of one that was taken back or lost."""
        return next((chunk for chunk in self._chunks.get(address, ()) if chunk.future is future), None)

    def remove(self, address: str, chunk: Chunk) -> None:
        """Note that a chunk is no longer at a worker."""
        self._chunks[address].remove(chunk)
        if not self._chunks[address]:
            del self._chunks[address]
        self._begin(address)

    def _begin(self, address: str) -> None:
        for chunk in self.running(address):
            chunk.begun = self._clock() if chunk.begun is None else chunk.begun


def _is_ending(chunk: Chunk, now: float) -> bool:
    if chunk.begun is None or chunk.expected is None:
        return False
    return chunk.begun + chunk.expected - now <= _AHEAD_SECONDS and not _is_late(chunk, now)


def _is_late(chunk: Chunk, now: float) -> bool:
    return chunk.begun is not None and now - chunk.begun > (chunk.expected or 0.0) + _STUCK_SECONDS
