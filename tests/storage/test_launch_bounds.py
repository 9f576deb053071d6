"""Experiments that are too large, or name too much, are refused in a sentence before anything is stored or planned."""

import json

import pytest
from sqlalchemy import text

from ensembles.errors import InvalidConfig
from storage import Storage
from tests.server.api import client_of
from tests.storage.conftest import make_config, make_dataset

MOST = r"experiment: at most 1,000,000 trials are allowed, these would be "
HUGE = {"kind": "cross_validation", "repeats": 100_000, "folds": 1_000_000, "orders": 1000}


@pytest.mark.parametrize(
    ("datasets", "learners", "protocol", "n"),
    [
        (1, 1, {"kind": "cross_validation", "repeats": 1000, "folds": 1001, "orders": 1}, "1,001,000"),
        (1, 3, {**HUGE, "repeats": 1000}, "3,000,000,000,000"),
        (100, 1000, HUGE, "10,000,000,000,000,000,000"),
    ],
)
def test_too_many_trials_are_refused_whichever_way_they_come(
    storage: Storage, datasets: int, learners: int, protocol: dict[str, object], n: str
) -> None:
    method = {"method": "online_bagging", "base": "naive_bayes"}
    config = make_config(
        *({"key": "waveform40", "rows": 1000 + number} for number in range(datasets)),
        learners=[{**method, "n_estimators": 1 + number} for number in range(learners)],
        protocol=protocol,
    )
    with pytest.raises(InvalidConfig, match=MOST):
        storage.create_experiment(config)
    client = client_of(storage, people_sign_in=False, raise_server_exceptions=False)
    answer = client.post("/experiments", json=config.to_dict())
    assert (answer.status_code, answer.json()) == (422, {"error": f"{MOST}{n}"})
    assert storage.count_experiments() == 0


def test_as_many_trials_as_may_be_are_taken(storage: Storage) -> None:
    protocol = {"kind": "cross_validation", "repeats": 1000, "folds": 500, "orders": 1}
    assert storage.create_experiment(make_config(protocol=protocol), n_trials=1_000_000).total == 1_000_000


def test_a_long_name_of_a_data_set_is_refused_and_an_old_one_opens(storage: Storage) -> None:
    dataset, long = storage.save_dataset(make_dataset()), "x" * 9000
    client = client_of(storage, people_sign_in=False, raise_server_exceptions=False)
    document = make_config({"sha256": dataset.sha256, "name": "Fruit"}).to_dict()
    known = client.post("/experiments", json=document).json()["id"]
    document["datasets"][0]["name"] = long
    answer = client.post("/experiments", json=document)
    said = "datasets[0].name: must have 1 to 200 characters, got 9000"
    assert (answer.status_code, answer.json()) == (422, {"error": said})
    with storage._database.connection() as connection:
        change = text("UPDATE experiments SET config = :config")
        connection.execute(change, {"config": json.dumps(document)})
    [record] = storage.list_experiments()
    assert (record.id, record.config.datasets[0].name) == (known, long)
    assert client.get(f"/experiments/{known}").json()["document"]["datasets"][0]["name"] == long
    assert storage.load_results(known).dataset_names == (long,)
