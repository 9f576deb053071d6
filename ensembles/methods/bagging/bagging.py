"""Bagging: each member learns a bootstrap sample of the examples; all votes count alike.

Thesis, figures 2.6 and 3.1; Bauer & Kohavi, sections 3.1 and 6.
"""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ensembles.declarations import flag, integer
from ensembles.errors import InvalidParameter
from ensembles.learners.core.keeping import whole_or_nothing
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows
from ensembles.learners.core.sharing import ALONE, sharing_of
from ensembles.methods.bagging.out_of_bag import OOB_SCORE, LeftOut
from ensembles.methods.core.base import VOTE, Ensemble
from ensembles.methods.core.threads import N_JOBS, in_turn, threads_of
from ensembles.methods.core.warm_start import WARM_START, members_to_keep, take_in_again
from ensembles.wording import written

__all__ = ["BaggingClassifier", "BatchBagging"]


class BatchBagging(Ensemble):
    """An ensemble whose members learn the same examples, one member after another, with weights of their own."""

    family = "bagging"
    backfit = False
    measures_errors = False
    warm_start: bool = WARM_START
    n_jobs: Any = N_JOBS

    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Draw weights for each member and train it; `sample_weight` multiplies them and means what it does to members."""
        kept = members_to_keep(self)
        if not kept:
            self._forget()
        if self._given.backfit and self.base_model().backfit_member is None:
            raise InvalidParameter(
                f"{self.key}: backfit needs a base model that can count again, such as a decision tree, "
                f"got {self.base_model().key}"
            )
        asks_left_out = self._asks_left_out()
        if kept:
            examples, kept = take_in_again(self, kept, X, y, sample_weight)
        else:
            examples = self._validated_examples(X, y, sample_weight, batch=True)
        rows = self._rows(examples.table, learning=True)
        base_model = self.base_model()
        left_out = LeftOut(len(rows.codes), len(self.classes_), soft=self.soft_votes) if asks_left_out else None
        for m, weights in self._trained(rows, examples, kept):
            if self._given.backfit and base_model.backfit_member is not None:
                base_model.backfit_member(self._members, m, rows, examples.labels, examples.weights)
            if left_out is not None:
                left_out.ask(base_model, self._members, m, rows, weights)
            self._report(m + 1, self._given.n_estimators)
        self._all_vote(self._given.n_estimators, examples)
        if left_out is not None:
            right = self._elected(left_out.votes) == self.classes_[examples.labels]
            self.oob_decision_function_, self.oob_score_ = left_out.shares(), left_out.score(right, examples.weights)
        return self

    def _trained(self, rows: Rows, examples: TrainingBatch, kept: int) -> Iterator[tuple[int, npt.NDArray[np.float64]]]:
        """Train the members from number `kept` on; yield each once it is among the others, and the weights it learned by."""
        base_model, n_members, n_threads = self.base_model(), self._given.n_estimators, threads_of(self._given)
        sharing, streams = sharing_of(self._members), self._drawing(n_members)
        if n_threads == 1 or not sharing.trains_apart:
            sharing, n_threads = ALONE, 1

        def train(m: int) -> tuple[npt.NDArray[np.float64], Any]:
            weights = self._weigh(streams[m], examples.weights)
            return weights, base_model.fit_member(sharing.apart(self._members), m, rows, examples.labels, weights)

        for m, (weights, trained) in enumerate(in_turn(train, range(kept, n_members), n_threads), kept):
            self._members = sharing.take_over(self._members, m, trained)
            yield m, weights

    def _asks_left_out(self) -> bool:
        """Say whether members are asked about the examples that their samples left out; all others learn all examples."""
        asks = getattr(self._given, "oob_score", False)
        if not isinstance(asks, bool):
            raise InvalidParameter(f"{self.key}: oob_score must be true or false, got {written(asks)}")
        if asks and self._given.backfit:
            raise InvalidParameter(
                f"{self.key}: oob_score must be false where backfit is true, as members then count all examples"
            )
        if asks and self._given.warm_start:
            raise InvalidParameter(
                f"{self.key}: oob_score must be false where warm_start is true, as votes of members before are not kept"
            )
        return asks

    def _weigh(self, stream: np.random.Generator, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return a member's own weights of the examples: multiples of 2^-20, at least one of them positive."""
        raise NotImplementedError


class BaggingClassifier(BatchBagging):
    """Bagging.

    Attributes
    ----------
    oob_score_ : float
        With `oob_score`: share of the training examples that the members which did not learn them tell right together, by
        weight, of those that any member left out.
    oob_decision_function_ : array of shape (examples, n_classes)
        With `oob_score`: their shares of the votes for each training example of positive weight; NaN where none left it out.

    Notes
    -----
    The best variant of Bauer and Kohavi: a pruned tree with `prune="none"`, soft votes and backfitting.

    References
    ----------
    Breiman (1996); Oza (2001), figures 2.6 and 3.1; Bauer & Kohavi (1999), section 6.
    """

    key = "bagging"
    name = "Bagging"
    position = 100
    summary = "Trains every member on a bootstrap sample of the examples; the majority decides."
    source = "Oza (2001), figures 2.6 and 3.1"
    weighted = False
    max_samples: int = integer(
        former="sample_size",
        default=0,
        label="Sample size",
        help="How many examples a member draws, with replacement; 0 for as many as there are.",
        low=0,
    )
    vote: str = VOTE
    backfit: bool = flag(
        default=False,
        label="Backfitting",
        help="Keep the structure that a member learned from its sample, and take its counts from all examples.",
        details=(
            "Once a member has learned its sample, keep its structure and take its counts from all examples. "
            "Decision trees, stumps, rules and naive Bayes can."
        ),
    )

    oob_score: bool = OOB_SCORE

    def _weigh(self, stream: np.random.Generator, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        n = len(weights)
        return np.bincount(stream.integers(0, n, self._given.max_samples or n), minlength=n) * weights
