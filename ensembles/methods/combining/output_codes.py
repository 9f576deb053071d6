"""Error-correcting output codes: each member tells two groups of classes apart, and together they spell a class.

Dietterich & Bakiri (1995).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.metaestimators import available_if

from ensembles.data.table import Schema
from ensembles.declarations import choice, integer
from ensembles.draws import entropy_of, stream
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.checking import check_as_many, truths
from ensembles.learners.core.example_weights import testing_weights
from ensembles.learners.core.keeping import whole_or_nothing
from ensembles.methods.combining.code_book import code_book, count_columns, row_distances
from ensembles.methods.core.base import Ensemble

__all__ = ["OutputCodesClassifier"]


class OutputCodesClassifier(Ensemble):
    """Error-correcting output codes.

    Every class has a code word of zeros and ones, and member m learns digit m of the words: all examples, with two groups of
    classes as their classes. The class predicted is that whose word is nearest to what the members say. The code is
    exhaustive where that has no more than `n_estimators` columns (with 100, up to seven classes); else so many columns are
    chosen, class words and columns far apart. With two classes there is one member, the base model itself.

    Attributes
    ----------
    code_book_ : array of shape (n_classes, n_members_)
        The words.

    Notes
    -----
    The words are the complements of those printed, so that of two classes the words are 0 and 1. Where the exhaustive code
    is too long, the paper chooses columns by GSAT for eight to eleven classes, changes four bits at a time of a random code
    beyond, and names BCH codes. Here one search serves all: a random column takes the place of another one where the nearest
    words come no nearer, 2,000 times. Unlike the random codes of scikit-learn's `OutputCodeClassifier` the words differ, no
    column is constant, and no member learns what another one learns.
    The paper gives no probabilities. Ours are those of the classes if the members' were sums over them: the agreement with
    a word above what the mean of the other words has, in shares (Kong & Dietterich 1997 solve the same equations by least
    squares); of an exhaustive code this is exact.

    References
    ----------
    Dietterich & Bakiri (1995), Solving multiclass learning problems via error-correcting output codes, section 2.3.
    """

    key = "output_codes"
    name = "Output codes"
    position = 372
    family = "combining"
    summary = "Spells classes in an error-correcting code, each digit learned by a member."
    source = "Dietterich & Bakiri (1995)"
    weighted = False
    measures_errors = False
    n_estimators: int = integer(
        default=100,
        label="Members",
        help="How many columns the code has at most, a member each; the exhaustive code has fewer up to seven classes.",
        low=1,
        high=10_000,
    )
    decoding: str = choice(
        default="probability",
        label="What is nearest",
        help="Compare words with the members' probabilities, or with the digits they predict.",
        choices=("probability", "class"),
        labels=("sum of differences from probabilities", "number of digits that differ"),
        lasting=False,
    )

    def _lay_out(self, base_model: BaseModel, schema: Schema, n_classes: int, *, batch: bool) -> Any:
        return base_model.init_members(count_columns(n_classes, self._given.n_estimators), schema, 2, batch=batch)

    @property
    def _classes_of_members(self) -> npt.NDArray[Any]:
        """Members tell two groups of classes apart, 0 and 1; of two classes these themselves."""
        return self.classes_ if len(self.classes_) == 2 else np.arange(2)

    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the code and train a member a digit; `sample_weight` means what it does to the base model."""
        self._forget()
        examples = self._validated_examples(X, y, sample_weight, batch=True)
        rng = stream(entropy_of(self.random_state), self.key, 0)
        self.code_book_ = code_book(len(self.classes_), self._given.n_estimators, rng)
        n_members, base_model = self.code_book_.shape[1], self.base_model()
        rows = self._rows(examples.table, learning=True)
        for m in range(n_members):
            digits = self.code_book_[examples.labels, m]
            self._members = base_model.fit_member(self._members, m, rows, digits, examples.weights)
            self._report(m + 1, n_members)
        self._all_vote(n_members, examples)
        return self

    def _votes(self, X: Any) -> npt.NDArray[np.float64]:
        """Return how far what members say agrees with each word: columns less distance, shape (n_examples, n_classes)."""
        rows, n_members = self._rows(self._encoded(X), learning=False), self.n_members_
        votes = np.zeros((len(rows.codes), len(self.classes_)))
        for m in range(n_members):
            said = self._ones(m, rows)[:, None]
            votes += np.where(self.code_book_[:, m] == 1, said, 1.0 - said)
        return votes

    def _ones(self, m: int, rows: Any) -> npt.NDArray[np.float64]:
        """Return how sure member m is of a one; one half if it has learned nothing."""
        if self._given.decoding == "probability":
            return self.base_model().probabilities_of(self._members, m, rows, 2)[:, 1]
        predicted = self.base_model().classes_of(self._members, m, rows, 2)
        return np.where(predicted < 0, 0.5, predicted)

    def _shared(self, votes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        n_classes, n_members = self.code_book_.shape
        if n_classes == 1:
            return np.ones_like(votes)
        mean_distance = row_distances(self.code_book_).sum() / (n_classes * (n_classes - 1))
        return super()._shared(np.maximum(votes - (n_members - mean_distance), 0.0))

    @available_if(lambda self: len(getattr(self, "classes_", "01")) == 2)
    def member_classes(self, X: Any) -> npt.NDArray[np.int64]:
        """Return what each member predicts, as `Ensemble.member_classes`; with more classes members know two groups only."""
        return self._all_member_predictions(X)

    def _member_predictions(self, X: Any) -> Iterator[npt.NDArray[np.int64]]:
        """Yield the digits that member 1, 2, ..., n_members_ predicts."""
        rows = self._rows(self._encoded(X), learning=False)
        for m in range(self.n_members_):
            yield self.base_model().classes_of(self._members, m, rows, 2)

    def errors_on(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the share of these examples of which member 1, 2, ..., n_members_ gets its digit wrong.

        `sample_weight`: what each example counts, not negative. A class that was not there in training is always wrong.
        Other weights, classes of another kind, and another number of them than of examples, are `InvalidData`.
        """
        self._check_learned()
        y = truths(self, y)
        weights = testing_weights(sample_weight, len(y))
        places = np.minimum(np.searchsorted(self.classes_, y), len(self.classes_) - 1)
        unknown = self.classes_[places] != y
        for m, predicted in enumerate(self._member_predictions(X)):
            check_as_many(self.key, len(predicted), y)
            wrong = unknown | (self.code_book_[places, m] != predicted)
            yield float(weights[wrong].sum() / weights.sum())
