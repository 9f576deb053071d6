"""The loop that claims and runs."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from threading import Event, Thread
from typing import Any, cast

import pytest

from ensembles.errors import InvalidInput
from runner import shift, worker
from runner.cluster.cluster import Cluster, ClusterLost
from storage import Storage
from tests.runner.conftest import Fake, wait_until
from tests.runner.fakes import make_config
from tests.runner.made_up_cluster import MadeUpCluster


@contextmanager
def open_cluster(outcomes: list[Exception | None], opened: list[int]) -> Iterator[Cluster]:
    """Give a cluster that is none, or raise what comes next."""
    opened.append(len(opened))
    if outcome := outcomes.pop(0):
        raise outcome
    yield cast(Cluster, opened)


def test_a_worker_outlives_its_clusters(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, storage: Storage
) -> None:
    caplog.set_level(logging.ERROR)
    shutdown, opened = Event(), list[int]()
    outcomes: list[Exception | None] = [None, InvalidInput("no scheduler yet"), None]

    def work_until(shutdown: Event, *_: Any) -> None:
        if not outcomes:
            shutdown.set()
            return
        raise ClusterLost("the connection was lost")

    monkeypatch.setattr(worker, "work_until", work_until)
    monkeypatch.setattr(worker, "_PAUSE_SECONDS", 0.0)
    worker.keep_working(shutdown, storage, lambda: open_cluster(outcomes, opened))
    assert len(opened) == 3
    assert [record.message for record in caplog.records] == ["the connection was lost", "no scheduler yet"]


def test_a_worker_without_its_first_cluster_says_why(storage: Storage) -> None:
    with pytest.raises(InvalidInput, match="there is none"):
        worker.keep_working(Event(), storage, lambda: open_cluster([InvalidInput("there is none")], []))


def test_processes_come_with_work_and_leave_when_there_was_none_for_a_while(
    monkeypatch: pytest.MonkeyPatch, storage: Storage
) -> None:
    shutdown, said = Event(), list[str]()

    def note(storage: Storage, *_: Any, **__: Any) -> None:
        said.append("run")
        [record] = storage.list_experiments()
        storage.delete_experiment(record.id)
        if said.count("run") == 2:
            shutdown.set()

    @contextmanager
    def open_noted() -> Iterator[Cluster]:
        said.append("open")
        yield cast(Cluster, MadeUpCluster())
        said.append("close")
        storage.create_experiment(make_config())

    monkeypatch.setattr(shift, "run_beside_others", note)
    working = Thread(target=worker.keep_working, args=(shutdown, storage, open_noted, 0.1))
    working.start()
    time.sleep(0.3)
    assert said == []
    storage.create_experiment(make_config())
    working.join(60)
    assert said == ["open", "run", "close", "open", "run", "close"]


@pytest.fixture
def working(storage: Storage, cluster: Cluster) -> Iterator[None]:
    """Let a runner work as long as a test lasts."""
    shutdown = Event()
    runner = Thread(target=worker.keep_working, args=(shutdown, storage, lambda: nullcontext(cluster)))
    runner.start()
    yield
    shutdown.set()
    runner.join()


@pytest.mark.xdist_group("other_cluster")
@pytest.mark.usefixtures("working")
def test_experiments_run_side_by_side_and_the_short_one_ends_first(storage: Storage, fake: Fake) -> None:
    context = fake(5000, seconds=0.02)
    long = storage.create_experiment(make_config())
    wait_until(lambda: storage.get_experiment(long.id).done > 20, "the long one is at work")
    fake(20, seconds=0.02)
    short = storage.create_experiment(make_config())
    wait_until(lambda: storage.get_experiment(short.id).state == "finished", "the short one ends")
    now = storage.get_experiment(long.id)
    assert (now.state, now.done < 5000) == ("running", True)
    [told] = storage.list_runners()
    assert (told.workers, told.experiments) == (2, 1)
    storage.request_cancel(long.id)
    wait_until(lambda: storage.get_experiment(long.id).state == "cancelled", "it is cancelled")
    done = storage.get_experiment(long.id).done
    assert len(storage.finished_keys(long.id)) == done <= context.runs().total()


@pytest.mark.xdist_group("other_cluster")
@pytest.mark.usefixtures("working")
def test_a_pause_keeps_what_has_ended_and_changes_no_number(storage: Storage) -> None:
    config = make_config(learners=3, protocol={"kind": "cross_validation", "repeats": 20, "folds": 5, "orders": 2})
    plain, paused = storage.create_experiment(config), storage.create_experiment(config)
    wait_until(lambda: storage.get_experiment(paused.id).done > 0, "trials end")
    storage.pause_experiment(paused.id)
    wait_until(lambda: storage.get_experiment(paused.id).state == "waiting", "it is given back")
    then = storage.get_experiment(paused.id)
    assert then.paused
    assert 0 < then.done < (then.total or 0)
    assert then.seconds is not None
    wait_until(lambda: storage.get_experiment(plain.id).is_final, "the other one ends")
    assert storage.get_experiment(paused.id) == then, "nobody goes on with it"
    storage.resume_experiment(paused.id)
    wait_until(lambda: storage.get_experiment(paused.id).is_final, "it ends")
    last = storage.get_experiment(paused.id)
    assert (last.state, last.done, last.failed, last.paused) == ("finished", then.total, 0, False)
    assert last.seconds is not None
    assert last.seconds > then.seconds
    one, other = ({plan.key: result for plan, result in storage.list_trials(each.id)} for each in (plain, paused))
    assert {key: (r.measures, r.confusion) for key, r in one.items()} == {
        key: (r.measures, r.confusion) for key, r in other.items()
    }


@pytest.mark.xdist_group("other_cluster")
def test_more_experiments_than_places_take_turns(
    storage: Storage, cluster: Cluster, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("MOST_HELD", 2), ("_LOOK_SECONDS", 0.1), ("_LEAST_SECONDS", 0.5)):
        monkeypatch.setattr(shift, name, value)
    monkeypatch.setattr(shift, "_WORTH_MOVING", 1.0)
    context = fake(3000, seconds=0.02)
    launched = [storage.create_experiment(make_config()) for _ in range(3)]
    shutdown, most = Event(), 0
    runner = Thread(target=worker.keep_working, args=(shutdown, storage, lambda: nullcontext(cluster)))
    runner.start()

    def all_begun() -> bool:
        nonlocal most
        records = [storage.get_experiment(record.id) for record in launched]
        most = max(most, sum(record.state == "running" for record in records))
        return all(record.done for record in records)

    wait_until(all_begun, "each of three has had its turn")
    shutdown.set()
    runner.join()
    assert most == 2
    records = [storage.get_experiment(record.id) for record in launched]
    assert [record.state for record in records] == ["waiting"] * 3
    assert all(len(storage.finished_keys(record.id)) == record.done for record in records)
    assert context.runs().total() > 0
