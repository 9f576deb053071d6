"""Bagging: each member learns a bootstrap sample of the examples; all votes count alike.

Thesis, figures 2.6 and 3.1; Bauer & Kohavi, section 3.1.
"""

import numpy as np

from ensembles.draws import entropy_of, streams
from ensembles.methods.base import MEMBERS, Ensemble
from ensembles.parameters import Choice

__all__ = ["BaggingClassifier"]


class BaggingClassifier(Ensemble):
    """Bagging.

    Parameters
    ----------
    estimator : base model, optional
        Naive Bayes by default.
    n_estimators : int
        Members, in [1, 10000].
    vote : {"hard", "soft"}
        Count classes, or average the members' probabilities.
    random_state : int, RandomState or None

    References
    ----------
    Breiman (1996); Oza (2001), figures 2.6 and 3.1.
    """

    key = "bagging"
    name = "Bagging"
    family = "bagging"
    summary = "Trains every member on a bootstrap sample of the examples; the majority decides."
    source = "Oza (2001), figures 2.6 and 3.1"
    parameters = (
        MEMBERS,
        Choice(
            "vote",
            "hard",
            "Votes",
            "Count each member's class, or average the members' class probabilities.",
            choices=("hard", "soft"),
            labels=("one member, one vote", "average of probabilities"),
        ),
    )

    def __init__(self, estimator=None, n_estimators=100, vote="hard", random_state=None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.vote = vote
        self.random_state = random_state

    @property
    def soft_votes(self):
        return self.vote == "soft"

    def fit(self, X, y, sample_weight=None):
        """Draw a bootstrap sample for each member and train it; `sample_weight` multiplies the counts."""
        self._forget()
        examples = self._admit(X, y, sample_weight, batch=True)
        rows = self._rows(examples.table, learning=True)
        prototype, n = self.prototype(), len(examples.labels)
        for m, stream in enumerate(streams(entropy_of(self.random_state), "bagging", self.n_estimators)):
            counts = np.bincount(stream.integers(0, n, n), minlength=n)
            self._members = prototype.fit_member(self._members, m, rows, examples.labels, counts * examples.weights)
            self._report(m + 1, self.n_estimators)
        self._set_votes(np.ones(self.n_estimators))
        return self
