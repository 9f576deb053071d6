"""What all ensembles share: a base model as prototype, many members, and the vote."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from ensembles.data.table import Table
from ensembles.declarations import argument, choice, integer
from ensembles.draws import entropy_of
from ensembles.errors import InvalidParameter, StoppedEarly
from ensembles.jit import kernel
from ensembles.learners.bayes.naive_bayes import NaiveBayesClassifier
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.checking import check_as_many, truths
from ensembles.learners.core.example_weights import testing_weights
from ensembles.learners.core.learner import Learner, TrainingBatch
from ensembles.learners.core.protocol import Rows, best_class, finalize
from ensembles.learners.sklearn.adapter import as_base_model, why_not_online
from ensembles.methods.core.members import WithMembers
from ensembles.methods.core.threads import threads_of, votes_in_threads
from ensembles.wording import written

__all__ = ["ESTIMATOR", "VOTE", "Ensemble", "as_decision", "base_model_of", "finalize_all", "log_odds"]

ESTIMATOR = argument(
    default=None,
    what="base model, classifier of scikit-learn, or None",
    help="What each member is; naive Bayes if None.",
)
VOTE = choice(
    default="hard",
    label="Votes",
    help="Count each member's class, or average the members' class probabilities.",
    choices=("hard", "soft"),
    labels=("one member, one vote", "average of probabilities"),
    lasting=False,
)


def base_model_of(method: Any) -> BaseModel:
    """Return the base model that `estimator` of a method stands for: the usual one of the method if it is None.

    Raises
    ------
    InvalidParameter
        It is neither a base model nor a scikit-learn classifier, or none that the method can use.
    """
    estimator = method.estimator
    model = method.usual_base() if estimator is None else as_base_model(estimator)
    if model is None:
        raise InvalidParameter(
            f"{method.key}: estimator must be a base model of this package or a classifier of scikit-learn, "
            f"got {written(estimator)}"
        )
    if method.only_bases and model.key not in method.only_bases:
        allowed = " or ".join(method.only_bases)
        raise InvalidParameter(f"{method.key}: estimator must be a base model of key {allowed}, got {model.key}")
    return model


def _members_vote(ensemble: Ensemble) -> bool:
    """Whether the prediction is the sum of what members say, so that the first few of them are an ensemble too."""
    kind = type(ensemble)
    return kind._votes is Ensemble._votes and kind.predict is Ensemble.predict


def _members_predict_alone(ensemble: Ensemble) -> bool:
    """Whether each member can be asked alone: where they vote, or where a method has its own way to ask them."""
    return _members_vote(ensemble) or type(ensemble)._member_predictions is not Ensemble._member_predictions


class Voted:
    """What ensembles hold of their votes once they are trained."""

    _errors: npt.NDArray[np.float64] | None
    _examples: TrainingBatch | None


class Ensemble(Voted, WithMembers, Learner):
    """An ensemble of base models that vote.

    After training: `n_members_` members vote, `member_weights_` are their votes, `member_errors_` their errors in training,
    `member_sizes_` nodes, leaves and depth of members that are trees.
    """

    kind = "method"
    usual_base: ClassVar[type[BaseModel]] = NaiveBayesClassifier
    stops_early: ClassVar[bool] = (
        False  # whether training may end before all members are trained: `stop_reason_` says why
    )
    warns_if_stopped = True  # set it to False where `stop_reason_` or `n_members_` is read anyway
    measures_errors = True  # whether training tells the errors of the members, so that reading them costs nothing
    estimator: Any = ESTIMATOR
    n_estimators: int = integer(default=100, label="Members", help="How many base models vote.", low=1, high=10_000)
    random_state: Any = argument(
        default=None,
        what="int, RandomState or None",
        help="Seed of what is drawn, handed down to base models that draw and have none of their own.",
        kw_only=True,
    )

    @property
    def soft_votes(self) -> bool:
        """Whether members vote by their probabilities: methods that leave the choice have a parameter `vote`."""
        return getattr(self._given, "vote", "hard") == "soft"

    @property
    def _decides_by_votes(self) -> bool:
        """Whether `predict` gives the class of most votes."""
        return type(self).predict is Ensemble.predict

    def _new_base_model(self) -> BaseModel:
        model = base_model_of(self)
        if self.needs_online_base and not model.learns_online:
            raise InvalidParameter(f"{self.key}: estimator must {why_not_online(model)}")
        return model

    def _seeded(self, base_model: BaseModel) -> BaseModel:
        if getattr(base_model, "random_state", 0) is not None:
            return base_model
        seeded: BaseModel = clone(base_model).set_params(random_state=entropy_of(self.random_state))
        return seeded

    def _checked_parameters(self, first: bool) -> dict[str, Any]:
        threads_of(self)
        return super()._checked_parameters(first)

    def _n_members(self) -> int:
        return int(self._given.n_estimators)

    def _rows(self, table: Table, *, learning: bool) -> Rows:
        return self.base_model().rows(self._members, table, learning=learning)

    def _set_votes(self, votes: npt.NDArray[np.float64], errors: npt.NDArray[np.float64]) -> None:
        """Say which members vote, the first len(votes), with what weight, and what their errors in training were."""
        self.member_weights_, self.n_members_ = votes, len(votes)
        self._errors = errors

    def _all_vote(self, n_members: int, examples: TrainingBatch) -> None:
        """Say that the first members vote, all alike; they are tested on `examples` once someone wants their errors."""
        self.member_weights_, self.n_members_ = np.ones(n_members), n_members
        self._errors, self._examples = None, examples

    def _note_stop(self, n_trained: int, n_members: int, reason: str | None) -> None:
        """Keep why training ended after `n_trained` of `n_members` members, and warn; None if all were trained."""
        self.stop_reason_ = reason
        if reason is not None and self.warns_if_stopped:
            sentence = f"{self.key}: training stopped after {n_trained} of {n_members} members, as {reason}"
            warnings.warn(sentence, StoppedEarly, stacklevel=4)

    @property
    def member_errors_(self) -> npt.NDArray[np.float64]:
        """Error of each member, shape (members,): as its class says, or else its error on the examples last learned.

        Bagging, blocked boosting and voting do not test members while they train. Their members are asked about the
        examples of the last `fit` or `partial_fit` when this is read for the first time (voting: about those after the
        ones that members were trained on first); a copy or a pickle does not know these examples and has NaN, as have
        members that have learned nothing.
        """
        self._check_learned()
        if self._errors is None:
            if self._examples is None:
                return np.full(self.n_members_, np.nan)
            table, labels, weights = self._examples
            self._errors = np.array([*self.errors_on(table, self.classes_[labels], weights)])
        return self._errors

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return state | {"_examples": None} if "_examples" in state else state

    def _votes(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the votes for each class, shape (n_examples, n_classes)."""
        rows, base_model = self._rows(self._encoded(X), learning=False), self.base_model()
        settings = {"n_classes": len(self.classes_), "soft": self.soft_votes}
        return votes_in_threads(base_model, self._members, self.member_weights_, rows, threads_of(self), **settings)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class with most votes for each example, shape (n_examples,)."""
        return self._elected(self._votes(X))

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return each class's share of the votes, shape (n_examples, n_classes), columns as `classes_`."""
        return self._shared(self._votes(X))

    @available_if(lambda self: self._decides_by_votes)
    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the votes for each class, shape (n_examples, n_classes); `predict` gives the class of most votes.

        Of two classes how many more votes there are for `classes_[1]`, shape (n_examples,). Where votes are tied, `predict`
        gives the class of more training weight.
        """
        return as_decision(self._votes(X))

    def _shared(self, votes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        total = votes.sum(axis=1, keepdims=True)
        probabilities: npt.NDArray[np.float64] = np.divide(
            votes, total, out=np.full_like(votes, 1 / votes.shape[1]), where=total > 0
        )
        return probabilities

    @available_if(_members_predict_alone)
    def member_classes(self, X: Any) -> npt.NDArray[np.int64]:
        """Return what each member that votes predicts, as positions in `classes_`: shape (n_members_, n_examples).

        -1 from a member that has learned nothing.
        """
        return self._all_member_predictions(X)

    def _all_member_predictions(self, X: Any) -> npt.NDArray[np.int64]:
        return np.stack([*self._member_predictions(X)])

    def _member_predictions(self, X: Any) -> Iterator[npt.NDArray[np.int64]]:
        """Yield what member 1, 2, ..., n_members_ predicts."""
        rows, base_model = self._rows(self._encoded(X), learning=False), self.base_model()
        for m in range(self.n_members_):
            yield base_model.classes_of(self._members, m, rows, len(self.classes_))

    @available_if(_members_predict_alone)
    def errors_on(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the share of these examples that member 1, 2, ..., n_members_ gets wrong.

        `sample_weight`: what each example counts, not negative. NaN for a member that has learned nothing. Other weights,
        classes of another kind than those known, and another number of them than of examples, are `InvalidData`.
        """
        self._check_learned()
        y = truths(self, y)
        weights = testing_weights(sample_weight, len(y))
        for predicted in self._member_predictions(X):
            check_as_many(self.key, len(predicted), y)
            wrong = self.classes_[predicted] != y
            yield float(weights[wrong].sum() / weights.sum()) if (predicted >= 0).any() else np.nan

    @available_if(_members_vote)
    def staged_predict(self, X: Any) -> Iterator[npt.NDArray[Any]]:
        """Yield what the first 1, 2, ..., n_members_ members predict together, each of shape (n_examples,)."""
        yield from map(self._elected, self._staged_votes(X))

    @available_if(_members_vote)
    def staged_predict_proba(self, X: Any) -> Iterator[npt.NDArray[np.float64]]:
        """Yield as `staged_predict` their shares of the votes, each of shape (n_examples, n_classes)."""
        yield from map(self._shared, self._staged_votes(X))

    def _staged_votes(self, X: Any) -> Iterator[npt.NDArray[np.float64]]:
        rows, base_model, n_classes = (
            self._rows(self._encoded(X), learning=False),
            self.base_model(),
            len(self.classes_),
        )
        votes = np.zeros((len(rows.codes), n_classes))
        for m, weight in enumerate(self.member_weights_):
            if self.soft_votes:
                votes += weight * base_model.probabilities_of(self._members, m, rows, n_classes)
            else:
                predicted = base_model.classes_of(self._members, m, rows, n_classes)
                voted = np.flatnonzero(predicted >= 0)
                votes[voted, predicted[voted]] += weight
            yield votes

    def _elected(self, votes: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
        chosen = np.empty(len(votes), dtype=np.int64)
        _most_voted(votes, self._prior, chosen)
        return self.classes_[chosen]


def as_decision(votes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return votes as scikit-learn shows them: of two classes the difference alone, shape (n_examples,)."""
    return votes[:, 1] - votes[:, 0] if votes.shape[1] == 2 else votes


@kernel
def _most_voted(votes, prior, chosen):
    for i in range(votes.shape[0]):
        chosen[i] = best_class(votes[i], prior)


@kernel
def finalize_all(members, n_members):
    """Settle every member, so that predicting changes nothing."""
    for m in range(n_members):
        finalize(members, m)


def log_odds(right: npt.NDArray[np.float64], wrong: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return ln((1 - error) / error) for weights of examples told right and wrong."""
    return np.log(right) - np.log(wrong)
