"""Where the regression trees of gradient boosting lie: their arrays, and room for more nodes and tables of leaves."""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.data.encoding import category_map
from ensembles.data.table import Schema
from ensembles.jit import inner
from ensembles.learners.core.tree_size import TreeSize

__all__ = [
    "ALTERNATE", "ATTRIBUTE", "COMPARED", "CUT", "DELTA", "ERRORS", "GRACE", "LAST", "LEAF", "LEFT", "LOSS_NEW", "LOSS_OLD",
    "LOWEST", "MAX_NODES", "NONE", "PARENT", "RIGHT", "SINCE", "SLOT", "SQUARES", "SUM", "TAU", "THRESHOLD", "WATCHES",
    "WEIGHT", "Trees", "attribute_subsets", "empty_trees", "enlarged", "has_room", "size_of_one", "with_room",
]  # fmt: skip

LEAF, NONE = -1, -1
ATTRIBUTE, LEFT, RIGHT, PARENT, ALTERNATE, WATCHES, SLOT = range(7)  # places in `nodes`
WEIGHT, SUM, SQUARES, ERRORS, CUT, SINCE, LAST, LOWEST, LOSS_OLD, LOSS_NEW, COMPARED = range(11)  # places in `values`
GRACE, DELTA, TAU, THRESHOLD, MAX_NODES = range(5)  # places in `settings`

_TABLES = ("cells", "cuts", "bins", "filled", "spare")
_MOST_NEW = 3  # nodes that one example can add to a tree, and more than the tables that it can


class Trees(NamedTuple):
    """Trees t, nodes k, slots s (tables of leaves, one pool for all trees).

    Attributes of tests are numbered nominal first. Values of nominal attributes v are numbered through all attributes; the
    last value of each is "missing". Left goes what is at most the cut, or is not the value that the test asks for.

    Values of a node: weight, sum and sum of squares of its targets, and sum of errors in units of the targets' standard
    deviation; the cut; the weight when it last tried to split; sum and least sum of the Page-Hinkley test; faded squared
    errors of the subtree and of the alternate tree, and how many examples these have been compared on.
    """

    nodes: np.ndarray  # (t, k, 7) attribute or LEAF, left, right, parent, alternate tree, 1 if it is watched, slot
    values: np.ndarray  # (t, k, 11)
    roots: np.ndarray  # (t,)
    sizes: np.ndarray  # (t, 3) nodes ever in use, first of those given back, how many of these
    targets: np.ndarray  # (t, 3) weight, sum and sum of squares of all targets
    chosen: np.ndarray  # (t, attributes) 1 where the tree may ask for the attribute
    cells: np.ndarray  # (s, v, 3) weight, sum and sum of squares of the targets
    cuts: np.ndarray  # (s, numeric attributes, bins) values that may be cuts, in order
    bins: np.ndarray  # (s, numeric attributes, bins, 3) of what is at most the cut and more than the one before
    filled: np.ndarray  # (s, numeric attributes) cuts known
    spare: np.ndarray  # (s,) slots given back
    stock: np.ndarray  # (2,) slots on `spare`, slots ever in use
    first: np.ndarray  # (nominal attributes + 1,) number of the attribute's first value
    settings: np.ndarray  # (5,)


def empty_trees(schema: Schema, chosen: npt.NDArray[np.uint8], bins: int, settings: npt.NDArray[np.float64]) -> Trees:
    """Return trees that have learned nothing, one a row of `chosen`; fields as in `Trees`."""
    n_trees, n_numeric = len(chosen), len(schema.numeric)
    first = np.concatenate([[0], np.cumsum(schema.value_counts + 1)]).astype(np.int64)
    trees = Trees(
        nodes=np.full((n_trees, 1, 7), NONE, dtype=np.int32),
        values=np.zeros((n_trees, 1, 11)),
        roots=np.zeros(n_trees, dtype=np.int64),
        sizes=np.tile(np.array([1, NONE, 0], dtype=np.int64), (n_trees, 1)),
        targets=np.zeros((n_trees, 3)),
        chosen=chosen,
        cells=np.zeros((0, first[-1], 3)),
        cuts=np.zeros((0, n_numeric, bins)),
        bins=np.zeros((0, n_numeric, bins, 3)),
        filled=np.zeros((0, n_numeric), dtype=np.int32),
        spare=np.zeros(0, dtype=np.int64),
        stock=np.zeros(2, dtype=np.int64),
        first=first,
        settings=settings,
    )
    trees.nodes[:, :, WATCHES] = 1
    return trees


