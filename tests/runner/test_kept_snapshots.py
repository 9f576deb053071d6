"""Snapshots of streams on their way into the database: it is away, or they are too large."""

from typing import Any

import pytest

from ensembles.errors import StorageError
from runner import streams
from runner.cluster.cluster import Cluster
from storage import ExperimentRecord, Storage
from tests.runner.conftest import wait_until
from tests.runner.test_streams import context as context  # fixtures
from tests.runner.test_streams import has_news, running, stream_of
from tests.runner.test_streams import record as record

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
