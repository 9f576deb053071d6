"""Results are fetched beside one another, and a task is done when its own is here."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any, cast

import pytest
from distributed import Future

from runner.cluster.fetching import Task


class Sent:
    """A task at a worker, which is done when the test says so, and whose result takes its time on the way."""

    def __init__(self, result: Any) -> None:
        self._result, self.has_arrived, self.is_cancelled = result, Event(), False
        self.call: Callable[[Any], None] = print

    def add_done_callback(self, call: Callable[[Any], None]) -> None:
        self.call = call

    def result(self, timeout: float) -> Any:
        assert self.has_arrived.wait(timeout)
        if isinstance(self._result, BaseException):
            raise self._result
        return self._result

    def cancel(self) -> None:
        self.is_cancelled = True


def test_one_result_that_takes_long_on_the_way_holds_up_no_other() -> None:
    slow, quick, done = Sent("slow"), Sent("quick"), list[Any]()
    seen = Event()
    with ThreadPoolExecutor(2) as fetchers:
        for sent in (slow, quick):
            task = Task(cast(Future, sent), fetchers)
            task.add_done_callback(lambda task: (done.append(task.result()), seen.set()))
            sent.call(sent)
        assert not done
        quick.has_arrived.set()
        assert seen.wait(10)
        assert done == ["quick"]
        slow.has_arrived.set()
    assert done == ["quick", "slow"]


def test_what_came_instead_of_a_result_is_raised_and_a_closed_cluster_too() -> None:
    sent, done = Sent(OSError("the worker died")), Event()
    sent.has_arrived.set()
    fetchers = ThreadPoolExecutor(1)
    task = Task(cast(Future, sent), fetchers)
    task.add_done_callback(lambda _: done.set())
    sent.call(sent)
    assert done.wait(10)
    with pytest.raises(OSError, match="the worker died"):
        task.result()
    fetchers.shutdown()
    late = Task(cast(Future, sent), fetchers)
    late.add_done_callback(lambda _: None)
    sent.call(sent)
    with pytest.raises(RuntimeError, match="shutdown"):
        late.result()
    late.cancel()
    assert sent.is_cancelled
