"""Trees as people read them: what a node asks, its branches, and the class weights that came to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema

__all__ = ["LEAF", "TreeNode", "importances_of", "nodes_of", "value_words"]

LEAF = -1  #: instead of an attribute: the node asks nothing


class TreeNode(NamedTuple):
    """A node that training examples came to.

    attribute : position among the user's columns, `LEAF` if it asks nothing
    label : class of an example that ends here, as a position in `classes_`; -1 if it has learned nothing
    weights : (classes,) of the training examples that came here
    branches : what a value must be, such as "< 2.5", and the node that it leads to
    """

    attribute: int
    label: int
    weights: npt.NDArray[np.float64]
    branches: Sequence[tuple[str, TreeNode]] = ()


def nodes_of(tree: TreeNode) -> Iterator[TreeNode]:
    """Yield the nodes of a tree, each before those below it."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(below for _, below in reversed(node.branches))


def importances_of(tree: TreeNode, n_attributes: int, *, gini: bool) -> npt.NDArray[np.float64]:
    """Return by how much the tests of each attribute lower the impurity, weighted by examples; they sum to 1, or are all 0.

    Impurity is entropy, or Gini's. The weights of a node are those of the nodes below it.
    """
    gains = np.zeros(n_attributes)
    for node in nodes_of(tree):
        if node.branches:
            below = [sum(leaf.weights for leaf in nodes_of(each) if not leaf.branches) for _, each in node.branches]
            gains[node.attribute] += _unrest(sum(below), gini) - sum(_unrest(each, gini) for each in below)
    gains = np.maximum(gains, 0.0)
    total = gains.sum()
    shares: npt.NDArray[np.float64] = gains / total if total > 0 else gains
    return shares


def _unrest(weights: Any, gini: bool) -> float:
    """Return the impurity of class weights, times their sum."""
    total = weights.sum()
    if total <= 0:
        return 0.0
    shares = weights[weights > 0] / total
    return float(total * (1 - (shares**2).sum() if gini else -(shares * np.log2(shares)).sum()))


def value_words(schema: Schema, attribute: int) -> list[str]:
    """Return what stands for each branch of a test with a branch a value, "missing" the last."""
    return [*(f"= {value}" for value in schema.attributes[attribute].categories), "is missing"]
