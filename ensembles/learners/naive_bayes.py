"""Naive Bayes: class counts and, given the class, independent attributes.

The members' arrays hold weighted counts; the score of a class is a product of ratios of counts, kept in range by an
exponent of its own instead of logarithms. Numeric attributes have one normal distribution a class, from exact sums, so that
any order of examples ends in the same model.

Thesis, section 2.1.2 and figure 2.3; Bauer & Kohavi, section 2 (Laplace correction).
"""

import math
from typing import NamedTuple

import numpy as np

from ensembles.data.encoding import category_map
from ensembles.exact import add_exactly, add_product, square_parts, variance_of
from ensembles.jit import inner, kernel
from ensembles.learners.base import BaseModel, writable
from ensembles.learners.protocol import Rows, begin, best_scored, classify, distribute, learn, settle
from ensembles.parameters import Choice

__all__ = ["NaiveBayesClassifier", "NaiveBayesMembers"]

_STEP = 16  # factors multiplied before the product is brought back into range: (2^33)^16 < 1e160
_SCALE = 2.0**512
_LOG_SCALE = 512 * math.log(2.0)
_HALF_LOG_2_PI = 0.5 * math.log(2 * math.pi)


class NaiveBayesMembers(NamedTuple):
    """Members m, nominal attributes a with values numbered through all attributes v, numeric attributes n, classes c."""

    cells: np.ndarray  # (m, v, c) weight of value v in class c
    absent: np.ndarray  # (m, a, c) weight of missing values
    totals: np.ndarray  # (m, c) weight of the class
    values: np.ndarray  # (a,) number of values of the attribute
    gaps: np.ndarray  # (1,) 1 if any training value was ever missing
    moments: np.ndarray  # (m, n, c, 7) weight, exact sum of x (3), exact sum of x * x (3)
    normals: np.ndarray  # (m, n, c, 5) mean, variance, 1/(2 variance), ln of the density at the mean, 1 if at the floor
    stale: np.ndarray  # (m, c) 1 if `normals` lag behind `moments`
    pooled: np.ndarray  # (6,) room to add up the moments of all classes
    smoothing: np.ndarray  # (1,) what is added to every count; -1: one over the member's weight


class NaiveBayesClassifier(BaseModel):
    """Naive Bayes for nominal and numeric attributes; lossless online.

    Parameters
    ----------
    smoothing : {"laplace", "laplace_m", "none"}
        Added to every count: 1, one over the number of examples, or nothing.
    categorical_features : sequence of names or positions, optional
        Attributes to treat as nominal besides categorical, text and truth columns.

    Notes
    -----
    Numeric attributes: normal distribution with variance at least 1e-9 of the attribute's own plus 1e-12. A missing value
    leaves its attribute out of the product. A value never seen in training counts as one value more.

    References
    ----------
    Oza (2001), section 2.1.2, figure 2.3; Bauer & Kohavi (1999), section 2.
    """

    key = "naive_bayes"
    name = "Naive Bayes"
    family = "bayes"
    summary = "Multiplies the shares of each attribute value within a class as if attributes were independent."
    source = "Oza (2001), section 2.1.2, figure 2.3"
    lossless = True
    parameters = (
        Choice(
            "smoothing",
            "laplace",
            "Smoothing",
            "What is added to every count, so that a value never seen with a class does not rule the class out.",
            choices=("laplace", "laplace_m", "none"),
            labels=("Laplace (1)", "one over the number of examples", "none"),
        ),
    )

    def __init__(self, smoothing="laplace", categorical_features=None):
        self.smoothing = smoothing
        self.categorical_features = categorical_features

    def allocate(self, n_members, schema, n_classes, *, batch):
        n_nominal, n_numeric = len(schema.nominal), len(schema.numeric)
        n_values = int(schema.value_counts.sum())
        return NaiveBayesMembers(
            cells=np.zeros((n_members, n_values, n_classes)),
            absent=np.zeros((n_members, n_nominal, n_classes)),
            totals=np.zeros((n_members, n_classes)),
            values=schema.value_counts.astype(np.float64),
            gaps=np.zeros(1),
            moments=np.zeros((n_members, n_numeric, n_classes, 7)),
            normals=np.zeros((n_members, n_numeric, n_classes, 5)),
            stale=np.ones((n_members, n_classes), dtype=np.uint8),
            pooled=np.zeros(6),
            smoothing=np.array([{"laplace": 1.0, "laplace_m": -1.0, "none": 0.0}[self.smoothing]]),
        )

    def enlarge(self, members, old, new, positions, n_classes):
        grown = self.allocate(len(members.totals), new, n_classes, batch=False)
        starts = np.concatenate([[0], np.cumsum(new.value_counts)])
        moved = [
            starts[j] + category_map(old.attributes[before].categories, new.attributes[after].categories)
            for j, (before, after) in enumerate(zip(old.nominal, new.nominal, strict=True))
        ]
        values = np.concatenate(moved).astype(np.int64) if moved else np.zeros(0, dtype=np.int64)
        grown.cells[:, values[:, None], positions] = members.cells
        grown.absent[:, :, positions] = members.absent
        grown.totals[:, positions] = members.totals
        grown.moments[:, :, positions] = members.moments
        grown.gaps[:] = members.gaps
        return grown

    def admit(self, members, table):
        if table.codes.size and table.codes.min() < 0:
            members.gaps[0] = 1.0
        return members

    def rows(self, members, table, *, learning):
        starts = np.concatenate([[0], np.cumsum(table.schema.value_counts)[:-1]]).astype(np.int32)
        codes = table.codes
        if codes.size:
            codes = np.where(codes >= 0, codes + starts[: codes.shape[1]], codes).astype(np.int32)
        return writable(Rows(codes, table.numbers, np.empty((0, 0), dtype=np.int32)))


