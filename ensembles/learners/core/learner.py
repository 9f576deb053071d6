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
from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

from ensembles.data.encoding import encode_array, encode_frame, has_nominal, merge_schemas, nominal_positions, recode
from ensembles.data.table import Schema, Table
from ensembles.declarations import HasParameters, argument
from ensembles.draws import entropy_of, streams
from ensembles.errors import InvalidData, InvalidParameter
from ensembles.learners.core.example_weights import FEW, checked_weights, in_units, unit_of, warn_if_light
from ensembles.learners.core.keeping import changes_since, copy_of, unlocked
from ensembles.learners.core.tree_size import TreeSize
from ensembles.parameters import check_parameters
from ensembles.wording import listed

if TYPE_CHECKING:
    from ensembles.learners.core.base import BaseModel

__all__ = ["CATEGORICAL", "SEED", "Learner", "TrainingBatch"]

Classes = npt.NDArray[Any]

CATEGORICAL = argument(
    default=None,
    what="sequence of names or positions, or None",
    help="Attributes to treat as nominal besides categorical, text and truth columns.",
)
SEED = argument(
    default=None,
    what="int, RandomState or None",
    help="Seed of what is drawn. An ensemble hands its own down to members that have none.",
)

#: What a learner has learned, beside what ends in an underscore.
_LEARNED = frozenset(["_schema", "_members", "_prior", "_nominal", "_unit", "_kept", "_base_model", "_changing"])


class TrainingBatch(NamedTuple):
    """Training examples, checked: every weight is positive, in units of an example, and a multiple of 2^-20."""

    table: Table
    labels: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64]


class Learned:
    """What every learner holds once it has learned something, and while it does."""

    on_progress: Callable[[float], None] | None = None
    classes_: npt.NDArray[Any]
    n_members_: int
    _schema: Schema
    _nominal: frozenset[int]  # attributes that `categorical_features` named before the first examples
    _unit: float  # what weights are divided by, since the first examples
    _prior: npt.NDArray[np.float64]  # weight of each class so far
    _kept: Learner  # with the parameters of the first examples
    _base_model: BaseModel  # that laid out the members
    _changing = False  # whether it is learning something right now


