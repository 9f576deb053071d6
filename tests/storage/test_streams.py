"""Streams that run: what they told, and their snapshots."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import func, select

from ensembles.errors import NotFound, StorageError
from ensembles.evaluation.stream_watch import StreamNews
from ensembles.experiments.records import TrialPlan, TrialResult
from storage import ExperimentRecord, Storage
from storage.running import streams
from storage.running.rows import SnapshotChunkRow, StreamRow
from tests.storage.conftest import listening, make_config
from tests.storage.made_up import LONG

PLANS = [TrialPlan(f"{learner:032x}", 0, learner, 0, 0, 0) for learner in range(2)]
NEWS = StreamNews(3_000_000_001, 0.25, 0.125, 0.1875, 7.5, 0.5, 4_000_000_000, 3, 2)
PREQUENTIAL = {"kind": "prequential", "shuffle": False}


def launch(storage: Storage) -> ExperimentRecord:
    learners = [{"method": "single", "base": base} for base in ("naive_bayes", "hoeffding_tree")]
    config = make_config(protocol=PREQUENTIAL, learners=learners, measures=["accuracy"])
    return storage.create_experiment(config, runner="me")


def news(*seen: int) -> list[StreamNews]:
    return [replace(NEWS, seen=one) for one in seen]


def rows_of(storage: Storage) -> tuple[int, ...]:
    with storage._database.session() as session:
        counts = (select(func.count()).select_from(table) for table in (StreamRow, SnapshotChunkRow))
        return tuple(session.execute(count).scalar_one() for count in counts)


def test_what_streams_told_replaces_what_they_told_before(storage: Storage) -> None:
    record = launch(storage)
    storage.save_streams(record.id, [(PLANS[1], news(1, 2)), (PLANS[0], [NEWS])])
    storage.save_streams(record.id, [(PLANS[1], news(1, 2, 3))])
    first, second = storage.list_streams(record.id)
    assert (first.key, first.learner, first.news) == (PLANS[0].key, 0, (NEWS,))
    assert [one.seen for one in second.news] == [1, 2, 3]
    assert second.told >= first.told


def test_a_snapshot_comes_back_as_it_was_and_replaces_the_one_before(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "_CHUNK_BYTES", 10)
    record = launch(storage)
    assert storage.load_snapshot(record.id, PLANS[0].key) is None
    storage.save_snapshot(record.id, PLANS[0], bytes(range(95)), 1000)
    storage.save_streams(record.id, [(PLANS[0], [NEWS])])
    assert storage.load_snapshot(record.id, PLANS[0].key) == bytes(range(95))
    storage.save_snapshot(record.id, PLANS[0], b"another", NEWS.seen)
    assert storage.load_snapshot(record.id, PLANS[0].key) == b"another"
    [stream] = storage.list_streams(record.id)
    assert (stream.news, stream.snapshot_seen, stream.snapshot_bytes) == ((NEWS,), NEWS.seen, 7)
    assert stream.snapshot_taken is not None
    assert rows_of(storage) == (1, 1)


def test_a_snapshot_of_which_a_piece_is_lost_is_none(storage: Storage) -> None:
    record = launch(storage)
    storage.save_snapshot(record.id, PLANS[0], b"whole", 1)
    with storage._database.session(writes=True) as session:
        session.execute(SnapshotChunkRow.__table__.update().values(content=b"hole"))  # type: ignore[attr-defined]
    with pytest.raises(StorageError, match="must have 5 bytes, got 4"):
        storage.load_snapshot(record.id, PLANS[0].key)


def test_when_a_result_is_there_nothing_else_stays_and_nothing_comes_late(storage: Storage) -> None:
    record = launch(storage)
    for plan in PLANS:
        storage.save_streams(record.id, [(plan, [NEWS])])
        storage.save_snapshot(record.id, plan, b"state", 1)
    ended = TrialResult(PLANS[0].key, measures={"accuracy": 0.5})
    storage.save_trials(record.id, [(PLANS[0], ended), (PLANS[1], TrialResult(PLANS[1].key, error="out of memory"))])
    storage.save_streams(record.id, [(PLANS[0], [NEWS])])
    storage.save_snapshot(record.id, PLANS[0], b"late", 1)
    assert [stream.key for stream in storage.list_streams(record.id)] == [PLANS[1].key], "a failed one can go on"
    assert rows_of(storage) == (1, 1)


@pytest.mark.parametrize(("given", "left"), [({}, (0, 0)), ({"from_snapshots": True}, (1, 1))])
def test_failed_streams_start_anew_or_go_on_from_their_snapshots(
    storage: Storage, given: dict[str, Any], left: tuple[int, int]
) -> None:
    record = launch(storage)
    storage.save_snapshot(record.id, PLANS[0], b"state", 1)
    storage.save_trials(record.id, [(PLANS[0], TrialResult(PLANS[0].key, error="out of memory"))])
    storage.finish(record.id, "finished", runner="me")
    storage.reopen_experiment(record.id, retry=True, **given)
    assert storage.finished_keys(record.id) == set()
    assert rows_of(storage) == left


@pytest.mark.parametrize("given", [{}, {"retry": True, "from_snapshots": True}])
def test_what_goes_on_from_a_snapshot_forgets_at_once_what_came_after(storage: Storage, given: dict[str, Any]) -> None:
    record = launch(storage)
    for plan in PLANS:
        storage.save_streams(record.id, [(plan, news(1, 2, 3))])
    storage.save_snapshot(record.id, PLANS[0], b"state", 2)
    if given:
        storage.save_trials(record.id, [(plan, TrialResult(plan.key, error="it gave up")) for plan in PLANS])
    storage.finish(record.id, "finished" if given else "cancelled", runner="me")
    storage.reopen_experiment(record.id, **given)
    assert [[one.seen for one in stream.news] for stream in storage.list_streams(record.id)] == [[1, 2], []]


def test_with_the_experiment_all_of_it_goes(storage: Storage) -> None:
    record = launch(storage)
    storage.save_snapshot(record.id, PLANS[0], b"state", 1)
    storage.delete_experiment(record.id)
    with pytest.raises(NotFound):
        storage.save_snapshot(record.id, PLANS[0], b"state", 2)
    storage.purge_experiment(record.id)
    assert rows_of(storage) == (0, 0)


def test_a_runner_hears_that_snapshots_are_wanted(storage: Storage) -> None:
    record = launch(storage)
    assert storage.get_holdings("me", [record.id])[record.id].snapshots_wanted == 0
    storage.request_snapshots(record.id)
    assert storage.heartbeats("me", {record.id: (None, None)}, lease_seconds=LONG)[record.id].snapshots_wanted == 1
    storage.finish(record.id, "finished", runner="me")
    storage.request_snapshots(record.id)
    assert storage.get_holdings("me", [record.id])[record.id].snapshots_wanted == 1


def test_no_statement_names_all_trials_that_failed(storage: Storage) -> None:
    """A database takes some ten thousand values in a statement, and an experiment may have a million trials."""

    def listen(_c: object, _x: object, _s: object, given: Any, _y: object, many: bool) -> None:
        longest.append(0 if many else len(given))

    longest: list[int] = []
    plans = [TrialPlan(f"{number:032x}", 0, 0, number, 0, 0) for number in range(60)]
    record, other = launch(storage), launch(storage)
    for one in (record, other):
        storage.save_streams(one.id, [(plan, [NEWS]) for plan in plans])
        storage.save_trials(one.id, [(plan, TrialResult(plan.key, error="out of memory")) for plan in plans])
    storage.finish(record.id, "finished", runner="me")
    with listening(listen):
        assert all(stream.failed for stream in storage.list_streams(record.id))
        storage.reopen_experiment(record.id, retry=True)
    assert max(longest) < len(plans)
    assert (storage.list_streams(record.id), storage.finished_keys(record.id)) == ([], set())
    assert len(storage.list_streams(other.id)) == len(storage.finished_keys(other.id)) == len(plans)
