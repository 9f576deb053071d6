"""Adaboost.OLM against derivatives of its losses, a trace, a plain replay, and its binary ancestor."""

import itertools
import math

import numpy as np
import pytest

from ensembles import AdaBoostOlmClassifier, HoeffdingTreeClassifier, NaiveBayesClassifier
from ensembles.methods.core.block import Block
from ensembles.methods.multiclass_boosting import expert_chain
from ensembles.methods.multiclass_boosting.adaboost_olm import NOT_WANTED
from ensembles.methods.multiclass_boosting.surrogates import LOSSES, slope_of, step_of, vote_slope, weight_of
from tests.examples import random_table
from tests.methods.naive_multiclass import SLOPES, AdaBoostOlm, adaboost_ol, gradient
from tests.methods.one_by_one import assert_blocks_as_one_by_one
from tests.methods.scripted import scripted

VALUE = {
    "logistic": lambda d: math.log1p(math.exp(d)),
    "exponential": math.exp,
    "square_hinge": lambda d: max(0.0, 1 + d) ** 2 / 2,
}


def loss_of(loss, votes, r):
    return sum(VALUE[loss](votes[c] - votes[r]) for c in range(len(votes)) if c != r)


def play(answers, labels, n_classes, **settings):
    """Let scripted members learn; return the weights they were shown, and the model."""
    members, rows = scripted(answers)
    n_members, n = np.shape(answers)
    model = AdaBoostOlmClassifier(n_estimators=n_members, random_state=0, **settings)
    model.classes_ = np.arange(n_classes)
    model._start(n_members)
    kind, as_program = LOSSES[model.loss], model.gradient == "code"
    workspace = model._workspace()
    kept = np.zeros((n, n_members))
    block, steps = Block(rows, np.array(labels), np.ones(n), 0, n), expert_chain.Steps(as_program, float(model.eta))
    expert_chain.boost_rows(members, model._chain, workspace, block, steps, kept, NOT_WANTED)
    np.testing.assert_allclose(kept.T, members.seen, atol=1e-6)
    assert workspace.loss == kind
    return members.seen, model


