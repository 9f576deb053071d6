"""What goes to a worker next, without any worker."""

import numpy as np
import pytest

from ensembles.experiments.records import TrialPlan
from runner.dispatch.trial_queue import TrialQueue
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


def test_a_short_experiment_that_shares_the_workers_needs_few_turns() -> None:
    assert len(learned_queue(20, 0.002).take(2, 2)) == 20
    assert len(learned_queue(20, 0.02).take(2, 2)) == pytest.approx(5, abs=1)
    assert len(learned_queue(2000, 0.01).take(2, 2)) == pytest.approx(20, abs=1)


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


def test_time_left_says_nothing_of_a_learner_that_was_never_timed() -> None:
    known, unknown = make_plans(11), [TrialPlan(f"other {i}", 0, 1, 0, 0, i) for i in range(10)]
    queue = TrialQueue([*known, *unknown])
    for plan in known:
        queue.ended(plan, 0.1)
        assert queue.seconds_left(1) is None
    queue.ended(unknown[0], 5.0)
    assert queue.seconds_left(1) == pytest.approx(9 * 5.0)


def test_the_shortest_of_the_first_times_counts() -> None:
    plans = make_plans(11)
    queue = TrialQueue(plans)
    for plan, seconds in zip(plans, (8.0, 7.0, 0.1), strict=False):
        queue.ended(plan, seconds)
    assert queue.seconds_left(1) == pytest.approx(0.8)


def test_time_left_is_known_when_each_kind_was_timed() -> None:
    plans = [TrialPlan(f"{i:032x}", 0, i % 2, 0, 0, i) for i in range(4)]
    queue = TrialQueue(plans)
    queue.ended(plans[0], 8.0)
    assert queue.seconds_left(1) is None
    queue.ended(plans[1], 2.0)
    assert queue.seconds_left(1) == pytest.approx(10.0)
    assert queue.seconds_left(2) == pytest.approx(8.0)  # the long one alone


def test_time_left_is_unknown_at_first() -> None:
    assert TrialQueue(make_plans(3)).seconds_left(2) is None
    assert TrialQueue([]).seconds_left(2) is None


def grid(n_datasets: int, n_learners: int, n_repeats: int) -> list[TrialPlan]:
    """Return trials in the order of a plan."""
    kinds = [
        (d, repeat, learner) for d in range(n_datasets) for repeat in range(n_repeats) for learner in range(n_learners)
    ]
    return [TrialPlan(f"{i:032x}", d, learner, repeat, 0, 0) for i, (d, repeat, learner) in enumerate(kinds)]


def test_one_trial_of_each_learner_on_each_data_set_goes_first() -> None:
    queue, kinds = TrialQueue(grid(2, 2, 3)), []
    while chunk := queue.take(1):
        kinds += [(plan.dataset, plan.learner, plan.repeat) for plan in chunk]
    assert kinds[:4] == [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0)]
    assert kinds[4:] == [(d, m, r) for d in (0, 1) for r in (1, 2) for m in (0, 1)]


def test_a_data_set_without_a_time_is_told_from_others_by_its_size() -> None:
    queue = TrialQueue(grid(2, 1, 1), sizes=(10.0, 25.0))
    (first,) = queue.take(1)
    queue.ended(first, 2.0)
    assert queue.seconds_left(1) == pytest.approx(5.0)


def test_time_left_is_not_told_from_a_small_part_of_the_work() -> None:
    queue = TrialQueue(grid(2, 1, 1), sizes=(10.0, 40.0))
    (first,) = queue.take(1)
    queue.ended(first, 2.0)
    assert queue.seconds_left(1) is None


def test_the_last_trial_is_not_shared_between_threads_and_its_time_passes() -> None:
    moment = [0.0]
    queue = TrialQueue(grid(1, 1, 2), clock=lambda: moment[0])
    (first,) = queue.take(4)
    queue.ended(first, 100.0)
    queue.take(4)
    moment[0] = 30.0
    assert queue.seconds_left(4) == pytest.approx(70.0)
    moment[0] = 200.0
    assert queue.seconds_left(4) == pytest.approx(20.0)


def test_what_is_expected_tells_before_any_trial_has_ended_and_is_set_right_by_those_that_have() -> None:
    plans = grid(1, 2, 10)
    queue = TrialQueue(plans, expected={(0, 0): 2.0, (0, 1): 4.0})
    assert queue.seconds_left(1) == pytest.approx(10 * 2.0 + 10 * 4.0)
    queue.ended(plans[0], 6.0)  # three times as long as expected
    assert queue.seconds_left(1) == pytest.approx(9 * 6.0 + 10 * 12.0)
    for place in (1, 3, 5):
        queue.ended(plans[place], 4.0)
    left = queue.seconds_left(1)  # three times were as expected: of the other kind one that was longer tells a third
    assert left == pytest.approx(9 * 6.0 ** (1 / 3) * 2.0 ** (2 / 3) + 7 * 4.0)


def test_a_trial_that_waits_for_its_kernels_is_not_taken_for_all_others() -> None:
    moment = [0.0]
    queue = TrialQueue(grid(1, 1, 300), expected={(0, 0): 0.01}, clock=lambda: moment[0])
    queue.take(2)
    moment[0] = 5.0
    left = queue.seconds_left(1)
    assert left is not None
    assert left < 4.0
    moment[0] = 100.0  # it is the trial that takes so long
    left = queue.seconds_left(1)
    assert left is not None
    assert left > 299 * 80.0


