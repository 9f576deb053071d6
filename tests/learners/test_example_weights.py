"""Weights: their scale does not matter where they are relative, and counts too light to learn from warn."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier

from ensembles import AdaBoostClassifier as Boosting
from ensembles import (
    ArcX4Classifier,
    DecisionTreeClassifier,
    NaiveBayesClassifier,
    OnlineBaggingClassifier,
    PrimedOnlineBoostingClassifier,
    PrunedTreeClassifier,
)
from ensembles.errors import InvalidData, LightWeights
from ensembles.exact import WEIGHT_STEP
from ensembles.learners.core.example_weights import in_units, unit_of
from tests.examples import random_examples

TREES = (PrunedTreeClassifier, DecisionTreeClassifier)


class UnitWeightsTree(PrunedTreeClassifier):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y, sample_weight / sample_weight.mean())


class UnitWeightsLosslessTree(DecisionTreeClassifier):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y, sample_weight / sample_weight.mean())


@pytest.mark.parametrize("tree", TREES)
def test_a_tree_is_the_same_whatever_the_weights_sum_to(tree):
    X, y = make_classification(500, 6, n_informative=4, flip_y=0.2, random_state=0)
    plain = tree().fit(X, y)
    assert plain.member_sizes_[0].nodes > 20
    for weight in (1 / 500, 1 / 2000, 1e-300, 2.0**-11, 2.0**7, 1e300):
        weighted = tree().fit(X, y, np.full(500, weight))
        assert weighted.member_sizes_ == plain.member_sizes_
        assert (weighted.predict_proba(X) == plain.predict_proba(X)).all()


@pytest.mark.parametrize(
    ("ours", "units"), [(PrunedTreeClassifier, UnitWeightsTree), (DecisionTreeClassifier, UnitWeightsLosslessTree)]
)
def test_boosting_of_scikit_learn_gets_from_our_trees_what_they_give_for_weights_of_one_on_average(ours, units):
    X, y = make_classification(600, 6, n_informative=4, flip_y=0.1, random_state=1)
    told = []
    for tree in (ours(), units()):
        model = AdaBoostClassifier(tree, n_estimators=5, random_state=0).fit(X[:300], y[:300])
        told.append((model.predict(X[300:]), model.estimator_errors_))
    (predicted, errors), (expected, expected_errors) = told
    assert (predicted == expected).all()
    np.testing.assert_allclose(errors, expected_errors, rtol=1e-9)
    assert (predicted == y[300:]).mean() > 0.7


@pytest.mark.parametrize("base", [PrunedTreeClassifier, DecisionTreeClassifier, NaiveBayesClassifier])
@pytest.mark.parametrize(
    "boosting",
    [
        lambda base: Boosting(base, n_estimators=12),
        lambda base: ArcX4Classifier(base, n_estimators=12, weighting="reweight"),
    ],
    ids=["adaboost", "arc_x4"],
)
def test_boosting_learns_a_table_of_counts_as_the_rows_that_it_counts(boosting, base):
    """Members learned as if each row of the table stood for one example: trees of a thousand were pruned as of a dozen."""
    counts = np.array([5, 11, 35, 13, 1, 17, 14, 118, 57, 154, 387, 75, 670, 192])
    cells = np.arange(len(counts)) // 2
    X, y = np.stack([cells % 2, cells // 2, cells % 3], axis=1).astype(float), np.arange(len(counts)) % 2
    counted = boosting(base()).fit(X, y, counts)
    every = np.repeat(np.arange(len(counts)), counts)
    rows = boosting(base()).fit(X[every], y[every])
    assert counted.n_members_ == rows.n_members_
    assert counted.member_sizes_ == rows.member_sizes_
    np.testing.assert_allclose(counted.member_errors_, rows.member_errors_, atol=1e-4)
    np.testing.assert_allclose(counted.predict_proba(X), rows.predict_proba(X), atol=1e-4)


def test_priming_learns_weights_on_the_scale_of_the_examples_to_come():
    X, y = make_classification(60, 4, flip_y=0.2, random_state=0)
    model = PrimedOnlineBoostingClassifier(NaiveBayesClassifier(), 3, prime_fraction=1.0).fit(X, y, np.full(60, 2.0))
    twice = NaiveBayesClassifier().fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    np.testing.assert_allclose(model.estimators_[0].predict_proba(X), twice.predict_proba(X), rtol=1e-9)


def test_moderate_weights_count_as_they_are():
    for weights in ([1.0, 1.0], [0.5, 0.25, 3.0], [1 / 8], [8.0, 8.0], [2.0, 4.0]):
        assert unit_of(np.array(weights)) == 1.0


def test_weights_far_from_one_are_divided_by_their_average():
    assert unit_of(np.array([0.1, 0.3]) / 1000) == pytest.approx(0.0002)
    assert unit_of(np.array([100.5, 200.5])) == pytest.approx(150.5)
    assert unit_of(np.array([1.7e308, 1.7e308])) == 1.7e308
    assert in_units(np.array([5e-324, 1e300]), 1e300).tolist() == [WEIGHT_STEP, 1.0]


def test_a_table_of_how_often_rows_occurred_counts_examples():
    assert unit_of(np.array([53.0, 120.0, 7.0])) == 1.0
    assert unit_of(np.array([53.0, 120.0, 7.0]) * 128) == 60 * 128
    X, y, _ = random_examples(0, n=30)
    copies = np.random.default_rng(0).integers(1, 90, 30)
    table = NaiveBayesClassifier().fit(X, y, copies)
    rows = NaiveBayesClassifier().fit(X.iloc[np.repeat(np.arange(30), copies)], np.repeat(y, copies))
    assert (table.predict_proba(X) == rows.predict_proba(X)).all()


def test_learning_goes_on_in_the_units_of_the_first_call():
    X, y, _ = random_examples(1, n=60)
    weights = np.tile([0.5, 1.5, 1.0, 1.25, 0.75], 12)
    plain, light = DecisionTreeClassifier(), DecisionTreeClassifier()
    for part in (slice(0, 20), slice(20, 21), slice(21, 60)):
        plain.partial_fit(X.iloc[part], y[part], range(3), weights[part])
        light.partial_fit(X.iloc[part], y[part], range(3), weights[part] / 2000)
    assert (plain.predict_proba(X) == light.predict_proba(X)).all()
    light.partial_fit(X, y)  # without weights: of weight 1, so of two thousand such examples
    assert light._prior.sum() == pytest.approx(60 + 60 * 2000)


def test_a_few_light_examples_in_the_beginning_say_nothing_of_what_comes():
    X, y, _ = random_examples(2, n=40)
    weights = np.append(0.01, np.ones(39))
    whole = DecisionTreeClassifier().fit(X, y, weights)
    pieces = DecisionTreeClassifier().partial_fit(X.iloc[:1], y[:1], range(3), weights[:1])
    pieces.partial_fit(X.iloc[1:], y[1:], sample_weight=weights[1:])
    assert (whole.predict_proba(X) == pieces.predict_proba(X)).all()


def test_weights_that_count_examples_warn_once_if_they_are_far_too_light():
    X, y, _ = random_examples(3, n=40)
    model = OnlineBaggingClassifier(n_estimators=3, random_state=0)
    with pytest.warns(
        LightWeights, match=r"online_bagging: sample_weight counts examples, so that 40 .* a sum of 0\.02,"
    ):
        model.partial_fit(X, y, sample_weight=np.full(40, 1 / 2000))
    model.partial_fit(X, y, sample_weight=np.full(40, 1 / 2000))
    OnlineBaggingClassifier(n_estimators=3, random_state=0).fit(X, y, np.where(np.arange(40) < 15, 1.0, 0.0))


def test_weights_beyond_all_counts_are_refused_and_change_nothing():
    X, y, _ = random_examples(2, n=30)
    for model in (NaiveBayesClassifier(), OnlineBaggingClassifier(n_estimators=2, random_state=0)):
        before = model.fit(X, y).predict_proba(X)
        with pytest.raises(InvalidData, match=rf"{model.key}: sample_weight must be at most 1e\+15, got 1e\+305"):
            model.partial_fit(X, y, sample_weight=np.full(30, 1e305))
        assert (model.predict_proba(X) == before).all()
    light = NaiveBayesClassifier().fit(X, y, np.full(30, 1e-300))
    with pytest.raises(InvalidData, match=r"sample_weight must be at most 1e-285, got 1"):
        light.partial_fit(X, y)
    heavy = NaiveBayesClassifier().fit(X, y).partial_fit(X, y, sample_weight=np.full(30, 1e15))
    assert np.isfinite(heavy.predict_proba(X)).all()


def test_a_weight_that_is_masked_is_no_weight():
    X, y, _ = random_examples(3, n=6)
    weights = np.ma.masked_array(np.ones(6), mask=[0, 0, 1, 0, 1, 0])
    with pytest.raises(InvalidData, match=r"^sample_weight must have a weight for each example, got none in row 2$"):
        NaiveBayesClassifier().fit(X, y, sample_weight=weights)
    untouched = NaiveBayesClassifier().fit(X, y, sample_weight=np.ma.masked_array(np.ones(6)))
    assert (untouched.predict_proba(X) == NaiveBayesClassifier().fit(X, y).predict_proba(X)).all()


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        (np.ones(5), r"^sample_weight must have a weight for each of 6 examples, got an array of shape \(5,\)$"),
        (np.ones((6, 1)), r"^sample_weight must have a weight for each of 6 examples, got an array of shape \(6, 1\)$"),
        ([], r"^sample_weight must have a weight for each of 6 examples, got an array of shape \(0,\)$"),
        ([1, 1, 1, 1, 1, "two"], r"^sample_weight must have a number for each example: could not convert .* 'two'$"),
        ([1, 1, 1, 1, 1, None], r"^sample_weight must have a number for each example: .* contains NaN\.$"),
        ([1, 1, 1, 1, 1, 1j], r"^sample_weight must have a number for each example: .*complex"),
        ([1, 1, 1, 1, 1, -1], r"^sample_weight must be finite and not negative, got -1$"),
        (-2, r"^sample_weight must be finite and not negative, got -2$"),
        (0, r"^sample_weight: at least one weight must be positive, got only zeros$"),
    ],
)
def test_weights_that_are_no_numbers_or_too_few_get_a_sentence(weights, sentence):
    X, y, _ = random_examples(3, n=6)
    with pytest.raises(InvalidData, match=sentence):
        NaiveBayesClassifier().fit(X, y, sample_weight=weights)
    with pytest.raises(InvalidData, match=sentence):
        NaiveBayesClassifier().fit(X, y).score(X, y, sample_weight=weights)
