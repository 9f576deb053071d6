"""AdaBoost's settings: sampling, fresh starts, members without error, weights over many rounds."""

import math

import numpy as np
import pytest
from sklearn import ensemble, tree

from ensembles import (
    AdaBoostClassifier,
    DecisionStumpClassifier,
    NaiveBayesClassifier,
    NeuralNetworkClassifier,
    SklearnDecisionTreeClassifier,
    SklearnKNearestNeighborsClassifier,
)
from ensembles.data.table import Attribute, Schema, Table
from ensembles.draws import draw_counts, stream
from ensembles.errors import StoppedEarly
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.learner import TrainingBatch
from ensembles.methods.boosting.rounds import BoostingRules, boost
from tests.examples import random_examples
from tests.methods.test_fixtures import scripted
from tests.naive import adaboost


def played(answers, n_members=None, keep=True, weight=1.0, **rules):
    members, rows = scripted(answers)
    n = len(answers[0])
    table = Table(Schema((Attribute("a", "nominal", ("x",)),)), rows.codes, rows.numbers)
    examples = TrainingBatch(table, np.ones(n, dtype=np.int64), np.full(n, weight))
    return boost(
        BaseModel(), members, n_members or len(answers), rows, examples, 2, rules=BoostingRules(**rules), keep=keep
    )


def resampled(base_model, X, y, n_members, seed):
    """AdaBoost on samples, in plain Python, with members that draw like those of an ensemble."""
    model = AdaBoostClassifier(base_model, n_estimators=n_members, random_state=seed)
    examples = model._validated_examples(X, y, None, batch=True)
    rows, members = model._rows(examples.table, learning=True), model._members
    D, errors = np.full(len(y), 1 / len(y)), []
    for m in range(n_members):
        counts = draw_counts(D, len(y), stream(seed, "adaboost", m, 0))
        assert counts.sum() == len(y)
        members = base_model.fit_member(members, m, rows, examples.labels, counts)
        wrong = base_model.classes_of(members, m, rows, len(model.classes_)) != examples.labels
        error = D[wrong].sum()
        if error >= 0.5:
            break
        errors.append(error)
        if error == 0:
            break
        D = D * np.where(wrong, 1 / (2 * error), 1 / (2 * (1 - error)))
        D = np.maximum(D, 1e-6 / len(y))
        D /= D.sum()
    return errors


@pytest.mark.parametrize("updates", [1, 10])
def test_networks_in_one_pass_learn_samples(updates):
    X, y, _ = random_examples(1, n=50, n_classes=2)
    network = NeuralNetworkClassifier(epochs=1, updates_per_example=updates, learning_rate=1.0, random_state=3)
    model = AdaBoostClassifier(network, n_estimators=4, weighting="resample", random_state=6).fit(X, y)
    errors = resampled(network, X, y, 4, 6)
    assert len(errors) > 1
    np.testing.assert_allclose(model.member_errors_, errors, rtol=1e-9)


def test_base_models_without_weights_get_samples():
    X, y, _ = random_examples(2, n=60)
    by_itself, asked = (
        AdaBoostClassifier(SklearnKNearestNeighborsClassifier(), n_estimators=5, weighting=weighting, random_state=1)
        .fit(X, y)
        .predict_proba(X)
        for weighting in ("reweight", "resample")
    )
    assert (by_itself == asked).all()


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_many_classes_are_boosted_as_zhu_and_others_say(n_classes):
    X, y, _ = random_examples(7, n=120, n_classes=n_classes)
    members, votes, errors = adaboost(DecisionStumpClassifier, X, y, 15, sides=n_classes)
    model = AdaBoostClassifier(DecisionStumpClassifier(), n_estimators=15, min_weight=0.0).fit(X, y)
    assert max(errors) > 0.5 or n_classes == 2  # so that M1 would have stopped
    np.testing.assert_allclose(model.member_errors_, errors, rtol=1e-6)
    np.testing.assert_allclose(model.member_weights_, votes, rtol=1e-6)
    by_class = sum(
        vote * (member.predict(X)[:, None] == model.classes_) for vote, member in zip(votes, members, strict=True)
    )
    np.testing.assert_allclose(model.predict_proba(X), by_class / sum(votes), rtol=1e-6)


