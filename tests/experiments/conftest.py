"""Small data sets, and a registry that knows the fakes beside the real learners."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from ensembles import registry
from ensembles.data import Attribute, Dataset, Table
from ensembles.experiments import probes, warm_up
from ensembles.experiments.config import ExperimentConfig
from tests.experiments import fakes
from tests.experiments.made_up import Clock

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


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, fake_learners: None) -> Clock:  # noqa: ARG001
    """Time that passes only when the made-up learners work."""
    clock = Clock()
    fit, predict, learn = fakes.NearestMean.fit, fakes.NearestMean.predict, fakes.DriftingMean.partial_fit

    def slow_fit(self: Any, X: Any, y: Any) -> Any:
        clock.now += clock.fit(len(y), self.n_estimators)
        return fit(self, X, y)

    def slow_predict(self: Any, X: Any) -> Any:
        clock.now += clock.ask(len(X), self.n_estimators)
        return predict(self, X)

    def slow_learn(self: Any, X: Any, y: Any, classes: Any = None) -> Any:
        clock.now += clock.fit(len(y), self.n_estimators)
        return learn(self, X, y, classes)

    monkeypatch.setattr(fakes.NearestMean, "fit", slow_fit)
    monkeypatch.setattr(fakes.NearestMean, "predict", slow_predict)
    monkeypatch.setattr(fakes.DriftingMean, "partial_fit", slow_learn)
    monkeypatch.setattr(time, "perf_counter", clock)
    monkeypatch.setattr(probes, "_clock", clock)
    return clock


@pytest.fixture(autouse=True)
def _nothing_measured() -> None:
    """Let no test know what another one measured."""
    probes.forget_costs()
