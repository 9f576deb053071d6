"""Decision stump: one test on one attribute, a branch for each nominal value or for both sides of a threshold, and one
for missing values; the class of a branch is its majority. Lossless online.

The best test has the greatest information gain, that is the least *impurity* sum_b [ g(W_b) - sum_c g(W_bc) ] with
g(w) = w lg w. An example more can only raise the impurity of any test, so the impurity of an attribute when last looked at
bounds it from below for ever: online, only attributes whose bound lies under the present impurity of the chosen test are
looked at again. The test found is the one that a look at all of them would find.

Thesis, sections 2.1.1 and 3.5.
"""

import math
from typing import NamedTuple

import numpy as np

from ensembles.data.encoding import category_map
from ensembles.jit import inner, kernel
from ensembles.learners.base import BaseModel, writable
from ensembles.learners.protocol import Rows, begin, best_class, classify, distribute, learn, settle
from ensembles.parameters import Integer

__all__ = ["DecisionStumpClassifier", "StumpMembers"]

LEAF = -1
_UNDECIDED = -2
_LEAST_GAIN = 1e-10  # bits an example
_SLACK = 1e-9  # a bound this close, relative to the weight, is looked at again: far more than rounding


class StumpMembers(NamedTuple):
    """Members m, tables t (one a member, or one for all when they learn one after another), attributes a, classes c."""

    cells: np.ndarray  # (t, v, c) weights of nominal values, numbered through all attributes
    slots: np.ndarray  # (t, s, c) weights of numeric values, numbered as they came
    absent: np.ndarray  # (t, a, c) weights of missing values
    bound: np.ndarray  # (t, a) impurity of the attribute's best test when last looked at
    totals: np.ndarray  # (m, c)
    chosen: np.ndarray  # (m,) attribute of the test, LEAF or undecided
    rival: np.ndarray  # (m,) impurity of the second best cut of the chosen numeric attribute, when last looked at
    threshold: np.ndarray  # (m,) x < threshold goes left
    branches: np.ndarray  # (m, b, c) weights of the branches; the last is for missing values
    stale: np.ndarray  # (m,) 1 if the test may no longer be the best
    numeric: np.ndarray  # (a,) 1 if the attribute is numeric
    place: np.ndarray  # (a,) column of the attribute in the rows' codes or numbers
    first: np.ndarray  # (nominal attributes + 1,) number of the attribute's first value
    order: np.ndarray  # (numeric attributes, capacity) slots in ascending order of their values
    counts: np.ndarray  # (numeric attributes,) values known
    values: np.ndarray  # (s,) value of each slot
    sides: np.ndarray  # (2, c) room for the two sides of a cut