def test_two_classes_are_boosted_alike():
    X, y, weights = random_examples(8, n=90, n_classes=2)
    one, other = (
        AdaBoostClassifier(n_estimators=9, algorithm=algorithm).fit(X, y, weights) for algorithm in ("m1", "samme")
    )
    assert one.member_errors_.tolist() == other.member_errors_.tolist()
    assert one.predict_proba(X).tolist() == other.predict_proba(X).tolist()


def test_stumps_of_seven_classes_are_boosted_as_by_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = np.digitize(X[:, 0] + 0.5 * X[:, 1], [-1.5, -0.9, -0.3, 0.3, 0.9, 1.5])
    stump = {"max_depth": 1, "random_state": 0}
    peer = ensemble.AdaBoostClassifier(tree.DecisionTreeClassifier(**stump), n_estimators=20, random_state=0).fit(X, y)
    model = AdaBoostClassifier(SklearnDecisionTreeClassifier(**stump), n_estimators=20).fit(X, y)
    assert len(peer.estimators_) == model.n_members_ == 20
    np.testing.assert_allclose(model.member_errors_, peer.estimator_errors_, rtol=1e-5)
    np.testing.assert_allclose(model.member_weights_, peer.estimator_weights_, rtol=1e-5)
    assert (model.predict(X) == peer.predict(X)).all()
    assert AdaBoostClassifier(SklearnDecisionTreeClassifier(**stump), algorithm="m1").fit(X, y).n_members_ == 1


def test_one_class_is_no_matter():
    X, y = np.arange(6.0)[:, None], np.zeros(6)
    with pytest.warns(StoppedEarly, match="made no mistake"):
        assert AdaBoostClassifier().fit(X, y).predict(X).tolist() == [0.0] * 6


def test_members_may_vote_by_their_probabilities():
    X, y, _ = random_examples(9, n=80, n_classes=4)
    model = AdaBoostClassifier(NaiveBayesClassifier(), n_estimators=5, vote="soft").fit(X, y)
    model.keep_weights = True
    model.fit(X, y)
    told = [
        NaiveBayesClassifier().fit(X, y, sample_weight=weights).predict_proba(X) for weights in model.example_weights_
    ]
    expected = sum(vote * each for vote, each in zip(model.member_weights_, told, strict=True))
    np.testing.assert_allclose(model.predict_proba(X), expected / model.member_weights_.sum(), atol=1e-4)


def test_half_the_weight_lies_on_what_the_member_before_got_wrong():
    X, y, weights = random_examples(3, n=80)
    model = AdaBoostClassifier(NaiveBayesClassifier(), n_estimators=6, algorithm="m1")
    model.keep_weights = True
    model.fit(X, y, weights)
    kept = weights > 0
    np.testing.assert_allclose(model.example_weights_[0], weights[kept] * kept.sum() / weights.sum(), rtol=1e-5)
    np.testing.assert_allclose(model.example_weights_.sum(axis=1), kept.sum(), rtol=1e-12)
    assert len(model.example_weights_) == model.n_members_ > 1
    ratio = model.example_weights_[1:] / model.example_weights_[:-1]
    for error, factors in zip(model.member_errors_, ratio, strict=False):
        assert np.isclose(factors[:, None], [1 / (2 * error), 1 / (2 - 2 * error)], rtol=1e-5).any(axis=1).all()


def test_weights_survive_a_thousand_rounds():
    answers = np.ones((1000, 10), dtype=int)
    answers[:-1, 0] = 0
    answers[np.arange(999), 1 + np.arange(999) % 9] = 0
    answers[:, 9] = 1
    boosted = played(answers, min_weight=0.0)
    assert (boosted.weights > 0).all()
    assert np.isfinite(boosted.weights).all()
    never_wrong = boosted.weights[:, 9]
    assert (np.diff(never_wrong[: len(boosted.errors)]) <= 0).all()


def test_no_example_weighs_less_than_the_least():
    answers = (1 - np.eye(3, 10, dtype=int)).tolist() * 10
    floor = played(answers, min_weight=1e-3).weights
    assert floor.min() > 0.9e-3
    assert played(answers, min_weight=0.0).weights.min() < 0.9e-3
    np.testing.assert_allclose(floor.sum(axis=1), 10)


