"""Streams that go on from a snapshot: what is told of them is what they have come to from there."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from ensembles.evaluation.stream_watch import StreamNews
from ensembles.experiments.records import TrialPlan, TrialResult
from runner.streams import ExperimentStreams
from storage import Storage
from tests.runner.fakes import make_config

NEWS = StreamNews(1000, 0.5, 0.25, 0.125, 1.0, 0.0, 100)
PLANS = [TrialPlan(f"{number:032x}", 0, 0, number, 0, 0) for number in range(4)]
LEASE: Any = SimpleNamespace(standing="held")


@pytest.mark.parametrize(("snapshot", "left"), [(2500, [1000, 2000]), (3000, [1000, 2000, 3000]), (0, [])])
def test_what_came_after_the_snapshot_is_forgotten_before_anything_is_told(
    storage: Storage, snapshot: int, left: list[int]
) -> None:
    record = storage.create_experiment(make_config(protocol={"kind": "prequential"}, measures=["accuracy"]))
    news = [replace(NEWS, seen=seen) for seen in (1000, 2000, 3000)]
    storage.save_streams(record.id, [(plan, news) for plan in PLANS[:2]])
    if snapshot:
        storage.save_snapshot(record.id, PLANS[0], b"state", snapshot)
    storage.save_trials(record.id, [(PLANS[1], TrialResult(PLANS[1].key, error="it is not run again"))])
    known = ExperimentStreams(storage, record, [PLANS[0], *PLANS[2:]], LEASE)
    told = {stream.key: [one.seen for one in stream.news] for stream in storage.list_streams(record.id)}
    assert told == {PLANS[0].key: left, PLANS[1].key: [1000, 2000, 3000]}
    known.tell(PLANS[0].key, replace(NEWS, seen=snapshot + 1))
    assert known.latest()[PLANS[0].key].seen == snapshot + 1
