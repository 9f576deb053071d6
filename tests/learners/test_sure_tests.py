"""Nodes of lossless trees that are not looked at again, as nothing can have become better than their tests."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from ensembles import DecisionTreeClassifier
from tests.examples import random_table
from tests.learners.test_decision_tree import CRITERIA, tree_of


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.compiled
def test_nodes_that_are_not_looked_at_again_have_the_test_that_a_look_would_find(criterion, n_classes):
    for seed in range(3):
        X, y, _ = random_table(seed, n=300, nominal=3, numeric=1, n_classes=n_classes, decimals=1)
        y = np.where(np.arange(300) % 3 == 0, y, X.codes[:, 0] % n_classes)  # clear leads, and close ones further down
        classes, model, n = np.arange(n_classes), DecisionTreeClassifier(criterion, "none"), 0
        while n < 300:
            more = slice(n, n + 1 + n // 20)
            model.partial_fit(X[more], y[more], classes).predict(X[:40])
            n = min(n + 1 + n // 20, 300)
            whole = DecisionTreeClassifier(criterion, "none").partial_fit(X[:n], y[:n], classes)
            assert tree_of(model) == tree_of(whole)


def learned_in_two(first, then):
    """Return the tree by distance of some examples, that of others too, and that of all at once; each part is asked."""
    model, found = DecisionTreeClassifier("ks", "none"), []
    for X, y, weights in (first, then):
        model.partial_fit(X, y, np.unique(first[1]), weights).predict(X)
        found.append(tree_of(model))
    joined = [
        join([one, other]) for join, one, other in zip((pd.concat, *[np.concatenate] * 2), first, then, strict=True)
    ]
    X, y, weights = joined
    return *found, tree_of(DecisionTreeClassifier("ks", "none").partial_fit(X, y, None, weights))


def nominal(*columns):
    return pd.DataFrame({f"a{j}": pd.Categorical([*column], [*"yn?"]) for j, column in enumerate(columns)})


def test_a_third_value_makes_two_questions_of_one():
    first = nominal("yyynnn", "yn?yn?"), np.array([0, 0, 0, 1, 1, 1]), np.full(6, 33.0)
    before, after, at_once = learned_in_two(first, (nominal("?", "y"), np.array([0]), np.ones(1)))
    assert before[1] == (0, "y")
    assert after == at_once
    assert after[1] == (0, "n")


def test_classes_that_part_elsewhere_may_be_much_further_apart():
    """Of classes that weigh 100, 100 and 10,000, half, 0.27 and 0.02 say yes: the first two are nearly parted by more."""
    yes, cells = ((0.46, 0.46, 0.02), (0.5, 0.27, 0.02)), list(itertools.product("yn", "yn", range(3)))
    weights = [
        max(
            round((100, 100, 10_000)[c] * math.prod(yes[a][c] if cell[a] == "y" else 1 - yes[a][c] for a in range(2))),
            1,
        )
        for *cell, c in cells
    ]
    x, y, classes = zip(*cells, strict=True)
    first = nominal(x, y), np.array(classes), np.array(weights, dtype=float)
    before, after, at_once = learned_in_two(first, (nominal("nnnyy", "yyyyy"), np.zeros(5, dtype=int), np.ones(5)))
    assert before[1] == (0, "y")
    assert after == at_once
    assert after[1] == (1, "y")
