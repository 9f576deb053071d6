"""Least variances of the normal distributions of naive Bayes, and the heights of densities, which depend on them."""

import math

import numpy as np

from ensembles.across_lanes import any_less
from ensembles.addresses import hidden
from ensembles.exact import WEIGHT_STEP
from ensembles.jit import inner, kernel, part
from ensembles.lanes import WIDTH, lanes_at, lanes_of, put_lanes, where_less
from ensembles.learners.bayes.moments import pooled_moments_at
from ensembles.learners.bayes.side_by_side import DOUBT, PARTS, WHOLE

__all__ = [
    "BOUNDED", "EMPTY", "LEAST", "NEAR", "height_of_known", "highest_floor", "keeps_priors", "measure_height",
    "measure_heights", "measure_heights_of_all", "raise_doubtful",
    "raise_to_floors",
]  # fmt: skip

LEAST = 1e-12  #: the least variance of all
NEAR, EMPTY, BOUNDED = 1, 2, 3  #: of a class, in `near`
_LOG_PI = math.log(math.pi)
_SMALL, _LARGE = 1e-140, 1e140  # of products, which are logarithms beyond


@inner
def keeps_priors(members):
    """Whether `heights` have the priors in them: where nothing else is multiplied, and a prior is its class's alone."""
    return members.values.shape[0] == 0 and members.smoothing[0] > 0.0


@inner
def highest_floor(share, lowest, highest):
    """Return what no floor of a number is above that was seen."""
    spread = highest - lowest
    return 0.2501 * share * spread * spread + 1.001 * LEAST


@part
def measure_height(members, m, c):
    members.heights[m, c] = height_of_known(members, m, c, members.limits, 0)


@inner
def measure_heights(members, m):
    """Work out the heights of the classes whose distributions have changed."""
    for c in range(members.heights.shape[1]):
        if math.isnan(members.heights[m, c]):
            measure_height(members, m, c)


@inner
def measure_heights_of_all(members, n_members, c):
    """As `measure_heights`, of class c of all members: the same products, several at a time, from `beside`."""
    heights, changed = members.heights, False
    for m in range(n_members):
        changed |= math.isnan(heights[m, c])
    if changed:
        _multiply_narrownesses(members, n_members, c)
        room, product, limits = members.room, members.totals.shape[1] + PARTS, members.totals.shape[1] + WHOLE
        for m in range(n_members):
            if math.isnan(heights[m, c]) and room[m, limits, 0] > _SMALL and room[m, limits, 1] < _LARGE:
                heights[m, c] = _height_of(members, m, c, math.log(room[m, product, 0]), members.limits.shape[1])
            elif math.isnan(heights[m, c]):
                measure_height(members, m, c)


@inner
def _multiply_narrownesses(members, n_members, c):
    """Write their product into the room, and between which limits it was on the way."""
    room, beside, last, n = members.room, members.beside, members.limits.shape[1] - 1, 0
    product, limits = members.totals.shape[1] + PARTS, members.totals.shape[1] + WHOLE
    for m in range(n_members):
        room[m, product, 0], room[m, limits, 0], room[m, limits, 1] = 1.0, 1.0, 1.0
    while n <= last:
        for m in range(n_members):
            one = room[m, product, 0] * beside[m, 1, n, c]
            two = one * beside[m, 1, n + 1, c] if n < last else one
            room[m, product, 0] = two
            room[m, limits, 0] = min(room[m, limits, 0], min(one, two))
            room[m, limits, 1] = max(room[m, limits, 1], max(one, two))
        n += 2


@inner
def _height_of(members, m, c, logarithm, n):
    """Return the logarithm of the density at the means, and maybe of the prior, of that of the product of n narrownesses."""
    height = 0.5 * (logarithm - n * _LOG_PI)
    if keeps_priors(members) and members.smoothing[1] == 0.0:
        height += math.log(members.totals[m, c] + members.smoothing[0])
    return height


