"""Which trials go to a worker next: enough for a fraction of a second, and a trial in quarantine always alone."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import monotonic

from ensembles.experiments.records import TrialPlan
from runner.dispatch.trial_times import Kind, TrialTimes, kind_of

__all__ = ["CHUNK_SECONDS", "DEATHS_ALLOWED", "TrialQueue"]

DEATHS_ALLOWED = 3
"""A trial that was running each time when so many worker processes died is given up."""

CHUNK_SECONDS = 0.4
"""What a chunk is meant to take: it costs about 10 ms by itself; people and a wish to cancel can wait this long."""

_LEAST_CHUNK_SECONDS = 0.1
_MOST_TRIALS = 1000


class TrialQueue:
    """The trials that still have to run, and what is known about the time they take.

    One trial of each learner on each data set goes first: so much is then known of the time that is left.

    A worker process that dies takes its chunk with it. The trials of that chunk go into quarantine: each runs alone in its
    process, so that the next death has one name, and no trial is blamed for its neighbour.

    Parameters
    ----------
    sizes : sequence of float
        How large each data set is beside the others; all alike when not given.
    expected : mapping of (int, int) to float, optional
        As `TrialTimes` takes it.
    """

    def __init__(
        self,
        plans: Sequence[TrialPlan],
        sizes: Sequence[float] = (),
        *,
        expected: Mapping[Kind, float] | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._waiting = deque(_scouts_first(plans))
        self._quarantined: deque[TrialPlan] = deque()
        self._deaths: Counter[str] = Counter()
        self._times = TrialTimes(plans, sizes, clock, expected)

    def __len__(self) -> int:
        return len(self._waiting) + len(self._quarantined)

    @property
    def has_quarantined(self) -> bool:
        """Whether a worker should be left to run empty, for a trial in quarantine."""
        return bool(self._quarantined)

    @property
    def longest_seconds(self) -> float:
        """What the slowest kind of trial usually takes, as far as is known."""
        return self._times.longest()

    def take(self, n_threads: int, n_sharing: int = 1) -> list[TrialPlan]:
        """Return the next chunk for a worker that has something to do, when all workers have `n_threads` threads.

        A chunk is meant to take some tenths of a second, and less where `n_sharing` experiments take turns. A trial of
        which nothing is known goes with no other of its kind; near the end chunks become smaller, so that all threads end
        together, though not so small that a short experiment has to wait for one turn after another.
        """
        least = _LEAST_CHUNK_SECONDS if n_sharing > 1 else 0.0
        turn = max(CHUNK_SECONDS / n_sharing, _LEAST_CHUNK_SECONDS)
        goal = min(turn, max(self._times.work(CHUNK_SECONDS) / (2 * max(n_threads, 1)), least))
        chunk: list[TrialPlan] = []
        seconds, unknown = 0.0, False
        while self._waiting and len(chunk) < _MOST_TRIALS:
            expected = self._times.measured(kind_of(self._waiting[0]))
            if chunk and (unknown or expected is None or seconds + expected > goal):
                break
            chunk.append(self._waiting.popleft())
            unknown, seconds = expected is None, seconds + (expected or 0.0)
        self._times.begin(chunk)
        return chunk

    def take_quarantined(self) -> list[TrialPlan]:
        """Return a trial in quarantine, for a worker that has nothing else to do; nothing when there is none."""
        chunk = [self._quarantined.popleft()] if self._quarantined else []
        self._times.begin(chunk)
        return chunk

    def is_quarantined(self, plan: TrialPlan) -> bool:
        """Return whether a process died with this trial."""
        return self._deaths[plan.key] > 0

    def expected_seconds(self, plans: Sequence[TrialPlan]) -> float | None:
        """Return what trials take if they take what others of their kinds did; None while that is not known."""
        seconds = [self._times.measured(kind_of(plan)) for plan in plans]
        return None if None in seconds else sum(filter(None, seconds))

    def hear(self, key: str, share: float) -> None:
        """Note how much of a trial that is under way is done, as a share of it."""
        self._times.hear(key, share)

    def ended(self, plan: TrialPlan, seconds: float | None) -> None:
        """Note that a trial is over and how long it took, if that is known."""
        self._times.end(plan, seconds)

    def put_back(self, plans: Sequence[TrialPlan]) -> None:
        """Take back trials that were never begun."""
        self._times.leave(plans)
        for plan in reversed(plans):
            (self._quarantined if self.is_quarantined(plan) else self._waiting).appendleft(plan)

    def record_crash(self, plans: Sequence[TrialPlan]) -> list[TrialPlan]:
        """Take back a chunk whose process died; return the trials that have to be given up."""
        self._times.leave(plans)
        self._deaths.update(plan.key for plan in plans)
        hopeless = [plan for plan in plans if self._deaths[plan.key] >= DEATHS_ALLOWED]
        self._quarantined.extend(plan for plan in plans if self._deaths[plan.key] < DEATHS_ALLOWED)
        return hopeless

    def forgive(self, key: str) -> None:
        """Forget how often a process died with a trial: it has come further since."""
        self._deaths.pop(key, None)

    def seconds_left(self, n_threads: int) -> float | None:
        """Return an estimate for all trials that are not over; None while too little is known of some learner."""
        return self._times.seconds_left(n_threads)


def _scouts_first(plans: Iterable[TrialPlan]) -> list[TrialPlan]:
    """Return the plans with the first one of each learner on each data set in front, in their order otherwise."""
    scouts: dict[Kind, TrialPlan] = {}
    others = [plan for plan in plans if scouts.setdefault(kind_of(plan), plan) is not plan]
    return [*scouts.values(), *others]
