"""Trees drawn: every node and every branch stands in the figure, at a place of its own, and text stays text."""

import numpy as np
import pandas as pd
import pytest

from ensembles import BaggingClassifier, NaiveBayesClassifier, OneRuleClassifier, PrunedTreeClassifier, plot_tree
from ensembles.errors import InvalidParameter, NotInstalled
from ensembles.learners.core.tree_view import LEAF, TreeNode
from ensembles.reports import tree_figure
from ensembles.reports.tree_drawing import place_nodes
from tests.examples import random_table

NOTHING = np.zeros(2)
LEAVES = [TreeNode(LEAF, label, NOTHING) for label in (0, 1, 0)]
TREE = TreeNode(
    0, 1, NOTHING, [("< 1", TreeNode(1, 0, NOTHING, [("= a", LEAVES[0]), ("= b", LEAVES[1])])), (">= 1", LEAVES[2])]
)


def told(figure):
    return [note.text for note in figure.layout.annotations]


def test_leaves_lie_side_by_side_and_questions_in_the_middle_above_them():
    placed = place_nodes(TREE)
    assert [(one.x, one.depth, one.parent, one.words) for one in placed] == [
        (1.25, 0, -1, ""),
        (0.5, 1, 0, "< 1"),
        (0.0, 2, 1, "= a"),
        (1.0, 2, 1, "= b"),
        (2.0, 1, 0, ">= 1"),
    ]
    assert [(one.x, one.depth, one.cut) for one in place_nodes(TREE, 1)] == [
        (0.5, 0, False),
        (0.0, 1, True),
        (1.0, 1, False),
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_figure_has_every_node_and_branch(theme):
    X = pd.DataFrame({"<b>b</b>": [1.0, 2.0, 1.0, 2.0, 7.0, 8.0] * 4, "a": list("uuvvvv") * 4})
    y = np.where((X["a"] == "u") | (X["<b>b</b>"] > 4), "<i>", "no")
    model = PrunedTreeClassifier(prune="none", nominal_split="binary").fit(X, y)
    figure = plot_tree(model, theme=theme)
    assert sorted(told(figure)) == sorted(
        ["&lt;b&gt;b&lt;/b&gt;?", "&lt; 4.5", "a?", "= u", "&lt;i&gt;", "is not u", "no", "&gt;= 4.5", "&lt;i&gt;"]
    )
    lines, marks = figure.data
    assert lines.x.count(None) == 4
    assert marks.hovertext[0] == "&lt;i&gt;: 16<br>no: 8"
    assert told(plot_tree(model, max_depth=0)) == ["&lt;i&gt; ..."]
    grounds = {note.text: note.bgcolor for note in figure.layout.annotations}
    assert grounds["no"] != grounds["&lt;i&gt;"]


def test_a_member_is_drawn_and_a_model_that_asks_nothing():
    X, y, _ = random_table(71)
    model = BaggingClassifier(OneRuleClassifier(), n_estimators=3, random_state=0).fit(X, y)
    assert told(plot_tree(model, member=2)) == told(plot_tree(model.estimators_[2]))
    assert told(plot_tree(model, np.int64(2), np.int64(0))) == told(plot_tree(model, 2, 0))
    assert told(plot_tree(PrunedTreeClassifier().fit([[1.0], [2.0]], ["a", "a"]))) == ["a"]


def test_what_cannot_be_drawn_gets_a_sentence(monkeypatch):
    X, y, _ = random_table(72)
    model = BaggingClassifier(OneRuleClassifier(), n_estimators=3, random_state=0).fit(X, y)
    for settings, sentence in [
        ({}, "model must be a base model that is a tree"),
        ({"member": 3}, r"member must be a place in `estimators_`, of 3 here, got 3"),
        ({"member": True}, "member must be a place"),
        ({"member": 0, "max_depth": -1}, "max_depth must be an integer of at least 0, or None, got -1"),
        ({"member": 0, "theme": "blue"}, "theme must be one of 'light', 'dark', got 'blue'"),
    ]:
        with pytest.raises(InvalidParameter, match=f"^plot_tree: {sentence}"):
            plot_tree(model, **settings)
    with pytest.raises(
        InvalidParameter, match=r"^plot_tree: model must be a pruned, lossless or Hoeffding tree, .*, got naive_bayes$"
    ):
        plot_tree(NaiveBayesClassifier().fit(X, y))
    monkeypatch.setattr(tree_figure, "find_spec", lambda _: None)
    with pytest.raises(NotInstalled, match=r"^plot_tree needs the library plotly, which is not installed"):
        plot_tree(model, member=0)
