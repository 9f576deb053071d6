"""Primed online boosting: AdaBoost on the first part of the examples, online boosting on the rest.

Thesis, sections 4.4 and 4.6.2.
"""

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Table
from ensembles.declarations import choice, flag, integer, real
from ensembles.draws import entropy_of
from ensembles.learners.core.base import reset_member
from ensembles.learners.core.bound import bind
from ensembles.learners.core.keeping import whole_or_nothing
from ensembles.learners.core.learner import TrainingBatch
from ensembles.methods.boosting.adaboost import AdaBoostClassifier
from ensembles.methods.boosting.online_boosting import DRAW, NORM, OnlineBooster
from ensembles.methods.boosting.rounds import boost
from ensembles.methods.core.base import VOTE, finalize_all
from ensembles.methods.core.threads import N_JOBS

__all__ = ["PrimedOnlineBoostingClassifier"]


class PrimedOnlineBoostingClassifier(OnlineBooster):
    """Primed online boosting.

    The first `fit` or `partial_fit` is primed with the lesser of `prime_fraction` of its examples and `prime_cap`; with
    fewer than ten examples, or two a class, it is plain online boosting. The batch part keeps as many members as AdaBoost
    trains before it stops, and the online part goes on with these, or with fresh ones behind them up to `n_estimators`
    (`pad`); where they are fewer, a `StoppedEarly` warns. If AdaBoost keeps none, all members start online.

    With `priming="adaptive"` that is the most it is primed with. AdaBoost learns the first examples, ten or two a class,
    then twice as many, and so on, as long as it gets no fewer of the next examples right, as many as it learned, than when
    it had learned half; it is primed with all that were looked at.
    The thesis wants priming to adapt (section 5.2, to the machine) and says not how: this rule is ours, and asks the stream.

    Attributes
    ----------
    n_primed_ : int
        Examples learned in batch.
    stop_reason_ : str or None
        Why batch training ended before `n_estimators` members; None if it did not, or others went on without it.

    References
    ----------
    Oza (2001), sections 4.4 and 4.6.2.
    """

    key = "primed_online_boosting"
    name = "Primed online boosting"
    position = 240
    family = "boosting"
    summary = "AdaBoost on the first examples, online boosting of its members on the rest."
    source = "Oza (2001), sections 4.4 and 4.6.2"
    stops_early = True
    pieces_equal_whole = False  # the primed share is that of the first call
    prime_fraction: float = real(
        default=0.2,
        label="Primed share",
        help="Share of the training examples that is learned in batch before going on online.",
        low=0.0,
        high=1.0,
    )
    prime_cap: int = integer(
        default=10_000, label="Primed at most", help="Examples learned in batch at most, whatever the share."
    )
    pad: bool = flag(
        default=False,
        label="Fresh members",
        help="Where AdaBoost stopped early, add members that only learn online, up to the number of members.",
    )
    draw: str = DRAW
    norm: str = NORM
    priming: str = choice(
        default="share",
        label="How much is primed",
        help="A share of the examples, or fewer: doubled while that makes AdaBoost no worse on the next ones.",
        choices=("share", "adaptive"),
        labels=("a share of the examples", "doubled while it does no harm, at most that share"),
    )
    vote: str = VOTE
    n_jobs: Any = N_JOBS

    @whole_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more examples, in their order; the first call is primed."""
        if hasattr(self, "classes_"):
            return super().partial_fit(X, y, classes, sample_weight)
        examples = self._validated_examples(X, y, sample_weight, classes)
        n = self._share(len(examples.labels), len(self.classes_))
        return self._learn_first(examples, self._helpful(*examples, n, len(self.classes_)))

    @whole_or_nothing
    def start_stream(self, X: Table, y: npt.NDArray[Any], classes: npt.NDArray[Any]) -> int:
        """Prime with the share of a stream, of which X and y are the whole; return how many examples that is."""
        n = self._share(len(y), len(classes))
        n = self._helpful(X, y, np.ones(len(y)), n, len(classes))
        if n:
            self._learn_first(self._validated_examples(X.take(slice(0, n)), y[:n], None, classes), n)
        return n

    def _share(self, n_examples: int, n_classes: int) -> int:
        n = min(int(self._given.prime_fraction * n_examples), self._given.prime_cap)
        return n if n >= max(10, 2 * n_classes) else 0

    def _helpful(
        self, X: Table, y: npt.NDArray[Any], weights: npt.NDArray[np.float64], most: int, n_classes: int
    ) -> int:
        """Return with how many examples to be primed, at most `most`."""
        size = max(10, 2 * n_classes)
        if self._given.priming == "share" or 2 * size > most:
            return most
        before = self._boosted(X, y, weights, size)
        while 4 * size <= most:
            size *= 2
            after, held_out = self._boosted(X, y, weights, size), slice(size, 2 * size)
            asked, truth = X.take(held_out), y[held_out]
            gained = (after.predict(asked) == truth) * 1.0 - (before.predict(asked) == truth)
            if weights[held_out] @ gained < 0.0:
                return 2 * size
            before = after
        return most

    def _boosted(
        self, X: Table, y: npt.NDArray[Any], weights: npt.NDArray[np.float64], size: int
    ) -> AdaBoostClassifier:
        """Return AdaBoost trained on the first examples."""
        model = AdaBoostClassifier(
            self.base_model(),
            n_estimators=self._given.n_estimators,
            algorithm="m1",
            random_state=entropy_of(self.random_state),
        )
        model.warns_if_stopped = False
        model.on_progress = lambda _: self._report(1, 10**6)
        return model.fit(X.take(slice(0, size)), y[:size], weights[:size])

    def _learn_first(self, examples: TrainingBatch, n: int) -> Self:
        """Learn the first n examples in batch and the rest online."""
        self.n_primed_ = n
        self.stop_reason_ = None
        primed = n > 0 and self._prime(examples)
        if not primed:
            self._start(self._given.n_estimators)
        rows = self._rows(examples.table, learning=True)
        self._learn(rows, examples, n if primed else 0)
        finalize_all(bind(self._members, rows), len(self._streams))
        return self

    def _prime(self, examples: TrainingBatch) -> bool:
        """Boost the first examples in batch; return whether any member was kept."""
        part = type(examples)(
            examples.table.take(slice(0, self.n_primed_)),
            examples.labels[: self.n_primed_],
            examples.weights[: self.n_primed_],
        )
        rows = self._rows(part.table, learning=True)
        boosted = boost(
            self.base_model(), self._members, self._given.n_estimators, rows, part, len(self.classes_), self._report
        )
        self._members, errors = boosted.members, boosted.errors
        if errors[0] >= 0.5:
            self._members = self.base_model().ensure_capacity(self._fresh_members(), examples.table)
            return False
        kept, mass = len(errors), part.weights.sum()
        self._start(self._given.n_estimators if self._given.pad else kept)
        self._note_stop(kept, self._given.n_estimators, None if self._given.pad else boosted.reason)
        self._chain.right[:kept], self._chain.wrong[:kept] = mass * (1 - errors), mass * errors
        if kept < len(self._streams):
            self._chain.skipped_weight[kept:] = mass
            reset_member(self._members, kept, rows)  # the member at which AdaBoost stopped is there, trained
        return True

    def _fresh_members(self) -> Any:
        return self._lay_out(self.base_model(), self._schema, len(self.classes_), batch=False)
