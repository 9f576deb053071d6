"""Several experiments on the workers of one cluster."""

from collections import Counter
from collections.abc import Iterator

import pytest

from ensembles.experiments.records import TrialPlan
from runner.cluster.cluster import ClusterLost
from runner.cluster.watch import AwakeClock
from runner.dispatch import dispatcher as dispatching
from runner.dispatch import trial_run
from runner.dispatch.dispatcher import Dispatcher
from runner.dispatch.trial_run import Completed, TrialRun
from tests.runner.fakes import FakeContext, make_config, make_plans
from tests.runner.made_up_cluster import MadeUpCluster, Sent


@pytest.fixture
def context(notes: str) -> FakeContext:
    return FakeContext(make_config(), (), folder=notes)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a dispatcher look at its workers at every turn, and wait for nothing."""
    monkeypatch.setattr(dispatching, "_LOOK_SECONDS", -1.0)
    monkeypatch.setattr(dispatching, "_TICK_SECONDS", 0.0)
    monkeypatch.setattr(trial_run, "_TICK_SECONDS", 0.0)


def learn(cluster: MadeUpCluster, dispatcher: Dispatcher, seconds: float) -> None:
    """Let what was sent end, so that it is known how long trials take."""
    dispatcher.turn()
    for sent in cluster.sent:
        sent.end(seconds)
    cluster.sent.clear()
    dispatcher.turn()


def results_of(run: TrialRun) -> Iterator[Completed]:
    return run.results(lambda: False)


@pytest.mark.usefixtures("at_once")
def test_a_chunk_that_had_ended_is_not_blamed_for_the_death_in_the_next(context: FakeContext) -> None:
    cluster = MadeUpCluster()
    dispatcher = cluster.dispatcher()
    dispatcher.start(context, make_plans(40))
    learn(cluster, dispatcher, 0.01)
    ended, running = cluster.sent
    ended.die()
    cluster.workers = ["second"]
    dispatcher.turn()
    dispatcher.turn()
    assert cluster.sent[2].address == "second"
    assert cluster.sent[2].plans == running.plans[:1], "each trial of the chunk that ran is tried alone"


@pytest.mark.usefixtures("at_once")
def test_a_death_is_blamed_on_the_experiment_that_ran_not_on_the_one_that_waited(context: FakeContext) -> None:
    cluster = MadeUpCluster()
    dispatcher = cluster.dispatcher()
    for _ in range(2):
        dispatcher.start(context, make_plans(400))
    for _ in range(2):
        learn(cluster, dispatcher, 0.01)
    running, waiting = cluster.sent
    assert running.run != waiting.run
    cluster.workers = ["second"]
    first: dict[str, list[TrialPlan]] = {}
    while len(first) < 2:
        for sent in sent_next(cluster, dispatcher):
            first.setdefault(sent.run, sent.plans)
    assert first[running.run] == running.plans[:1], "what ran is in quarantine, each trial alone"
    assert first[waiting.run][0] == waiting.plans[0]
    assert len(first[waiting.run]) > 1, "what waited is not"


def sent_next(cluster: MadeUpCluster, dispatcher: Dispatcher) -> list[Sent]:
    """Return what is sent next, after that has ended too."""
    cluster.sent.clear()
    dispatcher.turn()
    sent = list(cluster.sent)
    for one in sent:
        one.end(0.01)
    return sent


@pytest.mark.usefixtures("at_once")
def test_a_process_that_is_ended_for_one_experiment_costs_another_nothing(context: FakeContext) -> None:
    cluster = MadeUpCluster()
    dispatcher = cluster.dispatcher()
    dispatcher.start(context, make_plans(400))
    learn(cluster, dispatcher, 0.01)
    running, waiting = cluster.sent
    cluster.workers, cluster.renewed = ["second"], {"first"}
    dispatcher.turn()
    dispatcher.turn()
    again = cluster.sent[2]
    assert (again.address, again.plans[0]) == ("second", running.plans[0])
    assert len(again.plans) > 1, "nothing is in quarantine"
    assert waiting.future.is_cancelled


@pytest.mark.usefixtures("at_once")
def test_who_does_not_stop_loses_the_process_and_what_waited_there_runs_again(
    context: FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = MadeUpCluster()
    dispatcher = cluster.dispatcher()
    for _ in range(2):
        dispatcher.start(context, make_plans(400))
    for _ in range(2):
        learn(cluster, dispatcher, 0.01)
    running, waiting = cluster.sent
    monkeypatch.setattr(dispatching, "_GRACE_SECONDS", 0.0)
    deaf = dispatcher._runs[running.run]
    deaf.results(lambda: True).close()  # not begun: nothing happens
    next(deaf.results(lambda: True))
    dispatcher.turn()
    assert ("stop", running.run, {"first"}) in cluster.asked
    assert cluster.restarted == ["first"]
    cluster.workers = ["second"]
    dispatcher.turn()
    dispatcher.turn()
    assert {sent.run for sent in cluster.sent[2:]} == {waiting.run}
    assert cluster.sent[2].plans[0] == waiting.plans[0]
    assert len(cluster.sent[2].plans) > 1


@pytest.mark.usefixtures("at_once")
def test_a_process_in_which_a_trial_goes_on_beyond_its_memory_is_replaced(context: FakeContext) -> None:
    cluster = MadeUpCluster()
    dispatcher = cluster.dispatcher()
    run = dispatcher.start(context, make_plans(3))
    dispatcher.turn()
    [sent] = cluster.sent
    sent.end_over_memory()
    dispatcher.turn()
    [[(plan, result)]] = [batch for batch in [next(results_of(run))] if batch]
    assert (plan, result.error) == (sent.plans[0], "the trial took more")
    assert cluster.restarted == ["first"]


@pytest.mark.usefixtures("at_once")
def test_users_take_turns_by_the_time_of_workers(context: FakeContext, monkeypatch: pytest.MonkeyPatch) -> None:
    moment = [0.0]
    monkeypatch.setattr(dispatching, "AwakeClock", lambda: AwakeClock(lambda: moment[0]))
    cluster = MadeUpCluster("first", "second")
    dispatcher = cluster.dispatcher()
    runs = [dispatcher.start(context, make_plans(5000), user=user) for user in (1, 1, 2)]
    for _ in range(3):
        learn(cluster, dispatcher, 0.01)
    trials = Counter[str]()
    for _ in range(300):
        sent = cluster.sent.pop(0)
        trials[sent.run] += len(sent.plans)
        moment[0] += 0.01 * len(sent.plans) / 2
        sent.end(0.01)
        dispatcher.turn()
    shares = [trials[run.id] / trials.total() for run in runs]
    assert shares == [pytest.approx(share, abs=0.07) for share in (0.25, 0.25, 0.5)]


@pytest.mark.usefixtures("at_once")
def test_where_long_trials_have_all_workers_who_comes_gets_the_next_one_that_is_free(context: FakeContext) -> None:
    cluster = MadeUpCluster("first", "second")
    dispatcher = cluster.dispatcher()
    dispatcher.start(context, make_plans(50))
    dispatcher.turn()
    assert len(cluster.sent) == 2
    come = dispatcher.start(context, make_plans(5))
    dispatcher.turn()
    assert len(cluster.sent) == 2, "nothing is interrupted, and nothing waits behind what may be long"
    cluster.sent[1].end(3600.0)
    dispatcher.turn()
    assert [(sent.run, sent.address) for sent in cluster.sent[2:]] == [(come.id, cluster.sent[1].address)]


@pytest.mark.usefixtures("at_once")
def test_who_makes_room_ends_what_runs_and_begins_nothing(context: FakeContext) -> None:
    cluster = MadeUpCluster()
    dispatcher = cluster.dispatcher()
    run = dispatcher.start(context, make_plans(400))
    learn(cluster, dispatcher, 0.01)
    results = run.results(lambda: False, lambda: True)
    before = list(cluster.sent)
    ended = next(results)
    for sent in before:
        sent.end(0.01)
        dispatcher.turn()
    ended = [*ended, *(one for batch in results for one in batch)]
    assert cluster.sent == before
    assert len(ended) == 1 + sum(len(sent.plans) for sent in before)
    assert not cluster.restarted
    assert ("unload", run.id, {"first"}) in cluster.asked


@pytest.mark.usefixtures("at_once")
def test_nobody_says_how_long_it_takes_while_nothing_moves(
    context: FakeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = MadeUpCluster()
    dispatcher = cluster.dispatcher()
    run = dispatcher.start(context, make_plans(2000))
    for _ in range(3):
        learn(cluster, dispatcher, 0.01)
    assert run.seconds_left is not None
    moment = [run._clock.look()]
    monkeypatch.setattr(run._clock, "look", lambda: moment[0])
    moment[0] += trial_run._STALLED_SECONDS + 1.0
    dispatcher.turn()
    assert run.seconds_left is None


@pytest.mark.usefixtures("at_once")
def test_the_time_left_tells_of_those_who_share_the_workers(context: FakeContext) -> None:
    cluster = MadeUpCluster()
    dispatcher = cluster.dispatcher()
    run = dispatcher.start(context, make_plans(1000))
    learn(cluster, dispatcher, 0.1)
    dispatcher.turn()
    alone = run.seconds_left
    assert alone == pytest.approx(100.0, rel=0.1)
    other = dispatcher.start(context, make_plans(300), expected={(0, 0): 0.1})
    dispatcher.turn()
    dispatcher.turn()
    assert other.seconds_left == pytest.approx(60.0, rel=0.1)
    assert run.seconds_left == pytest.approx(130.0, rel=0.1)


def test_an_error_of_ours_ends_the_wait_of_everybody(context: FakeContext, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = MadeUpCluster()
    monkeypatch.setattr(cluster, "threads", lambda: 1 / 0)
    with cluster.dispatcher() as dispatcher:
        for _ in range(2):  # the second comes when it has failed
            with pytest.raises(ClusterLost, match=r"an error of this program stopped all trials: ZeroDivisionError"):
                list(results_of(dispatcher.start(context, make_plans(3))))


@pytest.mark.usefixtures("at_once")
def test_who_comes_waits_for_what_runs_and_not_for_what_was_sent_ahead(context: FakeContext) -> None:
    cluster = MadeUpCluster()
    dispatcher = cluster.dispatcher()
    dispatcher.start(context, make_plans(2000))
    learn(cluster, dispatcher, 0.01)
    running, ahead = cluster.sent
    come = dispatcher.start(context, make_plans(20))
    dispatcher.turn()
    assert (running.future.is_cancelled, ahead.future.is_cancelled) == (False, True)
    running.end(0.01)
    dispatcher.turn()
    assert cluster.sent[2].run == come.id
