"""The engine against trials that die, hang and raise."""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Collection
from concurrent.futures import CancelledError
from concurrent.futures import Future as Answers
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from ensembles.experiments.records import TrialPlan, TrialResult
from runner import engine
from runner.cluster import Cluster
from runner.engine import TrialRun
from runner.watch import Silence
from tests.runner.conftest import is_running, wait_until
from tests.runner.fakes import FakeContext, make_config, make_plans

pytestmark = pytest.mark.xdist_group("engine")  # one cluster for all of them


@pytest.fixture
def context(notes: str) -> FakeContext:
    return FakeContext(make_config(), (), folder=notes)


def run_all(
    cluster: Cluster,
    context: FakeContext,
    n: int,
    should_stop: Callable[[], bool] = lambda: False,
    on_batch: Callable[[int], None] | None = None,
) -> dict[str, TrialResult]:
    """Run `n` trials; fail when one comes back twice."""
    ended = []
    for batch in TrialRun(cluster, context, make_plans(n)).results(should_stop):
        ended += batch
        if on_batch is not None:
            on_batch(len(ended))
    assert all(plan.key == result.key for plan, result in ended)
    results = {result.key: result for _, result in ended}
    assert len(results) == len(ended), "a trial came back twice"
    return results


def test_every_trial_runs_once(cluster: Cluster, context: FakeContext) -> None:
    results = run_all(cluster, context, 300)
    assert sorted(result.measures["accuracy"] for result in results.values()) == [n / 1000 for n in range(300)]
    assert set(context.runs().values()) == {1}


def test_a_run_of_nothing_ends(cluster: Cluster, context: FakeContext) -> None:
    assert run_all(cluster, context, 0) == {}


def test_a_trial_that_kills_its_worker_is_given_up_and_the_others_go_on(cluster: Cluster, context: FakeContext) -> None:
    poisoned = replace(context, bad=25, badness="dies")
    results = run_all(cluster, poisoned, 60)
    errors = {key: result.error for key, result in results.items() if result.error}
    assert list(errors) == [make_plans(26)[25].key]
    assert "the worker process died 3 times in this trial" in next(iter(errors.values()))
    assert len(results) == 60
    # Four: the death came so soon after the chunk before had ended that nobody heard of that; it was blamed once.
    assert poisoned.runs()[make_plans(26)[25].key] in (3, 4)


class MadeUpFuture:
    """A task of a cluster that ends when a test says so."""

    def add_done_callback(self, tell: Callable[["MadeUpFuture"], None]) -> None:
        self._tell = tell

    def end(self, outcome: Exception | list[tuple[TrialResult, float]]) -> None:
        self._outcome = outcome
        self._tell(self)

    def result(self, timeout: float) -> list[tuple[TrialResult, float]]:  # noqa: ARG002
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome

    def cancel(self) -> None:
        pass


class MadeUpCluster:
    """One worker of one thread, and what was sent to it."""

    trial_seconds = 1000.0

    def __init__(self) -> None:
        self.worker = "first"
        self.restarted: list[str] = []
        self.sent: list[tuple[str, list[TrialPlan], MadeUpFuture]] = []

    def threads(self) -> dict[str, int]:
        return {self.worker: 1}

    def give(self, _run: str, _: object, addresses: Collection[str], __: object) -> "Answers[dict[str, Any]]":
        asked: Answers[dict[str, Any]] = Answers()
        asked.set_result(dict.fromkeys(addresses))
        return asked

    def answers(self, asked: "Answers[dict[str, Any]]") -> dict[str, Any]:
        return asked.result()

    def tell(self, *_: object, addresses: Collection[str], seconds: float) -> Collection[str]:  # noqa: ARG002
        return addresses

    def was_silent(self, _: str) -> bool:
        return False

    def submit(self, address: str, _: object, run: str, plans: list[TrialPlan]) -> MadeUpFuture:  # noqa: ARG002
        self.sent.append((address, plans, MadeUpFuture()))
        return self.sent[-1][2]

    def restart(self, addresses: Collection[str]) -> None:
        self.restarted += addresses


