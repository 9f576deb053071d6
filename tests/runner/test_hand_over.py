"""Experiments whose data do not go into a worker, or not at once."""

import time
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import Future as Answers
from dataclasses import replace
from threading import Event
from typing import Any, cast

import pytest

from ensembles.data import load_dataset
from ensembles.errors import InvalidInput
from runner import run_experiment
from runner.cluster import hand_over
from runner.cluster.cluster import Cluster
from runner.cluster.hand_over import ATTEMPTS_ALLOWED, HandOver
from runner.dispatch.trial_queue import DEATHS_ALLOWED
from runner.worker_process.kept_data import NotWhole
from runner.worker_process.tasks import ExperimentContext
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

    def __init__(self, full: set[str], problem: Exception | None = None) -> None:
        self.full, self.problem = full, problem or MemoryError()
        self.asked: list[set[str]] = []
        self.renewed: list[set[str]] = []

    def give(self, _run: str, _: object, addresses: Collection[str], __: Event) -> "Answers[dict[str, Any]]":
        self.asked.append(set(addresses))
        asked: Answers[dict[str, Any]] = Answers()
        asked.set_result({name: self.problem if name in self.full else None for name in addresses})
        return asked

    def answers(self, asked: "Answers[dict[str, Any]]") -> dict[str, Any]:
        return asked.result()

    def renew(self, addresses: Iterable[str]) -> None:
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


def test_what_came_damaged_is_sent_again_and_no_process_ends_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hand_over, "_PAUSE_SECONDS", 0.0)
    cluster = MadeUpCluster({"far"}, NotWhole("data set 'Mine', sent in 3 pieces: piece 2 is damaged"))
    handing = HandOver(cast(Cluster, cluster), "run", ExperimentContext(make_config(), ()))
    assert [handing.holders({"far"}) for _ in range(ATTEMPTS_ALLOWED - 1)] == [set()] * (ATTEMPTS_ALLOWED - 1)
    with pytest.raises(
        InvalidInput, match=r"at far must be able to .* attempts: data set 'Mine', sent in 3 pieces: piece 2"
    ):
        handing.holders({"far"})
    assert cluster.renewed == [set()] * (ATTEMPTS_ALLOWED - 1)


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
