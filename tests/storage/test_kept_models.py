"""Models to take home: who trains them, how long they are kept, and who may have them."""

import time
from dataclasses import replace
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from sqlalchemy import func, select, update

from ensembles.errors import Conflict, NotFound, StorageError
from ensembles.experiments.records import KeptModel, TrialPlan, TrialResult
from storage import ExperimentRecord, ModelRecord, ModelTask, Storage
from storage.running import kept_models, model_rows
from storage.running.rows import KeptModelChunkRow, KeptModelRow
from tests.storage.conftest import Clock, make_config, make_dataset
from tests.storage.people import sign_in

CONTENT, FACTS = bytes(range(95)), {"dataset": "Käse", "examples": 3}
LONG = 3600.0


def launch(storage: Storage, *datasets: object, **more: Any) -> ExperimentRecord:
    return storage.create_experiment(make_config(*datasets), runner="me", **more)


def claim(storage: Storage, runner: str = "me", seconds: float = LONG) -> ModelTask:
    task = storage.claim_model(runner, seconds)
    assert task is not None
    return task


def states(storage: Storage, record: ExperimentRecord) -> dict[tuple[int, int], str]:
    return {(one.dataset, one.learner): one.state for one in storage.list_models(record.id)}


def pieces(storage: Storage) -> int:
    with storage._database.session() as session:
        return session.execute(select(func.count()).select_from(KeptModelChunkRow)).scalar_one()


def test_a_model_that_was_wished_for_is_trained_and_comes_back_as_it_was(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_rows, "_CHUNK_BYTES", 10)
    record = launch(storage)
    assert not storage.is_work_waiting(LONG)
    with pytest.raises(NotFound, match="there is no such model now; wish for it first"):
        storage.load_model(record.id, 0, 1)
    assert storage.request_model(record.id, 0, 1).state == "waiting"
    assert storage.is_work_waiting(LONG)
    task = claim(storage)
    assert (task.experiment.id, task.experiment.config, task.dataset, task.learner) == (record.id, record.config, 0, 1)
    assert states(storage, record) == {(0, 1): "running"}
    assert storage.claim_model("other", LONG) is None
    assert not storage.is_work_waiting(LONG)
    assert storage.renew_model(task, "me", LONG)
    with pytest.raises(NotFound, match="wished for and is not ready, it is running"):
        storage.load_model(record.id, 0, 1)
    storage.save_model(task, "me", CONTENT, FACTS)
    found, content = storage.load_model(record.id, 0, 1)
    assert (content, found.facts, found.size, found.state) == (CONTENT, FACTS, 95, "ready")
    assert found.ended is not None
    assert pieces(storage) == 10
    assert storage.request_model(record.id, 0, 1) == found, "what is there stays"
    assert isinstance(found, ModelRecord)
    assert not found.is_coming


def test_what_failed_says_why_and_can_be_tried_again(storage: Storage) -> None:
    record = launch(storage)
    storage.request_model(record.id, 0, 0)
    storage.fail_model(claim(storage), "me", "it gave up")
    [found] = storage.list_models(record.id)
    assert (found.state, found.message) == ("failed", "it gave up")
    assert storage.request_model(record.id, 0, 0).state == "waiting"
    assert storage.list_models(record.id)[0].message is None


def test_the_model_of_a_silent_runner_goes_to_another_one(storage: Storage, clock: Clock) -> None:
    record = launch(storage)
    storage.request_model(record.id, 0, 0)
    lost = claim(storage, "dead", seconds=30.0)
    assert storage.claim_model("me", 30.0) is None
    assert not storage.is_work_waiting(10.0)
    began = time.monotonic()
    storage.wait_for_work(Event(), 20.0)
    assert time.monotonic() - began < 15.0, "who is at it may fall silent any time"
    clock.seconds += 31.0
    assert storage.is_work_waiting(10.0)
    task = claim(storage, "me", seconds=30.0)
    assert not storage.renew_model(lost, "dead", LONG)
    storage.save_model(lost, "dead", b"late", {})
    storage.fail_model(lost, "dead", "late")
    assert states(storage, record) == {(0, 0): "running"}
    storage.release_model(task, "me")
    assert states(storage, record) == {(0, 0): "waiting"}


