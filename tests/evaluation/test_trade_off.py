"""Error against time, relative losses and improvability: beside their definitions, case by case."""

import math

import numpy as np
import pytest

from ensembles.evaluation.relative import distances_to_perfect, improvability, relative_losses
from ensembles.evaluation.trade_off import knee_of, pareto_front


def is_beaten(one, points):
    return any(a <= one[0] and b <= one[1] and (a, b) != one for a, b in points)


@pytest.mark.parametrize("seed", range(5))
def test_the_front_is_what_nothing_beats(seed):
    rng = np.random.default_rng(seed)
    costs, losses = rng.integers(1, 8, 12).astype(float).tolist(), rng.integers(0, 8, 12).astype(float).tolist()
    points = list(zip(costs, losses, strict=True))
    front = pareto_front(costs, losses)
    assert {points[place] for place in front} == {one for one in points if not is_beaten(one, points)}
    assert [costs[place] for place in front] == sorted(costs[place] for place in front)


def test_the_knee_lies_farthest_below_the_line_between_the_ends():
    assert knee_of([1, 10, 100, 1000], [0.5, 0.2, 0.1, 0.09]) == 1
    assert knee_of([1, 10, 100], [0.5, 0.12, 0.1]) == 1
    assert knee_of([1, 10, 100], [0.5, 0.3, 0.1]) is None  # on the line
    assert knee_of([1, 10], [0.5, 0.1]) is None
    assert knee_of([1, 1, 1], [0.2, 0.2, 0.2]) is None
    assert pareto_front([1, math.nan, 2], [0.3, 0.0, 0.3]) == (0,)


def test_losses_are_told_by_the_average_learner_and_by_the_best():
    losses = [[0.1, 0.3], [0.0, 0.0], [0.0, 0.2]]
    np.testing.assert_allclose(relative_losses(losses), [[0.5, 1.5], [1.0, 1.0], [0.0, 2.0]])
    np.testing.assert_allclose(improvability(losses), [[0.0, 2 / 3], [0.0, 0.0], [0.0, 1.0]])
    assert np.isnan(relative_losses([[0.1, math.nan]])).all()
    assert np.isnan(improvability([[0.1, math.nan]])).all()


def test_distances_are_from_the_best_that_the_measure_can_be():
    assert distances_to_perfect("accuracy", [0.75]).tolist() == [0.25]
    assert distances_to_perfect("kappa", [-0.5]).tolist() == [1.5]
    assert distances_to_perfect("log_loss", [0.7]).tolist() == [0.7]
    assert distances_to_perfect("q_statistic", [-0.25]).tolist() == [0.75]
    assert np.isnan(distances_to_perfect("of another version", [0.7])).all()
