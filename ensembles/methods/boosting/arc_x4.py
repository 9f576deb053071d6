"""Arc-x4: an example weighs 1 + m^4 where m members before were wrong about it; all votes count alike.

Bauer & Kohavi, section 3.3; thesis, section 2.4.
"""

from dataclasses import replace
from typing import Any, Self

import numpy as np

from ensembles.draws import entropy_of
from ensembles.learners.core.keeping import whole_or_nothing
from ensembles.methods.boosting.adaboost import WEIGHTING
from ensembles.methods.boosting.rounds import learned_weights
from ensembles.methods.core.base import Ensemble
from ensembles.methods.core.warm_start import WARM_START, begin_or_go_on

__all__ = ["ArcX4Classifier"]


class ArcX4Classifier(Ensemble):
    """Arc-x4, in batch; there is no rule that stops before `n_estimators` members.

    Attributes
    ----------
    member_errors_ : array of shape (n_estimators,)
        Share of the weight on which each member is wrong in training.
    example_weights_ : array of shape (n_estimators, examples)
        If the attribute `keep_weights` was set to True before `fit`: the weights that each member was trained with,
        divided by their average, of the examples whose `sample_weight` is positive.

    References
    ----------
    Breiman (1998); Bauer & Kohavi (1999), section 3.3.
    """

    key = "arc_x4"
    name = "Arc-x4"
    position = 210
    family = "boosting"
    summary = "Members one after another; an example counts for more the more members before were wrong about it."
    source = "Bauer & Kohavi (1999), section 3.3"
    weighted = False
    keep_weights = False
    weighting: str = replace(WEIGHTING, default="resample")
    warm_start: bool = WARM_START

    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the members one after another; `sample_weight` multiplies the weights, and members learn as much weight."""
        examples, kept = begin_or_go_on(self, X, y, sample_weight)
        rows, labels = self._rows(examples.table, learning=True), examples.labels
        base_model, seed, n = self.base_model(), entropy_of(self.random_state), len(labels)
        total = float(examples.weights.sum())
        mistakes, alive = np.zeros(n), np.ones(n, dtype=np.bool_)
        errors, seen = np.empty(self._given.n_estimators), []
        for m in range(self._given.n_estimators):
            share = examples.weights * (1.0 + mistakes**4)
            share /= share.sum()
            if m >= kept:
                weights = learned_weights(share, alive, total, base_model, self._given.weighting, seed, "arc_x4", m)
                self._members = base_model.fit_member(self._members, m, rows, labels, weights)
                self._report(m + 1, self._given.n_estimators)
            wrong = base_model.classes_of(self._members, m, rows, len(self.classes_)) != labels
            errors[m] = share[wrong].sum()
            mistakes += wrong
            if self.keep_weights:
                seen.append(share * n)
        self._set_votes(np.ones(self._given.n_estimators), errors)
        if self.keep_weights:
            self.example_weights_ = np.array(seen)
        return self
