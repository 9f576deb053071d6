import math
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest

from ensembles import StreamingGradientBoostingClassifier
from ensembles.draws import uniforms
from ensembles.errors import InvalidData
from ensembles.methods.gradient_boosting.trees import ALTERNATE, COMPARED, NONE, attribute_subsets
from tests.examples import CATEGORIES, as_lists, random_examples
from tests.methods.naive_gradient_boosting import Boosting

EAGER = {"learning_rate": 0.2, "delta": 0.5, "tau": 0.3}


def drifting(seed, n, n_classes=2, nominal=1, numeric=2):
    """Return a stream of which attributes mean the opposite after its first half."""
    X, y, weights = random_examples(seed, n=n, nominal=nominal, numeric=numeric, n_classes=n_classes, missing=0.05)
    rng = np.random.default_rng(seed)
    for j in range(numeric):
        shift = np.where(np.arange(n) < n / 2, y, n_classes - 1 - y) * 2.0
        X[f"m{j}"] = np.where(np.isnan(X[f"m{j}"]), np.nan, (rng.normal(size=n) + shift).round(1))
    return X, y, weights


def oracle(X, y, weights, model):
    """Return the oracle after the examples, and what it told of each before it learned it."""
    categories = [CATEGORIES if X[name].dtype == "category" else None for name in X.columns]
    streams = model._drawing(model._n_chains(len(np.unique(y))))
    n_trees = model.n_estimators
    subsets = [
        [
            np.flatnonzero(row).tolist()
            for row in attribute_subsets(stream, n_trees, len(categories), model.max_features)
        ]
        for stream in streams
    ]
    left_out = uniforms(streams, int((weights > 0).sum())) < 1 / model.skip if model.skip > 1 else None
    boosting, told = Boosting(categories, subsets, len(np.unique(y)), model.get_params()), []
    for values, label, weight in as_lists(X, y, np.floor(weights * 2**20 + 0.5) / 2**20):
        if weight > 0:
            skipped = left_out[len(told)] if model.skip > 1 else [False] * len(streams)
            told.append(boosting.probabilities(values))
            boosting.learn(values, label, weight, skipped)
    return boosting, np.array(told)


def tree_of(trees, t, node):
    attribute, left, right, _, alternate, _, _ = trees.nodes[t, node].tolist()
    if attribute < 0:
        return (float(trees.values[t, node, 0]),)
    below = [tree_of(trees, t, child) for child in (left, right)]
    return attribute, float(trees.values[t, node, 4]), *below, alternate >= 0 and tree_of(trees, t, alternate)


def expected_tree(node, first):
    if not hasattr(node, "children"):
        return (pytest.approx(node.weight),)
    cut = node.cut
    if node.attribute < len(first) - 1:
        start, stop = first[node.attribute], first[node.attribute + 1]
        cut = float(stop - 1 if cut is None else start + CATEGORIES.index(cut))
    below = [expected_tree(child, first) for child in node.children]
    return node.attribute, cut, *below, node.alternate is not None and expected_tree(node.alternate, first)


@pytest.mark.parametrize(
    ("seed", "settings"),
    [
        (0, {}),
        (1, {"bins": 3}),
        (2, {"skip": 4}),
        (3, {"grace_period": 7.5}),
        (4, {"max_nodes": 7}),
    ],
)
def test_trees_and_probabilities_are_those_of_the_oracle(seed, settings):
    X, y, weights = drifting(seed, 450, n_classes=2 + seed % 2)
    weights = weights if seed in (1, 3) else np.ones(len(y))
    model = StreamingGradientBoostingClassifier(
        n_estimators=3, drift_threshold=4.0, random_state=seed, **{**EAGER, "grace_period": 25.0, **settings}
    ).fit(X, y, weights)
    boosting, _ = oracle(X, y, weights, model)
    trees = model._members
    flat = [tree for chain in boosting.chains for tree in chain]
    for t, tree in enumerate(flat):
        assert tree_of(trees, t, trees.roots[t]) == expected_tree(tree.root, trees.first)
    assert max(tree.size() for tree in flat) > 3
    expected = [boosting.probabilities(values) for values, _, _ in as_lists(X, y, weights)]
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-10)
    for t in range(len(flat)):  # no node and no table is lost
        live = trees.sizes[t, 0] - trees.sizes[t, 2]
        assert live == flat[t].size()
    taken = (trees.nodes[:, :, 6] >= 0) & (np.arange(trees.nodes.shape[1]) < trees.sizes[:, :1])
    assert taken.sum() == trees.stock[1] - trees.stock[0]


