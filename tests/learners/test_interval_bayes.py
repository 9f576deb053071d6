import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensembles import BaggingClassifier, NaiveBayesClassifier, OnlineBoostingClassifier
from ensembles.draws import streams
from ensembles.exact import quantise
from ensembles.learners.core.value_grid import CELLS, cell_width
from tests import naive
from tests.drawn import drawn
from tests.examples import as_lists, mixed_examples, random_examples
from tests.learners.test_discretise import naive_cuts


def as_intervals(X, y, weights):
    """Return X with numbers replaced by the interval they lie in, and the number of values of each attribute."""
    told, n_values = X.copy(), []
    for name in X.columns:
        if X[name].dtype == float:
            cuts = naive_cuts(X[name], y, weights)
            places = np.searchsorted(cuts, X[name], side="right")
            told[name] = [None if np.isnan(x) else f"i{place}" for x, place in zip(X[name], places, strict=True)]
            n_values.append(len(cuts) + 1)
        else:
            n_values.append(len(X[name].cat.categories))
    return told, n_values


@pytest.mark.parametrize("smoothing", ["laplace", "laplace_m", "none"])
@pytest.mark.parametrize("seed", range(6))
def test_probabilities_equal_the_oracle(seed, smoothing):
    X, y, weights = random_examples(seed, n=60, n_classes=2 + seed % 2, missing=0.1 * (seed % 3), decimals=seed % 2)
    X["m0"] = y * 2.0 + X["m0"].fillna(0) % 1.5
    weights = quantise(weights)
    model = NaiveBayesClassifier(smoothing=smoothing, numeric="entropy").fit(X, y, weights)
    assert model._members.starts[0, -1] > 2, "something must be cut"
    told, n_values = as_intervals(X, y, weights)
    oracle = naive.NaiveBayes(as_lists(told, y, weights), len(model.classes_), n_values, smoothing)
    expected = [oracle.posterior(values) for values, _, _ in as_lists(told, y, weights)]
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-9, atol=1e-15)


@drawn(60)
@given(mixed_examples(), st.integers(0, 2**32 - 1), st.sampled_from(["entropy", "grid"]))
def test_any_order_of_examples_gives_the_same_model_to_the_last_bit(examples, seed, numeric):
    X, y, weights = examples
    batch = NaiveBayesClassifier(numeric=numeric).fit(X, y, weights)
    online = NaiveBayesClassifier(numeric=numeric)
    order = np.random.default_rng(seed).permutation(len(y))
    for part in np.array_split(order, 1 + seed % 5):
        if len(part) and weights[part].any():
            online.partial_fit(X.iloc[part], y[part], sample_weight=weights[part]).predict(X)
    assert (online.predict_proba(X) == batch.predict_proba(X)).all()


@pytest.mark.parametrize("numeric", ["entropy", "grid", "frozen"])
def test_weight_three_equals_three_copies(numeric):
    X, y, _ = random_examples(3, n=30)
    rows = np.repeat(np.arange(30), 3)
    copies = NaiveBayesClassifier(numeric=numeric).fit(X.iloc[rows], y[rows])
    weighted = NaiveBayesClassifier(numeric=numeric).fit(X, y, np.full(30, 3.0))
    assert (copies.predict_proba(X) == weighted.predict_proba(X)).all()


def test_without_smoothing_nominal_shares_do_not_change_with_the_scale_of_the_weights():
    X, y, _ = random_examples(3, n=60, numeric=0)
    model = NaiveBayesClassifier(smoothing="none")
    once = model.fit(X, y).predict_proba(X)
    assert (model.fit(X, y, np.full(60, 4.0)).predict_proba(X) == once).all()


def test_frozen_cuts_are_those_of_the_first_examples():
    rng = np.random.default_rng(1)
    x = rng.random(300)
    y = np.where(np.arange(300) < 100, x > 0.3, x > 0.7).astype(int)
    model = NaiveBayesClassifier(numeric="frozen", freeze_after=100).fit(x[:, None], y)
    first = NaiveBayesClassifier(numeric="entropy").fit(x[:100, None], y[:100])
    (edge,) = model._members.edges[1 : model._members.starts[0, 1]]
    assert edge == first._members.edges[1]
    counted = model._members.shares[: model._members.starts[0, 1]]
    sides = [np.bincount(y[x < edge], minlength=2).tolist(), np.bincount(y[x >= edge], minlength=2).tolist()]
    assert counted.tolist() == sides
    slots = model._members.slots.shape
    model.partial_fit(rng.random((500, 1)), rng.integers(0, 2, 500))
    assert model._members.slots.shape == slots


