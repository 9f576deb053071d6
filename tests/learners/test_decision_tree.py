import math
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from ensembles import (
    DecisionTreeClassifier,
)
from ensembles.data.encoding import encode_frame
from ensembles.exact import quantise
from ensembles.learners.core.criteria import bits_of_leaf
from ensembles.learners.lossless_tree import nodes as at
from ensembles.learners.lossless_tree import store
from ensembles.learners.lossless_tree.scores import bits_after, bits_before, rate_test
from tests.drawn import drawn
from tests.examples import CATEGORIES, as_lists, mixed_examples, random_examples, random_table
from tests.learners.naive_decision_tree import leaf_bits, plain_size, plain_tree, predict_plainly, rate_ks

LOGS = np.zeros(0)
CRITERIA = ["ks", "gain_ratio", "info_gain"]


def tree_of(model, m=0):
    """Return the tree of a member as nested tuples: class weights, bounds of the cost, pruned or not, test, left, right."""
    members, numeric = model._members, len(model._schema.nominal)
    attribute = {int(column): a for a, column in enumerate(members.place)}

    def describe(v):
        node = members.nodes[v]
        shares = tuple(members.weights[v].tolist())
        ends = node[at.STATE] == at.END
        if node[at.COLUMN] < 0 or ends:
            return shares, None
        a, asked = attribute[node[at.COLUMN]], float(members.node_statistics[v, at.CUT])
        if node[at.COLUMN] < numeric:
            place = model._schema.nominal[node[at.COLUMN]]
            asked = (*model._schema.attributes[place].categories, "?")[node[at.VALUE] - members.first[node[at.COLUMN]]]
        assert node[at.STATE] == at.KEPT
        return shares, (a, asked), describe(node[at.LEFT]), describe(node[at.RIGHT])

    return describe(members.root[m])


def as_seen(tree, classes):
    """Return a tree of the oracle in the form of `tree_of`."""
    shares = tuple(float(tree["shares"].get(c, 0)) for c in classes)
    if tree["pruned"]:
        return shares, None
    return shares, tree["test"], as_seen(tree["left"], classes), as_seen(tree["right"], classes)


def shuffled(order, random):
    return np.array(random.sample(order.tolist(), len(order)))


def in_pieces(model, X, y, weights, order, cuts=(0.3, 0.35, 0.8)):
    """Learn in another order and several calls, and ask in between."""
    classes = np.unique(y[weights > 0])
    for rows in np.array_split(order, [int(c * len(order)) for c in cuts]):
        rows = rows[weights[rows] > 0]
        if len(rows):
            model.partial_fit(X[rows], y[rows], classes, weights[rows]).predict(X)
    return model


@given(mixed_examples(), st.sampled_from(CRITERIA), st.booleans(), st.sampled_from([0.0, 0.8]), st.booleans())
@drawn(100)
def test_the_tree_is_that_of_the_specification(examples, criterion, prune, second, zero):
    X, y, weights = examples
    model = DecisionTreeClassifier(criterion, "mdl" if prune else "none", second, zero).fit(X, y, weights)
    kinds = [CATEGORIES if name.startswith("n") else None for name in X.columns]
    plain = plain_tree(as_lists(X, y, quantise(weights)), kinds, model)
    assert tree_of(model) == as_seen(plain, model.classes_)
    assert model.member_sizes_ == [plain_size(plain)]
    expected = [predict_plainly(plain, values, 5) for values, _, _ in as_lists(X, y, weights)]
    assert model.predict(X).tolist() == expected


@given(mixed_examples(), st.sampled_from(CRITERIA), st.booleans(), st.booleans(), st.sampled_from([1, 2]), st.randoms())
@drawn(250)
@pytest.mark.compiled
def test_any_order_in_any_pieces_ends_with_the_same_tree(examples, criterion, prune, zero, copies, random):
    X, y, weights = encode_frame(examples[0]), examples[1], quantise(examples[2])
    whole = DecisionTreeClassifier(criterion, "mdl" if prune else "none", split_on_zero=zero)
    pieces = in_pieces(clone(whole), X, y, weights, shuffled(np.repeat(np.arange(len(y)), copies), random))
    whole.fit(X, y, weights * copies)
    assert tree_of(whole) == tree_of(pieces)
    assert (whole.predict_proba(X) == pieces.predict_proba(X)).all()


