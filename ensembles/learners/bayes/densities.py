"""The normal distributions of naive Bayes: derived from sums when they are asked for, and what they say of an example."""

import math

import numpy as np

from ensembles.across_lanes import any_less
from ensembles.exact import WEIGHT_STEP
from ensembles.jit import inner, kernel, part
from ensembles.lanes import WIDTH, lanes_of, put_whole_lanes, where_less, whole_lanes_at
from ensembles.learners.bayes.distances import MEAN, NARROWNESS, distance_of_known
from ensembles.learners.bayes.floors import (
    BOUNDED,
    EMPTY,
    LEAST,
    NEAR,
    height_of_known,
    measure_height,
    measure_heights,
    multiply_in,
    raise_doubtful,
    raise_to_floors,
    set_height,
)
from ensembles.learners.bayes.moments import moments_at
from ensembles.learners.bayes.side_by_side import DOUBT
from ensembles.learners.bayes.sums import STALE, add_at, add_example, add_with_care, has_room

__all__ = ["NOTHING", "add_densities", "fit_normals", "fit_or_bound", "fit_or_bound_all", "learn_numbers"]

_FEW_EXAMPLES = 32.0  # weight of a class up to which bounds are worth while
NOTHING = 800.0  # the exponential of its negative is 0
_AHEAD, _WAS_NEAR = 2, 4  # of a class, in `stale`: derived ahead, and then whether it was near a floor before


@inner
def add_densities(members, m, numbers, i, work):
    """Add to work[0], logarithms, those of the densities, into work[3]; return the highest.

    Of classes of which bounds are known only, work[3] is a bound that is as good as nothing beside the highest.
    """
    top, all_known = -np.inf, True
    for n in range(numbers.shape[1]):
        all_known = all_known and not math.isnan(numbers[i, n])
    for attempt in range(2):  # a loop, so that the compiler sees the code once
        top = _sum_densities(members, m, numbers, i, all_known, work)
        if attempt == 1 or not _in_doubt(members, m, all_known, work):
            break
        raise_to_floors(members, m)
    return top


@inner
def _sum_densities(members, m, numbers, i, all_known, work):
    """Write into work[3] as `add_densities`; return the highest."""
    top = -np.inf
    measure_heights(members, m)
    for c in range(work.shape[1]):
        height = members.heights[m, c] if all_known else height_of_known(members, m, c, numbers, i)
        work[3, c] = (work[0, c] + height) - distance_of_known(members, m, c, numbers, i)
        top = max(top, work[3, c])
    return top


@inner
def _in_doubt(members, m, all_known, work):
    """Whether what a bound says of a class may be more than nothing beside the highest of the others."""
    near, bounded, best = members.near, False, -np.inf
    for c in range(work.shape[1]):
        if near[m, c] == BOUNDED:
            bounded = True
        else:
            best = max(best, work[3, c])
    doubt = bounded and not all_known  # heights are bounds where all numbers are known
    for c in range(work.shape[1]):
        doubt = doubt or (near[m, c] == BOUNDED and not work[3, c] < best - NOTHING)
    return doubt


@inner
def fit_normals(members, m):
    """Derive means, variances and heights if any class has changed."""
    stale, near = members.stale, members.near
    changed = False
    for c in range(stale.shape[1]):
        changed = changed or stale[m, c] > 0 or near[m, c] == BOUNDED
    if changed:
        _fit_all(members, m)
    measure_heights(members, m)


@kernel
def _fit_all(members, m):
    """Do so, with the floors of all classes that may be below one."""
    if _fit_changed(members, m):
        raise_to_floors(members, m)


@inner
def fit_or_bound(members, m):
    """As `fit_normals`, but look for bounds only of classes with variances that may be below the floor.

    The floor moves with every example, and is a share of the variance of all classes together, which takes long to find. A
    class with so narrow a distribution is hardly ever likely: mostly a bound on its density tells that it is not.
    """
    if _needs_floors(members, m):
        raise_to_floors(members, m)


@inner
def fit_or_bound_all(members, n_members):
    """Do so for several members."""
    room, doubt, found = members.room, members.totals.shape[1] + DOUBT, False
    for m in range(n_members):
        needs = _needs_floors(members, m)
        room[m, doubt, 0] = 1.0 if needs else 0.0
        found |= needs
    if found:
        raise_doubtful(members, n_members)


