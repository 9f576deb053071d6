"""Values that were never seen, where examples are predicted and learned in one call."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Table

if TYPE_CHECKING:
    from ensembles.learners.core.learner import Learner

__all__ = ["unseen_apart"]

Method = TypeVar("Method", bound=Callable[..., Any])


def unseen_apart(predict_then_learn: Method) -> Method:
    """Decorate `predict_then_learn`: examples among which a value was never seen are predicted and learned one by one.

    Such a value is one of its own where it is predicted, and missing where it is learned (`Table.to_learn`); a kernel that
    does both reads one table.
    """

    @wraps(predict_then_learn)
    def predict_and_learn(self: Learner, X: Table, labels: npt.NDArray[np.int64]) -> Any:
        if not X.holds_unseen:
            return predict_then_learn(self, X, labels)
        learner: Any = self
        classes, probabilities = [], []
        for i in range(len(labels)):
            example = X.take(slice(i, i + 1))
            classes.append(learner.predict(example))
            probabilities.append(learner.predict_proba(example))
            learner.learn_batch(example, labels[i : i + 1])
            self._changing = True  # not all of them are learned yet
        return np.concatenate(classes), np.concatenate(probabilities)

    return predict_and_learn  # type: ignore[return-value]
