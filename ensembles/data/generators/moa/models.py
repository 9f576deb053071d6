"""What MOA's generators draw before the first example: trees, centres, planes."""

from typing import Any, NamedTuple

import numpy as np

from ensembles.data.generators.random_tree import FIRST_LEAVES, Tree
from ensembles.data.generators.stream import Floats, Labels

__all__ = ["Centres", "grow_tree", "place_centres", "turn_plane"]


class Centres(NamedTuple):
    """Around which points lie.

    Attributes
    ----------
    places : ndarray of float, shape (n_centres, n_attributes)
    directions : ndarray of float, shape (n_moving, n_attributes)
        Of length 1, of those that move.
    weights, deviations : ndarray of float, shape (n_centres,)
        How often points lie around it, and how far from it.
    labels : ndarray of int, shape (n_centres,)
    """

    places: Floats
    directions: Floats
    weights: Floats
    deviations: Floats
    labels: Labels


def place_centres(seed: int, attributes: int, classes: int, centres: int, moving: int) -> Centres:
    """Draw centres as MOA's RandomRBFGeneratorDrift with the options `-r seed -a -c -n -k`."""
    from ensembles.data.generators.moa.java_random import new_random, next_double, next_int  # see data/openml.py

    random, moving = new_random(seed), min(moving, centres)
    placed = Centres(
        np.empty((centres, attributes)),
        np.empty((moving, attributes)),
        np.empty(centres),
        np.empty(centres),
        np.empty(centres, dtype=np.int64),
    )
    for c in range(centres):
        placed.places[c] = [next_double(random) for _ in range(attributes)]
        placed.labels[c] = next_int(random, classes)
        placed.deviations[c] = next_double(random)
        placed.weights[c] = next_double(random)
    random = new_random(seed)
    for direction in placed.directions:
        direction[:] = [next_double(random) for _ in range(attributes)]
        length = 0.0
        for part in direction.tolist():  # one by one, as a sum in another order may differ in the last bit
            length += part * part
        direction /= np.sqrt(length)
    return placed


def turn_plane(random: Any, attributes: int, turning: int) -> Floats:
    """Draw the weights of a plane, and give the directions in which they move first, of shape (2, attributes)."""
    from ensembles.data.generators.moa.java_random import next_double  # see data/openml.py

    weights = [next_double(random) for _ in range(attributes)]
    return np.array([weights, [1.0] * turning + [0.0] * (attributes - turning)])


def grow_tree(
    seed: int, nominal: int, values: int, numeric: int, classes: int, depth: int, leaf_fraction: float
) -> Tree:
    """Draw a tree as MOA's RandomTreeGenerator with the options `-r seed -o -v -u -c -d -f`, depth first."""
    from ensembles.data.generators.moa.java_random import new_random, next_double, next_int  # see data/openml.py

    random = new_random(seed)
    attribute, cut, child, label = [-1], [0.0], [0], [-1]

    def add_children(node: int, asked: int, n: int) -> range:
        attribute[node], child[node] = asked, len(attribute)
        attribute.extend([-1] * n)
        cut.extend([0.0] * n)
        child.extend([0] * n)
        label.extend([-1] * n)
        return range(child[node], child[node] + n)

    def grow(node: int, level: int, open_ones: list[int], bounds: list[tuple[float, float]]) -> None:
        if level >= depth or (level >= FIRST_LEAVES and leaf_fraction >= 1.0 - next_double(random)):
            label[node] = next_int(random, classes)
            return
        chosen = next_int(random, len(open_ones) + numeric)
        if chosen < len(open_ones):
            left = [other for other in open_ones if other != open_ones[chosen]]
            for below in add_children(node, open_ones[chosen], values):
                grow(below, level + 1, left, bounds)
            return
        which = chosen - len(open_ones)
        low, high = bounds[which]
        cut[node] = middle = (high - low) * next_double(random) + low
        for below, part in zip(add_children(node, nominal + which, 2), ((low, middle), (middle, high)), strict=True):
            grow(below, level + 1, open_ones, [*bounds[:which], part, *bounds[which + 1 :]])

    grow(0, 0, list(range(nominal)), [(0.0, 1.0)] * numeric)
    return Tree(np.array(attribute), np.array(cut), np.array(child), np.array(label))
