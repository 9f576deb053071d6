"""Which trials go to a worker next: enough for a fraction of a second, and a suspect always alone."""

from collections import Counter, deque
from collections.abc import Sequence

from ensembles.experiments.records import TrialPlan

__all__ = ["DEATHS_ALLOWED", "TrialQueue"]

DEATHS_ALLOWED = 3
"""A trial that was running each time when so many worker processes died is given up."""

_CHUNK_SECONDS = 0.4  # the engine costs about 10 ms a chunk; people and a cancel wish can wait this long
_MOST_TRIALS = 1000
_MEMORY = 0.2  # weight of the newest time in the running mean of its kind
_FIRST = 3  # trials of a kind that may have waited for the compiler, in several processes: the shortest counts

_Kind = tuple[int, int]


class TrialQueue:
    """The trials that still have to run, and what is known about the time they take.

    A worker process that dies takes its chunk with it. The trials of that chunk become suspects: each runs alone in its
    process, so that the next death has one name, and no trial is blamed for its neighbour.
    """

    def __init__(self, plans: Sequence[TrialPlan]) -> None:
        self._waiting = deque(plans)
        self._suspects: deque[TrialPlan] = deque()
        self._deaths: Counter[str] = Counter()
        self._seconds: dict[_Kind, float] = {}
        self._timed: Counter[_Kind] = Counter()
        self._left = Counter(_kind(plan) for plan in plans)

    def __len__(self) -> int:
        return len(self._waiting) + len(self._suspects)

    @property
    def has_suspects(self) -> bool:
        """Whether a worker should be left to run empty, for a suspect."""
        return bool(self._suspects)

    def take(self, n_threads: int) -> list[TrialPlan]:
        """Return the next chunk for a worker that has something to do, when all workers have `n_threads` threads.

        A chunk is meant to take some tenths of a second. A trial of which nothing is known goes with no other of its
        kind; near the end chunks become smaller, so that all threads end together.
        """
        goal = min(_CHUNK_SECONDS, self._waiting_seconds() / (2 * max(n_threads, 1)))
        chunk: list[TrialPlan] = []
        seconds, unknown = 0.0, False
        while self._waiting and len(chunk) < _MOST_TRIALS:
            expected = self._seconds.get(_kind(self._waiting[0]))
            if chunk and (unknown or expected is None or seconds + expected > goal):
                break
            chunk.append(self._waiting.popleft())
            unknown, seconds = expected is None, seconds + (expected or 0.0)
        return chunk

    def take_suspect(self) -> list[TrialPlan]:
        """Return a suspect, for a worker that has nothing else to do; nothing when there is none."""
        return [self._suspects.popleft()] if self._suspects else []

    def is_suspect(self, plan: TrialPlan) -> bool:
        """Return whether a process died with this trial."""
        return self._deaths[plan.key] > 0

    def is_short(self, plans: Sequence[TrialPlan]) -> bool:
        """Return whether a chunk is known to be over soon, so that another one may wait behind it."""
        expected = [self._seconds.get(_kind(plan)) for plan in plans]
        return None not in expected and sum(filter(None, expected)) <= 2 * _CHUNK_SECONDS

    def ended(self, plan: TrialPlan, seconds: float | None) -> None:
        """Note that a trial is over and how long it took, if that is known."""
        kind = _kind(plan)
        self._left[kind] -= 1
        if seconds is not None:
            self._timed[kind] += 1
            known = self._seconds.get(kind, seconds)
            weight = 1.0 if self._timed[kind] <= _FIRST and seconds < known else _MEMORY
            self._seconds[kind] = known + weight * (seconds - known)

    def put_back(self, plans: Sequence[TrialPlan]) -> None:
        """Take back trials that were never begun."""
        for plan in reversed(plans):
            (self._suspects if self.is_suspect(plan) else self._waiting).appendleft(plan)

    def blame(self, plans: Sequence[TrialPlan]) -> list[TrialPlan]:
        """Take back a chunk whose process died; return the trials that have to be given up."""
        self._deaths.update(plan.key for plan in plans)
        hopeless = [plan for plan in plans if self._deaths[plan.key] >= DEATHS_ALLOWED]
        self._suspects.extend(plan for plan in plans if self._deaths[plan.key] < DEATHS_ALLOWED)
        return hopeless

    def seconds_left(self, n_threads: int) -> float | None:
        """Return an estimate for all trials that are not over; None while little but compiling is known."""
        is_settled = any(n >= _FIRST for n in self._timed.values()) or self._timed.keys() >= self._left.keys()
        return self._work() / max(n_threads, 1) if self._seconds and is_settled else None

    def _work(self) -> float:
        settled = [self._seconds[kind] for kind, n in self._timed.items() if n >= _FIRST] or self._seconds.values()
        typical = sum(settled) / len(settled)
        return sum(n * self._seconds.get(kind, typical) for kind, n in self._left.items())

    def _waiting_seconds(self) -> float:
        # Counting what is under way as well is near enough, and does not walk over a million trials.
        return self._work() if self._seconds else _CHUNK_SECONDS


def _kind(plan: TrialPlan) -> _Kind:
    return plan.dataset, plan.learner
