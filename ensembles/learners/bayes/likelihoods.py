"""What all members say of an example with numbers at once, several members at a time: the densities of `densities`, to the
same bits.

Means and narrowness of members lie side by side in `beside`, copies of `shapes`, which lies so that a member is quick to be
fitted. Members of which a bound does not tell enough are asked by themselves.
"""

import math

import numpy as np

from ensembles.jit import inner
from ensembles.learners.bayes.densities import BOUNDED, NOTHING, fit_or_bound, keeps_priors
from ensembles.learners.bayes.products import LOG_SCALE
from ensembles.learners.bayes.side_by_side import BEST, DOUBT, PARTS, WHOLE, multiply_all

__all__ = ["are_comparable", "weigh_all"]

_UNDERFLOW = -746.0  # the exponential of no more is 0, and takes long


@inner
def are_comparable(members, rows, i):
    """Whether all members can be asked at once: all numbers of the example are known, and products are plain."""
    numbers, smoothing = rows.numbers, members.smoothing
    plain = smoothing[0] > 0.0 and smoothing[1] == 0.0 and (members.gaps[0] == 0.0 or keeps_priors(members))
    for n in range(numbers.shape[1]):
        plain = plain and not math.isnan(numbers[i, n])
    return plain


@inner
def weigh_all(members, n_members, n_classes, rows, i):
    """Write into the room the likelihoods of classes, the highest 1, their sum, and which members have to be asked."""
    room = members.room
    for m in range(n_members):
        fit_or_bound(members, m)
        _copy_shapes(members, m)
    for c in range(n_classes):
        _add_prior(members, n_members, c, rows, i)
        _add_density(members, n_members, c, rows.numbers, i)
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
def _copy_shapes(members, m):
    shapes, beside = members.shapes, members.beside
    for c in range(members.lagging.shape[1]):
        if members.lagging[m, c] == 1:
            members.lagging[m, c] = 0
            for n in range(members.limits.shape[1]):
                beside[m, 0, n, c], beside[m, 1, n, c] = shapes[m, 0, n, c], shapes[m, 1, n, c]


@inner
def _add_prior(members, n_members, c, rows, i):
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
def _add_density(members, n_members, c, numbers, i):
    room, beside, heights, parts = members.room, members.beside, members.heights, members.totals.shape[1] + PARTS
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
    for m in range(n_members):
        room[m, c, 0] = (room[m, c, 0] + heights[m, c]) - room[m, parts, 0]


@inner
def _find_best(members, n_members, n_classes):
    """Write the highest logarithm, and whether the member has to be asked: it knows nothing, or a bound may be too high."""
    room, near, best, doubt = members.room, members.near, n_classes + BEST, n_classes + DOUBT
    for m in range(n_members):
        room[m, best, 0], room[m, best, 1], room[m, doubt, 0] = -np.inf, -np.inf, 0.0
    for c in range(n_classes):
        for m in range(n_members):
            room[m, best, 0] = max(room[m, best, 0], room[m, c, 0])
            known = -np.inf if near[m, c] == BOUNDED else room[m, c, 0]
            room[m, best, 1] = max(room[m, best, 1], known)
    for c in range(n_classes):
        for m in range(n_members):
            told = (near[m, c] != BOUNDED) | (room[m, c, 0] < room[m, best, 1] - NOTHING)
            room[m, doubt, 0] = room[m, doubt, 0] if told else 1.0
    for m in range(n_members):
        nothing = room[m, best, 0] == -np.inf
        room[m, doubt, 0] = 1.0 if nothing else room[m, doubt, 0]
        room[m, best, 0] = 0.0 if nothing else room[m, best, 0]
