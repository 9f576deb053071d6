import copy
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensembles import OnlineBaggingClassifier, OnlineBoostingClassifier
from ensembles.errors import InvalidParameter
from ensembles.learners.core.base import reset_member
from ensembles.learners.hoeffding import capacity
from ensembles.learners.hoeffding.hoeffding_tree import HoeffdingTreeClassifier
from ensembles.learners.hoeffding.split import LEAF, OFF
from tests.drawn import drawn
from tests.examples import CATEGORIES, as_lists, mixed_examples, random_examples
from tests.learners.naive_hoeffding import HoeffdingTree

EAGER = {"grace_period": 10.0, "delta": 0.05, "tau": 0.3}


def grown(seed, n, **shape):
    X, y, weights = random_examples(seed, n=n, **shape)
    for name in [
        name for name in X.columns if name.startswith("m")
    ]:  # of one size, so that cuts fall between the classes
        X[name] = np.sign(X[name]) * np.log10(1 + X[name].abs()) + y
    return X, y, weights


def oracle(X, y, weights, n_classes, model):
    categories = [CATEGORIES if X[name].dtype == "category" else None for name in X.columns]
    names = ("grace_period", "delta", "tau", "criterion", "leaf_prediction", "bins", "min_branch_fraction", "max_nodes")
    tree = HoeffdingTree(categories, n_classes, **{name: getattr(model, name) for name in names})
    for values, label, weight in as_lists(X, y, np.floor(weights * 2**20 + 0.5) / 2**20):
        if weight > 0:
            tree.learn(values, label, weight)
    return tree


def tree_of(model, X, m=0, node=0):
    """Return the tree as nested tuples: (attribute, cut, children), or the class weights of a leaf."""
    members = model._members
    a, start, _ = members.nodes[m, node].tolist()
    weights = members.weights[m, node].tolist()
    if a == LEAF:
        return weights
    n_nominal = len(members.first) - 1
    n = int(members.first[a + 1] - members.first[a]) if a < n_nominal else 3
    kinds = [X[name].dtype == "category" for name in X.columns]
    position = [j for j, nominal in enumerate(kinds) if nominal == (a < n_nominal)][
        a if a < n_nominal else a - n_nominal
    ]
    cut = members.node_statistics[m, node, 0] if a >= n_nominal else None
    return position, cut, weights, [tree_of(model, X, m, start + b) for b in range(n)]


def assert_same_tree(found, node):
    if node.attribute is None:
        assert isinstance(found, list), "the oracle has a leaf here"
        np.testing.assert_allclose(found, node.weights, rtol=1e-9, atol=1e-9)
        return
    assert isinstance(found, tuple), "the oracle has a split here"
    assert found[0] == node.attribute
    assert found[1] is None if node.cut is None else found[1] == pytest.approx(node.cut)
    np.testing.assert_allclose(found[2], node.weights, rtol=1e-9, atol=1e-9)
    for ours, theirs in zip(found[3], node.children, strict=True):
        assert_same_tree(ours, theirs)


@pytest.mark.parametrize("leaf", ["majority", "naive_bayes", "adaptive"])
@pytest.mark.parametrize("criterion", ["info_gain", "gini"])
@pytest.mark.parametrize("seed", range(6))
def test_splits_and_shares_are_those_of_the_oracle(seed, criterion, leaf):
    X, y, weights = grown(
        seed, 400, nominal=(seed + 1) % 3, numeric=(seed + 2) % 3, n_classes=2 + seed % 3, missing=0.1 * (seed % 3)
    )
    model = HoeffdingTreeClassifier(criterion=criterion, leaf_prediction=leaf, **EAGER).fit(X, y, weights)
    tree = oracle(X, y, weights, len(model.classes_), model)
    assert tree.n_nodes > 4
    assert_same_tree(tree_of(model, X), tree.root)
    expected = [tree.shares(values) for values, _, _ in as_lists(X, y, weights)]
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("missing", [0.0, 0.05])
@pytest.mark.parametrize("n_classes", [2, 11])
def test_shares_of_many_nominal_values_are_those_of_the_oracle(n_classes, missing):
    X, y, weights = random_examples(3, n=300, nominal=19, numeric=0, n_classes=n_classes, missing=missing)
    model = HoeffdingTreeClassifier(leaf_prediction="naive_bayes", grace_period=100.0).fit(X, y, weights)
    tree = oracle(X, y, weights, len(model.classes_), model)
    late = X.head(40).astype(object)
    late.iloc[::2, 3], late.iloc[::5, 18] = "unseen", None
    asked = pd.concat([X.astype(object), late])
    expected = [tree.shares(values) for values, _, _ in as_lists(asked, [0] * len(asked), [1] * len(asked))]
    np.testing.assert_allclose(model.predict_proba(asked), expected, rtol=1e-7, atol=1e-9)