class DecisionStumpClassifier(BaseModel):
    """Decision stump: the one test of greatest information gain.

    Parameters
    ----------
    max_values : int
        Distinct values kept of a numeric attribute; further ones count as the nearest value that is kept, and the stump is
        then no longer lossless.
    categorical_features : sequence of names or positions, optional
        Attributes to treat as nominal besides categorical, text and truth columns.

    References
    ----------
    Oza (2001), sections 2.1.1 and 3.5.
    """

    key = "decision_stump"
    name = "Decision stump"
    family = "tree"
    summary = "Asks one question about one attribute, the one that tells most about the class."
    source = "Oza (2001), sections 2.1.1 and 3.5"
    lossless = True
    parameters = (
        Integer(
            "max_values",
            4096,
            "Distinct numeric values",
            "How many distinct values of a numeric attribute are kept; further ones count as the nearest of these.",
            low=2,
            high=1_000_000,
        ),
    )

    def __init__(self, max_values=4096, categorical_features=None):
        self.max_values = max_values
        self.categorical_features = categorical_features

    def allocate(self, n_members, schema, n_classes, *, batch):
        tables = 1 if batch else n_members
        n_attributes, n_values = len(schema.attributes), int(schema.value_counts.sum())
        width = int(max(schema.value_counts, default=0)) if schema.nominal else 0
        place = np.zeros(n_attributes, dtype=np.int64)
        place[list(schema.nominal)] = np.arange(len(schema.nominal))
        place[list(schema.numeric)] = np.arange(len(schema.numeric))
        return StumpMembers(
            cells=np.zeros((tables, n_values, n_classes)),
            slots=np.zeros((tables, 0, n_classes)),
            absent=np.zeros((tables, n_attributes, n_classes)),
            bound=np.zeros((tables, n_attributes)),
            totals=np.zeros((n_members, n_classes)),
            chosen=np.full(n_members, _UNDECIDED, dtype=np.int64),
            rival=np.zeros(n_members),
            threshold=np.zeros(n_members),
            branches=np.zeros((n_members, max(width, 2) + 1, n_classes)),
            stale=np.ones(n_members, dtype=np.uint8),
            numeric=np.array([a.kind == "numeric" for a in schema.attributes], dtype=np.uint8),
            place=place,
            first=np.concatenate([[0], np.cumsum(schema.value_counts)]).astype(np.int64),
            order=np.zeros((len(schema.numeric), 0), dtype=np.int64),
            counts=np.zeros(len(schema.numeric), dtype=np.int64),
            values=np.zeros(0),
            sides=np.zeros((2, n_classes)),
        )

    def enlarge(self, members, old, new, positions, n_classes):
        """Move the counts; tests are chosen anew, which gives the same ones."""
        grown = self.allocate(len(members.totals), new, n_classes, batch=len(members.cells) < len(members.totals))
        moved = [
            grown.first[j] + category_map(old.attributes[before].categories, new.attributes[after].categories)
            for j, (before, after) in enumerate(zip(old.nominal, new.nominal, strict=True))
        ]
        values = np.concatenate(moved).astype(np.int64) if moved else np.zeros(0, dtype=np.int64)
        slots = np.zeros((*members.slots.shape[:2], n_classes))
        slots[:, :, positions] = members.slots
        grown.cells[:, values[:, None], positions] = members.cells
        grown.absent[:, :, positions] = members.absent
        grown.totals[:, positions] = members.totals
        return grown._replace(slots=slots, order=members.order, counts=members.counts, values=members.values)

    def admit(self, members, table):
        for n in range(table.numbers.shape[1]):
            fresh = np.unique(table.numbers[:, n])
            fresh = fresh[~np.isnan(fresh)]
            known = members.values[members.order[n, : members.counts[n]]]
            fresh = fresh[~np.isin(fresh, known)]
            room = self.max_values - len(known)
            if len(fresh) > room:  # keep values spread evenly over those that came
                fresh = fresh[np.linspace(0, len(fresh) - 1, room).astype(np.int64)] if room > 0 else fresh[:0]
            if len(fresh):
                members = _with_values(members, n, fresh)
        return members

    def rows(self, members, table, *, learning):
        codes = table.codes
        if codes.size:
            codes = np.where(codes >= 0, codes + members.first[:-1].astype(np.int32), codes).astype(np.int32)
        slots = np.empty((0, 0), dtype=np.int32)
        if learning:
            slots = np.full(table.numbers.shape, -1, dtype=np.int32)
            for n in range(table.numbers.shape[1]):
                order = members.order[n, : members.counts[n]]
                slots[:, n] = _nearest(table.numbers[:, n], members.values[order], order)
        return writable(Rows(codes, table.numbers, slots))


def _with_values(members, n, fresh):
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


def _nearest(numbers, ascending, order):
    """Return the slot of each number, or of the nearest value that has one; -1 where missing."""
    if len(ascending) == 0:
        return np.full(len(numbers), -1, dtype=np.int32)
    right = np.clip(np.searchsorted(ascending, numbers), 0, len(ascending) - 1)
    left = np.maximum(right - 1, 0)
    nearer = np.where(np.abs(numbers - ascending[left]) < np.abs(ascending[right] - numbers), left, right)
    return np.where(np.isnan(numbers), -1, order[nearer]).astype(np.int32)


@begin.implement(StumpMembers)
def _begin(members, m):
    t = m if members.cells.shape[0] > 1 else 0
    members.cells[t] = 0.0
    members.slots[t] = 0.0
    members.absent[t] = 0.0
    members.bound[t] = 0.0
    members.totals[m] = 0.0
    members.chosen[m] = _UNDECIDED
    members.stale[m] = 1


