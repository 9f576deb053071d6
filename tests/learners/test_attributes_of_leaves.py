import math
from collections import Counter
from itertools import count

import numpy as np
import pytest

from ensembles import HoeffdingTreeClassifier, OnlineBaggingClassifier
from ensembles.draws import stream
from ensembles.learners.hoeffding.subspaces import PERIOD, size_of_subset
from tests.examples import CATEGORIES, as_lists
from tests.learners.naive_hoeffding import HoeffdingTree
from tests.learners.test_hoeffding_tree import EAGER, assert_same_tree, grown, tree_of


def drawing(seed, m, nominal, numeric, wanted):
    """Return a function that draws the attributes of leaves of member m, column by column in the plainest way."""
    numbers, drawn = stream(seed, "attributes_of_leaves", m).random(PERIOD), count()

    def next_number():
        at = next(drawn)
        return (numbers[at % PERIOD] + at // PERIOD * ((math.sqrt(5) - 1) / 2)) % 1.0

    def draw():
        chosen, columns = [], [*nominal, *numeric]
        for left, column in zip(range(len(columns), 0, -1), columns, strict=True):
            if next_number() * left < wanted - len(chosen):
                chosen.append(column)
        return chosen

    return draw


@pytest.mark.parametrize("leaf", ["naive_bayes", "adaptive"])
@pytest.mark.parametrize("seed", range(4))
def test_leaves_count_what_the_oracle_draws_for_them(seed, leaf):
    X, y, weights = grown(seed, 500, nominal=3 - seed, numeric=1 + seed, n_classes=2 + seed % 2)
    rule, share = [("sqrt", 0.6), ("log2", 0.6), ("share", 0.5), ("share", 0.01)][seed]
    model = HoeffdingTreeClassifier(
        leaf_prediction=leaf, max_features=rule, feature_share=share, random_state=7, **EAGER
    ).fit(X, y, weights)
    kinds = [X[name].dtype == "category" for name in X.columns]
    nominal, numeric = np.flatnonzero(kinds), np.flatnonzero(~np.array(kinds))
    wanted = model._members.subspaces.chosen.shape[1] - 1
    names = ("grace_period", "delta", "tau", "criterion", "leaf_prediction", "bins", "min_branch_fraction", "max_nodes")
    tree = HoeffdingTree(
        [CATEGORIES if kind else None for kind in kinds],
        len(model.classes_),
        **{name: getattr(model, name) for name in names},
        draw=drawing(7, 0, nominal, numeric, wanted),
    )
    for values, label, weight in as_lists(X, y, np.floor(weights * 2**20 + 0.5) / 2**20):
        if weight > 0:
            tree.learn(values, label, weight)
    assert tree.n_nodes > 4
    assert_same_tree(tree_of(model, X), tree.root)
    expected = [tree.shares(values) for values, _, _ in as_lists(X, y, weights)]
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-7, atol=1e-9)


def test_every_subset_is_drawn_equally_often_however_many_leaves_there_were():
    draw = drawing(0, 0, range(2), range(2, 5), 2)
    drawn = Counter(tuple(draw()) for _ in range(5000))
    assert len(drawn) == 10
    assert 400 < min(drawn.values()) <= max(drawn.values()) < 600


@pytest.mark.parametrize(
    ("rule", "n", "size"),
    [("all", 9, 9), ("sqrt", 24, 6), ("sqrt", 1, 1), ("log2", 40, 6), ("share", 24, 14), ("share", 1, 1)],
)
def test_sizes_are_those_of_the_rules(rule, n, size):
    assert size_of_subset(rule, 0.6, n) == size


def test_members_draw_their_own_and_the_same_again_in_pieces():
    X, y, _ = grown(2, 600, nominal=2, numeric=4)

    def forest(pieces):
        tree = HoeffdingTreeClassifier(max_features="sqrt", **EAGER)
        model = OnlineBaggingClassifier(tree, n_estimators=5, random_state=3)
        for part in np.array_split(np.arange(600), pieces):
            model.partial_fit(X.iloc[part], y[part], classes=np.unique(y))
        return model

    whole, parts = forest(1), forest(7)
    assert (whole.predict_proba(X) == parts.predict_proba(X)).all()
    roots = whole._members.nodes[:, 0, 0]
    assert len(set(roots.tolist())) > 1
