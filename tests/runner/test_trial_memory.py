"""Trials that take more memory than they may, beside others."""

import math
from collections.abc import Callable
from threading import Event

import numpy as np
import pytest

from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.run_trial import Cancelled
from runner.worker_process.trial_memory import WatchedTrials
from tests.runner.fakes import make_plans

MIB = 2**20
LIMIT = 64 * MIB
SENTENCE = "the trial took more than 64 MiB, the limit for one trial (ENSEMBLE_LAB_TRIAL_MEMORY, --trial-memory)"

RunOne = Callable[[TrialPlan, Callable[[], bool]], TrialResult]


@pytest.fixture
def end() -> "Event":
    """Set when the test is over: trials that hear nothing end then."""
    return Event()


def watch(
    run_one: RunOne, n: int = 3, *, limit: float = LIMIT, others: Callable[[], float] = lambda: 0.0
) -> WatchedTrials:
    return WatchedTrials(make_plans(n), run_one, lambda _: None, lambda: False, limit, others)


def grow(plan: TrialPlan, should_stop: Callable[[], bool], pause: Event, mebibytes: int = 160) -> TrialResult:
    """Take memory in the trial of repeat 1, and look whether to stop."""
    taken = []
    for _ in range(mebibytes // 8 if plan.repeat == 1 else 0):
        taken.append(np.ones(MIB, dtype=np.float64))
        pause.wait(0.02)
        if should_stop():
            raise Cancelled
    return TrialResult(plan.key, measures={"accuracy": 1.0})


def test_a_trial_over_its_memory_fails_and_its_neighbours_live() -> None:
    ended = watch(lambda plan, should_stop: grow(plan, should_stop, Event())).run()
    assert [result.error for result, _ in ended] == [None, SENTENCE, None]
    assert all(seconds is not None for _, seconds in ended)


def test_a_trial_that_ends_beyond_its_limit_has_failed_too() -> None:
    def grow_and_end(plan: TrialPlan, should_stop: Callable[[], bool]) -> TrialResult:
        taken = np.ones(10 * MIB) if plan.repeat == 1 else None
        while taken is not None and not should_stop():
            Event().wait(0.01)
        return TrialResult(plan.key, measures={"accuracy": 1.0}, host="here")

    failed = watch(grow_and_end).run()[1][0]
    assert (failed.error, failed.measures, failed.host) == (SENTENCE, {}, "here")


def test_a_trial_that_does_not_listen_is_left_and_its_process_has_to_end(end: Event) -> None:
    def hear_nothing(plan: TrialPlan, _: Callable[[], bool]) -> TrialResult:
        return grow(plan, lambda: end.wait(0.0), end, mebibytes=4000)

    ended = watch(hear_nothing).run()
    end.set()
    assert [(result.error, seconds is None) for result, seconds in ended] == [(None, False), (SENTENCE, True)]


def test_memory_of_data_sets_that_come_meanwhile_is_no_trials() -> None:
    came = [0.0]

    def receive(plan: TrialPlan, _: Callable[[], bool]) -> TrialResult:
        came[0] += 160 * MIB
        data = np.ones(20 * MIB)
        Event().wait(0.2)
        return TrialResult(plan.key, measures={"accuracy": float(data[0])})

    assert [result.error for result, _ in watch(receive, n=1, others=lambda: came[0]).run()] == [None]


@pytest.mark.parametrize("limit", [LIMIT, math.inf])
def test_what_goes_wrong_comes_through_and_a_wish_to_stop_is_heard(limit: float) -> None:
    def fail(plan: TrialPlan, _: Callable[[], bool]) -> TrialResult:
        raise Cancelled if plan.repeat == 1 else RuntimeError("out of order")

    with pytest.raises(RuntimeError, match="out of order"):
        watch(fail, limit=limit).run()

    def stop(plan: TrialPlan, _: Callable[[], bool]) -> TrialResult:
        if plan.repeat == 1:
            raise Cancelled
        return TrialResult(plan.key)

    assert [result.key for result, _ in watch(stop, limit=limit).run()] == [make_plans(1)[0].key]
