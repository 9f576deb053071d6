"""OGBoost against a trace and a plain replay, with two classes and with more."""

import math

import numpy as np
import pytest

from ensembles import NaiveBayesClassifier, NeuralNetworkClassifier, OgboostClassifier, PerceptronClassifier
from ensembles.methods.boosting.ogboost import LOSSES, Rules, Selectors, boost_rows, slope_of
from ensembles.methods.core.block import NO_VOTES, Block, Trace
from tests.examples import random_table
from tests.methods.one_by_one import assert_blocks_as_one_by_one
from tests.methods.scripted import scripted

VALUES = {
    "logit": lambda z: math.log1p(math.exp(-z)),
    "exp": lambda z: math.exp(-z),
    "doom": lambda z: 1 - math.tanh(z),
    "savage": lambda z: 1 / (1 + math.exp(2 * z)) ** 2,
}


def play(answers, labels, n_weak=1, loss="logit"):
    answers = np.array(answers, dtype=np.int64)
    members, rows = scripted(answers)
    n_members, n = answers.shape
    wrong, tested = np.zeros((1, n_members // n_weak, n_weak)), np.zeros((1, n_members // n_weak))
    work, kept = np.empty((5, 2)), np.zeros((n, n_members))
    labels = np.array(labels, dtype=np.int64)
    block, rules = Block(rows, labels, np.ones(n), 0, n), Rules(LOSSES[loss], real=False)
    boost_rows(members, Selectors(wrong, tested), block, rules, Trace(kept, NO_VOTES), work)
    np.testing.assert_allclose(kept.T, members.seen, atol=1e-6)
    return members.seen, wrong, tested


def replay(rows, y, weights, n_members, n_weak, real):
    """Train one chain with the logistic loss; return the members, chosen ones in front, and the errors."""
    members = [[NaiveBayesClassifier() for _ in range(n_weak)] for _ in range(n_members)]
    errors = np.zeros((n_members, n_weak))
    for row, side, given in zip(rows, y, weights, strict=True):
        sign, total = 2 * side - 1, 0.0
        for j, selector in enumerate(members):
            weight = given / (1 + math.exp(sign * total))
            for k, member in enumerate(selector):
                member.partial_fit(row, [side], [0, 1], [math.floor(weight * 2**20 + 0.5) / 2**20])
                if vote_of(member, row, real) * sign <= 0:
                    errors[j, k] += weight
            total += vote_of(selector[int(errors[j].argmin())], row, real)
    return [selector[int(e.argmin())] for selector, e in zip(members, errors, strict=True)], errors


def vote_of(member, row, real):
    if real:
        shares = member.predict_proba(row)[0]
        return shares[1] - shares[0]
    return 2 * member.predict(row)[0] - 1


def test_weights_of_section_5():
    seen, _, _ = play([[1, 0], [1, 1], [1, 0]], [1, 1])
    np.testing.assert_allclose(seen[:, 0], [0.5, 0.26894142, 0.11920292], atol=1e-6)
    np.testing.assert_allclose(seen[:, 1], [0.5, 0.73105858, 0.5], atol=1e-6)


@pytest.mark.parametrize("loss", VALUES)
def test_weights_are_slopes_of_the_loss(loss):
    for z in (-3.0, -0.4, 0.0, 0.7, 4.0):
        numeric = (VALUES[loss](z - 1e-6) - VALUES[loss](z + 1e-6)) / 2e-6
        assert slope_of(LOSSES[loss], z) == pytest.approx(numeric, rel=1e-6)
        assert slope_of(LOSSES[loss], 900.0 * (1 if z > 0 else -1)) <= 1e4


def test_weights_fall_with_the_margin():
    for loss in ("logit", "exp"):
        slopes = [slope_of(LOSSES[loss], z) for z in np.linspace(-5, 5, 50)]
        assert slopes == sorted(slopes, reverse=True)


def test_a_selector_votes_with_its_best_member_and_the_first_of_equals():
    # selector 1: its second member is right; selector 2 sees the weight that this vote leaves
    seen, wrong, tested = play([[0, 0], [1, 1], [1, 1], [1, 1]], [1, 1], n_weak=2)
    np.testing.assert_allclose(wrong[0], [[1.0, 0.0], [0.0, 0.0]])
    np.testing.assert_allclose(seen[2], [0.26894142, 0.26894142], atol=1e-6)
    np.testing.assert_allclose(tested[0], [1.0, 2 * 0.26894142])
    # both members of selector 1 have erred once when example 2 comes: the first votes, and is right
    seen, _, _ = play([[0, 1], [1, 0], [1, 1], [1, 1]], [1, 1], n_weak=2)
    np.testing.assert_allclose(seen[2], [0.26894142, 0.26894142], atol=1e-6)


@pytest.mark.parametrize(("n_classes", "output"), [(2, "hard"), (2, "real"), (3, "hard")])
def test_ogboost_follows_its_authors_with_one_chain_or_one_a_class(n_classes, output):
    X, y, _ = random_table(n_classes, n=16, n_classes=n_classes)
    weights = np.tile([1.0, 0.5, 2.0, 1.25], 4)
    model = OgboostClassifier(n_estimators=3, n_weak=2, output=output).fit(X, y, weights)
    rows = [X[[i]] for i in range(16)]
    sides = [y] if n_classes == 2 else [(y == c).astype(int) for c in range(n_classes)]
    chains = [replay(rows, side, weights, 3, 2, output == "real") for side in sides]
    scores = np.array([[sum(vote_of(m, row, output == "real") for m in c) for c, _ in chains] for row in rows])
    chances = 1 / (1 + np.exp(-scores))
    if n_classes == 2:
        chances = np.column_stack([1 - chances, chances])
    np.testing.assert_allclose(model.predict_proba(X), chances / chances.sum(axis=1, keepdims=True), rtol=1e-6)
    errors = model.member_errors_.reshape(-1, 3, 2)
    np.testing.assert_allclose(errors[:, 0], np.array([e[0] for _, e in chains]) / (weights.sum() / 2), atol=1e-6)
    assert model.member_weights_.tolist() == [1, 0] * (3 * len(chains))  # members that start alike stay alike


@pytest.mark.parametrize(("n_classes", "output"), [(2, "hard"), (2, "real"), (3, "hard"), (9, "real")])
@pytest.mark.parametrize("n_weak", [1, 3])
def test_blocks_of_a_stream_are_predicted_as_by_one_call_an_example(n_classes, output, n_weak):
    X, y, _ = random_table(8, n=200, n_classes=n_classes)
    settings = {"n_estimators": 3, "n_weak": n_weak, "output": output, "random_state": 3}
    base = PerceptronClassifier() if n_weak == 1 else NeuralNetworkClassifier()  # networks differ from the start
    blocks, plain = (
        OgboostClassifier(base, **settings).partial_fit(X[:20], y[:20], range(n_classes)) for _ in range(2)
    )
    assert_blocks_as_one_by_one(blocks, plain, X, y, (1, 30, 149))
    assert (blocks.member_weights_ == plain.member_weights_).all()