def test_a_chunk_that_had_ended_is_not_blamed_for_the_death_in_the_next(
    context: FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_LOOK_SECONDS", -1.0)
    cluster = MadeUpCluster()
    results = TrialRun(cast(Cluster, cluster), context, make_plans(40)).results(lambda: False)
    next(results)
    [(_, [plan], timed)] = cluster.sent
    timed.end([(TrialResult(plan.key), 0.01)])
    next(results)
    next(results)
    (_, _, ended), (_, running, _) = cluster.sent[1:]
    ended.end(CancelledError())  # its results went with the process
    cluster.worker = "second"
    next(results)
    assert cluster.sent[3][:2] == ("second", running[:1]), "each trial of the chunk that ran is tried alone"
    results.close()


def test_a_trial_whose_worker_dies_once_succeeds_the_second_time(cluster: Cluster, context: FakeContext) -> None:
    results = run_all(cluster, replace(context, bad=3, badness="dies once"), 10)
    assert [result.error for result in results.values()] == [None] * 10


def test_workers_killed_from_outside_cost_no_trial(cluster: Cluster, context: FakeContext) -> None:
    slow = replace(context, seconds=0.02)
    killed: set[int] = set()

    def kill_one(n_ended: int) -> None:
        if len(killed) < 2 and n_ended >= 20 * (len(killed) + 1):
            victim = max(pid for pid in slow.processes() - killed if is_running(pid))
            os.kill(victim, signal.SIGKILL)
            killed.add(victim)

    results = run_all(cluster, slow, 120, on_batch=kill_one)
    assert len(killed) == 2
    assert len(results) == 120
    assert {result.error for result in results.values()} == {None}


def test_a_wish_to_stop_is_heard_between_trials(cluster: Cluster, context: FakeContext) -> None:
    slow = replace(context, seconds=0.05)
    stopping: list[float] = []

    def should_stop() -> bool:
        if not stopping and slow.runs().total() >= 8:
            stopping.append(time.monotonic())
        return bool(stopping)

    results = run_all(cluster, slow, 5000, should_stop)
    assert 0 < len(results) < 5000
    assert time.monotonic() - stopping[0] < 30.0, "all 5000 would take two minutes"
    assert slow.runs().total() - len(results) <= 2, "what had ended was kept"


def test_a_trial_that_is_deaf_loses_its_process(cluster: Cluster, context: FakeContext) -> None:
    deaf = replace(context, bad=0, badness="deaf")
    stop_at: list[float] = []

    def should_stop() -> bool:
        if not stop_at and len(deaf.runs()) == 8:
            stop_at.append(time.monotonic() + 0.5)
        return bool(stop_at) and time.monotonic() > stop_at[0]

    results = run_all(cluster, deaf, 8, should_stop)
    assert time.monotonic() - stop_at[0] < 60.0, "it would sleep for ten minutes"
    assert make_plans(1)[0].key not in results
    deaf_process = int((Path(deaf.folder) / make_plans(1)[0].key).read_text())
    wait_until(lambda: not is_running(deaf_process), "the deaf process is ended")
    assert len(run_all(cluster, replace(context, seconds=0.001), 50)) == 50, "the cluster is as good as before"


def test_an_error_that_no_trial_should_let_out_is_told(cluster: Cluster, context: FakeContext) -> None:
    results = run_all(cluster, replace(context, bad=4, badness="raises"), 10)
    errors = [result.error for result in results.values() if result.error]
    assert errors == ["the trial could not be run: RuntimeError: out of order"]


def test_results_of_a_stopped_consumer_leave_nothing_behind(cluster: Cluster, context: FakeContext) -> None:
    results = TrialRun(cluster, replace(context, seconds=0.05), make_plans(500)).results(lambda: False)
    next(results)
    results.close()
    again = run_all(cluster, context, 20)
    assert Counter(result.error for result in again.values()) == {None: 20}


def test_a_worker_that_stops_costs_no_trial(
    cluster: Cluster, context: FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_silence", Silence(6.0))
    stopping = replace(context, bad=5, badness="stops once")
    results = run_all(cluster, stopping, 30)
    assert {result.error for result in results.values()} == {None}
    assert len(results) == 30
    assert stopping.runs()[make_plans(6)[5].key] == 2


def test_a_trial_that_always_stops_its_worker_is_given_up(
    cluster: Cluster, context: FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_silence", Silence(6.0))
    results = run_all(cluster, replace(context, bad=0, badness="stops"), 3)
    errors = [result.error for result in results.values() if result.error]
    assert errors == ["the worker process stopped giving signs of life 3 times in this trial"]


def test_an_endless_trial_fails_and_its_neighbours_live(
    cluster: Cluster, context: FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "trial_seconds", 3.0)
    endless = replace(context, bad=25, badness="deaf")
    results = run_all(cluster, endless, 60)
    errors = {key: result.error for key, result in results.items() if result.error}
    assert list(errors) == [make_plans(26)[25].key]
    assert "the trial took longer than 3 seconds, the limit for one trial" in next(iter(errors.values()))
    assert len(results) == 60


def test_nobody_says_how_long_it_takes_while_nothing_moves(
    context: FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_LOOK_SECONDS", -1.0)
    cluster = MadeUpCluster()
    run = TrialRun(cast(Cluster, cluster), context, make_plans(40))
    results = run.results(lambda: False)
    for _ in range(4):
        next(results)
        _, plans, future = cluster.sent[-1]
        future.end([(TrialResult(plan.key), 0.01) for plan in plans])
    next(results)
    assert run.seconds_left() is not None
    moment = [run._clock.look()]
    monkeypatch.setattr(run._clock, "look", lambda: moment[0])
    moment[0] += engine._STALLED_SECONDS + 1.0
    assert run.seconds_left() is None
    results.close()


def test_a_process_in_which_a_trial_goes_on_beyond_its_memory_is_replaced(
    context: FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "_LOOK_SECONDS", -1.0)
    cluster = MadeUpCluster()
    run = TrialRun(cast(Cluster, cluster), context, make_plans(3))
    results = run.results(lambda: False)
    next(results)
    [(_, [plan], timed)] = cluster.sent
    timed.end([(TrialResult(plan.key, error="the trial took more"), None)])
    assert next(results) == [(plan, TrialResult(plan.key, error="the trial took more"))]
    assert cluster.restarted == ["first"]
    cluster.worker = "second"
    next(results)
    assert {address for address, *_ in cluster.sent[1:]} == {"second"}


def test_a_trial_over_its_memory_fails_with_a_sentence_and_its_neighbours_live(
    cluster: Cluster, context: FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "trial_bytes", 200.0 * 2**20)
    results = run_all(cluster, replace(context, bad=25, badness="grows"), 60)
    [(key, error)] = [(key, result.error) for key, result in results.items() if result.error]
    assert key == make_plans(60)[25].key
    assert error is not None
    assert error.startswith("the trial took more than 200 MiB, the limit for one trial (ENSEMBLE_LAB_TRIAL_MEMORY")
    assert (len(results), context.runs()[key]) == (60, 1)