@inner
def _needs_floors(members, m):
    """Derive means and variances of the classes that changed, and bounds; return whether these do not do."""
    stale, changed = members.stale, False
    for c in range(stale.shape[1]):
        changed = changed or stale[m, c] > 0
    if not changed or not _fit_changed(members, m):
        return False
    if not _can_bound(members, m):
        return True
    for c in range(stale.shape[1]):
        if members.near[m, c] == NEAR:
            _bound_class(members, m, c)
    return False


@inner
def learn_numbers(members, m, c, weight):
    """Add the example that was cut to class c; if its member was asked since the last time, fit the class at once.

    It will be asked again, and now the sums of the class are at hand: those of all members take more room than a cache has.
    """
    stale, room = members.stale, has_room(members, m, c, weight)
    if stale[m, c] == 0 and room:
        stale[m, c] = _AHEAD + _WAS_NEAR if members.near[m, c] > 0 else _AHEAD
        _fit_class(members, m, c, weight)
        return
    stale[m, c] |= STALE
    if room:
        add_example(members, m, c, weight)
    else:
        add_with_care(members, m, c, weight)


@inner
def _fit_changed(members, m):
    """Derive means and variances of the classes that changed; return whether any may be below the floor.

    The variance of all classes together is at most a quarter of the square of the range.
    """
    totals, stale, near = members.totals, members.stale, members.near
    matters = False
    for c in range(totals.shape[1]):
        # so far: what was left out, or raised, may not be any longer
        matters = matters or near[m, c] > 0 or stale[m, c] >= _WAS_NEAR
        if totals[m, c] > 0.0 and stale[m, c] & STALE:
            _fit_class(members, m, c, 0.0)
            matters = matters or near[m, c] > 0
    stale[m] = 0
    return matters


@inner
def _can_bound(members, m):
    """Whether bounds are worth while: each class has values of every attribute, and none is left out where it hardly varies.

    A class of many examples is likely all the same where an attribute never varies in it, so that its floors are looked for.
    """
    every = members.floor[1] == 0.0
    for c in range(members.near.shape[1]):
        near = members.near[m, c]
        every = every and near != EMPTY and (near == 0 or members.totals[m, c] <= _FEW_EXAMPLES)
    return every


@part
def _bound_class(members, m, c):
    """Let a class have the highest density that any floor may give it, and the widest that falls off least."""
    shapes = members.shapes
    for eight in range(shapes.shape[2]):
        own = whole_lanes_at(members.narrownesses, (m, c, eight, 0))
        put_whole_lanes(shapes, (m, c, eight, NARROWNESS, 0), where_less(own, 0.5 / LEAST, own, 0.5 / LEAST))
    measure_height(members, m, c)
    for eight in range(shapes.shape[2]):
        own = whole_lanes_at(members.narrownesses, (m, c, eight, 0))
        narrowest = whole_lanes_at(members.narrowest, (eight * WIDTH,))
        put_whole_lanes(shapes, (m, c, eight, NARROWNESS, 0), where_less(narrowest, own, narrowest, own))
    members.near[m, c] = BOUNDED


@part
def _fit_class(members, m, c, weight):
    """Derive means and variances of a class; the example that was cut is learned before, if it is given a weight here."""
    near, empty, product, power = False, False, lanes_of(1.0), lanes_of(0.0)
    for eight in range(members.flat.shape[2]):
        n = eight * WIDTH
        if weight > 0.0:
            add_at(members, m, c, eight, weight)
        weights, mean, scatter = moments_at(members, m, c, eight, weight > 0.0 and members.moved[eight] == 0)
        known = where_less(weights, WEIGHT_STEP, WEIGHT_STEP, weights)
        least = whole_lanes_at(members.least, (n,)) * known
        narrowness = (0.5 * known) / where_less(scatter, least, least, scatter)
        put_whole_lanes(members.shapes, (m, c, eight, MEAN, 0), mean)
        put_whole_lanes(members.shapes, (m, c, eight, NARROWNESS, 0), narrowness)
        put_whole_lanes(members.narrownesses, (m, c, eight, 0), narrowness)
        product, power = multiply_in(product, power, narrowness)
        low = any_less(scatter, whole_lanes_at(members.highest, (n,)) * known, WIDTH)
        empty = empty or (low and any_less(weights, WEIGHT_STEP, WIDTH))
        near, members.flat[m, c, eight] = near or low, 1 if low else 0
    members.near[m, c] = EMPTY if empty else NEAR if near else 0
    if near or empty or members.floor[1] == 1.0:
        members.heights[m, c] = np.nan  # until floors, or bounds, are known
    else:
        set_height(members, m, c, product, power)