class Learner(Learned, HasParameters, ClassifierMixin, BaseEstimator):
    """A classifier whose parameters are declared in the bodies of its classes; learned values end in an underscore.

    `key`, `name`, `family`, `kind` ("method" or "base"), `summary` and `source` make it a learner of the registry;
    `position` says where it stands among those of its kind. `purpose` is what its random numbers are drawn for, its key
    unless said: learners of one purpose and seed draw the same numbers.

    `on_progress`, if set, is called while training with the share done, in (0, 1]; what it raises ends the training.
    `needs_classes`: all classes must be declared with the first examples. `weights_count`: weights of examples always count
    examples; else those that are far from one on average are relative (`example_weights`).
    """

    key: ClassVar[str]
    name: ClassVar[str]
    family: ClassVar[str]
    kind: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str]
    position: ClassVar[int] = 1000
    purpose: ClassVar[str] = ""
    order_matters: ClassVar[bool] = False
    weighted: ClassVar[bool] = True
    binary_only: ClassVar[bool] = False
    needs_online_base: ClassVar[bool] = False
    needs_classes: ClassVar[bool] = False
    weights_count: ClassVar[bool] = False

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.classifier_tags.multi_class = not self.binary_only
        return tags

    def base_model(self) -> BaseModel:
        """Return the base model that laid out the members, or before the first examples the one that would."""
        known: BaseModel | None = self.__dict__.get("_base_model")
        return self._new_base_model() if known is None else known

    def _new_base_model(self) -> BaseModel:
        """Return the base model that would lay out members by the parameters of now."""
        raise NotImplementedError

    @property
    def _given(self) -> Any:
        """Who is asked for parameters: a copy of this learner as it was given them at the first examples.

        Those of the learner itself may have changed since; they count when `fit` begins anew.
        """
        return self.__dict__.get("_kept", self)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "on_progress"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what was pickled: kernels write to it, so what lies in a read-only memory map is copied."""
        super().__setstate__({name: unlocked(value) for name, value in state.items()})

    def _report(self, done: int, total: int) -> None:
        if self.on_progress is not None:
            self.on_progress(done / total)

    def _drawing(self, n_members: int) -> list[np.random.Generator]:
        """Return a stream of random numbers for each member, a function of seed, purpose and member."""
        return streams(entropy_of(self.random_state), self.purpose or self.key, n_members)

    def _seeded(self, base_model: BaseModel) -> BaseModel:
        """Return the prototype with a seed for what its members draw, if it draws and was given none."""
        return base_model

    def _n_members(self) -> int:
        return 1

    def _lay_out(self, base_model: BaseModel, schema: Schema, n_classes: int, *, batch: bool) -> Any:
        """Return members that have learned nothing."""
        return base_model.init_members(self._n_members(), schema, n_classes, batch=batch)

    def _widened(self, base_model: BaseModel, schema: Schema, positions: npt.NDArray[np.int64], n_classes: int) -> Any:
        """Return the members with room for the classes and values of `schema`."""
        return base_model.extend_schema(self._members, self._schema, schema, positions, n_classes)

    @property
    def member_sizes_(self) -> list[TreeSize | None]:
        """Nodes, leaves and depth of each member that votes; None where members are no trees."""
        self._check_learned()
        base_model = self.base_model()
        return [base_model.size_of(self._members, m) for m in range(self.n_members_)]

    def _forget(self) -> None:
        """Drop everything learned, so that the next examples are the first."""
        for name in [name for name in vars(self) if name.endswith("_") or name in _LEARNED]:
            delattr(self, name)

    def _check_learned(self) -> None:
        if not hasattr(self, "classes_"):
            raise NotFittedError(f"{type(self).__name__} has learned nothing yet: call fit first")

    def _validated_examples(
        self, X: Any, y: Any, sample_weight: Any, classes: Any = None, *, batch: bool = False, whole: bool = True
    ) -> TrainingBatch:
        """Check training examples, then make room for their classes and values. State changes only if all is well.

        `whole`: these are all examples, not the first of many, so that even few of them say what an example weighs.
        """
        first = not hasattr(self, "classes_")
        changed = self._checked_parameters(first)
        nominal = self._nominal_in(X) if first else self._nominal
        table, y = self._checked(X, y, first, nominal)
        weights = checked_weights(sample_weight, len(table))
        if weights is not None and not weights.all():  # an example of weight 0 registers nothing, not even its class
            kept = np.flatnonzero(weights)
            table, y, weights = table.take(kept), y[kept], weights[kept]
        unit, weights = self._in_units(weights, len(table), first, whole)
        known, grown = self._checked_classes(np.unique(y), classes, first)
        schema = table.schema if first else merge_schemas(self._schema, table.schema)
        table = recode(table, schema)
        if first:
            self._begin_with(schema, len(grown), batch=batch)
        elif schema != self._schema or len(grown) > len(known):
            positions = np.searchsorted(grown, known)
            members = self._widened(self.base_model(), schema, positions, len(grown))
            self._changing = True
            self._members = members
            prior = np.zeros(len(grown))
            prior[positions] = self._prior
            self._prior = prior
        self._changing = True
        for name, value in changed.items():
            setattr(self._kept, name, value)
        self._schema, self.classes_, self._nominal, self._unit = schema, grown, nominal, unit
        labels = np.searchsorted(grown, y).astype(np.int64)
        self._prior += np.bincount(labels, weights, minlength=len(grown))
        self._members = self.base_model().ensure_capacity(self._members, table)
        return TrainingBatch(table, labels, weights)

    def _in_units(
        self, weights: npt.NDArray[np.float64] | None, n: int, first: bool, whole: bool
    ) -> tuple[float, npt.NDArray[np.float64]]:
        """Return what the weights of n examples are divided by, and them in that unit; None: all are 1."""
        unit = 1.0 if first else self._unit
        if weights is not None and first:
            if self.weights_count:
                warn_if_light(weights, self.key)
            elif whole or n >= FEW:
                unit = unit_of(weights)
        if weights is None and unit == 1.0:
            return unit, np.ones(n)
        return unit, in_units(np.ones(n) if weights is None else weights, unit)

    def _checked_parameters(self, first: bool) -> dict[str, Any]:
        """Check the parameters; return those that have changed, and may, since examples were last learned."""
        check_parameters(self)
        if not first:
            return changes_since(self._kept, self)
        check_parameters(self._new_base_model())
        return {}

    def _checked_classes(self, present: Classes, declared: Any, first: bool) -> tuple[Classes, Classes]:
        """Return the classes known so far, or declared, and those known from now on."""
        known = present if first else self.classes_
        if declared is not None:
            stated = np.unique(declared)
            if not first and not np.array_equal(stated, known):
                raise InvalidData(
                    f"{self.key}: classes must be those declared at the start, {listed(known)}, got {listed(stated)}"
                )
            known = stated if first else known
            if not np.isin(present, known).all():
                raise InvalidData(
                    f"{self.key}: y must be among the declared classes {listed(known)}, got {listed(present)}"
                )
        grown = known if first else np.union1d(known, present)
        if self.binary_only and len(grown) > 2:
            raise InvalidData(f"{self.key}: y must have two classes at most, got {len(grown)}: {listed(grown)}")
        if self.needs_classes and len(grown) > len(known):
            raise InvalidData(
                f"{self.key}: all classes must be declared at the start, {listed(known)}, got {listed(present)}"
            )
        return known, grown

    def _begin_with(self, schema: Schema, n_classes: int, *, batch: bool) -> None:
        """Keep the parameters as they are, and lay out members that have learned nothing."""
        kept = copy_of(self)
        base_model = self._seeded(kept.base_model())
        members = self._lay_out(base_model, schema, n_classes, batch=batch)
        self._changing = True
        self._kept, self._base_model, self._members = kept, base_model, members
        self._prior = np.zeros(n_classes)

    def start_stream(self, X: Table, y: npt.NDArray[np.int64], classes: npt.NDArray[np.int64]) -> int:
        """Learn what is learned in batch of a stream, of which X and y are the whole; return how many examples these are."""
        return 0

    def _unchecked_examples(self, X: Table, labels: npt.NDArray[np.int64]) -> TrainingBatch:
        """Make room for more examples, whose attributes, values and classes are known, without checks."""
        table, labels = X.writable(), np.require(labels, np.int64, ["C", "W"])
        self._changing = True
        self._prior += np.bincount(labels, minlength=len(self._prior))
        self._members = self.base_model().ensure_capacity(self._members, table)
        return TrainingBatch(table, labels, np.ones(len(labels)))

    def _nominal_in(self, X: Any) -> frozenset[int]:
        """Return the positions of the attributes that `categorical_features` names; in a table, they are nominal already."""
        features = self.base_model().categorical_features
        if features is None:
            return frozenset()
        if isinstance(X, Table):
            names = [attribute.name for attribute in X.schema.attributes]
            named = nominal_positions(features, names, len(names), self.key)
            if not named <= {*X.schema.nominal}:
                numeric = names[min(named.difference(X.schema.nominal))]
                raise InvalidParameter(f"{self.key}: categorical_features must be nominal in a Table, got {numeric!r}")
            return named
        shape = np.shape(X)
        width = shape[1] if len(shape) == 2 else 0  # what is no table is refused where X is checked
        return nominal_positions(features, list(X.columns) if isinstance(X, pd.DataFrame) else None, width, self.key)

    def _checked(self, X: Any, y: Any, first: bool, nominal: frozenset[int]) -> tuple[Table, npt.NDArray[Any]]:
        if isinstance(X, Table):
            y = column_or_1d(y)
            check_consistent_length(X, y)
            if len(X) == 0:
                raise InvalidData(f"{self.key}: X needs at least one example, got none")
            if first:
                self.n_features_in_ = len(X.schema.attributes)
            return X.writable(), y
        known = None if first else self._schema
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
        return table.writable(), y

    def _encoded(self, X: Any) -> Table:
        """Check and encode examples to predict."""
        self._check_learned()
        if not isinstance(X, Table):
            nominal = self._nominal
            if isinstance(X, pd.DataFrame) and has_nominal(X, nominal, self._schema):
                validate_data(self, X, reset=False, skip_check_array=True)
                X = encode_frame(X, nominal, self._schema)
            else:
                kind = None if nominal else np.float64
                X = encode_array(
                    validate_data(self, X, reset=False, dtype=kind, ensure_all_finite="allow-nan"), nominal
                )
        known: Table = X.writable()
        if known.schema is self._schema:
            return known
        merge_schemas(self._schema, known.schema)  # raises where kinds differ
        return recode(known, self._schema)
