"""What stacking, soft voting and combining by components share: the models, by their keys or as estimators."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from ensembles.data.table import MISSING, Schema, Table
from ensembles.declarations import argument, several
from ensembles.draws import stream
from ensembles.errors import InvalidParameter
from ensembles.learners.core.learner import Learner
from ensembles.learners.sklearn.adapter import as_base_model
from ensembles.methods.core.ready import ReadyEnsemble, Task
from ensembles.registry import base_models
from ensembles.wording import written

__all__ = ["Combination", "Frames", "Watched"]

_TELL = "tell"
_DEFAULT = "naive_bayes+sklearn:decision_tree+sklearn:logistic_regression"


def _names() -> Mapping[str, str]:
    return {key: entry.name for key, entry in base_models().items()}


class Watched(ClassifierMixin, BaseEstimator):
    """A model that says when it has learned, to whoever waits; its clones do too, those that were pickled no more."""

    def __init__(self, model: Any = None) -> None:
        self.model = model

    def __sklearn_clone__(self) -> Watched:
        twin = Watched(clone(self.model))
        if _TELL in vars(self):
            setattr(twin, _TELL, self.tell)
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != _TELL}

    def tell(self) -> None:
        """Say that it has learned."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train a clone of the model."""
        self.model_ = clone(self.model).fit(X, y, sample_weight=sample_weight)
        self.classes_ = self.model_.classes_
        self.n_features_in_ = X.shape[1]
        self.tell()
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of each example."""
        told: npt.NDArray[Any] = self.model_.predict(X)
        return told

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probability of each class."""
        told: npt.NDArray[np.float64] = self.model_.predict_proba(X)
        return told


class Frames:
    """How models are handed examples: as data frames, whose nominal columns know the values of the schema."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def inputs(self, table: Table) -> pd.DataFrame:
        """Return the examples of the very schema, shape (n_examples, n_attributes); a value never seen is missing."""
        columns: dict[str, Any] = {}
        for position, attribute in enumerate(self.schema.attributes):
            column = table.column(position)
            if attribute.kind == "nominal":
                codes = np.maximum(column, MISSING).astype(np.int64)
                columns[f"x{position}"] = pd.Categorical.from_codes(codes, pd.Index(attribute.categories, dtype=object))
            else:
                columns[f"x{position}"] = column
        return pd.DataFrame(columns)


class Combination(ReadyEnsemble):
    """A way of scikit-learn to combine models that differ in kind."""

    family = "combining"
    has_importances = False

    models: str = several(
        default=_DEFAULT,
        label="Models",
        help="Base models that are combined, with their usual settings.",
        details='Keys of base models joined by "+": each is trained with its usual settings. `estimators` takes its place.',
        known=_names,
    )
    estimators: Any = argument(
        default=None,
        what="sequence of learners and classifiers of scikit-learn, or None",
        help="What is combined, two at least, instead of `models`.",
    )

    def _combined(self, task: Task, n_fits: int) -> list[tuple[str, Watched]]:
        """Return the models with their names, untrained; they tell of `n_fits` trainings in all."""
        learners = self._learners(str(task.settings["models"]))
        done = iter(range(1, n_fits + 1))

        def tell() -> None:
            task.report(0.999 * min(next(done, n_fits) / n_fits, 1.0))

        return [(name, _watched(learner, task.seed, m, tell)) for m, (name, learner) in enumerate(learners)]

    def _learners(self, models: str) -> list[tuple[str, Any]]:
        """Return the models that are combined, with names, untrained and without seeds."""
        given = self._given.estimators
        if given is None:
            return [(key.replace("_", " "), base_models()[key].cls()) for key in models.split("+")]
        return [(f"model {m}", _learner(self.key, one)) for m, one in enumerate(given, 1)]

    def _checked_parameters(self, first: bool) -> dict[str, Any]:
        changed = super()._checked_parameters(first)
        given = self._given.estimators
        if given is not None and not (isinstance(given, Sequence) and len(given) >= 2):
            raise InvalidParameter(
                f"{self.key}: estimators must be two at least, learners or classifiers, got {written(given)}"
            )
        for one in given or ():
            _learner(self.key, one)
        return changed

    def _handed(self, table: Table) -> Any:
        return Frames(table.schema)

    def _count(self, estimator: Any) -> int:
        return len(estimator.estimators_)

    @property
    def estimators_(self) -> list[Any]:
        """The models that are combined, trained; they take `library_inputs` and number the classes, see `ReadyEnsemble`."""
        return [getattr(one, "model_", one) for one in super().estimators_]

    def member_classes(self, X: Any) -> npt.NDArray[np.int64]:
        """Return what each model predicts, as positions in `classes_`: shape (n_members_, n_examples)."""
        inputs = self._inputs(X)
        return self._labels_by(self.estimators_, inputs)


def _learner(key: str, estimator: Any) -> Any:
    """Return a learner as it is, a classifier as one."""
    learner = estimator if isinstance(estimator, Learner) else as_base_model(estimator)
    if learner is None:
        raise InvalidParameter(
            f"{key}: estimators must be learners of this package or classifiers of scikit-learn, got {written(estimator)}"
        )
    return learner


def _watched(learner: Any, seed: int, m: int, tell: Callable[[], None]) -> Watched:
    """Return a clone of model m with a seed of its own, if it draws and was given none."""
    model = clone(learner)
    if getattr(model, "random_state", 0) is None:
        model.set_params(random_state=int(stream(seed, "combined_models", m).integers(2**31 - 1)))
    watched = Watched(model)
    setattr(watched, _TELL, tell)
    return watched
