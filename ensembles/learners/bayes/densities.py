"""The normal distributions of naive Bayes: derived from sums when they are asked for, and what they say of an example."""

import math

import numpy as np

from ensembles.jit import inner, kernel, part
from ensembles.learners.bayes.sums import pool, pooled_mean_and_variance, sum_up, write_means_and_variances

__all__ = ["BOUNDED", "NOTHING", "add_densities", "fit_normals", "fit_or_bound", "keeps_priors"]

_LEAST = 1e-12  # the least variance of all
_LOG_PI = math.log(math.pi)
NOTHING = 800.0  # the exponential of its negative is 0
_NEAR, _EMPTY, BOUNDED = 1, 2, 3  # of a class, in `near`
_FEW_CLASSES = 9
_SMALL, _LARGE = 1e-140, 1e140  # of products, which are logarithms beyond


@inner
def keeps_priors(members):
    """Whether `heights` have the priors in them: where nothing else is multiplied, and a prior is its class's alone."""
    return members.values.shape[0] == 0 and members.smoothing[0] > 0.0


@inner
def add_densities(members, m, numbers, i, work):
    """Add to work[0], logarithms, those of the densities, into work[3]; return the highest.

    Of classes of which bounds are known only, work[3] is a bound that is as good as nothing beside the highest.
    """
    top = -np.inf
    for attempt in range(2):  # a loop, so that the compiler sees the code once
        top, known = _sum_densities(members, m, numbers, i, work)
        if attempt == 1 or not _in_doubt(members, m, known == numbers.shape[1], work):
            break
        _raise_to_floors(members, m)
    return top


@inner
def _sum_densities(members, m, numbers, i, work):
    """Write into work[3] as `add_densities`; return the highest, and how many numbers are known."""
    n_numeric, n_classes, top = numbers.shape[1], work.shape[1], -np.inf
    if n_classes > _FEW_CLASSES:
        known = _add_exponents(members.shapes, m, numbers, i, work)
    else:
        known = _add_exponents_of_few(members.shapes, m, numbers, i, work)
    for c in range(n_classes):
        height = members.heights[m, c]
        if known < n_numeric:
            height = _height_of_known(members, m, c, numbers, i)
        work[3, c] = (work[0, c] + height) - work[3, c]
        top = max(top, work[3, c])
    return top, known


@inner
def _add_exponents(shapes, m, numbers, i, work):
    """Write into work[3] the sum of the negative exponents for each class; return how many numbers are known."""
    known = 0
    work[3] = 0.0
    for n in range(numbers.shape[1]):
        x = numbers[i, n]
        if math.isnan(x):
            continue
        known += 1
        for c in range(work.shape[1]):
            d = x - shapes[m, 0, n, c]
            work[3, c] += d * d * shapes[m, 1, n, c]
    return known


@inner
def _add_exponents_of_few(shapes, m, numbers, i, work):
    """As `_add_exponents`, three classes at a time, in registers: sums in memory wait for each other."""
    known, last = 0, work.shape[1] - 1
    for c in range(0, last + 1, 3):
        d, e = min(c + 1, last), min(c + 2, last)
        known, total_c, total_d, total_e = 0, 0.0, 0.0, 0.0
        for n in range(numbers.shape[1]):
            x = numbers[i, n]
            if math.isnan(x):
                continue
            known += 1
            of_c, of_d, of_e = x - shapes[m, 0, n, c], x - shapes[m, 0, n, d], x - shapes[m, 0, n, e]
            total_c += of_c * of_c * shapes[m, 1, n, c]
            total_d += of_d * of_d * shapes[m, 1, n, d]
            total_e += of_e * of_e * shapes[m, 1, n, e]
        work[3, c], work[3, d], work[3, e] = total_c, total_d, total_e
    return known


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
    """Derive means and variances if any class has changed."""
    stale, near = members.stale, members.near
    changed = False
    for c in range(stale.shape[1]):
        changed = changed or stale[m, c] == 1 or near[m, c] == BOUNDED
    if changed:
        _fit_all(members, m)


@kernel
def _fit_all(members, m):
    """Do so, with the floors of all classes that may be below one."""
    if _fit_changed(members, m):
        _raise_to_floors(members, m)


@inner
def fit_or_bound(members, m):
    """As `fit_normals`, but look for bounds only of classes with variances that may be below the floor.

    The floor moves with every example, and is a share of the variance of all classes together, which takes long to find. A
    class with so narrow a distribution is hardly ever likely: mostly a bound on its density tells that it is not.
    """
    stale, changed = members.stale, False
    for c in range(stale.shape[1]):
        changed = changed or stale[m, c] == 1
    if changed and _fit_changed(members, m):
        if _can_bound(members, m):
            for c in range(stale.shape[1]):
                if members.near[m, c] == _NEAR:
                    _bound_class(members, m, c)
        else:
            _raise_to_floors(members, m)


