"""Soft voting: the mean of the class probabilities of several models, from scikit-learn."""

from __future__ import annotations

from typing import Any

from sklearn.ensemble import VotingClassifier

from ensembles.methods.combining.models import Combination
from ensembles.methods.core.ready import Task

__all__ = ["SoftVotingClassifier"]


class SoftVotingClassifier(Combination):
    """Soft voting of models that differ in kind, as scikit-learn does it.

    `estimator_` is a `sklearn.ensemble.VotingClassifier` with `voting="soft"`. With `tune="grid"`, it is tried by
    cross-validation to leave out one of the models of `models`, if there are more than two.

    References
    ----------
    Kittler, Hatef, Duin & Matas (1998), the sum rule.
    """

    key = "soft_voting"
    name = "Soft voting"
    position = 371
    summary = "Averages the class probabilities of models that differ in kind; from scikit-learn."
    source = "Kittler, Hatef, Duin & Matas (1998)"

    def _candidates(self, given: dict[str, Any]) -> list[dict[str, Any]]:
        """Return all models, and all but one."""
        keys = str(given["models"]).split("+")
        fewer = [[*keys[:m], *keys[m + 1 :]] for m in range(len(keys))] if len(keys) > 2 else []
        choices = [] if self._given.estimators is not None else fewer
        return [{"models": "+".join(some)} for some in (keys, *choices)]

    def _fitted(self, task: Task) -> Any:
        n_models = len(self._learners(str(task.settings["models"])))
        voting = VotingClassifier(self._combined(task, n_fits=n_models), voting="soft")
        weights = {} if task.weights is None else {"sample_weight": task.weights}
        return voting.fit(task.inputs, task.labels, **weights)
