"""Online methods for two classes, with more classes by one chain of members a class: this class, or any other."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils.metaestimators import available_if

from ensembles.data.table import Schema, Table
from ensembles.declarations import choice
from ensembles.jit import inner, kernel
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.keeping import whole_or_nothing
from ensembles.learners.core.protocol import (
    Rows,
    best_class,
    predict_one,
    predict_proba_one,
    predict_proba_rows,
    predict_rows,
)
from ensembles.learners.core.unseen import unseen_apart
from ensembles.methods.core.online import OnlineEnsemble
from ensembles.methods.core.show import most_voted_in_order

__all__ = ["OUTPUT", "OneVsRestEnsemble", "Votes", "allocate_votes", "ask", "side_of", "signed_vote"]

OUTPUT = choice(
    default="hard",
    label="Votes",
    help="A class, or a chance stretched to [-1, 1].",
    choices=("hard", "real"),
    labels=("a class", "a chance"),
)


class OneVsRestEnsemble(OnlineEnsemble):
    """Members see two classes, 0 and 1: with two classes these, with K > 2 classes "another" and "this one" in K chains.

    The number of classes must be known at the start. Subclasses give scores (`_scores`, a column a chain, positive for class
    1) and make probabilities of them (`_probabilities`).
    """

    needs_classes = True

    def _chains(self, n_classes: int) -> int:
        return n_classes if n_classes > 2 else 1

    def _sides(self, n_classes: int) -> int:  # noqa: ARG002
        """Return how many classes members know."""
        return 2

    @property
    def _columns(self) -> int:
        """How many scores an example has: one a chain, or one a class where members of one chain know them all."""
        n_classes = len(self.classes_)
        return max(self._chains(n_classes), self._sides(n_classes) if n_classes > 2 else 1)

    def _chain_length(self) -> int:
        return int(self._given.n_estimators)

    def _n_members(self) -> int:
        return self._chain_length() * self._chains(len(self.classes_))

    def _lay_out(self, base_model: BaseModel, schema: Schema, n_classes: int, *, batch: bool) -> Any:
        n_members = self._chain_length() * self._chains(n_classes)
        return self._seeded(base_model).init_members(n_members, schema, self._sides(n_classes), batch=batch)

    def _widened(self, base_model: BaseModel, schema: Schema, positions: npt.NDArray[np.int64], n_classes: int) -> Any:  # noqa: ARG002
        sides = self._sides(n_classes)
        return base_model.extend_schema(self._members, self._schema, schema, np.arange(sides), sides)

    @property
    def _classes_of_members(self) -> npt.NDArray[Any]:
        """Members see the two classes, or 1 for the class of their chain and 0 for the others."""
        sides = self._sides(len(self.classes_))
        return self.classes_ if len(self.classes_) == sides else np.arange(sides)

    def _scores(self, rows: Rows, scores: npt.NDArray[np.float64]) -> None:
        """Write a score for each example and chain into `scores`."""
        raise NotImplementedError

    def _probabilities(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the chance of class 1 for each score."""
        raise NotImplementedError

    def _scored(self, X: Any) -> npt.NDArray[np.float64]:
        rows = self._rows(self._encoded(X), learning=False)
        scores = np.zeros((len(rows.codes), self._columns))
        self._scores(rows, scores)
        return scores

    def _scale(self, scores: npt.NDArray[np.float64]) -> None:
        """Make scores of sums of votes, in place."""

    @available_if(lambda self: self.predicts_while_learning)
    @whole_or_nothing
    @unseen_apart
    def predict_then_learn(
        self, X: Table, labels: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Predict each example, then learn it, as `BaseModel.predict_then_learn`."""
        prior, scores = self._prior.copy(), np.zeros((len(labels), self._columns))
        self._learn_examples(self._unchecked_examples(X, labels), votes=scores)
        self._scale(scores)
        sides = scores if scores.shape[1] > 1 else np.column_stack([-scores, scores])
        chosen = np.empty(len(labels), dtype=np.int64)
        most_voted_in_order(sides, labels, prior, chosen)
        return self.classes_[chosen], self._chances(scores)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the class of the highest score for each example, shape (n_examples,)."""
        return self._highest(self._scored(X))

    @available_if(lambda self: len(getattr(self, "classes_", "01")) == 2)
    def member_classes(self, X: Any) -> npt.NDArray[np.int64]:
        """Return what each member predicts, as `Ensemble.member_classes`; with more classes members know two sides only."""
        return self._all_member_predictions(X)

    def staged_predict(self, X: Any) -> Iterator[npt.NDArray[Any]]:
        """Yield what the first 1, 2, ..., n_estimators members of all chains predict, each of shape (n_examples,)."""
        yield from map(self._highest, self._staged_scores(self._rows(self._encoded(X), learning=False)))

    def staged_predict_proba(self, X: Any) -> Iterator[npt.NDArray[np.float64]]:
        """Yield as `staged_predict` the chances of the classes, each of shape (n_examples, n_classes)."""
        yield from map(self._chances, self._staged_scores(self._rows(self._encoded(X), learning=False)))

    def _staged_scores(self, rows: Rows) -> Iterator[npt.NDArray[np.float64]]:
        scores = np.zeros((len(rows.codes), self._chains(len(self.classes_))))
        leads = np.zeros_like(scores)
        chains = np.arange(self._n_members()).reshape(scores.shape[1], self._given.n_estimators, -1)
        for step in range(self._given.n_estimators):
            for chain, members in enumerate(chains[:, step]):
                for m in members[self.member_weights_[members] > 0]:
                    votes = self._member_votes(m, rows)
                    leads[:, chain] += votes
                    scores[:, chain] += self._counted(m, votes, leads[:, chain])
            yield scores

    def _counted(
        self,
        m: int,  # noqa: ARG002
        votes: npt.NDArray[np.float64],
        lead: npt.NDArray[np.float64],  # noqa: ARG002
    ) -> npt.NDArray[np.float64]:
        """Return what the votes of member m add to the scores; lead: the sum of votes up to these."""
        return votes

    def _member_votes(self, m: int, rows: Rows) -> npt.NDArray[np.float64]:
        """Return the vote of member m for each example, in [-1, 1], 0 if it has learned nothing."""
        if self._given.output == "real":
            probabilities = self.base_model().probabilities_of(self._members, m, rows, 2)
            return probabilities[:, 1] - probabilities[:, 0]
        predicted = self.base_model().classes_of(self._members, m, rows, 2)
        return np.where(predicted < 0, 0.0, 2.0 * predicted - 1.0)

    def _highest(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
        if len(self.classes_) == 2:
            scores = np.column_stack([-scores, scores])
        chosen = np.empty(len(scores), dtype=np.int64)
        _choose(scores, self._prior, chosen)
        return self.classes_[chosen]

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the chance of each class, shape (n_examples, n_classes); with more than two scaled to sum one."""
        return self._chances(self._scored(X))

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the score of each class, shape (n_examples, n_classes); of two classes of the second, (n_examples,)."""
        scores = self._scored(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def _chances(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        probabilities = self._probabilities(scores)
        if len(self.classes_) == 2:
            return np.column_stack([1 - probabilities, probabilities])
        total = probabilities.sum(axis=1, keepdims=True)
        scaled: npt.NDArray[np.float64] = np.divide(
            probabilities, total, out=np.full_like(probabilities, 1 / probabilities.shape[1]), where=total > 0
        )
        return scaled


@inner
def side_of(label, chain, n_chains):
    """Return what the members of a chain see of class `label`: 0 or 1."""
    if n_chains == 1:
        return label
    return 1 if label == chain else 0


@inner
def signed_vote(members, m, rows, i, real, work):
    """Return the vote of member m in [-1, 1], positive for class 1; 0 if it has learned nothing."""
    if real:
        predict_proba_one(members, m, rows, i, work, work[4])
        return work[4, 1] - work[4, 0]
    vote = predict_one(members, m, rows, i, work)
    return 2.0 * vote - 1.0 if vote >= 0 else 0.0


class Votes(NamedTuple):
    """Room for what one member votes for some examples."""

    classes: np.ndarray  # (examples,)
    chances: np.ndarray  # (examples, 2), or no rows: then votes are classes
    work: np.ndarray  # (5, 2)
    signed: np.ndarray  # (examples,) in [-1, 1], as `signed_vote`


def allocate_votes(n: int, real: bool) -> Votes:
    """Return room for the votes for n examples."""
    return Votes(np.empty(n, dtype=np.int64), np.empty((n if real else 0, 2)), np.empty((5, 2)), np.empty(n))


@inner
def ask(members, m, rows, votes):
    """Write the votes of member m for all examples."""
    classes, chances, signed = votes.classes, votes.chances, votes.signed
    if chances.shape[0] > 0:
        predict_proba_rows(members, m, rows, 0, votes.work, chances)
        for i in range(signed.shape[0]):
            signed[i] = chances[i, 1] - chances[i, 0]
    else:
        predict_rows(members, m, rows, 0, votes.work, classes)
        for i in range(signed.shape[0]):
            signed[i] = 2.0 * classes[i] - 1.0 if classes[i] >= 0 else 0.0


@kernel
def _choose(scores, prior, chosen):
    for i in range(chosen.shape[0]):
        chosen[i] = best_class(scores[i], prior)