def test_weights_and_votes_of_section_5():
    seen, model = play([[0, 0, 2], [1, 0, 0]], [0, 0, 2], 3)
    np.testing.assert_allclose(seen, [[0.5, 0.5, 0.5], [0.5, 0.19557, 0.141201]], atol=1e-6)
    np.testing.assert_allclose(model._chain.alphas, [2, -0.15738], atol=1e-6)
    for n, alphas in [(1, (1.414214, -0.707107)), (2, (1.805354, -0.04663))]:
        part = play([[0, 0][:n], [1, 0][:n]], [0, 0][:n], 3)[1]
        np.testing.assert_allclose(part._chain.alphas, alphas, atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_costs_are_the_gradient_of_the_loss(loss):
    rng = np.random.default_rng(1)
    model = AdaBoostOlmClassifier(loss=loss)
    model.classes_ = np.arange(4)
    workspace = model._workspace()
    expert_chain.clear_votes(workspace)
    for _ in range(20):
        label, alpha = int(rng.integers(4)), float(rng.uniform(-1, 1))
        expert_chain.add_vote(workspace, label, alpha)
        np.testing.assert_allclose(workspace.costs, gradient(loss, list(workspace.votes)), rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(workspace.costs.sum(axis=1), 0, atol=1e-12 * np.abs(workspace.costs).max())
        for r, c in itertools.product(range(4), repeat=2):
            up, down = workspace.votes.copy(), workspace.votes.copy()
            up[c], down[c] = up[c] + 1e-6, down[c] - 1e-6
            numeric = (loss_of(loss, up, r) - loss_of(loss, down, r)) / 2e-6
            assert workspace.costs[r, c] == pytest.approx(numeric, rel=1e-6, abs=1e-7)
            assert workspace.costs[r, r] <= workspace.costs[r, c] <= -workspace.costs[r, r]


@pytest.mark.parametrize("loss", LOSSES)
def test_the_slope_of_a_vote_is_the_derivative_by_its_weight(loss):
    votes = np.array([0.3, -1.2, 0.9])
    for vote, label in itertools.product(range(3), repeat=2):
        for alpha in (-1.5, 0.0, 0.7):
            ends = []
            for step in (-1e-6, 1e-6):
                moved = votes.copy()
                moved[vote] += alpha + step
                ends.append(loss_of(loss, moved, label))
            slope = vote_slope(LOSSES[loss], False, votes, vote, label, alpha)
            assert slope == pytest.approx((ends[1] - ends[0]) / 2e-6, rel=1e-6, abs=1e-7)


def test_the_slope_of_the_program_drives_good_members_to_the_bound():
    votes = np.array([3.0, 0.0])
    assert vote_slope(0, False, votes, 0, 0, 0.5) == pytest.approx(-0.029, abs=1e-3)
    assert vote_slope(0, True, votes, 0, 0, 0.5) == pytest.approx(-0.971, abs=1e-3)
    right = (np.random.default_rng(0).random((6, 60)) < 0.8).astype(np.int64)
    exact = play(right, np.ones(60, dtype=np.int64), 2)[1]._chain.alphas
    program = play(right, np.ones(60, dtype=np.int64), 2, gradient="code")[1]._chain.alphas
    assert program.mean() > exact.mean()


def test_steps_and_weights_of_each_loss():
    assert step_of(0, 3, 4, 25, 0.0) == pytest.approx(2 * math.sqrt(2) / (3 * 5))
    assert step_of(1, 3, 4, 25, 0.0) == pytest.approx(2 * math.sqrt(2) / (3 * math.exp(3) * 5))
    assert step_of(2, 3, 4, 25, 0.0) == pytest.approx(2 * math.sqrt(2) / (3 * 9 * 5))
    assert step_of(1, 3, 4, 25, 4.0) == pytest.approx(4 / 5)
    assert weight_of(0, 0, 0.5, 50.0) == 5
    assert weight_of(0, 4, 0.5, 50.0) == 25
    assert weight_of(1, 4, 0.5, 50.0) == pytest.approx(5 / math.exp(0.4))
    assert weight_of(1, 4, 1e200, 0.0) == 1e4
    assert weight_of(2, 4, 4.5, 0.0) == 0.5
    assert slope_of(1, 1e6) < math.inf


@pytest.mark.parametrize(("loss", "weight"), [("logistic", 0.5), ("exponential", 1.0), ("square_hinge", 1.0)])
def test_member_1_always_learns_with_the_same_weight_and_votes_stay_bounded(loss, weight):
    rng = np.random.default_rng(2)
    answers, labels = rng.integers(0, 3, (12, 80)), rng.integers(0, 3, 80)
    answers[:4] = labels
    seen, model = play(answers, labels, 3, loss=loss)
    assert (seen[0] == weight).all()
    assert (np.abs(model._chain.alphas) <= 2).all()
    got, possible = model._chain.edges
    assert (np.abs(got / possible) <= 1 + 1e-12).all()
    np.testing.assert_allclose((got / possible)[:4], 1)


def test_two_classes_and_their_step_are_adaboost_ol():
    right = np.random.default_rng(4).random((8, 60)) < 0.65
    seen, model = play(right.astype(np.int64), np.ones(60, dtype=np.int64), 2, eta=4.0)
    weights, alphas = adaboost_ol(right)
    np.testing.assert_allclose(seen, weights, atol=1e-6)
    np.testing.assert_allclose(model._chain.alphas, alphas, rtol=1e-12)


@pytest.mark.parametrize(("loss", "n_classes"), [("logistic", 3), ("exponential", 2), ("square_hinge", 4)])
def test_adaboost_olm_follows_algorithm_2(loss, n_classes):
    X, y, _ = random_table(n_classes, n=30, n_classes=n_classes)
    weights = np.tile([1.0, 0.5, 2.0], 10)
    model = AdaBoostOlmClassifier(n_estimators=5, loss=loss, expert="weighted").fit(X, y, weights)
    oracle = AdaBoostOlm(NaiveBayesClassifier, 5, np.arange(n_classes), loss)
    rows = [X[[i]] for i in range(30)]
    for i in range(30):
        oracle.learn(rows[i], y[i], weights[i])
    np.testing.assert_allclose(model.member_weights_, oracle.alphas, rtol=1e-9)
    np.testing.assert_allclose(model.expert_errors_, np.array(oracle.mistakes) / weights.sum())
    told = np.array([[vote for vote, *_ in oracle.path(row)] for row in rows])
    assert (model.member_classes(X) == told.T).all()
    shares = np.array([oracle.shares(row) for row in rows])
    np.testing.assert_allclose(model.predict_proba(X), shares, rtol=1e-9, atol=1e-15)
    assert (model.predict(X) == shares.argmax(axis=1)).mean() > 0.9  # ties are broken by class weight


def test_the_expert_that_predicts():
    X, y, _ = random_table(5, n=30)
    rows = [X[[i]] for i in range(30)]
    oracle = AdaBoostOlm(NaiveBayesClassifier, 4, np.arange(3), "logistic")
    for i in range(30):
        oracle.learn(rows[i], y[i], 1.0)
    answers = np.array([[expert for _, expert, _, _ in oracle.path(row)] for row in rows])
    best = AdaBoostOlmClassifier(n_estimators=4, expert="best").fit(X, y)
    least = max(m for m in range(4) if oracle.mistakes[m] == min(oracle.mistakes))
    assert (best.predict(X) == answers[:, least]).all()
    drawn = {AdaBoostOlmClassifier(n_estimators=4, random_state=s).fit(X, y)._expert() for s in range(40)}
    likely = np.exp(min(oracle.mistakes) - np.array(oracle.mistakes)) > 0.3
    assert set(np.flatnonzero(likely)) <= drawn
    model = AdaBoostOlmClassifier(n_estimators=4, random_state=1).fit(X, y)
    assert (model.predict(X) == answers[:, model._expert()]).all()
    assert (model.predict(X) == model.predict(X)).all()


def test_an_expert_without_votes_answers_as_its_last_member():
    prior = np.array([5.0, 1.0, 1.0])
    assert expert_chain.class_of_votes(np.zeros(3), 2, prior) == 2
    assert (
        expert_chain.class_of_votes(np.array([0.0, 0.5, 0.5]), 2, np.array([5.0, 3.0, 1.0])) == 1
    )  # the more frequent one


def test_experts_are_drawn_by_their_weight():
    model = AdaBoostOlmClassifier(n_estimators=3, random_state=1)
    model.classes_ = np.arange(2)
    model._start(3)
    model._chain.mistakes[1] = [0.0, math.log(2), math.log(4)]
    drawn = np.zeros(3)
    for t in range(2000):
        model._chain.seen[0] = t
        drawn[model._expert()] += 1
    np.testing.assert_allclose(drawn / 2000, [4 / 7, 2 / 7, 1 / 7], atol=0.04)


def test_hoeffding_trees_are_shown_scaled_weights():
    X, y, _ = random_table(6, n=40)
    model = AdaBoostOlmClassifier(HoeffdingTreeClassifier(), n_estimators=3).fit(X, y)
    assert model._members.totals[0].sum() == 5 * 40
    raw = AdaBoostOlmClassifier(HoeffdingTreeClassifier(), n_estimators=3, weight_scale="raw").fit(X, y)
    assert raw._members.totals[0].sum() == 0.5 * 40


def test_oracle_slopes_are_those_of_the_kernel():
    for loss, number in LOSSES.items():
        for d in (-3.0, -1.0, 0.0, 2.5):
            assert slope_of(number, d) == pytest.approx(SLOPES[loss](d), rel=1e-14)


@pytest.mark.parametrize("expert", ["sample", "best", "weighted"])
@pytest.mark.parametrize("n_classes", [2, 9])
def test_blocks_of_a_stream_are_predicted_as_by_one_call_an_example(expert, n_classes):
    X, y, _ = random_table(8, n=300, n_classes=n_classes)
    settings = {"n_estimators": 11, "expert": expert, "random_state": 3}
    blocks, plain = (AdaBoostOlmClassifier(**settings).partial_fit(X[:20], y[:20], range(n_classes)) for _ in range(2))
    assert_blocks_as_one_by_one(blocks, plain, X, y, (1, 30, 100, 149))
