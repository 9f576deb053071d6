"""Data sets: saved once, read back exactly, kept while somebody uses them."""

from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import get_ident
from typing import Any

import numpy as np
import pytest

from ensembles.data import Dataset
from ensembles.errors import Conflict, InvalidInput, NotFound, StorageError
from storage import Storage, Wanted, open_storage
from storage.datasets import datasets
from tests.storage.conftest import listening, make_config, make_dataset


def test_a_data_set_is_read_back_exactly(storage: Storage, dataset: Dataset) -> None:
    record = storage.save_dataset(dataset)
    again = storage.get_dataset(record.sha256)
    assert again.sha256 == dataset.sha256 == record.sha256
    assert (again.name, again.classes, again.target, again.source) == ("Fruit", ("apple", "pear"), "kind", "made up")
    np.testing.assert_array_equal(again.table.numbers, dataset.table.numbers)


def test_a_record_describes_its_data_set(storage: Storage, dataset: Dataset) -> None:
    record = storage.save_dataset(dataset)
    assert (record.rows, record.nominal, record.numeric, record.classes, record.missing_cells) == (40, 1, 1, 2, 1)
    assert record.created.utcoffset() is not None
    assert storage.list_datasets() == [record]
    assert storage.get_dataset_record(record.sha256) == record


def test_saving_the_same_content_twice_keeps_the_first(storage: Storage, dataset: Dataset) -> None:
    first = storage.save_dataset(dataset)
    dataset.name = "Other name"
    assert storage.save_dataset(dataset) == first
    assert len(storage.list_datasets()) == 1


def test_saving_the_same_content_at_once_keeps_one(storage: Storage) -> None:
    twins = [make_dataset() for _ in range(8)]
    with ThreadPoolExecutor(8) as threads:
        records = list(threads.map(storage.save_dataset, twins))
    assert len(set(records)) == 1
    assert len(storage.list_datasets()) == 1


def test_large_content_is_cut_into_chunks(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets, "_CHUNK_BYTES", 1000)
    dataset = make_dataset(n=5000)
    assert storage.get_dataset(storage.save_dataset(dataset).sha256).sha256 == dataset.sha256


def test_a_data_set_that_is_deleted_while_it_is_read_is_read_whole(
    storage: Storage, url: str, dataset: Dataset
) -> None:
    sha256 = storage.save_dataset(dataset).sha256
    me, deleted = get_ident(), list[str]()

    def delete(*told: Any) -> None:
        if "FROM datasets" in told[2] and get_ident() == me and not deleted:
            deleted.append(sha256)
            with ThreadPoolExecutor(1) as other:
                other.submit(writer.delete_dataset, sha256).result()

    with open_storage(url) as writer, listening(delete, "after_cursor_execute"):
        assert storage.get_dataset(sha256).sha256 == sha256
        assert deleted
        assert storage.list_datasets() == []


def test_data_sets_are_listed_newest_first(storage: Storage) -> None:
    for seed in (1, 2, 3):
        storage.save_dataset(make_dataset(f"Fruit {seed}", seed=seed))
    assert [record.name for record in storage.list_datasets()] == ["Fruit 3", "Fruit 2", "Fruit 1"]


def test_a_renamed_data_set_is_read_under_its_new_name(storage: Storage, dataset: Dataset) -> None:
    sha256 = storage.save_dataset(dataset).sha256
    assert storage.rename_dataset(sha256, "  Harvest ").name == "Harvest"
    assert storage.get_dataset(sha256).name == "Harvest"


@pytest.mark.parametrize("name", ["", "   ", "x" * 201])
def test_a_name_must_have_a_sensible_length(storage: Storage, dataset: Dataset, name: str) -> None:
    sha256 = storage.save_dataset(dataset).sha256
    with pytest.raises(InvalidInput, match="data set: the name must have 1 to 200 characters, got"):
        storage.rename_dataset(sha256, name)


@pytest.mark.parametrize("sign", ["\ud800", "\0", "\u202e"])
def test_a_name_is_safe_to_show_and_to_store(storage: Storage, sign: str) -> None:
    sha256 = storage.save_dataset(make_dataset(f"a{sign}b")).sha256
    assert storage.get_dataset(sha256).name == "a\ufffdb"
    assert storage.rename_dataset(sha256, f"c{sign}d\ne").name == "c\ufffdd e"
    assert storage.get_dataset_record(sha256).name == "c\ufffdd e"


@pytest.mark.parametrize("sign", ["\ud800", "\0", "'", "%", "٣", "9" * 30])
def test_what_no_address_may_ask_for_is_not_found(storage: Storage, sign: str) -> None:
    with pytest.raises(NotFound):
        storage.get_dataset(sign)
    with pytest.raises(NotFound):
        storage.get_experiment(sign)
    wanted = Wanted(part=sign, words=(("tag", sign),))
    assert storage.count_found(wanted) == len(storage.find_experiments(wanted)) == 0


def test_a_deleted_data_set_is_gone(storage: Storage, dataset: Dataset) -> None:
    sha256 = storage.save_dataset(dataset).sha256
    storage.delete_dataset(sha256)
    assert storage.list_datasets() == []
    with pytest.raises(NotFound, match=f"there is no stored data set with SHA-256 '{sha256}'"):
        storage.get_dataset(sha256)
    assert storage.save_dataset(dataset).sha256 == sha256


def test_a_data_set_in_use_is_not_deleted(storage: Storage, dataset: Dataset) -> None:
    sha256 = storage.save_dataset(dataset).sha256
    first = storage.create_experiment(make_config({"sha256": sha256, "name": "Fruit"}))
    assert storage.get_dataset_record(sha256).experiments == 1
    with pytest.raises(StorageError, match="Fruit: cannot be deleted, 1 experiment uses it; delete them first"):
        storage.delete_dataset(sha256)
    storage.delete_experiment(first.id)
    storage.delete_dataset(sha256)
    assert storage.list_datasets() == []


def test_a_data_set_that_is_just_launched_on_is_not_deleted(storage: Storage, url: str, dataset: Dataset) -> None:
    sha256 = storage.save_dataset(dataset).sha256
    me, deleting = get_ident(), list[Future[None]]()

    def delete(*told: Any) -> None:
        if "INTO experiment_datasets" in told[2] and get_ident() == me and not deleting:
            deleting.append(other.submit(writer.delete_dataset, sha256))
            wait(deleting, 1)

    with open_storage(url) as writer, ThreadPoolExecutor(1) as other:
        with listening(delete):
            storage.create_experiment(make_config({"sha256": sha256}))
        with pytest.raises(Conflict, match="Fruit: cannot be deleted, 1 experiment uses it"):
            deleting[0].result()
    assert [one.experiments for one in storage.list_datasets()] == [1]


def test_a_given_test_set_is_in_use_too(storage: Storage, dataset: Dataset) -> None:
    sha256 = storage.save_dataset(dataset).sha256
    storage.create_experiment(make_config("iris", protocol={"kind": "given_split", "test_sha256": sha256}))
    with pytest.raises(StorageError, match="1 experiment uses it"):
        storage.delete_dataset(sha256)
