"""Examples whose class a random decision tree tells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.data.generators.generator import Generator, label_noise
from ensembles.data.generators.stream import Floats, Labels, Made, Stream, draw_by_rule
from ensembles.data.table import Attribute, Table
from ensembles.parameters import Integer, Real

__all__ = ["FIRST_LEAVES", "RANDOM_TREE", "Tree"]

FIRST_LEAVES = 3  #: depth above which there are no leaves
_MARGIN = 0.1  #: a cut leaves at least this share of an interval on each side


class Tree(NamedTuple):
    """Nodes in arrays; node 0 is the root.

    Attributes
    ----------
    attribute : ndarray of int, shape (n_nodes,)
        Asked at the node: nominal ones first; -1 at a leaf.
    cut : ndarray of float, shape (n_nodes,)
        Numbers of at least this go to the second child.
    child : ndarray of int, shape (n_nodes,)
        First child; the others follow.
    label : ndarray of int, shape (n_nodes,)
        Class of a leaf.
    """

    attribute: Labels
    cut: Floats
    child: Labels
    label: Labels


def random_tree(
    stream: Stream, nominal: int, values: int, numeric: int, classes: int, depth: int, leaf_fraction: float
) -> Made:
    """Generate examples and tell their class by a random tree.

    Nominal attributes have `values` values, numeric ones lie in [0, 1). The tree asks an attribute drawn at each node, a
    nominal one once on a path; from depth 3 on, a node is a leaf with probability `leaf_fraction`, at `depth` always. The
    classes are dealt to the leaves in rounds, so that each has one, and a cut is drawn from the inner 80 % of its interval.
    A drift goes over to another tree. A share `noise` of the examples gets another class.

    References
    ----------
    Domingos and Hulten (2000), Mining high-speed data streams, section 4; the settings are those of MOA's
    RandomTreeGenerator, which draws the class of each leaf.
    """
    sizes = (nominal, values, numeric, classes, depth, leaf_fraction)
    trees = stream.once("trees", lambda: [_grow(stream.numbers("concept", which), *sizes) for which in range(2)])
    concepts = stream.concepts()

    def classify(drawn: Floats, rows: Labels) -> Labels:
        first, second = (_tell(tree, drawn, nominal, values) for tree in trees)
        return np.where(concepts[rows] == 0, first, second)

    drawn, labels = draw_by_rule(stream, nominal + numeric, classes, classify, "random_tree")
    words = tuple(f"v{code}" for code in range(1, values + 1))
    attributes = [Attribute(f"A{position}", "nominal", words) for position in range(1, nominal + 1)]
    attributes += [Attribute(f"x{position}", "numeric") for position in range(1, numeric + 1)]
    columns: list[npt.NDArray[np.int32] | Floats] = list((values * drawn[:, :nominal].T).astype(np.int32))
    columns += list(drawn[:, nominal:].T)
    names = tuple(str(label) for label in range(classes))
    return Made("Random tree", Table.from_columns(attributes, columns), labels, names)


def _grow(
    rng: np.random.Generator, nominal: int, values: int, numeric: int, classes: int, depth: int, leaf_fraction: float
) -> Tree:
    """Grow a tree level by level."""
    attribute, cut, child = [-1], [0.0], [0]
    level = [(0, frozenset[int](), np.array([[0.0, 1.0]] * numeric))]  # node, nominal attributes asked, intervals
    for height in range(depth):
        below = []
        for node, asked, intervals in level:
            if height >= FIRST_LEAVES and rng.random() < leaf_fraction:
                continue
            open_ones = [a for a in range(nominal + numeric) if a not in asked]
            attribute[node] = chosen = open_ones[rng.integers(len(open_ones))]
            child[node] = len(attribute)
            if chosen < nominal:
                kept = [intervals] * values
                asked |= {chosen}
            else:
                low, high = intervals[chosen - nominal]
                cut[node] = low + (_MARGIN + (1 - 2 * _MARGIN) * rng.random()) * (high - low)
                kept = [intervals.copy(), intervals.copy()]
                kept[0][chosen - nominal, 1] = kept[1][chosen - nominal, 0] = cut[node]
            below += [(len(attribute) + k, asked, part) for k, part in enumerate(kept)]
            attribute += [-1] * len(kept)
            cut += [0.0] * len(kept)
            child += [0] * len(kept)
        level = below
    label = np.full(len(attribute), -1)
    leaves = np.flatnonzero(np.array(attribute) < 0)
    label[rng.permutation(leaves)] = np.arange(len(leaves)) % classes
    return Tree(np.array(attribute), np.array(cut), np.array(child), label)


def _tell(tree: Tree, drawn: Floats, nominal: int, values: int) -> Labels:
    """Return the class of each example: all go down one level at a time."""
    node, going = np.zeros(len(drawn), dtype=np.int64), np.arange(len(drawn))
    while len(going := going[tree.attribute[node[going]] >= 0]):
        at = node[going]
        asked = tree.attribute[at]
        number = drawn[going, asked]
        branch = np.where(asked < nominal, values * number, number >= tree.cut[at])
        node[going] = tree.child[at] + branch.astype(np.int64)
    return tree.label[node]


RANDOM_TREE = Generator(
    key="random_tree",
    rows=50_000,
    make=random_tree,
    noise=label_noise(0.0),
    own=(
        Integer("nominal", 5, "Nominal attributes", "How many are nominal.", low=0, high=50),
        Integer("values", 5, "Values", "Values of each nominal attribute.", low=2, high=5),
        Integer("numeric", 5, "Numeric attributes", "How many are numeric.", low=1, high=50),
        Integer("classes", 2, "Classes", "How many classes there are.", low=2, high=8),
        Integer("depth", 5, "Depth", "Levels of the tree at most.", low=FIRST_LEAVES, high=7),
        Real("leaf_fraction", 0.15, "Leaves", "Probability of a leaf from level 3 on.", low=0.0, high=1.0),
    ),
    by_rule=True,
)
