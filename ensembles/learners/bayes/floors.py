"""Least variances of the normal distributions of naive Bayes, and the heights of densities, which depend on them."""

import math

import numpy as np
import numpy.typing as npt

from ensembles.addresses import hidden
from ensembles.exact import WEIGHT_STEP
from ensembles.jit import inner, kernel, part
from ensembles.lanes import WIDTH, lanes_of, put_whole_lanes, where_less, whole_lanes_at
from ensembles.learners.bayes.moments import pooled_moments_at
from ensembles.learners.bayes.side_by_side import DOUBT, PARTS

__all__ = [
    "BOUNDED", "EMPTY", "LEAST", "NEAR", "height_of_known", "highest_floors", "keeps_priors", "measure_height",
    "measure_heights", "measure_heights_of_all", "raise_doubtful",
    "raise_to_floors",
]  # fmt: skip

LEAST = 1e-12  #: the least variance of all
NEAR, EMPTY, BOUNDED = 1, 2, 3  #: of a class, in `near`
_LOG_PI = math.log(math.pi)
_LARGE = 2.0**465  # of products, which are divided by it beyond
_LOG_LARGE = math.log(_LARGE)


@inner
def keeps_priors(members):
    """Whether `heights` have the priors in them: where nothing else is multiplied, and a prior is its class's alone."""
    return members.values.shape[0] == 0 and members.smoothing[0] > 0.0


def highest_floors(share: float, limits: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return what no floor is above, of numbers between these limits; infinity where none is known."""
    lowest, highest = limits
    spread = np.where(lowest <= highest, highest - lowest, 0.0)
    return np.where(lowest <= highest, 0.2501 * share * spread * spread + 1.001 * LEAST, np.inf)


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
    if changed and members.floor[1] == 0.0:
        _multiply_narrownesses(members, n_members, c)
        room, product = members.room, members.totals.shape[1] + PARTS
        for m in range(n_members):
            if math.isnan(heights[m, c]):
                n_numeric = members.limits.shape[1]
                heights[m, c] = _height_of(members, m, c, room[m, product, 0], room[m, product, 1], n_numeric)
    elif changed:
        for m in range(n_members):
            if math.isnan(heights[m, c]):
                measure_height(members, m, c)


@inner
def _multiply_narrownesses(members, n_members, c):
    """Write their product and its scale, see `_scaled`, into the room; none is left out."""
    room, beside, last, n = members.room, members.beside, members.limits.shape[1] - 1, 0
    row = members.totals.shape[1] + PARTS
    for m in range(n_members):
        room[m, row, 0], room[m, row, 1] = 1.0, 0.0
    while n < last:  # two numbers at a time: products are fetched and put away half as often
        for m in range(n_members):
            product, scale = _scaled(room[m, row, 0] * beside[m, 1, n, c], room[m, row, 1])
            room[m, row, 0], room[m, row, 1] = _scaled(product * beside[m, 1, n + 1, c], scale)
        n += 2
    if n == last:
        for m in range(n_members):
            room[m, row, 0], room[m, row, 1] = _scaled(room[m, row, 0] * beside[m, 1, n, c], room[m, row, 1])


@inner
def _scaled(product, scale):
    """Return a product that stays between limits, and how many times `_LARGE` it has been divided by therefore."""
    large, small = product > _LARGE, product < 1.0 / _LARGE
    factor = _LARGE if small else 1.0
    factor = 1.0 / _LARGE if large else factor
    step = -1.0 if small else 0.0
    step = 1.0 if large else step
    return product * factor, scale + step


@inner
def _height_of(members, m, c, product, scale, n):
    """Return the logarithm of the density at the means, and maybe of the prior, of a product of n narrownesses."""
    height = 0.5 * ((math.log(product) + scale * _LOG_LARGE) - n * _LOG_PI)
    if keeps_priors(members) and members.smoothing[1] == 0.0:
        height += math.log(members.totals[m, c] + members.smoothing[0])
    return -np.inf if members.totals[m, c] == 0.0 else height


@inner
def height_of_known(members, m, c, numbers, i):
    """Return the logarithm of the density at the means of the known numbers, and maybe of the prior."""
    shapes, product, scale, power = members.shapes, 1.0, 0.0, 0
    for n in range(shapes.shape[2]):
        narrowness = shapes[m, 1, n, c]
        if narrowness > 0.0 and not math.isnan(numbers[i, n]):
            product, power = product * narrowness, power + 1
            if not 1.0 / _LARGE <= product <= _LARGE:
                product, scale = _scaled(product, scale)
    return _height_of(members, m, c, product, scale, power)


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
    totals = members.totals
    for eight in range(members.flat.shape[2]):
        if _may_be_flat(members, m, eight):
            _raise_to_floors_at(members, m, eight * WIDTH)
    for c in range(totals.shape[1]):
        if totals[m, c] > 0.0 and (members.near[m, c] > 0 or members.floor[1] == 1.0):
            members.heights[m, c] = np.nan
        if members.near[m, c] == BOUNDED:
            members.near[m, c] = NEAR


@inner
def _may_be_flat(members, m, eight):
    """Whether a class may have a variance below the floor, as 0 of no value, among these numbers; up to eight.

    If not, what was worked out of them stands. Where numbers were left out, they may have to come back.
    """
    found = members.floor[1] == 1.0
    for c in range(members.flat.shape[1]):
        found = found or members.flat[m, c, eight] > 0
    return found


@inner
def _raise_to_floors_at(members, m, first):
    """Do so for eight numbers, or leave them out; a class without a known value has mean and variance of all together."""
    variances, digits, room, skip = members.variances, members.digits, members.pooled, members.floor[1] == 1.0
    mean, variance = pooled_moments_at(members, m, first)
    floor, flat = members.floor[0] * variance + LEAST, lanes_of(0.0)
    put_whole_lanes(room, (0, first), mean)
    for c in range(members.totals.shape[1]):
        if members.near[m, c] == 0 and not skip:
            continue  # all its variances are above any floor
        known, own = whole_lanes_at(digits, (m, c, first)), whole_lanes_at(variances, (m, c, first))
        own = where_less(known, WEIGHT_STEP, variance, own)
        put_whole_lanes(room, (1, first), 0.5 / where_less(own, floor, floor, own))
        if members.totals[m, c] > 0.0:
            flat = where_less(own, floor, 1.0, where_less(known, WEIGHT_STEP, 1.0, flat))
        for n in range(first, min(first + WIDTH, members.limits.shape[1])):
            if digits[m, c, n] == 0.0:
                members.shapes[m, 0, n, c], members.beside[m, 0, n, c] = room[0, n], room[0, n]
            members.shapes[m, 1, n, c], members.beside[m, 1, n, c] = room[1, n], room[1, n]
    if skip:
        put_whole_lanes(room, (2, first), flat)
        for n in range(first, min(first + WIDTH, members.limits.shape[1])):
            if room[2, n] > 0.0:
                members.shapes[m, 1, n], members.beside[m, 1, n] = 0.0, 0.0
