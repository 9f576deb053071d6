"""Learners small enough to be understood at a glance, to be put into the registry."""

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from ensembles.data import Table
from ensembles.parameters import Integer, Parameter, Real

MEMBERS = Integer("n_estimators", 10, "Members", "How many base models vote.", 1, 1000)


class Fake(BaseEstimator):
    kind: ClassVar[str] = "method"
    family: ClassVar[str] = "fake"
    summary: ClassVar[str] = "For tests."
    source: ClassVar[str] = "None"
    order_matters: ClassVar[bool] = False
    weighted: ClassVar[bool] = False
    binary_only: ClassVar[bool] = False
    parameters: ClassVar[tuple[Parameter, ...]] = ()


class Means(Fake):
    """A base model with a setting; the fake methods never ask it."""

    key, name, kind = "means", "Mean", "base"
    parameters = (Real("margin", 0.0, "Margin", "Nothing.", 0.0, 1.0),)

    def __init__(self, margin: float = 0.0) -> None:
        self.margin = margin


class NearestMean(Fake):
    """Batch: predicts the class with the nearest mean of the first numeric attribute."""

    key, name = "nearest_mean", "Nearest mean"
    parameters = (MEMBERS,)

    def __init__(self, estimator: Any = None, n_estimators: int = 10, random_state: int | None = None) -> None:
        self.estimator, self.n_estimators, self.random_state = estimator, n_estimators, random_state

    def fit(self, X: Table, y: np.ndarray) -> "NearestMean":
        self.classes_ = np.unique(y)
        self.means_ = np.array([X.numbers[y == label, 0].mean() for label in self.classes_])
        self.n_members_ = self.n_estimators
        self.member_errors_ = np.linspace(0.1, 0.4, self.n_estimators)
        return self

    def _distances(self, X: Table) -> np.ndarray:
        return np.abs(X.numbers[:, :1] - self.means_)

    def predict(self, X: Table) -> np.ndarray:
        return self.classes_[self._distances(X).argmin(axis=1)]

    def predict_proba(self, X: Table) -> np.ndarray:
        closeness = np.exp(-self._distances(X))
        return closeness / closeness.sum(axis=1, keepdims=True)


class DriftingMean(NearestMean):
    """Online, depends on the order and on its seed: means that follow the newest examples, from a random start."""

    key, name = "drifting_mean", "Drifting mean"
    order_matters = True

    def fit(self, X: Table, y: np.ndarray) -> "DriftingMean":
        self.__dict__.pop("means_", None)
        return self.partial_fit(X, y)

    def partial_fit(self, X: Table, y: np.ndarray, classes: np.ndarray | None = None) -> "DriftingMean":
        if not hasattr(self, "means_"):
            self.classes_ = np.unique(y) if classes is None else classes
            self.means_ = np.random.default_rng(self.random_state).normal(size=len(self.classes_))
        for value, label in zip(X.numbers[:, 0], np.searchsorted(self.classes_, y), strict=True):
            self.means_[label] += 0.2 * (value - self.means_[label])
        return self


class Hopeless(NearestMean):
    """Fails, with more to say than fits on a line."""

    key, name = "hopeless", "Hopeless"

    def fit(self, X: Table, y: np.ndarray) -> "Hopeless":  # noqa: ARG002
        raise ValueError("no luck\nat all")


class WithoutProbabilities(NearestMean):
    key, name = "without_probabilities", "Without probabilities"
    predict_proba = property()  # type: ignore[assignment]


class OutOfThisWorld(NearestMean):
    """Predicts a class that does not exist."""

    key, name = "out_of_this_world", "Out of this world"

    def predict(self, X: Table) -> np.ndarray:
        return np.full(len(X), 99)
