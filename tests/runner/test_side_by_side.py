"""Experiments side by side on real worker processes."""

import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from ensembles.errors import InvalidInput
from runner.cluster.cluster import Cluster
from runner.dispatch.dispatcher import Dispatcher
from runner.dispatch.trial_run import Completed, TrialRun
from tests.runner.conftest import is_running
from tests.runner.fakes import FakeContext, make_config, make_plans

pytestmark = pytest.mark.xdist_group("engine")  # one cluster for all of them


@pytest.fixture
def context(notes: str) -> FakeContext:
    return FakeContext(make_config(), (), folder=notes)


def results_of(run: TrialRun) -> Iterator[Completed]:
    return run.results(lambda: False)


def test_data_that_cannot_be_used_end_their_experiment_and_no_other(cluster: Cluster, context: FakeContext) -> None:
    with Dispatcher(cluster) as dispatcher, ThreadPoolExecutor() as threads:
        good = threads.submit(list, results_of(dispatcher.start(replace(context, seconds=0.01), make_plans(100))))
        with pytest.raises(InvalidInput, match="the bytes are damaged"):
            list(results_of(dispatcher.start(replace(context, badness="refused"), make_plans(3))))
        assert sum(map(len, good.result(60))) == 100


def folder(context: FakeContext, name: str) -> FakeContext:
    """Return the same with notes of its own."""
    own = Path(f"{context.folder}-{name}")
    own.mkdir()
    return replace(context, folder=str(own))


def test_a_short_experiment_is_not_stuck_behind_a_long_one(cluster: Cluster, context: FakeContext) -> None:
    """While its 20 trials ran, the long one got no more than its share and what was under way."""
    long, short = (replace(folder(context, name), seconds=0.02) for name in ("long", "short"))
    ended, enough = Counter[str](), Event()

    def listen(name: str, run: TrialRun) -> None:
        for batch in run.results(enough.is_set):
            ended[name] += len(batch)

    with Dispatcher(cluster) as dispatcher, ThreadPoolExecutor() as threads:
        other = threads.submit(listen, "long", dispatcher.start(long, make_plans(10_000), user=1))
        while ended["long"] < 50:
            time.sleep(0.01)
        before = ended["long"]
        listen("short", dispatcher.start(short, make_plans(20), user=2))
        meanwhile = ended["long"] - before
        enough.set()
        other.result(60)
    assert ended["short"] == 20
    assert meanwhile < 200, "some chunks of 20, not thousands"
    assert set(short.runs().values()) == {1}


def test_a_killed_worker_with_chunks_of_two_experiments_costs_neither_a_trial(
    cluster: Cluster, context: FakeContext
) -> None:
    both = [replace(folder(context, name), seconds=0.02) for name in ("first", "second")]
    ended: list[Counter[str]] = [Counter(), Counter()]
    with Dispatcher(cluster) as dispatcher, ThreadPoolExecutor() as threads:

        def listen(place: int) -> None:
            for batch in results_of(dispatcher.start(both[place], make_plans(150), user=place)):
                assert all(result.error is None for _, result in batch)
                ended[place].update(plan.key for plan, _ in batch)

        listening = [threads.submit(listen, place) for place in range(2)]
        while min(map(len, ended)) < 20:
            time.sleep(0.01)
        os.kill(max(pid for pid in both[0].processes() | both[1].processes() if is_running(pid)), signal.SIGKILL)
        for one in listening:
            one.result(60)
    assert [sorted(counted.items()) for counted in ended] == [[(plan.key, 1) for plan in make_plans(150)]] * 2


def test_a_trial_that_is_deaf_costs_its_neighbours_of_another_experiment_nothing(
    cluster: Cluster, context: FakeContext
) -> None:
    deaf = replace(folder(context, "deaf"), bad=0, badness="deaf")
    other = replace(folder(context, "other"), seconds=0.01)
    with Dispatcher(cluster) as dispatcher, ThreadPoolExecutor() as threads:
        going_on = threads.submit(list, results_of(dispatcher.start(other, make_plans(300))))
        run = dispatcher.start(deaf, make_plans(1))
        list(run.results(lambda: bool(deaf.runs())))
        ended = [one for batch in going_on.result(60) for one in batch]
    assert len(ended) == 300
    assert {result.error for _, result in ended} == {None}
