"""Streams on workers: what is heard of them, pauses, deaths, and where they go on."""

import io
import os
import pickle
import re
import signal
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import delete

from ensembles.data import load_dataset
from ensembles.errors import EnsembleLabError
from ensembles.evaluation.stream_watch import StreamNews
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.model import Model, model_from_bytes
from ensembles.experiments.records import TrialPlan
from ensembles.experiments.whole import train_whole, whole_experiment, whole_plan
from runner import heartbeat, run_experiment, streams
from runner.cluster.cluster import Cluster
from runner.commands.terminal import stream_words
from runner.dispatch.dispatcher import Dispatcher
from runner.model_export import export_model
from runner.models import ModelDesk
from runner.worker_process.kept_data import NotWhole
from runner.worker_process.streams import WorkerWatch
from runner.worker_process.tasks import ExperimentContext, Parcel
from storage import ExperimentRecord, Storage, StreamRecord
from storage.running.rows import StreamRow
from tests.runner.conftest import wait_until
from tests.runner.fake_streams import MadeUpSource, StreamContext, digest_of
from tests.runner.fakes import make_config

pytestmark = pytest.mark.xdist_group("other_cluster")

PLAN = TrialPlan(f"{1:032x}", 0, 0, 0, 0, 0)


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StreamContext:
    monkeypatch.setattr(streams, "_SAVE_SECONDS", 0.1)
    context = StreamContext(make_stream_config(), (), folder=str(tmp_path))
    monkeypatch.setattr(run_experiment, "prepare", lambda *_: (context, [PLAN]))
    return context


def make_stream_config() -> Any:
    return make_config(protocol={"kind": "prequential", "shuffle": False}, measures=["accuracy"])


@pytest.fixture
def record(storage: Storage) -> ExperimentRecord:
    return storage.create_experiment(make_stream_config())


Run = Callable[[], Any]


@contextmanager
def running(storage: Storage, cluster: Cluster, record: ExperimentRecord, **given: Any) -> Iterator[Thread]:
    """Run an experiment beside a block, which sees to its end."""
    taken = storage.take_experiment(record.id, "me", 60.0)
    thread = Thread(target=run_experiment.run_experiment, args=(storage, cluster, taken, "me"), kwargs=given)
    thread.start()
    try:
        yield thread
        thread.join(200.0)
        assert not thread.is_alive()
    except BaseException:
        storage.request_cancel(record.id)
        thread.join()
        raise


def stream_of(storage: Storage, record: ExperimentRecord) -> StreamRecord:
    [stream] = storage.list_streams(record.id)
    return stream


def has_news(storage: Storage, record: ExperimentRecord) -> bool:
    return any(len(stream.news) > 3 for stream in storage.list_streams(record.id))


def has_answered(storage: Storage, record: ExperimentRecord) -> bool:
    """Ask for snapshots; return whether there is one."""
    storage.request_snapshots(record.id)
    return bool(storage.list_streams(record.id))


def assert_undisturbed(storage: Storage, record: ExperimentRecord) -> None:
    [(_, result)] = storage.list_trials(record.id)
    assert result.error is None
    assert result.measures["digest"] == digest_of(int(result.measures["position"]))
    assert storage.list_streams(record.id) == [], "what was known of it while it ran goes when it has ended"


def test_a_stream_is_heard_while_it_runs_and_goes_on_after_a_pause_where_it_was(
    storage: Storage, cluster: Cluster, context: StreamContext, record: ExperimentRecord
) -> None:
    with running(storage, cluster, record):
        wait_until(lambda: has_news(storage, record), "news come")
        news = stream_of(storage, record).news
        assert [one.seen for one in news] == sorted({one.seen for one in news})
        assert (news[0].error, news[0].window_error, news[0].fading_error) == (0.5, 0.25, 0.125)
        assert re.fullmatch(r"; Single model: [\d,]+000 examples, error 0.5000", stream_words(storage, record))
        storage.pause_experiment(record.id)
    paused = storage.get_experiment(record.id)
    assert (paused.state, paused.paused, paused.done) == ("waiting", True, 0)
    left = stream_of(storage, record)
    assert left.news[-1].seen == left.snapshot_seen > news[-1].seen
    storage.resume_experiment(record.id)
    with running(storage, cluster, record):
        wait_until(lambda: len(context.attempts(PLAN)) == 2, "it goes on")
        context.end()
    [(first, _), (second, _)] = context.attempts(PLAN)
    assert (first, second) == (0, left.snapshot_seen)
    assert storage.get_experiment(record.id).state == "finished"
    assert_undisturbed(storage, record)


