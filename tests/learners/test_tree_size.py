import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier as SklearnTree

from ensembles import (
    BaggingClassifier,
    DecisionStumpClassifier,
    DecisionTreeClassifier,
    HoeffdingTreeClassifier,
    NaiveBayesClassifier,
    OneRuleClassifier,
    OnlineBaggingClassifier,
    PrunedTreeClassifier,
    SingleClassifier,
    SklearnClassifier,
    SklearnDecisionTreeClassifier,
)
from ensembles.learners.core.tree_size import size_of_tree
from ensembles.registry import base_models
from tests.examples import as_lists, random_examples
from tests.learners.naive_hoeffding import HoeffdingTree


def test_nodes_leaves_and_depth_are_counted_level_by_level():
    first, width = np.array([1, 0, 4, 0, 0, 0, 0]), np.array([3, 0, 2, 0, 0, 0, 7])  # row 6 belongs to no path
    assert size_of_tree(first, width) == (6, 4, 2)
    assert size_of_tree(np.array([0]), np.array([0])) == (1, 1, 0)


def longest_path(children_of, v=0):
    below = [longest_path(children_of, child) for child in children_of(v)]
    return 1 + max(below) if below else 0


@pytest.mark.parametrize("method", [BaggingClassifier, SingleClassifier, None])
def test_the_size_of_a_pruned_tree_is_that_of_its_rows(method):
    X, y, weights = random_examples(0, n=90)
    model = PrunedTreeClassifier(prune="none") if method is None else method(PrunedTreeClassifier(prune="none"))
    if method is BaggingClassifier:
        model.set_params(n_estimators=4, random_state=0)
    model.fit(X, y, weights)
    members = model.estimator_._members if method is SingleClassifier else model._members
    assert len(model.member_sizes_) == model.n_members_
    for m, size in enumerate(model.member_sizes_):
        tree = members.nodes[members.root[m] : members.root[m] + members.size[m]]
        assert size.nodes == len(tree) == members.size[m] > 4
        assert size.leaves == (tree[:, 3] == 0).sum()
        assert size.depth == longest_path(lambda v, tree=tree: range(tree[v, 2], tree[v, 2] + tree[v, 3]))


def plain_size(node):
    """As River counts: nodes, leaves, and questions on the longest path, of branches that examples took."""
    if sum(node.weights) == 0:
        return 0, 0, -1
    if node.attribute is None:
        return 1, 1, 0
    below = [plain_size(child) for child in node.children]
    return 1 + sum(n for n, _, _ in below), sum(n for _, n, _ in below), 1 + max(depth for _, _, depth in below)


@pytest.mark.parametrize(("nominal", "numeric", "missing"), [(0, 3, 0.0), (2, 0, 0.0), (2, 2, 0.02), (1, 1, 0.5)])
def test_a_hoeffding_tree_counts_branches_that_examples_took(nominal, numeric, missing):
    X, y, _ = random_examples(1, n=400, nominal=nominal, numeric=numeric, missing=missing)
    settings = {
        "grace_period": 10,
        "delta": 0.05,
        "tau": 0.5,
        "bins": 10,
        "min_branch_fraction": 0.01,
        "max_nodes": 2000,
    }
    model = HoeffdingTreeClassifier(**settings).fit(X, y)
    kinds = [None if X[name].dtype == float else [*X[name].cat.categories] for name in X]
    plain = HoeffdingTree(kinds, 3, criterion="info_gain", leaf_prediction="adaptive", **settings)
    for values, label, weight in as_lists(X, y, np.ones(400)):
        plain.learn(values, label, weight)
    size = model.member_sizes_[0]
    assert size == plain_size(plain.root)
    assert size.nodes > 4
    if numeric == 3:  # two branches a test, as in River
        assert size.nodes == 2 * size.leaves - 1 < model._members.sizes[0]


def test_a_hoeffding_tree_of_one_split_has_three_nodes():
    model = HoeffdingTreeClassifier(grace_period=10).fit(np.arange(200.0)[:, None], np.arange(200) >= 100)
    assert model.member_sizes_ == [(3, 2, 1)]
    model = HoeffdingTreeClassifier(grace_period=10).partial_fit(
        np.full((1, 1), np.nan), [False], classes=[False, True]
    )
    assert model.member_sizes_ == [(1, 1, 0)]
    model.partial_fit([*np.arange(200.0)[:, None], [np.nan]], [*(np.arange(200) >= 100), False])
    assert model.member_sizes_ == [(4, 3, 1)]  # one leaf more for the missing value


def test_trees_of_numbers_count_as_those_of_scikit_learn():
    X, y = np.arange(6.0)[:, None], [0, 0, 1, 1, 0, 0]
    own = [PrunedTreeClassifier(prune="none", min_branch_weight=1.0), DecisionTreeClassifier(prune="none")]
    for model in (*own, SklearnDecisionTreeClassifier(), SklearnClassifier(SklearnTree())):
        assert model.fit(X, y).member_sizes_ == [(5, 3, 2)]
    assert SklearnTree().fit(X, y).tree_.node_count == 5
    stumps = [DecisionStumpClassifier(), PrunedTreeClassifier(prune="none", max_depth=1)]
    for model in (*stumps, SklearnDecisionTreeClassifier(max_depth=1)):
        assert model.fit(X, y).member_sizes_ == [(3, 2, 1)]


TREES = [name for name, entry in base_models().items() if "tree" in name or entry.family == "tree"]


@pytest.mark.parametrize("name", [name for name in TREES if "forest" not in name])
def test_a_tree_of_one_class_is_one_leaf(name):
    model = base_models()[name].cls().fit([[1.0], [2.0], [3.0]], [1, 1, 1])
    assert model.member_sizes_ == [(1, 1, 0)]


@pytest.mark.parametrize(
    "tree", [DecisionTreeClassifier, DecisionStumpClassifier, OneRuleClassifier, HoeffdingTreeClassifier]
)
def test_a_tree_that_has_learned_nothing_has_no_node(tree):
    model = OnlineBaggingClassifier(tree(), n_estimators=30, random_state=0).fit([[1.0]], [1])
    assert {(0, 0, 0), (1, 1, 0)} == set(model.member_sizes_)


def test_what_is_no_tree_has_no_size():
    X, y, _ = random_examples(2)
    assert NaiveBayesClassifier().fit(X, y).member_sizes_ == [None]
    assert not hasattr(NaiveBayesClassifier(), "member_sizes_")
