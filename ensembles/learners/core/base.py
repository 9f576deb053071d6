"""The base model: a learner that is one member, and the prototype that tells an ensemble how to lay out many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.metaestimators import available_if

from ensembles.data.table import Schema, Table
from ensembles.errors import InvalidData, InvalidParameter
from ensembles.jit import kernel
from ensembles.learners.core.batch_prediction import classes_by, probabilities_by, votes_by
from ensembles.learners.core.bound import bind
from ensembles.learners.core.keeping import whole_or_nothing
from ensembles.learners.core.learner import Learner, TrainingBatch
from ensembles.learners.core.protocol import (
    Rows,
    learn_rows,
    reset,
)
from ensembles.learners.core.test_then_learn import predict_late_then_learn_rows, predict_then_learn_rows
from ensembles.learners.core.tree_size import TreeSize
from ensembles.learners.core.tree_view import TreeNode, importances_of
from ensembles.learners.core.unseen import unseen_apart

__all__ = ["BaseModel", "learn_anew", "learn_more", "reset_member"]


def _learns_online(model: BaseModel) -> bool:
    return model.learns_online


class BaseModel(Learner):
    """A learner that is one member, and the prototype of many.

    Subclasses say how members are laid out (`init_members`, `extend_schema`, `ensure_capacity`, `rows`) and implement the
    operations of `ensembles.learners.core.protocol` for their members' type. One that learns in batch only says
    `learns_online = False` and has a `fit_member` of its own instead of `extend_schema` and the operation `learn_one`. One
    that can keep the structure of a member and take its counts from other examples has
    `backfit_member(members, m, rows, labels, weights)`.
    """

    kind = "base"
    lossless: ClassVar[bool] = False
    learns_online: ClassVar[bool] = True
    rows_alike: ClassVar[bool] = False  # whether `rows` depends on the table only, not on what members have learned
    long_blocks: ClassVar[bool] = False  # whether many examples at a time make it quicker, member by member
    in_threads: ClassVar[bool] = True  # whether different members may be trained at the same time
    backfit_member: ClassVar[Callable[..., None] | None] = None

    def _new_base_model(self) -> BaseModel:
        return self

    def init_members(self, n_members: int, schema: Schema, n_classes: int, *, batch: bool) -> Any:
        """Return the arrays of `n_members` members that have learned nothing; `batch`: they learn one after another."""
        raise NotImplementedError

    def extend_schema(
        self, members: Any, old: Schema, new: Schema, positions: npt.NDArray[np.int64], n_classes: int
    ) -> Any:
        """Return the members with room for more: class c moves to positions[c], values to their place in `new`."""
        raise InvalidData(
            f"{self.key}: members that learned in batch know the classes and values of their first examples only, "
            f"got {n_classes} classes, {len(positions)} of them known, or new values"
        )

    def ensure_capacity(self, members: Any, table: Table) -> Any:
        """Return the members with room for the values of `table`."""
        return members

    def rows(self, members: Any, table: Table, *, learning: bool) -> Rows:
        """Return the examples as the members read them; `learning`: their values have been admitted."""
        raise NotImplementedError

    def classes_of(self, members: Any, m: int, rows: Rows, n_classes: int) -> npt.NDArray[np.int64]:
        """Return the class that member m predicts for each example, -1 if it has learned nothing."""
        return classes_by(members, m, rows, n_classes)

    def probabilities_of(self, members: Any, m: int, rows: Rows, n_classes: int) -> npt.NDArray[np.float64]:
        """Return the class probabilities of member m, shape (n_examples, n_classes)."""
        return probabilities_by(members, m, rows, n_classes)

    def votes_of(
        self, members: Any, weights: npt.NDArray[np.float64], rows: Rows, n_classes: int, *, soft: bool = False
    ) -> npt.NDArray[np.float64]:
        """Return the votes of the first len(weights) members, shape (n_examples, n_classes); `soft`: of their shares."""
        return votes_by(members, weights, rows, n_classes, soft=soft)

    def settle(self, members: Any) -> None:
        """Work out what members would when they are asked: threads that ask them then write to room of their own alone."""

    def size_of(self, members: Any, m: int) -> TreeSize | None:
        """Return how large member m is, None if it is no tree."""
        return None

    def _tree_of(self, members: Any, m: int, schema: Schema) -> TreeNode | None:
        """Return the tree of member m; None if it is no tree, or has learned nothing."""
        return None

    def _lines_of(self, members: Any, m: int, schema: Schema, classes: list[Any]) -> list[str] | None:
        """Return member m in words, a line a weight; None if it is no weighted sum."""
        return None

    def _importances_of(self, members: Any, m: int, schema: Schema) -> npt.NDArray[np.float64] | None:
        """Return the share of each attribute in what the tests of member m tell; None if members have no tests."""
        if type(self)._tree_of is BaseModel._tree_of:
            return None
        tree, n_attributes = self._tree_of(members, m, schema), len(schema.attributes)
        gini = getattr(self, "criterion", "") == "gini"
        return np.zeros(n_attributes) if tree is None else importances_of(tree, n_attributes, gini=gini)

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """Share of each attribute in how much tests lower the impurity, shape (n_attributes,); of trees only."""
        self._check_learned()
        shares = self.base_model()._importances_of(self._members, self._member, self._schema)
        if shares is None:
            raise AttributeError(
                f"{self.key} has no tests: sklearn.inspection.permutation_importance tells importances"
            )
        return shares

    def fit_member(
        self,
        members: Any,
        m: int,
        rows: Rows,
        labels: npt.NDArray[np.int64],
        weights: npt.NDArray[np.float64],
    ) -> Any:
        """Train member m from nothing on the examples of positive weight; return the members, with more room if needed."""
        learn_anew(members, m, rows, labels, weights)
        return members

    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn all examples at once, forgetting what was learned before.

        Parameters
        ----------
        X : DataFrame, array or Table, shape (n_examples, n_attributes)
            Categorical, text and truth columns are nominal; NaN is a missing value.
        y : array of shape (n_examples,)
        sample_weight : array of shape (n_examples,), optional
            Not negative; an example of weight 0 is not seen at all. Weights that average between 1/8 and 8, and whole
            numbers without a common divisor, count examples: one of weight 3 is three. All others are relative, whatever
            they sum to, and divided by their average.
        """
        self._forget()
        examples = self._validated_examples(X, y, sample_weight)
        base_model = self.base_model()
        rows = base_model.rows(self._members, examples.table, learning=True)
        self._members = base_model.fit_member(self._members, 0, rows, examples.labels, examples.weights)
        self.n_members_ = 1
        return self

    @available_if(_learns_online)
    @whole_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more examples.

        Parameters
        ----------
        X, y
            As in `fit`.
        classes : array, optional
            All classes to come; without it, new classes are added as they appear.
        sample_weight : array of shape (n_examples,), optional
            As in `fit`; what they are divided by, if they are, is settled by the first call, if it has ten examples. If it
            has fewer, weights count examples.
        """
        self._learn_examples(self._validated_examples(X, y, sample_weight, classes, whole=False))
        self.n_members_ = 1
        return self

    @available_if(_learns_online)
    @whole_or_nothing
    @unseen_apart
    def predict_then_learn(
        self, X: Table, labels: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Predict each example, then learn it, without checks: the very schema and the classes are known.

        Returns
        -------
        classes : array, shape (n_examples,)
        probabilities : ndarray of float, shape (n_examples, n_classes)
            As `predict` and `predict_proba` before each example was learned.
        """
        examples = self._unchecked_examples(X, labels)
        rows = self.base_model().rows(self._members, examples.table, learning=True)
        predicted, probabilities = np.empty(len(labels), dtype=np.int64), np.empty((len(labels), len(self.classes_)))
        predict_then_learn_rows(
            bind(self._members, rows, one_by_one=True),
            rows,
            examples.labels,
            np.empty((4, len(self.classes_))),
            predicted,
            probabilities,
        )
        return self.classes_[np.maximum(predicted, 0)], probabilities

    @available_if(lambda self: self.learns_online and not hasattr(getattr(self, "_members", None), "slots"))
    @whole_or_nothing
    def predict_late_then_learn(
        self, asked: Table, until: npt.NDArray[np.int64], X: Table, labels: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Learn examples whose labels came late, and predict others meanwhile, as `OnlineEnsemble` does."""
        examples, model = self._unchecked_examples(X, labels), self.base_model()
        rows = model.rows(self._members, examples.table, learning=True)
        others = model.rows(self._members, asked.writable(), learning=False)
        predicted, probabilities = np.empty(len(asked), dtype=np.int64), np.empty((len(asked), len(self.classes_)))
        predict_late_then_learn_rows(
            (bind(self._members, rows), bind(self._members, others)),
            (rows, others),
            until,
            examples.labels,
            np.empty((4, len(self.classes_))),
            predicted,
            probabilities,
        )
        return self.classes_[np.maximum(predicted, 0)], probabilities

    @available_if(_learns_online)
    @whole_or_nothing
    def learn_batch(self, X: Table, labels: npt.NDArray[np.int64]) -> None:
        """Learn more examples without checks: the very schema and the classes are known."""
        self._learn_known(X, labels)

    def _learn_known(self, X: Table, labels: npt.NDArray[np.int64]) -> None:
        self._learn_examples(self._unchecked_examples(X, labels))

    def _learn_examples(self, examples: TrainingBatch) -> None:
        rows = self.base_model().rows(self._members, examples.table, learning=True)
        learn_more(self._members, 0, rows, examples.labels, examples.weights)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of each example, shape (n_examples,)."""
        rows = self._rows_to_predict(X)
        predicted = self.base_model().classes_of(self._members, self._member, rows, len(self.classes_))
        return self.classes_[np.maximum(predicted, 0)]

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probability of each class, shape (n_examples, n_classes), columns as `classes_`."""
        rows = self._rows_to_predict(X)
        return self.base_model().probabilities_of(self._members, self._member, rows, len(self.classes_))

    def _validated_examples(self, *examples: Any, **settings: Any) -> TrainingBatch:
        self._check_own()
        return super()._validated_examples(*examples, **settings)

    def _unchecked_examples(self, X: Table, labels: npt.NDArray[np.int64]) -> TrainingBatch:
        self._check_own()
        return super()._unchecked_examples(X, labels)

    def _check_own(self) -> None:
        """Refuse to learn more as a member of an ensemble, which learns with the others."""
        if "_member" in vars(self):
            raise InvalidParameter(
                f"{self.key}: a member of an ensemble learns with the ensemble only, or anew by fit, got partial_fit"
            )

    def _rows_to_predict(self, X: Any) -> Rows:
        table = self._encoded(X)
        return self.base_model().rows(self._members, table, learning=False)


def learn_more(
    members: Any, m: int, rows: Rows, labels: npt.NDArray[np.int64], weights: npt.NDArray[np.float64]
) -> None:
    """Show every example of positive weight to member m, then finalize it."""
    _learn(bind(members, rows), m, rows, labels, np.ascontiguousarray(weights), False)


def learn_anew(
    members: Any, m: int, rows: Rows, labels: npt.NDArray[np.int64], weights: npt.NDArray[np.float64]
) -> None:
    """As `learn_more`, once member m has forgotten everything."""
    _learn(bind(members, rows), m, rows, labels, np.ascontiguousarray(weights), True)


@kernel
def _learn(members, m, rows, labels, weights, anew):
    if anew:
        reset(members, m)
    learn_rows(members, m, rows, labels, weights)


def reset_member(members: Any, m: int, rows: Rows) -> None:
    """Make member m forget everything; rows: any that it reads."""
    _reset(bind(members, rows), m)


@kernel
def _reset(members, m):
    reset(members, m)
