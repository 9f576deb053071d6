"""Weighted majority: figure 2.8 of the thesis."""

import math

import numpy as np
import pytest

from ensembles import WeightedMajorityClassifier
from tests.methods import naive_weighting as naive
from tests.methods.naive_weighting import replay
from tests.methods.test_loss_weights import answers, plain


@pytest.mark.parametrize(("n_classes", "empty"), [(2, 0.0), (3, 0.2), (4, 0.0)])
@pytest.mark.parametrize("beta", [0.5, 0.9])
def test_weights_and_forecasts_are_those_of_the_oracle(n_classes, empty, beta):
    told, labels = answers(1, n_classes=n_classes, empty=empty)
    w = np.random.default_rng(0).choice([1.0, 0.5, 2.0], len(labels))
    model, forecasts = replay(WeightedMajorityClassifier(beta=beta), told, labels, w, n_classes)
    weights_at = naive.majority(told.shape[1], beta)
    expected, weights = naive.run("zero_one", plain(told), labels.tolist(), n_classes, weights_at, w.tolist())
    assert forecasts == expected
    np.testing.assert_allclose(model.member_weights_, np.array(weights) / max(weights), rtol=1e-9)


def test_weights_are_beta_to_the_mistakes_whoever_is_right():
    told, labels = answers(2)
    model, _ = replay(WeightedMajorityClassifier(), told, labels)
    mistakes = (told != labels[:, None]).sum(axis=0)
    assert (model._weighting.mistakes == mistakes).all()
    np.testing.assert_allclose(model.member_weights_, 0.5 ** (mistakes - mistakes.min()), rtol=1e-12)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("beta", [0.2, 0.5, 0.9])
def test_mistakes_stay_below_the_bound(seed, beta):
    told, labels = answers(seed, n=300, members=20)
    model, forecasts = replay(WeightedMajorityClassifier(beta=beta), told, labels)
    best = (told != labels[:, None]).sum(axis=0).min()
    mistakes = (np.array(forecasts) != labels).sum()
    assert mistakes <= (best * math.log(1 / beta) + math.log(20)) / math.log(2 / (1 + beta))
    assert model.online_error_ == mistakes / 300


def test_the_bound_is_met_with_no_luck():
    """The class is always the one the majority does not tell: as many mistakes as can be, and still within the bound."""
    rng = np.random.default_rng(3)
    told, labels, weights = rng.integers(0, 2, (200, 16)), [], np.ones(16)
    for row in told:
        labels.append(int(weights[row == 1].sum() < weights[row == 0].sum()))
        weights = np.where(row == labels[-1], weights, weights / 2)
    _, forecasts = replay(WeightedMajorityClassifier(), told, labels)
    assert forecasts == [1 - y for y in labels]
    best = (told != np.array(labels)[:, None]).sum(axis=0).min()
    assert 2.40942084 * best + 3.47605950 * math.log(16) >= 200


def test_the_order_of_members_does_not_matter_and_copies_are_one():
    told, labels = answers(4, members=5)
    order = [3, 0, 4, 1, 2]
    first, forecasts = replay(WeightedMajorityClassifier(), told, labels)
    second, shuffled = replay(WeightedMajorityClassifier(), told[:, order], labels)
    assert forecasts == shuffled
    assert (first.member_weights_[order] == second.member_weights_).all()
    copies = np.repeat(told[:, 4:], 6, axis=1)
    assert replay(WeightedMajorityClassifier(), copies, labels)[1] == told[:, 4].tolist()


def test_thousands_of_mistakes_leave_weights_that_compare():
    told = np.zeros((5000, 2), dtype=np.int64)
    told[0, 1] = 1
    model, _ = replay(WeightedMajorityClassifier(), told, np.ones(5000, dtype=np.int64))
    assert model.member_weights_.tolist() == [0.5, 1.0]
