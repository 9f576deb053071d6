"""What all members say of an example at once: products of `side_by_side` or, where there are numbers, the densities of
`densities`, several members at a time and to the same bits.

Members of which a bound does not tell enough are asked by themselves.
"""

import math

import numpy as np

from ensembles.jit import inner, part
from ensembles.learners.bayes.densities import NOTHING, fit_or_bound_all
from ensembles.learners.bayes.distances import distance_to, look_at
from ensembles.learners.bayes.floors import BOUNDED, keeps_priors, measure_heights_of_all
from ensembles.learners.bayes.products import LOG_SCALE
from ensembles.learners.bayes.side_by_side import (
    BEST,
    DOUBT,
    WHOLE,
    align_all,
    doubt_all,
    is_plain,
    multiply_all,
)

__all__ = ["add_logarithms", "are_comparable", "ask_all", "get_ready", "knows_bounds"]

_UNDERFLOW = -746.0  # the exponential of no more is 0, and takes long


@inner
def ask_all(members, n_members, n_classes, rows, i):
    """Write into the room what classes of example i weigh, their sum, and which members have to be asked by themselves."""
    if is_plain(members, rows) and members.smoothing[1] == 0.0:
        align_all(members, n_members, n_classes, rows.codes, i)
    elif rows.numbers.shape[1] > 0 and are_comparable(members, rows, i):
        _weigh_all(members, n_members, n_classes, rows, i)
    else:
        doubt_all(members, n_members, n_classes)


@inner
def are_comparable(members, rows, i):
    """Whether all members can be asked at once: all numbers of the example are known, and products are plain."""
    numbers, smoothing = rows.numbers, members.smoothing
    plain = smoothing[0] > 0.0 and smoothing[1] == 0.0
    for n in range(numbers.shape[1]):
        plain = plain and not math.isnan(numbers[i, n])
    return plain


@inner
def _weigh_all(members, n_members, n_classes, rows, i):
    """Write into the room the likelihoods of classes, the highest 1, their sum, and which members have to be asked."""
    room = members.room
    get_ready(members, n_members, rows, i)
    _measure_all(members, n_members, n_classes)
    for c in range(n_classes):
        add_logarithms(members, n_members, c, rows, i)
    _find_best(members, n_members, n_classes)
    for m in range(n_members):
        room[m, n_classes + WHOLE, 0] = 0.0
    for c in range(n_classes):
        for m in range(n_members):  # apart from what follows, or the compiler would take the exponential of any number
            behind = room[m, c, 0] - room[m, n_classes + BEST, 0]
            room[m, c, 0] = behind if behind > _UNDERFLOW else 1.0
        for m in range(n_members):
            behind = room[m, c, 0]
            share = math.exp(behind)
            room[m, c, 0] = share if behind <= 0.0 else 0.0
        for m in range(n_members):
            room[m, n_classes + WHOLE, 0] += room[m, c, 0]


@inner
def knows_bounds(near, m):
    """Whether a density of member m is, or may be, no more than a bound."""
    found = 0
    for c in range(near.shape[1]):
        found |= near[m, c]
    return found > 0


@inner
def get_ready(members, n_members, rows, i):
    """Have distributions and heights of all members derived that have changed, and look at the example."""
    look_at(members, rows.numbers, i)
    fit_or_bound_all(members, n_members)
    measure_heights_of_all(members, n_members)


@inner
def add_logarithms(members, n_members, c, rows, i):
    """Write into the room the logarithms of class c, and what they are at the means, from the distances there."""
    _add_priors(members, n_members, c, rows, i)
    _add_heights(members, n_members, c)


@inner
def _add_priors(members, n_members, c, rows, i):
    """Write the logarithms of what is multiplied with densities of class c."""
    room = members.room
    if keeps_priors(members):
        for m in range(n_members):
            room[m, c, 0] = 0.0
    else:
        multiply_all(members, n_members, c, c, 0.0, rows.codes, i)
        for m in range(n_members):
            room[m, c, 0] = math.log(room[m, c, 0]) + room[m, c, 1] * LOG_SCALE


@inner
def _measure_all(members, n_members, n_classes):
    """Write into the room the distances of the example that was looked at, in the order in which shapes lie."""
    room = members.room
    for m in range(n_members):
        for c in range(n_classes):
            room[m, c, 2] = distance_to(members, m, c)


@inner
def _add_heights(members, n_members, c):
    """Write the logarithms of class c, and what they are at the means, from the distances."""
    room, heights = members.room, members.heights
    for m in range(n_members):
        room[m, c, 1] = room[m, c, 0] + heights[m, c]
        room[m, c, 0] = room[m, c, 1] - room[m, c, 2]


@inner
def _find_best(members, n_members, n_classes):
    """Write the highest logarithm, and whether the member has to be asked: it knows nothing, or a bound may be too high."""
    room, near, best, doubt = members.room, members.near, n_classes + BEST, n_classes + DOUBT
    for m in range(n_members):
        room[m, best, 0], room[m, doubt, 0] = -np.inf, 0.0
    for c in range(n_classes):
        for m in range(n_members):
            room[m, best, 0] = max(room[m, best, 0], room[m, c, 0])
    for m in range(n_members):
        if knows_bounds(near, m):
            room[m, doubt, 0] = _doubts(members, m)
    for m in range(n_members):
        nothing = room[m, best, 0] == -np.inf
        room[m, doubt, 0] = 1.0 if nothing else room[m, doubt, 0]
        room[m, best, 0] = 0.0 if nothing else room[m, best, 0]


@part
def _doubts(members, m):
    """Return 1 if what a bound says of a class may be more than nothing beside the best of the others, and else 0."""
    room, near, known, doubt = members.room, members.near, -np.inf, 0.0
    for c in range(near.shape[1]):
        known = known if near[m, c] == BOUNDED else max(known, room[m, c, 0])
    for c in range(near.shape[1]):
        doubt = 1.0 if near[m, c] == BOUNDED and not room[m, c, 0] < known - NOTHING else doubt
    return doubt
