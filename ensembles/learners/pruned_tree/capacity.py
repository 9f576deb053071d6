"""The room in which one decision tree grows, and the settings it grows by.

Every node holds a stretch of *positions*. An example's class and weight lie at its position, so that the examples of a node
lie together in memory. Numeric attributes of many values keep the positions in ascending order of the value, sorted once;
nominal attributes and numeric ones of few values are counted in tables instead.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.jit import kernel
from ensembles.learners.core.protocol import Rows
from ensembles.learners.pruned_tree.nodes import N_FIELDS, TreeMembers
from ensembles.learners.pruned_tree.scores import N_SCRATCH
from ensembles.learners.pruned_tree.thresholds import BLOCK, MISSING_RANK

__all__ = ["FEW", "MDL", "PESSIMISTIC", "UNPRUNED", "Growth", "Rules", "allocate_growth", "ranks_of"]

FEW = 8  #: a numeric attribute of so many values is counted in a table instead of sorted
LARGEST_TABLE = 1 << 20  #: total weight up to which w lg w is looked up when all weights are whole

UNPRUNED, PESSIMISTIC, MDL = 0, 1, 2


class Rules(NamedTuple):
    """The settings of the tree."""

    by_ratio: bool
    by_ks: bool
    least_weight: float  # of two branches of a test
    max_depth: int  # 0: as deep as it takes
    binary: bool  # nominal tests ask for one value
    penalty: bool  # numeric gains are reduced by lg(cuts) / W
    prune: int
    z: float
    confidence: float  # of C4.5 below one error; 0: the Wilson limit there too
    slack: float


class Positions(NamedTuple):
    """What lies at each position p, and the positions in ascending order of each sorted attribute s."""

    example: np.ndarray  # (p,)
    label: np.ndarray  # (p,)
    weight: np.ndarray  # (p,)
    keys: np.ndarray  # (s, p) rank of the value * 2^32 + position, ascending; missing last


class Tree(NamedTuple):
    """The tree that grows: nodes v, classes c."""

    nodes: np.ndarray  # (v, N_FIELDS)
    spans: np.ndarray  # (v, 5) first and last + 1 of the node's positions, depth, next child to visit, possible tests
    cut: np.ndarray  # (v,)
    weights: np.ndarray  # (v, c)
    errors: np.ndarray  # (v,) pessimistic errors of the subtree, or the bits it takes


class Search(NamedTuple):
    """Room for the search of a test: attributes a, sorted attributes s, tabled attributes t, classes c."""

    row: np.ndarray  # (a,) row of `keys`, -1 if tabled
    column: np.ndarray  # (a,) of the rows' codes or numbers
    values: np.ndarray  # (nominal attributes,) number of values
    tables: np.ndarray  # (t, 4) attribute, column of the rows' codes or slots, first row of `table`, values
    place: np.ndarray  # (a,) row of `tables`, -1 if sorted
    numbers: np.ndarray  # (rows of `table`,) the value that is counted there, if numeric
    table: np.ndarray  # (values of all tabled attributes, each followed by missing, c) class weights
    rough: np.ndarray  # (4 * BLOCK,) float32
    marks: np.ndarray  # (BLOCK,)
    costs: np.ndarray  # (p,) float32
    logs: np.ndarray  # (weight + 1,) w lg w of whole numbers, empty when weights are fractions
    scratch: np.ndarray  # (N_SCRATCH, c)
    tests: np.ndarray  # (a, 4) gain, score, cut and kind of the best test on each attribute; gain 0 if there is none


class Dealing(NamedTuple):
    """Room for dealing the positions of a node out to its branches."""

    side: np.ndarray  # (p,) branch that the position takes
    moved: np.ndarray  # (p,) position that it moves to
    spare_key: np.ndarray  # (p + 1,)
    spare_example: np.ndarray
    spare_label: np.ndarray
    spare_weight: np.ndarray
    starts: np.ndarray  # (branches + 1,)
    child: np.ndarray  # (branches,)


class Growth(NamedTuple):
    """Room for one tree, in parts: handed whole to every function, it doubles what the compiler has to read."""

    positions: Positions
    tree: Tree
    search: Search
    dealing: Dealing


def allocate_growth(
    members: TreeMembers, rows: Rows, labels: npt.NDArray[np.int64], weights: npt.NDArray[np.float64]
) -> Growth:
    """Return room for a tree over the examples of positive weight, their values sorted."""
    live = np.flatnonzero(weights).astype(np.int32)
    distinct = rows.slots.max(axis=0, initial=-1) + 1
    layout = _layout(members, distinct)
    positions = Positions(
        example=live,
        label=labels[live].astype(np.int32),
        weight=weights[live],
        keys=np.empty((int((layout.row >= 0).sum()), len(live)), dtype=np.int64),
    )
    search = _allocate_search(members, layout, weights)
    counts = np.empty(int(distinct.max(initial=0)) + 2, dtype=np.int64)
    _sort(live, positions.keys, layout.row, members.place, rows.slots, counts)
    _note_numbers(live, layout.tables, search.numbers, rows.slots, rows.numbers, rows.codes.shape[1])
    return Growth(positions, _allocate_tree(members, len(live)), search, _allocate_dealing(members, len(live)))


def _allocate_tree(members: TreeMembers, n: int) -> Tree:
    return Tree(
        nodes=np.empty((2 * n, N_FIELDS), dtype=np.int32),
        spans=np.empty((2 * n, 5), dtype=np.int64),
        cut=np.empty(2 * n),
        weights=np.empty((2 * n, members.weights.shape[1])),
        errors=np.empty(2 * n),
    )


def _allocate_search(members: TreeMembers, layout: Layout, weights: npt.NDArray[np.float64]) -> Search:
    n_classes, total = members.weights.shape[1], weights.sum()
    whole = total <= LARGEST_TABLE and not np.mod(weights, 1.0).any()
    n_rows = int(layout.tables[-1, 2:].sum()) + 1 if len(layout.tables) else 0
    return Search(
        row=layout.row,
        column=members.place,
        values=members.values,
        tables=layout.tables,
        place=layout.place,
        numbers=np.empty(n_rows),
        table=np.empty((n_rows, n_classes)),
        rough=np.empty(4 * BLOCK, dtype=np.float32),
        marks=np.empty(BLOCK, dtype=np.int32),
        costs=np.empty(np.count_nonzero(weights), dtype=np.float32),
        logs=_table_of_logs(int(total) if whole else -1),
        scratch=np.empty((N_SCRATCH, n_classes)),
        tests=np.empty((len(layout.row), 4)),
    )


def _allocate_dealing(members: TreeMembers, n: int) -> Dealing:
    branches = max(int(members.values.max(initial=0)) + 1, 3)
    return Dealing(
        side=np.empty(n, dtype=np.int32),
        moved=np.empty(n, dtype=np.int32),
        spare_key=np.empty(n + 1, dtype=np.int64),
        spare_example=np.empty(n, dtype=np.int32),
        spare_label=np.empty(n, dtype=np.int32),
        spare_weight=np.empty(n),
        starts=np.empty(branches + 1, dtype=np.int64),
        child=np.empty(branches, dtype=np.int64),
    )


class Layout(NamedTuple):
    """Whether an attribute is tabled or sorted, and where: fields as of `Search`."""

    tables: np.ndarray
    place: np.ndarray
    row: np.ndarray


def _layout(members: TreeMembers, distinct: npt.NDArray[np.int32]) -> Layout:
    """Say for each attribute whether it is tabled or sorted, and where: `Growth.tables`, `place` and `row`."""
    numeric = members.numeric.astype(bool)
    values = np.zeros(len(numeric), dtype=np.int64)
    values[~numeric], values[numeric] = members.values, distinct
    tabled = np.concatenate([np.flatnonzero(~numeric), np.flatnonzero(numeric & (values <= FEW))])
    is_sorted = numeric & (values > FEW)
    place, row = np.full(len(numeric), -1), np.full(len(numeric), -1)
    place[tabled], row[is_sorted] = np.arange(len(tabled)), np.arange(is_sorted.sum())
    room = values[tabled] + 1
    tables = np.stack([tabled, members.place[tabled], np.cumsum(room) - room, values[tabled]], axis=1)
    return Layout(tables.astype(np.int64), place, row)


def _table_of_logs(total: int) -> npt.NDArray[np.float64]:
    """Return w lg w for w = 0, 1, ... total; nothing if total is -1."""
    logs = np.empty(total + 1)
    _fill_logs(logs)
    return logs


@kernel
def _fill_logs(logs):
    for w in range(logs.shape[0]):
        logs[w] = w * math.log2(w) if w > 0 else 0.0


@kernel
def _sort(example, keys, row, columns, slots, counts):
    """Sort the positions by each numeric attribute of many values, by counting."""
    n, last = example.shape[0], counts.shape[0] - 2
    for a in range(row.shape[0]):
        s, column = row[a], columns[a]
        if s < 0:
            continue
        counts[:] = 0
        for p in range(n):
            r = slots[example[p], column]
            counts[(r if r >= 0 else last) + 1] += 1
        for r in range(last + 1):
            counts[r + 1] += counts[r]
        for p in range(n):
            r = slots[example[p], column]
            at = r if r >= 0 else last
            keys[s, counts[at]] = np.int64(r if r >= 0 else MISSING_RANK) << 32 | p
            counts[at] += 1


@kernel
def _note_numbers(example, tables, noted, slots, numbers, n_nominal):
    """Note the numbers that the rows of tables stand for."""
    for t in range(n_nominal, tables.shape[0]):
        column, first = tables[t, 1], tables[t, 2]
        for p in range(example.shape[0]):
            i = example[p]
            if slots[i, column] >= 0:
                noted[first + slots[i, column]] = numbers[i, column]


def ranks_of(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.int32]:
    """Return the place of each number among the distinct ones of its column, -1 where missing."""
    ranks = np.full(numbers.shape, -1, dtype=np.int32)
    found, counts = np.empty((numbers.shape[1], FEW)), np.zeros(numbers.shape[1], dtype=np.int64)
    _find_few(numbers, found, counts)
    _rank_few(numbers, found, counts, ranks)
    for n in np.flatnonzero(counts > FEW):
        column = numbers[:, n]
        order = np.argsort(column)[: len(column) - np.isnan(column).sum()]  # missing values come last
        ascending = column[order]
        ranks[order, n] = np.cumsum(np.concatenate([[0], ascending[1:] != ascending[:-1]]))
    return ranks


@kernel
def _find_few(numbers, found, counts):
    """Collect the distinct numbers of each column; a count above FEW: there are more."""
    for i in range(numbers.shape[0]):
        for n in range(numbers.shape[1]):
            x = numbers[i, n]
            if counts[n] <= FEW and not math.isnan(x):
                k = 0
                while k < counts[n] and k < FEW and found[n, k] != x:
                    k += 1
                if k == counts[n]:
                    counts[n] += 1
                    if k < FEW:
                        found[n, k] = x


@kernel
def _rank_few(numbers, found, counts, ranks):
    for i in range(numbers.shape[0]):
        for n in range(numbers.shape[1]):
            if counts[n] <= FEW:
                for k in range(counts[n]):
                    ranks[i, n] += found[n, k] <= numbers[i, n]
