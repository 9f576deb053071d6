"""Streaming gradient boosted trees: a chain of regression trees, each of which learns what those before it leave to be said.

Gunasekara, Pfahringer, Gomes & Bifet (2024).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema, Table
from ensembles.declarations import integer, real
from ensembles.draws import BLOCK, uniforms
from ensembles.learners.core.keeping import whole_or_nothing
from ensembles.learners.core.learner import CATEGORICAL, SEED, Learner, TrainingBatch
from ensembles.learners.core.protocol import Rows
from ensembles.learners.core.rows import numbered_rows
from ensembles.learners.core.sure_splits import DELTA, GRACE_PERIOD, TAU
from ensembles.learners.core.tree_size import TreeSize
from ensembles.learners.core.unseen import unseen_apart
from ensembles.methods.core.block import block_of
from ensembles.methods.gradient_boosting.boosting import (
    FARTHEST,
    Rules,
    add_values,
    boost_rows,
    choose,
    choose_in_order,
)
from ensembles.methods.gradient_boosting.trees import (
    Trees,
    attribute_subsets,
    empty_trees,
    enlarged,
    size_of_one,
    with_room,
)

__all__ = ["StreamingGradientBoostingClassifier"]

_NO_SCORES = np.empty((0, 0))


class Drawn:
    """What is kept besides the trees: a generator for each chain."""

    _streams: list[np.random.Generator]


class StreamingGradientBoostingClassifier(Drawn, Learner):
    """Streaming gradient boosted trees (SGBT).

    With two classes there is one chain of trees; with K > 2 classes there are K, each for one class against all others.

    Attributes
    ----------
    n_members_ : int
        Trees in a chain.
    member_sizes_ : list of TreeSize
        Nodes and leaves of the first, second, ... trees of all chains together, and the largest depth among them.

    Notes
    -----
    Trees learn gradient / hessian of the logistic loss, which is 1 + exp(-score) for examples of the class and
    -(1 + exp(score)) for others, by MOA's FIMTDD with its settings for this method: means in the leaves, reduction of
    variance, a Page-Hinkley test at each node and alternate trees. Each tree may ask for a share of the attributes. In
    trees all examples weigh the same, as in MOA's program: weighed by their hessians, as the loss has it, trees grow slowly
    and lose (0.876 became 0.839 on moving radial functions, 0.914 became 0.902 on Agrawal's rules). The differences from
    MOA's program:

    * Scores are sums of the trees' values times the learning rate, as in training; MOA sums the values themselves to
      predict. For two classes that gives the same class, for more it rounds many probabilities to 1.
    * A leaf remembers the first `bins` distinct values of a number as possible cuts, and counts all values between them;
      MOA's remembers all. So memory is bounded, by `max_nodes` too.
    * A nominal attribute is asked for one value against all others, in one table, which are the tests that MOA has for its
      indicators. A missing number goes the way of the largest.
    * An alternate tree of a node ends those below it; MOA goes on with both. Splits need a merit above 0.
    * Sample weights count.

    References
    ----------
    Gunasekara et al. (2024); Ikonomovska, Gama & Džeroski (2011) for the trees.
    """

    key = "streaming_gradient_boosting"
    name = "Streaming gradient boosting"
    kind = "method"
    position = 296
    family = "gradient_boosting"
    summary = "Boosts regression trees along the gradient in one pass; trees that go wrong grow an alternate."
    source = "Gunasekara et al. (2024)"
    takes_base = False
    order_matters = True
    needs_classes = True
    weights_count = True
    n_estimators: int = integer(default=100, label="Trees", help="Trees in a chain.", low=1, high=10_000)
    learning_rate: float = real(
        default=0.0125,
        label="Learning rate",
        help="What share of its value a tree adds to the score.",
        low=0.0,
        high=1.0,
        open_low=True,
    )
    max_features: float = real(
        default=0.75,
        label="Share of attributes a tree sees",
        help="Each tree draws so many of the attributes, two at least.",
        low=0.0,
        high=1.0,
        open_low=True,
    )
    skip: int = integer(
        default=1,
        label="One left out of",
        help="Each chain leaves out one of so many examples, at random; 1 for none.",
        low=1,
        high=1000,
    )
    grace_period: float = replace(GRACE_PERIOD, default=25.0)
    delta: float = replace(DELTA, default=0.05)
    tau: float = TAU
    drift_threshold: float = real(
        default=50.0,
        label="Drift threshold",
        help="How far the sum of errors of a node may rise, in standard deviations, before an alternate tree begins.",
        low=0.0,
        open_low=True,
    )
    bins: int = integer(
        default=32,
        label="Cuts of a number",
        help="How many values a leaf remembers as cuts of a numeric attribute.",
        low=2,
        high=1000,
    )
    max_nodes: int = integer(
        default=500,
        label="Nodes at most",
        help="A tree grows no larger, its alternate trees included.",
        low=1,
        high=1_000_000,
    )
    random_state: Any = SEED
    categorical_features: Any = CATEGORICAL

    def _new_base_model(self) -> Any:
        return self

    def _n_chains(self, n_classes: int) -> int:
        return n_classes if n_classes > 2 else 1

    def _lay_out(self, base_model: Any, schema: Schema, n_classes: int, *, batch: bool) -> Trees:  # noqa: ARG002
        given, self._streams = self._given, self._drawing(self._n_chains(n_classes))
        sizes = given.n_estimators, len(schema.attributes)
        chosen = [attribute_subsets(stream, *sizes, given.max_features) for stream in self._streams]
        order = [*schema.nominal, *schema.numeric]
        settings = [given.grace_period, given.delta, given.tau, given.drift_threshold, given.max_nodes]
        return empty_trees(schema, np.concatenate(chosen)[:, order], given.bins, np.array(settings, dtype=np.float64))

    def _widened(
        self,
        base_model: Any,  # noqa: ARG002
        schema: Schema,
        positions: npt.NDArray[np.int64],  # noqa: ARG002
        n_classes: int,  # noqa: ARG002
    ) -> Trees:
        return enlarged(self._members, self._schema, schema)

    def ensure_capacity(self, members: Trees, table: Table) -> Trees:  # noqa: ARG002
        """Return the trees as they are: they are given room while they learn."""
        return members

    def size_of(self, members: Trees, m: int) -> TreeSize:
        """Return how large trees m of all chains are together, without their alternate trees."""
        sizes = [size_of_one(members, t) for t in range(m, len(members.roots), self._given.n_estimators)]
        nodes, leaves, depths = zip(*sizes, strict=True)
        return TreeSize(sum(nodes), sum(leaves), max(depths))

    def _rows(self, table: Table) -> Rows:
        first = self._members.first
        return numbered_rows(table, first[:-1], first[1:] - 1, unseen=-1)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget what was learned and pass once over the examples, in their order; `sample_weight` as in `partial_fit`."""
        self._forget()
        return self.partial_fit(X, y, sample_weight=sample_weight)

    @whole_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more examples, in their order; an example of `sample_weight` w counts w times in every tree.

        `classes`: all classes to come, unless they are all among the first examples.
        """
        self._learn_examples(self._validated_examples(X, y, sample_weight, classes))
        return self

    @whole_or_nothing
    def learn_batch(self, X: Table, labels: npt.NDArray[np.int64]) -> None:
        """Learn more examples without checks: the very schema and the classes are known."""
        self._learn_examples(self._unchecked_examples(X, labels))

    @whole_or_nothing
    @unseen_apart
    def predict_then_learn(
        self, X: Table, labels: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Predict each example, then learn it, as `BaseModel.predict_then_learn`."""
        prior, scores = self._prior.copy(), np.zeros((len(labels), self._n_chains(len(self.classes_))))
        self._learn_examples(self._unchecked_examples(X, labels), scores)
        probabilities, chosen = self._probabilities(scores), np.empty(len(labels), dtype=np.int64)
        choose_in_order(probabilities, labels, prior, chosen)
        return self.classes_[chosen], probabilities

    def _learn_examples(self, examples: TrainingBatch, scores: npt.NDArray[np.float64] = _NO_SCORES) -> None:
        rows, n, given = self._rows(examples.table), len(examples.labels), self._given
        rules = Rules(int(given.n_estimators), float(given.learning_rate))
        for start in range(0, n, BLOCK):
            stop, done = min(start + BLOCK, n), start
            left_out = self._left_out(stop - start)
            while done < stop:
                self._members = with_room(self._members)
                block = block_of(rows, examples, done, stop)
                done = boost_rows(self._members, block, rules, left_out[done - start :], scores)
            self._report(stop, n)
        self.n_members_ = int(given.n_estimators)

    def _left_out(self, n: int) -> npt.NDArray[np.bool_]:
        """Draw which of n examples each chain leaves out: (n, chains)."""
        if self._given.skip == 1:
            return np.zeros((n, len(self._streams)), dtype=np.bool_)
        left_out: npt.NDArray[np.bool_] = uniforms(self._streams, n) < 1 / self._given.skip
        return left_out

    def _scores(self, X: Any) -> npt.NDArray[np.float64]:
        rows = self._rows(self._encoded(X))
        scores = np.zeros((len(rows.codes), len(self._streams)))
        for m in range(len(self._members.roots)):
            self._add_values(rows, m, scores)
        return scores

    def _add_values(self, rows: Rows, m: int, scores: npt.NDArray[np.float64]) -> None:
        """Add what tree m says to the scores, (examples, chains)."""
        chain = m // int(self._given.n_estimators)
        add_values(self._members, m, rows, float(self._given.learning_rate), chain, scores)

    def _probabilities(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        own = 1.0 / (1.0 + np.exp(-np.clip(scores, -FARTHEST, FARTHEST)))
        if len(self.classes_) == 1:
            return np.ones_like(own)
        if len(self.classes_) == 2:
            return np.column_stack([1.0 - own[:, 0], own[:, 0]])
        shares: npt.NDArray[np.float64] = own / own.sum(axis=1, keepdims=True)
        return shares

    def _elected(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
        chosen = np.empty(len(scores), dtype=np.int64)
        choose(self._probabilities(scores), self._prior, chosen)
        return self.classes_[chosen]

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of each example, shape (n_examples,)."""
        return self._elected(self._scores(X))

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probability of each class, shape (n_examples, n_classes), columns as `classes_`."""
        return self._probabilities(self._scores(X))

    def staged_predict(self, X: Any) -> Iterator[npt.NDArray[Any]]:
        """Yield what the first 1, 2, ..., n_estimators trees of all chains predict, each of shape (n_examples,)."""
        rows, length = self._rows(self._encoded(X)), int(self._given.n_estimators)
        scores = np.zeros((len(rows.codes), len(self._streams)))
        for step in range(length):
            for m in range(step, len(self._members.roots), length):
                self._add_values(rows, m, scores)
            yield self._elected(scores)
