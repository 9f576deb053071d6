"""Trials one after the other in a thread, and beside it one that looks how much memory the process takes.

The system's own limits are of no use here: one for addresses (`RLIMIT_AS`) ends compilers and linear algebra, which reserve
far more than they use, and one for the process as a whole ends it without a word. So the growth of what the process holds
in memory since a trial began is what the trial takes, less what data sets have come meanwhile.
"""

import gc
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Event, Lock, Thread
from time import perf_counter

import psutil

from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.run_trial import Cancelled

__all__ = ["Ended", "WatchedTrials"]

_MIB = 2**20
_LOOK_SECONDS = 0.025  # a core writes to 100 MiB of new memory in that time
_GRACE_SECONDS = 1.0  # for a trial to see that it shall stop
_GRACE_SHARE = 1.25  # of the limit: what a trial that grows fast may take meanwhile

Ended = tuple[TrialResult, float | None]
"""What a trial left behind and the seconds it took; None: it goes on beyond its limit, and its process has to be ended."""

IsStopped = Callable[[], bool]


class WatchedTrials:
    """Trials that run one after the other, each within a limit of memory.

    Parameters
    ----------
    run_one : callable
        Runs one trial; it is given a function that says when to stop, and raises `Cancelled` then.
    prepare : callable
        Called with each trial before its time and its memory are taken.
    is_stopped : callable
        Whether nobody wants the trials any more.
    limit : float
        Bytes that a trial may take.
    other_bytes : callable
        How many bytes of this process are no trial's.
    """

    def __init__(
        self,
        plans: Sequence[TrialPlan],
        run_one: Callable[[TrialPlan, IsStopped], TrialResult],
        prepare: Callable[[TrialPlan], None],
        is_stopped: IsStopped,
        limit: float,
        other_bytes: Callable[[], float],
    ) -> None:
        self._plans, self._run_one, self._prepare, self._is_stopped = plans, run_one, prepare, is_stopped
        self._limit, self._other_bytes = limit, other_bytes
        self._process = psutil.Process()
        self._lock = Lock()
        self._ended: list[Ended] = []
        self._error: BaseException | None = None
        self._running: TrialPlan | None = None
        self._before = 0.0
        self._is_over, self._is_abandoned = Event(), False
        self._all_over = Event()

    def run(self) -> list[Ended]:
        """Run the trials; return what those left behind that ended, in their order. Errors of `run_one` come through."""
        if self._limit == float("inf"):
            self._run_all()
        else:
            Thread(target=self._run_all, name="trials", daemon=True).start()
            self._watch()
        with self._lock:
            if self._error is not None:
                raise self._error
            return list(self._ended)

    def _run_all(self) -> None:
        try:
            for plan in self._plans:
                if self._is_stopped() or not self._run_next(plan):
                    break
        except BaseException as error:
            self._error = error
        finally:
            self._all_over.set()

    def _run_next(self, plan: TrialPlan) -> bool:
        """Run one trial; return whether there shall be another one."""
        self._prepare(plan)
        with self._lock:
            self._running, self._before = plan, self._bytes()
        begun, result = perf_counter(), None
        try:
            result = self._run_one(plan, self._shall_stop)
        except Cancelled:
            if not self._is_over.is_set():
                return False
        seconds = perf_counter() - begun
        with self._lock:
            self._running = None
            if self._is_abandoned:
                return False
            if self._is_over.is_set():
                result = self._refused(plan, result)
                gc.collect()
            assert result is not None
            self._ended.append((result, seconds))
            self._is_over.clear()
        return True

    def _shall_stop(self) -> bool:
        return self._is_stopped() or self._is_over.is_set()

    def _watch(self) -> None:
        """Look at the memory until all is over, or until a trial does not listen."""
        over_since = 0.0
        while not self._all_over.wait(_LOOK_SECONDS):
            with self._lock:
                if self._running is None:
                    continue
                taken, now = self._bytes() - self._before, perf_counter()
                if not self._is_over.is_set():
                    if taken > self._limit:
                        self._is_over.set()
                        over_since = now
                elif now - over_since > _GRACE_SECONDS or taken > _GRACE_SHARE * self._limit:
                    self._is_abandoned = True
                    self._ended.append((self._refused(self._running, None), None))
                    return

    def _bytes(self) -> float:
        return float(self._process.memory_info().rss) - self._other_bytes()

    def _refused(self, plan: TrialPlan, result: TrialResult | None) -> TrialResult:
        sentence = (
            f"the trial took more than {self._limit / _MIB:,.0f} MiB, "
            "the limit for one trial (ENSEMBLE_LAB_TRIAL_MEMORY, --trial-memory)"
        )
        failed = TrialResult(plan.key, error=sentence)
        return failed if result is None else replace(failed, host=result.host, version=result.version)
