"""Which attributes a leaf of a Hoeffding tree counts: all, or a few, drawn when its first example comes.

Gomes et al. (2017), algorithm 1: the trees of a random forest try a few attributes at each split.

A leaf draws by selection sampling (Knuth, The Art of Computer Programming, volume 2, section 3.4.2, algorithm S): one number
an attribute. A member has `PERIOD` numbers; once they are used up they come again, each moved on by the golden ratio.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.draws import streams
from ensembles.jit import inner, operation, part

__all__ = [
    "PERIOD",
    "DrawnAttributes",
    "EveryAttribute",
    "count_nominal",
    "count_numeric",
    "counts_attribute",
    "draw_attributes",
    "drawn_attributes",
    "nominal_at",
    "numeric_at",
    "size_of_subset",
]

PERIOD = 1021  #: numbers a member draws by; a prime, so that leaves do not meet the same ones together again
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0


class EveryAttribute(NamedTuple):
    """Leaves count all attributes."""


class DrawnAttributes(NamedTuple):
    """Leaves count some of the attributes, numbered nominal first."""

    chosen: np.ndarray  # (slots, wanted + 1) attributes of a leaf, ascending; last, how many of them are nominal
    draws: np.ndarray  # (m, PERIOD)
    used: np.ndarray  # (m,) numbers that the leaves of a member have drawn by, ever


def size_of_subset(rule: str, share: float, n: int) -> int:
    """Return how many of n attributes a leaf counts by a rule: `all`, `sqrt`, `log2` or `share`."""
    by_rule = {"sqrt": round(math.sqrt(n)) + 1, "log2": int(math.log2(max(1, n))) + 1, "share": round(share * n)}
    return min(n, max(1, by_rule.get(rule, n)))


def drawn_attributes(wanted: int, seed: int, n_members: int) -> DrawnAttributes:
    """Return what leaves of `n_members` members need to draw `wanted` attributes each."""
    return DrawnAttributes(
        chosen=np.zeros((0, wanted + 1), dtype=np.int64),
        draws=_numbers(seed, n_members),
        used=np.zeros(n_members, dtype=np.int64),
    )


def _numbers(seed: int, n_members: int) -> npt.NDArray[np.float64]:
    return np.array([one.random(PERIOD) for one in streams(seed, "attributes_of_leaves", n_members)])


@operation
def count_nominal(kind, s, n_nominal):
    """Return how many nominal attributes slot s counts."""


@operation
def count_numeric(kind, s, n_numeric):
    """Return how many numeric attributes slot s counts."""


@operation
def nominal_at(kind, s, j):
    """Return nominal attribute j of those that slot s counts."""


@operation
def numeric_at(kind, s, j, n_nominal):
    """Return numeric attribute j of those that slot s counts, numbered among the numeric ones."""


@operation
def counts_attribute(kind, s, a):
    """Return whether slot s counts attribute a."""


@operation
def draw_attributes(kind, m, s, n_attributes, n_nominal):
    """Choose what slot s of member m counts."""


@count_nominal.implement(EveryAttribute)
def _all_nominal(kind, s, n_nominal):
    return n_nominal


@count_numeric.implement(EveryAttribute)
def _all_numeric(kind, s, n_numeric):
    return n_numeric


@nominal_at.implement(EveryAttribute)
def _same_nominal(kind, s, j):
    return j


@numeric_at.implement(EveryAttribute)
def _same_numeric(kind, s, j, n_nominal):
    return j


@counts_attribute.implement(EveryAttribute)
def _counts_all(kind, s, a):
    return True


@draw_attributes.implement(EveryAttribute)
def _draw_nothing(kind, m, s, n_attributes, n_nominal):
    pass


@count_nominal.implement(DrawnAttributes)
def _chosen_nominal(kind, s, n_nominal):
    return kind.chosen[s, kind.chosen.shape[1] - 1]


@count_numeric.implement(DrawnAttributes)
def _chosen_numeric(kind, s, n_numeric):
    wanted = kind.chosen.shape[1] - 1
    return wanted - kind.chosen[s, wanted]


@nominal_at.implement(DrawnAttributes)
def _nominal_of(kind, s, j):
    return kind.chosen[s, j]


@numeric_at.implement(DrawnAttributes)
def _numeric_of(kind, s, j, n_nominal):
    return kind.chosen[s, kind.chosen[s, kind.chosen.shape[1] - 1] + j] - n_nominal


@counts_attribute.implement(DrawnAttributes)
def _counts_chosen(kind, s, a):
    found = False
    for j in range(kind.chosen.shape[1] - 1):
        found = found or kind.chosen[s, j] == a
    return found


@draw_attributes.implement(DrawnAttributes)
@part
def _draw(kind, m, s, n_attributes, n_nominal):
    wanted, taken, nominal = kind.chosen.shape[1] - 1, 0, 0
    for a in range(n_attributes):
        if _next_number(kind, m) * (n_attributes - a) < wanted - taken:
            kind.chosen[s, taken] = a
            taken += 1
            nominal += a < n_nominal
    kind.chosen[s, wanted] = nominal


@inner
def _next_number(kind, m):
    """Return the next number of [0, 1) of member m."""
    used = kind.used[m]
    kind.used[m] = used + 1
    number = kind.draws[m, used % PERIOD] + (used // PERIOD) * _GOLDEN
    return number - math.floor(number)
