"""What lossless trees remember: each distinct example once for all members, and what it weighs for each of them.

An example is known by its *key*: for each nominal attribute the number of its value, counted through all attributes, with a
last one for "missing"; for each numeric attribute the *slot* of its value, -1 where missing. An example with a class is a
*pair*; a member holds a weight for each pair, and each leaf of its tree a list of pairs.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema, Table
from ensembles.draws import BLOCK
from ensembles.jit import inner, kernel
from ensembles.learners.core.criteria import xlogx
from ensembles.learners.core.protocol import Rows
from ensembles.learners.core.rows import NO_SLOTS, numbered_rows

__all__ = [
    "BOUNDS_FIELD",
    "BOUND_SETS",
    "CELLS",
    "CLASS",
    "CRITERION",
    "DE_BRUIJN",
    "EXAMPLE",
    "EXAMPLES",
    "FREE_BOUND_SETS",
    "FREE_NODE",
    "FREE_TABLES",
    "NODES",
    "PAIRS",
    "PROBA",
    "PRUNE",
    "SECOND",
    "TABLES",
    "TABLE_FIELD",
    "ZERO",
    "LosslessMembers",
    "empty_members",
    "find_examples",
    "find_pair",
    "known_examples",
    "rows_of",
]  # fmt: skip

# What a pair holds.
EXAMPLE, CLASS, _NEXT = 0, 1, 2

DE_BRUIJN = 0x077CB531  #: times a power of two, its five highest bits of 32 are different for each

# What is counted in `stock`: used of each array, and what was given back.
EXAMPLES, PAIRS, NODES, FREE_NODE, TABLES, FREE_TABLES, BOUND_SETS, FREE_BOUND_SETS = range(8)

# What stands in `settings`.
CRITERION, PRUNE, SECOND, ZERO, PROBA, CELLS = range(6)

_MOST_CELLS = 2**27  # in tables of all nodes, 1 GB if every one were written to; nodes beyond do without
_WHOLE_WEIGHTS = 4096  # whole numbers below which w lg w is looked up


class LosslessMembers(NamedTuple):
    """Members m, nodes v of all members, tables t, sets b of bounds, pairs p, examples x, numeric values s, classes c.

    Arrays are longer than what is used of them, which `stock` tells.
    """

    root: np.ndarray  # (m,) -1 if nothing was learned
    nodes: np.ndarray  # (v, fields)
    node_statistics: np.ndarray  # (v, 10) bounds of the cost, the cut, and others, see `nodes`
    weights: np.ndarray  # (v, c) of the examples below
    tables: np.ndarray  # (t, values, c) weights of nominal values below a node; table 0 is for passing use
    spare: np.ndarray  # (t,) tables given back
    bounds: np.ndarray  # (b, attributes) bits that each test of an attribute leaves at least; set 0 is not used
    steady: np.ndarray  # (b, attributes) the drift of the node below which that holds
    tested: np.ndarray  # (b, attributes) tests of the attribute, when last looked at
    looked: np.ndarray  # (b, attributes) when that was, by the clock of the node
    spare_bounds: np.ndarray  # (b,) sets given back
    mass: np.ndarray  # (m, p) weight of a pair
    links: np.ndarray  # (m, p) next pair of the same leaf
    pairs: np.ndarray  # (p, 3) example, class, next pair of the same example
    keys: np.ndarray  # (x, columns)
    heads: np.ndarray  # (x,) first pair of the example, -1 if none
    buckets: np.ndarray  # (power of two,) examples by the hash of their key, -1 where empty
    values: np.ndarray  # (s,) value of each slot
    order: np.ndarray  # (numeric attributes, capacity) slots in ascending order of their values
    ranks: np.ndarray  # (s,) place of each slot in that order
    counts: np.ndarray  # (numeric attributes,) values known
    first: np.ndarray  # (nominal attributes + 1,) number of the attribute's first value
    place: np.ndarray  # (attributes,) column in the keys
    stock: np.ndarray  # (8,)
    settings: np.ndarray  # (6,)
    bins: np.ndarray  # (capacity, c) weights by rank and present class, all 0 between uses
    marks: np.ndarray  # (2, words) a bit for each rank, and one for each word of these, all 0 between uses
    bits: np.ndarray  # (32,) which bit is set, by de Bruijn's sequence
    logs: np.ndarray  # (whole weights,) w lg w
    lgs: np.ndarray  # (whole weights,) lg w, 0 for 0; there are no more classes than these
    gathered: np.ndarray  # (p,) room for the pairs below a node
    below: np.ndarray  # (p, 3) room for their examples, classes, and which of the present classes these are
    below_mass: np.ndarray  # (p,) room for their weights
    touched: np.ndarray  # (p,) room for their ranks
    work: np.ndarray  # (5, c) room for one test
    present: np.ndarray  # (c,) room for the classes of a node
    among: np.ndarray  # (c,) room for the place of each class among these
    best: np.ndarray  # (2, 11) room for the best test of a node, and the first

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what is used, without tables and bounds: they are found again when they are needed."""
        n_examples, n_pairs, n_nodes = (int(self.stock[i]) for i in (EXAMPLES, PAIRS, NODES))
        trimmed = {name: getattr(self, name)[:n_nodes].copy() for name in ("nodes", "node_statistics", "weights")}
        trimmed["nodes"][:, [TABLE_FIELD, BOUNDS_FIELD]] = 0
        stock = self.stock.copy()
        stock[[TABLES, BOUND_SETS]], stock[[FREE_TABLES, FREE_BOUND_SETS]] = 1, 0
        slim = self._replace(
            **trimmed,
            tables=self.tables[:1],
            spare=self.spare[:1],
            bounds=self.bounds[:1],
            steady=self.steady[:1],
            tested=self.tested[:1],
            looked=self.looked[:1],
            spare_bounds=self.spare_bounds[:1],
            mass=self.mass[:, :n_pairs].copy(),
            links=self.links[:, :n_pairs].copy(),
            pairs=self.pairs[:n_pairs],
            keys=self.keys[:n_examples],
            heads=self.heads[:n_examples],
            gathered=self.gathered[:n_pairs],
            below=self.below[:n_pairs],
            below_mass=self.below_mass[:n_pairs],
            touched=self.touched[:n_pairs],
            stock=stock,
        )
        return LosslessMembers, tuple(slim)

    def one_member(self, m: int) -> "LosslessMembers":
        """Return member m by itself, with what it shares with the others."""
        one = slice(m, m + 1)
        return self._replace(root=self.root[one], mass=self.mass[one], links=self.links[one])

    def member_block(self, n_examples: int) -> int:
        """Return how many of the examples to come pass through one tree before the next."""
        return BLOCK

    @property
    def long_steps(self) -> bool:
        """What an operation does for one example is long beside a call, see `bound`."""
        return True


