"""Naive Bayes with one normal distribution a class for numeric attributes, from exact sums, so that any order of examples
ends in the same model. The members' arrays hold weighted counts.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema, Table
from ensembles.exact import WEIGHT_STEP, add_moments, mean_and_variance, merge_moments
from ensembles.jit import inner, kernel
from ensembles.learners.bayes.products import (
    LOG_SCALE,
    align,
    level_classes,
    products_general,
    products_plain,
    smoothing_for,
    take_zeros,
    write_posteriors,
)
from ensembles.learners.core.protocol import best_scored, finalize, learn_one, predict_one, predict_proba_one, reset
from ensembles.learners.core.sharing import Sharing
from ensembles.learners.core.value_tables import value_places

__all__ = ["NaiveBayesMembers", "allocate_normals", "carry_normals", "note_gaps"]

_HALF_LOG_2_PI = 0.5 * math.log(2 * math.pi)
_LEAST = 1e-12  # the least variance of all


class NaiveBayesMembers(NamedTuple):
    """Members m, nominal attributes a with values numbered through all attributes v, numeric attributes n, classes c."""

    cells: np.ndarray  # (m, v, c) weight of value v in class c
    absent: np.ndarray  # (m, a, c) weight of missing values
    totals: np.ndarray  # (m, c) weight of the class
    values: np.ndarray  # (a,) number of values of the attribute
    gaps: np.ndarray  # (1,) 1 if any training value was ever missing
    moments: np.ndarray  # (m, c, 7, n) weight, exact sum of x (3), exact sum of x * x (3)
    normals: np.ndarray  # (m, c, 4, n) mean, variance (0 below the floor), 1/(2 variance), ln of the density there
    stale: np.ndarray  # (m, c) 1 if `normals` lag behind `moments`
    pooled: np.ndarray  # (7, n) room to add up the moments of all classes
    smoothing: np.ndarray  # (2,) as `smoothing_of`
    floor: np.ndarray  # (2,) share of the attribute's own variance that a class has at least; 1: below it is left out

    @property
    def sharing(self) -> Sharing:
        """How threads share the arrays."""
        return Sharing(own="cells absent totals moments normals stale", room="pooled")


def allocate_normals(
    n_members: int, schema: Schema, n_classes: int, smoothing: npt.NDArray[np.float64], floor: float, *, skip: bool
) -> NaiveBayesMembers:
    """Return members that have learned nothing."""
    n_nominal, n_numeric = len(schema.nominal), len(schema.numeric)
    return NaiveBayesMembers(
        cells=np.zeros((n_members, int(schema.value_counts.sum()), n_classes)),
        absent=np.zeros((n_members, n_nominal, n_classes)),
        totals=np.zeros((n_members, n_classes)),
        values=schema.value_counts.astype(np.float64),
        gaps=np.zeros(1),
        moments=np.zeros((n_members, n_classes, 7, n_numeric)),
        normals=np.zeros((n_members, n_classes, 4, n_numeric)),
        stale=np.ones((n_members, n_classes), dtype=np.uint8),
        pooled=np.zeros((7, n_numeric)),
        smoothing=smoothing,
        floor=np.array([float(floor), float(skip)]),
    )


def carry_normals(
    members: NaiveBayesMembers, grown: NaiveBayesMembers, old: Schema, new: Schema, positions: npt.NDArray[np.int64]
) -> NaiveBayesMembers:
    """Return `grown`, empty and made for schema `new` and more classes, with what `members` have learned."""
    grown.cells[:, value_places(old, new)[:, None], positions] = members.cells
    grown.absent[:, :, positions] = members.absent
    grown.totals[:, positions] = members.totals
    grown.moments[:, positions] = members.moments
    grown.gaps[:] = members.gaps
    return grown


def note_gaps(members: NaiveBayesMembers, table: Table) -> NaiveBayesMembers:
    """Return the members, told whether any nominal value is missing."""
    if table.codes.size and table.codes.min() < 0:
        members.gaps[0] = 1.0
    return members


@reset.implement(NaiveBayesMembers)
def _reset(members, m):
    members.cells[m] = 0.0
    members.absent[m] = 0.0
    members.totals[m] = 0.0
    members.moments[m] = 0.0
    members.stale[m] = 1


@learn_one.implement(NaiveBayesMembers)
def _learn_one(members, m, rows, i, label, weight):
    cells, absent, totals = members.cells, members.absent, members.totals
    codes = rows.codes
    totals[m, label] += weight
    for a in range(codes.shape[1]):
        v = codes[i, a]
        if v >= 0:
            cells[m, v, label] += weight
        else:
            absent[m, a, label] += weight
    if rows.numbers.shape[1] > 0:
        members.stale[m, label] = 1
        _learn_numbers(members.moments[m, label], rows.numbers[i], weight)


@finalize.implement(NaiveBayesMembers)
def _finalize(members, m):
    _fit_normals(members, m)


@predict_one.implement(NaiveBayesMembers)
def _predict_one(members, m, rows, i, work):
    if not _score(members, m, rows, i, work):
        return -1
    return best_scored(work, members.totals, m)


@predict_proba_one.implement(NaiveBayesMembers)
def _predict_proba_one(members, m, rows, i, work, out):
    if not _score(members, m, rows, i, work):
        out[:] = 1.0 / out.shape[0]
        return
    write_posteriors(work, out)


@inner
def _score(members, m, rows, i, work):
    """Write into work[0] numbers in [0, 1] proportional to the posteriors, the largest 1; False if nothing was learned."""
    totals = members.totals
    f = smoothing_for(members.smoothing, totals, m)
    if f < 0.0:
        return False
    if members.gaps[0] == 0.0 and f > 0.0:
        products_plain(members.cells, members.values, totals, m, f, rows.codes, i, work)
    else:
        counts = members.cells, members.absent, totals, members.values
        products_general(counts, m, f, rows.codes, i, work)
        take_zeros(members.smoothing, totals, m, work)
    level_classes(members.smoothing, totals, m, f, work)
    if rows.numbers.shape[1] > 0:
        _fit_normals(members, m)
        _add_logs(members.normals, totals, m, rows.numbers, i, work)
    else:
        align(work, totals.shape[1])
    return True


@inner
def _add_logs(normals, totals, m, numbers, i, work):
    """Join products and log densities, then bring them to one scale; a class without examples has no density: 0."""
    n_classes = totals.shape[1]
    fewest = np.inf
    for c in range(n_classes):
        if totals[m, c] == 0.0:
            work[2, c] = np.inf
        fewest = min(fewest, work[2, c])
    top = -np.inf
    for c in range(n_classes):
        if work[2, c] == fewest:
            density = _log_density(normals, m, numbers, i, c)
            work[3, c] = density + math.log(work[0, c]) + work[1, c] * LOG_SCALE
            top = max(top, work[3, c])
    for c in range(n_classes):
        work[0, c] = math.exp(work[3, c] - top) if work[2, c] == fewest else 0.0


@inner
def _learn_numbers(moments, numbers, weight):
    for n in range(numbers.shape[0]):
        x = numbers[n]
        missing = math.isnan(x)
        add_moments(moments, n, 0.0 if missing else weight, 0.0 if missing else x)


@inner
def _fit_normals(members, m):
    """Derive means and variances if any class has changed."""
    stale = members.stale
    changed = False
    for c in range(stale.shape[1]):
        changed = changed or stale[m, c] == 1
    if changed:
        _refresh_normals(members, m)


@kernel
def _refresh_normals(members, m):
    """Derive means and variances of the classes that changed; a floor moves with the attribute's own variance.

    The exact variance of all classes together takes long: it is looked for only where the floor may matter.
    """
    totals, stale, pooled, share = members.totals, members.stale, members.pooled, members.floor[0]
    pooled[:3] = 0.0
    for c in range(totals.shape[1]):
        if totals[m, c] > 0.0:
            _pool_roughly(pooled, members.moments[m, c])
            if stale[m, c] == 1:
                _fit_class(members.normals[m, c], members.moments[m, c])
    for n in range(pooled.shape[1]):
        weight = max(pooled[0, n], WEIGHT_STEP)
        mean, square = pooled[1, n] / weight, pooled[2, n] / weight
        # not below the floor: rounding takes less than 1e-12 of the mean square, with up to a thousand classes
        pooled[0, n] = share * (square - mean * mean + 1e-12 * square) + 1.001 * _LEAST
    for n in range(pooled.shape[1]):
        lowest = np.inf
        for c in range(totals.shape[1]):
            if totals[m, c] > 0.0:
                lowest = min(lowest, members.normals[m, c, 1, n])
        if lowest < pooled[0, n]:
            _raise_to_floor(members, m, n)
    stale[m] = 0


@inner
def _pool_roughly(pooled, moments):
    """Add the weights, the sums and the sums of squares of a class, each in one double."""
    for n in range(pooled.shape[1]):
        pooled[0, n] += moments[0, n]
        pooled[1, n] += moments[1, n] + moments[2, n]
        pooled[2, n] += moments[4, n] + moments[5, n]


@inner
def _fit_class(normals, moments):
    for n in range(moments.shape[1]):
        normals[0, n], normals[1, n] = mean_and_variance(moments, n)
    for n in range(moments.shape[1]):  # a loop of its own: logarithms do not run as vectors
        _shape_normal(normals, n, max(normals[1, n], _LEAST))


@kernel
def _raise_to_floor(members, m, n):
    """Give an attribute's variances the exact floor; a class without a known value takes those of all classes together."""
    moments, normals, totals, pooled = members.moments, members.normals, members.totals, members.pooled
    for j in range(pooled.shape[0]):
        pooled[j, n] = 0.0
    for c in range(totals.shape[1]):
        merge_moments(pooled, moments[m, c], n)
    mean, variance = mean_and_variance(pooled, n) if pooled[0, n] > 0.0 else (0.0, 1.0)
    floor = members.floor[0] * variance + _LEAST
    for c in range(totals.shape[1]):
        own = normals[m, c]
        if moments[m, c, 0, n] > 0.0:
            own[0, n], own[1, n] = mean_and_variance(moments[m, c], n)
            _shape_normal(own, n, max(own[1, n], floor))
        else:
            own[0, n], own[1, n] = mean, 0.0
            _shape_normal(own, n, max(variance, floor))
        if own[1, n] < floor:
            own[1, n] = 0.0
    if members.floor[1] == 1.0:
        _skip_if_flat(members, m, n)


@inner
def _skip_if_flat(members, m, n):
    """Leave attribute n out if it is below its floor in some class; no variance is kept, so that the next look is at all."""
    normals, totals = members.normals, members.totals
    flat = False
    for c in range(totals.shape[1]):
        flat = flat or (totals[m, c] > 0.0 and normals[m, c, 1, n] == 0.0)
    if flat:
        for c in range(totals.shape[1]):
            normals[m, c, 1, n], normals[m, c, 2, n], normals[m, c, 3, n] = 0.0, 0.0, 0.0


@inner
def _shape_normal(normals, n, variance):
    normals[2, n] = 0.5 / variance
    normals[3, n] = -0.5 * math.log(variance) - _HALF_LOG_2_PI


@inner
def _log_density(normals, m, numbers, i, c):
    total = 0.0
    for n in range(numbers.shape[1]):
        x = numbers[i, n]
        if not math.isnan(x):
            d = x - normals[m, c, 0, n]
            total += normals[m, c, 3, n] - d * d * normals[m, c, 2, n]
    return total
