"""Balance scale, which is computed."""

import numpy as np

from ensembles.data.dataset import Dataset
from ensembles.data.table import Attribute, Table

__all__ = ["balance_scale"]


def balance_scale() -> Dataset:
    """Compute balance scale: all 625 settings of two weights and two distances, each 1..5, and where the scale tips.

    The rows stand in the order of the UCI file, the right distance changing fastest.

    References
    ----------
    Siegler (1976), Three aspects of cognitive development, Cognitive Psychology 8.
    """
    names = ("left-weight", "left-distance", "right-weight", "right-distance")
    numbers = np.stack(np.meshgrid(*[np.arange(1.0, 6.0)] * 4, indexing="ij"), axis=-1).reshape(-1, 4)
    torque = numbers[:, 0] * numbers[:, 1] - numbers[:, 2] * numbers[:, 3]
    labels = np.select([torque == 0, torque > 0], [0, 1], default=2)
    table = Table.from_columns([Attribute(name, "numeric") for name in names], list(numbers.T))
    return Dataset(
        "Balance scale", table, labels, ("B", "L", "R"), "class", "computed, full factorial of 5 × 5 × 5 × 5"
    )
