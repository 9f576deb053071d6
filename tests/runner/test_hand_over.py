"""Experiments whose data do not go into a worker, or not at once."""

import pickle
import time
from collections.abc import Callable, Collection
from concurrent.futures import Future as Answers
from dataclasses import replace
from typing import Any, cast

import pytest

from ensembles.data import Dataset, load_dataset
from ensembles.errors import InvalidData
from runner import hand_over, run_experiment, tasks
from runner.cluster import Cluster
from runner.hand_over import ATTEMPTS_ALLOWED, HandOver
from runner.tasks import ExperimentContext, NoRoom, Parcel
from runner.trial_queue import DEATHS_ALLOWED
from storage import ExperimentRecord, Storage
from tests.runner.conftest import Fake
from tests.runner.fakes import FakeContext, make_config, make_plans

pytestmark = pytest.mark.xdist_group("engine")  # one cluster for all of them


@pytest.fixture
def bad(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], FakeContext]:
    """Return a function that puts work that is bad to take in place of real work."""

    def install(badness: str) -> FakeContext:
        datasets = {name: load_dataset(name) for name in ("iris", "wine")}
        config = make_config(datasets=list(datasets))
        context = replace(fake(20, badness=badness), config=config, datasets=tuple(datasets.values()))
        monkeypatch.setattr(run_experiment, "prepare", lambda *_: (context, make_plans(20)))
        return context

    return install


def run_to_its_end(storage: Storage, cluster: Cluster) -> ExperimentRecord:
    record = storage.create_experiment(make_config(), runner="me")
    run_experiment.run_experiment(storage, cluster, record, "me")
    return storage.get_experiment(record.id)


@pytest.mark.parametrize("badness", ["no room once", "too heavy once"])
def test_where_one_worker_cannot_take_the_data_others_do(
    storage: Storage, cluster: Cluster, bad: Callable[[str], FakeContext], badness: str
) -> None:
    context, last = bad(badness), run_to_its_end(storage, cluster)
    assert (last.state, last.done, last.failed, last.message) == ("finished", 20, 0, None)
    assert len(set(context.takers())) >= 2


@pytest.mark.parametrize(
    ("badness", "why"),
    [
        ("no room", "MemoryError"),
        ("too heavy", "the worker process died or did not answer (out of memory, or a crash in native code)"),
    ],
)
def test_data_that_no_worker_can_take_end_the_experiment_with_a_sentence(
    storage: Storage, cluster: Cluster, bad: Callable[[str], FakeContext], badness: str, why: str
) -> None:
    context, last = bad(badness), run_to_its_end(storage, cluster)
    assert (last.state, last.done) == ("failed", 0)
    assert last.message is not None
    assert "must be able to take the data of the experiment, got at the last of 3 attempts: " in last.message
    assert last.message.endswith(f"data set 'Wine', the largest of 2: {why}")
    assert len(set(context.takers())) >= 3, "new processes were tried"
    assert len(context.takers()) <= 6


def test_data_that_cannot_be_used_end_the_experiment_at_once(
    storage: Storage, cluster: Cluster, bad: Callable[[str], FakeContext]
) -> None:
    context, last = bad("refused"), run_to_its_end(storage, cluster)
    assert last.state == "failed"
    assert last.message is not None
    assert last.message.endswith(
        "must be able to take the data of the experiment, got: data set 'Wine': the bytes are damaged"
    )
    assert len(context.takers()) <= 2, "each worker was asked once"


class MadeUpCluster:
    """Workers of which some have no room, and what was asked of them."""

    def __init__(self, full: set[str]) -> None:
        self.full = full
        self.asked: list[set[str]] = []
        self.renewed: list[set[str]] = []

    def ask(self, *_: object, addresses: Collection[str]) -> "Answers[dict[str, Any]]":
        self.asked.append(set(addresses))
        asked: Answers[dict[str, Any]] = Answers()
        asked.set_result({name: MemoryError() if name in self.full else None for name in addresses})
        return asked

    def answers(self, asked: "Answers[dict[str, Any]]") -> dict[str, Any]:
        return asked.result()

    def renew(self, addresses: Collection[str]) -> None:
        self.renewed.append(set(addresses))


def test_a_worker_without_room_is_left_out_while_others_hold_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_over, "_PAUSE_SECONDS", 0.0)
    cluster = MadeUpCluster({"full"})
    handing = HandOver(cast(Cluster, cluster), "run", ExperimentContext(make_config(), ()))
    assert [handing.holders({"full", "good"}) for _ in range(5)] == [{"good"}] * 5
    assert cluster.asked == [{"full", "good"}, {"full"}, {"full"}]
    assert cluster.renewed == [{"full"}, {"full"}]
    assert len(cluster.renewed) == ATTEMPTS_ALLOWED - 1 < DEATHS_ALLOWED, "a neighbour's trial is not given up for it"
    assert handing.holders({"full"}) == set(), "it is asked again where the others have died"
    assert handing.holders({"full", "new"}) == {"new"}


def test_attempts_are_not_made_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: moment[0])
    cluster = MadeUpCluster({"full"})
    handing = HandOver(cast(Cluster, cluster), "run", ExperimentContext(make_config(), ()))
    for moment[0], attempts in ((100.0, 1), (101.0, 1), (103.0, 2)):
        handing.holders({"full"})
        assert len(cluster.asked) == attempts


@pytest.mark.parametrize("given", [MemoryError(), InvalidData("the bytes are damaged")])
def test_the_data_set_that_a_process_has_no_room_for_is_named(
    monkeypatch: pytest.MonkeyPatch, given: Exception
) -> None:
    """Readers of stored data sets call memory that is missing damaged bytes too."""
    iris, wine = load_dataset("iris"), load_dataset("wine")
    parcel = pickle.loads(pickle.dumps(Parcel(ExperimentContext(make_config(), (iris,), wine))))
    assert len(repr(parcel)) < 200, "Dask writes it whole into a log that nobody reads"
    rebuild = tasks.dataset_from_bytes

    def have_no_room(content: bytes) -> Dataset:
        if rebuild(content).name == "Wine":
            raise given from MemoryError()
        return rebuild(content)

    monkeypatch.setattr(tasks, "dataset_from_bytes", have_no_room)
    with pytest.raises(NoRoom, match="data set 'Wine': no memory is left for it"):
        parcel.open()


def test_damaged_data_are_no_lack_of_memory() -> None:
    with pytest.raises(InvalidData, match=r"data set 'Mine': .* are damaged"):
        tasks._unpack(("Mine", b"nonsense"))


@pytest.mark.parametrize(
    ("names", "largest"),
    [
        ((), "no data set"),
        (("wine",), "data set 'Wine'"),
        (("wine", "iris"), "data set 'Wine', the largest of 2"),
    ],
)
def test_the_largest_data_set_is_told(names: tuple[str, ...], largest: str) -> None:
    datasets = tuple(map(load_dataset, names))
    assert ExperimentContext(make_config(), datasets).largest == largest
    if names:
        tested = ExperimentContext(make_config(), datasets[:1], load_dataset("nursery")).largest
        assert tested == "data set 'Nursery', the largest of 2"
