"""Small data sets, and a registry that knows the fakes beside the real learners."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from ensembles import registry
from ensembles.data import Attribute, Dataset, Table
from ensembles.experiments import warm_up
from ensembles.experiments.config import ExperimentConfig
from tests.experiments import fakes

FAKES = (fakes.NearestMean, fakes.DriftingMean, fakes.Hopeless, fakes.WithoutProbabilities, fakes.OutOfThisWorld)


def make_dataset(n: int = 60, n_classes: int = 3, seed: int = 0, name: str = "Blobs") -> Dataset:
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)])
    attributes = [Attribute("size", "numeric"), Attribute("colour", "nominal", ("red", "green", "blue"))]
    columns = [labels + rng.normal(scale=0.6, size=n), ((labels + rng.integers(2, size=n)) % 3).astype(np.int32)]
    return Dataset(name, Table.from_columns(attributes, columns), labels, tuple("abcdefgh"[:n_classes]))


@pytest.fixture
def dataset() -> Dataset:
    return make_dataset()


@pytest.fixture
def fake_learners(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put the fakes into the registry for one test."""
    learners = (fakes.Means, *FAKES)
    for fake in learners:
        registry.register(fake)
    monkeypatch.setattr(warm_up, "_warmed", set())
    yield
    for fake in learners:
        registry.unregister(fake.key)


@pytest.fixture
def configure(fake_learners: None) -> Callable[..., ExperimentConfig]:  # noqa: ARG001
    """Return an experiment with fakes, two folds and two orders, but for what is asked for."""

    def make(*methods: str, n_datasets: int = 1, **fields: Any) -> ExperimentConfig:
        document = {
            "name": "Fakes",
            "datasets": [{"sha256": f"{i:064x}"} for i in range(n_datasets)],
            "learners": [
                {"method": method, "base": "means"} for method in methods or ("nearest_mean", "drifting_mean")
            ],
            "protocol": {"kind": "cross_validation", "repeats": 2, "folds": 3, "orders": 2},
        }
        return ExperimentConfig.from_dict({**document, **fields})

    return make
