"""Trees in words: who goes by the words ends with the class that the tree predicts; and what attributes tell."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import RFE

from ensembles import (
    AdaBoostClassifier,
    BaggingClassifier,
    DecisionStumpClassifier,
    DecisionTreeClassifier,
    HoeffdingTreeClassifier,
    NaiveBayesClassifier,
    OneRuleClassifier,
    PrunedTreeClassifier,
    SingleClassifier,
    SklearnDecisionTreeClassifier,
    export_graphviz,
    export_text,
)
from ensembles.errors import InvalidParameter
from ensembles.learners.core.tree_view import nodes_of
from ensembles.registry import make_learner
from tests.examples import random_examples

TREES = [
    PrunedTreeClassifier(prune="none"),
    PrunedTreeClassifier(prune="none", nominal_split="binary"),
    DecisionTreeClassifier(),
    DecisionTreeClassifier(prune="none"),
    HoeffdingTreeClassifier(grace_period=5, tau=0.9, leaf_prediction="majority"),
    DecisionStumpClassifier(),
    DecisionStumpClassifier(criterion="ks"),
    OneRuleClassifier(),
]


def holds(words, value):
    """Say whether a value is what the words of a branch ask for."""
    if words in ("is missing", "is known"):
        return pd.isna(value) == (words == "is missing")
    if pd.isna(value):
        return words.endswith(" or missing") or words.startswith("is not ")
    if between := re.fullmatch(r"in \[(.*), (.*)\)", words):
        return float(between[1]) <= value < float(between[2])
    sign, wanted = re.fullmatch(r"(<=|>=|<|>|=|is not) (.*?)(?: or missing)?", words).groups()
    if sign in ("=", "is not"):
        return (value == wanted) == (sign == "=")
    wanted = float(wanted)
    return {"<": value < wanted, "<=": value <= wanted, ">": value > wanted, ">=": value >= wanted}[sign]


def class_by_words(tree, row):
    while tree.branches:
        right = [(words, below) for words, below in tree.branches if holds(words, row.iloc[tree.attribute])]
        exact = [below for words, below in right if words == "is missing"] or [below for _, below in right]
        if not exact:
            break
        tree = exact[0]
    return tree.label


@pytest.mark.parametrize("model", TREES, ids=repr)
def test_who_goes_by_the_words_ends_where_the_tree_does(model):
    X, y, weights = random_examples(5, n=120, decimals=1)
    numbers = X[["m0", "m1"]]
    X[["m0", "m1"]] = (numbers / numbers.abs().max()).round(2)  # so few digits that cuts are written in full
    model.fit(X, y, weights)
    tree = model._tree_of(model._members, 0, model._schema)
    assert tree.branches
    ended = [class_by_words(tree, row) for _, row in X.astype(object).iterrows()]
    assert ended == model.predict(X).tolist()
    size = model.member_sizes_[0]
    assert len([*nodes_of(tree)]) == size.nodes
    assert sum(not node.branches for node in nodes_of(tree)) == size.leaves


def stack():
    """Return examples whose class is that a is u, or else that b is large."""
    a = ["u", "u", "v", "v", "v", "v"] * 4
    b = [1.0, 2.0, 1.0, 2.0, 7.0, 8.0] * 4
    y = np.where((np.array(a) == "u") | (np.array(b) > 4), "yes", "no")
    return pd.DataFrame({"b": b, "a": a, "c": 0.0}), y


def test_a_tree_in_words_and_as_a_drawing():
    X, y = stack()
    model = PrunedTreeClassifier(prune="none", nominal_split="binary").fit(X, y)
    told = "|--- b < 4.5\n|   |--- a = u\n|   |   |--- class: yes\n|   |--- a is not u\n|   |   |--- class: no\n"
    assert export_text(model) == told + "|--- b >= 4.5\n|   |--- class: yes\n"
    assert "|   |   |--- class: no (weights: 8, 0)\n" in export_text(model, show_weights=True)
    assert export_text(SingleClassifier(model).fit(X, y)) == export_text(model)
    drawn = export_graphviz(model)
    assert '0 [label="b?", tooltip="8, 16"];\n0 -> 1 [label="< 4.5"];\n0 -> 2 [label=">= 4.5"];\n' in drawn
    assert drawn.count("->") == 4
    assert drawn.count("{") == drawn.count("}") == 1
    quoted = PrunedTreeClassifier(prune="none").fit(X.rename(columns={"b": 'say "b"'}), y)
    assert r'label="say \"b\"?"' in export_graphviz(quoted)


def test_importances_are_what_tests_tell_weighted_by_examples():
    X, y = stack()
    model = PrunedTreeClassifier(prune="none", nominal_split="binary").fit(X, y)
    entropy = lambda p: -p * math.log2(p) - (1 - p) * math.log2(1 - p)  # noqa: E731
    above, below = 24 * entropy(1 / 3) - 16 * entropy(1 / 2), 16 * entropy(1 / 2)
    expected = np.array([above, below, 0.0]) / (above + below)
    np.testing.assert_allclose(model.feature_importances_, expected, rtol=1e-12)
    bagged = BaggingClassifier(model, n_estimators=5, random_state=0).fit(X, y)
    each = np.array([member.feature_importances_ for member in bagged.estimators_])
    np.testing.assert_allclose(bagged.feature_importances_, each.mean(axis=0), rtol=1e-12)


@pytest.mark.parametrize("base", [*TREES[::2], SklearnDecisionTreeClassifier()], ids=repr)
def test_an_attribute_that_says_nothing_is_left_out_by_recursive_elimination(base):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, size=(300, 4)).astype(float)
    y = (X[:, 2] > 4).astype(int)
    boosted = AdaBoostClassifier(base, n_estimators=2, stop_rule="bk", zero_error="smooth")
    chosen = RFE(boosted, n_features_to_select=1).fit(X, y)
    assert chosen.support_.tolist() == [False, False, True, False]
    importances = boosted.fit(X, y).feature_importances_
    assert importances.sum() == pytest.approx(1)
    assert importances[2] > 0.5


def test_members_of_random_subspaces_tell_of_the_attributes_they_see():
    X, y, _ = random_examples(6, n=80)
    model = make_learner("random_subspaces", "pruned_tree", settings={"n_estimators": 6}, random_state=1).fit(X, y)
    for member, part in zip(model.estimators_, model._members, strict=True):
        asked = {
            node.attribute for node in nodes_of(member._tree_of(member._members, member._member, None)) if node.branches
        }
        assert asked <= {*part.seen.tolist()}
        assert {*np.flatnonzero(member.feature_importances_)} <= asked
    assert export_text(model.estimators_[0]).startswith("|--- ")


def test_columns_of_numbers_alone_are_called_by_their_names():
    X = pd.DataFrame({"width": [1.0, 2.0, 3.0, 4.0], "height": [1.0, 1.0, 1.0, 1.0]})
    assert export_text(DecisionStumpClassifier().fit(X, [0, 0, 1, 1])).startswith("|--- width < 2.5")


def test_what_is_no_tree_says_so():
    X, y, _ = random_examples(7)
    bayes = NaiveBayesClassifier().fit(X, y)
    assert not hasattr(bayes, "feature_importances_")
    assert not hasattr(BaggingClassifier(bayes, n_estimators=2).fit(X, y), "feature_importances_")
    with pytest.raises(
        InvalidParameter, match=r"^export_text: model must be a perceptron, a pruned, lossless .*, got naive_bayes$"
    ):
        export_text(bayes)
    with pytest.raises(InvalidParameter, match=r"export_text: model must be a base model .*, got BaggingCl"):
        export_text(BaggingClassifier(TREES[0], n_estimators=2).fit(X, y))
