"""Room for what lossless trees remember: growing the arrays between calls, and moving to more classes and values."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.encoding import category_map
from ensembles.data.table import Schema, Table
from ensembles.learners.lossless_tree.store import (
    BOUND_SETS,
    CELLS,
    CLASS,
    EXAMPLES,
    NODES,
    PAIRS,
    TABLES,
    LosslessMembers,
    find_examples,
    known_examples,
)

__all__ = ["carry_over", "with_capacity"]


def with_capacity(members: LosslessMembers, table: Table) -> LosslessMembers:
    """Return the members with the examples of `table` among those they know, and room to learn them.

    Members of two classes may learn an example as both: one against the rest, some members see the one class where others
    see the rest. With more classes an example has one class.
    """
    members = _with_capacity(_with_values(members, table.numbers), len(table))
    known_examples(members, table)
    return members


def carry_over(
    members: LosslessMembers, grown: LosslessMembers, old: Schema, new: Schema, positions: npt.NDArray[np.int64]
) -> LosslessMembers:
    """Return `grown`, members for the larger schema `new`, with the examples of `members` but no trees."""
    n_examples, n_pairs = int(members.stock[EXAMPLES]), int(members.stock[PAIRS])
    grown = grown._replace(
        values=members.values,
        order=members.order,
        ranks=members.ranks,
        counts=members.counts,
        marks=members.marks,
        bins=np.zeros((members.order.shape[1], grown.weights.shape[1])),
    )
    grown = _with_capacity(grown, max(n_examples, n_pairs))
    keys = members.keys[:n_examples].copy()
    for j, (before, after) in enumerate(zip(old.nominal, new.nominal, strict=True)):
        moved = category_map(old.attributes[before].categories, new.attributes[after].categories)
        moved = np.append(moved, len(new.attributes[after].categories))
        keys[:, j] = grown.first[j] + moved[keys[:, j] - members.first[j]]
    find_examples(keys, grown.keys, grown.buckets, grown.stock, np.empty(n_examples, dtype=np.int32))
    grown.heads[:n_examples] = members.heads[:n_examples]
    grown.pairs[:n_pairs] = members.pairs[:n_pairs]
    grown.pairs[:n_pairs, CLASS] = positions[members.pairs[:n_pairs, CLASS]]
    grown.mass[:, :n_pairs] = members.mass[:, :n_pairs]
    grown.stock[PAIRS] = n_pairs
    return grown


def _with_values(members: LosslessMembers, numbers: npt.NDArray[np.float64]) -> LosslessMembers:
    """Give each fresh numeric value a slot, and its place in ascending order."""
    fresh = []
    for n in range(numbers.shape[1]):
        column = np.unique(numbers[:, n])
        known = members.values[members.order[n, : members.counts[n]]]
        fresh.append(column[~np.isnan(column) & ~np.isin(column, known)])
    if not any(map(len, fresh)):
        return members
    used = int(members.counts.sum())
    counts = members.counts + [len(column) for column in fresh]
    members = _with_values_room(members, used, counts)
    values, order, ranks = members.values, members.order, members.ranks
    for n, column in enumerate(fresh):
        known = order[n, : members.counts[n]].copy()
        slots = np.arange(used, used + len(column))
        values[slots] = column
        order[n, : counts[n]] = np.insert(known, np.searchsorted(values[known], column), slots)
        ranks[order[n, : counts[n]]] = np.arange(counts[n])
        used += len(column)
    return members._replace(counts=counts)


def _with_values_room(members: LosslessMembers, used: int, counts: npt.NDArray[np.int64]) -> LosslessMembers:
    """Make room for so many values of each attribute; `used`: slots taken."""
    values, order, ranks, bins, marks = members.values, members.order, members.ranks, members.bins, members.marks
    if counts.sum() > len(values):
        size = max(int(counts.sum()), 2 * used)
        values, ranks = _longer(values, size, used), _longer(ranks, size, used)
    if counts.max() > order.shape[1]:
        width = max(int(counts.max()), 2 * order.shape[1])
        wider = np.zeros((len(order), width), dtype=np.int32)
        wider[:, : order.shape[1]] = order
        order, bins = wider, np.zeros((width, bins.shape[1]))
        marks = np.zeros((2, width // 32 + 1), dtype=np.int64)
    return members._replace(values=values, order=order, ranks=ranks, bins=bins, marks=marks)


def _with_capacity(members: LosslessMembers, n: int) -> LosslessMembers:
    """Make room for n more examples and their pairs.

    Room is only reserved: memory that nothing has been written to is not taken from the machine.
    """
    n_examples, n_pairs = int(members.stock[EXAMPLES]), int(members.stock[PAIRS])
    if n_examples + n > len(members.keys):
        members = _with_examples(members, max(n_examples + n, 2 * n_examples), n_examples)
    more = 2 * n if members.weights.shape[1] == 2 else n
    if n_pairs + more > len(members.pairs):
        members = _with_tables(_with_bounds(_with_pairs(members, max(n_pairs + more, 2 * n_pairs), n_pairs)))
    return members


def _with_examples(members: LosslessMembers, size: int, used: int) -> LosslessMembers:
    heads = np.full(size, -1, dtype=np.int32)
    heads[:used] = members.heads[:used]
    buckets = np.full(1 << (2 * size).bit_length(), -1, dtype=np.int32)
    keys = _longer(members.keys, size, used)
    members.stock[EXAMPLES] = 0
    find_examples(keys[:used].copy(), keys, buckets, members.stock, np.empty(used, dtype=np.int32))
    return members._replace(heads=heads, buckets=buckets, keys=keys)


def _with_pairs(members: LosslessMembers, size: int, used: int) -> LosslessMembers:
    """Make room for `size` pairs; the tree of a member has less than two nodes a pair."""
    n_members, n_nodes = len(members.root), int(members.stock[NODES])
    mass = np.zeros((n_members, size))
    mass[:, :used] = members.mass[:, :used]
    links = np.zeros((n_members, size), dtype=np.int32)
    links[:, :used] = members.links[:, :used]
    return members._replace(
        pairs=_longer(members.pairs, size, used),
        mass=mass,
        links=links,
        gathered=np.zeros(size, dtype=np.int32),
        below=np.zeros((size, 3), dtype=np.int32),
        below_mass=np.zeros(size),
        touched=np.zeros(size, dtype=np.int32),
        nodes=_longer(members.nodes, 2 * size * n_members, n_nodes),
        node_statistics=_longer(members.node_statistics, 2 * size * n_members, n_nodes),
        weights=_longer(members.weights, 2 * size * n_members, n_nodes),
    )


def _with_tables(members: LosslessMembers) -> LosslessMembers:
    """Make room for a table at one node in eight pairs, as far as the limit allows."""
    cells = max(int(np.prod(members.tables.shape[1:])), 1)
    wanted = 1 + min(len(members.pairs) * len(members.root) // 8, int(members.settings[CELLS]) // cells)
    if members.tables.shape[1] == 0 or wanted <= len(members.tables):
        return members
    used = int(members.stock[TABLES])
    tables = _longer(members.tables, wanted, used)
    return members._replace(tables=tables, spare=_longer(members.spare, wanted, len(members.spare)))


def _with_bounds(members: LosslessMembers) -> LosslessMembers:
    """Make room for bounds at one node in four pairs, as far as the limit allows, of which bounds may take a quarter."""
    cells = max(len(members.place), 1)
    wanted = 1 + min(len(members.pairs) * len(members.root) // 4, int(members.settings[CELLS]) // (4 * cells))
    if wanted <= len(members.bounds):
        return members
    used = int(members.stock[BOUND_SETS])
    return members._replace(
        bounds=_longer(members.bounds, wanted, used),
        steady=_longer(members.steady, wanted, used),
        tested=_longer(members.tested, wanted, used),
        looked=_longer(members.looked, wanted, used),
        spare_bounds=_longer(members.spare_bounds, wanted, len(members.spare_bounds)),
    )


def _longer(array: npt.NDArray[Any], size: int, used: int) -> npt.NDArray[Any]:
    """Copy the first `used` items into an array of `size`; nothing else is written to."""
    longer = np.zeros((size, *array.shape[1:]), dtype=array.dtype)
    longer[:used] = array[:used]
    return longer
