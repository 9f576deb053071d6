"""Time as a process has lived it, and workers that nobody hears any more while they have nothing to do."""

import os
import signal
from collections.abc import Callable, Iterator

import pytest

from ensembles.experiments.records import TrialResult
from runner.cluster.cluster import Cluster, ClusterLost
from runner.cluster.watch import AwakeClock, Silence, WallClock
from runner.dispatch.dispatcher import Dispatcher
from tests.runner.conftest import is_running, wait_until
from tests.runner.fakes import FakeContext, make_config, make_plans


def test_no_more_than_a_step_passes_between_two_looks() -> None:
    moments = iter([100.0, 101.0, 103.0, 9000.0, 9001.0])
    clock = AwakeClock(lambda: next(moments))
    assert [clock.look() for _ in range(4)] == [1.0, 3.0, 8.0, 9.0]


def test_who_gives_no_sign_for_too_long_is_told() -> None:
    silence = Silence(10.0)
    assert silence.note({"a": 5.0, "b": 5.0}, 0.0) == set()
    assert silence.note({"a": 7.0, "b": 5.0}, 9.0) == set()
    assert silence.note({"a": 7.0, "b": 5.0}, 11.0) == {"b"}
    assert silence.note({"a": 7.0, "b": 6.0}, 18.0) == set(), "one that is heard again is forgiven"
    assert silence.note({"a": 4.0}, 20.0) == set(), "any other sign counts: clocks of others may be set back"


def test_a_cluster_is_given_up_when_the_wall_clock_is_set_back(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    steady, wall = [0.0], [1000.0]
    monkeypatch.setattr(cluster, "_wall_clock", WallClock(lambda: wall[0], lambda: steady[0]))
    for passed, shown in ((10.0, 1010.0), (20.0, 1019.0), (30.0, 4630.0)):
        steady[0], wall[0] = passed, shown
        assert cluster.threads(), "slow by a moment, or set forward"
    steady[0], wall[0] = 40.0, 1040.0
    with pytest.raises(ClusterLost, match="the clock of this machine was set back by 3600 seconds"):
        cluster.threads()


def test_who_has_gone_is_forgotten() -> None:
    silence = Silence(10.0)
    silence.note({"a": 5.0}, 0.0)
    silence.note({}, 1.0)
    assert silence.note({"a": 5.0}, 20.0) == set()


@pytest.fixture
def stop(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Return a function that stops the process of a worker, of which six seconds of silence are then too many."""
    monkeypatch.setattr(cluster, "_silence", Silence(6.0))
    stopped: list[int] = []

    def stop(pid: int) -> None:
        os.kill(pid, signal.SIGSTOP)
        stopped.append(pid)

    yield stop
    for pid in filter(is_running, stopped):
        os.kill(pid, signal.SIGCONT)


def processes(cluster: Cluster) -> set[int]:
    wait_until(lambda: len(cluster.threads()) == 2, "both workers are there")
    return set(cluster.answers(cluster.ask(os.getpid, addresses=cluster.threads()), 30.0).values())


def run_all(cluster: Cluster, context: FakeContext, n: int, on_tick: Callable[[], None]) -> list[TrialResult]:
    ended = []
    with Dispatcher(cluster) as dispatcher:
        for batch in dispatcher.start(context, make_plans(n)).results(lambda: False):
            ended += [result for _, result in batch]
            on_tick()
    return ended


@pytest.mark.xdist_group("engine")
def test_a_worker_that_stopped_between_two_runs_is_replaced(
    cluster: Cluster, notes: str, stop: Callable[[int], None]
) -> None:
    victim = min(processes(cluster))
    stop(victim)
    results = run_all(cluster, FakeContext(make_config(), (), folder=notes), 30, lambda: None)
    assert [result.error for result in results] == [None] * 30
    wait_until(lambda: not is_running(victim), "the stopped process is ended")
    assert len(processes(cluster) - {victim}) == 2


@pytest.mark.xdist_group("engine")
def test_a_trial_that_comes_to_a_worker_that_stopped_while_idle_runs_elsewhere(
    cluster: Cluster, notes: str, stop: Callable[[int], None]
) -> None:
    context, before, killed = FakeContext(make_config(), (), folder=notes, seconds=3.0), processes(cluster), set[int]()

    def leave_only_a_stopped_one() -> None:
        if not killed and (running := context.processes()):
            stop(min(before - running))
            os.kill(min(running), signal.SIGKILL)
            killed.update(running)

    [result] = run_all(cluster, context, 1, leave_only_a_stopped_one)
    assert killed
    assert result.error is None
    assert context.runs().total() == 2, "the stopped worker, to which it went next, never began it"
    wait_until(lambda: not any(map(is_running, before)), "the stopped process is ended")
