"""A cluster without processes: what is sent to its workers ends when a test says so."""

from collections.abc import Callable, Collection
from concurrent.futures import CancelledError
from concurrent.futures import Future as Answers
from typing import Any, cast

from ensembles.experiments.records import TrialPlan, TrialResult
from runner.cluster.cluster import Cluster
from runner.dispatch.dispatcher import Dispatcher

Ended = tuple[TrialResult, float | None]


class MadeUpFuture:
    """A task of a cluster."""

    is_cancelled = False

    def add_done_callback(self, tell: Callable[["MadeUpFuture"], None]) -> None:
        self._tell = tell

    def end(self, outcome: Exception | list[Ended]) -> None:
        self._outcome = outcome
        self._tell(self)

    def result(self, timeout: float) -> list[Ended]:  # noqa: ARG002
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome

    def cancel(self) -> None:
        self.is_cancelled = True


class Sent:
    """A chunk that was sent to a worker."""

    def __init__(self, address: str, run: str, plans: list[TrialPlan]) -> None:
        self.address, self.run, self.plans, self.future = address, run, plans, MadeUpFuture()

    def end(self, seconds: float) -> None:
        """Let each of its trials have taken so many seconds."""
        self.future.end([(TrialResult(plan.key), seconds) for plan in self.plans])

    def end_over_memory(self) -> None:
        """Let its first trial go on beyond its limit of memory."""
        self.future.end([(TrialResult(self.plans[0].key, error="the trial took more"), None)])

    def die(self) -> None:
        """Let its results be lost with its process."""
        self.future.end(CancelledError())


class MadeUpCluster:
    """Workers of one thread each, and what was sent to them."""

    trial_seconds = 1000.0

    def __init__(self, *workers: str) -> None:
        self.workers = list(workers or ["first"])
        self.sent: list[Sent] = []
        self.renewed: set[str] = set()
        self.restarted: list[str] = []
        self.asked: list[tuple[str, str, set[str]]] = []

    def threads(self) -> dict[str, int]:
        return dict.fromkeys(self.workers, 1)

    def ask(
        self, function: Callable[..., Any], run: str, *_: object, addresses: Collection[str]
    ) -> "Answers[dict[str, Any]]":
        self.asked.append((function.__name__, run, set(addresses)))
        asked: Answers[dict[str, Any]] = Answers()
        asked.set_result(dict.fromkeys(addresses))
        return asked

    def give(self, run: str, _: object, addresses: Collection[str], __: object) -> "Answers[dict[str, Any]]":
        return self.ask(self.give, run, addresses=addresses)

    def answers(self, asked: "Answers[dict[str, Any]]", seconds: float = 0.0) -> dict[str, Any]:  # noqa: ARG002
        return asked.result()

    def was_silent(self, _: str) -> bool:
        return False

    def was_renewed(self, address: str) -> bool:
        return address in self.renewed

    def submit(self, address: str, _: object, run: str, plans: list[TrialPlan]) -> MadeUpFuture:
        self.sent.append(Sent(address, run, plans))
        return self.sent[-1].future

    def restart(self, addresses: Collection[str]) -> None:
        self.restarted += addresses

    def dispatcher(self) -> Dispatcher:
        """Return a dispatcher without a thread; tests call its `turn`."""
        return Dispatcher(cast(Cluster, self))
