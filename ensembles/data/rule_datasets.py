"""Data sets whose every example follows from a rule: all combinations of values, or all ends of a game, and their class.

Car and nursery were made with hierarchical decision models: small tables join attributes to concepts such as price or
comfort, graded from 0 (worst) upwards, and concepts to the class. Together the tables give the class of every row of
the UCI files, whose order (the last attribute changes fastest) is kept.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ensembles.data.dataset import Dataset
from ensembles.data.table import Attribute, Table

__all__ = ["car", "monks", "nursery", "tic_tac_toe"]

_CAR = {
    "buying": ("vhigh", "high", "med", "low"),
    "maint": ("vhigh", "high", "med", "low"),
    "doors": ("2", "3", "4", "5more"),
    "persons": ("2", "4", "more"),
    "lug_boot": ("small", "med", "big"),
    "safety": ("low", "med", "high"),
}
_CAR_CLASSES = ("unacc", "acc", "good", "vgood")
_PRICE = np.array([[0, 0, 1, 1], [0, 1, 1, 1], [1, 1, 2, 3], [1, 2, 3, 3]])  # buying, maint
_COMFORT = np.array(  # doors, persons, lug_boot
    [
        [[0, 0, 0], [1, 1, 2], [0, 1, 2]],
        [[0, 0, 0], [1, 1, 2], [1, 2, 2]],
        [[0, 0, 0], [1, 2, 2], [1, 2, 2]],
        [[0, 0, 0], [1, 2, 2], [1, 2, 2]],
    ]
)
_TECHNIQUE = np.array([[0, 0, 0], [0, 1, 2], [0, 2, 3]])  # comfort, safety
_ACCEPTANCE = np.array([[0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 1, 3], [0, 1, 2, 3]])  # price, technique

_NURSERY = {
    "parents": ("usual", "pretentious", "great_pret"),
    "has_nurs": ("proper", "less_proper", "improper", "critical", "very_crit"),
    "form": ("complete", "completed", "incomplete", "foster"),
    "children": ("1", "2", "3", "more"),
    "housing": ("convenient", "less_conv", "critical"),
    "finance": ("convenient", "inconv"),
    "social": ("nonprob", "slightly_prob", "problematic"),
    "health": ("recommended", "priority", "not_recom"),
}
_NURSERY_CLASSES = ("not_recom", "recommend", "very_recom", "priority", "spec_prior")
_EMPLOYMENT = np.array([[3, 2, 2, 1, 0], [2, 2, 1, 0, 0], [1, 1, 0, 0, 0]])  # parents, has_nurs
_FAMILY = np.array([[2, 1, 0, 0], [1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]])  # form, children
_HOME = np.array([[2, 1], [1, 1], [0, 0]])  # housing, finance
_SITUATION = np.array([[0, 0, 1], [0, 1, 1], [1, 1, 2]])  # family, home
_PICTURE = np.array([[2, 1, 0], [2, 1, 0], [1, 1, 0]])  # social, health
_RANK = np.array(  # employment, situation, picture
    [
        [[0, 4, 4], [0, 4, 3], [0, 3, 3]],
        [[0, 4, 3], [0, 3, 3], [0, 3, 3]],
        [[0, 3, 3], [0, 3, 2], [0, 3, 2]],
        [[0, 3, 3], [0, 3, 2], [0, 3, 1]],
    ]
)

_MONKS = {f"a{position}": tuple("1234"[:values]) for position, values in enumerate((3, 3, 2, 3, 4, 2), start=1)}

_SQUARES = tuple(
    f"{row}-{column}-square" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")
)
_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def car() -> Dataset:
    """Compute car evaluation: all 1,728 combinations of six attributes, and how acceptable such a car is.

    References
    ----------
    Bohanec and Rajkovič (1988), Knowledge acquisition and explanation for multi-attribute decision making.
    """
    rows = _combinations(_CAR)
    buying, maintenance, doors, persons, boot, safety = rows.T
    technique = _TECHNIQUE[_COMFORT[doors, persons, boot], safety]
    labels = _ACCEPTANCE[_PRICE[buying, maintenance], technique]
    return _dataset("Car evaluation", _CAR, rows, labels, _CAR_CLASSES)


def nursery() -> Dataset:
    """Compute nursery: all 12,960 combinations of eight attributes, and how an application is ranked.

    References
    ----------
    Olave, Rajkovič and Bohanec (1989), An application for admission in public school systems.
    """
    rows = _combinations(_NURSERY)
    parents, has_nursery, form, children, housing, finance, social, health = rows.T
    situation = _SITUATION[_FAMILY[form, children], _HOME[housing, finance]]
    labels = _RANK[_EMPLOYMENT[parents, has_nursery], situation, _PICTURE[social, health]]
    return _dataset("Nursery", _NURSERY, rows, labels, _NURSERY_CLASSES)


def monks(which: int) -> Dataset:
    """Compute a monk's problem: all 432 robots and whether the rule holds, without noise.

    Parameters
    ----------
    which : {1, 2, 3}
        1: a1 equals a2, or a5 is 1. 2: exactly two attributes have their first value.
        3: a5 is 3 and a4 is 1, or a5 is not 4 and a2 is not 3.

    References
    ----------
    Thrun and others (1991), The MONK's problems: a performance comparison of different learning algorithms.
    """
    rows = _combinations(_MONKS)
    a1, a2, _, a4, a5, _ = rows.T + 1
    rules = {
        1: (a1 == a2) | (a5 == 1),
        2: (rows == 0).sum(axis=1) == 2,
        3: ((a5 == 3) & (a4 == 1)) | ((a5 != 4) & (a2 != 3)),
    }
    return _dataset(f"Monk's problem {which}", _MONKS, rows, rules[which].astype(np.int64), ("0", "1"))


def tic_tac_toe() -> Dataset:
    """Compute tic-tac-toe endgame: all 958 boards on which a game can end, x moving first, and whether x has won.

    The rows stand in the order of the UCI file: won ones first, then by squares, x before o before blank.

    References
    ----------
    Aha (1991), Incremental constructive induction: an instance-based approach.
    """
    squares = dict.fromkeys(_SQUARES, ("x", "o", "b"))
    boards = _combinations(squares)
    stones = [(boards == stone).sum(axis=1) for stone in (0, 1)]
    won = [(boards[:, _LINES] == stone).all(axis=2).any(axis=1) for stone in (0, 1)]
    x_ends = won[0] & ~won[1] & (stones[0] == stones[1] + 1)
    o_ends = won[1] & ~won[0] & (stones[0] == stones[1])
    drawn = ~won[0] & ~won[1] & (stones[0] == 5) & (stones[1] == 4)
    rows = np.concatenate([boards[x_ends], boards[o_ends | drawn]])
    labels = np.repeat([1, 0], [x_ends.sum(), len(rows) - x_ends.sum()])
    return _dataset("Tic-tac-toe endgame", squares, rows, labels, ("negative", "positive"))


def _combinations(values: Mapping[str, tuple[str, ...]]) -> npt.NDArray[np.int64]:
    """Return all combinations as codes, the last attribute changing fastest."""
    sizes = [len(categories) for categories in values.values()]
    return np.indices(sizes).reshape(len(sizes), -1).T


def _dataset(
    name: str,
    values: Mapping[str, tuple[str, ...]],
    rows: npt.NDArray[np.int64],
    labels: npt.NDArray[np.int64],
    classes: tuple[str, ...],
) -> Dataset:
    attributes = [Attribute(attribute, "nominal", categories) for attribute, categories in values.items()]
    table = Table.from_columns(attributes, list(rows.T.astype(np.int32)))
    return Dataset(name, table, labels, classes, "class", "computed from its rule")