@pytest.mark.usefixtures("context")
def test_a_runner_that_shuts_down_leaves_a_snapshot_too(
    storage: Storage, cluster: Cluster, record: ExperimentRecord
) -> None:
    with running(storage, cluster, record, shutting_down=lambda: has_news(storage, record)):
        pass
    assert storage.get_experiment(record.id).state == "waiting"
    assert stream_of(storage, record).snapshot_bytes > 0


@pytest.mark.usefixtures("context")
def test_what_is_cancelled_takes_no_snapshot(storage: Storage, cluster: Cluster, record: ExperimentRecord) -> None:
    with running(storage, cluster, record):
        wait_until(lambda: has_news(storage, record), "news come")
        storage.request_cancel(record.id)
    assert storage.get_experiment(record.id).state == "cancelled"
    assert stream_of(storage, record).snapshot_bytes == 0


def test_a_killed_worker_loses_what_came_after_the_snapshot_that_somebody_asked_for(
    storage: Storage, cluster: Cluster, context: StreamContext, record: ExperimentRecord
) -> None:
    with running(storage, cluster, record):
        wait_until(lambda: has_news(storage, record), "news come")
        for _ in range(4):  # more often than a trial may that comes no further
            kill_after_a_snapshot(storage, record, context)
        context.end()
    begun = [position for position, _ in context.attempts(PLAN)]
    assert begun == sorted(set(begun))
    assert_undisturbed(storage, record)


def kill_after_a_snapshot(storage: Storage, record: ExperimentRecord, context: StreamContext) -> None:
    taken, attempts = stream_of(storage, record).snapshot_taken, context.attempts(PLAN)
    storage.request_snapshots(record.id)
    wait_until(lambda: stream_of(storage, record).snapshot_taken != taken, "the snapshot is stored")
    os.kill(attempts[-1][1], signal.SIGKILL)
    wait_until(lambda: len(context.attempts(PLAN)) > len(attempts), "it goes on elsewhere")


def test_a_learner_that_was_interrupted_comes_to_the_same_digits(
    storage: Storage, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "_LISTEN_SECONDS", 0.05)  # the wish is heard long before the end
    document = make_stream_config().to_dict() | {
        "datasets": [{"key": "led24", "rows": 30_000}],
        "learners": [{"method": "adwin_bagging", "base": "hoeffding_tree", "n_estimators": 30}],
        "measures": ["accuracy", "log_loss"],
        "curves": ["prequential_error"],
    }
    config = ExperimentConfig.from_dict(document)
    whole, parted = (storage.create_experiment(config) for _ in range(2))
    with running(storage, cluster, whole):
        pass
    with running(storage, cluster, parted):
        wait_until(lambda: has_answered(storage, parted), "a snapshot is stored")
        storage.pause_experiment(parted.id)
    [left] = storage.list_streams(parted.id)
    assert left.snapshot_bytes > 0
    so_far = model_of(storage, cluster, parted)
    assert_same(so_far, whole_model(storage, config, examples=so_far.facts["examples"]))
    assert storage.resume_experiment(parted.id).done == 0
    with running(storage, cluster, parted):
        pass
    undisturbed, interrupted = (storage.list_trials(one.id) for one in (whole, parted))
    assert [(r.measures, r.curves, r.confusion) for _, r in interrupted] == [
        (r.measures, r.curves, r.confusion) for _, r in undisturbed
    ]
    assert_same(model_of(storage, cluster, parted), whole_model(storage, config))


def model_of(storage: Storage, cluster: Cluster, record: ExperimentRecord) -> Model:
    """Return what a stream has ended with, or come to by its snapshot, which a worker reads."""
    if storage.request_model(record.id, 0, 0, of_trial=True).is_coming:
        with Dispatcher(cluster) as dispatcher:
            desk = ModelDesk(storage, dispatcher, "me", lambda: False)
            desk.look()
            desk.close()
    with zipfile.ZipFile(io.BytesIO(export_model(storage, record, 0, 0, of_trial=True))) as package:
        return model_from_bytes(package.read("model.skops"))