@begin.implement(NaiveBayesMembers)
def _begin(members, m):
    members.cells[m] = 0.0
    members.absent[m] = 0.0
    members.totals[m] = 0.0
    members.moments[m] = 0.0
    members.stale[m] = 1


@learn.implement(NaiveBayesMembers)
def _learn(members, m, rows, i, label, weight):
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
        _learn_numbers(members, m, rows, i, label, weight)


@settle.implement(NaiveBayesMembers)
def _settle(members, m):
    _fit_normals(members, m)


@classify.implement(NaiveBayesMembers)
def _classify(members, m, rows, i, work):
    if not _score(members, m, rows, i, work):
        return -1
    return best_scored(work, members.totals, m)


@distribute.implement(NaiveBayesMembers)
def _distribute(members, m, rows, i, work, out):
    if not _score(members, m, rows, i, work):
        out[:] = 1.0 / out.shape[0]
        return
    total = 0.0
    for c in range(out.shape[0]):
        total += work[0, c]
    for c in range(out.shape[0]):
        out[c] = work[0, c] / total


@inner
def _score(members, m, rows, i, work):
    """Write into work[0] numbers in [0, 1] proportional to the posteriors, the largest 1; False if nothing was learned."""
    totals = members.totals
    n_classes = totals.shape[1]
    weight = 0.0
    for c in range(n_classes):
        weight += totals[m, c]
    if weight == 0.0:
        return False
    f = members.smoothing[0]
    if f < 0.0:
        f = 1.0 / weight
    if members.gaps[0] == 0.0 and f > 0.0:
        _products_plain(members.cells, members.values, totals, m, f, rows.codes, i, work)
    else:
        _products_general(members, m, f, rows.codes, i, work)
    if rows.numbers.shape[1] > 0:
        _fit_normals(members, m)
        _add_logs(members.normals, totals, m, rows.numbers, i, work)
    else:
        _align(work, n_classes)
    return True


@inner
def _products_plain(cells, values, totals, m, f, codes, i, work):
    """Prior times shares of every class, no missing values in training; one division in sixteen factors.

    Two classes at a time keep four independent chains of products busy; numerators and denominators stay apart because a
    division costs as much as ten products.
    """
    n_classes, n_nominal = totals.shape[1], codes.shape[1]
    for c in range(0, n_classes, 2):
        d = min(c + 1, n_classes - 1)
        total_c, total_d = totals[m, c], totals[m, d]
        score_c, score_d = total_c + f, total_d + f
        exponent_c, exponent_d = 0.0, 0.0
        for start in range(0, n_nominal, _STEP):
            above_c, above_d, below_c, below_d = 1.0, 1.0, 1.0, 1.0
            for a in range(start, min(start + _STEP, n_nominal)):
                v = codes[i, a]
                if v >= 0:
                    above_c *= cells[m, v, c] + f
                    above_d *= cells[m, v, d] + f
                    below_c *= total_c + f * values[a]
                    below_d *= total_d + f * values[a]
                elif v == -2:
                    above_c *= f
                    above_d *= f
                    below_c *= total_c + f * (values[a] + 1.0)
                    below_d *= total_d + f * (values[a] + 1.0)
            score_c *= above_c / below_c
            score_d *= above_d / below_d
            if score_c < 1.0 / _SCALE:
                score_c *= _SCALE
                exponent_c -= 1.0
            if score_d < 1.0 / _SCALE:
                score_d *= _SCALE
                exponent_d -= 1.0
        work[0, c], work[1, c], work[2, c] = score_c, exponent_c, 0.0
        work[0, d], work[1, d], work[2, d] = score_d, exponent_d, 0.0


