"""How large a tree is: one way for all kinds of trees.

A node counts if training examples came to it, and only then: so it is in C4.5, River and scikit-learn, whose trees have no
other nodes. Ours may keep room for branches that nothing has taken, such as "missing" where nothing is missing; these are
no leaves. A subtree that is pruned is one leaf, and a tree that has learned nothing has no node.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["TreeSize", "size_of_tree"]


class TreeSize(NamedTuple):
    """Nodes that training examples came to (leaves among them), leaves, and questions on the longest path."""

    nodes: int
    leaves: int
    depth: int


def size_of_tree(
    first: npt.NDArray[np.integer], width: npt.NDArray[np.integer], taken: npt.NDArray[np.bool_] | None = None
) -> TreeSize:
    """Return the size of the tree whose root is node 0 and whose node v has `width[v]` children from `first[v]` on.

    `taken`: which nodes training examples came to; all, if it is not given.
    """
    nodes, leaves, depth = 0, 0, 0
    at = np.zeros(min(1, len(first)), dtype=np.int64)
    while True:
        at = at if taken is None else at[taken[at]]
        asks = width[at] > 0
        nodes, leaves = nodes + len(at), leaves + int((~asks).sum())
        at = at[asks]
        if len(at) == 0:
            return TreeSize(nodes, leaves, depth)
        before = np.cumsum(width[at]) - width[at]
        at = np.repeat(first[at] - before, width[at]) + np.arange(width[at].sum())
        depth += 1
