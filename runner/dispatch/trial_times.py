"""How long the trials of a run take, by learner and data set, and so how long it will go on."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ensembles.experiments.records import TrialPlan

__all__ = ["Kind", "TrialTimes", "kind_of"]

Kind = tuple[int, int]
"""Positions of the data set and the learner."""

_MEMORY = 0.2  # weight of the newest time in the running mean of its kind
_FIRST = 3  # trials of a kind that may have met cold caches, in several processes: the shortest counts
_MOST_TOLD = 3.0  # work that is told from other data sets only, as a multiple of the work that was done
_MOST_SLOWER = 4.0  # than expected, as far as it is told of trials to come
_LOADING = 10.0  # seconds in which a worker may be at the kernels of a trial that has begun
_OVERDUE = 0.1  # a trial that takes longer than its kind may go on for this share of its time


@dataclass(frozen=True)
class _Course:
    """How far a trial has come that tells so: the share of it that was done when it first told, and when it last did."""

    first: float
    first_at: float
    last: float
    last_at: float

    @property
    def is_known(self) -> bool:
        """Whether it has told twice."""
        return self.last > self.first

    @property
    def seconds(self) -> float:
        """What all of it takes at the pace so far."""
        return (self.last_at - self.first_at) / (self.last - self.first)

    def left(self, now: float) -> float:
        return max((1 - self.last) * self.seconds - (now - self.last_at), 0.0)


class TrialTimes:
    """The times of trials that have ended, and what they say of those that have not.

    A learner that was not timed on a data set is told from its time on others, in proportion to their sizes. A learner that
    was timed on none is told from what was expected of it, if anything, times the ratio of what was found to what was
    expected of others. It is never told from other learners: one may take a thousand times as long as another. A trial that
    tells how far it has come goes on at the pace it had.

    Parameters
    ----------
    plans : sequence of TrialPlan
        All that have to run.
    sizes : sequence of float
        How large each data set is beside the others; all alike when not given.
    clock : callable
        Seconds from any moment on.
    expected : mapping of (int, int) to float
        Seconds that a trial may be expected to take, by the positions of data set and learner, as far as it was measured.
    """

    def __init__(
        self,
        plans: Sequence[TrialPlan],
        sizes: Sequence[float],
        clock: Callable[[], float],
        expected: Mapping[Kind, float] | None = None,
    ) -> None:
        self._sizes, self._clock, self._expected = sizes, clock, expected or {}
        self._left = Counter(kind_of(plan) for plan in plans)
        self._seconds: dict[Kind, float] = {}
        self._timed: Counter[Kind] = Counter()
        self._begun: dict[str, tuple[Kind, float]] = {}
        self._courses: dict[str, _Course] = {}
        self._done = 0.0

    def measured(self, kind: Kind) -> float | None:
        """Return the seconds of a trial of a kind; None when none has ended yet."""
        return self._seconds.get(kind)

    def longest(self) -> float:
        """Return the seconds of a trial of the slowest kind that was timed; 0 when none was."""
        return max(self._seconds.values(), default=0.0)

    def begin(self, chunk: Sequence[TrialPlan]) -> None:
        """Note that trials go to a worker; of those that go together it is not known which one is running."""
        if len(chunk) == 1:
            self._begun[chunk[0].key] = kind_of(chunk[0]), self._clock()

    def leave(self, plans: Iterable[TrialPlan]) -> None:
        """Note that trials came back from a worker, not over."""
        for plan in plans:
            self._forget(plan)

    def hear(self, key: str, share: float) -> None:
        """Note how much of a trial that is under way is done, as a share of it."""
        if key not in self._begun:
            return
        now, known = self._clock(), self._courses.get(key)
        if known is None or share < known.last:  # it began, or began again
            self._courses[key] = _Course(share, now, share, now)
        elif share > known.last:
            self._courses[key] = _Course(known.first, known.first_at, share, now)

    def end(self, plan: TrialPlan, seconds: float | None) -> None:
        """Note that a trial is over and how long it took, if that is known."""
        kind = kind_of(plan)
        self._left[kind] -= 1
        self._forget(plan)
        if seconds is not None:
            self._done += seconds
            self._timed[kind] += 1
            known = self._seconds.get(kind, seconds)
            weight = 1.0 if self._timed[kind] <= _FIRST and seconds < known else _MEMORY
            self._seconds[kind] = known + weight * (seconds - known)

    def work(self, otherwise: float) -> float:
        """Return about how many seconds all trials take that are not over; `otherwise` when none has been timed."""
        # Counting what is under way as well is near enough, and does not walk over a million trials.
        if not self._seconds:
            return otherwise
        typical = sum(self._seconds.values()) / len(self._seconds)
        return sum(n * self._seconds.get(kind, typical) for kind, n in self._left.items())

    def seconds_left(self, n_threads: int) -> float | None:
        """Return an estimate for all trials that are not over, spread over so many threads; None while it would be a guess.

        It is one while a learner with trials left was timed on no data set and nothing is expected of it, and while more
        than three times as much work is told from other data sets as was done.
        """
        rates, elapsed, slower, courses = self._rates(), self._elapsed(), self._slower(), self._known_courses()
        total = told = longest = 0.0
        for kind, n in self._left.items():
            if n <= 0:
                continue
            each = self._each(kind, slower, elapsed.get(kind, []), courses.get(kind, []))
            if each is None:
                if kind[1] not in rates:
                    return None
                # One that runs already takes as long as it does, whatever smaller data sets say.
                each = max([rates[kind[1]] * self._size(kind), *elapsed.get(kind, [])])
                told += n * each
            running = [max(each - since, _OVERDUE * since) for since in elapsed.get(kind, [])]
            running += [course.left(self._clock()) for course in courses.get(kind, [])]
            total += (n - len(running)) * each + sum(running)
            longest = max([longest, *running, each if n > len(running) else 0.0])
        if not (self._seconds or self._expected or courses) or told > _MOST_TOLD * self._done:
            return None
        return max(total / max(n_threads, 1), longest)

    def _each(self, kind: Kind, slower: float, elapsed: Sequence[float], courses: Sequence[_Course]) -> float | None:
        """Return the seconds of a trial of a kind; its first ones, which met cold caches, count beside what was expected."""
        found, expected = self._seconds.get(kind), slower * self._expected.get(kind, 0.0)
        if found is None and courses:
            return max(course.seconds for course in courses)
        if not expected:
            return found
        if found is None:
            return max([expected, *(since - _LOADING for since in elapsed)])
        share = min(self._timed[kind] / _FIRST, 1.0)
        return float(found**share * expected ** (1 - share))

    def _slower(self) -> float:
        """Return how many times as long as expected trials take, as the quicker ones say: others met cold caches."""
        ratios = [seconds / self._expected[kind] for kind, seconds in self._seconds.items() if kind in self._expected]
        return min(max(sorted(ratios)[len(ratios) // 4], 1 / _MOST_SLOWER), _MOST_SLOWER) if ratios else 1.0

    def _rates(self) -> dict[int, float]:
        """Return the seconds that each learner takes for a unit of size; larger data sets count more."""
        sums: dict[int, tuple[float, float]] = {}
        for kind, each in self._seconds.items():
            seconds, sizes = sums.get(kind[1], (0.0, 0.0))
            sums[kind[1]] = seconds + each, sizes + self._size(kind)
        return {learner: seconds / sizes for learner, (seconds, sizes) in sums.items()}

    def _elapsed(self) -> dict[Kind, list[float]]:
        """Return for how long the trials have been under way that do not tell how far they have come, by kind."""
        now, telling = self._clock(), {key for key, course in self._courses.items() if course.is_known}
        elapsed: dict[Kind, list[float]] = {}
        for key, (kind, begun) in self._begun.items():
            if key not in telling:
                elapsed.setdefault(kind, []).append(now - begun)
        return elapsed

    def _known_courses(self) -> dict[Kind, list[_Course]]:
        """Return how far the trials have come that have told so twice, by kind."""
        known: dict[Kind, list[_Course]] = {}
        for key, course in self._courses.items():
            if course.is_known:
                known.setdefault(self._begun[key][0], []).append(course)
        return known

    def _forget(self, plan: TrialPlan) -> None:
        self._begun.pop(plan.key, None)
        self._courses.pop(plan.key, None)

    def _size(self, kind: Kind) -> float:
        return self._sizes[kind[0]] if self._sizes else 1.0


def kind_of(plan: TrialPlan) -> Kind:
    """Return the positions of a trial's data set and learner."""
    return plan.dataset, plan.learner
