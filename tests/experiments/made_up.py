"""Learners whose time passes as a test says, and experiments that are to be estimated."""

from collections.abc import Callable

import numpy as np

from ensembles.data import Attribute, Dataset, Table
from ensembles.experiments.config import ExperimentConfig

Configure = Callable[..., ExperimentConfig]
Cost = Callable[[int, int], float]

FIT, ASK = 1e-6, 2e-7  # seconds for an example and a member
HOLDOUT = {"kind": "holdout", "repeats": 4, "train_size": 4000}
CROSS_VALIDATION = {"kind": "cross_validation", "repeats": 10, "folds": 5, "orders": 5}
STREAM = {"kind": "prequential", "orders": 3}


class Clock:
    """Time that passes only when a learner works, as `fit` and `ask` say."""

    def __init__(self) -> None:
        self.now = 0.0
        self.fit: Cost = lambda n, members: FIT * n * members
        self.ask: Cost = lambda n, members: ASK * n * members

    def __call__(self) -> float:
        return self.now


def large(n: int = 5000, seed: int = 3) -> Dataset:
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=n)
    return Dataset(
        "Large", Table.from_columns([Attribute("a", "numeric")], [labels + rng.random(n)]), labels, ("a", "b")
    )


def batch(members: int = 500, **settings: int) -> list[dict[str, object]]:
    return [{"method": "nearest_mean", "base": "means", "n_estimators": members, **settings}]


def online(members: int = 500) -> list[dict[str, object]]:
    return [{"method": "drifting_mean", "base": "means", "n_estimators": members}]
