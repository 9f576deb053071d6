"""Naive Bayes with numeric attributes cut into intervals, each of which counts like a nominal value. Online: the class
weights of all values are kept, and cut anew by Fayyad and Irani's method when a prediction is asked for.

Each member has a row of intervals: those of the first numeric attribute, then those of the second, and so on. Members that
learn one after another share the table of numeric values and one row to work in; their intervals are kept behind it.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema
from ensembles.jit import inner, kernel, part
from ensembles.learners.bayes.products import (
    align,
    level_classes,
    multiply,
    smoothing_for,
    start_products,
    take_zeros,
    write_posteriors,
)
from ensembles.learners.core.discretise import allocate_cuts, between, find_intervals, interval_of
from ensembles.learners.core.protocol import best_scored, finalize, learn_one, predict_one, predict_proba_one, reset
from ensembles.learners.core.sharing import Sharing
from ensembles.learners.core.value_grid import round_to_grid
from ensembles.learners.core.value_tables import (
    add_values,
    carry_tables,
    clear_tables,
    count_example,
    table_of,
    tables_for,
)

__all__ = [
    "IntervalBayesMembers", "add_numbers", "allocate_intervals", "carry_intervals", "clear_intervals", "keep_intervals",
]  # fmt: skip


class IntervalBayesMembers(NamedTuple):
    """Members m, attributes a, numeric attributes n, classes c; tables t as in `value_tables`."""

    cells: np.ndarray
    slots: np.ndarray
    absent: np.ndarray
    totals: np.ndarray  # (m, c)
    numeric: np.ndarray
    place: np.ndarray
    first: np.ndarray
    order: np.ndarray
    counts: np.ndarray
    values: np.ndarray
    base: np.ndarray  # (m,) where the member's row begins in `edges` and `shares`
    starts: np.ndarray  # (m, n + 1) where the intervals of the attribute begin in the row
    edges: np.ndarray  # lower ends of the intervals
    shares: np.ndarray  # (., c) their class weights
    stale: np.ndarray  # (m,) 1 if the intervals lag behind the tables
    frozen: np.ndarray  # (m,) 1 if the edges stay as they are
    freeze_at: np.ndarray  # (1,) weight from which on they do
    grid: np.ndarray  # (n, 3) least and greatest value and width of the cells, where values are rounded to cells
    smoothing: np.ndarray  # as `smoothing_of`
    below: np.ndarray  # room to cut attributes: `discretise.allocate_cuts`
    ascending: np.ndarray
    is_cut: np.ndarray
    stack: np.ndarray

    @property
    def sharing(self) -> Sharing | None:
        """How threads share the arrays; not at all where members learn one after another, by the same table."""
        if len(self.slots) < len(self.totals):
            return None
        return Sharing(own="cells slots absent totals base starts stale frozen", room="below ascending is_cut stack")


def allocate_intervals(
    n_members: int, schema: Schema, n_classes: int, smoothing: npt.NDArray[np.float64], freeze_at: float, *, batch: bool
) -> IntervalBayesMembers:
    """Return members that have learned nothing."""
    n_numeric, n_tables = len(schema.numeric), 1 if batch else n_members
    return IntervalBayesMembers(
        **tables_for(schema, n_classes, n_members, n_tables),
        totals=np.zeros((n_members, n_classes)),
        base=np.arange(n_members) * n_numeric * (not batch),
        starts=np.zeros((n_members, n_numeric + 1), dtype=np.int64),
        edges=np.zeros(n_tables * n_numeric),
        shares=np.zeros((n_tables * n_numeric, n_classes)),
        stale=np.ones(n_members, dtype=np.uint8),
        frozen=np.zeros(n_members, dtype=np.uint8),
        freeze_at=np.array([freeze_at], dtype=np.float64),
        grid=np.tile([np.inf, -np.inf, 0.0], (n_numeric, 1)),
        smoothing=smoothing,
        **allocate_cuts(0, n_classes),
    )


def carry_intervals(
    members: IntervalBayesMembers,
    grown: IntervalBayesMembers,
    old: Schema,
    new: Schema,
    positions: npt.NDArray[np.int64],
) -> IntervalBayesMembers:
    """Return `grown`, empty and made for schema `new` and more classes, with what `members` have learned."""
    shares = np.zeros((len(members.shares), grown.totals.shape[1]))
    shares[:, positions] = members.shares
    kept = {name: getattr(members, name) for name in ("base", "starts", "edges", "frozen", "grid")}
    room = allocate_cuts(len(members.ascending), grown.totals.shape[1])
    carried: IntervalBayesMembers = carry_tables(members, grown, old, new, positions)
    return carried._replace(shares=shares, **kept, **room)


def add_numbers(
    members: IntervalBayesMembers, numbers: npt.NDArray[np.float64], max_values: int, *, grid: bool
) -> IntervalBayesMembers:
    """Return the members with room for these numeric values, at most `max_values` an attribute, or rounded to a grid."""
    # New values have no say any more; but where an attribute has none, they would count as missing.
    if members.frozen.all() and members.counts.all():
        return members
    if grid:
        members, numbers = round_to_grid(members, numbers)
    return _with_capacity(add_values(members, numbers, max_values))


def _with_capacity(members: IntervalBayesMembers) -> IntervalBayesMembers:
    """Return the members with rows long enough for an interval a value."""
    (n_rows, n_slots, n_classes), n_numeric = members.slots.shape, len(members.counts)
    old, new = len(members.edges) // n_rows, n_slots + n_numeric
    if new > old:
        edges, shares = np.zeros((n_rows, new)), np.zeros((n_rows, new, n_classes))
        edges[:, :old] = members.edges.reshape(n_rows, old)
        shares[:, :old] = members.shares.reshape(n_rows, old, n_classes)
        members = members._replace(edges=edges.ravel(), shares=shares.reshape(-1, n_classes))
        if n_rows == len(members.base):
            members.base[:] = np.arange(n_rows) * new
    if members.order.shape[1] > len(members.ascending):
        members = members._replace(**allocate_cuts(members.order.shape[1], n_classes))
    return members


def keep_intervals(members: IntervalBayesMembers, m: int) -> IntervalBayesMembers:
    """Return the members with a row of its own for member m, which has learned by a shared table."""
    if len(members.slots) == len(members.totals):
        return members
    used = members.starts[m, -1]
    members.base[m] = len(members.edges)
    return members._replace(
        edges=np.concatenate([members.edges, members.edges[:used]]),
        shares=np.concatenate([members.shares, members.shares[:used]]),
    )


def clear_intervals(members: IntervalBayesMembers, m: int) -> None:
    """Make member m forget all counts and keep its cuts for ever."""
    members.frozen[m] = 1
    members.shares[members.base[m] : members.base[m] + members.starts[m, -1]] = 0.0
    for table in (members.cells, members.absent, members.totals):
        table[m] = 0.0


@reset.implement(IntervalBayesMembers)
def _reset(members, m):
    clear_tables(members, m)
    members.stale[m], members.frozen[m] = 1, 0
    if members.slots.shape[0] < members.totals.shape[0]:
        members.base[m] = 0


@learn_one.implement(IntervalBayesMembers)
def _learn_one(members, m, rows, i, label, weight):
    count_example(members, m, rows, i, label, weight)
    members.stale[m] = 1
    if members.frozen[m] == 1:
        _count_in_intervals(members, m, rows, i, label, weight)
    elif members.freeze_at[0] < np.inf:
        total = 0.0
        for c in range(members.totals.shape[1]):
            total += members.totals[m, c]
        if total >= members.freeze_at[0]:
            _cut(members, m)
            members.frozen[m] = 1


@inner
def _count_in_intervals(members, m, rows, i, label, weight):
    for n in range(rows.numbers.shape[1]):
        x = rows.numbers[i, n]
        if not math.isnan(x):
            members.shares[_interval(members, m, n, x), label] += weight


@inner
def _interval(members, m, n, x):
    """Return where in `shares` the interval of value x of numeric attribute n is."""
    start, stop = members.base[m] + members.starts[m, n], members.base[m] + members.starts[m, n + 1]
    return start + interval_of(members.edges, start + 1, stop, x)


@finalize.implement(IntervalBayesMembers)
def _finalize(members, m):
    _cut_if_stale(members, m)


@inner
def _cut_if_stale(members, m):
    if members.stale[m] == 1:
        if members.frozen[m] == 0:
            _cut(members, m)
        members.stale[m] = 0


@kernel
def _cut(members, m):
    """Cut every numeric attribute of member m anew."""
    edges, shares, below, t = members.edges, members.shares, members.below, table_of(members.slots, m)
    start = members.base[m]
    last = start - 1
    for n in range(members.counts.shape[0]):
        members.starts[m, n] = last + 1 - start
        last += 1
        edges[last] = -np.inf
        shares[last] = 0.0
        for j in range(find_intervals(members, t, n)):
            if members.is_cut[j]:
                last += 1
                edges[last] = between(members.ascending[j - 1], members.ascending[j])
                shares[last] = 0.0
            for c in range(shares.shape[1]):
                shares[last, c] += below[j + 1, c] - below[j, c]
    members.starts[m, members.counts.shape[0]] = last + 1 - start


@predict_one.implement(IntervalBayesMembers)
def _predict_one(members, m, rows, i, work):
    if not _score(members, m, rows, i, work):
        return -1
    return best_scored(work, members.totals, m)


@predict_proba_one.implement(IntervalBayesMembers)
def _predict_proba_one(members, m, rows, i, work, out):
    if _score(members, m, rows, i, work):
        write_posteriors(work, out)
    else:
        out[:] = 1.0 / out.shape[0]


@inner
def _score(members, m, rows, i, work):
    """Write into work[0] numbers in [0, 1] proportional to the posteriors, the largest 1; False if nothing was learned."""
    f = smoothing_for(members.smoothing, members.totals, m)
    if f < 0.0:
        return False
    _cut_if_stale(members, m)
    _multiply_shares(members, m, f, rows, i, work)
    level_classes(members.smoothing, members.totals, m, f, work)
    take_zeros(members.smoothing, members.totals, m, work)
    align(work, members.totals.shape[1])
    return True


@part
def _multiply_shares(members, m, f, rows, i, work):
    """Prior times shares of every class; missing values leave their attribute out."""
    cells, shares, absent, totals, first = members.cells, members.shares, members.absent, members.totals, members.first
    start_products(totals, m, f, work)
    for a in range(members.place.shape[0]):
        j = members.place[a]
        if members.numeric[a] == 1:
            x = rows.numbers[i, j]
            if math.isnan(x):
                continue
            known, row = members.starts[m, j + 1] - members.starts[m, j], _interval(members, m, j, x)
            for c in range(totals.shape[1]):
                multiply(work, c, shares[row, c] + f, totals[m, c] - absent[m, a, c] + f * known)
        else:
            v = rows.codes[i, j]
            if v == -1:
                continue
            known = first[j + 1] - first[j] + (v < 0)
            for c in range(totals.shape[1]):
                count = f + (cells[m, v, c] if v >= 0 else 0.0)
                multiply(work, c, count, totals[m, c] - absent[m, a, c] + f * known)
