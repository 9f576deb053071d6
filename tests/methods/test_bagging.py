"""The bagging family: what members learn, against the plainest Python, and what the papers say must be equal."""

import math
import pickle
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import DataConversionWarning

from ensembles import (
    BaggingClassifier,
    BayesianBaggingClassifier,
    BlockedBoostingClassifier,
    DecisionStumpClassifier,
    DecisionTreeClassifier,
    FixedFractionBaggingClassifier,
    NaiveBayesClassifier,
    OnlineBaggingClassifier,
    OnlineBayesianBaggingClassifier,
    OutputCodesClassifier,
    PrunedTreeClassifier,
    SingleClassifier,
    WaggingClassifier,
)
from ensembles.draws import exponentials, stream, streams, uniforms
from ensembles.exact import WEIGHT_STEP, quantise
from tests.examples import random_examples

BASES = [NaiveBayesClassifier, DecisionStumpClassifier]
IntervalBayes = partial(NaiveBayesClassifier, numeric="entropy")


def votes_of(members, X, classes, share_of=None):
    """Return the shares of the classes that these fitted base models vote for, or the mean of their shares."""
    votes = np.zeros((len(X), len(classes)))
    for member in members:
        if share_of == "soft":
            votes += member.predict_proba(X)
        else:
            votes[np.arange(len(X)), np.searchsorted(classes, member.predict(X))] += 1
    return votes / len(members)


def drawn_weights(seed, n_members, weights):
    """Return the weights of Bayesian bagging, a row a member, in plain Python."""
    return [
        [
            max(math.floor(-math.log(1 - u) * w * 2**20 + 0.5), 1) / 2**20
            for u, w in zip(s.random(n), weights, strict=True)
        ]
        for s in streams(seed, "bayesian_bagging", n_members)
        for n in [len(weights)]
    ]


@pytest.mark.parametrize("base", BASES)
def test_a_member_of_fixed_fraction_bagging_learns_the_examples_drawn_for_it(base):
    X, y, _ = random_examples(1, n=50)
    model = FixedFractionBaggingClassifier(base(), n_estimators=6, p=0.4, random_state=5).fit(X, y)
    draws = uniforms(streams(5, "fixed_fraction_bagging", 6), 50)
    members = [base().fit(X[taken], y[taken]) for taken in (draws < 0.4).T]
    np.testing.assert_array_equal(model.predict_proba(X), votes_of(members, X, model.classes_))


def test_a_member_of_fixed_fraction_bagging_learns_p_of_the_examples():
    X, y, _ = random_examples(2, n=4000)
    model = FixedFractionBaggingClassifier(n_estimators=10, p=0.7, random_state=1).fit(X, y)
    learned = model._members.totals.sum(axis=1)
    assert (abs(learned - 2800) < 5 * math.sqrt(4000 * 0.7 * 0.3)).all()
    assert len(set(learned)) > 1


def test_fixed_fraction_0_learns_nothing_and_says_the_majority():
    X, y, _ = random_examples(3, n=50)
    model = FixedFractionBaggingClassifier(n_estimators=3, p=0.0).fit(X, y)
    assert set(model.predict(X)) == {np.bincount(y).argmax()}
    np.testing.assert_allclose(model.predict_proba(X), 1 / 3)


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("make", [FixedFractionBaggingClassifier, WaggingClassifier], ids=lambda make: make.key)
def test_without_chance_every_member_is_the_single_model(make, base):
    X, y, weights = random_examples(4, n=60)
    certain = {"p": 1.0} if make is FixedFractionBaggingClassifier else {"sigma": 0.0, "vote": "soft"}
    model = make(base(), n_estimators=4, random_state=1, **certain).fit(X, y, weights)
    single = SingleClassifier(base()).fit(X, y, weights)
    assert (model.predict(X) == single.predict(X)).all()
    if make is WaggingClassifier:
        np.testing.assert_allclose(model.predict_proba(X), single.predict_proba(X), rtol=1e-15)
    else:
        assert set(model.predict_proba(X).ravel()) == {0.0, 1.0}


@pytest.mark.parametrize(
    ("base", "weighted"),
    [
        (NaiveBayesClassifier, False),
        (NaiveBayesClassifier, True),
        (DecisionStumpClassifier, True),
        pytest.param(DecisionTreeClassifier, True, marks=pytest.mark.compiled),
    ],
)
def test_bayesian_bagging_is_the_same_online_and_in_batch_to_the_last_bit(base, weighted):
    X, y, weights = random_examples(5, n=80)
    weights = weights if weighted else None
    batch = BayesianBaggingClassifier(base(), n_estimators=5, vote="soft", random_state=3).fit(X, y, weights)
    online = OnlineBayesianBaggingClassifier(base(), n_estimators=5, vote="soft", random_state=3)
    for rows in np.array_split(np.arange(80), [7, 50]):
        online.partial_fit(X.iloc[rows], y[rows], range(3), None if weights is None else weights[rows])
    assert (batch.predict_proba(X) == online.predict_proba(X)).all()


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("vote", ["hard", "soft"])
def test_bayesian_bagging_shows_exponential_weights_in_any_order(base, vote):
    X, y, weights = random_examples(6, n=60)
    X, y, weights = X[weights > 0], y[weights > 0], quantise(weights[weights > 0])
    model = OnlineBayesianBaggingClassifier(base(), n_estimators=4, vote=vote, random_state=2).fit(X, y, weights)
    other = np.random.default_rng(0).permutation(len(y))
    drawn = [np.array(row)[other] for row in drawn_weights(2, 4, weights)]
    members = [base().fit(X.iloc[other], y[other], row) for row in drawn]
    np.testing.assert_allclose(model.predict_proba(X), votes_of(members, X, model.classes_, vote), rtol=1e-12)


