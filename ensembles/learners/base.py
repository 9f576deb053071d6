"""What all our learners share: checking X, y and weights once, growing with new classes and values, talking scikit-learn.

`Learner` checks and encodes; `BaseModel` is a learner that is one member, and the prototype that tells an ensemble how to
lay out many. Kernels below see clean arrays only and never raise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, column_or_1d, validate_data

from ensembles.data.encoding import encode_array, encode_frame, has_nominal, merge_schemas, recode
from ensembles.data.table import MISSING, UNSEEN, Schema, Table
from ensembles.errors import InvalidData
from ensembles.exact import quantise
from ensembles.jit import kernel
from ensembles.learners.asking import add_distributions, classes_by, count_votes, shares_by
from ensembles.learners.protocol import Rows, begin, classify, distribute, learn, settle
from ensembles.learners.tree_size import TreeSize
from ensembles.parameters import Parameter, check_parameters

__all__ = ["NO_SLOTS", "BaseModel", "Examples", "Learner", "learn_rows", "numbered_rows", "restart", "writable"]


NO_SLOTS = np.empty((0, 0), dtype=np.int32)  #: in the place of slots that are not needed


def writable(arrays: Any) -> Any:
    """Return a NamedTuple of arrays with those that are read-only (memory maps) copied: kernels compile for one kind."""
    if all(array.flags.carray for array in arrays):
        return arrays
    return type(arrays)(*(np.require(array, requirements=["C", "W"]) for array in arrays))


def numbered_rows(
    table: Table, first: Any, missing: Any = MISSING, unseen: int = UNSEEN, slots: Any = NO_SLOTS
) -> Rows:
    """Return the examples as kernels read them, with nominal values numbered: those of attribute a from first[a] on.

    `missing` (for all attributes or one each) and `unseen` are the numbers of cells without a known value.
    """
    codes = table.codes + np.asarray(first, dtype=np.int32)
    if codes.size and table.codes.min() < 0:
        codes = np.where(table.codes >= 0, codes, np.where(table.codes == MISSING, missing, unseen))
    rows: Rows = writable(Rows(codes.astype(np.int32, copy=False), table.numbers, slots))
    return rows


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


def _learns_online(model: BaseModel) -> bool:
    return model.learns_online


class BaseModel(Learner):
    """A learner that is one member, and the prototype of many.

    Subclasses say how members are laid out (`allocate`, `enlarge`, `admit`, `rows`) and implement the operations of
    `ensembles.learners.protocol` for their members' type. One that learns in batch only says `learns_online = False`
    and has a `fit_member` of its own instead of `enlarge` and the operation `learn`. One that can keep the structure of a
    member and take its counts from other examples has `backfit_member(members, m, rows, labels, weights)`.
    """

    lossless: ClassVar[bool] = False
    learns_online: ClassVar[bool] = True
    backfit_member: Callable[..., None] | None = None

    def prototype(self) -> BaseModel:
        return self

    def allocate(self, n_members: int, schema: Schema, n_classes: int, *, batch: bool) -> Any:
        """Return the arrays of `n_members` members that have learned nothing; `batch`: they learn one after another."""
        raise NotImplementedError

    def enlarge(self, members: Any, old: Schema, new: Schema, positions: npt.NDArray[np.int64], n_classes: int) -> Any:
        """Return the members with room for more: class c moves to positions[c], values to their place in `new`."""
        raise InvalidData(
            f"{self.key}: members that learned in batch know the classes and values of their first examples only, "
            f"got {n_classes} classes, {len(positions)} of them known, or new values"
        )

    def admit(self, members: Any, table: Table) -> Any:
        """Return the members with room for the values of `table`."""
        return members

    def rows(self, members: Any, table: Table, *, learning: bool) -> Rows:
        """Return the examples as the members read them; `learning`: their values have been admitted."""
        raise NotImplementedError

    def usable(self, members: Any) -> Any:
        """Return the members as kernels take them: memory maps, which are read-only, are copied."""
        return writable(members)

    def classes_of(self, members: Any, m: int, rows: Rows, n_classes: int) -> npt.NDArray[np.int64]:
        """Return the class that member m predicts for each example, -1 if it has learned nothing."""
        return classes_by(members, m, rows, n_classes)

    def shares_of(self, members: Any, m: int, rows: Rows, n_classes: int) -> npt.NDArray[np.float64]:
        """Return the class probabilities of member m, shape (n_examples, n_classes)."""
        return shares_by(members, m, rows, n_classes)

    def votes_of(
        self, members: Any, weights: npt.NDArray[np.float64], rows: Rows, n_classes: int, *, soft: bool = False
    ) -> npt.NDArray[np.float64]:
        """Return the votes of the first len(weights) members, shape (n_examples, n_classes); `soft`: of their shares."""
        votes = np.zeros((len(rows.codes), n_classes))
        add = add_distributions if soft else count_votes
        add(members, weights, rows, np.empty((5, n_classes)), votes)
        return votes

    def size_of(self, members: Any, m: int) -> TreeSize | None:
        """Return how large member m is, None if it is no tree."""
        return None

    def fit_member(
        self,
        members: Any,
        m: int,
        rows: Rows,
        labels: npt.NDArray[np.int64],
        weights: npt.NDArray[np.float64],
    ) -> Any:
        """Train member m from nothing on the examples of positive weight; return the members, with more room if needed."""
        restart(members, m)
        learn_rows(members, m, rows, labels, weights)
        return members

    def fit(self, X, y, sample_weight=None):
        """Learn all examples at once, forgetting what was learned before.

        Parameters
        ----------
        X : DataFrame, array or Table, shape (n_examples, n_attributes)
            Categorical, text and truth columns are nominal; NaN is a missing value.
        y : array of shape (n_examples,)
        sample_weight : array of shape (n_examples,), optional
            Not negative; an example of weight 0 is not seen at all.
        """
        self._forget()
        examples = self._admit(X, y, sample_weight)
        rows = self.rows(self._members, examples.table, learning=True)
        self._members = self.fit_member(self._members, 0, rows, examples.labels, examples.weights)
        self.n_members_ = 1
        return self

    @available_if(_learns_online)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn more examples. `classes`: all classes to come; without it, new classes are added as they appear."""
        self._learn_examples(self._admit(X, y, sample_weight, classes))
        self.n_members_ = 1
        return self

    @available_if(_learns_online)
    def tell_and_learn(
        self, X: Table, labels: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Predict each example, then learn it, without checks: the very schema and the classes are known.

        Returns
        -------
        classes : array, shape (n_examples,)
        probabilities : ndarray of float, shape (n_examples, n_classes)
            As `predict` and `predict_proba` before each example was learned.
        """
        examples = self._admit_next(X, labels)
        rows = self.rows(self._members, X, learning=True)
        told, shares = np.empty(len(labels), dtype=np.int64), np.empty((len(labels), len(self.classes_)))
        _tell_and_learn_rows(self._members, rows, examples.labels, np.empty((4, len(self.classes_))), told, shares)
        return self.classes_[np.maximum(told, 0)], shares

    def _learn_examples(self, examples: Examples) -> None:
        rows = self.rows(self._members, examples.table, learning=True)
        learn_rows(self._members, 0, rows, examples.labels, examples.weights)

    def predict(self, X):
        """Return the class of each example, shape (n_examples,)."""
        rows = self._asked(X)
        predicted = self.classes_of(self._members, 0, rows, len(self.classes_))
        return self.classes_[np.maximum(predicted, 0)]

    def predict_proba(self, X):
        """Return the probability of each class, shape (n_examples, n_classes), columns as `classes_`."""
        rows = self._asked(X)
        return self.shares_of(self._members, 0, rows, len(self.classes_))

    def _asked(self, X: Any) -> Rows:
        table = self._encoded(X)
        return self.rows(self._members, table, learning=False)


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


@kernel
def learn_rows(members, m, rows, labels, weights):
    """Show every example of positive weight to member m, then settle it."""
    for i in range(labels.shape[0]):
        if weights[i] > 0.0:
            learn(members, m, rows, i, labels[i], weights[i])
    settle(members, m)


@kernel
def _tell_and_learn_rows(members, rows, labels, work, told, shares):
    """Ask member 0 for class and probabilities of each example, then show it the example."""
    for i in range(labels.shape[0]):
        told[i] = classify(members, 0, rows, i, work)
        distribute(members, 0, rows, i, work, shares[i])
        learn(members, 0, rows, i, labels[i], 1.0)
    settle(members, 0)


@kernel
def restart(members, m):
    """Make member m forget everything."""
    begin(members, m)
