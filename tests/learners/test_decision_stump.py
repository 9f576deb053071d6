import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ensembles import DecisionStumpClassifier
from ensembles.errors import InvalidParameter
from ensembles.learners.decision_stump import LEAF
from tests import naive
from tests.examples import as_lists, mixed_examples, random_examples


def chosen_test(model):
    members = model._members
    a = int(members.chosen[0])
    return a, float(members.threshold[0]) if a >= 0 and members.numeric[a] else None


@pytest.mark.parametrize("seed", range(40))
def test_the_test_has_the_greatest_gain_of_all(seed):
    X, y, weights = random_examples(
        seed, n=30, nominal=seed % 3, numeric=1 + seed % 2, missing=0.1 * (seed % 3), decimals=1
    )
    model = DecisionStumpClassifier().fit(X, y, weights)
    examples = [e for e in as_lists(X, y, np.round(weights * 2**20) / 2**20) if e[2] > 0]
    gain, tests = naive.best_test(examples, X.shape[1])
    a, cut = chosen_test(model)
    if gain <= 1e-10:
        assert a == LEAF
    elif cut is None or not math.isnan(cut):
        assert any(a == b and (cut is None or cut == pytest.approx(other)) for b, other in tests)


def test_branches_hold_the_class_shares():
    X = pd.DataFrame({"colour": ["red", "red", "red", "blue", "blue", None]})
    y = np.array(["a", "a", "b", "b", "b", "a"])
    model = DecisionStumpClassifier().fit(X, y)
    asked = pd.DataFrame({"colour": ["red", "blue", None, "green"]})
    expected = [[2 / 3, 1 / 3], [0, 1], [1, 0], [1 / 2, 1 / 2]]  # a value never seen: all examples
    np.testing.assert_allclose(model.predict_proba(asked), expected)


def test_a_numeric_cut_lies_half_way():
    model = DecisionStumpClassifier().fit([[1.0], [2.0], [4.0], [5.0]], [0, 0, 1, 1])
    assert chosen_test(model) == (0, 3.0)
    assert model.predict([[2.9], [3.0]]).tolist() == [0, 1]


def test_ties_go_to_the_first_attribute():
    X = pd.DataFrame({"a": ["u", "u", "v", "v"], "b": ["u", "u", "v", "v"]})
    assert chosen_test(DecisionStumpClassifier().fit(X, [0, 0, 1, 1]))[0] == 0


def test_no_gain_leaves_a_leaf_with_the_majority():
    model = DecisionStumpClassifier().fit([[1.0], [1.0], [1.0]], [1, 1, 0])
    assert chosen_test(model)[0] == LEAF
    assert model.predict([[7.0]]).tolist() == [1]


@settings(max_examples=150, deadline=None)
@given(mixed_examples(), st.integers(0, 2**32 - 1), st.booleans())
def test_any_order_of_examples_gives_the_same_model_to_the_last_bit(examples, seed, ask_in_between):
    X, y, weights = examples
    batch = DecisionStumpClassifier().fit(X, y, weights)
    online = DecisionStumpClassifier()
    for i in np.random.default_rng(seed).permutation(len(y)):
        if weights[i] > 0:
            online.partial_fit(X.iloc[[i]], y[[i]], sample_weight=weights[[i]])
            if ask_in_between:
                online.predict(X)
    assert chosen_test(online)[0] == chosen_test(batch)[0]
    assert (online.predict_proba(X) == batch.predict_proba(X)).all()


def test_weight_two_equals_two_copies():
    X, y, _ = random_examples(6, n=30)
    rows = np.repeat(np.arange(30), 2)
    copies = DecisionStumpClassifier().fit(X.iloc[rows], y[rows])
    weighted = DecisionStumpClassifier().fit(X, y, np.full(30, 2.0))
    assert (copies.predict_proba(X) == weighted.predict_proba(X)).all()


def test_more_distinct_values_than_allowed_still_find_the_cut():
    rng = np.random.default_rng(7)
    X = rng.random((2000, 1))
    y = (X[:, 0] > 0.3).astype(int)
    model = DecisionStumpClassifier(max_values=100).fit(X, y)
    assert model._members.counts.tolist() == [100]
    assert model.score(X, y) > 0.98


def test_max_values_out_of_range_gets_a_sentence():
    with pytest.raises(
        InvalidParameter, match=r"decision_stump: max_values must be an integer in \[2, 1000000\], got 1"
    ):
        DecisionStumpClassifier(max_values=1).fit([[1.0], [2.0]], [0, 1])