def test_dirichlet_weights_sum_to_the_number_of_examples_and_change_no_proportional_model():
    X, y, _ = random_examples(7, n=90)
    models = [
        BayesianBaggingClassifier(DecisionStumpClassifier(), n_estimators=9, scale=scale, random_state=1).fit(X, y)
        for scale in ("gamma", "dirichlet_n")
    ]
    assert (models[0]._members.chosen == models[1]._members.chosen).all()
    assert abs(models[1]._members.totals.sum(axis=1) - 90).max() < 90 * WEIGHT_STEP
    assert abs(models[0]._members.totals.sum(axis=1) - 90).min() > 0.1
    assert (models[0].predict(X) == models[1].predict(X)).all()


def test_exponential_numbers_have_mean_and_variance_1_and_no_weight_is_0():
    drawn = exponentials(stream(1, "bayesian_bagging", 0).random(100_000))
    assert abs(drawn.mean() - 1) < 5 / math.sqrt(100_000)
    assert abs(drawn.var() - 1) < 5 * math.sqrt(8 / 100_000)
    assert exponentials(np.zeros(1))[0] == WEIGHT_STEP


@pytest.mark.parametrize("vote", ["hard", "soft"])
@pytest.mark.parametrize("base", BASES)
def test_wagging_adds_noise_to_the_weights(base, vote):
    X, y, weights = random_examples(8, n=60)
    X, y, weights = X[weights > 0], y[weights > 0], quantise(weights[weights > 0])
    model = WaggingClassifier(base(), n_estimators=5, rescale=False, vote=vote, random_state=4).fit(X, y, weights)
    members = []
    for noise in streams(4, "wagging", 5):
        drawn = [max(0.0, 1 + 2.0 * z) * w for z, w in zip(noise.standard_normal(len(y)), weights, strict=True)]
        members.append(base().fit(X, y, drawn))
    np.testing.assert_allclose(model.predict_proba(X), votes_of(members, X, model.classes_, vote), rtol=1e-12)


@pytest.mark.parametrize(("sigma", "zeros", "mean"), [(2.0, 0.309, 1.40), (2.5, 0.345, 1.57), (3.0, 0.369, 1.76)])
def test_noise_leaves_out_the_share_of_examples_that_theory_says(sigma, zeros, mean):
    weights = WaggingClassifier(sigma=sigma, rescale=False)._weigh(stream(1, "wagging", 0), np.ones(100_000))
    assert (weights == 0).mean() == pytest.approx(zeros, abs=0.006)
    assert weights.mean() == pytest.approx(mean, abs=0.02)
    rescaled = WaggingClassifier(sigma=sigma)._weigh(stream(1, "wagging", 0), np.ones(100_000))
    assert rescaled.sum() == pytest.approx(100_000, abs=0.1)


def test_wagging_draws_again_when_all_weights_are_0():
    X, y, _ = random_examples(9, n=1)
    model = WaggingClassifier(n_estimators=30, sigma=3.0, random_state=1).fit(X, y)
    assert (model._members.totals.sum(axis=1) == 1).all()  # one in three would have learned nothing


@pytest.mark.parametrize("size", [0, 1, 15, 200])
def test_a_bootstrap_sample_has_the_size_asked_for(size):
    X, y, _ = random_examples(10, n=40)
    model = BaggingClassifier(n_estimators=5, max_samples=size, random_state=1).fit(X, y)
    assert (model._members.totals.sum(axis=1) == (size or 40)).all()


def test_a_bootstrap_sample_holds_63_percent_of_the_examples():
    counts = BaggingClassifier()._weigh(stream(1, "bagging", 0), np.ones(50_000))
    assert counts.sum() == 50_000
    assert (counts > 0).mean() == pytest.approx(1 - math.exp(-1), abs=0.007)


def test_soft_votes_of_members_that_know_no_doubt_are_hard_votes():
    X, y, _ = random_examples(11, n=80)
    tree = PrunedTreeClassifier(leaf_proba="majority")
    soft, hard = (BaggingClassifier(tree, n_estimators=7, vote=v, random_state=1).fit(X, y) for v in ("soft", "hard"))
    np.testing.assert_array_equal(soft.predict_proba(X), hard.predict_proba(X))


