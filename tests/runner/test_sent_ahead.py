"""A worker is sent its next trial just before the one it runs ends."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from runner.dispatch import dispatcher as dispatching
from runner.dispatch.dispatcher import Dispatcher
from tests.runner.fakes import FakeContext, make_config, make_plans
from tests.runner.made_up_cluster import MadeUpCluster


@pytest.fixture
def context(notes: str) -> FakeContext:
    return FakeContext(make_config(), (), folder=notes)


def test_the_next_trial_waits_at_a_worker_only_when_a_long_one_is_about_to_end(
    context: FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster, dispatcher, turn_at = with_time(monkeypatch)
    dispatcher.start(context, make_plans(50))
    turn_at(0.0)
    [first] = cluster.sent
    turn_at(10.0)
    first.end(10.0)
    turn_at(10.0)
    turn_at(17.9)
    assert len(cluster.sent) == 2
    turn_at(18.1)
    turn_at(18.2)
    _, running, ahead = cluster.sent
    turn_at(20.0)
    running.end(10.0)
    turn_at(20.0)
    assert cluster.sent[2:] == [ahead], "it runs now, and nothing waits behind it yet"


def test_what_waits_behind_a_trial_that_takes_longer_than_its_kind_is_taken_back(
    context: FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster, dispatcher, turn_at = with_time(monkeypatch)
    dispatcher.start(context, make_plans(3))
    turn_at(0.0)
    cluster.sent[0].end(4.0)
    for moment in (0.0, 4.0, 5.9):
        turn_at(moment)
    _, running, ahead = cluster.sent
    assert not ahead.future.is_cancelled
    cluster.workers.append("second")
    for moment in (6.1, 6.2):
        turn_at(moment)
    assert (running.future.is_cancelled, ahead.future.is_cancelled) == (False, True)
    assert [(sent.address, sent.plans) for sent in cluster.sent[3:]] == [("second", ahead.plans)]


def with_time(monkeypatch: pytest.MonkeyPatch) -> tuple[MadeUpCluster, Dispatcher, Callable[[float], None]]:
    """Return a cluster, a dispatcher, and what makes that turn at a moment of our choice."""
    monkeypatch.setattr(dispatching, "_LOOK_SECONDS", -1.0)
    monkeypatch.setattr(dispatching, "_TICK_SECONDS", 0.0)
    now = [0.0]
    monkeypatch.setattr(dispatching, "AwakeClock", lambda: SimpleNamespace(look=lambda: now[0]))
    cluster = MadeUpCluster()
    dispatcher = cluster.dispatcher()

    def turn_at(moment: float) -> None:
        now[0] = moment
        dispatcher.turn()

    return cluster, dispatcher, turn_at
