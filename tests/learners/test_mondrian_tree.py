from copy import deepcopy

import numpy as np
import pandas as pd
import pytest

from ensembles import MondrianForestClassifier, MondrianTreeClassifier, OnlineBaggingClassifier
from ensembles.draws import generator_states, next_uniform, streams
from ensembles.errors import InvalidParameter
from ensembles.learners.core.base import reset_member
from ensembles.learners.mondrian.members import ATTRIBUTE, CUT, LEAF, LEFT, PARENT, RIGHT, TOTAL
from tests.examples import CATEGORIES, as_lists, random_examples
from tests.learners.naive_mondrian import Generator, MondrianTree

SMALL = {"most": 15}  # nodes, as the oracle tries all prunings


def oracle(X, y, weights, model):
    nominal = [X[name].dtype == "category" for name in X.columns]
    (state,) = generator_states(model._drawing(1))
    tree = MondrianTree(
        nominal, len(model.classes_), state, model.dirichlet, model.step, model.split_pure,
        model.distances == "relative", model.max_nodes,
    )  # fmt: skip
    for values, label, weight in as_lists(X, y, np.floor(weights * 2**20 + 0.5) / 2**20):
        if weight > 0:
            tree.learn(values, label, weight)
    return tree


def tree_of(members, m=0, node=None):
    """Return the tree as nested tuples: weight, attribute, cut and children."""
    node = members.roots[m] if node is None else node
    values, total = members.nodes[m, node], members.values[m, node, TOTAL]
    if values[ATTRIBUTE] == LEAF:
        return (float(total),)
    for child in values[[LEFT, RIGHT]]:
        assert members.nodes[m, child, PARENT] == node
    cut = members.values[m, node, CUT]
    return (
        float(total),
        int(values[ATTRIBUTE]),
        float(cut),
        *(tree_of(members, m, values[side]) for side in (LEFT, RIGHT)),
    )


def expected_tree(tree, first, node=None):
    node = node or tree.root
    total = sum(weight for _, _, weight in node.examples)
    if node.children is None:
        return (total,)
    a, cut = node.attribute, node.cut
    if tree.nominal[a]:
        cut = float(first[a] + (CATEGORIES.index(cut) if cut else first[a + 1] - first[a] - 1))
    return total, a, cut, *(expected_tree(tree, first, child) for child in node.children)


@pytest.mark.parametrize("seed", range(10))
def test_trees_and_probabilities_are_those_of_the_oracle(seed):
    X, y, weights = random_examples(
        seed, n=40, nominal=seed % 3, numeric=(seed + 1) % 3 + (seed % 3 == 0), n_classes=2 + seed % 2
    )
    weights = weights if seed % 2 else np.ones(40)
    settings = {
        "split_pure": seed > 5,
        "distances": "raw" if seed == 4 else "relative",
        "max_nodes": 15,
        "step": 0.5 + seed % 2,
    }
    model = MondrianTreeClassifier(dirichlet=0.1 + 0.4 * (seed % 2), random_state=seed, **settings).fit(X, y, weights)
    tree = oracle(X, y, weights, model)
    assert_same_tree(tree_of(model._members), expected_tree(tree, model._members.first))
    expected = [tree.predict(values) for values, _, _ in as_lists(X, y, weights)]
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-11 if seed % 2 == 0 else 1e-9)
    assert model.member_sizes_[0].nodes == tree.size > 8


def assert_same_tree(found, expected):
    assert len(found) == len(expected)
    assert found[:2] == pytest.approx(expected[:2])
    if len(found) > 1:
        assert found[2] == pytest.approx(expected[2], rel=1e-12)
        for ours, theirs in zip(found[3:], expected[3:], strict=True):
            assert_same_tree(ours, theirs)


def test_the_generator_is_the_published_one():
    states = np.full((1, 6), 12345, dtype=np.int64)
    plain = Generator(states[0])
    drawn = [next_uniform(states, 0) for _ in range(1000)]
    assert drawn == [plain.random() for _ in range(1000)]
    assert drawn[0] == pytest.approx(0.127011122046577, abs=1e-15)  # L'Ecuyer's own example
    assert len(np.unique(generator_states(streams(3, "mondrian_tree", 20)), axis=0)) == 20


def test_values_and_classes_that_come_later_change_nothing_that_was_learned():
    X, y, _ = random_examples(3, n=60, nominal=2, numeric=1)
    early, whole = MondrianTreeClassifier(random_state=1), MondrianTreeClassifier(random_state=1)
    few = X.iloc[:30].assign(n0=X["n0"].iloc[:30].cat.set_categories(["b", "c"]))
    known = X.assign(n0=X["n0"].where(X["n0"].isin(["b", "c"])))
    early.partial_fit(few, y[:30], classes=[0, 1, 2])
    whole.partial_fit(known.iloc[:30], y[:30], classes=[0, 1, 2])
    for model in (early, whole):
        model.partial_fit(X.iloc[30:], y[30:])
    assert (early.predict_proba(X) == whole.predict_proba(X)).all()
    grown = MondrianTreeClassifier(random_state=1).partial_fit(X, np.where(y == 0, 2, y))
    before = grown.predict_proba(X)
    grown.partial_fit(X.iloc[:1], [0])
    assert before.shape == (60, 2)
    assert grown.predict_proba(X).shape == (60, 3)
    assert (grown.predict_proba(X)[1:, 1:].argmax(axis=1) == before[1:].argmax(axis=1)).mean() > 0.8


