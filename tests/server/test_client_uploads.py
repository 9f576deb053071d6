"""Files that a document names: the client sends them ahead of it, for the same eyes, and only with a document that holds."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from ensembles.client import Lab
from ensembles.data import load_dataset
from ensembles.errors import InvalidConfig, InvalidData, InvalidInput, LeftOut
from ensembles.experiments.resolve import resolve_datasets, resolve_test_dataset
from storage import Storage
from tests.storage.conftest import make_dataset
from tests.storage.people import sign_in

FRUIT = "id,kind,weight,code\n" + "1,apple,1.5,1\n2,pear,2.5,2\n" * 5
LEARNERS = [{"method": "single", "base": "naive_bayes"}]


@pytest.fixture(autouse=True)
def _fruit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fruit.csv").write_text(FRUIT)
    monkeypatch.chdir(tmp_path)


def document(**fields: Any) -> dict[str, Any]:
    """Return an experiment on a file."""
    return {"name": "Fruit", "datasets": [{"file": "fruit.csv", "target": "kind"}], "learners": LEARNERS, **fields}


def test_files_of_an_experiment_go_along(storage: Storage, lab: Lab, tmp_path: Path) -> None:
    file = tmp_path / "experiment.yaml"
    file.write_text(
        "name: Fruit\ndatasets: [{file: fruit.csv, target: kind, ignore: [id]}]\n"
        "learners: [{method: single, base: naive_bayes}]\n"
    )
    (reference,) = lab.launch(file).facts["document"]["datasets"]
    (record,) = storage.list_datasets()
    assert reference == {"sha256": record.sha256, "name": "fruit", "rows": 10, "attributes": 2}
    assert record.user_name == "Olga"


@pytest.mark.parametrize("fields", [{}, {"protocol": {"kind": "given_split", "test_file": "fruit.csv"}}])
def test_they_are_for_those_who_see_the_experiment(storage: Storage, lab: Lab, fields: dict[str, Any]) -> None:
    max_ = sign_in(storage, "Max")
    assert lab.launch(document(**fields), visibility="private").facts["visibility"] == "private"
    assert {record.visibility for record in storage.list_datasets()} == {"private"}
    assert max_.list_datasets() == max_.list_experiments() == []


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"learners": [{"method": "no_such", "base": "naive_bayes"}]}, "no_such"),
        ({"measures": ["beauty"]}, "beauty"),
        ({"datasets": [{"file": "fruit.csv", "goal": "kind"}]}, "goal"),
        ({"datasets": [{"file": "fruit.csv"}, {"file": "no.csv"}]}, r"no\.csv: cannot be read"),
        ({"protocol": {"kind": "given_split", "test_file": "no.csv"}}, r"no\.csv: cannot be read"),
        ({"datasets": [{"file": "fruit.csv", "target": "kind"}, {"file": "fruit.csv", "stream": True}]}, "in batches"),
    ],
)
def test_of_what_is_refused_nothing_stays(storage: Storage, lab: Lab, fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        lab.launch(document(**fields))
    assert storage.list_datasets() == []


def test_a_given_test_file_goes_along_and_is_read_as_its_training_set(
    storage: Storage, lab: Lab, tmp_path: Path
) -> None:
    (tmp_path / "test.csv").write_text("code,kind,weight,id\n" + "2,pear,2,7\n3,apple,heavy,8\n")
    protocol = {"kind": "given_split", "test_file": "test.csv", "orders": 2}
    data = {"file": "fruit.csv", "target": "kind", "nominal": ["code", "weight"], "ignore": ["id"]}
    experiment = lab.launch(document(datasets=[data], protocol=protocol))
    config = storage.get_experiment(experiment.id).config
    (train,) = resolve_datasets(config, storage.open_dataset)
    test = resolve_test_dataset(config, train, storage.open_dataset)
    assert test is not None
    assert (test.name, len(test), experiment.facts["document"]["protocol"]["orders"]) == ("test", 2, 2)
    assert [attribute.kind for attribute in test.attributes] == ["nominal", "nominal"]
    stored = {"sha256": train.sha256}
    again = lab.launch(document(datasets=[stored], protocol={"kind": "given_split", "test_file": "test.csv"}))
    tests = [one.facts["document"]["protocol"]["test_sha256"] for one in (experiment, again)]
    assert len(storage.list_datasets()) == 1 + len(set(tests))


def test_a_given_test_file_may_go_with_the_catalogue(storage: Storage, lab: Lab, tmp_path: Path) -> None:
    make_dataset().to_frame().to_csv(tmp_path / "fruit.csv", index=False)
    load_dataset("iris").to_frame().to_csv(tmp_path / "test.csv", index=False)
    wrong, right = ({"kind": "given_split", "test_file": name} for name in ("fruit.csv", "test.csv"))
    with pytest.raises(InvalidInput, match=r"fruit\.csv: there is no column 'sepal length"):
        lab.launch(document(datasets=["iris"], protocol=wrong))
    with pytest.raises(InvalidConfig, match=r"protocol\.test_file: its numbers cannot be grouped"):
        lab.launch(document(datasets=[{"file": "fruit.csv", "target": "weight", "bins": 2}], protocol=wrong))
    assert storage.list_datasets() == []
    config = storage.get_experiment(lab.launch(document(datasets=["iris"], protocol=right)).id).config
    test = resolve_test_dataset(config, load_dataset("iris"), storage.open_dataset)
    assert test is not None
    assert len(test) == 150


def test_a_document_made_in_python_may_hold_its_paths_and_numbers(storage: Storage, lab: Lab, tmp_path: Path) -> None:
    files = [{"file": tmp_path / "fruit.csv", "target": "kind", "ignore": ("id",)}]
    members = [{"method": "bagging", "base": "naive_bayes", "n_estimators": n} for n in np.array([3, 4])]
    launched = lab.launch(document(datasets=files, learners=members, seed=np.int64(5)))
    config = storage.get_experiment(launched.id).config
    assert (config.seed, [one.settings["n_estimators"] for one in config.learners]) == (5, [3, 4])
    with pytest.raises(InvalidConfig, match="the experiment must be a path, fields with values or an ExperimentConfig"):
        lab.launch(None)  # type: ignore[arg-type]


def test_a_document_may_be_a_text(lab: Lab) -> None:
    data = "datasets: [{file: fruit.csv, target: kind, ignore: [id]}]"
    assert lab.launch(f"name: Fruit\n{data}\nlearners: [{{method: single, base: naive_bayes}}]").name == "Fruit"
    with pytest.raises(InvalidConfig, match=r"^line 2: not readable as YAML"):
        lab.launch("name: Fruit\n: [")


def test_a_table_in_memory_is_whoever_made_it(lab: Lab) -> None:
    columns = {"weight": [1.5, 2.5] * 5, "kind": ["apple", "pear"] * 5}
    mine = lab.upload(pd.DataFrame(columns), target="kind")
    assert lab.upload(pa.table(columns), target="kind").sha256 == mine.sha256
    with pytest.raises(InvalidData, match=r"^source must be a path, bytes or a table with names, got ndarray$"):
        lab.upload(np.eye(3), target="kind")
    with pytest.raises(InvalidData, match=r"^source must be a path, bytes or a table with names, got NoneType$"):
        lab.upload(None)


def test_columns_that_are_left_out_unasked_are_told(lab: Lab) -> None:
    days = pd.date_range("2024-01-01", periods=10)
    table = pd.DataFrame({"day": days, "weight": [1.5, 2.5] * 5, "kind": ["apple", "pear"] * 5})
    with pytest.warns(LeftOut, match=r"^Fruit: Left out: “day” \(A date or a time, .*\)\.$"):
        stored = lab.upload(table, target="kind", name="Fruit")
    assert stored.facts["numeric"] == len(stored.facts["notices"]) == 1
    assert lab.upload(table, target="kind", ignore=["day"]).facts["notices"] == []
