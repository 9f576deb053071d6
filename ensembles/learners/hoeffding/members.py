"""What members that are Hoeffding trees hold, and where in their arrays it stands."""

import math
from typing import Any, NamedTuple

import numpy as np

from ensembles.draws import long_block
from ensembles.learners.core.sharing import Sharing
from ensembles.learners.hoeffding.sharing import SHARING
from ensembles.learners.hoeffding.subspaces import DrawnAttributes, EveryAttribute

__all__ = [
    "ABSENT", "BINS", "BREADTH", "BY_NODE", "CENTRE", "CURRENT", "CUT", "FRESH", "GINI", "GRACE", "HIGH", "LEAF",
    "LOG_DELTA", "LOG_SHARE", "LOW", "MAX_NODES", "MEAN", "MIN_FRACTION", "OFF", "PREDICTION", "PRODUCT",
    "RIGHT_BAYES", "RIGHT_MAJORITY", "SCALE", "SINCE", "SQUARES", "TABLES", "TAU", "WEIGHT", "HoeffdingMembers",
    "Revisited", "Settled",
]  # fmt: skip

LEAF = -1  #: instead of an attribute: the node has no test
FRESH = -1  #: instead of a slot: the leaf has seen no example yet
OFF = -2  #: instead of a slot: no test is worth while here, the leaf only counts classes

GINI, PREDICTION, BINS, MIN_FRACTION, MAX_NODES = range(5)  # places in `settings`
GRACE, LOG_DELTA, TAU = range(3)  # places in `split_parameters`
CUT, SINCE, RIGHT_MAJORITY, RIGHT_BAYES = range(4)  # places in `node_statistics`
WEIGHT, MEAN, SQUARES, LOW, HIGH, ABSENT = range(6)  # places in `moments`
CENTRE, BREADTH = range(2)  # places in `normals`
PRODUCT, SCALE, LOG_SHARE, CURRENT = range(4)  # places in `outlooks`

BY_NODE = ("nodes", "node_statistics", "weights")  #: a row for each member, of a row for each of its nodes

TABLES = (
    "cells",
    "seen",
    "gaps",
    "moments",
    "normals",
    "outlooks",
    "spread",
    "spare",
)  #: a row for each leaf that counts

_NEAR = 2**22  # bytes of tables of which much stays near a processor
_FEW = 512  # examples for which it is not worth while to turn to each tree by itself


class Settled(NamedTuple):
    """Nodes keep the tests that they have."""


class Revisited(NamedTuple):
    """Nodes go on counting, and come back to their tests."""

    period: np.ndarray  # (1,) weight between two looks at the test of a node
    marks: np.ndarray  # (m, k) new numbers of nodes, while some are taken away


class HoeffdingMembers(NamedTuple):
    """Members m, nodes k, slots s (tables of leaves, one pool for all members), classes c.

    Attributes of tests are numbered nominal first. Values of nominal attributes v are numbered through all attributes; the
    last value of each is "missing". Children of a node follow each other: one a value, or low, high and missing.
    """

    nodes: np.ndarray  # (m, k, 3) attribute or LEAF, first child, slot or FRESH or OFF
    node_statistics: (
        np.ndarray
    )  # (m, k, 4) cut, weight since the last try, weight told right by majority and by naive Bayes
    weights: np.ndarray  # (m, k, c) weights of a leaf, with what its parent estimated; of a node when it was split
    sizes: np.ndarray  # (m,) nodes in use
    totals: np.ndarray  # (m, c)
    cells: np.ndarray  # (s, v, c)
    seen: np.ndarray  # (s, c) weights that the tables of the slot hold
    gaps: np.ndarray  # (s,) whether a nominal value among them is missing
    moments: np.ndarray  # (s, c, 6, numeric attributes) weight, mean, sum of squared differences, low, high, missing
    normals: (
        np.ndarray
    )  # (s, 2, numeric attributes, c) mean and 2 variance of those that the slot counts, in their order
    outlooks: (
        np.ndarray
    )  # (s, 4, c) product of deviations, its exponent, see `densities`; 1 if these and `normals` are current
    spread: np.ndarray  # (s, 3, numeric attributes) low, high, least variance of naive Bayes
    spare: np.ndarray  # (s,) slots given back
    stock: np.ndarray  # (2,) slots on `spare`, slots ever in use
    first: np.ndarray  # (nominal attributes + 1,) number of the attribute's first value
    n_values: np.ndarray  # (nominal attributes,) how many values the attribute has, without "missing"
    order: np.ndarray  # (a,) attributes of tests in the order of the user's columns
    settings: np.ndarray  # (5,)
    split_parameters: np.ndarray  # (m, 3) what a member asks for before it splits: grace period, -ln(delta), tau
    work: np.ndarray  # (4, c)
    densities: np.ndarray  # (3 + c, numeric attributes) room for what is worked out of numbers, also for each class
    subspaces: EveryAttribute | DrawnAttributes  # which attributes leaves count
    revisits: Settled | Revisited  # whether nodes come back to their tests

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what is used, without the room that is reserved for more nodes and tables."""
        n_nodes, n_tables = int(self.sizes.max()), int(self.stock[1])
        subspaces, revisits = self.subspaces, self.revisits
        if isinstance(subspaces, DrawnAttributes):
            subspaces = subspaces._replace(chosen=subspaces.chosen[:n_tables])
        if isinstance(revisits, Revisited):
            revisits = revisits._replace(marks=revisits.marks[:, :n_nodes].copy())
        slim = self._replace(
            **{name: getattr(self, name)[:, :n_nodes].copy() for name in BY_NODE},
            **{name: getattr(self, name)[:n_tables] for name in TABLES},
            subspaces=subspaces,
            revisits=revisits,
        )
        return HoeffdingMembers, tuple(slim)

    @property
    def sharing(self) -> Sharing:
        """How threads share the arrays."""
        return SHARING

    @property
    def most_nodes(self) -> int:
        """How many nodes a tree may have, and so tables; new values of attributes may have taken one beyond the bound."""
        return max(int(self.settings[MAX_NODES]), int(self.sizes.max()))

    @property
    def table_bytes(self) -> int:
        """Bytes of the tables of a leaf."""
        return sum(8 * math.prod(getattr(self, name).shape[1:]) for name in TABLES)

    def one_member(self, m: int) -> "HoeffdingMembers":
        """Return member m by itself, with what it shares with the others."""
        one: HoeffdingMembers = SHARING.some(self, m, m + 1)
        return one

    def member_block(self, n_examples: int) -> int:
        """Return how many of the examples to come pass through one tree before the next: 0 while all pass through each."""
        near = (self.stock[1] - self.stock[0]) * self.table_bytes <= _NEAR
        size = min(long_block(len(self.sizes)), SHARING.most_examples(self))
        return 0 if near or min(size, n_examples) < _FEW else size
