"""From names in an experiment file to data sets, and what is said when there is none."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ensembles.data import MISSING, UNSEEN, Attribute, Dataset, Table, load_dataset
from ensembles.errors import InvalidConfig, InvalidData, NotFound, StorageError
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.resolve import align, resolve_datasets, resolve_test_dataset, with_stored_datasets
from tests.experiments.conftest import make_dataset
from tests.experiments.sources import InBatches

CAR = "doors,price,class\n2,low,good\n4,high,bad\n2,high,bad\n4,low,good\nmany,low,good\n"
CAR_TEST = "price,doors,class\nlow,2,good\nfree,?,bad\n"


def nothing_stored(sha256: str) -> Dataset:
    raise NotFound(f"no data set is stored under {sha256}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "car.csv").write_text(CAR)
    (tmp_path / "car_test.csv").write_text(CAR_TEST)
    return tmp_path


def config_of(*datasets: object, **fields: object) -> ExperimentConfig:
    learners = [{"method": "single", "base": "naive_bayes"}]
    return ExperimentConfig.from_dict({"name": "x", "datasets": list(datasets), "learners": learners, **fields})


def test_catalogue_file_and_stored_data_sets_come_in_order(folder: Path) -> None:
    stored = {make_dataset().sha256: make_dataset()}
    config = config_of(
        {"key": "led24", "rows": 200, "seed": 5}, {"file": "car.csv", "target": "class"}, {"sha256": next(iter(stored))}
    )
    led, car, mine = resolve_datasets(config, stored.__getitem__, folder)
    assert led.sha256 == load_dataset("led24", rows=200, seed=5).sha256
    assert (car.target, len(car), car.classes) == ("class", 5, ("bad", "good"))
    assert mine is stored[mine.sha256]


def test_a_file_is_read_the_way_the_experiment_says(folder: Path) -> None:
    reference = {"file": "car.csv", "target": "price", "ignore": ["class"]}
    (dataset,) = resolve_datasets(config_of(reference), nothing_stored, folder)
    assert dataset.target == "price"
    assert [attribute.name for attribute in dataset.attributes] == ["doors"]


def test_kinds_of_attributes_are_told_for_the_catalogue_too() -> None:
    reference = {"key": "iris", "nominal": "all", "ignore": ["petal width (cm)"]}
    config = config_of(reference)
    assert config.to_dict()["datasets"] == [reference]
    (dataset,) = resolve_datasets(config, nothing_stored)
    assert [attribute.kind for attribute in dataset.attributes] == ["nominal"] * 3


def test_numbers_are_grouped_and_marks_replaced_as_the_experiment_says(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b,price\nNA,-9,1\nred,2.5,2\nred,3.5,3\nNA,4.5,4\n")
    reference = {"file": "t.csv", "target": "price", "bins": 2, "missing": ["-9"]}
    config = config_of(reference)
    assert config.to_dict()["datasets"] == [reference]
    (dataset,) = resolve_datasets(config, nothing_stored, tmp_path)
    assert dataset.classes == ("up to 2", "over 2")
    assert (dataset.attributes[0].categories, dataset.table.missing_cells) == (("NA", "red"), 1)


def test_a_sheet_is_named_in_the_experiment(tmp_path: Path) -> None:
    with pd.ExcelWriter(tmp_path / "book.xlsx") as book:
        for name, value in (("one", 1.5), ("two", 2.5)):
            pd.DataFrame({"a": [value, 0.5], "class": ["x", "y"]}).to_excel(book, sheet_name=name, index=False)
    (dataset,) = resolve_datasets(config_of({"file": "book.xlsx", "sheet": "two"}), nothing_stored, tmp_path)
    assert dataset.table.numbers[:, 0].tolist() == [2.5, 0.5]


REFUSED = {
    "no file": ({"file": "bus.csv"}, r"^datasets\[1\]: there is no file '.*bus\.csv'$"),
    "a folder": ({"file": "."}, r"^datasets\[1\]: .*: the file cannot be read \(it is a folder and not a file\)$"),
    "a device": ({"file": "/dev/zero"}, r"^datasets\[1\]: zero: the file cannot be read \(it is a device, a pipe or"),
    "no such class": ({"file": "car.csv", "target": "klass"}, r"^datasets\[1\]: .*klass"),
    "no such attribute": (
        {"key": "wine", "numeric": ["w"]},
        r"^datasets\[1\]: Wine: there is no attribute 'w'; there are",
    ),
    "not stored": ({"sha256": "ab" * 32}, r"^datasets\[1\]: the data set \(content abababababab…\) is not stored"),
    "not stored, but described": (
        {"sha256": "ab" * 32, "name": "Cars", "rows": 1728, "attributes": 6},
        r"^datasets\[1\]: Cars \(1,728 examples, 6 attributes, content abababababab…\) is not stored here; add its file, "
        r"read in the same way, with python -m runner datasets add FILE or on the page Data sets$",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_found_is_named_with_its_field(folder: Path, case: str) -> None:
    reference, sentence = REFUSED[case]
    with pytest.raises(InvalidConfig, match=sentence):
        resolve_datasets(config_of("iris", reference), nothing_stored, folder)


def test_files_are_refused_without_a_folder(folder: Path) -> None:
    reference = {"file": str(folder / "car.csv")}
    with pytest.raises(InvalidConfig, match=r"^datasets\[0\]: the file .* cannot be read from here; upload it"):
        resolve_datasets(config_of(reference), nothing_stored)


def test_a_broken_database_is_not_the_fault_of_the_experiment() -> None:
    def broken(_: str) -> Dataset:
        raise StorageError("the database is gone")

    with pytest.raises(StorageError, match="the database is gone"):
        resolve_datasets(config_of({"sha256": "ab" * 32}), broken)


def given(**test: str) -> dict[str, object]:
    return {"kind": "given_split", **test}


def test_a_test_file_is_read_in_the_codes_of_its_training_file(folder: Path) -> None:
    config = config_of({"file": "car.csv", "target": "class"}, protocol=given(test_file="car_test.csv"))
    (train,) = resolve_datasets(config, nothing_stored, folder)
    test = resolve_test_dataset(config, train, nothing_stored, folder)
    assert test is not None
    assert test.attributes == train.attributes
    assert test.classes == train.classes
    assert [test.classes[label] for label in test.labels] == ["good", "bad"]
    price = train.attributes[1].categories.index("low")
    assert test.table.column(1).tolist() == [price, UNSEEN]
    assert test.table.column(0)[1] == MISSING


def test_the_numbers_of_a_test_file_are_grouped_where_those_of_the_training_file_are_cut(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("a,price\n" + "".join(f"{i % 3},{i / 8}\n" for i in range(30)))
    (tmp_path / "test.csv").write_text("a,price\n1,-5\n2,1.125\n0,1.126\n1,2.375\n2,99\n")
    config = config_of({"file": "train.csv", "target": "price", "bins": 3}, protocol=given(test_file="test.csv"))
    (train,) = resolve_datasets(config, nothing_stored, tmp_path)
    test = resolve_test_dataset(config, train, nothing_stored, tmp_path)
    assert test is not None
    assert test.classes == train.classes == ("up to 1.125", "over 1.125 to 2.375", "over 2.375")
    assert test.labels.tolist() == [0, 0, 1, 1, 2]


def test_other_protocols_have_no_test_set() -> None:
    assert resolve_test_dataset(config_of("iris"), make_dataset(), nothing_stored) is None


@pytest.mark.parametrize(
    ("test", "sentence"),
    [
        ({"test_file": "none.csv"}, r"^protocol\.test_file: there is no file "),
        (
            {"test_sha256": "ab" * 32},
            r"^protocol\.test_sha256: the data set \(content abababababab…\) is not stored here",
        ),
        (
            {"test_sha256": "ab" * 32, "test_name": "Later"},
            r"^protocol\.test_sha256: Later \(content abababababab…\) is not stored here; add its file",
        ),
    ],
)
def test_a_missing_test_set_is_named_with_its_field(folder: Path, test: dict[str, str], sentence: str) -> None:
    with pytest.raises(InvalidConfig, match=sentence):
        resolve_test_dataset(config_of("iris", protocol=given(**test)), make_dataset(), nothing_stored, folder)


def test_files_become_stored_data_sets(folder: Path) -> None:
    config = config_of({"file": "car.csv", "target": "class"}, protocol=given(test_file="car_test.csv"))
    (train,) = resolve_datasets(config, nothing_stored, folder)
    test = resolve_test_dataset(config, train, nothing_stored, folder)
    assert test is not None
    stored = with_stored_datasets(config, [train], test)
    shelf = {dataset.sha256: dataset for dataset in (train, test)}
    assert ExperimentConfig.from_yaml(stored.to_yaml()) == stored
    (again,) = resolve_datasets(stored, shelf.__getitem__)
    test_again = resolve_test_dataset(stored, again, shelf.__getitem__)
    assert test_again is not None
    assert (again.sha256, test_again.sha256) == (train.sha256, test.sha256)
    assert (stored.datasets[0].name, stored.datasets[0].rows, stored.datasets[0].attributes) == ("car", 5, 2)
    assert stored.to_dict()["protocol"]["test_name"] == "car_test"


def test_the_catalogue_stays_as_it_is() -> None:
    config = config_of("iris", {"key": "led24", "rows": 100})
    assert with_stored_datasets(config, [make_dataset(), make_dataset(seed=1)]) == config


def nominal_dataset(
    name: str, categories: tuple[str, ...], classes: tuple[str, ...], *, extra: bool = False
) -> Dataset:
    attributes = [Attribute("colour", "nominal", categories), Attribute("size", "numeric")]
    columns: list[np.ndarray] = [np.array([0, 1, MISSING], dtype=np.int32), np.array([1.0, 2.0, np.nan])]
    if extra:
        attributes, columns = [*reversed(attributes), Attribute("id", "numeric")], [*reversed(columns), np.arange(3.0)]
    return Dataset(name, Table.from_columns(attributes, columns), np.array([0, 1, 1]), classes)


def test_aligning_matches_attributes_values_and_classes_by_name() -> None:
    train = nominal_dataset("Train", ("red", "green"), ("no", "yes"))
    test = align(nominal_dataset("Test", ("blue", "red"), ("yes", "no"), extra=True), train)
    assert test.attributes == train.attributes
    assert test.table.column(0).tolist() == [UNSEEN, 0, MISSING]
    np.testing.assert_array_equal(test.table.column(1), [1.0, 2.0, np.nan])
    assert test.labels.tolist() == [1, 0, 0]


def test_aligning_twice_changes_nothing() -> None:
    train = nominal_dataset("Train", ("red", "green"), ("no", "yes"))
    once = align(nominal_dataset("Test", ("blue", "red"), ("yes", "no"), extra=True), train)
    assert align(once, train).sha256 == once.sha256


def test_a_class_that_training_does_not_know_is_refused() -> None:
    train = nominal_dataset("Train", ("red", "green"), ("no", "yes"))
    with pytest.raises(InvalidData, match=r"^Test: classes must be among those of Train, no, yes, got perhaps$"):
        align(nominal_dataset("Test", ("red", "green"), ("no", "perhaps")), train)


def test_a_class_that_is_only_named_and_never_used_is_no_obstacle() -> None:
    train = nominal_dataset("Train", ("red", "green"), ("no", "yes"))
    align(nominal_dataset("Test", ("red", "green"), ("no", "yes", "perhaps")), train)


def test_a_test_set_that_lacks_an_attribute_is_refused() -> None:
    train = nominal_dataset("Train", ("red", "green"), ("no", "yes"), extra=True)
    with pytest.raises(InvalidData, match=r"^Test: must have the attributes of Train, id is lacking$"):
        align(nominal_dataset("Test", ("red", "green"), ("no", "yes")), train)


def test_an_attribute_of_another_kind_is_refused() -> None:
    table = Table.from_columns([Attribute("colour", "numeric"), Attribute("size", "numeric")], [np.arange(2.0)] * 2)
    test = Dataset("Test", table, np.array([0, 1]), ("no", "yes"))
    train = nominal_dataset("Train", ("red", "green"), ("no", "yes"))
    with pytest.raises(InvalidData, match=r"^Test: colour must be nominal as in Train, is numeric$"):
        align(test, train)


def test_a_test_set_is_held_in_memory():
    config = ExperimentConfig.from_dict(
        {
            "name": "x",
            "datasets": ["iris"],
            "learners": [{"method": "single", "base": "naive_bayes"}],
            "protocol": {"kind": "given_split", "test_sha256": "a" * 64},
        }
    )
    with pytest.raises(InvalidConfig, match=r"protocol.test_sha256: Iris is read in batches, but a test set is held"):
        resolve_test_dataset(config, load_dataset("iris"), lambda _: InBatches(load_dataset("iris")))
