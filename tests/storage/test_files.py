"""Files that are read in batches where they lie: what is stored of them, and how they are opened."""

from dataclasses import replace
from pathlib import Path

import pytest

from ensembles.data import Dataset
from ensembles.data.files import FileSource, describe_file
from ensembles.errors import InvalidInput
from storage import Storage
from tests.storage.conftest import make_config, make_dataset, make_file
from tests.storage.people import sign_in


def test_a_file_is_opened_from_where_it_lies(storage: Storage) -> None:
    described = make_file()
    record = storage.register_file(described)
    assert (record.rows, record.nominal, record.numeric, record.classes) == (10**7, 1, 1, 2)
    assert (record.missing_cells, record.in_batches, record.source) == (
        250_000,
        True,
        "file fruit.csv, read in batches",
    )
    assert record.packed_bytes < 10_000
    assert storage.list_datasets() == [record]
    assert storage.open_dataset(record.sha256) == described.source


def test_a_file_of_more_examples_than_one_may_have_is_refused(storage: Storage) -> None:
    mia = sign_in(storage, "Mia")
    storage.set_limits(mia.actor.user_id or 0, {"rows": 10**7 - 1})
    with pytest.raises(
        InvalidInput, match=r"^you may have at most 9,999,999 examples in a data set \(limit rows\), got 10,0"
    ):
        mia.register_file(make_file())
    assert mia.list_datasets() == []


def test_what_is_stored_of_it_is_a_sample_and_never_taken_for_all(storage: Storage) -> None:
    sha256 = storage.register_file(make_file()).sha256
    assert len(storage.get_sample(sha256)) == 40
    with pytest.raises(
        InvalidInput, match="Fruit: is read in batches where it lies, only a sample of it is stored here"
    ):
        storage.get_dataset(sha256)


def test_what_lies_elsewhere_now_is_read_from_there(storage: Storage) -> None:
    first = storage.register_file(make_file())
    assert storage.register_file(make_file("Another name", path="/elsewhere/fruit.csv")) == first
    opened = storage.open_dataset(first.sha256)
    assert isinstance(opened, FileSource)
    assert (opened.path, opened.name) == ("/elsewhere/fruit.csv", "Fruit")


def test_a_copy_that_somebody_else_has_takes_the_place_of_a_file_only_where_that_is_gone(
    storage: Storage, tmp_path: Path
) -> None:
    mia, bob = sign_in(storage, "Mia"), sign_in(storage, "Bob")
    first, copy = tmp_path / "mia.csv", tmp_path / "bob.csv"
    for file in (first, copy):
        file.write_text("colour,kind\n" + "red,apple\ngreen,pear\n" * 20)
    sha256 = mia.register_file(describe_file(str(first))).sha256

    def is_read_at(path: Path) -> bool:
        opened = [one.open_dataset(sha256) for one in (mia, bob)]
        return all(isinstance(one, FileSource) and one.path == str(path) for one in opened)

    bob.register_file(describe_file(str(copy)), visibility="private")
    assert is_read_at(first)
    first.unlink()
    bob.register_file(describe_file(str(copy)))
    assert is_read_at(copy)
    first.write_text(copy.read_text())
    mia.register_file(describe_file(str(first)))
    assert is_read_at(first)


def test_it_is_renamed_used_deleted_and_taken_back_like_others(storage: Storage) -> None:
    sha256 = storage.register_file(make_file()).sha256
    assert storage.rename_dataset(sha256, "Apples").in_batches
    assert storage.open_dataset(sha256).name == "Apples"
    experiment = storage.create_experiment(make_config({"sha256": sha256}))
    assert storage.get_dataset_record(sha256).experiments == 1
    storage.delete_experiment(experiment.id)
    storage.delete_dataset(sha256)
    assert storage.list_datasets() == []
    storage.register_file(make_file())
    assert storage.get_dataset_record(sha256).in_batches


def test_what_is_stored_whole_opens_whole(storage: Storage) -> None:
    sha256 = storage.save_dataset(make_dataset()).sha256
    assert not storage.get_dataset_record(sha256).in_batches
    for opened in (storage.open_dataset(sha256), storage.get_sample(sha256)):
        assert isinstance(opened, Dataset)
        assert opened.sha256 == sha256


def test_a_name_is_needed(storage: Storage) -> None:
    described = make_file()
    with pytest.raises(InvalidInput, match="data set"):
        storage.register_file(replace(described, source=replace(described.source, name=" ")))
    assert storage.list_datasets() == []
