"""Where Mondrian trees lie: the arrays of members, room for more nodes, and moving to more classes and values."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.data.encoding import category_map
from ensembles.data.table import Schema
from ensembles.draws import long_block
from ensembles.learners.core.sharing import Sharing
from ensembles.learners.core.tree_size import TreeSize

__all__ = [
    "AGGREGATES", "ATTRIBUTE", "CUT", "DIRICHLET", "EVIDENCE", "LEAF", "LEFT", "MAX_NODES", "NO_PARENT", "PARENT",
    "PRUNINGS", "RELATIVE", "RIGHT", "SHARE", "SPLIT_PURE", "STEP", "TIME", "TOTAL", "MondrianMembers", "empty_members",
    "enlarged", "size_of_member", "with_capacity",
]  # fmt: skip

LEAF = -1  #: instead of an attribute: the node has no test
NO_PARENT = -1

ATTRIBUTE, LEFT, RIGHT, PARENT = range(4)  # places in `nodes`
CUT, TIME, TOTAL, EVIDENCE, PRUNINGS, SHARE = range(6)  # places in `values`
DIRICHLET, STEP, AGGREGATES, SPLIT_PURE, RELATIVE, MAX_NODES = range(6)  # places in `settings`

_BY_NODE = ("nodes", "values", "counts", "bounds", "seen")


class MondrianMembers(NamedTuple):
    """Members m, nodes k, classes c.

    Attributes of tests are numbered nominal first. Values of nominal attributes v are numbered through all attributes; the
    last value of each is "missing". A node without examples has no bounds: its least value is inf, its greatest -inf.

    Values of a node: the cut, which is the greatest value that goes left, or of a nominal attribute the one that goes right;
    when it was cut, in the time of the Mondrian process; the weight of its examples; the logarithm of its weight as a leaf
    (evidence), and of the mean weight of all prunings of its subtree; the share of the former in the latter.
    """

    nodes: np.ndarray  # (m, k, 4) attribute or LEAF, child left, child right, parent or NO_PARENT
    values: np.ndarray  # (m, k, 6) as above
    counts: np.ndarray  # (m, k, c) weights of the classes
    bounds: np.ndarray  # (m, k, 2, numeric attributes) least and greatest value
    seen: np.ndarray  # (m, k, v) 1 where a nominal value has come to the node
    roots: np.ndarray  # (m,)
    sizes: np.ndarray  # (m,) nodes in use
    totals: np.ndarray  # (m, c)
    states: np.ndarray  # (m, 6) of the members' generators
    first: np.ndarray  # (nominal attributes + 1,) number of the attribute's first value
    settings: np.ndarray  # (6,)
    units: np.ndarray  # (numeric attributes,) room for what distances are multiplied with

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what is used, without the room that is reserved for more nodes."""
        n_nodes = int(self.sizes.max())
        return MondrianMembers, tuple(
            self._replace(**{name: getattr(self, name)[:, :n_nodes].copy() for name in _BY_NODE})
        )

    def one_member(self, m: int) -> "MondrianMembers":
        """Return member m by itself, with what it shares with the others."""
        one: MondrianMembers = self.sharing.some(self, m, m + 1)
        return one

    def member_block(self, n_examples: int) -> int:
        """Return how many of the examples to come pass through one tree before the next."""
        return long_block(len(self.sizes))

    @property
    def long_steps(self) -> bool:
        """Steps are long: operations share their code."""
        return True

    @property
    def many_nodes(self) -> bool:
        """A step reads and writes all fields at many nodes: where they lie is read once, before."""
        return True

    @property
    def sharing(self) -> Sharing:
        """How threads share the arrays."""
        return Sharing(own="nodes values counts bounds seen roots sizes totals states", room="units")


def empty_members(
    schema: Schema, n_classes: int, settings: npt.NDArray[np.float64], states: npt.NDArray[np.int64]
) -> MondrianMembers:
    """Return members that have learned nothing, one a row of `states`; fields as in `MondrianMembers`."""
    n_members, n_numeric = len(states), len(schema.numeric)
    first = np.concatenate([[0], np.cumsum(schema.value_counts + 1)]).astype(np.int64)
    return MondrianMembers(
        nodes=np.zeros((n_members, 1, 4), dtype=np.int32),
        values=np.zeros((n_members, 1, 6)),
        counts=np.zeros((n_members, 1, n_classes)),
        bounds=np.zeros((n_members, 1, 2, n_numeric)),
        seen=np.zeros((n_members, 1, first[-1]), dtype=np.uint8),
        roots=np.zeros(n_members, dtype=np.int64),
        sizes=np.zeros(n_members, dtype=np.int64),
        totals=np.zeros((n_members, n_classes)),
        states=states,
        first=first,
        settings=settings,
        units=np.zeros(n_numeric),
    )


def with_capacity(members: MondrianMembers, n_examples: int) -> MondrianMembers:
    """Return the members with room for what `n_examples` can add: two nodes a member and example.

    What is asked for is doubled, so that a stream in small pieces is not copied at each of them. Nothing grows beyond
    `max_nodes`. Room is only reserved: memory that no node has written to is not taken from the machine.
    """
    capacity, most = members.nodes.shape[1], int(members.settings[MAX_NODES])
    needed = min(int(members.sizes.max()) + 2 * n_examples, most)
    if needed <= capacity:
        return members
    size = min(2 * needed, most)
    return members._replace(**{name: _wider(getattr(members, name), size) for name in _BY_NODE})


def _wider(array: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """Copy an array into one with `size` nodes a member."""
    wider = np.zeros((len(array), size, *array.shape[2:]), dtype=array.dtype)
    wider[:, : array.shape[1]] = array
    return wider


def enlarged(
    members: MondrianMembers, old: Schema, new: Schema, positions: npt.NDArray[np.int64], n_classes: int
) -> MondrianMembers:
    """Return the members with class c moved to positions[c], and values to their place in `new`."""
    grown = empty_members(new, n_classes, members.settings, members.states.copy())
    n_members, capacity = members.nodes.shape[:2]
    moved = [np.zeros(0, dtype=np.int64)]
    for a, (before, after) in enumerate(zip(old.nominal, new.nominal, strict=True)):
        places = category_map(old.attributes[before].categories, new.attributes[after].categories)
        last = grown.first[a + 1] - grown.first[a] - 1  # missing stays last
        moved.append(grown.first[a] + np.append(places, last).astype(np.int64))
    values = np.concatenate(moved)
    seen = np.zeros((n_members, capacity, grown.seen.shape[2]), dtype=np.uint8)
    seen[:, :, values] = members.seen
    counts = np.zeros((n_members, capacity, n_classes))
    counts[:, :, positions] = members.counts
    grown.totals[:, positions] = members.totals
    kept, attributes = members.values.copy(), members.nodes[:, :, ATTRIBUTE]
    asks = (attributes >= 0) & (attributes < len(old.nominal)) & (np.arange(capacity) < members.sizes[:, None])
    kept[asks, CUT] = values[kept[asks, CUT].astype(np.int64)]
    return members._replace(values=kept, counts=counts, seen=seen, totals=grown.totals, first=grown.first)


def size_of_member(members: MondrianMembers, m: int) -> TreeSize:
    """Return how large the tree of member m is."""
    size, depth = int(members.sizes[m]), 0
    at = members.roots[m : m + min(size, 1)]
    while len(at := at[members.nodes[m, at, ATTRIBUTE] != LEAF]):
        at = members.nodes[m, at][:, [LEFT, RIGHT]].ravel()
        depth += 1
    return TreeSize(size, (size + 1) // 2, depth)
