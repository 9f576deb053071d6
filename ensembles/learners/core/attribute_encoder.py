"""Encoders: other attributes made of those there are, by what the training examples show and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError

from ensembles.data.encoding import LARGEST, encode_array, encode_frame, merge_schemas, recode
from ensembles.data.table import MISSING, Attribute, Schema, Table
from ensembles.declarations import HasParameters, choice, integer
from ensembles.learners.core.discretise import allocate_cuts, between, mark_cuts
from ensembles.parameters import check_parameters

__all__ = ["AttributeEncoder"]

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class _Kept:
    attributes: tuple[Attribute, ...]

    def columns(self, column: Any) -> list[Any]:
        return [column]


@dataclass(frozen=True)
class _Scaled:
    attributes: tuple[Attribute, ...]
    centre: float
    spread: float

    def columns(self, column: Any) -> list[Floats]:
        return [np.clip((column - self.centre) / self.spread, -LARGEST, LARGEST)]


@dataclass(frozen=True)
class _Cut:
    attributes: tuple[Attribute, ...]
    edges: Floats

    def columns(self, column: Any) -> list[Codes]:
        return [np.where(np.isnan(column), MISSING, np.searchsorted(self.edges, column, side="right")).astype(np.int32)]


@dataclass(frozen=True)
class _OneHot:
    attributes: tuple[Attribute, ...]
    codes: tuple[int, ...]

    def columns(self, column: Any) -> list[Floats]:
        return [(column == code).astype(np.float64) for code in self.codes]


class AttributeEncoder(HasParameters, TransformerMixin, BaseEstimator):
    """Scale numeric attributes or cut them into intervals; turn nominal attributes into numbers.

    A missing number stays missing, and lies in no interval. One-hot has an attribute for each value that occurs in training,
    and one for "missing" if that occurs; a value never seen in training switches none of them on.
    """

    key: ClassVar[str] = "encode"
    numeric: str = choice(
        default="keep",
        label="Encoding of numeric attributes",
        help="Scaled, or cut into intervals, by the training examples.",
        details=(
            "`scale`: mean 0 and standard deviation 1 in training. `equal_width`, `equal_frequency`: `bins` "
            "intervals, fewer where values repeat. `entropy`: intervals of few classes (Fayyad & Irani 1993), a "
            "single one where no cut is worth it."
        ),
        choices=("keep", "scale", "equal_width", "equal_frequency", "entropy"),
        labels=("as they are", "scaled", "intervals of equal width", "of equal frequency", "by entropy"),
    )
    nominal: str = choice(
        default="keep",
        label="Encoding of nominal attributes",
        help="One-hot: a number for each value that occurs in training.",
        choices=("keep", "one_hot"),
        labels=("as they are", "one-hot"),
    )
    bins: int = integer(default=10, label="Intervals", help="For equal width and equal frequency.", low=2, high=100)

    def fit(self, X: Any, y: Any = None) -> AttributeEncoder:
        """Look at training examples.

        Parameters
        ----------
        X : Table, DataFrame or array, shape (n_examples, n_attributes)
        y : array of shape (n_examples,)
            Needed for entropy.
        """
        check_parameters(self)
        table = _as_table(X, None)
        labels = np.zeros(len(table), dtype=np.int64) if y is None else np.unique(y, return_inverse=True)[1]
        self._schema = table.schema
        self._steps = [
            self._step(attribute, table.column(position), labels)
            for position, attribute in enumerate(table.schema.attributes)
        ]
        return self

    def transform(self, X: Any) -> Table:
        """Return the examples with the encoded attributes.

        Raises
        ------
        InvalidData
            Attributes differ from those in training.
        """
        if not hasattr(self, "_steps"):
            raise NotFittedError("AttributeEncoder has seen no training examples yet: call fit first")
        table = _as_table(X, self._schema)
        merge_schemas(self._schema, table.schema)  # raises where attributes differ
        table = recode(table, self._schema)
        columns = [step.columns(table.column(position)) for position, step in enumerate(self._steps)]
        attributes = [attribute for step in self._steps for attribute in step.attributes]
        return Table.from_columns(attributes, [column for some in columns for column in some])

    def _step(
        self, attribute: Attribute, column: Any, labels: npt.NDArray[np.int64]
    ) -> _Kept | _Scaled | _Cut | _OneHot:
        if attribute.kind == "nominal":
            return _Kept((attribute,)) if self.nominal == "keep" else _one_hot(attribute, column)
        if self.numeric == "keep":
            return _Kept((attribute,))
        there = ~np.isnan(column)
        known = column[there]
        if self.numeric == "scale":
            spread = float(known.std()) if len(known) else 0.0
            return _Scaled((attribute,), float(known.mean()) if len(known) else 0.0, spread if spread > 0 else 1.0)
        return _cut(attribute, self._edges(known, labels[there]))

    def _edges(self, known: Floats, labels: npt.NDArray[np.int64]) -> Floats:
        """Return the ascending inner edges of the intervals; a value on an edge belongs above it."""
        if not len(known):
            return np.empty(0)
        if self.numeric == "entropy":
            return _entropy_edges(known, labels)
        if self.numeric == "equal_width":
            edges = np.linspace(known.min(), known.max(), self.bins + 1)
        else:
            edges = np.quantile(known, np.linspace(0, 1, self.bins + 1))
        inner = np.unique(edges[1:-1])
        apart: Floats = inner[(inner > known.min()) & (inner <= known.max())]
        return apart


def _as_table(X: Any, known: Schema | None) -> Table:
    if isinstance(X, Table):
        return X
    return encode_frame(X, known=known) if isinstance(X, pd.DataFrame) else encode_array(np.asarray(X))


def _one_hot(attribute: Attribute, column: Codes) -> _OneHot:
    codes = tuple(int(code) for code in np.unique(column[column >= MISSING]))
    words = ("missing" if code == MISSING else f"= {attribute.categories[code]}" for code in codes)
    return _OneHot(tuple(Attribute(f"{attribute.name} {word}", "numeric") for word in words), codes)


def _cut(attribute: Attribute, edges: Floats) -> _Cut:
    ends = [repr(float(edge)) for edge in edges]
    between_ends = [f"from {low} to {high}" for low, high in pairwise(ends)]
    names = [f"below {ends[0]}", *between_ends, f"from {ends[-1]}"] if ends else ["any"]
    return _Cut((Attribute(attribute.name, "nominal", tuple(names)),), edges)


def _entropy_edges(known: Floats, labels: npt.NDArray[np.int64]) -> Floats:
    values, place = np.unique(known, return_inverse=True)
    n_classes = int(labels.max()) + 1
    below = np.zeros((len(values) + 1, n_classes))
    np.add.at(below, (place + 1, labels), 1.0)
    below = np.cumsum(below, axis=0)
    room = allocate_cuts(len(values), n_classes)
    mark_cuts(below, len(values), room["stack"], room["is_cut"])
    return np.array([between(values[j - 1], values[j]) for j in np.flatnonzero(room["is_cut"])])
