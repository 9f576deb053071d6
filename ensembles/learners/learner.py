"""What all our learners share: checking X, y and weights once, growing with new classes and values, talking scikit-learn.

Kernels see clean arrays only and never raise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, column_or_1d, validate_data

from ensembles.data.encoding import encode_array, encode_frame, has_nominal, merge_schemas, recode
from ensembles.data.table import Schema, Table
from ensembles.errors import InvalidData
from ensembles.exact import quantise
from ensembles.learners.tree_size import TreeSize
from ensembles.parameters import Parameter, check_parameters

if TYPE_CHECKING:
    from ensembles.learners.base import BaseModel

__all__ = ["Examples", "Learner"]


class Examples(NamedTuple):
    """Training examples, checked: every weight is positive and a multiple of 2^-20."""

    table: Table
    labels: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64]


class Learner(ClassifierMixin, BaseEstimator):
    """A classifier whose parameters are declared in `parameters`; learned values end in an underscore.

    `on_progress`, if set, is called while training with the share done, in (0, 1]; what it raises ends the training.
    `needs_classes`: all classes must be declared with the first examples.
    """

    key: ClassVar[str]
    name: ClassVar[str]
    family: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    order_matters: ClassVar[bool] = False
    weighted: ClassVar[bool] = True
    binary_only: ClassVar[bool] = False
    needs_online_base: ClassVar[bool] = False
    needs_classes: ClassVar[bool] = False
    on_progress: Callable[[float], None] | None = None
    classes_: npt.NDArray[Any]
    n_members_: int
    _schema: Schema

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.classifier_tags.multi_class = not self.binary_only
        return tags

    def prototype(self) -> BaseModel:
        """Return the base model that lays out the members."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "on_progress"}

    def _report(self, done: int, total: int) -> None:
        if self.on_progress is not None:
            self.on_progress(done / total)

    def _seeded(self, prototype: BaseModel) -> BaseModel:
        """Return the prototype with a seed for what its members draw, if it draws and was given none."""
        return prototype

    def _n_members(self) -> int:
        return 1

    def _lay_out(self, prototype: BaseModel, schema: Schema, n_classes: int, *, batch: bool) -> Any:
        """Return members that have learned nothing."""
        return self._seeded(prototype).allocate(self._n_members(), schema, n_classes, batch=batch)

    def _widened(self, prototype: BaseModel, schema: Schema, positions: npt.NDArray[np.int64], n_classes: int) -> Any:
        """Return the members with room for the classes and values of `schema`."""
        return prototype.enlarge(self._members, self._schema, schema, positions, n_classes)

    @property
    def member_sizes_(self) -> list[TreeSize | None]:
        """Nodes, leaves and depth of each member that votes; None where members are no trees."""
        prototype = self.prototype()
        return [prototype.size_of(self._members, m) for m in range(self.n_members_)]

    def _forget(self) -> None:
        """Drop everything learned, so that the next examples are the first."""
        for name in ("classes_", "_schema", "_members", "_prior"):
            self.__dict__.pop(name, None)

    def _admit(self, X: Any, y: Any, sample_weight: Any, classes: Any = None, *, batch: bool = False) -> Examples:
        """Check training examples, then make room for their classes and values. State changes only if all is well."""
        check_parameters(self)
        prototype = self.prototype()
        check_parameters(prototype)
        first = not hasattr(self, "classes_")
        table, y = self._checked(X, y, first)
        weights = _checked_weights(sample_weight, len(table))
        if not weights.all():  # an example of weight 0 registers nothing, not even its class
            kept = np.flatnonzero(weights)
            table, y, weights = table.take(kept), y[kept], weights[kept]
        present = np.unique(y)
        known = present if first else self.classes_
        if classes is not None:
            known = np.unique(classes) if first else known
            if not np.isin(present, known).all():
                raise InvalidData(
                    f"{self.key}: y must be among the declared classes {list(known)}, got {list(present)}"
                )
        grown = known if first else np.union1d(known, present)
        if self.binary_only and len(grown) > 2:
            raise InvalidData(f"{self.key}: y must have two classes at most, got {len(grown)}: {list(grown)}")
        if self.needs_classes and len(grown) > len(known):
            raise InvalidData(
                f"{self.key}: all classes must be declared at the start, {list(known)}, got {list(present)}"
            )
        schema = table.schema if first else merge_schemas(self._schema, table.schema)
        table = recode(table, schema)
        if first:
            self._members = self._lay_out(prototype, schema, len(grown), batch=batch)
            self._prior = np.zeros(len(grown))
        elif schema != self._schema or len(grown) > len(known):
            positions = np.searchsorted(grown, known)
            self._members = self._widened(prototype, schema, positions, len(grown))
            prior = np.zeros(len(grown))
            prior[positions] = self._prior
            self._prior = prior
        self._schema, self.classes_ = schema, grown
        labels = np.searchsorted(grown, y).astype(np.int64)
        self._prior += np.bincount(labels, weights, minlength=len(grown))
        self._members = prototype.admit(self._members, table)
        return Examples(table, labels, weights)

    def begin_stream(self, X: Table, y: npt.NDArray[np.int64], classes: npt.NDArray[np.int64]) -> int:
        """Learn what is learned in batch of a stream, of which X and y are the whole; return how many examples these are."""
        return 0

    def _admit_next(self, X: Table, labels: npt.NDArray[np.int64]) -> Examples:
        """Make room for more examples, whose attributes, values and classes are known: `_admit` without the checks."""
        self._prior += np.bincount(labels, minlength=len(self._prior))
        self._members = self.prototype().admit(self._members, X)
        return Examples(X, labels, np.ones(len(labels)))

    def _checked(self, X: Any, y: Any, first: bool) -> tuple[Table, npt.NDArray[Any]]:
        if isinstance(X, Table):
            y = column_or_1d(y)
            check_consistent_length(X, y)
            if len(X) == 0:
                raise InvalidData(f"{self.key}: X needs at least one example, got none")
            self.n_features_in_ = len(X.schema.attributes)
            return X, y
        nominal, known = self.prototype().categorical_features, None if first else self._schema
        if isinstance(X, pd.DataFrame) and has_nominal(X, nominal, known):
            validate_data(self, X, reset=first, skip_check_array=True)
            y = column_or_1d(y, warn=True)
            check_consistent_length(X, y)
            if len(X) == 0:
                raise InvalidData(f"{self.key}: X needs at least one example, got none")
            table = encode_frame(X, nominal, known)
        else:
            kind = None if nominal else np.float64
            X, y = validate_data(self, X, y, reset=first, dtype=kind, ensure_all_finite="allow-nan")
            table = encode_array(X, nominal)
        check_classification_targets(y)
        return table, y

    def _encoded(self, X: Any) -> Table:
        """Check and encode examples to predict."""
        if not hasattr(self, "classes_"):
            raise NotFittedError(f"{type(self).__name__} has learned nothing yet: call fit first")
        if not isinstance(X, Table):
            nominal = self.prototype().categorical_features
            if isinstance(X, pd.DataFrame) and has_nominal(X, nominal, self._schema):
                validate_data(self, X, reset=False, skip_check_array=True)
                X = encode_frame(X, nominal, self._schema)
            else:
                kind = None if nominal else np.float64
                X = encode_array(
                    validate_data(self, X, reset=False, dtype=kind, ensure_all_finite="allow-nan"), nominal
                )
        self._members = self.prototype().usable(self._members)
        known: Table = X
        if known.schema is self._schema:
            return known
        merge_schemas(self._schema, X.schema)  # raises where kinds differ
        return recode(X, self._schema)


def _checked_weights(sample_weight: Any, n: int) -> npt.NDArray[np.float64]:
    if sample_weight is None:
        return np.ones(n)
    weights = _check_sample_weight(sample_weight, np.empty((n, 1)), dtype=np.float64)
    if (weights < 0).any():
        raise InvalidData(f"sample_weight must be finite and not negative, got {weights.min():g}")
    weights = quantise(weights)
    if not weights.any():
        raise InvalidData("sample_weight: at least one weight must be positive, got only zeros")
    return weights
