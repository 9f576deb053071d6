"""Naive Bayes with one normal distribution a class for numeric attributes, from exact sums, so that any order of examples
ends in the same model. The members' arrays hold weighted counts.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.addresses import hidden
from ensembles.data.table import Schema, Table
from ensembles.jit import inner
from ensembles.learners.bayes.densities import add_densities, fit_normals, fit_or_bound, learn_numbers
from ensembles.learners.bayes.floors import keeps_priors, new_floors, set_highest_floors
from ensembles.learners.bayes.foreseeing import foresee_all
from ensembles.learners.bayes.likelihoods import ask_all
from ensembles.learners.bayes.products import (
    LOG_SCALE,
    score_classes,
    smoothing_for,
    write_posteriors,
    write_products,
)
from ensembles.learners.bayes.side_by_side import (
    DOUBT,
    add_shares,
    keep_answer,
    laid_side_by_side,
    learn_codes,
    room_for,
)
from ensembles.learners.bayes.sums import carry_sums, cut_example, eights_of, hold, in_eights, new_sums
from ensembles.learners.core.protocol import (
    TIE,
    add_probabilities,
    best_scored,
    finalize,
    foresee_hits,
    learn_all,
    learn_one,
    predict_and_learn,
    predict_one,
    predict_proba_one,
    prepare_example,
    reset,
)
from ensembles.learners.core.sharing import Sharing
from ensembles.learners.core.value_tables import value_places

__all__ = ["NaiveBayesMembers", "allocate_normals", "carry_normals", "prepare_for"]


class NaiveBayesMembers(NamedTuple):
    """Members m, nominal attributes a with values numbered through all attributes v, classes c.

    Numeric attributes n, of which eight each lie together, in e eights.
    """

    cells: np.ndarray  # (m, v, c), in Fortran's order: weight of value v in class c
    absent: np.ndarray  # (m, a, c), in Fortran's order: weight of missing values
    totals: np.ndarray  # (m, c) weight of the class
    values: np.ndarray  # (a,) number of values of the attribute
    gaps: np.ndarray  # (1,) 1 if any nominal value was ever missing in training
    unknown: np.ndarray  # (1,) 1 if any number was
    digits: np.ndarray  # (m, c, e, p, 8) sums, see `sums`: p rows of weights, places of numbers, places of squares
    carried: np.ndarray  # (m, c, e, 2, 8) above the highest place of numbers and of squares
    sums: np.ndarray  # (m, c, e, 4, 8) as it was fitted: sums of numbers, what was rounded away, and so of squares
    loads: np.ndarray  # (m, c, 3) added since a carry; 1, or 2^-20 once a weight was not whole; 1 once carried
    units: np.ndarray  # (p,) what one is worth in each row
    inverses: np.ndarray  # (p,) one divided by that
    squares_at: np.ndarray  # (1,) the first row of squares
    limits: np.ndarray  # (2, n) lowest and highest number
    highest: np.ndarray  # (8 * e,) what no least variance is above; 0 behind the last number
    narrowest: np.ndarray  # (8 * e,) half of one by that: the least narrowness at a floor; 1 behind the last
    least: np.ndarray  # (8 * e,) half of the least variance; 1/2 behind the last number
    window: np.ndarray  # (2,) a power of two that divides all numbers, and one that is not below any
    pieces: np.ndarray  # (e, p, 8) the example, cut
    moved: np.ndarray  # (e,) 0 if all eight of its numbers are 0 or missing
    asked: np.ndarray  # (8 * e,) the example that is asked about; 0 behind the last
    narrownesses: np.ndarray  # (m, c, e, 8) 1/(2 variance), of half the least one at least; 1 behind the last
    shapes: np.ndarray  # (m, c, e, 2, 8) mean, and 1/(2 variance) or 0 if the attribute is left out; 0, any behind
    heights: np.ndarray  # (m, c) logarithm of the density at the means; minus infinity for a class without examples
    near: np.ndarray  # (m, c) above 0 if some variance may be below the floor, see `densities`
    flat: np.ndarray  # (m, c, e) 0 if no variance of eight may be below the floor
    stale: np.ndarray  # (m, c) 0 unless these lag behind the sums, or have not been seen to, see `densities`
    pooled: np.ndarray  # (3, 8 * e) of all classes together, see `floors`
    row: np.ndarray  # (2, 8) room for eight numbers that are to be read one by one
    room: np.ndarray  # room to work in, see `side_by_side`
    smoothing: np.ndarray  # (2,) as `smoothing_of`
    floor: np.ndarray  # (2,) share of the attribute's own variance that a class has at least; 1: below it is left out

    @property
    def brief_steps(self) -> bool:
        """A step of boosting is too short to be called by address, see `bound`."""
        return True

    @property
    def sharing(self) -> Sharing:
        """How threads share the arrays."""
        return Sharing(
            own="cells absent totals digits carried sums loads narrownesses shapes heights near flat stale",
            room="pieces moved asked pooled row room",
        )


def allocate_normals(
    n_members: int, schema: Schema, n_classes: int, smoothing: npt.NDArray[np.float64], floor: float, *, skip: bool
) -> NaiveBayesMembers:
    """Return members that have learned nothing."""
    n_nominal, n_numeric = len(schema.nominal), len(schema.numeric)
    return NaiveBayesMembers(
        cells=laid_side_by_side(n_members, int(schema.value_counts.sum()), n_classes),
        absent=laid_side_by_side(n_members, n_nominal, n_classes),
        totals=np.zeros((n_members, n_classes)),
        values=schema.value_counts.astype(np.float64),
        gaps=np.zeros(1),
        unknown=np.zeros(1),
        narrownesses=in_eights(n_members, n_classes, eights_of(n_numeric)),
        shapes=in_eights(n_members, n_classes, eights_of(n_numeric), 2),
        heights=np.full((n_members, n_classes), -np.inf),
        near=np.zeros((n_members, n_classes), dtype=np.uint8),
        flat=np.ones((n_members, n_classes, eights_of(n_numeric)), dtype=np.uint8),
        stale=np.ones((n_members, n_classes), dtype=np.uint8),
        room=room_for(n_members, n_classes),
        smoothing=smoothing,
        floor=np.array([float(floor), float(skip)]),
        **new_floors(n_numeric),
        **new_sums(n_members, n_classes, np.repeat([[np.inf], [-np.inf]], n_numeric, axis=1)),
    )


def carry_normals(
    members: NaiveBayesMembers, grown: NaiveBayesMembers, old: Schema, new: Schema, positions: npt.NDArray[np.int64]
) -> NaiveBayesMembers:
    """Return `grown`, empty and made for schema `new` and more classes, with what `members` have learned."""
    places = value_places(old, new)
    grown.cells[:, places[:, None], positions] = members.cells[:, : len(places), : len(positions)]
    grown.absent[:, :, positions] = members.absent[:, :, : len(positions)]
    grown.totals[:, positions] = members.totals
    grown.gaps[:], grown.unknown[:] = members.gaps, members.unknown
    grown.highest[:], grown.narrowest[:] = members.highest, members.narrowest
    sums = new_sums(len(grown.totals), grown.totals.shape[1], members.limits, members.window)
    return grown._replace(**carry_sums(members, sums, positions))


def prepare_for(members: NaiveBayesMembers, table: Table) -> NaiveBayesMembers:
    """Return the members, told whether any nominal value is missing, with room for the digits of these numbers."""
    if table.codes.size and table.codes.min() < 0:
        members.gaps[0] = 1.0
    if table.numbers.size:
        members = hold(members, table.numbers)
        set_highest_floors(members)
    return members


@reset.implement(NaiveBayesMembers)
def _reset(members, m):
    members.cells[m] = 0.0
    members.absent[m] = 0.0
    members.totals[m] = 0.0
    members.digits[m] = 0.0
    members.carried[m] = 0.0
    members.sums[m] = 0.0
    members.loads[m, :, 0] = 0.0
    members.heights[m] = -np.inf
    members.stale[m], members.flat[m] = 1, 1


@prepare_example.implement(NaiveBayesMembers)
def _prepare_example(members, rows, i):
    cut_example(members, rows.numbers, i)
    return False


@learn_one.implement(NaiveBayesMembers)
def _learn_one(members, m, rows, i, label, weight):
    cut_example(members, rows.numbers, i)
    _learn_prepared(members, m, rows, i, label, weight)


@learn_all.implement(NaiveBayesMembers)
def _learn_all(members, rows, i, label, weights):
    learn_codes(members, rows.codes, i, label, weights)
    if rows.numbers.shape[1] > 0:
        cut_example(members, rows.numbers, i)
        for m in range(weights.shape[0]):
            if weights[m] > 0.0:
                learn_numbers(members, hidden(m), label, weights[m])


@foresee_hits.implement(NaiveBayesMembers)
def _foresee_hits(members, rows, i, label, hits, weights, work, votes):
    return foresee_all(members, rows, i, label, hits)


@add_probabilities.implement(NaiveBayesMembers)
def _add_probabilities(members, weights, rows, i, work, votes):
    n_members, n_classes, told = weights.shape[0], votes.shape[0], work[4]
    ask_all(members, n_members, n_classes, rows, i)
    for m in range(n_members):
        if members.room[m, n_classes + DOUBT, 0] > 0.0:
            predict_proba_one(members, hidden(m), rows, i, work, told)
            keep_answer(members, m, told)
    add_shares(members, weights, votes)


@predict_and_learn.implement(NaiveBayesMembers)
def _predict_and_learn(members, m, rows, i, label, weight, after, work):
    predicted = -1
    for step in range(2):  # a loop, so that the compiler sees the code of both once
        if after == (step == 1):
            predicted = predict_one(members, m, rows, i, work)
        elif weight > 0.0:
            _learn_prepared(members, m, rows, i, label, weight)
    return predicted


@inner
def _learn_prepared(members, m, rows, i, label, weight):
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
        learn_numbers(members, m, label, weight)


@finalize.implement(NaiveBayesMembers)
def _finalize(members, m):
    fit_normals(members, m)


@predict_one.implement(NaiveBayesMembers)
def _predict_one(members, m, rows, i, work):
    if rows.numbers.shape[1] == 0:
        return best_scored(work, members.totals, m) if score_classes(members, m, rows, i, work) else -1
    if not _add_priors(members, m, rows, i, work):
        return -1
    top = add_densities(members, m, rows.numbers, i, work)
    return _likeliest(members.totals, m, work, top)


@predict_proba_one.implement(NaiveBayesMembers)
def _predict_proba_one(members, m, rows, i, work, out):
    if rows.numbers.shape[1] == 0:
        known = score_classes(members, m, rows, i, work)
    else:
        known = _add_priors(members, m, rows, i, work)
        if known:
            top = add_densities(members, m, rows.numbers, i, work)
            for c in range(out.shape[0]):
                work[0, c] = 1.0 if work[3, c] == top else math.exp(work[3, c] - top)
    if known:
        write_posteriors(work, out)
    else:
        out[:] = 1.0 / out.shape[0]


@inner
def _add_priors(members, m, rows, i, work):
    """Write into work[0] what is to be added to the logarithms of densities; False if nothing was learned.

    Minus infinity for classes with more zero factors than the best; those without examples have a density of zero.
    """
    totals = members.totals
    f = smoothing_for(members.smoothing, totals, m)
    if f < 0.0:
        return False
    fit_or_bound(members, m)
    if keeps_priors(members):
        work[0] = 0.0
        return True
    write_products(members, m, f, rows, i, work)
    fewest = np.inf
    for c in range(totals.shape[1]):
        if totals[m, c] > 0.0:
            fewest = min(fewest, work[2, c])
    for c in range(totals.shape[1]):
        level = work[2, c] == fewest
        work[0, c] = math.log(work[0, c]) + work[1, c] * LOG_SCALE if level else -np.inf
    return True


@inner
def _likeliest(totals, m, work, top):
    """Return the class of the highest logarithm in work[3], as `best_scored` that of the highest score."""
    chosen = -1
    for c in range(totals.shape[1]):
        if work[3, c] >= top - TIE and (chosen < 0 or totals[m, c] > totals[m, chosen]):
            chosen = c
    return chosen
