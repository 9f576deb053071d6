"""What is launched through the JSON interface on data that are read in batches."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from ensembles.client import Lab
from ensembles.experiments.records import TrialPlan, TrialResult
from storage import Storage
from tests.server.api import client_of, headers_of, token_of
from tests.storage.conftest import make_config, make_dataset, make_file
from tests.storage.people import sign_in

PLAN = TrialPlan("a" * 32, 0, 0, 0, 0, 0)
LONG = {"key": "moa_sea", "settings": {"rows": 20_000_000}}


def launched(client: TestClient, dataset: Any, **protocol: Any) -> tuple[int, str]:
    """Return the status and the sentence of a launch, "" where it was taken."""
    learners = [{"method": "single", "base": "naive_bayes"}]
    document = {"name": "Long", "datasets": [dataset], "learners": learners, "protocol": protocol}
    answer = client.post("/experiments", json=document)
    return answer.status_code, answer.json().get("error", "")


@pytest.mark.parametrize("is_file", [True, False])
def test_what_cannot_run_in_batches_is_refused_at_once(storage: Storage, *, is_file: bool) -> None:
    client, dataset = client_of(storage, people_sign_in=False), LONG
    if is_file:
        dataset = {"sha256": storage.register_file(make_file()).sha256}
    shuffled = launched(client, dataset, kind="prequential", orders=1)
    assert shuffled[0] == 422
    assert shuffled[1].startswith("protocol.shuffle: must be false")
    assert "read in batches, on which only prequential runs" in launched(client, dataset, kind="holdout")[1]
    assert client.get("/experiments").json()["total"] == 0
    assert launched(client, dataset, kind="prequential", shuffle=False) == (201, "")


def test_a_test_set_that_is_read_in_batches_is_refused_at_once(storage: Storage) -> None:
    client, test = client_of(storage, people_sign_in=False), storage.register_file(make_file()).sha256
    status, sentence = launched(client, "iris", kind="given_split", test_sha256=test)
    assert status == 422
    assert sentence == "protocol.test_sha256: Fruit is read in batches, but a test set is held in memory"
    assert client.get("/experiments").json()["total"] == 0


def test_a_token_that_is_good_for_launching_alone_launches_on_stored_data(storage: Storage) -> None:
    mia = sign_in(storage, "Mia")
    sha256, client = mia.save_dataset(make_dataset()).sha256, client_of(storage)
    client.headers.update(headers_of(token_of(mia, "launch")))
    assert launched(client, {"sha256": sha256}, kind="holdout") == (201, "")


@pytest.mark.parametrize(("given", "snapshot"), [({}, None), ({"from_snapshots": True}, b"far on")])
def test_a_stream_that_failed_goes_on_from_its_snapshot_where_that_is_wished(
    storage: Storage, lab: Lab, given: dict[str, bool], snapshot: bytes | None
) -> None:
    learners = [{"method": "single", "base": "naive_bayes"}]
    experiment = lab.launch(make_config(protocol={"kind": "prequential"}, learners=learners, measures=["accuracy"]))
    storage.take_experiment(experiment.id, "me", 60.0)
    storage.save_snapshot(experiment.id, PLAN, b"far on", 10**9)
    storage.save_trials(experiment.id, [(PLAN, TrialResult(PLAN.key, error="it took longer than a trial may"))])
    storage.finish(experiment.id, "finished", runner="me")
    assert experiment.reopen(retry=True, **given).facts["done"] == 0
    assert storage.load_snapshot(experiment.id, PLAN.key) == snapshot
