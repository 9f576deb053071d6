"""What the JSON interface answers: experiments, results, data sets, mistakes."""

import errno
import io
import re
from collections.abc import Iterator
from typing import Any
from unittest.mock import Mock

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from starlette.testclient import TestClient

from ensembles.data.preview import preview_file
from ensembles.data.spreadsheets import to_csv
from ensembles.errors import StorageError
from ensembles.reports.tables import trial_table
from runner.commands.summary import summarise
from server.api import bodies, datasets, results
from server.api.turns import Turns
from storage import Storage
from tests.server.api import client_of
from tests.storage.conftest import make_config, make_dataset
from tests.storage.test_trials import failure_of, plan_of, result_of

KEY = {"Idempotency-Key": "0123456789abcdef"}


@pytest.fixture
def client(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """Asks from this machine, where nobody signs in; files are read in this process."""
    monkeypatch.setattr(datasets, "preview_apart", preview_file)
    return client_of(storage, people_sign_in=False)


def test_a_question_for_the_head_of_an_answer_gets_what_a_get_would_without_its_body(
    storage: Storage, client: TestClient
) -> None:
    made = storage.create_experiment(make_config())
    for path, status in (("/", 200), ("/experiments", 200), (f"/experiments/{made.id}", 200), ("/experiments/x", 404)):
        answer, whole = client.head(path), client.get(path)
        assert (answer.status_code, answer.content) == (status, b"")
        assert answer.headers["content-length"] == str(len(whole.content))
    assert client.head(f"/experiments/{made.id}/cancel").status_code == 405


def fill(storage: Storage, experiment: str) -> None:
    """Store the trials of `make_config`; the last one failed."""
    places = [(repeat, fold, learner) for repeat in (0, 1) for fold in (0, 1) for learner in (0, 1)]
    plans = [plan_of(n, repeat=r, fold=f, learner=m) for n, (r, f, m) in enumerate(places)]
    trials = [(plan, result_of(plan, 1 / (3 + n))) for n, plan in enumerate(plans[:-1])]
    storage.save_trials(experiment, [*trials, (plans[-1], failure_of(plans[-1]))])


def refused(answer: Any, status: int) -> str:
    """Return the sentence of an answer that must be a refusal."""
    assert answer.status_code == status, answer.text
    assert list(answer.json()) == ["error"]
    sentence: str = answer.json()["error"]
    assert "Traceback" not in sentence
    return sentence


def test_an_experiment_is_launched_from_yaml_and_from_json(storage: Storage, client: TestClient) -> None:
    config = make_config(name="Größe\t😀")
    told = []
    for content, kind in ((config.to_yaml(), "application/yaml"), (None, "application/json; charset=utf-8")):
        sent = {"content": content} if content else {"json": config.to_dict()}
        answer = client.post("/experiments?tag=nightly", headers={"Content-Type": kind}, **sent)
        assert answer.status_code == 201
        told.append(answer.json())
        assert answer.headers["location"] == f"/api/v1/experiments/{told[-1]['id']}"
        assert client.get(f"http://localhost{answer.headers['location']}").json() == told[-1]
    assert [one["document"] for one in told] == [config.to_dict()] * 2
    assert {(one["state"], one["trials"], *one["tags"]) for one in told} == {("waiting", 8, "nightly")}
    assert storage.get_experiment(told[0]["id"]).config == config


def test_a_launch_that_is_sent_again_launches_once(storage: Storage, client: TestClient) -> None:
    sent = {"json": make_config().to_dict(), "headers": KEY}
    first, second = client.post("/experiments", **sent).json(), client.post("/experiments", **sent).json()
    assert first == second
    assert storage.count_experiments() == 1
    other = {"json": make_config(seed=2).to_dict(), "headers": KEY}
    assert "each key stands for one experiment" in refused(client.post("/experiments", **other), 409)
    assert client.post("/experiments", json=sent["json"]).json()["id"] != first["id"]
    assert "Idempotency-Key" in refused(client.post("/experiments", headers={"Idempotency-Key": "1"}), 422)


@pytest.mark.parametrize(
    ("content", "kind", "status", "sentence"),
    [
        (b"{", "application/json", 400, "the body must be JSON"),
        (b"[" * 100_000, "application/json", 400, "the body must be JSON"),
        (b"\xff\xfe", "application/yaml", 400, "the body must be text in UTF-8, byte 0 is not"),
        (b"a: b: c", "application/yaml", 422, "line 1: not readable as YAML"),
        (b"a: &a [*a]", "", 422, "aliases"),
        (b'{"name": "x", "datasets": ["nope"]}', "application/json", 422, "no data set of the catalogue is called"),
        (b"", "application/yaml", 422, "experiment: must have the fields"),
        (b"x" * (2**20 + 1), "application/yaml", 413, "at most 1,048,576 bytes"),
    ],
    ids=["no JSON", "deep", "no text", "no YAML", "alias", "unknown", "empty", "large"],
)
def test_documents_that_cannot_be_used_are_refused(
    client: TestClient, content: bytes, kind: str, status: int, sentence: str
) -> None:
    def in_pieces() -> Iterator[bytes]:  # without a length that could be looked at
        yield from (content[start : start + 2**16] for start in range(0, len(content), 2**16))

    for body in (content, in_pieces()):
        assert sentence in refused(client.post("/experiments", content=body, headers={"Content-Type": kind}), status)


def test_files_of_the_server_and_data_that_are_not_there_are_refused(storage: Storage, client: TestClient) -> None:
    for document in (
        make_config({"file": "/etc/passwd"}),
        make_config(protocol={"kind": "given_split", "test_file": "/etc/passwd"}),
    ):
        sentence = refused(client.post("/experiments", json=document.to_dict()), 422)
        assert "must be stored here, upload it and give its sha256, got the file '/etc/passwd'" in sentence
    missing = make_config({"sha256": "0" * 64}).to_dict()
    assert "0000" in refused(client.post("/experiments", json=missing), 422)
    assert storage.count_experiments() == 0


def test_experiments_are_searched_and_paged(storage: Storage, client: TestClient) -> None:
    ids = [storage.create_experiment(make_config(name=f"Number {n}"), tags=["odd"] * (n % 2)).id for n in range(5)]
    storage.request_cancel(ids[0])
    page = client.get("/experiments?limit=2&offset=1").json()
    assert [item["id"] for item in page["items"]] == [ids[3], ids[2]]
    assert (page["total"], page["limit"], page["offset"]) == (5, 2, 1)
    for query, expected in {
        "q=NUMBER 3": [ids[3]],
        "tag=odd": [ids[3], ids[1]],
        "state=cancelled": [ids[0]],
        "state=cancelled&state=waiting&sort=oldest&limit=1": [ids[0]],
        "archived=true": [],
    }.items():
        assert [item["id"] for item in client.get(f"/experiments?{query}").json()["items"]] == expected, query
    for query in (
        "limit=0",
        "limit=201",
        "offset=-1",
        "offset=99999999999999999999",
        "state=x",
        "sort=x",
        f"q={'x' * 201}",
    ):
        assert query.partition("=")[0] in refused(client.get(f"/experiments?{query}"), 422)


def test_an_experiment_is_paused_resumed_cancelled_deleted_and_restored(storage: Storage, client: TestClient) -> None:
    experiment = storage.create_experiment(make_config()).id
    assert [client.post(f"/experiments/{experiment}/{act}").json()["paused"] for act in ("pause", "resume")] == [
        True,
        False,
    ]
    assert client.post(f"/experiments/{experiment}/cancel").json()["state"] == "cancelled"
    assert client.delete(f"/experiments/{experiment}").status_code == 204
    assert "there is no experiment" in refused(client.get(f"/experiments/{experiment}"), 404)
    assert client.post(f"/experiments/{experiment}/restore").json()["state"] == "cancelled"
    assert client.get(f"/experiments/{experiment}").status_code == 200
    refused(client.post(f"/experiments/{experiment}/restore"), 404)


def test_results_are_those_of_the_command_line_and_of_the_pages(storage: Storage, client: TestClient) -> None:
    experiment = storage.create_experiment(make_config(), runner="me", n_trials=8).id
    fill(storage, experiment)
    record, results = storage.get_experiment(experiment), storage.load_results(experiment)
    assert client.get(f"/experiments/{experiment}/results").json() == summarise(record, results, 0.0)
    table = trial_table(results)
    assert client.get(f"/experiments/{experiment}/export").text == to_csv(table)
    parquet = client.get(f"/experiments/{experiment}/export?format=parquet")
    assert_frame_equal(pd.read_parquet(io.BytesIO(parquet.content)), table, check_dtype=False)
    assert parquet.headers["content-disposition"] == "attachment; filename*=UTF-8''Trial%20run.parquet"
    assert client.get(f"/experiments/{experiment}/export?format=yaml").text == record.config.to_yaml()
    first = client.get(f"/experiments/{experiment}/trials?limit=3").json()
    rest = client.get(f"/experiments/{experiment}/trials?offset=3").json()
    assert first["total"] == rest["total"] == 8
    trials = [*first["items"], *rest["items"]]
    stored = storage.list_trials(experiment)
    assert [one["measures"] for one in trials] == [result.measures for _, result in stored]
    assert [one["learner_label"] for one in trials] == [record.config.labels()[plan.learner] for plan, _ in stored]


def test_a_data_set_is_uploaded_as_the_page_does_it(storage: Storage, client: TestClient) -> None:
    content = b"id;kind;weight\n1;apple;1,5\n2;pear;-9\n3;apple;2,5\n"
    query = "filename=C:\\fruit.csv&target=kind&ignore=id&missing=-9&name=Fruit&visibility=private"
    told = client.post(f"/datasets?{query}", content=content).json()
    assert {name: told[name] for name in ("name", "rows", "numeric", "nominal", "missing_cells", "visibility")} == {
        "name": "Fruit",
        "rows": 3,
        "numeric": 1,
        "nominal": 0,
        "missing_cells": 1,
        "visibility": "private",
    }
    assert client.post(f"/datasets?{query}", content=content).json() == told
    assert client.get(f"/datasets/{told['sha256']}").json() | {"notices": []} == told
    assert [one | {"notices": []} for one in client.get("/datasets?q=FRU").json()["items"]] == [told]
    frame = storage.get_dataset(told["sha256"]).to_frame()
    assert client.get(f"/datasets/{told['sha256']}/content").text == to_csv(frame)
    parquet = client.get(f"/datasets/{told['sha256']}/content?format=parquet")
    assert_frame_equal(pd.read_parquet(io.BytesIO(parquet.content)), frame, check_dtype=False)
    assert client.delete(f"/datasets/{told['sha256']}").status_code == 204
    refused(client.get(f"/datasets/{told['sha256']}/content"), 404)
    assert client.post(f"/datasets/{told['sha256']}/restore").json() | {"notices": []} == told


def test_files_that_cannot_be_used_are_refused(
    storage: Storage, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "a.csv" in refused(client.post("/datasets?filename=a.csv", content=b""), 422)
    assert "name it (target)" in refused(client.post("/datasets?filename=a.csv", content=b"a,b\n1.5,2.5\n3.5,4.5"), 422)
    assert refused(client.post("/datasets", content=b"a,b\n1,2"), 422) == "filename: is missing"
    monkeypatch.setattr("server.api.bodies.most_upload_bytes", lambda: 100)
    assert "at most 100 bytes" in refused(client.post("/datasets?filename=a.csv", content=b"x" * 101), 413)
    assert storage.list_datasets() == []


def test_a_full_disk_is_said_and_no_other_error_of_the_system(
    storage: Storage, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, status in ((errno.ENOSPC, 507), (errno.EIO, 500)):
        monkeypatch.setattr(bodies, "TemporaryDirectory", Mock(side_effect=OSError(number, "secret", "/secret")))
        client = client_of(storage, people_sign_in=False, raise_server_exceptions=False)
        said = refused(client.post("/datasets?filename=a.csv", content=b"a,class\n1,x\n2,y\n"), status)
        assert said.startswith("the disk of the server is full") == (status == 507)
        assert "secret" not in said
    assert storage.list_datasets() == []


def test_heavy_work_takes_turns(storage: Storage, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets, "READING", Turns(1, "file can be read"))
    monkeypatch.setattr(results, "WRITING", Turns(1, "file can be put together"))
    experiment = storage.create_experiment(make_config()).id
    with datasets.READING.turn(), results.WRITING.turn():
        busy = client.post("/datasets?filename=a.csv", content=b"a,class\n1,x\n2,y\n")
        assert refused(busy, 429) == "at most 1 file can be read at once, there are as many"
        assert busy.headers["retry-after"] == "5"
        refused(client.get(f"/experiments/{experiment}/results"), 429)
        refused(client.get(f"/experiments/{experiment}/export"), 429)
    assert client.get(f"/experiments/{experiment}/results").status_code == 200
    assert client.get(f"/experiments/{experiment}/export").status_code == 200
    assert client.post("/datasets?filename=a.csv", content=b"a,class\n1,x\n2,y\n").status_code == 201


def test_data_sets_in_use_stay(storage: Storage, client: TestClient) -> None:
    sha256 = storage.save_dataset(make_dataset()).sha256
    storage.create_experiment(make_config({"sha256": sha256}))
    assert "cannot be deleted, 1 experiment uses it" in refused(client.delete(f"/datasets/{sha256}"), 409)


def test_what_there_is_to_compare_is_listed(client: TestClient) -> None:
    assert {"naive_bayes", "online_boosting"} <= {entry["key"] for entry in client.get("/learners").json()}
    assert "iris" in {entry["key"] for entry in client.get("/catalogue").json()}


def test_health_needs_no_token_and_tells_of_a_database_that_is_away(storage: Storage) -> None:
    assert client_of(storage).get("/health").json() == {"status": "ok", "problems": []}

    def refuse() -> Storage:
        raise StorageError("the database cannot be reached", detail="postgresql://secret")

    away = client_of(refuse, people_sign_in=False)
    assert refused(away.get("/experiments"), 503) == "the database cannot be reached"
    answer = away.get("/health")
    assert (answer.status_code, answer.json()["problems"]) == (503, ["the database cannot be reached"])


def test_what_is_not_there_is_said_in_the_same_shape(client: TestClient) -> None:
    assert "openapi.json" in refused(client.get("/nothing"), 404)
    assert refused(client.put("/experiments"), 405) == "PUT is not answered at /api/v1/experiments"
    assert "id" in refused(client.get("/experiments/%00"), 422)


def test_a_mistake_of_ours_tells_nothing_of_the_inside(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(Storage, "find_experiments", fail)
    answer = client_of(storage, people_sign_in=False, raise_server_exceptions=False).get("/experiments")
    assert refused(answer, 500) == "this is a mistake of the program; its log says more"


def test_answers_are_not_kept_by_anybody(client: TestClient) -> None:
    for path in ("/experiments", "/whoami", "/nothing", "/health"):
        assert client.get(path).headers["cache-control"] == "no-store"


def test_the_description_for_people_needs_no_other_server_and_no_script(client: TestClient) -> None:
    answer = client.get("http://localhost/api")
    assert str(answer.url) == "http://localhost/api/v1/"
    assert not re.search(r"<script|https?://|\bsrc=", answer.text)
    described = client.get("/openapi.json").json()
    assert described["servers"] == [{"url": "/api/v1"}]
    for path, methods in described["paths"].items():
        for method in methods:
            assert f"<code>{method.upper()} /api/v1{path}</code>" in answer.text
