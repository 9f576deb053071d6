"""What members will predict once they have learned an example, foreseen for all of them at once.

The more an example weighs, the likelier its class becomes: so do shares of values, and the normal distribution that a class
has then is the likeliest one for its old examples and this one together, while the one before was for the old ones.

Where a class has variances below a floor, the floor moves. With k the weight of the example, W and w those of the member
and of a class, x the number, M and V mean and variance of all classes together, V becomes
(V + k / (W + k) (x - M)^2) W / (W + k), and (mean of the class - M)^2 is at most V W / w. So a variance s at the floor, of a
number at the distance z = (x - mean)^2 / 2 s, is at least s W / (W + k) then, and at most s (1 + 2 k / w + 4 share z k / W):
heights and distances change that little. Of the example's own class distances only shrink.
"""

import math

import numpy as np

from ensembles.jit import inner, part
from ensembles.lanes import WIDTH
from ensembles.learners.bayes.distances import NARROWNESS, distance_to, two_distances_to
from ensembles.learners.bayes.floors import BOUNDED, LEAST, NEAR, keeps_priors
from ensembles.learners.bayes.likelihoods import (
    add_logarithms,
    are_comparable,
    get_ready,
    knows_bounds,
)
from ensembles.learners.bayes.products import LOG_SCALE
from ensembles.learners.bayes.side_by_side import BEST, DOUBT, HEAVIER, foresee, is_plain, multiply_all
from ensembles.learners.core.protocol import MOST_FORESEEN

__all__ = ["foresee_all"]

_SURE = 1e-3  # logarithms that differ by more differ whatever was rounded
_UNLIKELY = -1e15  # instead of minus infinity


@inner
def foresee_all(members, rows, i, label, hits):
    """As `foresee_hits` of the protocol."""
    several = members.totals.shape[1] > 1
    if several and is_plain(members, rows) and members.smoothing[1] == 0.0:
        foresee(members, rows.codes, i, label, hits)
        return True
    if several and rows.numbers.shape[1] > 0 and _can_foresee(members, rows, i):
        _foresee_by_numbers(members, rows, i, label, hits)
        return True
    return False


@inner
def _can_foresee(members, rows, i):
    """Whether `_foresee_by_numbers` can tell anything of this example.

    No attribute is left out, no number was ever missing, and a number is at most 2^25 deviations from 0 where variances are
    above the floor, so that rounding is far below `_SURE`.
    """
    limits, floor = members.limits, members.floor
    foreseeable = floor[1] == 0.0 and members.unknown[0] == 0.0
    for n in range(limits.shape[1]):
        farthest = max(abs(limits[0, n]), abs(limits[1, n]))
        foreseeable = foreseeable and farthest * farthest <= 2.0**50 * members.highest[n]
    return foreseeable and are_comparable(members, rows, i)


@inner
def _foresee_by_numbers(members, rows, i, label, hits):
    """As `foresee_hits` of the protocol."""
    room, near, n_members, n_classes = members.room, members.near, hits.shape[1], members.totals.shape[1]
    best, doubtful = n_classes + BEST, False
    _weigh_and_bound(members, n_members, label, rows, i)
    for m in range(n_members):
        own, known = room[m, label, 0], np.inf
        if knows_bounds(near, m):
            own, known = own - _loss(members, m, label), _foreseen_up_to(near, m)
        surely = _is_above(own, room[m, best, 0])
        hits[0, m], hits[1, m] = known if surely else -1.0, 1.0 if surely else 0.0
        doubtful |= not surely
    if doubtful:
        _foresee_misses(members, rows, i, label, hits)


@inner
def _is_above(logarithm, other):
    """Whether a logarithm is above another one whatever was rounded."""
    return logarithm - other > _SURE + 1e-6 * (abs(logarithm) + abs(other))


@inner
def _foreseen_up_to(near, m):
    """Return up to which weight bounds hold: any, if there is no class whose floors are known."""
    known = np.inf
    for c in range(near.shape[1]):
        known = MOST_FORESEEN if near[m, c] == NEAR else known
    return known


@inner
def _weigh_and_bound(members, n_members, label, rows, i):
    """Write into the room the logarithms of all classes, what no class but `label` will be above, and what the best one of
    these will not be below.

    And, where DOUBT is, the distances of `label` without the numbers at a floor, and how far these are from 0.
    """
    room, n_classes, bounds = members.room, members.totals.shape[1], False
    best, doubt, farthest = n_classes + BEST, n_classes + DOUBT, n_classes + HEAVIER
    get_ready(members, n_members, rows, i)
    _measure_twice(members, n_members, n_classes, label)
    for m in range(n_members):
        room[m, best, 0], room[m, best, 1] = _UNLIKELY, _UNLIKELY
    for step in range(n_classes):
        c = (label + 1 + step) % n_classes
        add_logarithms(members, n_members, c, rows, i)
        bounds = _any_near(members, n_members, c)
        if bounds:
            _find_farthest(members, n_members, c)
        if c != label and bounds:
            for m in range(n_members):
                most, least = _bounds_of(members, m, c)
                room[m, best, 0], room[m, best, 1] = max(room[m, best, 0], most), max(room[m, best, 1], least)
        elif c != label:
            for m in range(n_members):
                room[m, best, 0] = max(room[m, best, 0], room[m, c, 0])
                room[m, best, 1] = max(room[m, best, 1], room[m, c, 0])
    for m in range(n_members):  # of `label`, which was the last
        room[m, doubt, 0], room[m, doubt, 1] = room[m, label, 3], room[m, farthest, 0] if bounds else 0.0


