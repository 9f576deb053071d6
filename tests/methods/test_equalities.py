"""What methods have in common: equal members for equal draws, and laws of the weights that examples come with."""

import numpy as np
import pandas as pd
import pytest

from ensembles import (
    AdaBoostClassifier,
    AdaBoostOlmClassifier,
    ArcX4Classifier,
    BaggingClassifier,
    BlockedBoostingClassifier,
    DecisionStumpClassifier,
    NaiveBayesClassifier,
    NeuralNetworkClassifier,
    OgboostClassifier,
    OnlineArcX4Classifier,
    OnlineBaggingClassifier,
    OnlineBayesianBaggingClassifier,
    OnlineBoostingClassifier,
    OsboostClassifier,
    PrimedOnlineBoostingClassifier,
)
from ensembles.draws import streams, uniforms
from ensembles.methods.bagging import online_bagging, online_bayesian_bagging
from ensembles.methods.boosting.chain import (
    HEAVIEST,
    LIGHTEST,
    OnlineBoostingRules,
    Passing,
    handed_first,
    new_chain,
    new_workspace,
)
from ensembles.methods.boosting.online_boosting import Taught, boost_rows
from ensembles.methods.core.block import NO_VOTES, Block, Trace
from tests import naive
from tests.examples import random_table
from tests.methods.scripted import scripted


def weak_stump():
    return DecisionStumpClassifier("info_gain", "multiway")


BASES = [NaiveBayesClassifier, weak_stump]


def probabilities_of(model, m, X):
    """Return the class probabilities of member m."""
    base_model = model.base_model()
    rows = base_model.rows(model._members, model._encoded(X), learning=False)
    return base_model.probabilities_of(model._members, m, rows, len(model.classes_))


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(
    "model", [BaggingClassifier(), OnlineBaggingClassifier(), OnlineBayesianBaggingClassifier()], ids=lambda m: m.key
)
def test_members_that_are_drawn_every_example_once_are_the_single_model(model, base, monkeypatch):
    X, y, weights = random_table(1, n=60)
    monkeypatch.setattr(BaggingClassifier, "_weigh", lambda _self, _stream, given: given)
    monkeypatch.setattr(online_bagging, "poisson_counts", lambda _, draws: np.ones(draws.shape, dtype=np.int16))
    monkeypatch.setattr(online_bayesian_bagging, "exponentials", np.ones_like)
    model.set_params(estimator=base(), n_estimators=3).fit(X, y, weights)
    single = base().fit(X, y, weights).predict_proba(X)
    assert all((probabilities_of(model, m, X) == single).all() for m in range(3))


@pytest.mark.parametrize(
    ("model", "weight"),
    [
        (AdaBoostClassifier(), 1.0),
        (ArcX4Classifier(weighting="reweight"), 1.0),
        (OnlineArcX4Classifier(), 1.0),
        (OnlineBoostingClassifier(draw="pure"), 1.0),
        (OsboostClassifier(), 1.0),
        (OgboostClassifier(), 0.5),
        (AdaBoostOlmClassifier(), 0.5),
    ],
    ids=lambda p: getattr(p, "key", ""),
)
def test_member_1_of_boosting_is_the_single_model(model, weight):
    X, y, _ = random_table(2, n=60, n_classes=2)
    model.set_params(n_estimators=3).fit(X, y)
    assert (
        probabilities_of(model, 0, X) == NaiveBayesClassifier().fit(X, y, np.full(60, weight)).predict_proba(X)
    ).all()
    assert (probabilities_of(model, 1, X) != probabilities_of(model, 0, X)).any()


@pytest.mark.parametrize("base", BASES)
def test_online_bagging_with_the_counts_of_a_bootstrap_is_bagging(base, monkeypatch):
    X, y, weights = random_table(3, n=50)
    kept = np.flatnonzero(weights)
    counts = [np.bincount(s.integers(0, len(kept), len(kept)), minlength=len(kept)) for s in streams(4, "bagging", 5)]
    monkeypatch.setattr(online_bagging, "poisson_counts", lambda *_: np.array(counts, dtype=np.int16).T.copy())
    online = OnlineBaggingClassifier(base(), n_estimators=5).fit(X, y, weights)
    batch = BaggingClassifier(base(), n_estimators=5, random_state=4).fit(X, y, weights)
    assert all((probabilities_of(online, m, X) == probabilities_of(batch, m, X)).all() for m in range(5))