def whole_model(storage: Storage, config: ExperimentConfig, **protocol: Any) -> Model:
    """Return the model of all examples of a stream, trained here."""
    config = ExperimentConfig.from_dict(config.to_dict() | {"protocol": config.protocol.model_dump() | protocol})
    return train_whole(config, whole_plan(0, 0), whole_experiment(config, 0, 0, storage.open_dataset)[1])


def assert_same(one: Model, other: Model) -> None:
    examples = load_dataset("led24", rows=1000).X
    assert (one.predict(examples) == other.predict(examples)).all()
    assert (one.predict_proba(examples) == other.predict_proba(examples)).all()
    assert one.facts["examples"] == other.facts["examples"]


@pytest.mark.parametrize(
    ("is_there", "sentence"),
    [(True, "its snapshot, which cannot be read"), (False, "its trial has no snapshot any more")],
)
def test_why_a_snapshot_becomes_no_model_is_said(
    storage: Storage, cluster: Cluster, is_there: bool, sentence: str
) -> None:
    record = storage.create_experiment(make_stream_config())
    storage.save_snapshot(record.id, PLAN, b"no snapshot", 1)
    storage.request_model(record.id, 0, 0, of_trial=True)
    if not is_there:
        with storage._database.session(writes=True) as session:
            session.execute(delete(StreamRow))
    with Dispatcher(cluster) as dispatcher:
        desk = ModelDesk(storage, dispatcher, "me", lambda: False)
        desk.look()
        desk.close()
    [failed] = storage.list_models(record.id)
    assert (failed.state, sentence in (failed.message or "")) == ("failed", True)
    with pytest.raises(EnsembleLabError, match="cannot be read" if is_there else "there is no snapshot of it"):
        export_model(storage, record, 0, 0, of_trial=True)


def test_a_source_goes_to_workers_as_it_is_and_data_sets_by_themselves() -> None:
    source, iris = MadeUpSource(), load_dataset("iris")
    context = ExperimentContext(make_stream_config(), (source, iris))
    assert context.by_hash == {iris.sha256: iris}, "what is delivered in pieces"
    sizes = context.sizes
    assert sizes[0] > 1000 * sizes[1], "one without end is the larger one"
    assert len(pickle.dumps(context)) < 10_000
    with pytest.raises(NotWhole, match="has not come to this worker"):
        pickle.loads(pickle.dumps(Parcel(context))).open()
    only = pickle.loads(pickle.dumps(Parcel(ExperimentContext(make_stream_config(), (source,))))).open()
    assert only.datasets == (source,)


def test_a_file_that_a_worker_cannot_see_fails_the_trial_and_says_what_to_do() -> None:
    context = ExperimentContext(make_stream_config(), (MadeUpSource(),))
    error = context.run(PLAN, lambda: False).error
    assert error is not None
    assert error.startswith(
        "Made up: every worker must find it by the same path and as it was registered, so keep it in "
    )
    assert error.endswith("the file must be where it was registered, got: No such file or directory")


@pytest.mark.parametrize(("seconds", "begin", "most"), [(2.9, None, 0.0), (3.1, None, 50.0), (0.1, b"state", 50.0)])
def test_only_what_ran_for_long_or_went_on_leaves_its_model(seconds: float, begin: bytes | None, most: float) -> None:
    now = [0.0]
    watch = WorkerWatch("run", PLAN.key, lambda _: None, begin, clock=lambda: now[0], most_model_bytes=50.0)
    watch.begin()
    now[0] += seconds
    watch.tell(StreamNews(1000, 0.5, 0.5, 0.5, seconds, 0.0, 100), 0.1)
    assert watch.most_model_bytes() == most


def test_a_pause_leaves_more_time_for_the_last_snapshot(storage: Storage, record: ExperimentRecord) -> None:
    leases: Any = (SimpleNamespace(standing=standing) for standing in ("paused", "held", "unwanted"))
    known = [streams.ExperimentStreams(storage, record, [PLAN], lease) for lease in leases]
    assert known[0].last_snapshot_seconds() > 5 * known[1].last_snapshot_seconds() > known[2].last_snapshot_seconds()
