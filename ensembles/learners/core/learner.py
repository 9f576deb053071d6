"""What all our learners share: taking examples in (`checking`), growing with new classes and values, talking scikit-learn.

Kernels see clean arrays only and never raise.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from ensembles.data.encoding import merge_schemas, recode
from ensembles.data.frames import framed
from ensembles.data.table import Schema, Table
from ensembles.declarations import HasParameters, argument
from ensembles.draws import entropy_of, streams
from ensembles.learners.core.checking import checked_classes, nominal_in, table_to_predict, training_table, truths
from ensembles.learners.core.example_weights import (
    FEW,
    check_heaviest,
    checked_weights,
    in_units,
    unit_of,
    warn_if_light,
)
from ensembles.learners.core.keeping import changes_since, copy_of, unlocked
from ensembles.learners.core.one_by_one import OneByOne
from ensembles.learners.core.shown import Shown
from ensembles.learners.core.tree_size import TreeSize
from ensembles.parameters import check_parameters

if TYPE_CHECKING:
    from ensembles.learners.core.base import BaseModel

__all__ = ["CATEGORICAL", "SEED", "Learner", "TrainingBatch"]

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
_LEARNED = frozenset(
    ["_schema", "_members", "_prior", "_nominal", "_unit", "_kept", "_base_model", "_changing", "_reader", "_member"]
)


#: What a copy or a pickle does without.
_NOT_KEPT = frozenset(["on_progress", "_reader"])


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
    _member = 0  # which of the members it is, or the first of them


class Learner(Learned, Shown, OneByOne, HasParameters, ClassifierMixin, BaseEstimator):
    """A classifier whose parameters are declared in the bodies of its classes; learned values end in an underscore.

    `key`, `name`, `family`, `kind` ("method" or "base"), `summary` and `source` make it a learner of the registry;
    `position` says where it stands among those of its kind. `purpose` is what its random numbers are drawn for, its key
    unless said: learners of one purpose and seed draw the same numbers. A method that has no base model says so by
    `takes_base`, and one that can use a few only names their keys in `only_bases`, first the one that it has unless told.

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
    takes_base: ClassVar[bool] = True
    only_bases: ClassVar[tuple[str, ...]] = ()
    needs_online_base: ClassVar[bool] = False
    needs_classes: ClassVar[bool] = False
    weights_count: ClassVar[bool] = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True  # made dense, up to a number of cells
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
        return {name: value for name, value in super().__getstate__().items() if name not in _NOT_KEPT}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what was pickled: kernels write to it, so what lies in a read-only memory map is copied."""
        super().__setstate__({name: unlocked(value) for name, value in state.items()})

    def __copy__(self) -> Self:
        """Return what `copy.deepcopy` does: learning writes to the arrays of a learner, which no two may share."""
        return deepcopy(self)

    def _report(self, done: int, total: int) -> None:
        if self.on_progress is not None:
            self.on_progress(done / total)

    def _drawing(self, n_members: int) -> list[np.random.Generator]:
        """Return a stream of random numbers for each member, a function of seed, purpose and member."""
        return streams(entropy_of(self.random_state), self.purpose or self.key, n_members)

    def _seeded(self, base_model: BaseModel) -> BaseModel:
        """Return the base model with a seed for what its members draw, if it draws and was given none."""
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
        return [base_model.size_of(self._members, self._member + m) for m in range(self.n_members_)]

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
        X = framed(X, None if first else self._schema)
        nominal = nominal_in(self, X) if first else self._nominal
        table, y = training_table(self, X, y, first, nominal)
        weights = checked_weights(sample_weight, len(table))
        if weights is not None and not weights.all():  # an example of weight 0 registers nothing, not even its class
            kept = np.flatnonzero(weights)
            table, y, weights = table.take(kept), y[kept], weights[kept]
        unit, weights = self._in_units(weights, len(table), first, whole)
        known, grown = checked_classes(self, np.unique(y), classes, first)
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
        weights = np.ones(n) if weights is None else weights
        check_heaviest(weights, unit, self.key)
        return unit, in_units(weights, unit)

    def _checked_parameters(self, first: bool) -> dict[str, Any]:
        """Check the parameters; return those that have changed, and may, since examples were last learned."""
        check_parameters(self)
        if not first:
            return changes_since(self._kept, self)
        check_parameters(self._new_base_model())
        return {}

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
        table = X.to_learn()
        if labels.dtype != np.int64 or not labels.flags.carray:
            labels = np.require(labels, np.int64, ["C", "W"])
        self._changing = True
        if len(labels) == 1:
            self._prior[labels[0]] += 1.0
        else:
            self._prior += np.bincount(labels, minlength=len(self._prior))
        self._members = self.base_model().ensure_capacity(self._members, table)
        return TrainingBatch(table, labels, np.ones(len(labels)))

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probability of each class, shape (n_examples, n_classes), columns as `classes_`."""
        raise NotImplementedError

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the natural logarithms of `predict_proba`, shape (n_examples, n_classes); minus infinity for 0."""
        probabilities = self.predict_proba(X)
        logarithms = np.full(probabilities.shape, -np.inf)
        return np.log(probabilities, out=logarithms, where=probabilities > 0)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy on these examples, of which y is what `fit` takes."""
        self._check_learned()
        true = truths(self, y)
        return float(super().score(X, true, checked_weights(sample_weight, len(true))))

    def _encoded(self, X: Any) -> Table:
        """Check and encode examples to predict."""
        self._check_learned()
        return table_to_predict(self, X)