TABLE_FIELD = 6  # of the nodes: the number of the node's table, 0 for none
BOUNDS_FIELD = 9  # the number of its set of bounds, 0 for none
_N_FIELDS = 12
_N_STATISTICS = 10


def empty_members(
    n_members: int, schema: Schema, n_classes: int, settings: list[float], *, tables: bool
) -> LosslessMembers:
    """Return members that have learned nothing; `tables`: keep a node's counts for the next example."""
    n_nominal, n_numeric = len(schema.nominal), len(schema.numeric)
    place = np.zeros(len(schema.attributes), dtype=np.int64)
    place[list(schema.nominal)] = np.arange(n_nominal)
    place[list(schema.numeric)] = n_nominal + np.arange(n_numeric)
    first = np.concatenate([[0], np.cumsum(schema.value_counts + 1)]).astype(np.int64)
    return LosslessMembers(
        root=np.full(n_members, -1, dtype=np.int64),
        nodes=np.zeros((0, _N_FIELDS), dtype=np.int32),
        node_statistics=np.zeros((0, _N_STATISTICS)),
        weights=np.zeros((0, n_classes)),
        tables=np.zeros((1, first[-1], n_classes)),
        spare=np.zeros(1, dtype=np.int32),
        bounds=np.zeros((1, len(place))),
        steady=np.zeros((1, len(place))),
        tested=np.zeros((1, len(place)), dtype=np.int32),
        looked=np.zeros((1, len(place)), dtype=np.int32),
        spare_bounds=np.zeros(1, dtype=np.int32),
        mass=np.zeros((n_members, 0)),
        links=np.zeros((n_members, 0), dtype=np.int32),
        pairs=np.zeros((0, 3), dtype=np.int32),
        keys=np.zeros((0, n_nominal + n_numeric), dtype=np.int32),
        heads=np.zeros(0, dtype=np.int32),
        buckets=np.full(2, -1, dtype=np.int32),
        values=np.zeros(0),
        order=np.zeros((n_numeric, 0), dtype=np.int32),
        ranks=np.zeros(0, dtype=np.int32),
        counts=np.zeros(n_numeric, dtype=np.int64),
        first=first,
        place=place,
        stock=np.array([0, 0, 0, -1, 1, 0, 1, 0], dtype=np.int64),
        settings=np.array([*settings, _MOST_CELLS if tables else 0], dtype=np.float64),
        **_room(n_classes),
    )