@learn.implement(StumpMembers)
def _learn(members, m, rows, i, label, weight):
    cells, slots, absent, branches = members.cells, members.slots, members.absent, members.branches
    place, numeric, first = members.place, members.numeric, members.first
    t = m if cells.shape[0] > 1 else 0
    chosen = members.chosen[m]
    members.totals[m, label] += weight
    members.stale[m] = 1
    for a in range(place.shape[0]):
        j = place[a]
        branch = branches.shape[1] - 1
        s = -1
        if numeric[a] == 0:
            v = rows.codes[i, j]
            if v >= 0:
                cells[t, v, label] += weight
                branch = v - first[j]
            else:
                absent[t, a, label] += weight
        else:
            s = rows.slots[i, j]
            if s < 0:
                absent[t, a, label] += weight
        if a == chosen:
            if s >= 0:
                branch = _side(members, m, t, a, s)
            branches[m, branch, label] += weight
        if s >= 0:
            slots[t, s, label] += weight


@inner
def _side(members, m, t, a, s):
    """Return the side of the cut that value slot s is on; a value new to this member moves the cuts."""
    if _is_empty(members.slots[t, s]):
        members.bound[t, a] = 0.0
        members.rival[m] = 0.0
    return 0 if members.values[s] < members.threshold[m] else 1


@settle.implement(StumpMembers)
def _settle(members, m):
    if members.stale[m] == 1:
        _choose(members, m)
        members.stale[m] = 0


@classify.implement(StumpMembers)
def _classify(members, m, rows, i, work):
    if not _weigh(members, m, rows, i, work):
        return -1
    return best_class(work[0], members.totals[m])


@distribute.implement(StumpMembers)
def _distribute(members, m, rows, i, work, out):
    if not _weigh(members, m, rows, i, work):
        out[:] = 1.0 / out.shape[0]
        return
    total = 0.0
    for c in range(out.shape[0]):
        total += work[0, c]
    for c in range(out.shape[0]):
        out[c] = work[0, c] / total


@inner
def _weigh(members, m, rows, i, work):
    """Write into work[0] the class weights where example i ends; False if nothing was learned."""
    if members.stale[m] == 1:
        _choose(members, m)
        members.stale[m] = 0
    branch = _branch(members, m, rows, i)
    if branch >= 0 and not _is_empty(members.branches[m, branch]):
        _copy(members.branches[m, branch], work[0])
        return True
    _copy(members.totals[m], work[0])
    return not _is_empty(work[0])


@inner
def _branch(members, m, rows, i):
    """Return the branch that example i takes, -1 if it takes none: no test, or a value never seen in training."""
    chosen = members.chosen[m]
    if chosen < 0:
        return -1
    j, missing = members.place[chosen], members.branches.shape[1] - 1
    if members.numeric[chosen] == 1:
        x = rows.numbers[i, j]
        if math.isnan(x):
            return missing
        return 0 if x < members.threshold[m] else 1
    v = rows.codes[i, j]
    if v == -1:
        return missing
    return v - members.first[j] if v >= 0 else -1


@inner
def _is_empty(weights):
    for c in range(weights.shape[0]):  # noqa: SIM110 - compiled loop
        if weights[c] > 0.0:
            return False
    return True


@inner
def _g(w):
    return w * math.log2(w) if w > 0.0 else 0.0


@inner
def _impurity(weights):
    """Return g(sum of weights) - sum of g(weight): bits needed to tell the classes of these examples."""
    total, parts = 0.0, 0.0
    for c in range(weights.shape[0]):
        total += weights[c]
        parts += _g(weights[c])
    return _g(total) - parts


@kernel
def _choose(members, m):
    """Find the test of least impurity; attributes whose bound rules them out are not looked at."""
    t = m if members.cells.shape[0] > 1 else 0
    totals, bound, n_attributes = members.totals[m], members.bound[t], members.place.shape[0]
    weight = 0.0
    for c in range(totals.shape[0]):
        weight += totals[c]
    incumbent = members.chosen[m]
    limit = np.inf
    if incumbent >= 0:
        now = _present_impurity(members, m, incumbent)
        limit = now + _SLACK * weight
        settled = members.numeric[incumbent] == 0 or (members.rival[m] > limit and bound[incumbent] > 0.0)
        if settled:
            bound[incumbent] = now
        else:
            _look(members, t, m, incumbent)
            limit = max(limit, bound[incumbent] + _SLACK * weight)
    best = incumbent
    for a in range(n_attributes):
        if a != incumbent and bound[a] <= limit:
            _look(members, t, m, a)
            if bound[a] <= limit and (best < 0 or _precedes(bound, a, best)):
                best = a
    root = _impurity(totals)
    if best < 0 or root - bound[best] <= _LEAST_GAIN * weight:
        members.chosen[m] = LEAF
        bound[:] = 0.0
    elif best != incumbent:
        _install(members, t, m, best)