@pytest.mark.parametrize("prune", ["mdl", "none"])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_learning_one_by_one_keeps_tables_bounds_and_lists_right(prune, n_classes):
    X, y, weights = random_table(3, n=90, n_classes=n_classes, decimals=0)
    kept, classes = np.flatnonzero(weights), np.arange(n_classes)
    model = DecisionTreeClassifier(prune=prune)
    for n, i in enumerate(kept, 1):
        model.partial_fit(X[[i]], y[[i]], classes, weights[[i]])
        if n % 10 == 0:
            check_node(model._members, model._members.root[0])
            first = kept[:n]
            whole = DecisionTreeClassifier(prune=prune).partial_fit(X[first], y[first], classes, weights[first])
            assert tree_of(model) == tree_of(whole)
    members = model._members
    assert members.stock[store.NODES] <= 2 * members.stock[store.PAIRS]


def check_node(members, v):
    """Check that a node weighs what is below it; return the pairs below."""
    node = members.nodes[v]
    if node[at.COLUMN] < 0:
        pairs, p = [], node[at.HEAD]
        while p >= 0:
            pairs.append(p)
            p = members.links[0, p]
    else:
        pairs = []
        for side in (at.LEFT, at.RIGHT):
            assert members.nodes[node[side], at.PARENT] == v
            pairs += check_node(members, node[side])
    assert len(set(pairs)) == len(pairs) > 0
    counted = np.zeros_like(members.weights[v])
    table = np.zeros_like(members.tables[0])
    for p in pairs:
        example, label, _ = members.pairs[p]
        counted[label] += members.mass[0, p]
        for number in members.keys[example, : len(members.first) - 1]:
            table[number, label] += members.mass[0, p]
    assert (counted == members.weights[v]).all()
    if node[at.TABLE] > 0:
        assert (table == members.tables[node[at.TABLE]]).all()
    return pairs


def test_large_nodes_count_in_tables():
    X, y, _ = random_examples(4, n=200, nominal=3, numeric=1)
    model = DecisionTreeClassifier().fit(X[:100], y[:100]).partial_fit(X[100:], y[100:])
    nodes = model._members.nodes[: model._members.stock[store.NODES]]
    assert (nodes[:, at.TABLE] > 0).sum() >= 3
    check_node(model._members, model._members.root[0])


@pytest.mark.parametrize("k", [1, 2, 5])
def test_a_weight_is_as_good_as_copies(k):
    X, y, _ = random_examples(5)
    once = DecisionTreeClassifier().fit(X, y, np.full(40, float(k)))
    copies = DecisionTreeClassifier().fit(pd.concat([X] * k), np.concatenate([y] * k))
    assert tree_of(once) == tree_of(copies)


def test_weights_count_as_examples_in_pruning():
    X, y, _ = random_examples(6, n=200)
    heavy = DecisionTreeClassifier().fit(X, y)
    light, relative = (DecisionTreeClassifier().fit(X, y, np.full(200, w)) for w in (1 / 8, 1 / 256))
    assert light.member_sizes_[0].nodes < heavy.member_sizes_[0].nodes
    assert relative.member_sizes_ == heavy.member_sizes_
    free = [DecisionTreeClassifier(prune="none").fit(X, y, np.full(200, w)) for w in (1.0, 1 / 256)]
    assert (free[0].predict_proba(X) == free[1].predict_proba(X)).all()


def test_consistent_examples_are_learned_by_heart_without_pruning():
    X, y, _ = random_examples(7, n=150, missing=0.0)
    assert DecisionTreeClassifier(prune="none").fit(X, y).score(X, y) == 1.0


def test_parity_needs_a_question_in_the_dark():
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    assert DecisionTreeClassifier(prune="none").fit(X, y).score(X, y) == 0.5
    assert DecisionTreeClassifier(prune="none", split_on_zero=True).fit(X, y).score(X, y) == 1.0


def test_neighbouring_numbers_can_be_told_apart():
    X = [[1.0], [np.nextafter(1.0, 2.0)]]
    assert DecisionTreeClassifier(prune="none").fit(X, [0, 1]).predict(X).tolist() == [0, 1]


def test_a_pickled_twin_counts_its_tables_again():
    X, y, _ = random_examples(4, n=200, nominal=3, numeric=0)
    model = DecisionTreeClassifier().fit(X[:100], y[:100])
    twin = pickle.loads(pickle.dumps(model))
    assert tree_of(twin.partial_fit(X[100:], y[100:])) == tree_of(model.partial_fit(X[100:], y[100:]))
    check_node(twin._members, twin._members.root[0])