def _room(n_classes: int) -> dict[str, npt.NDArray[Any]]:
    """Return what is room to work in, and tables that nothing is learned in."""
    return {
        "bins": np.zeros((0, n_classes)),
        "marks": np.zeros((2, 1), dtype=np.int64),
        "bits": _bit_table(),
        "logs": np.array([xlogx(float(w)) for w in range(_WHOLE_WEIGHTS)]),
        "lgs": np.array([math.log2(max(w, 1)) for w in range(max(_WHOLE_WEIGHTS, n_classes + 1))]),
        "gathered": np.zeros(0, dtype=np.int32),
        "below": np.zeros((0, 3), dtype=np.int32),
        "below_mass": np.zeros(0),
        "touched": np.zeros(0, dtype=np.int32),
        "work": np.zeros((5, n_classes)),
        "present": np.zeros(n_classes, dtype=np.int64),
        "among": np.zeros(n_classes, dtype=np.int64),
        "best": np.zeros((2, 11)),
    }


def _bit_table() -> npt.NDArray[np.int64]:
    table = np.empty(32, dtype=np.int64)
    for bit in range(32):
        table[(DE_BRUIJN << bit & 0xFFFFFFFF) >> 27] = bit
    return table


def rows_of(members: LosslessMembers, table: Table, slots: npt.NDArray[np.int32] = NO_SLOTS) -> Rows:
    """Return the examples with nominal values numbered, "missing" the last of each attribute; -1 never seen in training."""
    return numbered_rows(table, members.first[:-1], members.first[1:] - 1, unseen=-1, slots=slots)


def known_examples(members: LosslessMembers, table: Table) -> npt.NDArray[np.int32]:
    """Return the number of each example of `table`, which were admitted or for which there is room."""
    keys = np.concatenate([rows_of(members, table).codes, _slots_of(members, table.numbers)], axis=1)
    found = np.empty(len(keys), dtype=np.int32)
    find_examples(np.ascontiguousarray(keys), members.keys, members.buckets, members.stock, found)
    return found


def _slots_of(members: LosslessMembers, numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.int32]:
    slots = np.full(numbers.shape, -1, dtype=np.int32)
    for n in range(numbers.shape[1]):
        order = members.order[n, : members.counts[n]]
        there = ~np.isnan(numbers[:, n])
        slots[there, n] = order[np.searchsorted(members.values[order], numbers[there, n])]
    return slots


@kernel
def find_examples(keys, known, buckets, stock, found):
    """Look up each key among the known ones; add it if it is new."""
    mask = buckets.shape[0] - 1
    for i in range(keys.shape[0]):
        mixed = 0
        for j in range(keys.shape[1]):
            mixed = (mixed * 1000003 + int(keys[i, j]) + 2) % 2147483647
        b = mixed & mask
        while buckets[b] >= 0 and not _is_same(keys, i, known, buckets[b]):
            b = (b + 1) & mask
        if buckets[b] < 0:
            x = stock[EXAMPLES]
            for j in range(keys.shape[1]):
                known[x, j] = keys[i, j]
            buckets[b] = x
            stock[EXAMPLES] = x + 1
        found[i] = buckets[b]


@inner
def _is_same(keys, i, known, x):
    for j in range(keys.shape[1]):  # noqa: SIM110 - compiled loop
        if keys[i, j] != known[x, j]:
            return False
    return True


@inner
def find_pair(heads, pairs, stock, x, label):
    """Return the pair of example x and this class, a new one if need be."""
    p = heads[x]
    while p >= 0 and pairs[p, CLASS] != label:
        p = pairs[p, _NEXT]
    if p < 0:
        p = stock[PAIRS]
        stock[PAIRS] = p + 1
        pairs[p, EXAMPLE] = x
        pairs[p, CLASS] = label
        pairs[p, _NEXT] = heads[x]
        heads[x] = p
    return p