def test_an_alternate_tree_that_does_not_win_is_dropped_as_by_the_oracle():
    rng, n = np.random.default_rng(1), 2100
    y = rng.integers(0, 2, n)
    X = pd.DataFrame({"m0": (2.0 * y + rng.normal(size=n)).round(1)})
    y[400:420] = 1 - y[400:420]  # an alarm, after which all is as before
    # of four nodes: the alternate stays a leaf
    settings = EAGER | {"n_estimators": 1, "drift_threshold": 8.0, "bins": 4, "max_nodes": 4}
    model = StreamingGradientBoostingClassifier(random_state=11, **settings).fit(X, y)
    boosting, _ = oracle(X, y, np.ones(n), model)
    trees = model._members
    assert tree_of(trees, 0, trees.roots[0]) == expected_tree(boosting.chains[0][0].root, trees.first)
    assert trees.values[0, trees.roots[0], COMPARED] == 1500
    assert trees.nodes[0, trees.roots[0], ALTERNATE] == NONE


def test_alternate_trees_begin_win_and_are_dropped():
    X, y, _ = drifting(5, 2000, nominal=0)
    model = StreamingGradientBoostingClassifier(n_estimators=2, drift_threshold=5.0, random_state=1, **EAGER)
    steady = StreamingGradientBoostingClassifier(n_estimators=2, drift_threshold=1e9, random_state=1, **EAGER)
    right = {}
    for name, learner in (("watched", model), ("steady", steady)):
        learner.partial_fit(X.iloc[:1000], y[:1000], classes=[0, 1])
        told, _ = learner.predict_then_learn(learner._encoded(X.iloc[1000:]), y[1000:])
        right[name] = (told == y[1000:]).mean()
    assert model._members.sizes[:, 2].any()  # nodes were given back
    assert not steady._members.sizes[:, 2].any()
    assert right["watched"] > right["steady"] + 0.02


def test_predictions_come_before_learning():
    X, y, _ = drifting(6, 140, n_classes=3)
    model = StreamingGradientBoostingClassifier(n_estimators=4, random_state=1, **EAGER)
    model.partial_fit(X.iloc[:100], y[:100], classes=[0, 1, 2])
    twin = deepcopy(model)
    told, shares = model.predict_then_learn(model._encoded(X.iloc[100:]), y[100:])
    for i in range(100, 140):
        np.testing.assert_allclose(shares[i - 100], twin.predict_proba(X.iloc[[i]])[0], rtol=1e-12)
        assert told[i - 100] == twin.predict(X.iloc[[i]])[0]
        twin.partial_fit(X.iloc[[i]], y[[i]])


def test_values_that_come_later_change_nothing_that_was_learned():
    X, y, _ = drifting(7, 200)
    early, whole = (StreamingGradientBoostingClassifier(n_estimators=3, random_state=1, **EAGER) for _ in range(2))
    known = X.assign(n0=X["n0"].where(X["n0"].isin(["b", "c", "d"])))
    few = known.assign(n0=known["n0"].cat.set_categories(["b", "c", "d"]))
    early.partial_fit(few.iloc[:150], y[:150])
    whole.partial_fit(known.iloc[:150], y[:150])
    for model in (early, whole):
        model.partial_fit(X.iloc[150:], y[150:])
    assert (early.predict_proba(X) == whole.predict_proba(X)).all()
    with pytest.raises(
        InvalidData, match="streaming_gradient_boosting: all classes must be declared at the start, 0, 1, got 7"
    ):
        early.partial_fit(X.iloc[:1], [7])


@pytest.mark.parametrize(
    ("n_attributes", "share", "size"), [(1, 0.75, 1), (4, 0.75, 3), (10, 0.1, 2), (9, 1.0, 9), (30, 0.5, 15)]
)
def test_trees_draw_attributes_and_none_again_before_all_came(n_attributes, share, size):
    n_trees = 3 * math.comb(n_attributes, size) if n_attributes < 10 else 40
    chosen = attribute_subsets(np.random.default_rng(0), n_trees, n_attributes, share)
    assert (chosen.sum(axis=1) == size).all()
    counts = np.unique(chosen, axis=0, return_counts=True)[1]
    assert counts.max() == (3 if n_attributes < 10 else 1)


def test_extremes_are_learned():
    nothing, big = np.full(200, np.nan), np.tile([1e150, -1e150, 0.0, 5e-324], 50)
    X = pd.DataFrame({"a": nothing, "b": np.ones(200), "c": big, "d": pd.Categorical([None] * 200, categories=["x"])})
    y = (big > 1.0).astype(int)
    model = StreamingGradientBoostingClassifier(n_estimators=5, learning_rate=1.0, max_features=1.0, random_state=1)
    assert model.fit(X, y).score(X, y) == 1.0
    one = StreamingGradientBoostingClassifier(n_estimators=2).fit(X, np.zeros(200))
    assert (one.predict_proba(X) == 1.0).all()
    unseen = pd.DataFrame({"a": [7.0], "b": [np.nan], "c": [np.nan], "d": pd.Categorical(["new"])})
    assert model.predict_proba(unseen).sum() == pytest.approx(1.0)
