"""What all methods share that have a pool of members: members on random attributes, trained first, then asked in order.

Bai, Lam & Sclaroff, section 5.1 (members trained beforehand) and 5.2 (members that go on learning).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.metaestimators import available_if

from ensembles.data.table import Table
from ensembles.declarations import choice, integer, real
from ensembles.draws import entropy_of
from ensembles.errors import InvalidParameter
from ensembles.learners.core.base import BaseModel, learn_more
from ensembles.learners.core.feature_subset import FeatureSubset
from ensembles.learners.core.keeping import whole_or_nothing
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows
from ensembles.learners.core.unseen import unseen_apart
from ensembles.methods.core.base import Ensemble, as_decision
from ensembles.methods.core.pool_predictions import (
    NOT_SAID,
    MemberPredictions,
    decide_in_order,
    decide_rows,
    predict_and_learn_members,
    predict_members,
)
from ensembles.methods.core.threads import N_JOBS, by_ranges, threads_of
from ensembles.methods.weighting.one_class import warn_of_one_class
from ensembles.parameters import check_parameters

__all__ = ["PretrainedPool"]

_NOT_ASKED = np.empty((0, 0))


class Pretraining:
    """How many examples there will be, as far as is known."""

    _goal: int
    _expected: int


class PretrainedPool(Pretraining, Ensemble):
    """Members on random attributes, trained on the first examples.

    Subclasses say what the others do (`_learn_rest`), and count votes (`_count`).

    Attributes
    ----------
    n_pretrained_ : int
        Examples on which members were trained before the others came.
    """

    order_matters = True
    weighted = False
    weights_count = True
    pieces_equal_whole: ClassVar[bool] = False  # the share to train on first is that of the first call
    output = "class"
    loss_timing = "before"
    prefix_decides = True  # whether the first members can decide while the others are silent
    members: str = choice(
        default="fixed",
        label="Members",
        help="Keep the members as they were trained on the first examples, or let them go on learning.",
        details='Members that are "updated" go on learning ("Ours-r"); their `estimator` has to learn online.',
        choices=("fixed", "updated"),
        labels=("trained first, then fixed", "trained first, then updated"),
    )
    max_features: float = real(
        former="subset",
        default=0.5,
        label="Attributes a member sees",
        help="Share of the attributes, drawn at random for each member; with 1 members may be all alike.",
        low=0.0,
        high=1.0,
        open_low=True,
    )
    pretrain_fraction: float = real(
        default=0.1,
        label="Trained first",
        help="Share of the first call's examples on which the members are trained, before they are weighed.",
        details="Share of the first call's examples on which the members are trained, before they are weighed. Members that "
        "are updated start untrained if it is 0.",
        low=0.0,
        high=1.0,
    )
    pretrain_least: int = integer(
        default=10, label="Trained first, at least", help="Examples; two a class if that is more."
    )
    pretrain_most: int = integer(
        default=1_000_000, label="Trained first, at most", help="Examples, however large the share is.", low=1
    )
    n_jobs: Any = N_JOBS

    def _new_base_model(self) -> FeatureSubset:
        base = super()._new_base_model()
        check_parameters(base)
        if self.members == "updated" and not base.learns_online:
            raise InvalidParameter(
                f"{self.key}: estimator must learn online for members='updated', or members be 'fixed', got {base.key}"
            )
        return FeatureSubset(base, self.max_features)

    def _seeded(self, base_model: BaseModel) -> FeatureSubset:
        return FeatureSubset(base_model.estimator, self._given.max_features, entropy_of(self.random_state))

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget what was learned; train the members on the first examples and weigh them on the rest, in their order.

        `sample_weight` as in `partial_fit`.
        """
        self._forget()
        return self._take(X, y, None, sample_weight, whole=True)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more examples, in their order; the first call also trains the members.

        `sample_weight` counts examples; where a first call of ten examples or more sums to less than an eighth of their
        number, a `LightWeights` warns. `classes`: all classes to come; without it, new classes are added as they appear.
        """
        return self._take(X, y, classes, sample_weight, whole=False)

    @whole_or_nothing
    def start_stream(self, X: Table, y: npt.NDArray[Any], classes: npt.NDArray[Any]) -> int:
        """Train the members on their share of a stream, of which X and y are the whole; return how many examples it is."""
        n = self._share(len(y), len(classes))
        if n:
            examples = self._validated_examples(
                X.take(slice(0, n)), y[:n], None, classes, batch=self._given.members == "fixed"
            )
            self._begin(n, len(y) - n)
            self._learn_examples(examples)
        return n

    @whole_or_nothing
    def learn_batch(self, X: Table, labels: npt.NDArray[np.int64]) -> None:
        """Learn more examples without checks: the very schema and the classes are known."""
        self._learn_examples(self._unchecked_examples(X, labels))

    @whole_or_nothing
    @unseen_apart
    def predict_then_learn(
        self, X: Table, labels: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Predict each example, then learn it, as `BaseModel` does; a call costs more than a few examples do."""
        prior, votes = self._prior.copy(), np.empty((len(labels), len(self.classes_)))
        self._learn_examples(self._unchecked_examples(X, labels), votes)
        return self.classes_[decide_in_order(votes, labels, prior)], self._shared(votes)

    @whole_or_nothing
    def _take(self, X: Any, y: Any, classes: Any, sample_weight: Any, *, whole: bool) -> Self:
        first = not hasattr(self, "classes_")
        examples = self._validated_examples(X, y, sample_weight, classes, batch=self._given.members == "fixed")
        if first:
            n = len(examples.labels)
            share = self._share(n, len(self.classes_))
            self._begin(share, max(n - share, 0) if whole else 0)
            if self._given.members == "fixed" and n > share:
                warn_of_one_class(self.key, examples.labels[:share], self.classes_, n)
        self._learn_examples(examples)
        return self

    def _learn_examples(self, examples: TrainingBatch, votes: npt.NDArray[np.float64] = _NOT_ASKED) -> None:
        """Train members on the examples while that lasts, and go on with the rest; `votes`: those for each example."""
        n, used = len(examples.labels), self._pretrain(examples)
        rest = TrainingBatch(examples.table.take(slice(used, n)), examples.labels[used:], examples.weights[used:])
        self._learn_rest(rest, used, votes)

    def _learn_rest(self, rest: TrainingBatch, used: int, votes: npt.NDArray[np.float64]) -> None:
        """Go on with examples that come after `used` others, on which members were trained, and say who votes.

        `votes`: room for those for each example, before it is learned, or no rows.
        """
        raise NotImplementedError

    def _predicted_blocks(
        self, examples: TrainingBatch
    ) -> Iterator[tuple[slice, MemberPredictions, MemberPredictions]]:
        """Yield what members answer of examples, which those that are updated learn; and then, if losses are of that."""
        base_model, n_classes, soft = self.base_model(), len(self.classes_), self._given.output == "probability"
        table, n_threads = examples.table, threads_of(self._given)
        if self._given.members == "fixed":
            asked = predict_members(base_model, self._members, table, n_classes, soft=soft, n_threads=n_threads)
            return ((part, predictions, NOT_SAID) for part, predictions in asked)
        after = self._given.loss_timing == "after"
        return predict_and_learn_members(
            base_model, self._members, examples, n_classes, soft=soft, after=after, n_threads=n_threads
        )

    def _share(self, n: int, n_classes: int) -> int:
        """Return on how many of n examples, or of more to come, members are trained before they are weighed."""
        share: int = min(math.ceil(self._given.pretrain_fraction * n), int(self._given.pretrain_most))
        if share > 0 or self._given.members == "fixed":
            share = max(share, int(self._given.pretrain_least), 2 * n_classes)
        return share

    def _begin(self, goal: int, expected: int) -> None:
        """Begin to train members on `goal` examples, before `expected` others, 0 if their number is not known."""
        self.n_pretrained_ = 0
        self._goal, self._expected = goal, expected

    def _count(self, predictions: MemberPredictions, votes: Any) -> None:
        """Write the votes for each class, shape (n_examples, n_classes), not negative."""
        raise NotImplementedError

    def _pretrain(self, examples: TrainingBatch) -> int:
        """Train the members on the first examples; return on how many of these."""
        n = len(examples.labels)
        size: int = max(0, min(self._goal - self.n_pretrained_, n))
        if size == 0:
            return 0
        first = TrainingBatch(examples.table.take(slice(0, size)), examples.labels[:size], examples.weights[:size])
        self._train_members(first, 0, n, afresh=self.n_pretrained_ == 0)
        self.n_pretrained_ += size
        if not self.base_model().estimator.learns_online:
            self._goal = self.n_pretrained_
        return size

    def _train_members(self, examples: TrainingBatch, done: int, n: int, *, afresh: bool) -> None:
        """Show examples to every member, which if `afresh` has learned nothing; `done` of n came before."""
        base_model, size, n_members = self.base_model(), len(examples.labels), self._given.n_estimators

        def train(first: int, stop: int) -> None:
            rows: Rows | None = None
            for m in range(first, stop):
                rows = base_model.rows_of(self._members, m, examples.table, learning=True, before=rows)
                if afresh:
                    base_model.fit_member(self._members, m, rows, examples.labels, examples.weights)
                else:
                    learn_more(self._members[m].members, 0, rows, examples.labels, examples.weights)
                if n_threads == 1:
                    self._report(done * n_members + size * (m + 1), n * n_members)

        n_threads = threads_of(self._given) if base_model.estimator.in_threads else 1
        for trained in by_ranges(train, n_members, n_threads):
            self._report(done * n_members + size * trained, n * n_members)

    def _votes(self, X: Any) -> npt.NDArray[np.float64]:
        table, n_classes = self._encoded(X), len(self.classes_)
        votes = np.empty((len(table), n_classes))
        soft, n_threads = self._given.output == "probability", threads_of(self)
        asked = predict_members(self.base_model(), self._members, table, n_classes, soft=soft, n_threads=n_threads)
        for part, predictions in asked:
            self._count(predictions, votes[part])
        return votes

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class with most votes for each example, shape (n_examples,); of two tied classes, the second."""
        votes = self._votes(X)
        return self.classes_[decide_rows(votes, self._prior)]

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the votes as `Ensemble.decision_function`; of two tied classes `predict` gives the second."""
        return as_decision(self._votes(X))

    def _member_predictions(self, X: Any) -> Iterator[npt.NDArray[np.int64]]:
        base_model, table = self.base_model(), self._encoded(X)
        rows: Rows | None = None
        for m in range(self._given.n_estimators):
            rows = base_model.rows_of(self._members, m, table, learning=False, before=rows)
            yield base_model.classes_of(self._members, m, rows, len(self.classes_))

    @available_if(lambda self: self.prefix_decides)
    def staged_predict(self, X: Any) -> Iterator[npt.NDArray[Any]]:
        """Yield what the first 1, 2, ..., n_estimators members predict, by their weights of now, the others being silent."""
        for votes in self._staged_votes(X):
            yield self.classes_[decide_rows(votes, self._prior)]

    @available_if(lambda self: self.prefix_decides)
    def staged_predict_proba(self, X: Any) -> Iterator[npt.NDArray[np.float64]]:
        """Yield as `staged_predict` their shares of the votes, each of shape (n_examples, n_classes)."""
        yield from map(self._shared, self._staged_votes(X))

    def _staged_votes(self, X: Any) -> Iterator[npt.NDArray[np.float64]]:
        table, n_classes = self._encoded(X), len(self.classes_)
        asked = list(
            predict_members(
                self.base_model(), self._members, table, n_classes, soft=self._given.output == "probability"
            )
        )
        heard = [
            MemberPredictions(np.full_like(predicted, -1), np.full_like(probabilities, 1 / n_classes))
            for _, (predicted, probabilities) in asked
        ]
        votes = np.empty((len(table), n_classes))
        for m in range(self._given.n_estimators):
            for (part, (predicted, probabilities)), some in zip(asked, heard, strict=True):
                some.classes[:, m : m + 1] = predicted[:, m : m + 1]
                some.probabilities[:, m : m + 1] = probabilities[:, m : m + 1]
                self._count(some, votes[part])
            yield votes