@drawn(100)
@given(
    mixed_examples(),
    st.sampled_from(["info_gain", "gini"]),
    st.sampled_from([(2.0, 0.5, 0.9), (5.0, 0.9, 0.0), (3.0, 1e-7, 5.0)]),
    st.sampled_from([2, 7]),
    st.sampled_from([7, 30, 1000]),
)
def test_drawn_data_sets_grow_the_tree_of_the_oracle(examples, criterion, eagerness, bins, max_nodes):
    X, y, weights = examples
    grace, delta, tau = eagerness
    model = HoeffdingTreeClassifier(grace, delta, tau, criterion, "majority", bins, 0.05, max_nodes).fit(X, y, weights)
    y = np.searchsorted(model.classes_, y)
    tree = oracle(X, y, weights, len(model.classes_), model)
    assert_same_tree(tree_of(model, X), tree.root)


def test_it_learns_what_naive_bayes_cannot():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (20_000, 4)).astype(str), columns=list("abcd"))
    y = np.where(X["a"] == "1", X["b"] == "1", X["c"] == "1").astype(int)
    model = HoeffdingTreeClassifier(leaf_prediction="majority").fit(X, y)
    assert model.score(X, y) == 1.0


def test_no_split_before_the_grace_period_nor_without_confidence():
    X, y = np.arange(400.0)[:, None] % 2, np.arange(400) % 2
    assert HoeffdingTreeClassifier().fit(X[:199], y[:199])._members.sizes[0] == 1
    assert HoeffdingTreeClassifier().fit(X[:200], y[:200])._members.sizes[0] == 4
    assert HoeffdingTreeClassifier(delta=1e-300, tau=0.0).fit(X[:200], y[:200])._members.sizes[0] == 1


def test_a_leaf_without_any_sensible_test_stops_counting():
    X, y = np.arange(4000)[:, None] // 2 % 2, np.arange(4000) % 2
    model = HoeffdingTreeClassifier().fit(X, y)
    assert model._members.nodes[0, 0].tolist() == [LEAF, 0, OFF]
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[0.5, 0.5]])


@pytest.mark.parametrize("nothing", [0.0, np.nan])
@pytest.mark.parametrize("kind", ["numeric", "nominal"])
def test_a_leaf_whose_attributes_told_nothing_yet_goes_on(nothing, kind):
    X, y = np.arange(1400.0)[:, None] % 2, np.arange(1400) % 2
    X[:500] = nothing
    told = pd.DataFrame(X, columns=["x"]).astype(object if kind == "nominal" else float)
    model = HoeffdingTreeClassifier().partial_fit(told[:500], y[:500], classes=[0, 1])
    np.testing.assert_allclose(model.predict_proba(told[:1]), [[0.5, 0.5]])
    model.partial_fit(told[500:], y[500:])
    assert model._members.sizes[0] > 1
    assert model.score(told[500:], y[500:]) == 1.0


def test_a_single_class_never_splits():
    X = np.random.default_rng(0).random((3000, 3))
    assert HoeffdingTreeClassifier(tau=10.0).fit(X, np.zeros(3000))._members.sizes[0] == 1


