"""Winnow over the votes of members."""

import math

import numpy as np
import pytest

from ensembles import WinnowClassifier
from ensembles.errors import InvalidData
from ensembles.methods.core.pool_predictions import MemberPredictions
from tests.examples import random_examples
from tests.methods import naive_weighting as naive
from tests.methods.naive_weighting import replay
from tests.methods.test_loss_weights import answers, plain


@pytest.mark.parametrize("balanced", [True, False])
@pytest.mark.parametrize(("n_classes", "empty"), [(2, 0.0), (3, 0.2)])
def test_weights_and_forecasts_are_those_of_the_oracle(balanced, n_classes, empty):
    told, labels = answers(11, n=100, n_classes=n_classes, empty=empty)
    model, forecasts = replay(WinnowClassifier(balanced=balanced), told, labels, n_classes=n_classes)
    expected, sets = naive.winnow(plain(told), labels.tolist(), n_classes, balanced=balanced)
    assert forecasts == expected
    weights = np.array(sets).transpose(0, 2, 1)[:, : model._inputs.weights.shape[1]]
    np.testing.assert_allclose(model._inputs.weights, weights, rtol=1e-9)
    swing = weights[:, 0, :5] - weights[:, 0, 5:]
    swing = swing - (weights[:, 1, :5] - weights[:, 1, 5:]) if balanced else swing
    np.testing.assert_allclose(model.weight_history_[-1], swing.mean(axis=0), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.member_weights_, model.weight_history_.mean(axis=0), rtol=1e-9, atol=1e-9)
    model.set_params(averaged=False)._sum_up()
    np.testing.assert_allclose(model.member_weights_, swing.mean(axis=0), rtol=1e-9, atol=1e-9)


@pytest.mark.compiled  # long, and sees nothing new without the compiler
def test_the_mean_of_the_weights_is_steadier_than_the_last_ones():
    told, labels = answers(15, n=2000, members=9)
    errors = {}
    for averaged in (True, False):
        errors[averaged] = []
        for end in range(1000, 2000, 50):
            model, _ = replay(WinnowClassifier(averaged=averaged), told[:end], labels[:end])
            votes = np.zeros((2000, 2))
            model._count(MemberPredictions(told, np.empty((0, 0, 0))), votes)
            errors[averaged].append(((votes[:, 1] >= votes[:, 0]) != labels).mean())
    assert max(errors[True]) < 0.2 < max(errors[False])


@pytest.mark.parametrize("balanced", [True, False])
def test_weights_are_powers_of_two_times_the_first_ones(balanced):
    told, labels = answers(12)
    model, _ = replay(WinnowClassifier(balanced=balanced, init=3.0), told, labels)
    powers = np.log2(model._inputs.weights / 3.0)
    np.testing.assert_allclose(powers, np.round(powers), atol=1e-9)


def test_weights_change_only_after_a_mistake():
    told, labels = answers(13)
    model, forecasts = replay(WinnowClassifier(balanced=False), told, labels)
    changed = (np.diff(model.weight_history_, axis=0) != 0).any(axis=1)
    wrong = np.array(forecasts) != labels
    assert not (changed & ~wrong[1:]).any()
    assert changed.any()


@pytest.mark.parametrize("seed", range(3))
def test_members_that_agree_are_believed_for_both_classes_though_they_often_err(seed):
    rng = np.random.default_rng(seed)
    told = rng.integers(0, 2, (400, 1)).repeat(3, axis=1)
    labels = np.where(rng.random(400) < 0.37, 1 - told[:, 0], told[:, 0])
    model, _ = replay(WinnowClassifier(), told, labels)
    votes = np.zeros((400, 2))
    model._count(MemberPredictions(told, np.empty((0, 0, 0))), votes)
    assert (votes.argmax(axis=1) == told[:, 0]).all()


@pytest.mark.parametrize("seed", range(10))
def test_mistakes_on_a_disjunction_stay_below_the_bound(seed):
    rng = np.random.default_rng(seed)
    told = (rng.random((600, 50)) < 0.05).astype(np.int64)
    labels = told[:, rng.permutation(50)[:3]].any(axis=1).astype(np.int64)
    model, forecasts = replay(WinnowClassifier(balanced=False), told, labels)
    mistakes = (np.array(forecasts) != labels).sum()
    assert mistakes <= 2 + 3 * 3 * (1 + math.log2(100))
    assert model.online_error_ < 0.11


def test_weights_stay_within_bounds_where_nothing_can_be_learned():
    told = np.ones((400, 2), dtype=np.int64)
    labels = np.tile([0, 0, 1], 134)[:400]
    model, _ = replay(WinnowClassifier(balanced=False, alpha=2.0, beta=0.01), told, labels)
    assert np.isfinite(model._inputs.weights).all()
    assert abs(model._inputs.logs).max() <= 50
    votes = np.zeros((1, 2))
    model._count(MemberPredictions(told[:1], np.empty((0, 0, 0))), votes)
    assert votes.sum() == pytest.approx(1)


def test_classes_must_be_declared_at_the_start():
    X, y, _ = random_examples(14, n_classes=3)
    model = WinnowClassifier(n_estimators=2).partial_fit(X[y < 2], y[y < 2])
    with pytest.raises(InvalidData, match="winnow: all classes must be declared at the start"):
        model.partial_fit(X, y)
