"""What goes to a worker next, without any worker."""

import pytest

from ensembles.experiments.records import TrialPlan
from runner.trial_queue import TrialQueue
from tests.runner.fakes import make_plans


def learned_queue(n: int, seconds: float) -> TrialQueue:
    """Return a queue of `n` trials of which it is known how long they take."""
    queue = TrialQueue(make_plans(n + 1))
    (first,) = queue.take(1)
    queue.ended(first, seconds)
    return queue


def test_a_trial_of_which_nothing_is_known_goes_alone() -> None:
    queue = TrialQueue(make_plans(10))
    assert [len(queue.take(2)) for _ in range(3)] == [1, 1, 1]


def test_short_trials_go_in_chunks_of_some_tenths_of_a_second() -> None:
    assert len(learned_queue(2000, 0.01).take(2)) == pytest.approx(40, abs=1)


def test_long_trials_go_one_by_one() -> None:
    assert len(learned_queue(20, 3.0).take(2)) == 1


def test_chunks_become_smaller_near_the_end() -> None:
    queue = learned_queue(40, 0.01)
    assert len(queue.take(2)) == pytest.approx(10, abs=1)


def test_kinds_of_trials_are_learned_apart() -> None:
    slow, quick = TrialPlan("a" * 32, 0, 0, 0, 0, 0), TrialPlan("b" * 32, 0, 1, 0, 0, 0)
    rest = [TrialPlan(f"{i:032x}", 0, 1 - i % 2, i, 0, 0) for i in range(2, 400)]
    queue = TrialQueue([slow, quick, *rest])
    for seconds in (10.0, 0.001):
        (plan,) = queue.take(1)
        queue.ended(plan, seconds)
    assert [plan.learner for plan in queue.take(1)] == [1]
    assert [plan.learner for plan in queue.take(1)] == [0]


def test_every_trial_is_taken_once() -> None:
    plans, queue = make_plans(500), TrialQueue(make_plans(500))
    taken: list[TrialPlan] = []
    while chunk := queue.take(3):
        taken += chunk
        for plan in chunk:
            queue.ended(plan, 0.02)
    assert taken == plans
    assert len(queue) == 0


def test_time_left_is_the_work_divided_by_the_threads() -> None:
    queue = learned_queue(100, 2.0)
    assert queue.seconds_left(4) == pytest.approx(50.0)


def test_time_left_forgets_what_compiling_took() -> None:
    known, unknown = make_plans(11), [TrialPlan(f"other {i}", 0, 1, 0, 0, i) for i in range(10)]
    queue = TrialQueue([*known, *unknown])
    for plan, seconds in zip(known, (8.0, 7.0), strict=False):
        queue.ended(plan, seconds)
        assert queue.seconds_left(1) is None
    queue.ended(known[2], 0.1)
    assert queue.seconds_left(1) == pytest.approx(1.8)
    queue.ended(unknown[0], 5.0)
    assert queue.seconds_left(1) == pytest.approx(9 * 5.0 + 0.8)


def test_time_left_is_known_when_each_kind_was_timed() -> None:
    plans = [TrialPlan(f"{i:032x}", 0, i % 2, 0, 0, i) for i in range(4)]
    queue = TrialQueue(plans)
    queue.ended(plans[0], 8.0)
    assert queue.seconds_left(1) is None
    queue.ended(plans[1], 2.0)
    assert queue.seconds_left(2) == pytest.approx(5.0)


def test_time_left_is_unknown_at_first() -> None:
    assert TrialQueue(make_plans(3)).seconds_left(2) is None
    assert TrialQueue([]).seconds_left(2) is None


def test_trials_that_never_began_come_first_again_and_bear_no_blame() -> None:
    plans, queue = make_plans(3), TrialQueue(make_plans(3))
    queue.put_back(queue.take(1))
    assert queue.take(1) == plans[:1]
    assert not queue.is_suspect(plans[0])


def test_trials_of_a_dead_process_become_suspects_that_go_alone() -> None:
    queue = learned_queue(50, 0.01)
    chunk = queue.take(1)
    assert len(chunk) > 2
    assert queue.blame(chunk) == []
    assert queue.has_suspects
    assert [queue.take_suspect() for _ in chunk] == [[plan] for plan in chunk]
    assert queue.take_suspect() == []


def test_a_trial_is_given_up_after_three_deaths() -> None:
    (plan,) = make_plans(1)
    queue = TrialQueue([plan])
    given_up = []
    for _ in range(3):
        chunk = queue.take(1) or queue.take_suspect()
        given_up.append(queue.blame(chunk))
    assert given_up == [[], [], [plan]]
    assert len(queue) == 0


def test_nothing_waits_behind_a_trial_that_is_long_or_unknown() -> None:
    assert learned_queue(50, 0.01).is_short(make_plans(40))
    assert not learned_queue(50, 3.0).is_short(make_plans(1))
    assert not TrialQueue(make_plans(1)).is_short(make_plans(1))
