"""The class weights of every value of every attribute that came: all that a lossless learner needs to remember.

Nominal values are numbered through all attributes. Numeric values have *slots*, numbered as they came, with their ascending
order kept for each attribute; which values have a slot is the same for all members. A learner's NamedTuple of members has
the fields that `tables_for` returns, beside its own; a table is one a member, or one for all when they learn one after
another and keep what they need of it.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.encoding import category_map
from ensembles.data.table import Schema, Table
from ensembles.declarations import integer
from ensembles.jit import inner
from ensembles.learners.core.protocol import Rows
from ensembles.learners.core.rows import NO_SLOTS, numbered_rows

__all__ = [
    "MAX_VALUES", "add_values", "carry_tables", "clear_tables", "count_example", "places_of", "table_of", "table_rows",
    "tables_for", "value_places",
]  # fmt: skip

MAX_VALUES = integer(
    default=4096,
    label="Distinct numeric values",
    help="How many distinct values of a numeric attribute are kept; further ones count as the nearest of these.",
    details="How many distinct values of a numeric attribute are kept; further ones count as the nearest of these. Where a "
    "call brings more than there is room for, some are kept that are spread evenly over its values: only then what is "
    "learned depends on which examples come in one call.",
    low=2,
    high=1_000_000,
)


def tables_for(schema: Schema, n_classes: int, n_tables: int, n_slot_tables: int) -> dict[str, npt.NDArray[Any]]:
    """Return the fields that make up empty tables.

    Returns
    -------
    cells : (t, v, c) weights of nominal values, numbered through all attributes
    slots : (t, s, c) weights of numeric values
    absent : (t, a, c) weights of missing values
    numeric : (a,) 1 if the attribute is numeric
    place : (a,) column of the attribute in the rows' codes or numbers
    first : (nominal attributes + 1,) number of the attribute's first value
    order : (numeric attributes, capacity) slots in ascending order of their values
    counts : (numeric attributes,) values known
    values : (s,) value of each slot
    """
    return {
        "cells": np.zeros((n_tables, int(schema.value_counts.sum()), n_classes)),
        "slots": np.zeros((n_slot_tables, 0, n_classes)),
        "absent": np.zeros((n_tables, len(schema.attributes), n_classes)),
        "numeric": np.array([a.kind == "numeric" for a in schema.attributes], dtype=np.uint8),
        "place": places_of(schema),
        "first": np.concatenate([[0], np.cumsum(schema.value_counts)]).astype(np.int64),
        "order": np.zeros((len(schema.numeric), 0), dtype=np.int64),
        "counts": np.zeros(len(schema.numeric), dtype=np.int64),
        "values": np.zeros(0),
    }


def places_of(schema: Schema) -> npt.NDArray[np.int64]:
    """Return for each attribute its column among those of its kind."""
    place = np.zeros(len(schema.attributes), dtype=np.int64)
    place[list(schema.nominal)] = np.arange(len(schema.nominal))
    place[list(schema.numeric)] = np.arange(len(schema.numeric))
    return place


def value_places(old: Schema, new: Schema) -> npt.NDArray[np.int64]:
    """Return for each nominal value of schema `old` its number in the larger schema `new`."""
    starts = np.concatenate([[0], np.cumsum(new.value_counts)])
    moved = [
        starts[j] + category_map(old.attributes[before].categories, new.attributes[after].categories)
        for j, (before, after) in enumerate(zip(old.nominal, new.nominal, strict=True))
    ]
    return np.concatenate(moved).astype(np.int64) if moved else np.zeros(0, dtype=np.int64)


def carry_tables(members: Any, grown: Any, old: Schema, new: Schema, positions: npt.NDArray[np.int64]) -> Any:
    """Return `grown`, empty and made for schema `new` and more classes, with the tables of `members`."""
    slots = np.zeros((*members.slots.shape[:2], grown.totals.shape[1]))
    slots[:, :, positions] = members.slots
    grown.cells[:, value_places(old, new)[:, None], positions] = members.cells
    grown.absent[:, :, positions] = members.absent
    grown.totals[:, positions] = members.totals
    return grown._replace(slots=slots, order=members.order, counts=members.counts, values=members.values)


def add_values(members: Any, numbers: npt.NDArray[np.float64], max_values: int) -> Any:
    """Return the members with a slot for every number, at most `max_values` an attribute."""
    for n in range(numbers.shape[1]):
        fresh = np.unique(numbers[:, n])
        fresh = fresh[~np.isnan(fresh)]
        known = members.values[members.order[n, : members.counts[n]]]
        fresh = fresh[~np.isin(fresh, known)]
        room = max_values - len(known)
        if len(fresh) > room:  # keep values spread evenly over those that came
            fresh = fresh[np.linspace(0, len(fresh) - 1, room).astype(np.int64)] if room > 0 else fresh[:0]
        if len(fresh):
            members = _with_values(members, n, fresh)
    return members


def _with_values(members: Any, n: int, fresh: npt.NDArray[np.float64]) -> Any:
    """Give each fresh value of numeric attribute n a slot, and its place in ascending order."""
    used, needed = int(members.counts.sum()), len(fresh)
    slots, values, order = members.slots, members.values, members.order
    if used + needed > len(values):
        more = max(needed, len(values))
        slots = np.concatenate([slots, np.zeros((len(slots), more, slots.shape[2]))], axis=1)
        values = np.concatenate([values, np.zeros(more)])
    count = members.counts[n]
    if count + needed > order.shape[1]:
        order = np.concatenate([order, np.zeros((len(order), max(needed, order.shape[1])), dtype=np.int64)], axis=1)
    numbers = np.arange(used, used + needed)
    values[numbers] = fresh
    known = order[n, :count]
    order[n, : count + needed] = np.insert(known, np.searchsorted(values[known], fresh), numbers)
    members.counts[n] += needed
    return members._replace(slots=slots, values=values, order=order)


def table_rows(members: Any, table: Table, *, learning: bool) -> Rows:
    """Return the examples with nominal values numbered through all attributes, and their slots when `learning`."""
    slots = NO_SLOTS
    if learning:
        slots = np.full(table.numbers.shape, -1, dtype=np.int32)
        for n in range(table.numbers.shape[1]):
            order = members.order[n, : members.counts[n]]
            slots[:, n] = _nearest(table.numbers[:, n], members.values[order], order)
    return numbered_rows(table, members.first[:-1], slots=slots)


def _nearest(
    numbers: npt.NDArray[np.float64], ascending: npt.NDArray[np.float64], order: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    """Return the slot of each number, or of the nearest value that has one; -1 where missing."""
    if len(ascending) == 0:
        return np.full(len(numbers), -1, dtype=np.int32)
    right = np.clip(np.searchsorted(ascending, numbers), 0, len(ascending) - 1)
    left = np.maximum(right - 1, 0)
    nearer = np.where(np.abs(numbers - ascending[left]) < np.abs(ascending[right] - numbers), left, right)
    return np.where(np.isnan(numbers), -1, order[nearer]).astype(np.int32)


@inner
def table_of(tables, m):
    """Return the number of member m's table: its own, or the only one."""
    return m if tables.shape[0] > 1 else 0


@inner
def clear_tables(members, m):
    """Empty the tables and totals of member m."""
    members.cells[table_of(members.cells, m)] = 0.0
    members.slots[table_of(members.slots, m)] = 0.0
    members.absent[table_of(members.absent, m)] = 0.0
    members.totals[m] = 0.0


@inner
def count_example(members, m, rows, i, label, weight):
    """Add example i to the tables and totals of member m."""
    cells, slots, absent = members.cells, members.slots, members.absent
    place, numeric = members.place, members.numeric
    t, u = table_of(cells, m), table_of(slots, m)
    members.totals[m, label] += weight
    for a in range(place.shape[0]):
        j = place[a]
        if numeric[a] == 1:
            s = rows.slots[i, j]
            if s >= 0:
                slots[u, s, label] += weight
            else:
                absent[t, a, label] += weight
        else:
            v = rows.codes[i, j]
            if v >= 0:
                cells[t, v, label] += weight
            else:
                absent[t, a, label] += weight
