"""Memory, time and recovery along a stream, beside plain loops over all of it."""

from itertools import pairwise

import numpy as np
import pytest

from ensembles.evaluation.model_size import bytes_of
from ensembles.evaluation.stream_course import MARGIN, Recovery, StreamCourse


def slow_recovery(wrong, changes):
    n = len(wrong)
    w = min(1000, n // 20)
    changes = [change for change in changes if w <= change < n]
    took = []
    for at, end in pairwise([*changes, n]):
        if end - at < w:
            continue
        before = wrong[at - w : at].mean()
        fits = (t for t in range(w, end - at + 1) if wrong[at + t - w : at + t].mean() <= before + MARGIN + 1e-12)
        took.append(next(fits, end - at))
    return np.mean(took) if took else np.nan


@pytest.mark.parametrize("changes", [[2000], [500, 1500, 1590, 3000], [20, 3990], [], [4000, 5000]])
@pytest.mark.parametrize("size", [1, 256, 4000])
def test_recovery_is_that_of_a_loop(changes, size):
    rng = np.random.default_rng(len(changes))
    rates = np.full(4000, 0.1)
    for change in changes:
        rates[change : change + 300] += np.linspace(0.5, 0, 300)[: max(4000 - change, 0)]
    rates[3000:] = 0.5  # never back
    wrong = rng.random(4000) < rates
    recovery = Recovery(changes, 4000)
    for start in range(0, 4000, size):
        recovery.add(wrong[start : start + size])
    assert recovery.mean == pytest.approx(slow_recovery(wrong, changes), nan_ok=True)


def test_an_error_that_is_higher_by_the_very_margin_is_that_of_before():
    """0.12 + 0.02 is less than 0.14 in floating point."""
    place = np.arange(2000) % 100
    for before in range(98):
        recovery = Recovery([1000], 2000)
        recovery.add(place < np.repeat([before, before + 2], 1000))
        assert recovery.mean == 100, before


class Grows:
    """A learner that keeps what it is given."""

    def __init__(self):
        self.kept = np.zeros(0)


def test_ram_hours_are_bytes_for_the_seconds_since_the_last_look():
    course, learner, looks = StreamCourse(100, 1100, (), sized=True), Grows(), []
    for position in range(110, 1101, 10):
        learner.kept = np.zeros(position)
        course.add(position, np.zeros(10, bool), learner, position / 10, position / 20)
        looks.append((position / 20, bytes_of(learner)))
    hours = sum(size / 2**30 * (now - before) / 3600 for (before, _), (now, size) in pairwise([(0.0, 0), *looks]))
    assert course.ram_hours == pytest.approx(hours * 1e6)
    assert course.throughput == pytest.approx(1100 / 110)
    curve = course.curves()["model_size"]
    assert curve.x == tuple(range(110, 1101, 10))
    assert curve.y == tuple(size for _, size in looks)


def test_marks_that_a_block_jumps_over_have_what_is_seen_behind_it():
    course = StreamCourse(0, 1000, (), sized=True)
    for position in (256, 512, 768, 1000):
        course.add(position, np.zeros(256, bool), Grows(), 1.0, 1.0)
    assert course.curves()["model_size"].x == tuple(range(10, 1001, 10))
    assert StreamCourse(0, 1000, (), sized=False).curves() == {}
