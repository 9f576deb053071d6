"""Streams of more examples than four bytes count: stored, packed, read, and at an end like others."""

from dataclasses import replace

import numpy as np
import pytest

from ensembles.data.files import FileDescription
from storage import Storage
from storage.experiments import rows
from storage.results import packed
from tests.storage.conftest import make_config, make_file
from tests.storage.test_trials import plan_of, result_of

LONG = 3 * 10**9
PLANS = [plan_of(number) for number in range(4)]


def start(storage: Storage) -> str:
    protocol = {"kind": "prequential", "examples": LONG, "shuffle": False}
    learners = [{"method": "single", "base": "naive_bayes"}]
    config = make_config("sea", protocol=protocol, learners=learners, measures=["accuracy"])
    return storage.create_experiment(config, n_trials=1, runner="me").id


def save(storage: Storage, experiment: str, number: int, examples: int) -> None:
    result = replace(result_of(PLANS[number]), n_train=examples, n_test=examples + 1)
    storage.save_trials(experiment, [(PLANS[number], result)])


@pytest.mark.parametrize("few", [packed.FEWEST, 1])
def test_a_long_stream_is_stored_and_ends(storage: Storage, monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr(packed, "FEWEST", few)
    experiment = start(storage)
    save(storage, experiment, 0, 10**12)
    assert storage.finish(experiment, "finished", runner="me")
    ended, trials = storage.get_experiment(experiment), storage.load_results(experiment).trials
    assert (ended.state, ended.best_error) == ("finished", 0.25)
    assert (trials["n_train"].tolist(), trials["n_test"].tolist()) == ([10**12], [10**12 + 1])
    [(_, result)] = storage.list_trials(experiment)
    assert (result.n_train, result.n_test) == (10**12, 10**12 + 1)
    [past] = storage.find_past_trials(ended.config)
    assert past.n_train == 10**12


def test_blocks_of_earlier_releases_are_read_beside_later_ones(
    storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def as_it_was(columns: packed.Columns) -> bytes:
        return block({name: column.astype(np.int32) if name in counts else column for name, column in columns.items()})

    counts, block = ("n_train", "n_test"), packed._block
    monkeypatch.setattr(packed, "_MANY", 2)
    experiment = start(storage)
    with monkeypatch.context() as before:
        before.setattr(packed, "_block", as_it_was)
        for number in range(2):
            save(storage, experiment, number, 100 + number)
    for number in range(2, 4):
        save(storage, experiment, number, LONG + number)
    found = storage.load_results(experiment).trials
    assert found["n_train"].tolist() == [100, 101, LONG + 2, LONG + 3]
    assert found["n_test"].tolist() == [101, 102, LONG + 3, LONG + 4]


def test_a_long_file_is_stored(storage: Storage) -> None:
    short = make_file()
    long = FileDescription(replace(short.source, n_examples=LONG), short.sample, (), short.missing_cells)
    assert storage.register_file(long).rows == LONG
    assert [one.rows for one in storage.list_datasets()] == [LONG]


@pytest.mark.parametrize("end", ["finish", "cancel", "delete"])
def test_what_cannot_be_worked_out_keeps_no_experiment_from_its_end(
    storage: Storage, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    def break_down(*_: object) -> None:
        raise OverflowError("too large")

    monkeypatch.setattr(packed, "FEWEST", 1)
    experiment = start(storage)
    save(storage, experiment, 0, 100)
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(packed, "read_trials", break_down)
        if end == "finish":
            assert storage.finish(experiment, "finished", runner="me")
        else:
            storage.release(experiment, "me")
            storage.request_cancel(experiment) if end == "cancel" else storage.delete_experiment(experiment)
    if end == "delete":
        storage.restore_experiment(experiment)
    record = storage.get_experiment(experiment)
    assert (record.state, record.best_error, record.done) == ("finished" if end == "finish" else "cancelled", None, 1)


def test_what_was_half_written_down_is_not_left(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(*_: object) -> None:
        raise KeyError("learner")

    experiment = start(storage)
    save(storage, experiment, 0, 100)
    monkeypatch.setattr(rows, "timings_of", break_down)
    assert storage.finish(experiment, "finished", runner="me")
    assert storage.get_experiment(experiment).best_error is None
    assert storage.best_scores("prequential") == []
