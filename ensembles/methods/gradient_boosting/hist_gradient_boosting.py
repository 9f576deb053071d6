"""Gradient boosting on histograms, from scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier as Wrapped
from threadpoolctl import threadpool_limits

from ensembles.declarations import choice
from ensembles.methods.core.handover import Floats
from ensembles.methods.core.ready import N_JOBS, ReadyEnsemble, Task
from ensembles.methods.gradient_boosting.settings import ITERATIONS, LEARNING_RATE, MAX_LEAVES, MIN_IN_LEAF, PENALTY

__all__ = ["HistGradientBoostingClassifier"]

_PIECES = 5  # in which it is trained: between them it can be told to end, and each bins the examples again
_MOST_VALUES = 255  # of a nominal attribute: what scikit-learn allows
_STOPPING: dict[str, Any] = {"auto": "auto", "on": True, "off": False}


class HistGradientBoostingClassifier(ReadyEnsemble):
    """Gradient boosting on histograms, as scikit-learn does it.

    `estimator_` is a `sklearn.ensemble.HistGradientBoostingClassifier`, the same as if it had been given the examples, these
    settings (`n_estimators` is its `max_iter`) and the same `random_state`. Nominal attributes are categories; of one with
    more than 255 values the 254 most frequent in training are kept and all others are one. Missing values and values never
    seen are missing. Early stopping looks at a tenth of the training examples; where that cannot have some of every class,
    at all of them. `n_jobs` are threads of OpenMP. With
    `tune="grid"`, `learning_rate` (0.1, 0.3), `max_leaf_nodes` (8, 31) and `min_samples_leaf` (5, 20) are chosen by
    cross-validation.

    References
    ----------
    Friedman (2001); Ke et al. (2017), whose histograms it follows.
    """

    key = "hist_gradient_boosting"
    name = "Histogram gradient boosting"
    position = 292
    family = "gradient_boosting"
    summary = "Small trees, each fitted to what those before leave unexplained, on binned numbers; from scikit-learn."
    source = "Friedman (2001)"
    stops_early = True
    has_importances = False
    most_values = _MOST_VALUES
    grid = {"learning_rate": (0.1, 0.3), "max_leaf_nodes": (8, 31), "min_samples_leaf": (5, 20)}

    n_estimators: int = ITERATIONS
    learning_rate: float = LEARNING_RATE
    max_leaf_nodes: int = MAX_LEAVES
    min_samples_leaf: int = MIN_IN_LEAF
    l2_regularization: float = PENALTY
    early_stopping: str = choice(
        default="auto",
        label="Early stopping",
        help="End when the loss on a tenth of the training examples, which is held back, gets no better for ten rounds.",
        choices=("auto", "on", "off"),
        labels=("with more than 10,000 examples", "always", "never"),
    )
    n_jobs: Any = N_JOBS

    def _made(self, task: Task) -> Any:
        settings = dict(task.settings)
        stopping = settings.pop("early_stopping")
        return Wrapped(
            max_iter=settings.pop("n_estimators"),
            early_stopping=_STOPPING[stopping],
            validation_fraction=0.1 if _can_hold_back(task.labels) else None,
            categorical_features=task.handover.nominal or None,
            random_state=task.seed,
            **settings,
        )

    def _fitted(self, task: Task) -> Any:
        """Return the estimator, trained in pieces: its trees are the same as if it was trained at once."""
        model, n, asked = self._made(task), task.settings["n_estimators"], 0
        for piece in range(1, _PIECES + 1):
            before, asked = asked, -(-n * piece // _PIECES)
            if asked > before:
                model.set_params(max_iter=asked, warm_start=True)
                model.fit(task.inputs, task.labels, sample_weight=task.weights)
                task.report(0.999 * piece / _PIECES)
            if model.n_iter_ < asked:
                break
        return model.set_params(max_iter=n, warm_start=False)

    def _threads(self) -> AbstractContextManager[Any]:
        """Return a context that holds OpenMP, which scikit-learn asks for its number of threads, to `n_jobs`."""
        n_jobs = self._given.n_jobs
        limits = None if n_jobs is None or n_jobs < 0 else n_jobs
        context: AbstractContextManager[Any] = threadpool_limits(limits, user_api="openmp")
        return context

    def _count(self, estimator: Any) -> int:
        return int(estimator.n_iter_)

    def _why_stopped(self, n_trained: int) -> str | None:
        if n_trained == self._given.n_estimators:
            return None
        return f"ten rounds up to round {n_trained} had not lowered the loss on what was held back"

    def _stages(self, inputs: Floats) -> Iterator[Any]:
        yield from self.estimator_.staged_predict(inputs)


def _can_hold_back(labels: Any) -> bool:
    """Whether a tenth of the examples can have some of every class, and the others too."""
    counts = np.bincount(labels)
    return bool(counts.min() >= 2 and len(labels) >= 10 * len(counts))
