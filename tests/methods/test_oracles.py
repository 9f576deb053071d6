"""Methods against the plainest Python that says what the figures say."""

import numpy as np
import pytest

from ensembles import (
    AdaBoostClassifier,
    BaggingClassifier,
    DecisionStumpClassifier,
    NaiveBayesClassifier,
    OnlineBaggingClassifier,
    OnlineBoostingClassifier,
    PrimedOnlineBoostingClassifier,
    SingleClassifier,
)
from ensembles.draws import streams, uniforms
from tests import naive
from tests.examples import random_table

BASES = [NaiveBayesClassifier, DecisionStumpClassifier]


@pytest.mark.parametrize("base", BASES)
def test_bagging_trains_each_member_on_its_bootstrap_sample(base):
    X, y, _ = random_table(1, n=40)
    model = BaggingClassifier(base(), n_estimators=7, random_state=3).fit(X, y)
    votes = np.zeros((40, 3))
    for stream in streams(3, "bagging", 7):
        rows = stream.integers(0, 40, 40)
        member = base().fit(X, y, np.bincount(rows, minlength=40))
        votes[np.arange(40), np.searchsorted(model.classes_, member.predict(X))] += 1
    np.testing.assert_array_equal(model.predict_proba(X), votes / 7)


def test_soft_votes_average_probabilities():
    X, y, _ = random_table(2, n=40)
    model = BaggingClassifier(n_estimators=5, vote="soft", random_state=3).fit(X, y)
    summed = np.zeros((40, 3))
    for stream in streams(3, "bagging", 5):
        counts = np.bincount(stream.integers(0, 40, 40), minlength=40)
        summed += NaiveBayesClassifier().fit(X, y, counts).predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), summed / 5, rtol=1e-12)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("rate", [1.0, 6.0])
def test_online_bagging_shows_each_example_a_poisson_number_of_times(base, rate):
    X, y, _ = random_table(3, n=50)
    model = OnlineBaggingClassifier(base(), n_estimators=6, rate=rate, random_state=5).fit(X, y)
    draws = uniforms(streams(5, "online_bagging", 6), 50)
    votes = np.zeros((50, 3))
    for m in range(6):
        counts = np.array([naive.poisson(rate, u) for u in draws[:, m]])
        member = base().fit(X, y, counts)
        votes[np.arange(50), np.searchsorted(model.classes_, member.predict(X))] += 1
    np.testing.assert_array_equal(model.predict_proba(X), votes / 6)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("seed", range(5))
def test_adaboost_follows_figure_4_1(base, seed):
    X, y, _ = random_table(seed, n=60, n_classes=2 + seed % 2)
    model = AdaBoostClassifier(base(), n_estimators=12, algorithm="m1").fit(X, y)
    members, votes, errors = naive.adaboost(base, X, y, 12)
    if not members:
        assert model.n_members_ == 1
        return
    assert model.n_members_ == len(members)
    np.testing.assert_allclose(model.member_errors_, errors, atol=1e-5)  # ours rounds weights to 2^-20
    np.testing.assert_allclose(model.member_weights_, votes, atol=1e-4)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("norm", ["thesis", "examples"])
def test_online_boosting_follows_figure_4_3(base, seed, norm):
    X, y, _ = random_table(seed, n=30, missing=0.1)
    model = OnlineBoostingClassifier(base(), n_estimators=5, norm=norm, random_state=seed)
    model.keep_weights = True
    model.fit(X, y)
    draws = uniforms(streams(seed, "online_boosting", 5), 30)
    rows = [X[[i]] for i in range(30)]
    given = rows, y, np.unique(y), draws
    members, right, wrong, came = naive.online_boosting(base, *given, by_examples=norm == "examples")
    np.testing.assert_allclose(model.example_weights_, came.T, rtol=1e-9)
    errors = wrong / (right + wrong)
    np.testing.assert_allclose(model.member_errors_, errors, rtol=1e-9)
    bad = np.flatnonzero(errors > 0.5)
    length = max(1, bad[0] if len(bad) else 5)
    assert model.n_members_ == length
    expected = np.log((right + 0.5) / (wrong + 0.5))[:length]
    np.testing.assert_allclose(model.member_weights_, expected if length > 1 or expected[0] > 0 else [1.0], rtol=1e-9)
    votes = np.zeros((30, len(model.classes_)))
    for member, vote in zip(members, model.member_weights_, strict=False):
        votes[np.arange(30), np.searchsorted(model.classes_, member.predict(X))] += vote
    np.testing.assert_allclose(model.predict_proba(X), votes / votes.sum(1, keepdims=True), rtol=1e-9)