@inner
def has_room(trees):
    """Return whether every tree can learn an example: nodes that it can add, unless it is full, and tables of leaves."""
    n_trees, capacity = trees.nodes.shape[0], trees.nodes.shape[1]
    if trees.spare.shape[0] - trees.stock[1] + trees.stock[0] < _MOST_NEW * n_trees:
        return False
    for t in range(n_trees):
        if min(trees.sizes[t, 0] + _MOST_NEW - trees.sizes[t, 2], trees.settings[MAX_NODES]) > capacity:
            return False
    return True


def with_room(trees: Trees) -> Trees:
    """Return the trees with room for one more example at least: what there is is doubled, nodes up to `max_nodes`."""
    n_trees, capacity = trees.nodes.shape[:2]
    most = int(trees.settings[MAX_NODES])
    if (trees.sizes[:, 0] + _MOST_NEW > capacity).any() and capacity < most:
        size = min(max(2 * capacity, capacity + _MOST_NEW), most)
        wider = {name: _widened(getattr(trees, name), size) for name in ("nodes", "values")}
        trees = trees._replace(**wider)
    used = int(trees.stock[1])
    if len(trees.spare) - used + trees.stock[0] < _MOST_NEW * n_trees:
        size = 2 * (used + _MOST_NEW * n_trees)
        trees = trees._replace(**{name: _longer(getattr(trees, name), size, used) for name in _TABLES})
    return trees


def _longer(array: npt.NDArray[Any], size: int, used: int) -> npt.NDArray[Any]:
    """Copy the first `used` items into an array of `size`; nothing else is written to, so it takes no memory yet."""
    longer = np.zeros((size, *array.shape[1:]), dtype=array.dtype)
    longer[:used] = array[:used]
    return longer


def _widened(array: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """Copy an array into one with `size` nodes a tree."""
    wider = np.zeros((len(array), size, array.shape[2]), dtype=array.dtype)
    wider[:, : array.shape[1]] = array
    return wider


def enlarged(trees: Trees, old: Schema, new: Schema) -> Trees:
    """Return the trees with the values of nominal attributes moved to their place in schema `new`."""
    first = np.concatenate([[0], np.cumsum(new.value_counts + 1)]).astype(np.int64)
    moved = [np.zeros(0, dtype=np.int64)]
    for a, (before, after) in enumerate(zip(old.nominal, new.nominal, strict=True)):
        places = category_map(old.attributes[before].categories, new.attributes[after].categories)
        moved.append(first[a] + np.append(places, first[a + 1] - first[a] - 1).astype(np.int64))  # missing stays last
    places = np.concatenate(moved)
    cells = np.zeros((len(trees.cells), first[-1], 3))
    cells[:, places] = trees.cells
    values, attributes = trees.values.copy(), trees.nodes[:, :, ATTRIBUTE]
    asks = (attributes >= 0) & (attributes < len(old.nominal)) & (np.arange(values.shape[1]) < trees.sizes[:, :1])
    values[asks, CUT] = places[values[asks, CUT].astype(np.int64)]
    return trees._replace(cells=cells, values=values, first=first)


def attribute_subsets(
    stream: np.random.Generator, n_trees: int, n_attributes: int, share: float
) -> npt.NDArray[np.uint8]:
    """Draw a share of the attributes for each tree, two at least: (trees, attributes), 1 where it may ask for the attribute.

    No subset comes again before all have come.
    """
    size = min(n_attributes, max(round(share * n_attributes), 2))
    chosen = np.zeros((n_trees, n_attributes), dtype=np.uint8)
    seen: set[bytes] = set()
    for t in range(n_trees):
        if len(seen) == math.comb(n_attributes, size):
            seen.clear()
        while not chosen[t].any() or chosen[t].tobytes() in seen:
            chosen[t] = 0
            chosen[t, stream.permutation(n_attributes)[:size]] = 1
        seen.add(chosen[t].tobytes())
    return chosen


def size_of_one(trees: Trees, t: int) -> TreeSize:
    """Return how large tree t is, without its alternate trees."""
    nodes, leaves, depth, at = 0, 0, 0, trees.roots[t : t + 1]
    while True:
        asks = trees.nodes[t, at, ATTRIBUTE] != LEAF
        nodes, leaves = nodes + len(at), leaves + int((~asks).sum())
        if not asks.any():
            return TreeSize(nodes, leaves, depth)
        at = trees.nodes[t, at[asks]][:, [LEFT, RIGHT]].ravel()
        depth += 1
