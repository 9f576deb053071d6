"""Input decimation: a member for each class, which sees the attributes that go with this class most closely.

Oza & Tumer (2001); Tumer & Oza (2003).
"""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema, Table
from ensembles.declarations import integer, real
from ensembles.draws import entropy_of, stream
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.keeping import whole_or_nothing
from ensembles.learners.core.learner import TrainingBatch
from ensembles.methods.subspaces.subspace_ensemble import SOFT_VOTE, SubspaceEnsemble

__all__ = ["InputDecimationClassifier", "correlations"]

Floats = npt.NDArray[np.float64]

_DIGITS = 12  # correlations that are equal to so many are tied: the attribute that comes first is seen


class InputDecimationClassifier(SubspaceEnsemble):
    """Input decimation.

    There are as many members as classes. That of a class sees the ceil(max_features times attributes) attributes whose
    correlation with "this class or another" is largest, whatever its sign. All members learn all examples and all classes,
    and their probabilities are averaged. Nothing is drawn but what base models draw themselves.

    Notes
    -----
    The papers have numeric inputs, nominal attributes as one input a value. Here a nominal attribute is seen whole, and its
    correlation is that of the value that has the largest. An attribute's missing values are left out of its own.
    Of two classes both have the same correlations, so that both members are the same model on a selection of attributes.
    With fewer members than classes, the classes of most weight have one.

    References
    ----------
    Oza & Tumer (2001), Input decimation ensembles: decorrelation through dimensionality reduction; Tumer & Oza (2003), Input
    decimated ensembles.
    """

    key = "input_decimation"
    name = "Input decimation"
    position = 192
    summary = "Trains a member for each class, on the attributes most correlated with it; averages what all say."
    source = "Oza & Tumer (2001); Tumer & Oza (2003)"
    n_estimators: int = integer(
        default=100, label="Members", help="How many members there are at most: one for each class.", low=1, high=10_000
    )
    max_features: float = real(
        default=0.5,
        label="Attributes a member sees",
        help="Share of the attributes: those most correlated with the class that the member is for.",
        low=0.0,
        high=1.0,
        open_low=True,
    )
    vote: str = SOFT_VOTE

    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the attributes for each class and train its member; `sample_weight` means what it does to members."""
        self._forget()
        examples = self._validated_examples(X, y, sample_weight, batch=True)
        self._members = self._views(examples)
        n_members = len(self._members)
        for m in range(n_members):
            self._members = self.base_model().fit_member(
                self._members, m, examples.table, examples.labels, examples.weights
            )
            self._report(m + 1, n_members)
        self._all_vote(n_members, examples)
        return self

    def _lay_out(self, base_model: BaseModel, schema: Schema, n_classes: int, *, batch: bool) -> Any:  # noqa: ARG002
        """Return no members yet: the examples say which attributes they see."""
        return []

    @property
    def _classes_of_members(self) -> npt.NDArray[Any]:
        """Members tell all classes apart, whichever one they are for."""
        return self.classes_

    def _views(self, examples: TrainingBatch) -> list[Any]:
        """Return a member that has learned nothing for each class, or for those of most weight."""
        n_classes, base_model, seed = len(self.classes_), self.base_model(), entropy_of(self.random_state)
        size = math.ceil(self._given.max_features * len(self._schema.attributes))
        largest = np.argsort(-self._prior, kind="stable")[: self._given.n_estimators]
        strength = np.round(correlations(examples, n_classes), _DIGITS)
        views = []
        for m, label in enumerate(np.sort(largest)):
            seen = np.sort(np.argsort(-strength[:, label], kind="stable")[:size])
            drawn = int(stream(seed, self.key, m).integers(2**31))
            views.append(base_model.init_view(self._schema, seen, drawn, n_classes, batch=True))
        return views


def correlations(examples: TrainingBatch, n_classes: int) -> Floats:
    """Return how closely each attribute goes with each class, in [0, 1]: shape (attributes, classes).

    0 where the attribute, or the class, does not vary among the examples in which the attribute is known.
    """
    table = examples.table
    found = np.zeros((len(table.schema.attributes), n_classes))
    for position, attribute in enumerate(table.schema.attributes):
        if attribute.kind == "nominal":
            found[position] = _of_values(table, position, examples, n_classes)
        else:
            found[position] = _of_numbers(table, position, examples, n_classes)
    return found


def _of_values(table: Table, position: int, examples: TrainingBatch, n_classes: int) -> Floats:
    """Return the largest correlation that the indicator of a value has with that of each class."""
    codes, n_values = table.column(position), len(table.schema.attributes[position].categories)
    known = codes >= 0
    cells = codes[known].astype(np.int64) * n_classes + examples.labels[known]
    counts = np.bincount(cells, examples.weights[known], minlength=n_values * n_classes)
    joint = counts.astype(np.float64).reshape(n_values, n_classes)  # whole numbers where nothing is known
    total, of_value, of_class = joint.sum(), joint.sum(axis=1, keepdims=True), joint.sum(axis=0, keepdims=True)
    spread = np.sqrt(of_value * (total - of_value)) * np.sqrt(of_class * (total - of_class))
    together = np.abs(joint * total - of_value * of_class)
    correlated: Floats = np.divide(together, spread, out=np.zeros_like(joint), where=spread > 0).max(
        axis=0, initial=0.0
    )
    return np.minimum(correlated, 1.0)


def _of_numbers(table: Table, position: int, examples: TrainingBatch, n_classes: int) -> Floats:
    """Return the absolute correlation of numbers with the indicator of each class."""
    column = table.column(position)
    known = ~np.isnan(column)
    if not known.any():
        return np.zeros(n_classes)
    x, weights = column[known], examples.weights[known]
    x = x / max(float(np.abs(x).max()), np.finfo(float).tiny)  # so that no square overflows
    x = x - np.average(x, weights=weights)
    of_class = np.bincount(examples.labels[known], weights, minlength=n_classes)
    together = np.abs(np.bincount(examples.labels[known], weights * x, minlength=n_classes))
    shares = of_class / of_class.sum()
    spread = np.sqrt(weights @ x**2 * weights.sum() * shares * (1 - shares))
    correlated: Floats = np.divide(together, spread, out=np.zeros(n_classes), where=spread > 0)
    return np.minimum(correlated, 1.0)
