"""Models to take home: trained by the workers of a runner, beside its experiments."""

import io
import zipfile
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from ensembles.data import load_dataset
from ensembles.data.source import Batch
from ensembles.data.table import Schema
from ensembles.errors import InvalidData, InvalidInput, NotFound, StorageError
from ensembles.experiments.model import model_from_bytes
from ensembles.experiments.records import TrialPlan
from ensembles.registry import make_learner
from runner import models, worker
from runner.cluster.cluster import Cluster
from runner.command_line import main
from runner.dispatch.dispatcher import Dispatcher
from runner.model_export import export_model, find_place
from runner.models import ModelDesk, model_context
from runner.worker_process.model_training import ModelContext
from storage import ExperimentRecord, ModelRecord, Storage
from tests.runner.conftest import wait_until
from tests.runner.fakes import FakeContext, make_config, make_plans

pytestmark = pytest.mark.xdist_group("cluster")


def launch(storage: Storage) -> ExperimentRecord:
    record = storage.create_experiment(make_config(learners=3), runner="me")
    storage.take_experiment(record.id, "me", 60.0)
    storage.finish(record.id, "finished", runner="me")
    return storage.get_experiment(record.id)


def state_of(storage: Storage, record: ExperimentRecord) -> ModelRecord:
    [model] = storage.list_models(record.id)
    return model


def serve(storage: Storage, cluster: Cluster, is_over: Callable[[], bool]) -> None:
    """Let a runner work until something is so."""
    shutdown = Event()
    runner = Thread(target=worker.keep_working, args=(shutdown, storage, lambda: nullcontext(cluster)))
    runner.start()
    try:
        wait_until(is_over, "the runner has come so far", 300)
    finally:
        shutdown.set()
        runner.join()


def test_a_runner_trains_what_somebody_wished_for(storage: Storage, cluster: Cluster) -> None:
    record = launch(storage)
    storage.request_model(record.id, 0, 0)
    serve(storage, cluster, lambda: not state_of(storage, record).is_coming)
    found, content = storage.load_model(record.id, 0, 0)
    model, iris = model_from_bytes(content), load_dataset("iris")
    assert found.facts == model.facts
    by_hand = record.config.learners[0].make(model.facts["random_state"])
    assert (model.predict_proba(iris.X) == by_hand.fit(iris.X, iris.y).predict_proba(iris.X)).all()