@inner
def height_of_known(members, m, c, numbers, i):
    """Return the logarithm of the density at the means of the known numbers, and maybe of the prior."""
    shapes = members.shapes
    if members.totals[m, c] == 0.0:
        return -np.inf
    total, product, power = 0.0, 1.0, 0
    for n in range(shapes.shape[2]):
        narrowness = shapes[m, 1, n, c]
        if narrowness > 0.0 and not math.isnan(numbers[i, n]):
            product *= narrowness
            power += 1
            if not _SMALL < product < _LARGE:
                total, product = total + math.log(product), 1.0
    return _height_of(members, m, c, total + math.log(product), power)


@kernel
def raise_to_floors(members, m):
    """Give variances, which have been worked out, the exact floor where one is, or may be, below it."""
    _raise_to_floors(members, m)


@kernel
def raise_doubtful(members, n_members):
    """Do so for the members that the room has a doubt about: a call for each would take as long as the rest."""
    for m in range(n_members):
        if members.room[m, members.totals.shape[1] + DOUBT, 0] > 0.0:
            _raise_to_floors(members, hidden(m))


@inner
def _raise_to_floors(members, m):
    totals, n_numeric = members.totals, members.limits.shape[1]
    for first in range(0, n_numeric, WIDTH):
        if _may_be_flat(members, m, first, min(first + WIDTH, n_numeric)):
            _raise_to_floors_at(members, m, first)
    for c in range(totals.shape[1]):
        if totals[m, c] > 0.0 and (members.near[m, c] > 0 or members.floor[1] == 1.0):
            members.heights[m, c] = np.nan
        if members.near[m, c] == BOUNDED:
            members.near[m, c] = NEAR


@inner
def _may_be_flat(members, m, first, end):
    """Whether a class may have a variance below the floor, as 0 of no value, among up to eight numbers from `first` on.

    If not, what was worked out of them stands. Where numbers were left out, they may have to come back.
    """
    variances, limits, known = members.variances, members.limits, end - first
    highest = highest_floor(members.floor[0], lanes_at(limits, (0, first)), lanes_at(limits, (1, first)))
    found = members.floor[1] == 1.0
    for c in range(variances.shape[1]):
        found = found or any_less(lanes_at(variances, (m, c, first)), highest, known)
    return found


@inner
def _raise_to_floors_at(members, m, first):
    """Do so for eight numbers, or leave them out; a class without a known value has mean and variance of all together."""
    variances, digits, room, skip = members.variances, members.digits, members.pooled, members.floor[1] == 1.0
    mean, variance = pooled_moments_at(members, m, first)
    floor, flat = members.floor[0] * variance + LEAST, lanes_of(0.0)
    put_lanes(room, (0, first), mean)
    for c in range(members.totals.shape[1]):
        if members.near[m, c] == 0 and not skip:
            continue  # all its variances are above any floor
        known, own = lanes_at(digits, (m, c, first)), lanes_at(variances, (m, c, first))
        own = where_less(known, WEIGHT_STEP, variance, own)
        put_lanes(room, (1, first), 0.5 / where_less(own, floor, floor, own))
        if members.totals[m, c] > 0.0:
            flat = where_less(own, floor, 1.0, where_less(known, WEIGHT_STEP, 1.0, flat))
        for n in range(first, min(first + WIDTH, variances.shape[2])):
            if digits[m, c, n] == 0.0:
                members.shapes[m, 0, n, c], members.beside[m, 0, n, c] = room[0, n], room[0, n]
            members.shapes[m, 1, n, c], members.beside[m, 1, n, c] = room[1, n], room[1, n]
    if skip:
        put_lanes(room, (2, first), flat)
        for n in range(first, min(first + WIDTH, variances.shape[2])):
            if room[2, n] > 0.0:
                members.shapes[m, 1, n], members.beside[m, 1, n] = 0.0, 0.0