@inner
def _fit_changed(members, m):
    """Derive means and variances of the classes that changed; return whether any may be below the floor.

    The variance of all classes together is at most a quarter of the square of the range.
    """
    totals, stale, near = members.totals, members.stale, members.near
    matters = False
    for c in range(totals.shape[1]):
        matters = matters or near[m, c] > 0  # so far: what was left out, or raised, may not be any longer
        if totals[m, c] > 0.0 and stale[m, c] > 0:
            _fit_class(members, m, c)
            matters = matters or near[m, c] > 0
    stale[m] = 0
    return matters


@inner
def _can_bound(members, m):
    """Whether each class has values of every attribute, and none is left out where it hardly varies."""
    every = members.floor[1] == 0.0
    for c in range(members.near.shape[1]):
        every = every and members.near[m, c] != _EMPTY
    return every


@part
def _bound_class(members, m, c):
    """Let a class have the highest density that any floor may give it, and the widest that falls off least."""
    variances, shapes, limits = members.variances[m, c], members.shapes, members.limits
    for n in range(variances.shape[0]):
        shapes[m, 1, n, c] = 0.5 / max(variances[n], _LEAST)
    _measure_height(members, m, c)
    for n in range(variances.shape[0]):
        shapes[m, 1, n, c] = 0.5 / max(variances[n], _highest_floor(members.floor, limits, n))
    members.near[m, c], members.lagging[m, c] = BOUNDED, 1


@inner
def _fit_class(members, m, c):
    variances, shapes, limits = members.variances[m, c], members.shapes, members.limits
    sum_up(members, m, c)
    write_means_and_variances(members, m, c, shapes[m, 0], variances)
    near, empty = 0, 0
    for n in range(variances.shape[0]):
        near += 0 if variances[n] >= _highest_floor(members.floor, limits, n) else 1
        empty += 1 if members.digits[m, c, n] == 0.0 else 0
        shapes[m, 1, n, c] = 0.5 / max(variances[n], _LEAST)
    members.near[m, c] = _EMPTY if empty > 0 else min(near, _NEAR)
    members.lagging[m, c] = 1
    _measure_height(members, m, c)


@inner
def _highest_floor(floor, limits, n):
    """Return what no floor of number n is above; not a number where none was seen."""
    spread = limits[1, n] - limits[0, n]
    return 0.2501 * floor[0] * spread * spread + 1.001 * _LEAST


@inner
def _measure_height(members, m, c):
    members.heights[m, c] = _height_of_known(members, m, c, members.limits, 0)


@inner
def _height_of_known(members, m, c, numbers, i):
    """Return the logarithm of the density at the means of the known numbers, and maybe of the prior."""
    shapes, totals, smoothing = members.shapes, members.totals, members.smoothing
    if totals[m, c] == 0.0:
        return -np.inf
    total, product, power = 0.0, 1.0, 0
    for n in range(shapes.shape[2]):
        narrowness = shapes[m, 1, n, c]
        if narrowness > 0.0 and not math.isnan(numbers[i, n]):
            product *= narrowness
            power += 1
            if not _SMALL < product < _LARGE:
                total, product = total + math.log(product), 1.0
    height = 0.5 * (total + math.log(product) - power * _LOG_PI)
    if keeps_priors(members) and smoothing[1] == 0.0:
        height += math.log(totals[m, c] + smoothing[0])
    return height


@kernel
def _raise_to_floors(members, m):
    """Give variances, which have been worked out, the exact floor where one is, or may be, below it."""
    totals, pooled = members.totals, members.pooled
    pooled[:] = 0.0
    for c in range(totals.shape[1]):
        if totals[m, c] > 0.0:
            sum_up(members, m, c)
            pool(members, m, c, pooled)
    for n in range(pooled.shape[1]):
        _raise_to_floor(members, m, n)
    for c in range(totals.shape[1]):
        members.lagging[m, c] = 1
        _measure_height(members, m, c)
        if members.near[m, c] == BOUNDED:
            members.near[m, c] = _NEAR


@inner
def _raise_to_floor(members, m, n):
    """Do so for an attribute, or leave it out; a class without a known value has the mean and variance of all together."""
    variances, shapes, totals = members.variances, members.shapes, members.totals
    mean, variance = pooled_mean_and_variance(members.pooled, n)
    floor = members.floor[0] * variance + _LEAST
    flat = False
    for c in range(totals.shape[1]):
        own, empty = variances[m, c, n], members.digits[m, c, n] == 0.0
        if empty:
            shapes[m, 0, n, c] = mean
        shapes[m, 1, n, c] = 0.5 / max(variance if empty else own, floor)
        flat = flat or (totals[m, c] > 0.0 and (empty or own < floor))
    if flat and members.floor[1] == 1.0:
        shapes[m, 1, n] = 0.0
