"""Experiments: their life from waiting to the end, and who may touch them when."""

import re
from functools import partial

import pytest
from sqlalchemy import text

from ensembles.errors import InvalidInput, NotFound, StorageError
from storage import Storage, Wanted
from storage.database import Database
from storage.location import database_url
from tests.storage.conftest import Clock, listening, make_config
from tests.storage.made_up import GONE, LONG, claim_from_the_silent, launch


def test_a_new_experiment_waits(storage: Storage) -> None:
    config = make_config(name="Boosting or bagging")
    record = storage.create_experiment(config, n_trials=8)
    assert re.fullmatch("[A-Za-z0-9]{12}", record.id)
    assert (record.name, record.state, record.total, record.done, record.failed) == (config.name, "waiting", 8, 0, 0)
    assert record.config == config
    assert record.started is None
    assert not record.is_final
    assert storage.get_experiment(record.id) == record


def test_experiments_are_listed_newest_first_by_pages(storage: Storage) -> None:
    for number in range(5):
        launch(storage, f"Number {number}")
    assert [record.name for record in storage.list_experiments(limit=2, offset=1)] == ["Number 3", "Number 2"]
    assert storage.count_experiments() == 5


def test_what_pages_read_again_and_again_is_one_question_each(storage: Storage) -> None:
    ids = [launch(storage).id for _ in range(3)]
    asked: list[str] = []
    with listening(lambda *told: asked.append(told[2])):
        for read in (
            storage.list_experiments,
            storage.count_experiments,
            storage.list_words,
            partial(storage.find_experiments, Wanted(part="r", words=(("method", "bagging"),))),
            partial(storage.count_found, Wanted(starred=True)),
            storage.list_datasets,
            partial(storage.get_experiment, ids[0]),
            partial(storage.get_standing, ids[0], "me"),
        ):
            asked.clear()
            read()
            assert len([statement for statement in asked if statement.startswith("SELECT")]) == 1, asked


def test_an_unknown_experiment_is_not_found(storage: Storage) -> None:
    for method in (storage.get_experiment, storage.delete_experiment, storage.request_cancel, storage.load_results):
        with pytest.raises(NotFound, match="there is no experiment 'nowhere'; it may have been deleted"):
            method("nowhere")


def test_an_experiment_on_a_data_set_that_is_gone_is_refused_whole(storage: Storage) -> None:
    with pytest.raises(NotFound, match="there is no stored data set with SHA-256 'aaaa"):
        storage.create_experiment(make_config({"sha256": "a" * 64}))
    assert storage.count_experiments() == 0


def test_a_new_name_leaves_the_configuration_alone(storage: Storage) -> None:
    record = launch(storage)
    renamed = storage.rename_experiment(record.id, "Better name")
    assert (renamed.name, renamed.config.name) == ("Better name", "Trial run")
    assert renamed.document.name == storage.load_results(record.id).config.name == "Better name"
    with pytest.raises(InvalidInput, match="experiment: the name must have 1 to 200 characters, got 0"):
        storage.rename_experiment(record.id, " ")


def test_the_oldest_waiting_experiment_is_claimed_first(storage: Storage) -> None:
    first, second = launch(storage), launch(storage)
    assert storage.is_work_waiting(LONG)
    claimed = [storage.claim_experiment(f"runner {number}", LONG) for number in range(3)]
    assert not storage.is_work_waiting(LONG)
    assert [record and record.id for record in claimed] == [first.id, second.id, None]
    assert claimed[0] is not None
    assert claimed[0].state == "running"
    assert claimed[0].started is not None


def test_an_experiment_of_a_newer_version_is_left_to_a_newer_runner(storage: Storage, url: str) -> None:
    launched = [launch(storage) for _ in range(3)]
    database = Database(database_url(url))
    with database.connection() as connection:
        connection.execute(text("UPDATE experiments SET config = replace(config, 'bagging', 'begging') WHERE id < 3"))
    database.close()
    claimed = storage.claim_experiment("runner", LONG)
    assert claimed is not None
    assert claimed.id == launched[2].id
    assert storage.claim_experiment("another", LONG) is None


