import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensembles import HoeffdingTreeClassifier, OnlineBaggingClassifier
from ensembles.learners.hoeffding.extremely_fast_tree import ExtremelyFastTreeClassifier
from tests.drawn import drawn
from tests.examples import CATEGORIES, as_lists, mixed_examples, random_examples
from tests.learners.naive_extremely_fast import ExtremelyFastTree
from tests.learners.test_hoeffding_tree import EAGER, assert_same_tree, tree_of

SETTINGS = ("grace_period", "delta", "tau", "criterion", "leaf_prediction", "bins", "min_branch_fraction", "max_nodes")


def changing(seed, n, n_classes=3, **shape):
    """Examples whose classes the first attribute tells, and after a third of them the last one, but for one in ten."""
    X, y, weights = random_examples(seed, n=n, n_classes=n_classes, **shape)
    told = [_shares_of(X[name]) * n_classes for name in (X.columns[0], X.columns[-1])]
    classes = np.where(np.arange(n) < n // 3, *told).astype(int) % n_classes
    return X, np.where(np.arange(n) % 10 == 0, y, classes), weights


def _shares_of(column):
    """Return the rank of each value among all, from 0 to 1."""
    codes = column.cat.codes if column.dtype == "category" else column
    return codes.rank(pct=True).fillna(0.5).to_numpy()


def oracle(X, y, weights, model):
    categories = [CATEGORIES if X[name].dtype == "category" else None for name in X.columns]
    tree = ExtremelyFastTree(
        categories,
        len(model.classes_),
        **{name: getattr(model, name) for name in SETTINGS},
        reevaluation_period=model.reevaluation_period,
    )
    for values, label, weight in as_lists(X, y, np.floor(weights * 2**20 + 0.5) / 2**20):
        if weight > 0:
            tree.learn(values, label, weight)
    return tree


@pytest.mark.parametrize("leaf", ["majority", "adaptive"])
@pytest.mark.parametrize("criterion", ["info_gain", "gini"])
@pytest.mark.parametrize("seed", range(5))
def test_splits_and_shares_are_those_of_the_oracle(seed, criterion, leaf):
    X, y, weights = changing(
        seed, 400, nominal=(seed + 1) % 3, numeric=1 + (seed + 2) % 3, n_classes=2 + seed % 3, missing=0.1 * (seed % 3)
    )
    settings = EAGER | {"delta": 0.5, "tau": 0.1, "max_nodes": 40 if seed == 4 else 2000, "reevaluation_period": 15.0}
    model = ExtremelyFastTreeClassifier(criterion=criterion, leaf_prediction=leaf, **settings).fit(X, y, weights)
    tree = oracle(X, y, weights, model)
    assert tree.n_revised > 0
    assert model._members.sizes[0] == tree.n_nodes > 4
    assert_same_tree(tree_of(model, X), tree.root)
    expected = [tree.shares(values) for values, _, _ in as_lists(X, y, weights)]
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-7, atol=1e-9)


@drawn(60)
@given(
    mixed_examples(),
    st.sampled_from([(2.0, 0.5, 0.9), (5.0, 0.9, 0.0), (3.0, 0.99, 0.1)]),
    st.sampled_from([7, 12, 1000]),
)
def test_drawn_data_sets_grow_and_prune_the_tree_of_the_oracle(examples, eagerness, max_nodes):
    X, y, weights = examples
    grace, delta, tau = eagerness
    model = ExtremelyFastTreeClassifier(
        grace, delta, tau, "gini", "majority", 3, 0.3, max_nodes, reevaluation_period=4.0
    ).fit(X, y, weights)
    tree = oracle(X, np.searchsorted(model.classes_, y), weights, model)
    assert model._members.sizes[0] == tree.n_nodes
    assert_same_tree(tree_of(model, X), tree.root)


def test_a_test_that_tells_no_more_makes_way_for_another():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (6000, 2)).astype(float)
    y = np.where(np.arange(6000) < 2000, X[:, 0], X[:, 1])
    model = ExtremelyFastTreeClassifier(reevaluation_period=500.0)
    assert tree_of(model.fit(X[:2000], y[:2000]), pd.DataFrame(X))[0] == 0
    assert tree_of(model.partial_fit(X[2000:], y[2000:]), pd.DataFrame(X))[0] == 1
    assert (model.predict(X) == X[:, 1]).all()


def test_it_splits_by_one_of_two_equal_tests_before_a_hoeffding_tree_can():
    X = np.repeat(np.arange(400.0)[:, None] % 2, 2, axis=1)
    settings = {"tau": 0.0, "leaf_prediction": "majority"}
    assert HoeffdingTreeClassifier(**settings).fit(X, X[:, 0])._members.sizes[0] == 1
    assert ExtremelyFastTreeClassifier(**settings).fit(X, X[:, 0])._members.sizes[0] == 4


def test_what_is_taken_away_leaves_no_tables_behind():
    X, y, _ = changing(2, 1500, nominal=1, numeric=2)
    tree = ExtremelyFastTreeClassifier(**EAGER, reevaluation_period=15.0)
    members = OnlineBaggingClassifier(tree, n_estimators=3, random_state=0).fit(X, y)._members
    held = [s for m in range(3) for s in members.nodes[m, : members.sizes[m], 2] if s >= 0]
    spare = members.spare[: members.stock[0]].tolist()
    assert sorted(held + spare) == list(range(members.stock[1]))
    assert members.stock[1] > 0


def test_new_values_get_branches_where_nodes_go_on_counting():
    X, y, _ = changing(3, 600, nominal=2, numeric=1)
    known = X.assign(n0=X["n0"].astype(object), n1=X["n1"].astype(object))
    model = ExtremelyFastTreeClassifier(**EAGER, reevaluation_period=15.0).fit(known, y)
    model.partial_fit(known.assign(n0="new"), y).partial_fit(known.assign(n1="newer"), y)
    assert np.isfinite(model.predict_proba(known)).all()
    assert model._members.revisits.marks.shape == model._members.nodes.shape[:2]
