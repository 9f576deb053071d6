"""Diversity of members: pairs of random members against counting by hand and against scikit-learn."""

import itertools
import math

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from ensembles.evaluation.diversity import compare_members, mean_disagreement, mean_kappa, mean_q


def some_answers(n_members: int = 5, n: int = 60, n_classes: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    true = rng.integers(n_classes, size=n)
    noise = rng.integers(n_classes, size=(n_members, n))
    return np.where(rng.random((n_members, n)) < 0.6, true, noise), true


def counted(first: np.ndarray, second: np.ndarray, true: np.ndarray) -> dict[tuple[bool, bool], int]:
    counts = dict.fromkeys(itertools.product((True, False), repeat=2), 0)
    for a, b, c in zip(first, second, true, strict=True):
        counts[a == c, b == c] += 1
    return counts


@pytest.mark.parametrize("seed", range(5))
def test_pairs_agree_with_counting(seed: int) -> None:
    answers, true = some_answers(seed=seed, n_classes=2 + seed % 3)
    pairs = compare_members(answers, true)
    assert pairs is not None
    places = list(itertools.combinations(range(len(answers)), 2))
    assert len(pairs.q) == len(places)
    for place, (i, j) in enumerate(places):
        counts = counted(answers[i], answers[j], true)
        same, crossed = counts[True, True] * counts[False, False], counts[True, False] * counts[False, True]
        assert pairs.q[place] == pytest.approx((same - crossed) / (same + crossed), abs=1e-12)
        assert pairs.one_right[place] == pytest.approx((counts[True, False] + counts[False, True]) / len(true))
        assert pairs.kappa[place] == pytest.approx(cohen_kappa_score(answers[i], answers[j]), abs=1e-12)
        error = ((answers[i] != true).mean() + (answers[j] != true).mean()) / 2
        assert pairs.error[place] == pytest.approx(error)


def test_examples_in_blocks_are_counted_like_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    answers, true = some_answers(n=200)
    whole = compare_members(answers, true)
    monkeypatch.setattr("ensembles.evaluation.diversity._BLOCK", 7)
    parts = compare_members(answers, true)
    assert whole is not None
    assert parts is not None
    assert all(np.array_equal(a, b) for a, b in zip(whole, parts, strict=True))


def test_members_that_are_all_alike_have_kappa_1_and_no_disagreement() -> None:
    answers, true = some_answers()
    pairs = compare_members(np.stack([answers[0]] * 3), true)
    assert (mean_kappa(pairs), mean_q(pairs), mean_disagreement(pairs)) == (1.0, 1.0, 0.0)


def test_members_that_are_right_on_other_examples_have_q_of_minus_1() -> None:
    true = np.zeros(4, int)
    pairs = compare_members(np.array([[0, 0, 1, 1], [1, 1, 0, 0]]), true)
    assert (mean_q(pairs), mean_disagreement(pairs)) == (-1.0, 1.0)


def test_pairs_without_a_value_are_left_out_of_the_mean() -> None:
    true = np.array([0, 1, 0, 1])
    constant, other = np.zeros(4, int), np.array([0, 1, 1, 0])
    pairs = compare_members(np.stack([constant, constant, other]), true)
    assert pairs is not None
    assert np.isnan(pairs.kappa[0])
    assert mean_kappa(pairs) == 0.0
    assert math.isnan(mean_kappa(compare_members(np.stack([constant, constant]), true)))
    assert math.isnan(mean_q(compare_members(np.stack([true, true]), true)))  # right everywhere: 0 / 0


@pytest.mark.parametrize("answers", [None, np.zeros((0, 4), int), np.zeros((1, 4), int)])
def test_fewer_than_two_members_have_no_diversity(answers: np.ndarray | None) -> None:
    pairs = compare_members(answers, np.zeros(4, int))
    assert pairs is None
    assert all(math.isnan(mean(pairs)) for mean in (mean_q, mean_disagreement, mean_kappa))


def test_of_many_members_some_are_compared_first_and_last_among_them() -> None:
    answers, true = some_answers(n_members=500, n=9)
    pairs = compare_members(answers, true)
    assert pairs is not None
    assert len(pairs.q) == 200 * 199 / 2
    expected = compare_members(answers[[0, 499]], true)
    assert expected is not None
    assert pairs.error[198] == expected.error[0]
