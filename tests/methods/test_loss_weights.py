"""Bayesian ensemble, gradient descents, voting: fixtures, oracles, and what must hold of their weights."""

import numpy as np
import pytest

from ensembles import (
    BayesianEnsembleClassifier,
    SagEnsembleClassifier,
    SgdAverageEnsembleClassifier,
    SgdEnsembleClassifier,
)
from ensembles.methods.weighting.loss_weights import reweight
from ensembles.methods.weighting.sgd_ensemble import Descent
from tests.methods import naive_weighting as naive
from tests.methods.naive_weighting import replay, vote

KINDS = ("ramp", "logistic", "hinge", "zero_one")


def answers(seed, n=60, members=5, n_classes=2, empty=0.0):
    """Return made-up answers, members being right from a half to nine times in ten, and the classes."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n)
    right = rng.random((n, members)) < np.linspace(0.5, 0.9, members)
    told = np.where(
        right, labels[:, None], (labels[:, None] + rng.integers(1, max(n_classes, 2), (n, members))) % n_classes
    )
    return np.where(rng.random((n, members)) < empty, -1, told), labels


def plain(told):
    return [[None if c < 0 else int(c) for c in row] for row in told]


def history(model):
    return model.weight_history_[:, 0].tolist()


def test_posterior_means_are_those_of_the_fixture():
    told = [[1, 0], [0, 0], [1, 1], [1, 0]]  # losses 0, 1, 0, 0 and 1, 1, 0, 1
    model, _ = replay(BayesianEnsembleClassifier(), told, [1, 1, 1, 1])
    np.testing.assert_allclose(history(model), [2, 2.72727273, 3.63636364, 4.54545455])
    np.testing.assert_allclose(model.weight_history_[:, 1], [1.81818182, 2.5, 3.33333333, 3.84615385])
    np.testing.assert_allclose(model.member_errors_, [0.25, 0.75])
    assert model.weight_times_.tolist() == [1, 2, 3, 4]


def test_descent_is_that_of_the_fixture():
    model, _ = replay(SgdEnsembleClassifier(), [[1], [0], [1], [1]], [1, 1, 1, 1])
    np.testing.assert_allclose(history(model), [2, 2.2, 2.35151515, 2.45782958])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n_classes", "empty"), [(2, 0.0), (3, 0.2), (1, 0.0)])
def test_weights_and_forecasts_are_those_of_the_oracles(kind, n_classes, empty):
    told, labels = answers(n_classes, n_classes=n_classes, empty=empty)
    w = np.random.default_rng(0).choice([1.0, 0.5, 3.0], len(labels))
    m, n = told.shape[1], len(labels)
    cases = [
        (BayesianEnsembleClassifier(alpha=2, beta=0.5, theta=0.3), naive.bayesian(m, 2, 0.5, 0.3)),
        (SgdEnsembleClassifier(theta=0.3, step=0.5), naive.sgd(m, 0.3, 0.5)),
        (SgdAverageEnsembleClassifier(theta=0.3, step=0.5), naive.averaged_sgd(m, 0.3, 0.5)),
        (SagEnsembleClassifier(theta=0.3, step=0.1), naive.sag(m, 0.3, 0.1, n)),
        (SagEnsembleClassifier(theta=0.3, step=0.1, divide="seen"), naive.sag(m, 0.3, 0.1, None)),
    ]
    for model, weights_at in cases:
        model, forecasts = replay(model.set_params(loss=kind), told, labels, w, n_classes)
        expected, weights = naive.run(kind, plain(told), labels.tolist(), n_classes, weights_at, w.tolist())
        assert forecasts == expected
        np.testing.assert_allclose(model.member_weights_, weights, rtol=1e-9)
        wrong = w[np.array(forecasts) != labels].sum()
        assert model.online_error_ == pytest.approx(wrong / w.sum())


def test_the_weight_of_a_constant_loss_tends_to_the_minimiser():
    told = np.ones((4000, 1), dtype=np.int64)
    labels = np.tile([1, 1, 1, 0], 1000)  # mean loss 1/4
    model, _ = replay(BayesianEnsembleClassifier(theta=0.5), told, labels)
    assert model.member_weights_[0] == pytest.approx(1 / (0.5 * 0.25), rel=0.01)


def test_descent_rests_where_the_expected_loss_is_least():
    state = Descent(np.array([1 / (0.1 * 0.3)]), np.zeros(2), np.array([0.1, 1.0]))
    reweight(state, np.array([0.3]), 1.0)
    assert state.weights[0] == pytest.approx(1 / (0.1 * 0.3), rel=1e-12)


def test_no_prediction_depends_on_alpha_or_on_the_scale_of_beta_and_theta():
    told, labels = answers(4, members=4)
    base = replay(BayesianEnsembleClassifier(), told, labels)[1]
    assert replay(BayesianEnsembleClassifier(alpha=7.0), told, labels)[1] == base
    assert replay(BayesianEnsembleClassifier(beta=8.0, theta=0.8), told, labels)[1] == base


def test_the_order_of_past_examples_does_not_matter():
    told, labels = answers(5)
    order = np.random.default_rng(1).permutation(len(labels))
    first = replay(BayesianEnsembleClassifier(), told, labels)[0].member_weights_
    second = replay(BayesianEnsembleClassifier(), told[order], labels[order])[0].member_weights_
    np.testing.assert_allclose(first, second, rtol=1e-12)


@pytest.mark.parametrize("cls", [BayesianEnsembleClassifier, SgdEnsembleClassifier, SagEnsembleClassifier])
def test_members_with_more_mistakes_weigh_less(cls):
    told, labels = answers(6, n=200)
    model, _ = replay(cls(), told, labels)
    by_error = np.argsort(model.member_errors_)
    assert (np.diff(model.member_weights_[by_error]) < 0).all()


def test_members_that_err_equally_often_vote():
    rng = np.random.default_rng(7)
    labels = rng.integers(0, 2, 60)
    told = np.array([np.roll([0, 1, 1], t) for t in range(60)])  # each of three is wrong once in three
    told = np.where(told == 1, labels[:, None], 1 - labels[:, None])
    model, forecasts = replay(BayesianEnsembleClassifier(), told, labels)
    assert np.ptp(model.member_weights_) < 1e-12
    assert forecasts == vote(told)


def test_least_risk_is_the_weighted_majority_with_ties_to_the_second_class():
    told, labels = answers(8, members=4)
    model, forecasts = replay(BayesianEnsembleClassifier(), told, labels)
    before = np.vstack([np.ones(4), model.weight_history_[:-1]])
    for weights, row, forecast in zip(before, told, forecasts, strict=True):
        assert forecast == int(weights[row == 1].sum() >= weights[row == 0].sum() - 1e-9)
    assert vote([[0, 1], [1, 0]]) == [1, 1]


@pytest.mark.parametrize("kind", KINDS)
def test_votes_of_single_classes_are_alike_for_every_loss(kind):
    told, labels = answers(9, members=5)
    model, votes = replay(BayesianEnsembleClassifier(loss=kind), told, labels)[0], np.zeros((60, 2))
    model._weighting.weights[:] = 1.0
    model._count(naive.MemberPredictions(told, np.empty((0, 0, 0))), votes)
    assert np.argmax(votes, axis=1).tolist() == vote(told)
    if kind == "ramp":
        np.testing.assert_array_equal(votes[:, 1], (told == 1).sum(axis=1))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_count_by_their_margin(kind, n_classes):
    rng = np.random.default_rng(10)
    shares = rng.dirichlet(np.ones(n_classes), (20, 3))
    model = replay(BayesianEnsembleClassifier(loss=kind), [[0, 1, 1]], [1], n_classes=n_classes)[0]
    votes = np.zeros((20, n_classes))
    model._count(naive.MemberPredictions(np.empty((0, 0), dtype=np.int64), shares), votes)
    for i in range(20):
        risks = []
        for y in range(n_classes):
            margins = [p[y] - max(np.delete(p, y)) for p in shares[i]]
            risks.append(sum(w * naive.loss(kind, g) for w, g in zip(model.member_weights_, margins, strict=True)))
        expected = np.maximum(np.sum(risks) / (n_classes - 1) - risks, 0)
        np.testing.assert_allclose(votes[i], expected, rtol=1e-9, atol=1e-9)


def test_the_average_of_one_step_and_one_step_of_sag():
    told, labels = [[1, 0]], [1]
    stepped = replay(SgdEnsembleClassifier(step=0.5), told, labels)[0].member_weights_
    averaged = replay(SgdAverageEnsembleClassifier(step=0.5), told, labels)[0].member_weights_
    np.testing.assert_allclose(averaged, (1 + stepped) / 2)  # the start counts: before the first step both are 1
    np.testing.assert_allclose(replay(SagEnsembleClassifier(step=0.5), told, labels)[0].member_weights_, stepped)


def test_weights_stay_within_their_bounds_and_say_when_they_met_them():
    told, labels = np.zeros((3, 1), dtype=np.int64), [1, 1, 1]
    for cls in (SgdEnsembleClassifier, SagEnsembleClassifier):
        model, _ = replay(cls(theta=100.0, step=1.0), told, labels)
        assert model.n_clipped_ > 0
        assert model.weight_history_.min() == 1e-6
        assert replay(cls(), told, labels)[0].n_clipped_ == 0


def test_of_three_tied_classes_the_one_of_most_weight_so_far_is_told():
    told, labels, weights = [[2, 2], [2, 2], [2, 2], [0, 1]], [0, 0, 1, 2], [1.0, 1.0, 3.0, 1.0]
    assert replay(BayesianEnsembleClassifier(), told, labels, weights, n_classes=3)[1] == [2, 2, 2, 1]
