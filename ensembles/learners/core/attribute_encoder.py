"""Encoders: other attributes made of those there are, by what the training examples show and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn import get_config
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from ensembles.data.encoding import LARGEST, encode_array, encode_frame, merge_schemas, recode
from ensembles.data.frames import framed
from ensembles.data.table import MISSING, Attribute, Schema, Table
from ensembles.declarations import HasParameters, choice, integer
from ensembles.errors import InvalidData
from ensembles.learners.core.checking import checked_targets
from ensembles.learners.core.discretise import allocate_cuts, between, mark_cuts
from ensembles.learners.core.encoder_output import checked_output, given_out
from ensembles.parameters import check_parameters
from ensembles.wording import listed

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


class AttributeEncoder(HasParameters, TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):
    """Scale numeric attributes or cut them into intervals; turn nominal attributes into numbers.

    A missing number stays missing, and lies in no interval. One-hot has an attribute for each value that occurs in training,
    and one for "missing" if that occurs; a value never seen in training switches none of them on.

    In a pipeline it stands before learners of this package and, with `nominal="one_hot"` and no intervals, before any
    estimator of scikit-learn, for which a table of numbers is an array. What else is nominal goes to others as categories:
    `set_output(transform="pandas")`.
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
    _output: str | None = None
    _named = True  # attributes have names that stand in a Table

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True  # made dense, up to a number of cells
        tags.transformer_tags.preserves_dtype = []
        tags.target_tags.required = self.numeric == "entropy"
        return tags

    def __sklearn_clone__(self) -> AttributeEncoder:
        """Return an encoder of the same parameters and the same kind of output that has seen nothing."""
        other = type(self)(**self.get_params(deep=False))
        other._output = self._output
        return other

    def set_output(self, *, transform: Literal["default", "pandas", "polars"] | None = None) -> AttributeEncoder:
        """Say what `transform` returns; None leaves it as it is.

        Parameters
        ----------
        transform : {"default", "pandas", "polars"}
            "default" is a Table. In a DataFrame nominal attributes are categories, and values never seen are missing.
        """
        if transform is not None:
            self._output = checked_output(transform)
        return self

    def fit(self, X: Any, y: Any = None) -> AttributeEncoder:
        """Look at training examples.

        Parameters
        ----------
        X : Table, DataFrame, array or the like, shape (n_examples, n_attributes)
        y : array of shape (n_examples,)
            Needed for entropy.

        Raises
        ------
        InvalidData
            What is no table, or no class for each example; or no y for entropy.
        """
        check_parameters(self)
        if y is None and self.numeric == "entropy":
            raise InvalidData(f"{self.key}: numeric='entropy' requires y to be passed, but the target y is None")
        table = _as_table(self, X, None)
        if y is not None:
            y = column_or_1d(checked_targets("AttributeEncoder", y))
            check_consistent_length(table, y)
        labels = np.zeros(len(table), dtype=np.int64) if y is None else np.unique(y, return_inverse=True)[1]
        self._schema = table.schema
        self._steps = [
            self._step(attribute, table.column(position), labels)
            for position, attribute in enumerate(table.schema.attributes)
        ]
        return self

    def transform(self, X: Any) -> Any:
        """Return the examples with the encoded attributes: a Table, or what `set_output` or scikit-learn's settings say.

        Raises
        ------
        InvalidData
            Attributes differ from those in training.
        """
        if not hasattr(self, "_steps"):
            raise NotFittedError("AttributeEncoder has seen no training examples yet: call fit first")
        table = _as_table(self, X, self._schema)
        merge_schemas(self._schema, table.schema)  # raises where attributes differ
        table = recode(table, self._schema)
        columns = [step.columns(table.column(position)) for position, step in enumerate(self._steps)]
        attributes = [attribute for step in self._steps for attribute in step.attributes]
        encoded = Table.from_columns(attributes, [column for some in columns for column in some])
        output = self._output or checked_output(get_config()["transform_output"])
        return given_out(
            encoded, output, self.get_feature_names_out(), X.index if isinstance(X, pd.DataFrame) else None
        )

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the names of the encoded attributes.

        Parameters
        ----------
        input_features : sequence of str, optional
            Names of the attributes, where those of training had none.

        Raises
        ------
        InvalidData
            There are more or fewer of them, or others than in training.
        """
        if not hasattr(self, "_steps"):
            raise NotFittedError("AttributeEncoder has seen no training examples yet: call fit first")
        given = self._names if input_features is None else [*input_features]
        if len(given) != len(self._names):
            raise InvalidData(
                f"{self.key}: input_features should have length equal to number of features, {len(self._names)}, "
                f"got {len(given)}"
            )
        if hasattr(self, "feature_names_in_") and given != self._names:
            raise InvalidData(f"{self.key}: input_features is not equal to feature_names_in_, got {listed(given)}")
        named = zip(given, self._schema.attributes, self._steps, strict=True)
        return np.array(
            [f"{name}{one.name[len(old.name) :]}" for name, old, step in named for one in step.attributes], dtype=object
        )

    @property
    def _names(self) -> list[str]:
        """Names of the attributes in training, "x0" for one that had none."""
        if hasattr(self, "feature_names_in_"):
            return [*map(str, self.feature_names_in_)]
        if self._named:
            return [attribute.name for attribute in self._schema.attributes]
        return [f"x{j}" for j in range(len(self._schema.attributes))]

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


def _as_table(encoder: AttributeEncoder, X: Any, known: Schema | None) -> Table:
    """Return X as a Table; `known`: the attributes of training, None if this is it."""
    first = known is None
    if first:
        encoder._named = isinstance(X, Table)
    if isinstance(X, Table):
        if first:
            encoder.n_features_in_ = len(X.schema.attributes)
            encoder.__dict__.pop("feature_names_in_", None)
        return X
    X = framed(X, known)
    if isinstance(X, pd.DataFrame):
        validate_data(encoder, X, reset=first, skip_check_array=True)
        if len(X) == 0 or X.shape[1] == 0:
            raise InvalidData(f"{encoder.key}: X needs at least one example and one attribute, got shape {X.shape}")
        return encode_frame(X, known=known)
    return encode_array(validate_data(encoder, X, reset=first, dtype=np.float64, ensure_all_finite=False))


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
