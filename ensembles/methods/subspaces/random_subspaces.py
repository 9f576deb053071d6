"""Random subspaces: each member sees attributes of its own, drawn at random; random patches, if it draws examples too.

Ho (1998); Louppe & Geurts (2012).
"""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.metaestimators import available_if

from ensembles.data.table import Table
from ensembles.declarations import flag, real
from ensembles.errors import InvalidParameter
from ensembles.learners.core.base import learn_more
from ensembles.learners.core.keeping import whole_or_nothing
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.unseen import unseen_apart
from ensembles.methods.core.pool_predictions import predict_and_learn_members
from ensembles.methods.core.show import most_voted_in_order
from ensembles.methods.core.threads import N_JOBS, in_turn, threads_of
from ensembles.methods.subspaces.subspace_ensemble import SOFT_VOTE, SubspaceEnsemble

__all__ = ["RandomSubspacesClassifier"]


def _learns_online(ensemble: RandomSubspacesClassifier) -> bool:
    return ensemble.base_model().learns_online


class RandomSubspacesClassifier(SubspaceEnsemble):
    """Random subspaces, or random patches.

    Every member sees ceil(max_features times attributes) attributes, drawn once without replacement, and learns all
    examples. With `max_samples` below 1, or `bootstrap`, it learns examples of its own besides: a random patch of the table.
    On a base model that learns online it goes on with more examples (`partial_fit`), of which every member sees each.

    Notes
    -----
    Ho grows trees until no leaf holds two classes, and averages what their leaves say: here the base model is free, and
    `vote="soft"` the average. Ho draws half of the attributes, as the default does; Louppe and Geurts tune both shares.

    References
    ----------
    Ho (1998), The random subspace method for constructing decision forests; Louppe & Geurts (2012), Ensembles on random
    patches.
    """

    key = "random_subspaces"
    name = "Random subspaces"
    position = 190
    summary = "Trains every member on attributes of its own, drawn at random; or on patches of attributes and examples."
    source = "Ho (1998); Louppe & Geurts (2012)"
    max_samples: float = real(
        default=1.0,
        label="Examples a member draws",
        help="Share of the training examples that each member learns; below 1, members learn random patches.",
        low=0.0,
        high=1.0,
        open_low=True,
    )
    bootstrap: bool = flag(
        default=False,
        label="Draw examples with replacement",
        help="Let each member draw its examples with replacement, as in bagging.",
    )
    vote: str = SOFT_VOTE
    n_jobs: Any = N_JOBS

    @property
    def pieces_equal_whole(self) -> bool:
        """Whether training in pieces gives the same model as `fit`: so says the base model."""
        return getattr(self.base_model().estimator, "pieces_equal_whole", True)

    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Draw attributes for each member, and examples if it sees some only, and train it.

        `sample_weight` means what it does to the base model.
        """
        self._forget()
        examples = self._validated_examples(X, y, sample_weight, batch=not self.base_model().learns_online)
        base_model, n_members = self.base_model(), self._given.n_estimators
        streams = self._drawing(n_members)

        def train(m: int) -> None:
            weights = self._patch(streams[m], len(examples.labels)) * examples.weights
            base_model.fit_member(self._members, m, examples.table, examples.labels, weights)

        for done, _ in enumerate(in_turn(train, range(n_members), self._threads()), 1):
            self._report(done, n_members)
        self._all_vote(n_members, examples)
        return self

    def _patch(self, stream: np.random.Generator, n: int) -> npt.NDArray[np.float64]:
        """Return how often a member learns each of n examples."""
        size = math.ceil(self._given.max_samples * n)
        if self._given.bootstrap:
            drawn = stream.integers(0, n, size)
        else:
            drawn = stream.permutation(n)[:size] if size < n else np.arange(n)
        return np.bincount(drawn, minlength=n).astype(np.float64)

    @available_if(_learns_online)
    @whole_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more examples, all members each of them.

        `classes`: all classes to come; without it, new classes are added as they appear. `sample_weight` as in `fit`.

        Raises
        ------
        InvalidParameter
            Members are to draw examples, which takes all of them at once.
        """
        if self._given.bootstrap or self._given.max_samples < 1.0:
            raise InvalidParameter(
                f"{self.key}: max_samples must be 1 and bootstrap false to learn online, got "
                f"max_samples={self._given.max_samples:g} and bootstrap={self._given.bootstrap}"
            )
        self._show(self._validated_examples(X, y, sample_weight, classes, whole=False))
        return self

    @available_if(_learns_online)
    @whole_or_nothing
    def learn_batch(self, X: Table, labels: npt.NDArray[np.int64]) -> None:
        """Learn more examples without checks: the very schema and the classes are known."""
        self._show(self._unchecked_examples(X, labels))

    def _show(self, examples: TrainingBatch) -> None:
        base_model, n_members = self.base_model(), self._given.n_estimators

        def show(m: int) -> None:
            rows = base_model.rows_of(self._members, m, examples.table, learning=True)
            learn_more(self._members[m].members, 0, rows, examples.labels, examples.weights)

        for done, _ in enumerate(in_turn(show, range(n_members), self._threads()), 1):
            self._report(done, n_members)
        self._all_vote(n_members, examples)

    def _threads(self) -> int:
        """Return how many threads train members."""
        return threads_of(self._given) if self.base_model().estimator.in_threads else 1

    @available_if(_learns_online)
    @whole_or_nothing
    @unseen_apart
    def predict_then_learn(
        self, X: Table, labels: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Predict each example, then learn it, as `BaseModel.predict_then_learn`."""
        prior, votes = self._prior.copy(), np.zeros((len(labels), len(self.classes_)))
        examples = self._unchecked_examples(X, labels)
        for part, said, _ in predict_and_learn_members(
            self.base_model(),
            self._members,
            examples,
            votes.shape[1],
            soft=self.soft_votes,
            n_threads=threads_of(self._given),
        ):
            for m in range(self._given.n_estimators):
                if self.soft_votes:
                    votes[part] += said.probabilities[:, m]
                else:
                    voted = np.flatnonzero(said.classes[:, m] >= 0)
                    votes[part][voted, said.classes[voted, m]] += 1.0
        self._all_vote(self._given.n_estimators, examples)
        chosen = np.empty(len(labels), dtype=np.int64)
        most_voted_in_order(votes, labels, prior, chosen)
        return self.classes_[chosen], self._shared(votes)
