"""Trees and weighted sums in words, and trees as drawings, by the names of attributes and classes that the user gave."""

from __future__ import annotations

from typing import Any

import numpy as np

from ensembles.errors import InvalidParameter
from ensembles.learners.core.tree_view import TreeNode
from ensembles.wording import written

__all__ = ["export_graphviz", "export_text", "read_tree"]


def export_text(model: Any, *, show_weights: bool = False) -> str:
    """Return the tree of a trained base model in words, a line a branch; of a perceptron its weights, a line an input.

    Parameters
    ----------
    model : trained base model of trees, stumps, rules or perceptrons, `SingleClassifier`, or a member of `estimators_`
    show_weights : bool
        Of trees: add the class weights of the training examples that ended in each leaf, in the order of `classes_`.

    Raises
    ------
    InvalidParameter
        It is no tree and no perceptron, or an ensemble of several.
    """
    model = _base_model(model, "export_text")
    lines = model.base_model()._lines_of(model._members, model._member, model._schema, model.classes_.tolist())
    if lines is not None:
        return "\n".join(lines) + "\n"
    tree, names, classes = read_tree(model, "export_text")
    return "\n".join(_lines(tree, names, classes, 0, show_weights)) + "\n"


def export_graphviz(model: Any) -> str:
    """Return the tree of a trained base model, as `export_text` takes it, in the DOT language of Graphviz."""
    tree, names, classes = read_tree(model, "export_graphviz")
    lines = ["digraph tree {", "node [shape=box, style=rounded, fontname=sans];", "edge [fontname=sans];"]
    waiting = [(0, tree)]
    count = 1
    while waiting:
        number, node = waiting.pop()
        counts = ", ".join(f"{weight:g}" for weight in node.weights)
        title = names[node.attribute] + "?" if node.branches else f"class: {classes[node.label]}"
        lines.append(f"{number} [label={_quoted(title)}, tooltip={_quoted(counts)}];")
        for words, below in node.branches:
            lines.append(f"{number} -> {count} [label={_quoted(words)}];")
            waiting.append((count, below))
            count += 1
    return "\n".join([*lines, "}"]) + "\n"


def _lines(tree: TreeNode, names: list[str], classes: list[Any], depth: int, show_weights: bool) -> list[str]:
    indent = "|   " * depth + "|--- "
    if not tree.branches:
        weights = ", ".join(f"{weight:g}" for weight in tree.weights)
        return [f"{indent}class: {classes[tree.label]}" + (f" (weights: {weights})" if show_weights else "")]
    lines = []
    for words, below in tree.branches:
        lines.append(f"{indent}{names[tree.attribute]} {words}")
        lines.extend(_lines(below, names, classes, depth + 1, show_weights))
    return lines


def read_tree(model: Any, who: str) -> tuple[TreeNode, list[str], list[Any]]:
    """Return the tree of a trained base model, the names of its attributes, and its classes; `who` asks, for errors."""
    model = _base_model(model, who)
    tree = model.base_model()._tree_of(model._members, model._member, model._schema)
    if tree is None:
        weighted = "a perceptron, " if who == "export_text" else ""
        raise InvalidParameter(
            f"{who}: model must be {weighted}a pruned, lossless or Hoeffding tree, a stump or a one-rule, "
            f"that has learned something, got {model.key}"
        )
    names = [attribute.name for attribute in model._schema.attributes]
    return tree, names, np.asarray(model.classes_).tolist()


def _base_model(model: Any, who: str) -> Any:
    """Return the trained base model that is meant."""
    model = getattr(model, "estimator_", model)
    if not hasattr(model, "_check_learned") or getattr(model, "kind", "") != "base":
        raise InvalidParameter(
            f"{who}: model must be a base model that is a tree, such as a member of `estimators_`, got {written(model)}"
        )
    model._check_learned()
    return model


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
