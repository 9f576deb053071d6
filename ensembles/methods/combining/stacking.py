"""Stacking: a logistic regression learns how much to believe which model, from scikit-learn."""

from __future__ import annotations

import warnings
from typing import Any

from sklearn.ensemble import StackingClassifier as Wrapped
from sklearn.linear_model import LogisticRegression

from ensembles.declarations import integer, real
from ensembles.methods.combining.models import Combination
from ensembles.methods.core.grid import folds_of
from ensembles.methods.core.ready import Task

__all__ = ["StackingClassifier"]


class StackingClassifier(Combination):
    """Stacking, as scikit-learn does it.

    Every model tells class probabilities of examples that it did not learn, fold by fold; of these a logistic regression
    learns the class. Then every model is trained on all examples. `estimator_` is a `sklearn.ensemble.StackingClassifier`.
    Folds are stratified and shuffled; there are fewer if a class has fewer examples than `folds`, and if no class has two,
    the regression learns of what the models say of what they learned. With `tune="grid"`, `C` (0.1, 1, 10) is chosen by
    cross-validation.

    References
    ----------
    Wolpert (1992); Ting & Witten (1999), for probabilities instead of classes.
    """

    key = "stacking"
    name = "Stacking"
    position = 370
    summary = "A logistic regression learns from cross-validation how much to believe which model; from scikit-learn."
    source = "Wolpert (1992)"
    grid = {"C": (0.1, 1.0, 10.0)}

    folds: int = integer(
        default=5, label="Folds", help="In which models tell of examples that they did not learn.", low=2, high=100
    )
    C: float = real(
        default=1.0,
        label="C",
        help="How much errors in training count against large weights of models.",
        low=0.0,
        high=1e6,
        open_low=True,
    )

    def _fitted(self, task: Task) -> Any:
        folds = folds_of(task.labels, int(task.settings["folds"]), task.seed)
        models = self._combined(task, n_fits=len(self._learners(str(task.settings["models"]))) * (len(folds) + 1))
        if not folds:
            models = [(name, one.fit(task.inputs, task.labels, task.weights)) for name, one in models]
        final = LogisticRegression(C=task.settings["C"], max_iter=1000)
        stacked = Wrapped(models, final, cv=folds or "prefit", stack_method="predict_proba")
        weights = {} if task.weights is None else {"sample_weight": task.weights}
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Number of classes in training fold", RuntimeWarning)  # rare ones
            return stacked.fit(task.inputs, task.labels, **weights)
