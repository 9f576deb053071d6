"""What all ensembles share: a base model as prototype, many members, and the vote."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from ensembles.draws import entropy_of
from ensembles.errors import InvalidParameter
from ensembles.jit import kernel
from ensembles.learners.base import BaseModel, Learner
from ensembles.learners.naive_bayes import NaiveBayesClassifier
from ensembles.learners.protocol import best_class, classify, distribute, settle
from ensembles.parameters import Choice, Integer

__all__ = ["MEMBERS", "VOTE", "Ensemble", "log_odds", "mistakes_of", "settle_all"]

MEMBERS = Integer("n_estimators", 100, "Members", "How many base models vote.", low=1, high=10_000)
VOTE = Choice(
    "vote",
    "hard",
    "Votes",
    "Count each member's class, or average the members' class probabilities.",
    choices=("hard", "soft"),
    labels=("one member, one vote", "average of probabilities"),
)


class Ensemble(Learner):
    """An ensemble of base models that vote.

    After training: `n_members_` members vote, `member_weights_` are their votes, `member_errors_` their errors in training
    (NaN where the method does not measure them), `member_sizes_` nodes, leaves and depth of members that are trees.
    """

    @property
    def soft_votes(self) -> bool:
        """Whether members vote by their probabilities: methods that leave the choice have a parameter `vote`."""
        return getattr(self, "vote", "hard") == "soft"

    def prototype(self) -> BaseModel:
        estimator = NaiveBayesClassifier() if self.estimator is None else self.estimator
        if not isinstance(estimator, BaseModel):
            raise InvalidParameter(f"{self.key}: estimator must be a base model of this package, got {estimator!r}")
        if self.needs_online_base and not estimator.learns_online:
            raise InvalidParameter(
                f"{self.key}: estimator must learn online, example by example, got {estimator.key}, "
                "which sees all examples at once"
            )
        return estimator

    def _seeded(self, prototype: BaseModel) -> BaseModel:
        if getattr(prototype, "random_state", 0) is not None:
            return prototype
        seeded: BaseModel = clone(prototype).set_params(random_state=entropy_of(self.random_state))
        return seeded

    def _n_members(self) -> int:
        return int(self.n_estimators)

    def _rows(self, table, *, learning):
        return self.prototype().rows(self._members, table, learning=learning)

    def _set_votes(self, votes: npt.NDArray[np.float64], errors: npt.NDArray[np.float64] | None = None) -> None:
        """Say which members vote, the first len(votes), and with what weight."""
        self.member_weights_ = votes
        self.n_members_ = len(votes)
        self.member_errors_ = np.full(len(votes), np.nan) if errors is None else errors

    def _votes(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the votes for each class, shape (n_examples, n_classes)."""
        rows = self._rows(self._encoded(X), learning=False)
        n_classes = len(self.classes_)
        votes, work = np.zeros((len(rows.codes), n_classes)), np.empty((5, n_classes))
        (_add_distributions if self.soft_votes else _count_votes)(
            self._members, self.member_weights_, rows, work, votes
        )
        return votes

    def predict(self, X):
        """Return the class with most votes for each example, shape (n_examples,)."""
        votes = self._votes(X)
        chosen = np.empty(len(votes), dtype=np.int64)
        _most_voted(votes, self._prior, chosen)
        return self.classes_[chosen]

    def predict_proba(self, X):
        """Return each class's share of the votes, shape (n_examples, n_classes), columns as `classes_`."""
        votes = self._votes(X)
        total = votes.sum(axis=1, keepdims=True)
        return np.divide(votes, total, out=np.full_like(votes, 1 / votes.shape[1]), where=total > 0)


@kernel
def _count_votes(members, votes, rows, work, counted):
    for m in range(votes.shape[0]):
        for i in range(counted.shape[0]):
            c = classify(members, m, rows, i, work)
            if c >= 0:  # a member that has learned nothing does not vote
                counted[i, c] += votes[m]


@kernel
def _add_distributions(members, votes, rows, work, summed):
    for m in range(votes.shape[0]):
        for i in range(summed.shape[0]):
            distribute(members, m, rows, i, work, work[4])
            for c in range(summed.shape[1]):
                summed[i, c] += votes[m] * work[4, c]


@kernel
def _most_voted(votes, prior, chosen):
    for i in range(votes.shape[0]):
        chosen[i] = best_class(votes[i], prior)


@kernel
def settle_all(members, n_members):
    """Settle every member, so that predicting changes nothing."""
    for m in range(n_members):
        settle(members, m)


def mistakes_of(members, m, rows, labels, n_classes):
    """Return for each example whether member m gets it wrong."""
    wrong = np.empty(len(labels), dtype=np.bool_)
    _mark_mistakes(members, m, rows, labels, np.empty((4, n_classes)), wrong)
    return wrong


@kernel
def _mark_mistakes(members, m, rows, labels, work, wrong):
    for i in range(labels.shape[0]):
        wrong[i] = classify(members, m, rows, i, work) != labels[i]


def log_odds(right: npt.NDArray[np.float64], wrong: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return ln((1 - error) / error) for weights of examples told right and wrong."""
    return np.log(right) - np.log(wrong)
