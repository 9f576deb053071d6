"""The engine against trials that die, hang and raise."""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ensembles.experiments.records import TrialResult
from runner.cluster.cluster import Cluster
from runner.cluster.watch import Silence
from runner.dispatch.dispatcher import Dispatcher
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
    with Dispatcher(cluster) as dispatcher:
        for batch in dispatcher.start(context, make_plans(n)).results(should_stop):
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
    # More than three: a death so soon after the chunk before had ended that nobody heard of that was blamed on it, once.
    assert 3 <= poisoned.runs()[make_plans(26)[25].key] <= 6


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
    with Dispatcher(cluster) as dispatcher:
        results = dispatcher.start(replace(context, seconds=0.05), make_plans(500)).results(lambda: False)
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
