"""How data sets get to workers: once each, in pieces, whoever needs them."""

import pickle
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from ensembles.data import Dataset, load_dataset, pieces
from runner.cluster import delivery
from runner.cluster.cluster import Cluster
from runner.cluster.delivery import Delivery
from runner.worker_process import tasks
from runner.worker_process.kept_data import KeptData, NotWhole
from runner.worker_process.tasks import ExperimentContext, Parcel, Pieces, take_pieces
from tests.runner.conftest import wait_until
from tests.runner.fakes import FakeContext, make_config

IRIS, WINE, GLASS = map(load_dataset, ("iris", "wine", "glass"))

pytestmark = pytest.mark.xdist_group("engine")  # one cluster for all of them


class MadeUpWorkers:
    """Workers that are no processes, and what each was sent."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
        self.monkeypatch = monkeypatch
        self.kept = {name: KeptData() for name in names}
        self.sent: dict[str, list[str]] = {name: [] for name in names}
        self.loaded: dict[str, list[Dataset]] = {}
        self.largest = 0
        self.dying: dict[str, int] = {}

    def ask(self, function: Callable[..., Any], *arguments: Any, addresses: Collection[str]) -> dict[str, Any]:
        went = pickle.dumps(arguments)
        self.largest = max(self.largest, len(went))
        return {name: self._call(name, function, pickle.loads(went)) for name in addresses if not self._dies(name)}

    def _dies(self, name: str) -> bool:
        if name in self.dying:
            self.dying[name] -= 1
        return self.dying.get(name, 0) < 0

    def _call(self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        self.monkeypatch.setattr(tasks, "_kept", self.kept[name])
        if function is take_pieces:
            self.sent[name] += [heading.name for heading, *_ in arguments[1]]
        try:
            answer = function(*arguments)
        except NotWhole as error:
            return error
        if function is tasks.load:
            self.loaded[name] = list(tasks._loaded.pop(arguments[0]).context.datasets)
        return answer


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> MadeUpWorkers:
    return MadeUpWorkers(monkeypatch, "near", "far")


def give(delivery: Delivery, run: str, *datasets: Dataset, to: Collection[str] = ("near", "far")) -> dict[str, Any]:
    context = ExperimentContext(make_config(), datasets)
    return delivery.give(run, context, to, trial_bytes=None, given_up=Event())


def test_ten_experiments_on_the_same_data_send_it_once(workers: MadeUpWorkers) -> None:
    delivery = Delivery(workers.ask)
    for number in range(10):
        assert give(delivery, f"run {number}", IRIS, WINE) == {"near": None, "far": None}
        assert [dataset.sha256 for dataset in workers.loaded["far"]] == [IRIS.sha256, WINE.sha256]
    assert {name: sorted(sent) for name, sent in workers.sent.items()} == {
        name: ["Iris", "Wine"] for name in workers.sent
    }
    assert give(delivery, "another", IRIS, GLASS)["near"] is None
    assert sorted(workers.sent["near"]) == ["Glass identification", "Iris", "Wine"]


def test_who_comes_later_is_given_what_the_others_have(workers: MadeUpWorkers) -> None:
    delivery = Delivery(workers.ask)
    give(delivery, "run", IRIS, to=["near"])
    give(delivery, "run", IRIS)
    assert workers.sent == {"near": ["Iris"], "far": ["Iris"]}


def test_a_large_data_set_goes_in_pieces_and_no_message_is_large(
    workers: MadeUpWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    nursery = load_dataset("nursery")
    monkeypatch.setattr(delivery, "_MESSAGE_BYTES", 40_000)
    monkeypatch.setattr(pieces, "_PIECE_BYTES", 40_000)
    give(Delivery(workers.ask), "run", nursery, IRIS, WINE)
    assert workers.sent["far"][:2] == ["Iris", "Wine"], "small ones go first, together"
    assert workers.sent["far"].count("Nursery") > 10
    assert workers.largest < 80_000


def test_one_that_dies_on_the_way_leaves_the_others_alone(workers: MadeUpWorkers) -> None:
    workers.dying["far"] = 1  # answers once
    assert give(Delivery(workers.ask), "run", IRIS) == {"near": None}
    assert workers.loaded.keys() == {"near"}


def test_a_piece_that_was_lost_is_told_and_sent_again(workers: MadeUpWorkers, monkeypatch: pytest.MonkeyPatch) -> None:
    lost = [True]

    def lose(run: str, pieces: Pieces) -> None:
        if not lost.pop():
            take_pieces(run, pieces)

    monkeypatch.setattr(delivery, "take_pieces", lose)
    answers = give(Delivery(workers.ask), "run", IRIS, to=["near"])
    assert str(answers["near"]) == "data set 'Iris': has not come to this worker"
    lost.append(False)
    assert give(Delivery(workers.ask), "run", IRIS, to=["near"]) == {"near": None}


def test_nothing_more_is_sent_for_a_run_that_is_over(workers: MadeUpWorkers) -> None:
    over = Event()
    over.set()
    context = ExperimentContext(make_config(), (IRIS,))
    Delivery(workers.ask).give("run", context, ["near"], trial_bytes=None, given_up=over)
    assert workers.sent["near"] == []
    assert not workers.loaded


def test_what_carries_data_is_short_in_logs() -> None:
    carried = [Pieces([(pieces.Heading.of(IRIS), 0, b"x" * 10_000)]), Parcel(ExperimentContext(make_config(), (IRIS,)))]
    assert all(len(repr(each)) < 200 for each in carried), "Dask writes it whole into a log that nobody reads"


def test_runs_at_the_same_time_on_real_workers_share_what_is_sent(cluster: Cluster, notes: str) -> None:
    wait_until(lambda: len(cluster.threads()) == 2, "both workers are there")
    sent: list[int] = []

    def count(function: Callable[..., Any], *arguments: Any, addresses: Collection[str]) -> dict[str, Any]:
        if function is take_pieces:
            sent.append(len(addresses))
        return cluster.answers(cluster.ask(function, *arguments, addresses=addresses), None)

    together, context = Delivery(count), FakeContext(make_config(), (load_dataset("soybean"),), folder=notes)
    workers = cluster.threads().keys()
    with ThreadPoolExecutor(5) as threads:
        given = [
            threads.submit(together.give, f"run {n}", context, workers, trial_bytes=None, given_up=Event())
            for n in range(5)
        ]
        assert [each.result() for each in given] == [dict.fromkeys(workers)] * 5
    assert sent == [2]
    for n in range(5):
        cluster.tell(tasks.unload, f"run {n}", addresses=workers, seconds=10.0)