def test_a_finished_experiment_stays_finished(storage: Storage) -> None:
    record = launch(storage)
    storage.claim_experiment("runner", LONG)
    assert storage.finish(record.id, "finished", runner="runner") is True
    done = storage.request_cancel(record.id)
    assert (done.state, done.is_final, done.seconds_left) == ("finished", True, None)
    assert done.finished is not None
    assert storage.claim_experiment("other", LONG) is None


def test_a_failed_experiment_says_why(storage: Storage) -> None:
    record = launch(storage)
    storage.claim_experiment("runner", LONG)
    storage.finish(record.id, "failed", "the data set is gone", runner="runner")
    assert storage.get_experiment(record.id).message == "the data set is gone"


def test_cancelling_what_nobody_runs_is_immediate(storage: Storage) -> None:
    assert storage.request_cancel(launch(storage).id).state == "cancelled"
    silent = launch(storage)
    storage.claim_experiment("dead", GONE)
    assert storage.request_cancel(silent.id).state == "cancelled"


def test_cancelling_what_runs_is_a_wish_that_its_runner_hears(storage: Storage) -> None:
    record = launch(storage)
    storage.claim_experiment("runner", LONG)
    assert storage.get_standing(record.id, "runner") == "held"
    assert storage.request_cancel(record.id).state == "cancelling"
    assert storage.get_standing(record.id, "runner") == "unwanted"
    assert storage.heartbeat(record.id, "runner") == "unwanted"
    storage.finish(record.id, "cancelled", runner="runner")
    assert storage.get_experiment(record.id).state == "cancelled"


def test_the_wish_to_cancel_survives_the_runner(storage: Storage, clock: Clock) -> None:
    record = launch(storage)
    storage.claim_experiment("first", LONG)
    storage.request_cancel(record.id)
    taken = claim_from_the_silent(storage, clock, "second")
    assert taken is not None
    assert taken.state == "cancelling"
    assert storage.release(record.id, "second") is True
    assert storage.get_experiment(record.id).state == "cancelled"


def test_a_released_experiment_waits_for_the_next_runner(storage: Storage) -> None:
    record = launch(storage)
    storage.claim_experiment("first", LONG)
    assert storage.release(record.id, "other") is False
    assert storage.release(record.id, "first", "the cluster is gone") is True
    waiting = storage.get_experiment(record.id)
    assert (waiting.state, waiting.message) == ("waiting", "the cluster is gone")
    again = storage.claim_experiment("second", LONG)
    assert again is not None
    assert again.message is None


def test_a_runner_notices_that_its_experiment_was_deleted(storage: Storage) -> None:
    record = launch(storage)
    storage.claim_experiment("runner", LONG)
    storage.delete_experiment(record.id)
    assert storage.get_standing(record.id, "runner") == "lost"
    assert storage.heartbeat(record.id, "runner") == "lost"
    assert storage.finish(record.id, "finished", runner="runner") is False


def test_an_experiment_is_found_by_its_configuration(storage: Storage) -> None:
    first, _, newest = launch(storage), launch(storage, "Another"), launch(storage)
    storage.rename_experiment(newest.id, "Called differently now")
    found = storage.find_experiment(make_config(name="Trial run"))
    assert found is not None
    assert found.id == newest.id != first.id
    assert storage.find_experiment(make_config(name="Trial run", seed=2)) is None


def test_an_experiment_that_is_over_can_go_on(storage: Storage) -> None:
    record = launch(storage)
    storage.request_cancel(record.id)
    assert storage.reopen_experiment(record.id).state == "waiting"
    storage.request_cancel(record.id)
    again = storage.reopen_experiment(record.id, runner="runner")
    assert (again.state, again.finished, again.message) == ("running", None, None)
    assert storage.get_standing(record.id, "runner") == "held"
    with pytest.raises(StorageError, match=r"^Trial run: is being run by another program, wait for its end$"):
        storage.reopen_experiment(record.id, runner="another")
    storage.finish(record.id, "failed", "no data", runner="runner")
    assert storage.reopen_experiment(record.id).message is None
    with pytest.raises(NotFound):
        storage.reopen_experiment("nothing")