@kernel
def _products_general(members, m, f, codes, i, work):
    """As `_products_plain`, missing values left out of the denominators, zero factors counted and not multiplied."""
    cells, absent, totals, values = members.cells, members.absent, members.totals, members.values
    for c in range(totals.shape[1]):
        total = totals[m, c]
        score, exponent, zeros = total + f, 0.0, 0.0
        if score == 0.0:
            score, zeros = 1.0, np.inf
        for a in range(codes.shape[1]):
            v = codes[i, a]
            if v == -1:
                continue
            count, known = f, values[a]
            if v >= 0:
                count = cells[m, v, c] + f
            else:
                known += 1.0
            if count == 0.0:
                zeros += 1.0
                continue
            score *= count / (total - absent[m, a, c] + f * known)
            if score < 1.0 / _SCALE:
                score *= _SCALE
                exponent -= 1.0
        work[0, c], work[1, c], work[2, c] = score, exponent, zeros


@inner
def _align(work, n_classes):
    """Bring products of different exponents to one scale; classes with more zero factors than the best get 0."""
    fewest, highest, top = np.inf, -np.inf, 0.0
    for c in range(n_classes):
        fewest = min(fewest, work[2, c])
    for c in range(n_classes):
        if work[2, c] == fewest and (work[1, c] > highest or (work[1, c] == highest and work[0, c] > top)):
            highest, top = work[1, c], work[0, c]
    for c in range(n_classes):
        if work[2, c] != fewest or work[1, c] < highest - 1.0:
            work[0, c] = 0.0
        elif work[1, c] < highest:
            work[0, c] = work[0, c] / _SCALE / top
        else:
            work[0, c] = work[0, c] / top


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
            work[3, c] = density + math.log(work[0, c]) + work[1, c] * _LOG_SCALE
            top = max(top, work[3, c])
    for c in range(n_classes):
        work[0, c] = math.exp(work[3, c] - top) if work[2, c] == fewest else 0.0


@inner
def _learn_numbers(members, m, rows, i, label, weight):
    moments, numbers = members.moments, rows.numbers
    members.stale[m, label] = 1
    for n in range(numbers.shape[1]):
        x = numbers[i, n]
        if not math.isnan(x):
            _add_moments(moments[m, n, label], x, weight)


@inner
def _add_moments(moments, x, weight):
    moments[0] += weight
    add_product(moments[1:4], weight, x)
    p, e = square_parts(x)
    add_product(moments[4:7], weight, p)
    if e != 0.0:
        add_exactly(moments[4:7], weight * e)


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
    """Derive means and variances of the classes that changed; a floor moves with the attribute's own variance."""
    moments_of, normals, stale, pooled = members.moments, members.normals, members.stale, members.pooled
    n_classes = stale.shape[1]
    for n in range(moments_of.shape[1]):
        pooled[:] = 0.0
        weight = 0.0
        for c in range(n_classes):
            moments = moments_of[m, n, c]
            weight += moments[0]
            for j in range(3):
                add_exactly(pooled[0:3], moments[1 + j])
                add_exactly(pooled[3:6], moments[4 + j])
        mean, variance = 0.0, 1.0
        if weight > 0.0:
            mean, variance = variance_of(weight, pooled[0:3], pooled[3:6])
        floor = 1e-9 * variance + 1e-12
        for c in range(n_classes):
            normal = normals[m, n, c]
            moments = moments_of[m, n, c]
            if moments[0] == 0.0:  # no value known in this class: as in all classes together
                _write_normal(normal, mean, variance, floor)
            elif stale[m, c] == 1:
                own_mean, own_variance = variance_of(moments[0], moments[1:4], moments[4:7])
                _write_normal(normal, own_mean, own_variance, floor)
            elif normal[4] == 1.0 or normal[1] < floor:
                _write_normal(normal, normal[0], normal[1], floor)
    stale[m] = 0


@inner
def _write_normal(normal, mean, variance, floor):
    used = max(variance, floor)
    normal[0], normal[1] = mean, variance
    normal[2] = 0.5 / used
    normal[3] = -0.5 * math.log(used) - _HALF_LOG_2_PI
    normal[4] = 1.0 if variance < floor else 0.0


@inner
def _log_density(normals, m, numbers, i, c):
    total = 0.0
    for n in range(numbers.shape[1]):
        x = numbers[i, n]
        if not math.isnan(x):
            d = x - normals[m, n, c, 0]
            total += normals[m, n, c, 3] - d * d * normals[m, n, c, 2]
    return total