def test_a_grid_stays_small_and_finds_the_cut():
    rng = np.random.default_rng(2)
    model = NaiveBayesClassifier(numeric="grid")
    for scale in (0.001, 1.0, 50.0, 1000.0):
        X = scale * rng.normal(size=(1000, 1)) + 7.0
        model.partial_fit(X, (X[:, 0] > 7.0).astype(int))
    assert model._members.counts[0] <= CELLS
    X = 1000 * rng.normal(size=(1000, 1)) + 7.0
    assert model.score(X, X[:, 0] > 7.0) > 0.98


def test_cells_are_as_narrow_as_the_range_allows():
    rng = np.random.default_rng(3)
    for low, span in zip(rng.normal(size=200) * 100, 10.0 ** rng.integers(-6, 6, 200), strict=True):
        width = cell_width(low, low + span)
        assert (CELLS - 1) / 2 * width < span <= (CELLS - 1) * width * (1 + 1e-9)


def test_members_that_learn_in_turn_keep_their_own_cuts():
    X, y, _ = random_examples(4, n=80, missing=0.0)
    X["m0"] = y + X["m0"] % 0.9
    base = NaiveBayesClassifier(numeric="entropy")
    ensemble = BaggingClassifier(base, n_estimators=4, vote="soft", random_state=0).fit(X, y)
    told = np.zeros((80, 3))
    for stream in streams(0, "bagging", 4):
        counts = np.bincount(stream.integers(0, 80, 80), minlength=80)
        told += NaiveBayesClassifier(numeric="entropy").fit(X, y, counts).predict_proba(X) / 4
    np.testing.assert_allclose(ensemble.predict_proba(X), told, rtol=1e-12)


@pytest.mark.parametrize("numeric", ["entropy", "grid", "frozen"])
def test_online_boosting_goes_on_with_new_classes_and_values(numeric):
    X, y, _ = random_examples(5, n=60, n_classes=4)
    X["n0"] = X["n0"].astype(object)
    base = NaiveBayesClassifier(numeric=numeric, freeze_after=10)
    online = OnlineBoostingClassifier(base, n_estimators=3, random_state=0)
    for part in np.array_split(np.argsort(y, kind="stable"), 6):
        online.partial_fit(X.iloc[part].infer_objects(), y[part])
    assert online.predict_proba(X).shape == (60, 4)
    assert online.score(X, y) > 0.3


def test_numbers_that_come_only_after_the_cuts_were_frozen_are_not_missing():
    X, y, _ = random_examples(7, n=40, nominal=0, numeric=2)
    X.iloc[:6, 1] = np.nan
    whole = NaiveBayesClassifier(numeric="frozen", freeze_after=5).fit(X, y)
    pieces = NaiveBayesClassifier(numeric="frozen", freeze_after=5)
    for part in np.array_split(np.arange(40), 20):
        pieces.partial_fit(X.iloc[part], y[part], classes=np.unique(y))
    assert (pieces.predict_proba(X) == whole.predict_proba(X)).all()
    assert pieces._members.absent[0, 1].sum() == X["m1"].isna().sum()


def test_memory_stays_within_bounds():
    rng = np.random.default_rng(6)
    model = NaiveBayesClassifier(numeric="entropy", max_values=50)
    for _ in range(5):
        X = rng.random((200, 1))
        model.partial_fit(X, (X[:, 0] > 0.5).astype(int))
    assert model._members.slots.shape[1] <= 100
    assert model.score(X, X[:, 0] > 0.5) > 0.95


def test_a_frame_without_numbers_needs_no_cuts():
    X = pd.DataFrame({"a": ["u", "v", "u", "v"]})
    plain = NaiveBayesClassifier().fit(X, [0, 1, 0, 0]).predict_proba(X)
    assert (NaiveBayesClassifier(numeric="entropy").fit(X, [0, 1, 0, 0]).predict_proba(X) == plain).all()
