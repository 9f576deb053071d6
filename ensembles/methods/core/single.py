"""One base model on all examples: the line that every ensemble is compared with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from ensembles.data.table import Table
from ensembles.learners.bayes.naive_bayes import NaiveBayesClassifier
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.keeping import changes_since, copy_of
from ensembles.learners.core.learner import Learner
from ensembles.learners.core.one_row import frame_of
from ensembles.learners.core.tree_size import TreeSize
from ensembles.methods.core.base import ESTIMATOR, base_model_of

__all__ = ["SingleClassifier"]


def _learns_online(single: SingleClassifier) -> bool:
    return hasattr(single.base_model(), "partial_fit")


class SingleClassifier(Learner):
    """One base model, all examples with weight 1."""

    kind = "method"
    usual_base = NaiveBayesClassifier
    key = "single"
    name = "Single model"
    position = 0
    family = "single"
    summary = "One base model trained on all examples: what every ensemble is compared with."
    source = "Oza (2001), section 2.1"
    weighted = False

    estimator: Any = ESTIMATOR

    @property
    def pieces_equal_whole(self) -> bool:
        """Whether training in pieces gives the same model as `fit`: so says the base model."""
        return getattr(self.base_model(), "pieces_equal_whole", True)

    def _new_base_model(self) -> BaseModel:
        return base_model_of(self)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the base model on all examples; `sample_weight` means what it means to the base model."""
        self._forget()
        kept = copy_of(self)
        return self._keep(kept, clone(kept.base_model()).fit(X, y, sample_weight))

    @available_if(_learns_online)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Train the base model on more examples."""
        if not hasattr(self, "estimator_"):
            kept = copy_of(self)
            return self._keep(kept, clone(kept.base_model()).partial_fit(X, y, classes, sample_weight))
        changes_since(self._kept, self)
        self._go_on(self.estimator_.partial_fit, X, y, classes, sample_weight)
        return self._keep(self._kept, self.estimator_)

    @available_if(_learns_online)
    def learn_one(self, x: Any, y: Any, sample_weight: float | None = None, classes: Any = None) -> Self:
        """Learn one example, as `OneByOne.learn_one`."""
        if not hasattr(self, "estimator_"):
            weights = None if sample_weight is None else [sample_weight]
            self.partial_fit(frame_of(self, x), [y], classes, weights)
            return self
        changes_since(self._kept, self)
        self._go_on(self.estimator_.learn_one, x, y, sample_weight, classes)
        self.classes_ = self.estimator_.classes_
        return self

    def _ask(self, x: Any, question: str) -> Any:
        return self.estimator_._ask(x, question)

    @available_if(_learns_online)
    def learn_batch(self, X: Table, labels: npt.NDArray[np.int64]) -> None:
        """Learn more examples without checks: the very schema and the classes are known."""
        self._go_on(self.estimator_.learn_batch, X, labels)

    @available_if(_learns_online)
    def predict_then_learn(
        self, X: Table, labels: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Predict each example, then learn it, without checks: the very schema and the classes are known."""
        told: tuple[npt.NDArray[Any], npt.NDArray[np.float64]] = self._go_on(
            self.estimator_.predict_then_learn, X, labels
        )
        return told

    @available_if(lambda self: hasattr(self.estimator_, "predict_late_then_learn"))
    def predict_late_then_learn(
        self, asked: Table, until: npt.NDArray[np.int64], X: Table, labels: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Learn examples whose labels came late, and predict others meanwhile, as `OnlineEnsemble` does."""
        told: tuple[npt.NDArray[Any], npt.NDArray[np.float64]] = self._go_on(
            self.estimator_.predict_late_then_learn, asked, until, X, labels
        )
        return told

    def _go_on(self, learn: Callable[..., Any], *examples: Any) -> Any:
        try:
            return learn(*examples)
        finally:
            if not hasattr(self.estimator_, "classes_"):  # it was interrupted
                self._forget()

    @property
    def estimators_(self) -> list[BaseModel]:
        """The one member, in a list: `estimator_`."""
        self._check_learned()
        return [self.estimator_]

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """Share of each attribute in what the one member asks, as its base model tells them; of trees only."""
        self._check_learned()
        return self.estimator_.feature_importances_

    @property
    def member_sizes_(self) -> list[TreeSize | None]:
        """Nodes, leaves and depth of the one member, in a list; None instead where it is no tree."""
        self._check_learned()
        return self.estimator_.member_sizes_

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of each example."""
        self._check_learned()
        return self.estimator_.predict(X)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probability of each class, columns as `classes_`."""
        self._check_learned()
        return self.estimator_.predict_proba(X)

    def _keep(self, kept: Self, trained: BaseModel) -> Self:
        self._kept, self._base_model, self.estimator_ = kept, kept.base_model(), trained
        self.n_features_in_ = trained.n_features_in_
        if hasattr(trained, "feature_names_in_"):
            self.feature_names_in_ = trained.feature_names_in_
        self.n_members_ = 1
        self.classes_ = trained.classes_
        return self
