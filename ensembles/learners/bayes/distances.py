"""How far an example is from the means of a class: the negative exponent of the density there, eight numbers at a time.

Every distance is added up in the same order, whoever asks.
"""

import math

from ensembles.across_lanes import sum_of
from ensembles.jit import inner
from ensembles.lanes import WIDTH, lanes_of, put_whole_lanes, where_less, whole_lanes_at
from ensembles.learners.bayes.sums import eight_of

__all__ = ["MEAN", "NARROWNESS", "distance_of_known", "distance_to", "look_at", "two_distances_to"]

MEAN, NARROWNESS = 0, 1  #: rows of `shapes`


@inner
def look_at(members, numbers, i):
    """Keep the numbers of example i, which many are to be asked about."""
    for eight in range(members.shapes.shape[2]):
        put_whole_lanes(members.asked, (eight * WIDTH,), eight_of(members, numbers, i, eight))


@inner
def distance_to(members, m, c):
    """Return that of the example that was looked at, all of whose numbers are known."""
    shapes, total = members.shapes, lanes_of(0.0)
    for eight in range(shapes.shape[2]):
        d = _asked_at(members, eight) - _mean_at(members, m, c, eight)
        total = total + d * d * whole_lanes_at(shapes, (m, c, eight, NARROWNESS, 0))
    return sum_of(total)


@inner
def distance_of_known(members, m, c, numbers, i):
    """Return that of the known numbers of example i; nothing is written, so that several threads may ask."""
    shapes, total = members.shapes, lanes_of(0.0)
    for eight in range(shapes.shape[2]):
        d = eight_of(members, numbers, i, eight) - _mean_at(members, m, c, eight)
        total = total + where_less(d, math.inf, d * d * whole_lanes_at(shapes, (m, c, eight, NARROWNESS, 0)), 0.0)
    return sum_of(total)


@inner
def two_distances_to(members, m, c, share):
    """Return it twice; the second time numbers that may be at a floor have a share of the least narrowness there."""
    shapes, total, least = members.shapes, lanes_of(0.0), lanes_of(0.0)
    for eight in range(shapes.shape[2]):
        narrowest = whole_lanes_at(members.narrowest, (eight * WIDTH,))
        narrowness = whole_lanes_at(shapes, (m, c, eight, NARROWNESS, 0))
        d = _asked_at(members, eight) - _mean_at(members, m, c, eight)
        total = total + d * d * narrowness
        least = least + d * d * where_less(narrowest, narrowness, share * narrowest, narrowness)
    return sum_of(total), sum_of(least)


@inner
def _asked_at(members, eight):
    return whole_lanes_at(members.asked, (eight * WIDTH,))


@inner
def _mean_at(members, m, c, eight):
    return whole_lanes_at(members.shapes, (m, c, eight, MEAN, 0))
