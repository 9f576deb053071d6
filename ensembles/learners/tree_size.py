"""How large a tree is: one way for all kinds of trees."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["TreeSize", "size_of_tree"]


class TreeSize(NamedTuple):
    """Nodes (leaves among them), leaves, and questions on the longest path, as examples meet them."""

    nodes: int
    leaves: int
    depth: int


def size_of_tree(first: npt.NDArray[np.integer], width: npt.NDArray[np.integer]) -> TreeSize:
    """Return the size of the tree whose root is node 0 and whose node v has `width[v]` children from `first[v]` on."""
    nodes, leaves, depth = 0, 0, 0
    at = np.zeros(1, dtype=np.int64)
    while True:
        asks = width[at] > 0
        nodes, leaves = nodes + len(at), leaves + int((~asks).sum())
        at = at[asks]
        if len(at) == 0:
            return TreeSize(nodes, leaves, depth)
        before = np.cumsum(width[at]) - width[at]
        at = np.repeat(first[at] - before, width[at]) + np.arange(width[at].sum())
        depth += 1
