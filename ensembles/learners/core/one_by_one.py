"""Learn and predict one example at a time, with the names and the answers that River has."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.metaestimators import available_if

from ensembles.data.table import Table
from ensembles.learners.core.keeping import whole_or_nothing
from ensembles.learners.core.one_row import RowReader, frame_of

__all__ = ["OneByOne"]


def _learns_online(learner: Any) -> bool:
    return learner._reader is not None or hasattr(learner, "partial_fit")


class OneByOne:
    """What every online learner can do with one example: a dictionary by names of attributes, or a row of their values."""

    _reader: RowReader | None = None

    @available_if(_learns_online)
    @whole_or_nothing
    def learn_one(self, x: Any, y: Any, sample_weight: float | None = None, classes: Any = None) -> Self:
        """Learn one example: the same, to the last bit, as `partial_fit` of a table with one row.

        Parameters
        ----------
        x : dict, Series, or sequence of shape (n_attributes,)
            None and NaN are missing values. The first example says which attributes there are, and their kinds: a text is a
            nominal value. A dictionary of later examples has the same names, in any order.
        y : class
        sample_weight, classes
            As in `partial_fit`; all classes to come are declared with the first example.

        Raises
        ------
        InvalidData
            x has other attributes than the first examples, or values of another kind.
        """
        given: Any = self
        reader = self._reader
        if reader is not None and sample_weight is None and classes is None and reader.knows(given):
            label = reader.labels.get(y) if isinstance(y, str | int | float | np.generic) else None
            table = None if label is None or not reader.unchanged(given) else reader.learnable(x)
            if table is not None:
                if reader.counts_examples:
                    self._learn_known(table, np.array([label]))
                else:
                    given.partial_fit(table, [y])
                return self
        weights = None if sample_weight is None else [sample_weight]
        given.partial_fit(frame_of(given, x), [y], classes=classes, sample_weight=weights)
        self._reader = RowReader(given, checked=True)
        return self

    def _learn_known(self, X: Table, labels: npt.NDArray[np.int64]) -> None:
        """Learn examples without checks: the very schema and the classes are known."""
        learner: Any = self
        if hasattr(learner, "learn_batch"):
            learner.learn_batch(X, labels)
        else:
            learner.partial_fit(X, learner.classes_[labels])

    @available_if(_learns_online)
    def predict_one(self, x: Any) -> Any:
        """Return the class of one example, as `predict`; None before the first example was learned."""
        if not hasattr(self, "classes_"):
            return None
        return self._ask(x, "predict").tolist()[0]

    @available_if(_learns_online)
    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """Return the probability of each class for one example; nothing before the first example was learned."""
        if not hasattr(self, "classes_"):
            return {}
        probabilities = self._ask(x, "predict_proba")
        return dict(zip(self.classes_.tolist(), probabilities[0].tolist(), strict=True))

    def _ask(self, x: Any, question: str) -> Any:
        reader = self._reader
        if reader is None or not reader.knows(self):
            reader = self._reader = RowReader(self, checked=False)
        table = reader.table(x)
        return getattr(self, question)(frame_of(self, x) if table is None else table)
