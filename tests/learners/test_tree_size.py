import numpy as np
import pytest

from ensembles import (
    BaggingClassifier,
    HoeffdingTreeClassifier,
    NaiveBayesClassifier,
    OnlineBaggingClassifier,
    PrunedTreeClassifier,
    SingleClassifier,
)
from ensembles.learners.tree_size import size_of_tree
from tests.examples import random_examples


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


def test_the_size_of_a_hoeffding_tree_counts_a_leaf_for_each_branch():
    X, y, _ = random_examples(1, n=200, missing=0.0)
    tree = HoeffdingTreeClassifier(grace=10, delta=0.05, tau=0.5)
    model = OnlineBaggingClassifier(tree, n_estimators=3, random_state=0).fit(X, y)
    assert [size.nodes for size in model.member_sizes_] == model._members.sizes.tolist()
    assert all(1 < size.leaves < size.nodes and size.depth > 0 for size in model.member_sizes_)


def test_what_is_no_tree_has_no_size():
    X, y, _ = random_examples(2)
    assert NaiveBayesClassifier().fit(X, y).member_sizes_ == [None]
    assert not hasattr(NaiveBayesClassifier(), "member_sizes_")