def test_pure_draws_show_the_weight_itself():
    X, y, _ = random_table(7, n=40)
    model = OnlineBoostingClassifier(n_estimators=1, draw="pure").fit(X, y)
    assert (model.predict(X) == NaiveBayesClassifier().fit(X, y).predict(X)).all()


@pytest.mark.parametrize("base", BASES)
def test_primed_with_all_examples_is_adaboost(base):
    X, y, _ = random_table(8, n=60)
    primed = PrimedOnlineBoostingClassifier(base(), n_estimators=9, prime_fraction=1.0).fit(X, y)
    batch = AdaBoostClassifier(base(), n_estimators=9, algorithm="m1").fit(X, y)
    assert primed.n_primed_ == 60
    np.testing.assert_allclose(primed.member_errors_, batch.member_errors_, rtol=1e-12)
    errors = batch.member_errors_[: primed.n_members_]
    guarded = np.log((60 * (1 - errors) + 0.5) / (60 * errors + 0.5))  # half an example on both sides
    np.testing.assert_allclose(primed.member_weights_, guarded, rtol=1e-9)


@pytest.mark.parametrize("base", BASES)
def test_primed_with_none_is_online_boosting(base):
    X, y, _ = random_table(9, n=60)
    primed = PrimedOnlineBoostingClassifier(base(), n_estimators=9, prime_fraction=0.0, random_state=4).fit(X, y)
    online = OnlineBoostingClassifier(base(), n_estimators=9, random_state=4).fit(X, y)
    assert (primed.predict_proba(X) == online.predict_proba(X)).all()


def test_priming_takes_the_lesser_of_share_and_cap():
    X, y, _ = random_table(10, n=60)
    assert PrimedOnlineBoostingClassifier(n_estimators=3).fit(X, y).n_primed_ == 12
    assert PrimedOnlineBoostingClassifier(n_estimators=3, prime_cap=11).fit(X, y).n_primed_ == 11
    assert PrimedOnlineBoostingClassifier(n_estimators=3, prime_cap=9).fit(X, y).n_primed_ == 0


def test_priming_keeps_the_members_that_adaboost_trained():
    X, y, _ = random_table(11, n=100, n_classes=2)
    primed = PrimedOnlineBoostingClassifier(n_estimators=20, prime_fraction=0.5).fit(X, y)
    batch = AdaBoostClassifier(n_estimators=20).fit(X[:50], y[:50])
    assert len(primed.member_errors_) == batch.n_members_


def test_priming_without_a_useful_member_starts_online():
    X = np.zeros((60, 1))
    y = np.tile([0, 1, 2], 20)  # error 2/3 whatever the model
    primed = PrimedOnlineBoostingClassifier(n_estimators=4, prime_fraction=0.5, random_state=1).fit(X, y)
    online = OnlineBoostingClassifier(n_estimators=4, random_state=1).fit(X, y)
    assert (primed.predict_proba(X) == online.predict_proba(X)).all()


@pytest.mark.parametrize("base", BASES)
def test_ensembles_of_one_member_are_the_single_model_or_share_its_members(base):
    X, y, _ = random_table(12, n=50)
    single = SingleClassifier(base()).fit(X, y)
    boosted = AdaBoostClassifier(base(), n_estimators=1).fit(X, y)
    assert (single.predict(X) == boosted.predict(X)).all()
    bagged = OnlineBaggingClassifier(base(), n_estimators=1, random_state=2).fit(X, y)
    many = OnlineBaggingClassifier(base(), n_estimators=5, random_state=2).fit(X, y)
    assert (bagged._members.totals[0] == many._members.totals[0]).all()  # member 1 draws the same, whatever follows