@inner
def _precedes(bound, a, b):
    """Less impurity first; tied, the attribute that comes first."""
    if abs(bound[a] - bound[b]) <= 1e-12 * max(1.0, abs(bound[b])):
        return a < b
    return bound[a] < bound[b]


@inner
def _present_impurity(members, m, a):
    last = members.branches.shape[1] - 1
    n = 2
    if members.numeric[a] == 0:
        j = members.place[a]
        n = members.first[j + 1] - members.first[j]
    total = _impurity(members.branches[m, last])
    for b in range(n):
        total += _impurity(members.branches[m, b])
    return total


@kernel
def _look(members, t, m, a):
    """Set the attribute's bound to the impurity of its best test."""
    j = members.place[a]
    if members.numeric[a] == 1:
        impurity, threshold, rival = _best_cut(members, t, m, j, members.absent[t, a])
        members.bound[t, a] = impurity
        if members.chosen[m] == a and threshold == threshold:
            _cut_at(members, t, m, a, threshold, rival)
        return
    total = _impurity(members.absent[t, a])
    for v in range(members.first[j], members.first[j + 1]):
        total += _impurity(members.cells[t, v])
    members.bound[t, a] = total


@kernel
def _best_cut(members, t, m, n, absent):
    """Return impurity and threshold of the best cut of numeric attribute n, and the least impurity of all other cuts.

    Only boundaries can be best; other cuts count as rivals, since examples to come may make boundaries of them.
    """
    totals = members.totals[m]
    n_classes = totals.shape[0]
    left, right = members.sides[0], members.sides[1]
    for c in range(n_classes):
        left[c] = 0.0
        right[c] = totals[c] - absent[c]
    missing = _impurity(absent)
    best, threshold, rival = missing + _impurity(right), np.nan, np.inf
    before = -1  # slot of the last value with weight
    for k in range(members.counts[n]):
        s = members.order[n, k]
        if _is_empty(members.slots[t, s]):
            continue
        if before >= 0:
            impurity = (missing + _impurity(left)) + _impurity(right)
            first = threshold != threshold
            better = first or impurity < best - 1e-12 * max(1.0, abs(best))
            if better and _is_boundary(members.slots[t, before], members.slots[t, s]):
                rival = rival if first else min(rival, best)
                low, high = members.values[before], members.values[s]
                best, threshold = impurity, low + (high - low) / 2.0
            else:
                rival = min(rival, impurity)
        for c in range(n_classes):
            left[c] += members.slots[t, s, c]
            right[c] -= members.slots[t, s, c]
        before = s
    return best, threshold, rival


@inner
def _is_boundary(low, high):
    """A cut between two values of the same single class is never best (Fayyad & Irani)."""
    seen = -1
    for c in range(low.shape[0]):
        if low[c] > 0.0 or high[c] > 0.0:
            if seen >= 0:
                return True
            seen = c
    return False


@kernel
def _cut_at(members, t, m, a, threshold, rival):
    """Install a threshold on the chosen numeric attribute."""
    n = members.place[a]
    members.threshold[m], members.rival[m] = threshold, rival
    members.branches[m] = 0.0
    _copy(members.absent[t, a], members.branches[m, members.branches.shape[1] - 1])
    for k in range(members.counts[n]):
        s = members.order[n, k]
        side = 0 if members.values[s] < threshold else 1
        for c in range(members.totals.shape[1]):
            members.branches[m, side, c] += members.slots[t, s, c]


@kernel
def _install(members, t, m, a):
    """Make attribute a the test of member m."""
    members.chosen[m] = a
    j = members.place[a]
    if members.numeric[a] == 1:
        _, threshold, rival = _best_cut(members, t, m, j, members.absent[t, a])
        _cut_at(members, t, m, a, threshold, rival)
        return
    members.branches[m] = 0.0
    _copy(members.absent[t, a], members.branches[m, members.branches.shape[1] - 1])
    for v in range(members.first[j], members.first[j + 1]):
        _copy(members.cells[t, v], members.branches[m, v - members.first[j]])


@inner
def _copy(source, target):
    for c in range(source.shape[0]):
        target[c] = source[c]