def test_one_unpruned_tree_says_the_same_by_its_class_and_by_its_shares():
    X, y, _ = random_examples(11, n=80, decimals=0)
    tree = PrunedTreeClassifier(prune="none", max_depth=3)
    soft, hard = (BaggingClassifier(tree, n_estimators=1, vote=v, random_state=1).fit(X, y) for v in ("soft", "hard"))
    shares = np.sort(soft.predict_proba(X), axis=1)
    clear = shares[:, -1] > shares[:, -2]
    assert clear.mean() > 0.5
    assert shares[:, -1].min() < 1  # not only pure leaves
    assert (soft.predict(X) == hard.predict(X))[clear].all()


MANY = [BaggingClassifier, BayesianBaggingClassifier, WaggingClassifier, OnlineBaggingClassifier]
MANY += [OnlineBayesianBaggingClassifier, FixedFractionBaggingClassifier]


@pytest.mark.parametrize("make", MANY, ids=lambda make: make.key)
def test_a_member_is_the_same_whatever_follows(make):
    X, y, _ = random_examples(12, n=50)
    few, many = (make(n_estimators=n, random_state=2).fit(X, y)._members for n in (2, 6))
    assert (few.cells == many.cells[:2]).all()
    assert (few.totals == many.totals[:2]).all()
    assert not (many.totals[0] == many.totals[1]).all() or not (many.cells[0] == many.cells[1]).all()


@pytest.mark.parametrize(
    "make",
    [
        BaggingClassifier,
        WaggingClassifier,
        BayesianBaggingClassifier,
        OnlineBaggingClassifier,
        OnlineBayesianBaggingClassifier,
        FixedFractionBaggingClassifier,
        partial(BlockedBoostingClassifier, block_size=20),
    ],
    ids=lambda make: getattr(make, "key", "blocked_boosting"),
)
def test_members_that_training_does_not_test_are_asked_about_its_examples(make):
    X, y, weights = random_examples(16, n=60)
    model = make(n_estimators=4, random_state=1).fit(X, y, weights)
    expected = [
        sum(w for told, true, w in zip(row, y, quantise(weights), strict=True) if model.classes_[told] != true)
        / quantise(weights).sum()
        for row in model.member_classes(X)
    ]
    assert len(expected) > 1
    assert model.member_errors_.tolist() == expected
    assert 0 < min(expected) < max(expected) < 1
    np.testing.assert_allclose(list(model.errors_on(X, y, weights)), expected, atol=1e-6)
    assert list(model.errors_on(X, y)) == [(model.classes_[row] != y).mean() for row in model.member_classes(X)]


@pytest.mark.parametrize("make", [BaggingClassifier, OutputCodesClassifier])
def test_members_are_tested_on_classes_in_every_form_that_is_learned(make):
    X, y, _ = random_examples(16, n=60, n_classes=2)
    model = make(n_estimators=3, random_state=1).fit(X, y)
    expected = list(model.errors_on(X, y))
    assert 0 < max(expected) < 0.5
    truths = pd.Series(y.astype(bool), dtype="bool[pyarrow]")
    told = make(n_estimators=3, random_state=1).fit(X, truths)
    assert list(told.errors_on(X, truths)) == expected
    for form in (y[:, None], pd.DataFrame({"y": y}), y.tolist(), pd.Series(y, dtype="Int64")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataConversionWarning)
            assert list(model.errors_on(X, form)) == expected


def test_members_learned_in_pieces_are_asked_about_the_last_piece():
    X, y, _ = random_examples(17, n=60)
    y = np.array(["a", "b", "c"])[y]
    model = OnlineBaggingClassifier(n_estimators=3, random_state=1).partial_fit(X[:40], y[:40], classes=["a", "b", "c"])
    assert model.member_errors_.tolist() == list(model.errors_on(X[:40], y[:40]))
    model.partial_fit(X[40:], y[40:])
    assert model.member_errors_.tolist() == list(model.errors_on(X[40:], y[40:]))
    assert model.member_errors_.tolist() != list(model.errors_on(X[:40], y[:40]))


def test_a_pickle_has_no_examples_to_ask_members_about():
    X, y, _ = random_examples(18, n=60)
    model = BaggingClassifier(n_estimators=3, random_state=1).fit(X, y)
    unasked = pickle.dumps(model)
    assert np.isnan(pickle.loads(unasked).member_errors_).all()
    errors = model.member_errors_
    assert pickle.loads(pickle.dumps(model)).member_errors_.tolist() == errors.tolist()
    larger = pickle.dumps(
        BaggingClassifier(n_estimators=3, random_state=1).fit(X.iloc[np.repeat(np.arange(60), 50)], y.repeat(50))
    )
    assert len(larger) < 1.1 * len(unasked)


def test_a_member_that_has_learned_nothing_has_no_error():
    X, y, _ = random_examples(3, n=50)
    model = FixedFractionBaggingClassifier(n_estimators=3, p=0.0).fit(X, y)
    assert np.isnan(model.member_errors_).all()