def test_fresh_starts_give_a_bootstrap_sample_equal_weights():
    answers = [[0] * 6 + [1] * 4, [1] * 9 + [0]]  # the first member is wrong on six of ten
    assert "not below one half" in played(answers, stop_rule="bk", max_resets=0).reason
    fresh = played(answers, stop_rule="bk", seed=5, min_weight=1e-3)
    for resets in range(1, 26):
        counts = draw_counts(np.full(10, 0.1), 10, stream(5, "adaboost_resets", 0, resets))
        if counts[:6].sum() <= 5:
            break
    np.testing.assert_allclose(fresh.weights[0], counts, atol=1e-9)
    assert fresh.errors[0] == pytest.approx(counts[:6].sum() / 10)
    assert (counts == 0).any()
    assert (fresh.weights[1][counts == 0] == 0).all()  # left out by the sample, whatever the least weight
    assert (fresh.members.seen[:, counts == 0][1] == 0).all()


def test_an_error_of_one_half_stops_the_thesis_but_not_bauer_and_kohavi():
    answers = [[0] * 5 + [1] * 5, [0] + [1] * 9]
    assert played(answers).votes.tolist() == [1.0]
    both = played(answers, stop_rule="bk")
    np.testing.assert_allclose(both.votes, [0.0, np.log(9)], atol=1e-9)


@pytest.mark.parametrize(
    ("rule", "votes"),
    [
        ("keep_stop", [np.log(9), np.log(19)]),
        ("infinite", [0.0, 1.0]),
        ("smooth", [np.log(9), np.log(19), np.log(19)]),
    ],
)
def test_a_member_without_error(rule, votes):
    boosted = played([[0] + [1] * 9, [1] * 10, [1] * 10], zero_error=rule)
    np.testing.assert_allclose(boosted.votes, votes, rtol=1e-9)
    assert (boosted.reason is None) == (rule == "smooth")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_logistic_probabilities_have_the_votes_as_log_odds(n_classes):
    X, y, _ = random_examples(5, n=80, n_classes=n_classes)
    shares, logistic = (AdaBoostClassifier(n_estimators=6, proba=proba).fit(X, y) for proba in ("shares", "logistic"))
    assert (logistic.predict(X) == shares.predict(X)).all()
    told = logistic.member_classes(X)
    sums = [[sum(logistic.member_weights_[told[:, i] == c]) for c in range(n_classes)] for i in range(80)]
    if n_classes == 2:
        expected = [[1 / (1 + math.exp(one - other)) for one, other in ((b, a), (a, b))] for a, b in sums]
    else:
        expected = [[math.exp(a) / sum(map(math.exp, row)) for a in row] for row in sums]
    np.testing.assert_allclose(logistic.predict_proba(X), expected, rtol=1e-12)
    assert (logistic.predict_proba(X).max(axis=1) > shares.predict_proba(X).max(axis=1)).any()


def test_a_member_that_decides_alone_is_certain():
    X, y = np.arange(20.0)[:, None], np.repeat([0, 1], 10)
    model = AdaBoostClassifier(DecisionStumpClassifier(), zero_error="infinite", proba="logistic").fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), np.eye(2)[y])


@pytest.mark.parametrize("weight", [0.15, 1.0, 8.0])
def test_a_member_without_error_has_the_largest_vote_however_light_all_examples_are(weight):
    boosted = played([[0, 1, 1], [1, 1, 1]], weight=weight)
    assert boosted.votes[0] == pytest.approx(math.log(2))
    assert boosted.votes[1] == pytest.approx(math.log(2 * max(weight, 1.0) * 3 - 1))


def test_few_light_examples_are_told_right_by_a_member_without_error():
    X, y = [[1.0], [2.0], [3.0]], [0, 1, 0]
    with pytest.warns(StoppedEarly, match="member 1 made no mistake"):
        model = AdaBoostClassifier(SklearnDecisionTreeClassifier(), n_estimators=5).fit(X, y, [0.15] * 3)
    assert (model.member_weights_ > 0).all()
    assert model.predict(X).tolist() == y
    assert model.predict_proba(X).tolist() == [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