def test_a_full_tree_goes_on_counting():
    X, y, _ = random_examples(4, n=300, missing=0.0)
    model = MondrianTreeClassifier(max_nodes=7, random_state=1).fit(X, y)
    assert model.member_sizes_[0][:2] == (7, 4)
    assert model._members.nodes.shape[1] == 7
    root = model._members.roots[0]
    assert model._members.values[0, root, TOTAL] == 300
    assert MondrianTreeClassifier(max_nodes=1).fit(X, y).member_sizes_ == [(1, 1, 0)]


def test_a_member_that_was_reset_is_as_if_it_had_learned_nothing():
    X, y, _ = random_examples(5)
    model = MondrianTreeClassifier(random_state=1)
    examples = model._validated_examples(X, y, None)
    rows = model.rows(model._members, examples.table, learning=True)
    members = model.fit_member(model._members, 0, rows, examples.labels, examples.weights)
    grown, states = tree_of(members), deepcopy(members.states)
    reset_member(members, 0, rows)
    assert model.size_of(members, 0) == (0, 0, 0)
    assert model.probabilities_of(members, 0, rows, 3) == pytest.approx(1 / 3)
    assert (model.classes_of(members, 0, rows, 3) == -1).all()
    again = model.fit_member(members, 0, rows, examples.labels, examples.weights)
    assert tree_of(again) != grown  # it goes on drawing
    assert (again.states != states).any()


def test_distances_are_relative_to_the_range_unless_told():
    X, y, _ = random_examples(6, n=80, nominal=0, numeric=3, decimals=1)
    wide = X * [2.0**20, 1.0, 2.0**-7]
    told = [MondrianTreeClassifier(random_state=2).fit(some, y).predict_proba(some) for some in (X, wide)]
    assert (told[0] == told[1]).all()
    raw = [
        MondrianTreeClassifier(random_state=2, distances="raw").fit(some, y).predict_proba(some) for some in (X, wide)
    ]
    assert (raw[0] != raw[1]).any()


@pytest.mark.parametrize("distances", ["relative", "raw"])
def test_extremes_are_learned(distances):
    nothing = np.full(40, np.nan)
    big = np.tile([1e150, -1e150, 0.0, 5e-324], 10)
    X = pd.DataFrame({"a": nothing, "b": np.ones(40), "c": big, "d": pd.Categorical([None] * 40, categories=["x"])})
    y = np.arange(40) % 2
    model = MondrianTreeClassifier(random_state=1, distances=distances, split_pure=True).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()
    assert model.score(X, y) >= 0.75  # 0 and the least number there is are one
    unseen = pd.DataFrame({"a": [7.0], "b": [np.nan], "c": [np.nan], "d": pd.Categorical(["new"])})
    assert model.predict_proba(unseen).sum() == pytest.approx(1.0)


def test_the_forest_averages_its_trees_and_takes_no_other():
    X, y, _ = random_examples(7, n=120)
    forest = MondrianForestClassifier(n_estimators=3, random_state=5).fit(X, y)
    trees = forest._members
    rows = forest.base_model().rows(trees, forest._encoded(X), learning=False)
    each = [forest.base_model().probabilities_of(trees, m, rows, 3) for m in range(3)]
    np.testing.assert_allclose(forest.predict_proba(X), np.mean(each, axis=0), rtol=1e-12)
    assert (each[0] == MondrianTreeClassifier(random_state=5).fit(X, y).predict_proba(X)).all()
    assert (each[0] != each[1]).any()
    with pytest.raises(
        InvalidParameter, match="mondrian_forest: estimator must be a base model of key mondrian_tree, got nai"
    ):
        MondrianForestClassifier(OnlineBaggingClassifier().base_model()).fit(X, y)


def test_the_forest_predicts_each_example_before_it_learns_it():
    X, y, _ = random_examples(8, n=60)
    forest = MondrianForestClassifier(n_estimators=3, random_state=5).partial_fit(
        X.iloc[:20], y[:20], classes=[0, 1, 2]
    )
    twin = deepcopy(forest)
    told, shares = forest.predict_then_learn(forest._encoded(X.iloc[20:]), y[20:])
    for i in range(20, 60):
        np.testing.assert_allclose(shares[i - 20], twin.predict_proba(X.iloc[[i]])[0], rtol=1e-12)
        assert told[i - 20] == twin.predict(X.iloc[[i]])[0]
        twin.partial_fit(X.iloc[[i]], y[[i]])


def test_the_least_prior_of_a_class_tells_probabilities_and_less_is_refused():
    X, y, _ = random_examples(9, n=60)
    tree = MondrianTreeClassifier(dirichlet=1e-9, random_state=0).fit(X, y)
    np.testing.assert_allclose(tree.predict_proba(X).sum(axis=1), 1, rtol=1e-9)
    with pytest.raises(InvalidParameter, match=r"dirichlet must be a number in \[1e-09, 1000\], got 5e-324"):
        tree.set_params(dirichlet=5e-324).fit(X, y)
