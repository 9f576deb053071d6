"""Batches read by a thread: the same, two ahead at most, with what is raised, and no thread left behind."""

import threading
import time

import pytest

from ensembles.data.catalogue import open_source
from ensembles.data.read_ahead import ReadAhead
from ensembles.errors import InvalidData
from ensembles.evaluation.timing import Stopwatch


def readers():
    return [thread for thread in threading.enumerate() if thread.name == "read-ahead"]


class Batches:
    """Numbers instead of batches, and what was done with them."""

    def __init__(self, n, *, error=None, gate=None):
        self.left, self.error, self.gate = iter(range(n)), error, gate
        self.asked, self.closed_by, self.read = 0, None, threading.Event()

    def __iter__(self):
        return self

    def __next__(self):
        self.asked += 1
        self.read.set()
        if self.gate is not None:
            self.gate.wait()
        number = next(self.left, None)
        if number is None:
            raise self.error or StopIteration
        return number

    def close(self):
        self.closed_by = threading.current_thread().name


def test_batches_come_in_order_to_the_end_and_by_a_thread_that_ends():
    batches = Batches(20)
    with ReadAhead(batches) as ahead:
        assert list(ahead) == list(range(20))
        assert next(ahead, None) is None
    assert batches.closed_by == "read-ahead"
    assert not readers()


def test_examples_are_those_of_the_source():
    source = open_source("moa_sea", rows=20_000)
    with ReadAhead(source.batches(5000)) as ahead:
        for (table, labels), (plain, classes) in zip(ahead, source.batches(5000), strict=True):
            assert (table.numbers == plain.numbers).all()
            assert (labels == classes).all()


def test_what_is_raised_comes_after_the_batches_before_it():
    batches = Batches(3, error=InvalidData("line 4: it has 2 columns"))
    came = []
    with ReadAhead(batches) as ahead, pytest.raises(InvalidData, match="line 4: it has 2 columns"):
        came.extend(ahead)
    with pytest.raises(InvalidData, match="line 4"), ReadAhead(Batches(0, error=batches.error)) as ahead:
        next(ahead)
    assert next(ahead, "over") == "over"
    assert not readers()


def test_no_more_than_two_batches_are_read_ahead():
    batches = Batches(100)
    with ReadAhead(batches) as ahead:
        for taken in range(1, 6):
            next(ahead)
            until(lambda: batches.asked == taken + 2)  # noqa: B023  # asked at once
            time.sleep(0.01)
            assert batches.asked == taken + 2


def test_closed_early_the_thread_ends_after_its_batch():
    batches = Batches(100)
    with ReadAhead(batches) as ahead:
        next(ahead)
    assert batches.asked <= 3
    assert batches.closed_by == "read-ahead"
    assert not readers()
    assert next(ahead, None) is None


def test_who_waits_for_a_batch_can_be_stopped():
    def stop():
        gate.set()
        raise KeyboardInterrupt

    gate = threading.Event()
    batches = Batches(5, gate=gate)
    with pytest.raises(KeyboardInterrupt), ReadAhead(batches, pause=stop) as ahead:
        next(ahead)
    assert batches.asked <= 2
    assert not readers()


def test_processor_time_of_the_thread_is_not_that_of_who_waits_for_it():
    def busy():
        yield 0
        begun = time.thread_time()
        while time.thread_time() - begun < 0.1:
            pass
        yield 1

    with ReadAhead(busy()) as ahead:
        stopwatch = Stopwatch(lambda: ahead.cpu_seconds)
        with stopwatch:
            assert list(ahead) == [0, 1]
    assert 0.1 <= ahead.cpu_seconds < 1.0
    assert 0.0 <= stopwatch.cpu_seconds < 0.1


def until(is_so):
    deadline = time.monotonic() + 60
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.001)
