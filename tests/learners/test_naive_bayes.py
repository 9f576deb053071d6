from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.naive_bayes import CategoricalNB, GaussianNB

from ensembles import NaiveBayesClassifier, OnlineBoostingClassifier
from ensembles.data.encoding import encode_frame
from ensembles.errors import InvalidParameter
from ensembles.learners.core.protocol import reset
from tests import naive
from tests.drawn import drawn
from tests.examples import as_lists, mixed_examples, random_examples


@pytest.mark.parametrize("smoothing", ["laplace", "laplace_m", "none", "literal"])
@pytest.mark.parametrize("seed", range(12))
def test_probabilities_equal_the_oracle(seed, smoothing):
    X, y, weights = random_examples(seed, n=25, n_classes=2 + seed % 3, missing=0.1 * (seed % 3))
    floor = (1e-9, 0.3, 1.0)[seed % 3]
    model = NaiveBayesClassifier(smoothing=smoothing, variance_floor=floor).fit(X, y, weights)
    kept = np.unique(y[weights > 0])
    examples = [
        (v, int(np.searchsorted(kept, c)), w) for v, c, w in as_lists(X, y, np.round(weights * 2**20) / 2**20) if w > 0
    ]
    oracle = naive.NaiveBayes(examples, len(kept), [4, 4, 0, 0], smoothing, floor)
    expected = [oracle.posterior(values) for values, _, _ in as_lists(X, y, weights)]
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("prior", ["counts", "equal"])
@pytest.mark.parametrize("seed", range(12))
def test_numbers_flat_within_a_class_are_left_out_and_classes_weigh_alike_on_demand(seed, prior):
    smoothing, n_classes = ("laplace", "none", "literal")[seed % 3], 2 + seed % 2
    X, y, weights = random_examples(seed, n=30, n_classes=n_classes, missing=0.1 * (seed % 2))
    X["flat at first"] = np.where((y == seed % 2) & (np.arange(30) < 20), 1.0, np.arange(30) % 4.0)
    model = NaiveBayesClassifier(smoothing, variance_floor=0.1, flat_numbers="skip", prior=prior)
    for start, end in ((0, 3), (3, 20), (20, 30)):
        part = slice(start, end)
        model.partial_fit(X.iloc[part], y[part], classes=range(n_classes), sample_weight=weights[part])
        examples = as_lists(X[:end], y, np.round(weights * 2**20) / 2**20)
        oracle = naive.NaiveBayes(examples, n_classes, [4, 4, 0, 0, 0], smoothing, 0.1, True, prior == "equal")
        expected = [oracle.posterior(values) for values, _, _ in as_lists(X, y, weights)]
        np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-7, atol=1e-12)


def test_a_number_left_out_comes_back_for_all_classes_when_it_varies_in_each():
    X, y = np.array([[1.0], [1.0], [2.0], [4.0], [3.0], [1.5]]), [0, 0, 1, 1, 0, 0]
    model = NaiveBayesClassifier(flat_numbers="skip").fit(X[:4], y[:4])
    assert (model.predict_proba(X) == 0.5).all()
    model.partial_fit(X[4:], y[4:])
    assert (model.predict_proba(X) == NaiveBayesClassifier().fit(X, y).predict_proba(X)).all()


def test_intervals_and_nominal_values_forget_how_frequent_classes_are_too():
    X, y = np.array([[0.0], [0.0], [1.0], [1.0], [1.0]]), [0, 0, 0, 0, 1]
    for model in (NaiveBayesClassifier(numeric="grid"), NaiveBayesClassifier(categorical_features=[0])):
        frequent = model.fit(X, y).predict_proba(X)
        alike = model.set_params(prior="equal").fit(X, y).predict_proba(X)
        expected = frequent / [5, 2]
        np.testing.assert_allclose(alike, expected / expected.sum(axis=1, keepdims=True), rtol=1e-12)


@pytest.mark.parametrize("number", [[], [1.0]])  # read by another kernel if there is one
def test_where_every_product_is_zero_the_first_class_learned_wins_or_the_one_with_fewest_zeros(number):
    X = pd.DataFrame([["a", "a", "a", *number], ["b", "b", "b", *number], ["c", "b", "b", *number]])
    asked = pd.DataFrame([["a", "b", "b", *number], ["b", "b", "b", *number]])
    for smoothing, expected in (("none", [2, 2]), ("literal", [1, 2])):
        model = NaiveBayesClassifier(smoothing, "grid").partial_fit(X, [1, 2, 2], classes=[0, 1, 2])
        assert model.predict(asked).tolist() == expected


def test_nominal_attributes_agree_with_scikit_learn():
    rng = np.random.default_rng(0)
    codes, y = rng.integers(0, 3, (200, 5)), rng.integers(0, 4, 200)
    X = pd.DataFrame({f"a{j}": pd.Categorical.from_codes(codes[:, j], ["x", "y", "z"]) for j in range(5)})
    theirs = CategoricalNB(alpha=1.0, min_categories=3).fit(codes, y)
    prior = np.log((np.bincount(y) + 1) / (len(y) + 4))  # ours smooths the prior as well
    joint = theirs.predict_joint_log_proba(codes) - theirs.class_log_prior_ + prior
    expected = np.exp(joint - joint.max(axis=1, keepdims=True))
    ours = NaiveBayesClassifier().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(ours, expected / expected.sum(axis=1, keepdims=True), rtol=1e-9)