@inner
def _measure_twice(members, n_members, n_classes, label):
    """Write the distances of all classes, and beside them those with the least that floors may make of them; without the
    numbers at a floor for the example's class.
    """
    room, near = members.room, members.near
    for m in range(n_members):
        for c in range(n_classes):
            if near[m, c] == 0:
                distance = distance_to(members, m, c)
                room[m, c, 2], room[m, c, 3] = distance, distance
            else:
                room[m, c, 2], room[m, c, 3] = two_distances_to(members, m, c, 0.0 if c == label else 1.0)


@inner
def _any_near(members, n_members, c):
    found = 0
    for m in range(n_members):
        found |= members.near[m, c]
    return found > 0


@inner
def _find_farthest(members, n_members, c):
    """Write how far numbers of class c are from 0, where HEAVIER is: above 1 beyond 2^27 deviations; rounding may matter."""
    room, shapes, limits, farthest = members.room, members.shapes, members.limits, members.totals.shape[1] + HEAVIER
    for m in range(n_members):
        room[m, farthest, 0] = 0.0
    for n in range(limits.shape[1]):
        far = max(abs(limits[0, n]), abs(limits[1, n]))
        far = far * far * 2.0**-53
        if 0.5 / LEAST * far > 1.0:  # else no narrowness is large enough
            for m in range(n_members):
                room[m, farthest, 0] = max(room[m, farthest, 0], shapes[m, c, n // WIDTH, NARROWNESS, n % WIDTH] * far)


@part
def _bounds_of(members, m, c):
    """Return what the logarithm of class c, not the example's, will not be above, and not below."""
    room, near, totals, n_classes = members.room, members.near[m, c], members.totals, members.totals.shape[1]
    logarithm, farthest = room[m, c, 0], n_classes + HEAVIER
    if near == 0 or totals[m, c] == 0.0:
        return logarithm, logarithm
    if near == BOUNDED:
        return logarithm, _UNLIKELY
    if near != NEAR or room[m, farthest, 0] > 1.0:
        return np.inf, _UNLIKELY
    n_numeric, heavier = members.limits.shape[1], MOST_FORESEEN / _weight_of(totals, m)
    most = room[m, c, 1] - room[m, c, 3] + 0.5 * n_numeric * heavier
    distances = (room[m, c, 1] - logarithm) * heavier * (1.0 + 2.0 * members.floor[0])
    return most, logarithm - n_numeric * (MOST_FORESEEN / totals[m, c]) - distances


@inner
def _loss(members, m, label):
    """Return by how much the logarithm of the example's class may sink at most, as its floors rise."""
    room, totals, doubt = members.room, members.totals, members.totals.shape[1] + DOUBT
    if members.near[m, label] == 0:
        return 0.0
    if members.near[m, label] != NEAR or room[m, doubt, 1] > 1.0:
        return np.inf
    distances = (room[m, label, 1] - room[m, label, 0]) * (MOST_FORESEEN / _weight_of(totals, m))
    return members.limits.shape[1] * (MOST_FORESEEN / totals[m, label]) + 2.0 * members.floor[0] * distances


@inner
def _weight_of(totals, m):
    weight = 0.0
    for c in range(totals.shape[1]):
        weight += totals[m, c]
    return weight


@inner
def _foresee_misses(members, rows, i, label, hits):
    """Tell up to which weight, none or `MOST_FORESEEN`, the doubtful members stay wrong.

    With k = weight / w and z the square of a number's distance in deviations, the logarithm of its density grows by at most
    (k + min(k z^2, z)) / 2, and the sum of z^2 is at most the square of the sum of z; at a floor by at most k / 2 and what
    its distance takes away, which is left out therefore.
    """
    room, totals, near, n_classes = members.room, members.totals, members.near, members.totals.shape[1]
    heavier, best, doubt = n_classes + HEAVIER, n_classes + BEST, n_classes + DOUBT
    multiply_all(members, hits.shape[1], label, heavier, MOST_FORESEEN, rows.codes, i)
    for m in range(hits.shape[1]):
        clear = near[m, label] == 0 or (near[m, label] == NEAR and room[m, doubt, 1] <= 1.0)
        if hits[0, m] < 0.0 and clear and _is_above(room[m, best, 1], room[m, label, 0]):
            hits[0, m] = 0.0
            k, z = MOST_FORESEEN / totals[m, label], 2.0 * room[m, doubt, 0]
            height = members.heights[m, label] + 0.5 * (rows.numbers.shape[1] * k + min(k * z * z, z) - z)
            if keeps_priors(members):
                height -= math.log(totals[m, label] + members.smoothing[0])
            most = height + math.log(room[m, heavier, 0]) + room[m, heavier, 1] * LOG_SCALE
            if _is_above(room[m, best, 1], most):
                hits[0, m] = MOST_FORESEEN