def test_a_model_that_is_too_large_gets_a_sentence(
    storage: Storage, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENSEMBLE_LAB_MODEL_MEMORY", "0.001")
    record = launch(storage)
    storage.request_model(record.id, 0, 0)
    serve(storage, cluster, lambda: not state_of(storage, record).is_coming)
    failed = state_of(storage, record)
    assert failed.state == "failed"
    assert (failed.message or "").endswith(
        "(ENSEMBLE_LAB_MODEL_MEMORY). Fewer members or smaller trees make it smaller"
    )


def test_a_model_that_kills_its_workers_gets_a_sentence_and_one_that_is_cut_off_waits(
    storage: Storage, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, notes: str
) -> None:
    record, over = launch(storage), Event()
    context = FakeContext(make_config(), (), folder=notes, bad=0, badness="dies")
    monkeypatch.setattr(models, "model_context", lambda *_: (context, make_plans(1)[0]))
    with Dispatcher(cluster) as dispatcher:
        desk = ModelDesk(storage, dispatcher, "me", over.is_set)
        desk.look()
        assert not desk.is_busy
        storage.request_model(record.id, 0, 0)
        desk.look()
        assert desk.is_busy
        desk.close()
        assert "process" in (state_of(storage, record).message or "")
        monkeypatch.setattr(
            models, "model_context", lambda *_: (replace(context, bad=-1, seconds=60.0), make_plans(1)[0])
        )
        storage.request_model(record.id, 0, 0)
        desk.look()
        wait_until(lambda: state_of(storage, record).state == "running", "it is being trained")
        over.set()
        desk.close()
    assert state_of(storage, record).state == "waiting"


@pytest.mark.parametrize(("mib", "state"), [("128", "ready"), ("0.001", "failed")])
def test_what_was_trained_waits_for_a_database_that_is_away(
    storage: Storage, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, mib: str, state: str
) -> None:
    def away_once(write: Callable[..., None]) -> Callable[..., None]:
        def written(*given: Any) -> None:
            if not refused:
                refused.append("the database cannot be reached")
                raise StorageError(refused[0])
            write(*given)

        return written

    refused: list[str] = []
    for name in ("save_model", "fail_model"):
        monkeypatch.setattr(storage, name, away_once(getattr(storage, name)))
    monkeypatch.setattr(models, "_AGAIN_SECONDS", 0.01)
    monkeypatch.setenv("ENSEMBLE_LAB_MODEL_MEMORY", mib)
    record = launch(storage)
    storage.request_model(record.id, 0, 0)
    with Dispatcher(cluster) as dispatcher:
        desk = ModelDesk(storage, dispatcher, "me", lambda: False)
        desk.look()
        desk.close()
    assert len(refused) == 1
    assert state_of(storage, record).state == state


class Away:
    """A source that this machine does not find."""

    name, n_examples, schema, sha256 = "Far", 10, Schema(()), "0" * 64

    def batches(self, start: int = 0) -> Iterator[Batch]:
        raise InvalidData(f"it is gone from {start} on")


def sentence_of(context: ModelContext, plan: TrialPlan, source: Any) -> str:
    return str(ModelContext(context.config, (source,)).run(plan, lambda: False).error)


def test_what_cannot_be_trained_says_why_and_what_nobody_wants_ends(storage: Storage) -> None:
    context, plan = model_context(storage, make_config(learners=3), 0, 1)
    assert [learner.method for learner in context.config.learners] == ["online_bagging"]
    done = context.run(plan, lambda: False)
    assert done.error is None
    assert done.model is not None
    assert "every worker must find it by the same path" in sentence_of(context, plan, Away())
    away = Away()
    away.batches = lambda *_: iter([])  # type: ignore[method-assign]
    assert "Far is read in batches, on which only prequential runs" in sentence_of(context, plan, away)
    with pytest.raises(Exception, match="nobody wants the model any more"):
        context.run(plan, lambda: True)
    assert not context.is_stream


@pytest.fixture
def packed(storage: Storage, url: str, tmp_path: Path) -> Callable[..., int]:
    record = launch(storage)

    def export(*arguments: str) -> int:
        output = ("--output", str(tmp_path / "model.zip"))
        return main(["export", record.id, "--format", "model", "--database", url, *output, *arguments])

    return export


def test_the_command_line_trains_a_model_at_once(
    packed: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str], storage: Storage
) -> None:
    assert packed() == 2
    assert "learner must be one of 'Single model: naive Bayes', " in capsys.readouterr().err
    assert packed("--learner", "Single model: naive Bayes", "--dataset", "Fisher") == 2
    assert "dataset must be one of 'Iris'" in capsys.readouterr().err
    assert packed("--learner", "Single model: naive Bayes", "--of-trial") == 2
    assert "its trial has left no model, and there is no snapshot of it to make one of" in capsys.readouterr().err
    assert packed("--learner", "Single model: naive Bayes") == 0
    with zipfile.ZipFile(tmp_path / "model.zip") as package:
        model = model_from_bytes(package.read("model.skops"))
        assert package.read("card.md").startswith(b"# Single model: naive Bayes on Iris")
    iris = load_dataset("iris")
    by_hand = make_learner("single", "naive_bayes").fit(iris.X, iris.y)
    assert (model.predict_proba(iris.X) == by_hand.predict_proba(iris.X)).all()
    [record] = storage.list_experiments()
    assert storage.list_models(record.id) == []


def test_a_stored_model_is_not_trained_again(storage: Storage) -> None:
    record = launch(storage)
    storage.request_model(record.id, 0, 0)
    task = storage.claim_model("me", 60.0)
    assert task is not None
    made = model_context(storage, record.config, 0, 0)[0].run(make_plans(1)[0], lambda: False).model
    assert made is not None
    storage.save_model(task, "me", b"stored", made.facts)
    with zipfile.ZipFile(io.BytesIO(export_model(storage, record, 0, 0))) as package:
        assert package.read("model.skops") == b"stored"
    with pytest.raises(InvalidInput, match="dataset must be one of 'Iris', got 'Fisher'"):
        find_place(record.config, "Fisher", None)
    assert find_place(record.config, "iris", "adaboost/decision_stump") == (0, 2)
    with pytest.raises(NotFound):
        storage.load_model(record.id, 0, 1)