@pytest.mark.parametrize("base", BASES)
def test_member_1_of_online_boosting_is_that_of_online_bagging_for_the_same_draws(base, monkeypatch):
    X, y, _ = random_table(4, n=60)
    monkeypatch.setattr(OnlineBoostingClassifier, "purpose", "online_bagging")
    boosted = OnlineBoostingClassifier(base(), n_estimators=3, random_state=5).fit(X, y)
    bagged = OnlineBaggingClassifier(base(), n_estimators=3, random_state=5).fit(X, y)
    assert (probabilities_of(boosted, 0, X) == probabilities_of(bagged, 0, X)).all()
    assert (probabilities_of(boosted, 2, X) != probabilities_of(bagged, 2, X)).any()


def test_what_online_boosting_counts_is_the_weight_that_came():
    X, y, weights = random_table(5, n=80)
    model = OnlineBoostingClassifier(n_estimators=6, random_state=1)
    model.keep_weights = True
    model.fit(X, y, weights)
    np.testing.assert_allclose(model._chain.right + model._chain.wrong, model.example_weights_.sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(model.example_weights_[0], weights[weights > 0], atol=1e-6)


def test_online_boosting_keeps_weights_within_bounds():
    members, rows = scripted(np.ones((1100, 1)))  # always right, so that each halves the weight
    chain = new_chain(1100)
    kept = boosted_once(members, rows, chain)
    assert kept[kept > 0].min() == 2.0**-996 >= LIGHTEST > 2.0**-997
    assert ((chain.right > 0) == (kept > 0)).all()
    members, rows = scripted(np.zeros((2, 1)))  # wrong for the first time, after much that was right
    chain = new_chain(2)
    chain.right[:] = 1e7
    assert boosted_once(members, rows, chain).tolist() == [1.0, HEAVIEST]


def boosted_once(members, rows, chain):
    """Pass one example of class 1 through the chain, with its weight; return the weights it came with."""
    n = len(chain.right)
    block, kept = Block(rows, np.array([1]), np.ones(1), 0, 1), np.zeros((1, n))
    rules, handed = OnlineBoostingRules(pure=True, by_examples=False), handed_first(block.weights, 0)
    passing = Passing(chain, rules, Trace(kept, NO_VOTES), handed, new_workspace(n, 2))
    boost_rows(Taught(members, members), passing, block, np.zeros((1, n)))
    return kept[0]


@pytest.mark.parametrize("base", BASES)
def test_primed_online_boosting_goes_on_from_the_members_of_adaboost(base):
    X, y, _ = random_table(6, n=90, missing=0.05)
    model = PrimedOnlineBoostingClassifier(base(), n_estimators=5, prime_fraction=0.5, random_state=2).fit(X, y)
    members, _, errors = naive.adaboost(base, X[:45], y[:45], 5)
    assert model.n_primed_ == 45
    assert len(members) == len(model.member_errors_) > 1
    standing = members, 45 * (1 - np.array(errors)), 45 * np.array(errors)
    rows = [X[[i]] for i in range(45, 90)]
    draws = uniforms(streams(2, "online_boosting", len(members)), 45)
    members, right, wrong, _ = naive.online_boosting(base, rows, y[45:], np.unique(y), draws, standing)
    np.testing.assert_allclose(model.member_errors_, wrong / (right + wrong), atol=1e-4)  # weights round to 2^-20
    votes = np.zeros((90, 3))
    for member, vote in zip(members, model.member_weights_, strict=False):
        votes[np.arange(90), member.predict(X)] += vote
    np.testing.assert_allclose(model.predict_proba(X), votes / votes.sum(1, keepdims=True), rtol=1e-9)


def weak_network():
    return NeuralNetworkClassifier(
        hidden=0, learning_rate=0.2, momentum=0.5, epochs=10, loss="squared", decay=0.0, averaged=False
    )


@pytest.mark.parametrize("base", [*BASES, weak_network])
def test_padding_changes_nothing_for_the_members_of_adaboost(base):
    X, y, _ = random_table(17, n=90)
    models = [
        PrimedOnlineBoostingClassifier(base(), n_estimators=6, prime_fraction=share, pad=pad, random_state=2).fit(X, y)
        for share in (0.5, 1.0)
        for pad in (False, True)
    ]
    for plain, padded in zip(models[::2], models[1::2], strict=True):
        kept = len(plain.member_errors_)
        assert kept < len(padded.member_errors_) == 6
        assert (plain.member_errors_ == padded.member_errors_[:kept]).all()
        assert all((probabilities_of(plain, m, X) == probabilities_of(padded, m, X)).all() for m in range(kept))
    assert np.isnan(padded.member_errors_[kept:]).all()  # nothing was left to learn online
    assert (padded.predict_proba(X) == plain.predict_proba(X)).all()
    assert all((probabilities_of(padded, m, X) == 1 / 3).all() for m in range(kept, 6))


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("norm", ["thesis", "examples"])
def test_fresh_members_follow_those_of_adaboost_and_have_seen_nothing(base, norm):
    X, y, _ = random_table(17, n=90)
    model = PrimedOnlineBoostingClassifier(
        base(), n_estimators=7, prime_fraction=0.5, pad=True, norm=norm, random_state=2
    )
    model.fit(X, y)
    members, _, errors = naive.adaboost(base, X[:45], y[:45], 7)
    kept, errors = len(members), np.array(errors)
    assert 0 < kept < 7
    members += [base() for _ in range(kept, 7)]
    right, wrong = np.zeros(7), np.zeros(7)
    right[:kept], wrong[:kept] = 45 * (1 - errors), 45 * errors
    began = np.repeat([0, 45], [kept, 7 - kept])
    rows = [X[[i]] for i in range(45, 90)]
    draws = uniforms(streams(2, "online_boosting", 7), 45)
    given = rows, y[45:], np.unique(y), draws, (members, right, wrong)
    _, right, wrong, _ = naive.online_boosting(base, *given, by_examples=norm == "examples", began=began, first=45)
    np.testing.assert_allclose(model.member_errors_, wrong / (right + wrong), atol=1e-4)  # weights round to 2^-20


@pytest.mark.parametrize("n", range(20, 120, 2))
def test_an_error_of_one_half_is_one_half_however_its_sum_is_rounded(n):
    X, y = np.zeros((n, 1)), np.tile([0, 1], n // 2)
    assert AdaBoostClassifier().fit(X, y).member_errors_.tolist() == [0.5]
    primed = PrimedOnlineBoostingClassifier(n_estimators=3, prime_fraction=1.0).fit(X, y)
    assert len(primed.member_errors_) == 3  # AdaBoost kept none, so all start online


@pytest.mark.parametrize("seed", range(8))
def test_the_training_error_of_adaboost_stays_below_the_bound_of_its_theorem(seed):
    X, y, _ = random_table(seed, n=80, n_classes=2, missing=0.05)
    model = AdaBoostClassifier(DecisionStumpClassifier(), n_estimators=12).fit(X, y)
    bounds = np.cumprod(2 * np.sqrt(model.member_errors_ * (1 - model.member_errors_)))
    for told, bound in zip(model.staged_predict(X), bounds, strict=True):
        assert (told != y).mean() <= bound + 1e-6


def test_the_order_of_the_examples_is_the_order_of_their_weights():
    X, y, _ = random_table(7, n=60, n_classes=2)
    order = np.random.default_rng(1).permutation(60)
    models = AdaBoostClassifier(n_estimators=6), AdaBoostClassifier(n_estimators=6)
    for model, rows in zip(models, (np.arange(60), order), strict=True):
        model.keep_weights = True
        model.fit(X[rows], y[rows])
    assert models[0].n_members_ > 2
    np.testing.assert_allclose(models[1].example_weights_, models[0].example_weights_[:, order], rtol=1e-5)


def test_arc_x4_leaves_the_weights_of_members_without_mistakes_alone():
    model = ArcX4Classifier(n_estimators=4, weighting="reweight")
    model.keep_weights = True
    model.fit(pd.DataFrame({"a": ["x", "y"] * 10}), [0, 1] * 10)
    assert (model.example_weights_ == 1).all()
    assert (model._members.cells == model._members.cells[0]).all()


@pytest.mark.parametrize(
    ("mode", "chances"),
    [("literal", [4.0, 1.857, 1.162, 0.829, 0.639]), ("ivotes", [0.739, 0.584, 0.485, 0.418, 0.372])],
)
def test_blocks_accept_more_than_half_of_what_is_right_until_the_estimate_has_come_down(mode, chances):
    model, estimates = BlockedBoostingClassifier(mode=mode), []
    for _ in range(6):
        estimates.append(model._estimate(estimates, np.array([0, 0, 100, 20])))  # one in five wrong
    e = np.array(estimates[1:])
    np.testing.assert_allclose(e / (1 - e), chances, atol=5e-4)


def test_blocks_of_an_ensemble_that_is_always_wrong_follow_one_another():
    model = BlockedBoostingClassifier(block_size=5).fit(np.zeros((20, 1)), np.repeat(range(4), 5))
    np.testing.assert_array_equal(model._members.totals[:4], 5 * np.eye(4))
    np.testing.assert_allclose(model.error_estimates_, [0.5, 0.625, 0.71875, 0.7890625])