def test_who_takes_a_model_keeps_nobody_from_the_next(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    if storage._database.is_sqlite:
        pytest.skip("who writes is alone there")
    record, reading, taken = launch(storage), kept_models.experiment_record, []

    def meanwhile(*asked: Any) -> ExperimentRecord:
        monkeypatch.setattr(kept_models, "experiment_record", reading)
        taken.append(claim(storage, "other").learner)
        return reading(*asked)

    for learner in (0, 1):
        storage.request_model(record.id, 0, learner)
    monkeypatch.setattr(kept_models, "experiment_record", meanwhile)
    assert (claim(storage).learner, taken) == (0, [1])


def test_no_clock_that_is_set_frees_a_model_that_is_being_trained(storage: Storage, clock: Clock) -> None:
    record = launch(storage)
    storage.request_model(record.id, 0, 0)
    task = claim(storage, "other", seconds=-7200.0)  # as if all clocks had been set forward since
    for _ in range(9):
        clock.seconds += 29.0
        assert storage.claim_model("me", 30.0) is None
        assert storage.renew_model(task, "other", -7200.0)
        assert storage.claim_model("me", 30.0) is None
    assert states(storage, record) == {(0, 0): "running"}


def test_who_waits_longest_is_first_and_few_may_wait(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_models, "MOST_COMING", 2)
    learners = [{"method": "single", "base": base} for base in ("naive_bayes", "one_rule", "perceptron")]
    first = storage.create_experiment(make_config(learners=learners), runner="me")
    second = launch(storage)
    wished = [(first.id, 1), (second.id, 0), (first.id, 0)]
    for experiment, learner in wished:
        storage.request_model(experiment, 0, learner)
    with pytest.raises(Conflict, match="at most 2 of its models may wait to be trained"):
        storage.request_model(first.id, 0, 2)
    tasks = [claim(storage) for _ in range(3)]
    assert [(task.experiment.id, task.learner) for task in tasks] == wished


def test_few_are_kept_and_for_some_days(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_rows, "MOST_KEPT", 1)
    record = launch(storage)
    for learner in (0, 1):
        storage.request_model(record.id, 0, learner)
        storage.save_model(claim(storage), "me", CONTENT, FACTS)
    assert states(storage, record) == {(0, 1): "ready"}
    assert pieces(storage) == 1
    assert storage.drop_old_models(timedelta(days=1)) == 0
    assert storage.drop_old_models(timedelta(days=-1)) == 1
    assert (states(storage, record), pieces(storage)) == ({}, 0)


def test_there_is_none_of_what_the_experiment_does_not_have(storage: Storage) -> None:
    record = launch(storage)
    for place in ((1, 0), (0, 2), (-1, 0), (0, -1)):
        with pytest.raises(NotFound, match=r"but no (data set|learner)"):
            storage.request_model(record.id, *place)


def test_models_go_with_their_experiment(storage: Storage) -> None:
    record = launch(storage)
    storage.request_model(record.id, 0, 0)
    storage.delete_experiment(record.id)
    assert storage.claim_model("me", LONG) is None
    storage.purge_experiment(record.id)
    with storage._database.session() as session:
        assert session.scalars(select(KeptModelRow)).all() == []


def test_who_trains_what_nobody_wants_any_more_hears_of_it(storage: Storage) -> None:
    record = launch(storage)
    for end in (lambda: storage.withdraw_model(record.id, 0, 0), lambda: storage.delete_experiment(record.id)):
        storage.request_model(record.id, 0, 0)
        task = claim(storage)
        assert storage.renew_model(task, "me", LONG)
        end()
        assert not storage.renew_model(task, "me", LONG)
        storage.save_model(task, "me", CONTENT, FACTS)
        assert pieces(storage) == 0
    storage.restore_experiment(record.id)
    storage.withdraw_model(record.id, 0, 0)
    assert states(storage, record) == {}


def test_a_model_of_hidden_data_is_hidden_though_the_experiment_is_not(storage: Storage) -> None:
    owner, other = sign_in(storage, "Owner"), sign_in(storage, "Other")
    sha256 = owner.save_dataset(make_dataset(), visibility="private").sha256
    record = owner.create_experiment(make_config({"sha256": sha256, "name": "Fruit"}), visibility="team")
    owner.request_model(record.id, 0, 0)
    storage.save_model(claim(storage), "me", CONTENT, FACTS)
    assert owner.load_model(record.id, 0, 0)[1] == CONTENT
    assert other.list_models(record.id) == []
    for ask in (other.request_model, other.load_model):
        with pytest.raises(NotFound, match="its data set is hidden from you, and a model tells of its data"):
            ask(record.id, 0, 0)


def test_a_model_of_which_a_piece_is_lost_is_none(storage: Storage) -> None:
    record = launch(storage)
    storage.request_model(record.id, 0, 0)
    storage.save_model(claim(storage), "me", CONTENT, FACTS)
    with storage._database.session(writes=True) as session:
        session.execute(update(KeptModelChunkRow).values(content=b"hole"))
    with pytest.raises(StorageError, match="the model must have 95 bytes, got 4"):
        storage.load_model(record.id, 0, 0)


PLAN = TrialPlan("a" * 32, 0, 1, 0, 0, 0)


def end_stream(storage: Storage, record: ExperimentRecord, plan: TrialPlan = PLAN, content: bytes = CONTENT) -> None:
    result = TrialResult(plan.key, measures={"accuracy": 1.0}, model=KeptModel(content, FACTS))
    storage.save_trials(record.id, [(plan, result)])


def launch_stream(storage: Storage) -> ExperimentRecord:
    learners = [{"method": "single", "base": base} for base in ("naive_bayes", "one_rule", "perceptron")]
    protocol = {"kind": "prequential", "shuffle": False}
    return storage.create_experiment(make_config(learners=learners, protocol=protocol), runner="me")


def test_what_a_stream_ended_with_is_there_beside_what_was_trained(storage: Storage) -> None:
    record = launch_stream(storage)
    storage.request_model(record.id, 0, 1)
    storage.save_model(claim(storage), "me", b"trained", FACTS)
    end_stream(storage, record)
    assert [(one.learner, one.of_trial, one.state) for one in storage.list_models(record.id)] == [
        (1, False, "ready"),
        (1, True, "ready"),
    ]
    assert storage.load_model(record.id, 0, 1)[1] == b"trained"
    found, content = storage.load_model(record.id, 0, 1, of_trial=True)
    assert (content, found.facts, found.of_trial) == (CONTENT, FACTS, True)
    assert storage.request_model(record.id, 0, 1, of_trial=True) == found, "nothing is made of what is there"
    end_stream(storage, record, content=b"an echo")
    assert storage.load_model(record.id, 0, 1, of_trial=True)[1] == CONTENT
    storage.withdraw_model(record.id, 0, 1, of_trial=True)
    assert [one.of_trial for one in storage.list_models(record.id)] == [False]


def test_a_snapshot_becomes_a_model_and_a_newer_one_a_newer(storage: Storage) -> None:
    record = launch_stream(storage)
    for plan in (replace(PLAN, order=1, key="b" * 32), replace(PLAN, learner=0, key="c" * 32)):
        storage.save_snapshot(record.id, plan, b"of another trial", 1000)
    with pytest.raises(NotFound, match="its trial has left no model, and there is no snapshot of it to make one of"):
        storage.request_model(record.id, 0, 1, of_trial=True)
    storage.save_snapshot(record.id, PLAN, b"state", 1000)
    assert storage.request_model(record.id, 0, 1, of_trial=True).state == "waiting"
    task = claim(storage)
    assert (task.learner, task.of_trial, task.trial) == (1, True, PLAN.key)
    storage.save_model(task, "me", b"so far", FACTS)
    assert storage.request_model(record.id, 0, 1, of_trial=True).state == "ready"
    storage.save_snapshot(record.id, PLAN, b"state", 2000)
    assert storage.request_model(record.id, 0, 1, of_trial=True).state == "waiting"
    late = claim(storage)
    end_stream(storage, record)
    assert not storage.renew_model(late, "me", LONG)
    storage.save_model(late, "me", b"so far", FACTS)
    assert storage.load_model(record.id, 0, 1, of_trial=True)[1] == CONTENT


def test_models_of_streams_are_kept_within_a_bound_of_bytes(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_rows, "MOST_BYTES", 200)
    record = launch_stream(storage)
    storage.request_model(record.id, 0, 0)
    storage.save_model(claim(storage), "me", b"trained", FACTS)
    for learner in range(3):
        end_stream(storage, record, replace(PLAN, learner=learner, key=f"{learner:032x}"))
    assert [(one.learner, one.of_trial) for one in storage.list_models(record.id)] == [(0, False), (1, True), (2, True)]
    end_stream(storage, record, replace(PLAN, learner=0, key="d" * 32), bytes(300))
    assert [(one.learner, one.of_trial) for one in storage.list_models(record.id)] == [(0, False), (0, True)]