def test_a_first_trial_that_met_cold_caches_is_not_taken_for_all_others() -> None:
    plans = grid(1, 2, 300)
    queue = TrialQueue(plans, expected={(0, 0): 0.002, (0, 1): 0.002})
    for plan in plans[:2]:
        queue.ended(plan, 0.2)
    assert queue.seconds_left(1) < 600 * 0.04
    for plan in plans[2:6]:
        queue.ended(plan, 0.002)
    assert queue.seconds_left(1) == pytest.approx(594 * 0.002)


def test_a_trial_that_tells_how_far_it_is_goes_on_at_its_pace() -> None:
    now = [0.0]
    long, other = make_plans(2)
    queue = TrialQueue([long, other], clock=lambda: now[0])
    queue.take(1)
    for seconds, share in ((10.0, 0.1), (20.0, 0.3)):
        assert queue.seconds_left(2) is None
        now[0] = seconds
        queue.hear(long.key, share)
    assert queue.seconds_left(1) == pytest.approx(35 + 50)
    assert queue.seconds_left(2) == pytest.approx(50)
    now[0] = 30.0
    assert queue.seconds_left(1) == pytest.approx(25 + 50)
    queue.hear(long.key, 0.1)  # back at a snapshot
    assert queue.seconds_left(1) is None
    queue.put_back([long])
    queue.hear(long.key, 0.9)  # too late
    assert queue.seconds_left(1) is None


def test_what_is_not_expected_of_some_learner_is_not_told() -> None:
    queue = TrialQueue(grid(1, 2, 3), expected={(0, 0): 2.0})
    assert queue.seconds_left(1) is None


def told_and_true(plans: list[TrialPlan], costs: np.ndarray, sizes: list[float], n_threads: int):  # type: ignore[no-untyped-def]
    """Run trials of known costs on threads with a clock of their own; return moments, what was told then, and the end."""
    moment = [0.0]
    queue = TrialQueue(plans, sizes, clock=lambda: moment[0])
    busy: list[tuple[float, int, list[TrialPlan]]] = []
    told: list[tuple[float, float | None]] = []
    rng = np.random.default_rng(5)
    noise = {plan.key: rng.uniform(0.8, 1.2) for plan in plans}
    while True:
        while len(busy) < n_threads and (chunk := queue.take(n_threads)):
            seconds = sum(costs[plan.dataset, plan.learner] * noise[plan.key] for plan in chunk)
            busy.append((moment[0] + seconds, len(told), chunk))
        if not busy:
            return told, moment[0]
        moment[0], _, chunk = busy.pop(busy.index(min(busy, key=lambda one: one[:2])))
        for plan in chunk:
            queue.ended(plan, costs[plan.dataset, plan.learner] * noise[plan.key])
        told.append((moment[0], queue.seconds_left(n_threads)))


@pytest.mark.parametrize("n_threads", [1, 2, 8])
@pytest.mark.parametrize(("n_datasets", "n_learners", "n_repeats"), [(1, 4, 12), (6, 4, 10), (12, 5, 1), (3, 2, 200)])
def test_time_left_is_right_from_a_quarter_of_the_way_on(
    n_datasets: int, n_learners: int, n_repeats: int, n_threads: int
) -> None:
    learners = np.geomspace(0.002, 20.0, n_learners)
    sizes = np.geomspace(100.0, 3000.0, n_datasets)
    costs = learners[None, :] * sizes[:, None] / 1000.0
    told, end = told_and_true(grid(n_datasets, n_learners, n_repeats), costs, sizes.tolist(), n_threads)
    late = [(moment, left) for moment, left in told if 0.25 * end <= moment <= 0.95 * end]
    assert late
    # Told of the learners, not of the smallest data sets alone: a trial of the largest ones is a third of the whole run.
    assert sum(left is None for _, left in late) <= (len(late) if n_repeats == 1 else 0)
    for moment, left in told:
        if left is not None and moment <= 0.95 * end:
            assert left == pytest.approx(end - moment, rel=0.5), (moment, end)


def test_trials_that_never_began_come_first_again_and_bear_no_blame() -> None:
    plans, queue = make_plans(3), TrialQueue(make_plans(3))
    queue.put_back(queue.take(1))
    assert queue.take(1) == plans[:1]
    assert not queue.is_quarantined(plans[0])


def test_trials_of_a_dead_process_go_into_quarantine_and_run_alone() -> None:
    queue = learned_queue(50, 0.01)
    chunk = queue.take(1)
    assert len(chunk) > 2
    assert queue.record_crash(chunk) == []
    assert queue.has_quarantined
    assert [queue.take_quarantined() for _ in chunk] == [[plan] for plan in chunk]
    assert queue.take_quarantined() == []


def test_a_trial_is_given_up_after_three_deaths() -> None:
    (plan,) = make_plans(1)
    queue = TrialQueue([plan])
    given_up = []
    for _ in range(3):
        chunk = queue.take(1) or queue.take_quarantined()
        given_up.append(queue.record_crash(chunk))
    assert given_up == [[], [], [plan]]
    assert len(queue) == 0