def test_values_and_classes_that_come_later_get_branches():
    X, y, _ = grown(3, 500, nominal=2, numeric=1, n_classes=3)
    known = X.assign(n0=X["n0"].astype(object), n1=X["n1"].astype(object))
    model = HoeffdingTreeClassifier(leaf_prediction="majority", **EAGER).fit(known, y)
    before = model.predict_proba(known)
    new = known.assign(n0="bb", n1=np.where(y == 0, "new", "newer")).iloc[:60]
    model.partial_fit(new.iloc[:1], ["9"] if y.dtype.kind == "U" else [9])
    after = model.predict_proba(known)
    assert after.shape[1] == 4
    assert np.isclose(after[:, :3], before).all(axis=1).mean() > 0.9
    twin = pickle.loads(pickle.dumps(model))
    for start in range(0, 60, 20):
        model.partial_fit(new.iloc[start : start + 20], y[start : start + 20])
    twin.partial_fit(new, y[:60])
    assert (model.predict_proba(new) == twin.predict_proba(new)).all()


def test_a_value_without_a_branch_gets_the_shares_of_its_node():
    X = pd.DataFrame({"colour": ["red", "blue"] * 200})
    y = np.array([0, 1] * 200)
    model = HoeffdingTreeClassifier().fit(X, y)
    assert model._members.sizes[0] == 4
    np.testing.assert_allclose(model.predict_proba(pd.DataFrame({"colour": ["green"]})), [[0.5, 0.5]], atol=0.01)


@pytest.mark.compiled  # long, and sees nothing new without the compiler
@pytest.mark.parametrize("method", [OnlineBaggingClassifier, OnlineBoostingClassifier])
def test_a_full_tree_grows_no_more_and_memory_stays(method):
    X, y, _ = grown(4, 3000, nominal=1, numeric=2)
    model = method(HoeffdingTreeClassifier(max_nodes=31, **EAGER), n_estimators=4, random_state=0).fit(X, y)
    room = [array.shape for array in model._members[:15]]
    assert model._members.sizes.max() <= 31
    assert model._members.sizes.min() > 12
    for _ in range(5):
        model.partial_fit(X, y)
    assert [array.shape for array in model._members[:15]] == room
    assert model._members.stock[1] <= 4 * 31


@pytest.mark.compiled  # long
@pytest.mark.parametrize("vote", ["soft", "hard"])
def test_trees_so_large_that_their_tables_are_fetched_ahead_change_nothing(vote):
    X, y, _ = grown(7, 6000, nominal=2, numeric=2)
    model = OnlineBaggingClassifier(HoeffdingTreeClassifier(**EAGER), n_estimators=4, random_state=0, vote=vote)
    model.fit(X[:5800], y[:5800])
    assert model._members.sizes.min() >= 128
    alone, table, labels = copy.deepcopy(model), model._encoded(X[5800:]), np.searchsorted(model.classes_, y[5800:])
    classes, shares = model.predict_then_learn(table, labels)
    for i in range(200):  # nothing is fetched for the next example
        one = alone.predict_then_learn(table[i : i + 1], labels[i : i + 1])
        assert one[0] == classes[i]
        assert (one[1] == shares[i]).all()


def test_members_that_start_anew_leave_no_tables_behind():
    X, y, _ = grown(5, 500)
    model = OnlineBaggingClassifier(HoeffdingTreeClassifier(**EAGER), n_estimators=3, random_state=0).fit(X, y)
    rows = model._rows(model._encoded(X), learning=False)
    for m in range(3):
        reset_member(model._members, m, rows)
    assert model._members.stock[0] == model._members.stock[1] > 3
    assert sorted(model._members.spare[: model._members.stock[0]]) == list(range(model._members.stock[1]))


