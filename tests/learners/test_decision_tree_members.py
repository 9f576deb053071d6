"""The lossless tree as a member of an ensemble: forgetting, backfitting, and what is kept of the examples."""

import pickle

import numpy as np
import pandas as pd
import pytest

from ensembles import (
    AdaBoostClassifier,
    BaggingClassifier,
    DecisionTreeClassifier,
    OnlineBaggingClassifier,
    OnlineBoostingClassifier,
)
from ensembles.exact import quantise
from ensembles.learners.lossless_tree import store
from tests.examples import CATEGORIES, as_lists, random_examples
from tests.learners.naive_decision_tree import holds
from tests.learners.test_decision_tree import tree_of


def test_members_forget_and_learn_again():
    X, y, _ = random_examples(8, n=60)
    boosted = AdaBoostClassifier(DecisionTreeClassifier(), n_estimators=4).fit(X, y)
    members = boosted._members
    base_model = boosted.base_model()
    table = boosted._encoded(X)
    rows = base_model.rows(members, table, learning=True)
    for _ in range(3):
        base_model.fit_member(members, 2, rows, np.searchsorted(boosted.classes_, y), np.ones(60))
    check = DecisionTreeClassifier().fit(X, y)
    assert tree_of(boosted, 2) == tree_of(check)
    assert members.stock[store.NODES] <= len(members.nodes)


def test_examples_that_come_again_take_no_more_room():
    X, y, _ = random_examples(9, n=200, decimals=0)
    model = DecisionTreeClassifier().fit(X, y)
    sizes = []
    for _ in range(3):
        for _ in range(10):
            model.partial_fit(X, y)
        sizes.append(len(pickle.dumps(model)))
    assert sizes[-1] <= 1.01 * sizes[0]


def test_settled_members_do_not_change_when_asked():
    X, y, _ = random_examples(9, n=120)
    for method in (OnlineBaggingClassifier, OnlineBoostingClassifier):
        model = method(DecisionTreeClassifier(), n_estimators=5, random_state=1).fit(X, y)
        before = pickle.dumps(model)
        model.predict_proba(X)
        assert pickle.dumps(model) == before


def test_a_member_of_an_ensemble_is_a_tree_of_its_own():
    X, y, _ = random_examples(10, n=100)
    model = OnlineBoostingClassifier(DecisionTreeClassifier(), n_estimators=4, random_state=3).fit(X, y)
    members = model._members
    for m in range(4):
        kept = np.flatnonzero(members.mass[m, : members.stock[store.PAIRS]])
        learned = pd.DataFrame(
            [recovered(members, model._schema, members.pairs[p, store.EXAMPLE]) for p in kept], columns=X.columns
        ).astype(X.dtypes)
        alone = DecisionTreeClassifier().partial_fit(
            learned, members.pairs[kept, store.CLASS], model.classes_, members.mass[m, kept]
        )
        assert tree_of(model, m) == tree_of(alone)


@pytest.mark.parametrize("prune", ["none", "mdl"])
def test_backfitting_keeps_the_tests_and_counts_all_examples(prune):
    X, y, weights = random_examples(11, n=100, missing=0.1)
    plain, backfitted = (
        BaggingClassifier(DecisionTreeClassifier(prune=prune), n_estimators=4, backfit=backfit, random_state=1)
        for backfit in (False, True)
    )
    plain.fit(X, y, weights)
    backfitted.fit(X, y, weights)
    examples = as_lists(X, y, quantise(weights))
    for m in range(4):
        tree = tree_of(backfitted, m)
        assert tree == counted_again(tree_of(plain, m), examples) != tree_of(plain, m)
        assert tree[1] is not None
    told = backfitted.predict_proba(X)
    assert (pickle.loads(pickle.dumps(backfitted)).predict_proba(X) == told).all()
    assert (told != plain.predict_proba(X)).any()


def counted_again(tree, examples):
    """Return a tree of `tree_of` with the weights of these examples at its nodes."""
    shares = tuple(sum(weight for _, label, weight in examples if label == c) for c in range(len(tree[0])))
    if tree[1] is None:
        return shares, None
    left = [example for example in examples if holds(example[0], tree[1])]
    right = [example for example in examples if not holds(example[0], tree[1])]
    return shares, tree[1], counted_again(tree[2], left), counted_again(tree[3], right)


def test_a_leaf_that_backfitting_does_not_reach_keeps_its_counts():
    X = pd.DataFrame({"n": pd.Categorical(["a"] * 3 + ["b"] * 3, CATEGORIES)})
    model = DecisionTreeClassifier(prune="none").fit(X, [0, 0, 0, 1, 1, 1])
    rows = model.rows(model._members, model._encoded(X[:3]), learning=False)
    model.backfit_member(model._members, 0, rows, np.array([1, 1, 0]), np.ones(3))
    np.testing.assert_allclose(model.predict_proba(X), [[1 / 3, 2 / 3]] * 3 + [[0, 1]] * 3)


def recovered(members, schema, example):
    """Return the values of a stored example."""
    values = []
    for a, column in enumerate(members.place):
        key = members.keys[example, column]
        if column >= len(schema.nominal):
            values.append(members.values[key] if key >= 0 else None)
        else:
            values.append((*schema.attributes[a].categories, None)[key - members.first[column]])
    return values
