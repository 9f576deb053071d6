"""Snapshots of streams on their way into the database: it is away, or they are too large."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from ensembles.errors import StorageError
from runner import run_experiment, shift, streams
from runner.cluster.cluster import Cluster
from storage import ExperimentRecord, Storage
from tests.runner.conftest import wait_until
from tests.runner.fake_streams import StreamContext
from tests.runner.test_streams import PLAN, assert_undisturbed, has_news, make_stream_config, running, stream_of
from tests.runner.test_streams import context as context  # fixtures
from tests.runner.test_streams import record as record
from tests.runner.test_two_runners import runner_here

pytestmark = pytest.mark.xdist_group("other_cluster")


@pytest.mark.usefixtures("context")
def test_the_snapshot_of_a_pause_waits_for_a_database_that_is_away(
    storage: Storage, cluster: Cluster, record: ExperimentRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused, save = ["the database cannot be reached"] * 2, storage.save_snapshot

    def away_twice(*given: Any) -> None:
        if refused:
            raise StorageError(refused.pop())
        save(*given)

    monkeypatch.setattr(streams, "_AGAIN_SECONDS", 0.01)
    monkeypatch.setattr(storage, "save_snapshot", away_twice)
    with running(storage, cluster, record):
        wait_until(lambda: has_news(storage, record), "news come")
        storage.pause_experiment(record.id)
    assert refused == []
    left = stream_of(storage, record)
    assert left.news[-1].seen == left.snapshot_seen > 0


def test_a_snapshot_over_the_limit_is_left_where_it_is(
    storage: Storage,
    cluster: Cluster,
    context: StreamContext,
    record: ExperimentRecord,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("ENSEMBLE_LAB_SNAPSHOT_MEMORY", "0.000001")
    with running(storage, cluster, record):
        wait_until(lambda: has_news(storage, record), "news come")
        storage.request_snapshots(record.id)
        wait_until(lambda: storage.get_experiment(record.id).message is not None, "people are told")
        storage.pause_experiment(record.id)
    assert "over the limit" in caplog.text
    message = storage.get_experiment(record.id).message
    assert re.fullmatch(
        r"A snapshot of Single model on .* takes 0\.0 MiB, over the limit of .*, and is not kept: after a pause, or when "
        "its worker ends, it begins anew.",
        message or "",
    )
    storage.resume_experiment(record.id)
    with running(storage, cluster, record):
        wait_until(lambda: len(context.attempts(PLAN)) == 2, "it goes on")
        context.end()
    assert [position for position, _ in context.attempts(PLAN)] == [0, 0]
    assert storage.get_experiment(record.id).message is None
    assert_undisturbed(storage, record)


def test_a_stream_that_could_not_go_on_makes_room_for_others_once_at_most(
    storage: Storage, cluster: Cluster, context: StreamContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENSEMBLE_LAB_SNAPSHOT_MEMORY", "0.000001")
    with three_in_two_places(storage, cluster, monkeypatch, 1.5):
        wait_until(lambda: len(context.attempts(PLAN)) >= 5, "each has made room, and two run again")
        time.sleep(4.0)
        assert len(context.attempts(PLAN)) == 5


def test_a_stream_makes_room_as_soon_as_it_is_known_to_be_long(
    storage: Storage, cluster: Cluster, context: StreamContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet = replace(context, quiet_seconds=2.0)
    monkeypatch.setattr(run_experiment, "prepare", lambda *_: (quiet, [PLAN]))
    with three_in_two_places(storage, cluster, monkeypatch, 0.5):
        wait_until(lambda: len(context.attempts(PLAN)) >= 3, "the third has a place", 30.0)


@contextmanager
def three_in_two_places(
    storage: Storage, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, least_seconds: float
) -> Iterator[None]:
    """Run three streams in two places, each of which is kept for so long at least."""
    settings = {"MOST_HELD": 2, "_LOOK_SECONDS": 0.1, "_LEAST_SECONDS": least_seconds, "_WORTH_MOVING": 0.0}
    for name, value in settings.items():
        monkeypatch.setattr(shift, name, value)
    for _ in range(3):
        storage.create_experiment(make_stream_config())
    with runner_here(storage, cluster):
        yield