def test_a_thousand_attributes_do_not_underflow():
    rng = np.random.default_rng(1)
    y = np.arange(100) % 2
    codes = (rng.random((100, 1000)) < 0.4 + 0.2 * y[:, None]).astype(int).astype(str)
    model = HoeffdingTreeClassifier(leaf_prediction="naive_bayes").fit(pd.DataFrame(codes), y)
    assert model.score(pd.DataFrame(codes), y) > 0.95
    numbers = rng.normal(size=(100, 1000)) * 1e-9 + y[:, None] * 1e-9
    assert HoeffdingTreeClassifier(leaf_prediction="naive_bayes").fit(numbers, y).score(numbers, y) > 0.95


def test_huge_and_equal_numbers_stay_numbers():
    X = np.array([[1e150, 5.0], [-1e150, 5.0], [0.0, 5.0]] * 100)
    y = np.arange(300) % 2
    shares = HoeffdingTreeClassifier(leaf_prediction="naive_bayes", **EAGER).fit(X, y).predict_proba(X)
    assert np.isfinite(shares).all()
    assert math.isclose(shares.sum(), 300)


def test_parameters_out_of_range_get_a_sentence():
    with pytest.raises(InvalidParameter, match=r"hoeffding_tree: grace_period must be a number in \(0, inf\), got 0"):
        HoeffdingTreeClassifier(grace_period=0).fit([[1.0], [2.0]], [0, 1])


def test_pieces_equal_the_whole_when_tables_run_out(monkeypatch):
    monkeypatch.setattr(capacity, "POOL", 30_000)
    X, y, _ = grown(6, 900, nominal=1, numeric=2)
    whole = OnlineBaggingClassifier(HoeffdingTreeClassifier(**EAGER), n_estimators=5, random_state=0).fit(X, y)
    pieces = OnlineBaggingClassifier(HoeffdingTreeClassifier(**EAGER), n_estimators=5, random_state=0)
    for rows in np.array_split(np.arange(900), [1, 2, 300, 310]):
        pieces.partial_fit(X.iloc[rows], y[rows], classes=np.unique(y))
    members = whole._members
    assert members.stock[1] == len(members.spare) < np.count_nonzero(members.nodes[:, :, 0] == LEAF)
    assert (whole.predict_proba(X) == pieces.predict_proba(X)).all()


@pytest.mark.compiled
def test_room_for_many_wide_tables_is_not_asked_for():
    X = np.random.default_rng(2).normal(size=(60, 2000))
    model = OnlineBaggingClassifier(HoeffdingTreeClassifier(), n_estimators=100, random_state=0)
    model.fit(X, np.arange(60) % 10)
    assert sum(getattr(array, "nbytes", 0) for array in model._members) < 1.1 * capacity.POOL


def test_randomised_members_draw_their_own_haste():
    X, y, _ = random_examples(3)
    trees = HoeffdingTreeClassifier(randomise=True)
    model = OnlineBaggingClassifier(trees, n_estimators=300, random_state=5).fit(X, y)
    grace, log_delta, tau = model._members.split_parameters.T
    assert 5 <= grace.min() < 6 < 19 < grace.max() <= 20
    assert -math.log(0.9) <= log_delta.min() < 0.2 < 4.5 < log_delta.max() <= -math.log(0.01)
    assert 0.01 <= tau.min() < 0.011 < 0.8 < tau.max() <= 0.9
    few = OnlineBaggingClassifier(trees, n_estimators=4, random_state=5).fit(X, y)
    assert (
        few._members.split_parameters == model._members.split_parameters[:4]
    ).all()  # whatever the number of members


def test_randomised_members_stay_as_drawn_when_values_and_classes_come():
    X, y, _ = random_examples(4)
    model = HoeffdingTreeClassifier(randomise=True).fit(X, np.zeros(40))
    drawn = model._members.split_parameters.copy()
    model.partial_fit(X.assign(n0="new"), y)
    assert (model._members.split_parameters == drawn).all()
    row = model._members.split_parameters[0]
    as_drawn = HoeffdingTreeClassifier(grace_period=row[0], delta=math.exp(-row[1]), tau=row[2])
    as_drawn.fit(X, np.zeros(40)).partial_fit(X.assign(n0="new"), y)
    np.testing.assert_allclose(as_drawn.predict_proba(X), model.predict_proba(X))