def test_new_classes_and_values_find_their_places():
    X = pd.DataFrame({"a": [*"ccddccddaabbaabb"], "b": [*"xyxyxyxyxyxyxyxy"]})
    y = np.array([2, 2, 3, 3, 2, 2, 3, 3, 0, 0, 1, 1, 0, 0, 1, 1])
    pieces = DecisionTreeClassifier(prune="none").partial_fit(X[:8], y[:8]).partial_fit(X[8:], y[8:])
    assert pieces.predict(X).tolist() == y.tolist()
    assert tree_of(pieces) == tree_of(DecisionTreeClassifier(prune="none").fit(X, y))


def test_missing_and_unseen_values_take_their_ways():
    X = pd.DataFrame({"a": pd.Categorical([None, None, "x", "y"]), "b": [1.0, 1.0, 1.0, 1.0]})
    model = DecisionTreeClassifier(prune="none").fit(X, [1, 1, 0, 0])
    assert tree_of(model)[1] == (0, "?")
    asked = pd.DataFrame({"a": pd.Categorical([None, "z"]), "b": [np.nan, 2.0]})
    assert model.predict(asked).tolist() == [1, 0]
    number = DecisionTreeClassifier(prune="none").fit([[1.0], [2.0], [np.nan]], [0, 1, 1])
    assert tree_of(number)[1] == (0, 1.5)
    assert number.predict([[np.nan]]).tolist() == [1]


@pytest.mark.parametrize(
    ("shares", "bits"),
    [
        ([10], 1.0),
        ([8, 2], 8.643856),
        ([5, 5], 18.609640),
        ([6, 3, 1], 19.872675),
        ([2.5, 1.25], 4.383613),
    ],
)
def test_a_leaf_costs_what_the_specification_says(shares, bits):
    assert bits_of_leaf(np.array([shares], dtype=float), 0) == pytest.approx(bits, abs=1e-6)
    assert leaf_bits(shares) == pytest.approx(bits, abs=1e-6)


def test_a_split_that_pays_is_kept():
    X = pd.DataFrame({"a": pd.Categorical([*"aabbccdd", "e", "e"])})
    model = DecisionTreeClassifier().fit(X, [0] * 8 + [1] * 2)
    assert model._members.node_statistics[model._members.root[0], at.MOST] == pytest.approx(5.321928, abs=1e-6)
    assert model.member_sizes_ == [(3, 2, 1)]


def test_two_classes_are_as_far_apart_as_published():
    work = np.zeros((5, 2))
    work[0], work[1] = [3, 1], [4, 6]
    assert rate_test(work, 2, 4.0, 10.0, 0.0) == pytest.approx(1.16666667, abs=1e-8)
    work[0], work[1] = [2, 4], [9, 5]
    assert (bits_before(work, 2, 14.0, LOGS) - bits_after(work, 2, 6.0, 14.0, LOGS)) / 14 == pytest.approx(
        0.94028596 - (6 * entropy(2, 4) + 8 * entropy(7, 1)) / 14, abs=1e-8
    )


def entropy(*weights):
    return -sum(w / sum(weights) * math.log2(w / sum(weights)) for w in weights if w)


def test_among_equal_gaps_the_last_counts_on_both_sides():
    left, totals = [6, 4, 2, 0], [6, 6, 6, 60]
    work = np.zeros((5, 4))
    work[0], work[1] = left, totals
    exact = [
        dict(enumerate(map(Fraction, side))) for side in (left, [t - w for t, w in zip(totals, left, strict=True)])
    ]
    whole = dict(enumerate(map(Fraction, totals)))
    assert rate_test(work, 4, 12.0, 78.0, 0.0) == pytest.approx(float(sum(rate_ks(side, whole) for side in exact)))


def test_leaves_tell_probabilities_four_ways():
    X, y = [[0.0]] * 5, [0, 0, 0, 1, 1]
    for how, share in [("frequency", 0.6), ("majority", 1.0), ("laplace", 4 / 7), ("m_laplace", 3.2 / 5.4)]:
        model = DecisionTreeClassifier(leaf_proba=how).fit(X, y)
        assert model.predict_proba([[0.0]])[0, 0] == pytest.approx(share)


def test_a_tie_in_a_leaf_goes_to_the_class_that_weighs_more_above():
    X = [[0.0], [0.0], [1.0], [1.0], [1.0]]
    model = DecisionTreeClassifier(prune="none").fit(X, [0, 1, 1, 1, 1])
    assert model.predict([[0.0]]).tolist() == [1]
