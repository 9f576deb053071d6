"""Trees of one ensemble stand one behind another; how one gets there, and how threads train several at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ensembles.learners.core.sharing import Sharing

if TYPE_CHECKING:
    from ensembles.learners.pruned_tree.nodes import TreeMembers

__all__ = ["SHARING", "with_tree"]

_OF_NODES = ("nodes", "cut", "weights")


def with_tree(members: TreeMembers, m: int, **tree: npt.NDArray[Any]) -> TreeMembers:
    """Put a tree (nodes, cut, weights) behind those that are there, as member m, in arrays twice as long when full."""
    start, size = int((members.root + members.size).max(initial=0)), len(tree["cut"])
    if start + size > len(members.cut):
        more = max(start + size - len(members.cut), start if len(members.root) > 1 else 0)
        members = members._replace(**{name: _longer(getattr(members, name), more) for name in _OF_NODES})
    for name in _OF_NODES:
        getattr(members, name)[start : start + size] = tree[name]
    members.root[m], members.size[m] = start, size
    return members


def _longer(array: npt.NDArray[Any], more: int) -> npt.NDArray[Any]:
    return np.concatenate([array, np.zeros((more, *array.shape[1:]), dtype=array.dtype)])


class TreeSharing(Sharing):
    """Lets a thread begin with no trees, and puts the one that it has trained behind the others."""

    def apart(self, members: TreeMembers) -> TreeMembers:
        none = {name: getattr(members, name)[:0] for name in _OF_NODES}
        return members._replace(root=np.full_like(members.root, -1), size=np.zeros_like(members.size), **none)

    def take_over(self, members: TreeMembers, m: int, trained: TreeMembers) -> TreeMembers:
        place = slice(trained.root[m], trained.root[m] + trained.size[m])
        return with_tree(members, m, **{name: getattr(trained, name)[place] for name in _OF_NODES})


SHARING = TreeSharing(own="root size")  #: of all pruned trees
