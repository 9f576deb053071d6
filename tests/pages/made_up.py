"""Small data sets, files and experiments for the tests of pages."""

from itertools import product

import numpy as np

from ensembles.data import Attribute, Dataset, Table
from ensembles.experiments.config import ExperimentConfig

CAR_VALUES = {
    "buying": ("vhigh", "high", "med", "low"),
    "maint": ("vhigh", "high", "med", "low"),
    "doors": ("2", "3", "4", "5more"),
    "persons": ("2", "4", "more"),
    "lug_boot": ("small", "med", "big"),
    "safety": ("low", "med", "high"),
}


def car_class(buying: str, maint: str, doors: str, persons: str, lug_boot: str, safety: str) -> str:
    """Return the class of a car by a rule of four steps: price against comfort, nothing unsafe or too small."""
    if persons == "2" or safety == "low":
        return "unacc"
    price = CAR_VALUES["buying"].index(buying) + CAR_VALUES["maint"].index(maint)
    comfort = CAR_VALUES["lug_boot"].index(lug_boot) + (doors != "2") + 2 * (safety == "high")
    score = price + comfort
    return ("unacc", "acc", "good", "vgood")[int(np.searchsorted((4, 8, 9), score, side="right"))]


def car_csv() -> str:
    """Return the car table: 1,728 rows, six nominal attributes in every combination, the class last."""
    lines = [",".join((*CAR_VALUES, "class"))]
    lines += [",".join((*row, car_class(*row))) for row in product(*CAR_VALUES.values())]
    return "\n".join(lines) + "\n"


def tiny_dataset(name: str = "Tiny", shift: float = 0.0) -> Dataset:
    """Return twelve examples: a nominal attribute with a missing value, a numeric one, two classes."""
    table = Table.from_columns(
        (Attribute("colour", "nominal", ("red", "green")), Attribute("size", "numeric")),
        (np.array([0, 1, -1] * 4, dtype=np.int32), np.arange(12.0) + shift),
    )
    return Dataset(name, table, np.array([0, 1] * 6), ("no", "yes"), "wanted", "made up")


def tiny_config(name: str = "Tiny experiment", **fields: object) -> ExperimentConfig:
    """Return an experiment of ten trials on iris."""
    return ExperimentConfig.from_dict(
        {
            "name": name,
            "datasets": ["iris"],
            "learners": [{"method": "single", "base": "naive_bayes"}],
            "protocol": {"kind": "cross_validation", "repeats": 2, "folds": 5, "orders": 1},
            **fields,
        }
    )
