"""What all members say of an example at once: products of `side_by_side` or, where there are numbers, the densities of
`densities`, several members at a time and to the same bits.

Means and narrowness of members lie side by side in `beside`, copies of `shapes`, which lies so that a member is quick to be
fitted. Members of which a bound does not tell enough are asked by themselves.
"""

import math

import numpy as np

from ensembles.jit import inner, part
from ensembles.learners.bayes.densities import NOTHING, fit_or_bound_all
from ensembles.learners.bayes.floors import BOUNDED, keeps_priors, measure_heights_of_all
from ensembles.learners.bayes.products import LOG_SCALE
from ensembles.learners.bayes.side_by_side import (
    BEST,
    DOUBT,
    PARTS,
    WHOLE,
    align_all,
    doubt_all,
    is_plain,
    multiply_all,
)

__all__ = ["add_heights", "add_logarithms", "add_priors", "are_comparable", "ask_all", "get_ready", "knows_bounds"]

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
    get_ready(members, n_members)
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
def get_ready(members, n_members):
    """Have distributions and heights of all members derived that have changed."""
    fit_or_bound_all(members, n_members)
    measure_heights_of_all(members, n_members)


@inner
def add_logarithms(members, n_members, c, rows, i):
    """Write into the room the logarithms of class c, what they are at the means, and where PARTS is the distances."""
    add_priors(members, n_members, c, rows, i)
    _add_distances(members, n_members, c, rows.numbers, i)
    add_heights(members, n_members, c)


@inner
def add_priors(members, n_members, c, rows, i):
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
def _add_distances(members, n_members, c, numbers, i):
    room, beside, parts = members.room, members.beside, members.totals.shape[1] + PARTS
    for m in range(n_members):
        room[m, parts, 0] = 0.0
    n, last = 0, numbers.shape[1] - 1
    while n < last - 1:  # three numbers at a time: sums are fetched and put away a third as often
        x, y, z = numbers[i, n], numbers[i, n + 1], numbers[i, n + 2]
        for m in range(n_members):
            d, e, f = x - beside[m, 0, n, c], y - beside[m, 0, n + 1, c], z - beside[m, 0, n + 2, c]
            total = room[m, parts, 0] + d * d * beside[m, 1, n, c]
            room[m, parts, 0] = total + e * e * beside[m, 1, n + 1, c] + f * f * beside[m, 1, n + 2, c]
        n += 3
    while n <= last:
        for m in range(n_members):
            d = numbers[i, n] - beside[m, 0, n, c]
            room[m, parts, 0] += d * d * beside[m, 1, n, c]
        n += 1


@inner
def add_heights(members, n_members, c):
    """Write the logarithms of class c, and what they are at the means, from the distances where PARTS is."""
    room, heights, parts = members.room, members.heights, members.totals.shape[1] + PARTS
    for m in range(n_members):
        room[m, c, 1] = room[m, c, 0] + heights[m, c]
        room[m, c, 0] = room[m, c, 1] - room[m, parts, 0]


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
