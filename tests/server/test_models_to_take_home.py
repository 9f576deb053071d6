"""Models to take home by the JSON interface and its client."""

import io
import zipfile
from threading import Thread

import pytest
from starlette.testclient import TestClient

from ensembles.client import Lab
from ensembles.data import load_dataset
from ensembles.errors import InvalidInput, NotFound
from ensembles.experiments.records import TrialPlan
from ensembles.experiments.run_trial import run_trial
from runner.models import model_context
from storage import Storage
from tests.experiments.test_stream_sources import Watch
from tests.server.api import client_of, headers_of, token_of
from tests.storage.conftest import make_config
from tests.storage.people import sign_in

LABEL = make_config().labels()[0]
BAYES = {"learner": LABEL}


def serve(storage: Storage, fail: str | None = None) -> None:
    """Train, or fail, the one model that waits, as a runner does."""
    task = None
    while task is None:
        task = storage.claim_model("me", 60.0)
    if fail is not None:
        storage.fail_model(task, "me", fail)
        return
    context, plan = model_context(storage, task.experiment.config, task.dataset, task.learner)
    result = context.run(plan, lambda: False)
    assert result.model is not None
    storage.save_model(task, "me", result.model.content, result.model.facts)


@pytest.fixture
def experiment(lab: Lab) -> str:
    return lab.launch(make_config()).id


def test_a_client_takes_a_model_home(storage: Storage, lab: Lab, experiment: str) -> None:
    runner = Thread(target=serve, args=(storage,))
    runner.start()
    model = lab.experiment(experiment).model(LABEL, "Iris", timeout=600)
    runner.join()
    iris = load_dataset("iris")
    assert (model.predict(iris.X) == iris.y).mean() > 0.9
    assert model.facts["learner"] == make_config().learners[0].model_dump()
    with zipfile.ZipFile(io.BytesIO(lab.experiment(experiment).model_file(**BAYES))) as package:
        assert "card.md" in package.namelist()


def test_what_could_not_be_trained_is_said(storage: Storage, lab: Lab, experiment: str) -> None:
    remote = lab.experiment(experiment)
    with pytest.raises(InvalidInput, match=rf"learner must be one of '{LABEL}', .* got none"):
        remote.model()
    with pytest.raises(TimeoutError, match=f"the model of {LABEL} on Iris is waiting, not there"):
        remote.model(**BAYES, timeout=0.0)
    serve(storage, fail="it gave up")
    runner = Thread(target=serve, args=(storage, "it gave up again"))
    runner.start()
    with pytest.raises(InvalidInput, match=f"{LABEL} on Iris could not be trained: it gave up again"):
        remote.model(**BAYES, timeout=600)
    runner.join()


def test_routes_tell_how_models_stand(storage: Storage, experiment: str) -> None:
    client: TestClient = client_of(storage)
    asked = headers_of(token_of(sign_in(storage, "Olga"), "read"))
    path = f"/experiments/{experiment}/models"
    assert client.get(path, headers=asked).json() == []
    made = client.post(path, headers=asked, params=BAYES)
    assert (made.status_code, made.json()["state"], made.json()["dataset_label"]) == (202, "waiting", "Iris")
    assert client.get(f"{path}/file", headers=asked, params=BAYES).status_code == 404
    serve(storage)
    [told] = client.get(path, headers=asked).json()
    assert (told["state"], told["learner_label"], told["size"] > 1000) == ("ready", BAYES["learner"], True)
    answer = client.get(f"{path}/file", headers=asked, params=BAYES)
    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["content-disposition"].endswith("Single-model-naive-Bayes-on-Iris.model.zip")
    assert client.get(f"{path}/file", headers=asked, params={"learner": "x"}).status_code == 422


def test_what_a_stream_has_left_is_had_by_name(storage: Storage, lab: Lab) -> None:
    learners = [{"method": "single", "base": "naive_bayes"}]
    stream = make_config(learners=learners, protocol={"kind": "prequential", "shuffle": False})
    record = lab.launch(stream)
    with pytest.raises(NotFound, match="its trial has left no model, and there is no snapshot of it"):
        record.model(**BAYES, of_trial=True)
    iris, plan = load_dataset("iris"), TrialPlan("a" * 32, 0, 0, 0, 0, 0)
    ended = run_trial(plan, iris, stream, watch=Watch(most_bytes=1e9))
    storage.save_trials(record.id, [(plan, ended)])
    model = record.model(**BAYES, of_trial=True)
    assert (model.predict(iris.X) == iris.y).mean() > 0.9
    assert model.facts["stream"] == {"of": 150, "head": 0, "delay": 0, "share": 1.0}
    [told] = lab._connection.read(f"/experiments/{record.id}/models")
    assert (told["of_trial"], told["state"]) == (True, "ready")
    with pytest.raises(TimeoutError, match="is waiting, not there"):
        record.model(**BAYES, timeout=0.0)