def test_numeric_attributes_agree_with_scikit_learn():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 50)
    X = rng.normal(size=(150, 4)) + y[:, None]
    theirs = GaussianNB(var_smoothing=1e-12).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(NaiveBayesClassifier().fit(X, y).predict_proba(X), theirs, rtol=1e-6)


@drawn(150)
@given(mixed_examples(), st.integers(0, 2**32 - 1))
def test_any_order_of_examples_gives_the_same_model_to_the_last_bit(examples, seed):
    X, y, weights = encode_frame(examples[0]), *examples[1:]
    batch = NaiveBayesClassifier().fit(X, y, weights)
    online = NaiveBayesClassifier()
    order = np.random.default_rng(seed).permutation(len(y))
    for part in np.array_split(order, 1 + seed % 5):
        if len(part) and weights[part].any():
            online.partial_fit(X[part], y[part], sample_weight=weights[part])
    assert (online.classes_ == batch.classes_).all()
    assert (online.predict_proba(X) == batch.predict_proba(X)).all()


@drawn(150)
@given(st.integers(0, 2**32 - 1))
def test_normals_equal_those_with_the_exact_floor_to_the_last_bit(seed):
    rng = np.random.default_rng(seed)
    n, n_classes = int(rng.integers(1, 40)), int(rng.integers(1, 4))
    y = rng.integers(0, n_classes, n)
    X = rng.integers(-3, 4, (n, 6)) * rng.choice([0.0, 1e-7, 1e-3, 1.0, 1e4], 6)
    X += y[:, None] * rng.choice([0.0, 1.0, 31.6227766, 1e5], 6) + rng.choice([0.0, 1.0, 1e9, -1e13], 6)
    X[(y == 0) & (rng.random(n) < 0.9), 4] = 7.0
    X[rng.random(X.shape) < 0.1 * rng.integers(0, 3)] = np.nan
    X[y == n_classes - 1, 5] = np.nan
    weights = rng.choice([1.0, 2.0, 0.3, 2.0**-20], n)
    model = NaiveBayesClassifier()
    for part in np.array_split(np.arange(n), rng.integers(1, min(n, 5) + 1)):
        model.partial_fit(X[part], y[part], classes=range(n_classes), sample_weight=weights[part])
        model.predict(X)
        end = part[-1] + 1
        check_normals(model._members, X[:end], y[:end], np.round(weights[:end] * 2**20) / 2**20)


def sparse_counts(seed, n, step):
    """Return 11 numbers, in [0, 4] and most of them 0, so that many do not vary within a class; and two classes."""
    rng = np.random.default_rng(seed)
    X = np.where(
        rng.random((n, 11)) < rng.choice([0.0, 0.02, 0.5], 11), rng.integers(0, 4 / step + 1, (n, 11)) * step, 0.0
    )
    X[0], X[1] = 0.0, 4.0
    return X, rng.integers(0, 2, n)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    "learner",
    [NaiveBayesClassifier(), OnlineBoostingClassifier(NaiveBayesClassifier(), n_estimators=9, random_state=3)],
)
def test_a_model_that_is_asked_while_it_learns_is_that_which_was_not(seed, learner):
    (X, y), (finer, labels) = sparse_counts(seed, 40, 1.0), sparse_counts(seed + 100, 40, 1 / 1024)
    X, y = np.vstack([X, finer]), np.concatenate([y, labels])
    asked, other = clone(learner), clone(learner)
    for start in (0, 40):
        other.partial_fit(X[start : start + 40], y[start : start + 40], classes=[0, 1])
    asked.partial_fit(X[:40], y[:40], classes=[0, 1])
    for i in range(40, 80):
        asked.predict_proba(X[i - 3 : i])
        asked.partial_fit(X[i : i + 1], y[i : i + 1])
    assert (asked.predict_proba(X) == other.predict_proba(X)).all()


def test_a_member_that_was_reset_is_a_new_one():
    X, y = sparse_counts(0, 20, 0.25)
    used, new = NaiveBayesClassifier().partial_fit(X, y), NaiveBayesClassifier()
    used.predict_proba(X)
    reset(used._members, 0)
    for i in range(6):
        for each in (used, new):
            each.partial_fit(np.zeros((1, 11)), [int(i > 3)], classes=[0, 1])
        assert (used.predict_proba(X) == new.predict_proba(X)).all()


def test_a_class_above_a_floor_that_sinks_gets_its_own_variance():
    X, y = np.array([[0.0], [2e-4], [10.0], *[[0.0]] * 100]), np.array([0, 0, 1, *[1] * 100])
    model = NaiveBayesClassifier().fit(X[:3], y[:3])
    check_normals(model._members, X[:3], y[:3], np.ones(3))
    model.partial_fit(X[3:], y[3:]).predict([[0.0]])
    check_normals(model._members, X, y, np.ones(103))


