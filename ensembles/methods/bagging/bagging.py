"""Bagging: each member learns a bootstrap sample of the examples; all votes count alike.

Thesis, figures 2.6 and 3.1; Bauer & Kohavi, sections 3.1 and 6.
"""

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ensembles.declarations import flag, integer
from ensembles.errors import InvalidParameter
from ensembles.learners.core.keeping import whole_or_nothing
from ensembles.methods.core.base import VOTE, Ensemble

__all__ = ["BaggingClassifier", "BatchBagging"]


class BatchBagging(Ensemble):
    """An ensemble whose members learn the same examples, one member after another, with weights of their own."""

    family = "bagging"
    backfit = False
    measures_errors = False

    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Draw weights for each member and train it; `sample_weight` multiplies them and means what it does to members."""
        self._forget()
        if self._given.backfit and self.base_model().backfit_member is None:
            raise InvalidParameter(
                f"{self.key}: backfit needs a base model that can count again, such as a decision tree, "
                f"got {self.base_model().key}"
            )
        examples = self._validated_examples(X, y, sample_weight, batch=True)
        rows = self._rows(examples.table, learning=True)
        base_model = self.base_model()
        for m, stream in enumerate(self._drawing(self._given.n_estimators)):
            weights = self._weigh(stream, examples.weights)
            self._members = base_model.fit_member(self._members, m, rows, examples.labels, weights)
            if self._given.backfit and base_model.backfit_member is not None:
                base_model.backfit_member(self._members, m, rows, examples.labels, examples.weights)
            self._report(m + 1, self._given.n_estimators)
        self._all_vote(self._given.n_estimators, examples)
        return self

    def _weigh(self, stream: np.random.Generator, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return a member's own weights of the examples: multiples of 2^-20, at least one of them positive."""
        raise NotImplementedError


class BaggingClassifier(BatchBagging):
    """Bagging.

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

    def _weigh(self, stream: np.random.Generator, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        n = len(weights)
        return np.bincount(stream.integers(0, n, self._given.max_samples or n), minlength=n) * weights
