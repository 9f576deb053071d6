"""The loop that claims and runs."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any, cast

import pytest

from ensembles.errors import InvalidInput
from runner import worker
from runner.cluster import Cluster, ClusterLost
from storage import Storage
from tests.runner.fakes import make_config


@contextmanager
def open_cluster(outcomes: list[Exception | None], opened: list[int]) -> Iterator[Cluster]:
    """Give a cluster that is none, or raise what comes next."""
    opened.append(len(opened))
    if outcome := outcomes.pop(0):
        raise outcome
    yield cast(Cluster, opened)


def test_a_worker_outlives_its_clusters(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
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
    worker.keep_working(shutdown, cast(Storage, None), lambda: open_cluster(outcomes, opened))
    assert len(opened) == 3
    assert [record.message for record in caplog.records] == ["the connection was lost", "no scheduler yet"]


def test_a_worker_without_its_first_cluster_says_why() -> None:
    with pytest.raises(InvalidInput, match="there is none"):
        worker.keep_working(Event(), cast(Storage, None), lambda: open_cluster([InvalidInput("there is none")], []))


def test_processes_come_with_work_and_leave_when_there_was_none_for_a_while(
    monkeypatch: pytest.MonkeyPatch, storage: Storage
) -> None:
    shutdown, said = Event(), list[str]()

    def note(*_: Any) -> None:
        said.append("run")
        [record] = storage.list_experiments()
        storage.delete_experiment(record.id)
        if said.count("run") == 2:
            shutdown.set()

    @contextmanager
    def open_noted() -> Iterator[Cluster]:
        said.append("open")
        yield cast(Cluster, None)
        said.append("close")
        storage.create_experiment(make_config())

    monkeypatch.setattr(worker, "_run", note)
    working = Thread(target=worker.keep_working, args=(shutdown, storage, open_noted, 0.1))
    working.start()
    time.sleep(0.3)
    assert said == []
    storage.create_experiment(make_config())
    working.join(60)
    assert said == ["open", "run", "close", "open", "run", "close"]