def check_normals(members, X, y, weights):
    """Compare with fractions: sums are exact, and what is worked out from them has twice the digits of a float."""
    for n in range(X.shape[1]):
        known = [(Fraction(x), c, Fraction(w)) for x, c, w in zip(X[:, n], y, weights, strict=True) if x == x and w > 0]
        shared = mean_and_variance_of([(x, w) for x, _, w in known]) if known else (0.0, 1.0)
        floor = max(1e-9 * shared[1] + 1e-12, 2.0**-96 * shared[0] ** 2)
        for c in np.flatnonzero(members.totals[0]):
            own = [(x, w) for x, label, w in known if label == c]
            mean, variance = mean_and_variance_of(own) if own else shared
            found_mean, narrowness = members.shapes[0, c, n // 8, :2, n % 8]
            assert found_mean == mean
            assert 0.5 / narrowness == pytest.approx(max(variance, floor), rel=1e-12, abs=mean**2 * 2.0**-98)


def mean_and_variance_of(values):
    total = sum(w for _, w in values)
    s, q = sum(w * x for x, w in values), sum(w * x * x for x, w in values)
    return float(s) / float(total), float(q / total - (s / total) ** 2)


def test_weight_three_equals_three_copies():
    X, y, _ = random_examples(3, n=30)
    rows = np.repeat(np.arange(30), 3)
    copies = NaiveBayesClassifier().fit(X.iloc[rows], y[rows])
    weighted = NaiveBayesClassifier().fit(X, y, np.full(30, 3.0))
    assert (copies.predict_proba(X) == weighted.predict_proba(X)).all()


def test_a_far_offset_does_not_spoil_the_variance():
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], 100)
    near = rng.integers(0, 1000, (200, 1)) / 64 + 5 * y[:, None]
    ours = NaiveBayesClassifier().fit(near + 2.0**24, y).predict_proba(near + 2.0**24)
    np.testing.assert_allclose(ours, NaiveBayesClassifier().fit(near, y).predict_proba(near), rtol=1e-6)


@pytest.mark.parametrize("value", [1 / 3, 1e12 / 3, -1.7e18 / 7, 1e40 / 3, 1e150])
def test_a_number_that_never_varies_says_nothing_however_large_it_is(value):
    X, y = load_wine(return_X_y=True)
    wider = np.column_stack([X, np.full(len(X), value)])
    for learner in (NaiveBayesClassifier(), OnlineBoostingClassifier(NaiveBayesClassifier(), 5, random_state=0)):
        without = clone(learner).fit(X, y).predict_proba(X)
        np.testing.assert_allclose(clone(learner).fit(wider, y).predict_proba(wider), without, atol=0.002)


def test_a_thousand_attributes_do_not_underflow():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 500)
    codes = (rng.random((500, 1000)) < 0.5 + 0.02 * y[:, None]).astype(int)
    X = pd.DataFrame({f"a{j}": pd.Categorical.from_codes(codes[:, j], ["0", "1"]) for j in range(1000)})
    model = NaiveBayesClassifier().fit(X, y)
    shares = np.log((np.array([codes[y == c].sum(0) for c in (0, 1)]) + 1) / (np.bincount(y)[:, None] + 2))
    misses = np.log((np.array([(1 - codes[y == c]).sum(0) for c in (0, 1)]) + 1) / (np.bincount(y)[:, None] + 2))
    log = np.log(np.bincount(y) + 1) + codes @ shares.T + (1 - codes) @ misses.T
    assert (model.predict(X) == log.argmax(axis=1)).all()
    assert np.isfinite(model.predict_proba(X)).all()


def test_a_value_never_seen_is_one_value_more():
    X = pd.DataFrame({"a": ["x", "x", "y", "y", "y"]})
    y = np.array([0, 0, 0, 1, 1])
    model = NaiveBayesClassifier().fit(X, y)
    scores = np.array([4 / 7 * (1 / 6), 3 / 7 * (1 / 5)])  # (0 + 1) / (W_y + V + 1)
    np.testing.assert_allclose(model.predict_proba(pd.DataFrame({"a": ["z"]}))[0], scores / scores.sum())


def test_new_classes_and_values_may_come_later():
    X, y, _ = random_examples(5, n=60, n_classes=4)
    X["n0"] = X["n0"].astype(object)
    order = np.argsort(y, kind="stable")
    online = NaiveBayesClassifier()
    for i in order:
        online.partial_fit(X.iloc[[i]].infer_objects(), y[[i]])
    batch = NaiveBayesClassifier().fit(X, y)
    assert (online.predict_proba(X) == batch.predict_proba(X)).all()


def test_unknown_smoothing_gets_a_sentence():
    with pytest.raises(InvalidParameter, match=r"naive_bayes: smoothing must be one of .*, got 'more'"):
        NaiveBayesClassifier(smoothing="more").fit([[1.0], [2.0]], [0, 1])
