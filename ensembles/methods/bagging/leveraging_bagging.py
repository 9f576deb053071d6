"""Leveraging bagging: ADWIN bagging with heavier Poisson weights, so that members learn more and differ more.

Bifet, Holmes & Pfahringer (2010), section 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.metaestimators import available_if

from ensembles.data.table import Schema
from ensembles.declarations import flag
from ensembles.draws import entropy_of
from ensembles.learners.core.base import BaseModel
from ensembles.methods.bagging.adwin_bagging import AdwinBaggingClassifier
from ensembles.methods.bagging.output_codes import NO_CODES, drawn_codes, widened_codes

__all__ = ["LeveragingBaggingClassifier"]


def _members_tell_classes(ensemble: LeveragingBaggingClassifier) -> bool:
    return len(ensemble._codes) == 0 or len(getattr(ensemble, "classes_", "01")) == 2


class LeveragingBaggingClassifier(AdwinBaggingClassifier):
    """Leveraging bagging, with or without random output codes.

    With output codes each member tells a half of the classes from the other half, drawn for it, and votes for all classes
    of the half that it tells. With more than two classes there is no `member_classes` then.

    Attributes
    ----------
    n_replaced_ : int
        How often a member began anew.
    member_errors_ : array of shape (n_estimators,)
        Error of each member on the examples that its detector remembers; NaN for a member never tested. With output codes
        it is that of the two halves.

    Notes
    -----
    A class that comes later than the first examples goes to the half that has fewer classes so far. A member that begins
    anew keeps its code, as in MOA.

    References
    ----------
    Bifet, Holmes & Pfahringer (2010), section 3, output codes 3.2; MOA, `meta.LeveragingBag -o`.
    """

    key = "leveraging_bagging"
    name = "Leveraging bagging"
    position = 170
    summary = "ADWIN bagging in which every member sees each example six times on average."
    source = "Bifet, Holmes & Pfahringer (2010), section 3"
    rate: float = 6.0
    output_codes: bool = flag(
        default=False,
        label="Random output codes",
        help="Let each member tell a random half of the classes from the other half.",
    )

    def _lay_out(self, base_model: BaseModel, schema: Schema, n_classes: int, *, batch: bool) -> Any:
        self._codes, self._code_seed = NO_CODES, 0
        if self._given.output_codes:
            self._code_seed = entropy_of(self.random_state)
            self._codes = drawn_codes(self._code_seed, self._n_members(), n_classes)
        return super()._lay_out(base_model, schema, 2 if len(self._codes) else n_classes, batch=batch)

    def _widened(self, base_model: BaseModel, schema: Schema, positions: npt.NDArray[np.int64], n_classes: int) -> Any:
        if not len(self._codes):
            return super()._widened(base_model, schema, positions, n_classes)
        members = super()._widened(base_model, schema, np.arange(2), 2)
        self._codes = widened_codes(self._codes, self._code_seed, positions, n_classes)
        return members

    @property
    def _classes_of_members(self) -> npt.NDArray[Any]:
        """Members see the classes, or of output codes their side."""
        return np.arange(2) if len(self._codes) else self.classes_

    def _staged_votes(self, X: Any) -> Iterator[npt.NDArray[np.float64]]:
        if not len(self._codes):
            yield from super()._staged_votes(X)
            return
        rows, base_model = self._rows(self._encoded(X), learning=False), self.base_model()
        votes = np.zeros((len(rows.codes), len(self.classes_)))
        for m, code in enumerate(self._codes):
            if self.soft_votes:
                votes += base_model.probabilities_of(self._members, m, rows, 2)[:, code]
            else:
                votes += base_model.classes_of(self._members, m, rows, 2)[:, None] == code
            yield votes

    def _votes(self, X: Any) -> npt.NDArray[np.float64]:
        if not len(self._codes):
            return super()._votes(X)
        for votes in self._staged_votes(X):
            last = votes
        return last

    def staged_predict(self, X: Any) -> Iterator[npt.NDArray[Any]]:
        """Yield what the first 1, 2, ..., n_members_ members predict together, each of shape (n_examples,)."""
        yield from map(self._elected, self._staged_votes(X))

    def staged_predict_proba(self, X: Any) -> Iterator[npt.NDArray[np.float64]]:
        """Yield as `staged_predict` their shares of the votes, each of shape (n_examples, n_classes)."""
        yield from map(self._shared, self._staged_votes(X))

    @available_if(_members_tell_classes)
    def member_classes(self, X: Any) -> npt.NDArray[np.int64]:
        """Return what each member predicts, as `Ensemble.member_classes`; not of output codes for more than two classes."""
        return self._all_member_predictions(X)

    @available_if(_members_tell_classes)
    def errors_on(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the error of each member, as `Ensemble.errors_on`; not of output codes for more than two classes."""
        errors: Iterator[float] = super().errors_on(X, y, sample_weight)
        return errors

    def _member_predictions(self, X: Any) -> Iterator[npt.NDArray[np.int64]]:
        if not len(self._codes):
            yield from super()._member_predictions(X)
            return
        rows, base_model = self._rows(self._encoded(X), learning=False), self.base_model()
        for m, code in enumerate(self._codes):
            told = base_model.classes_of(self._members, m, rows, 2)
            yield np.where(told < 0, -1, np.where(code[0] == 0, told, 1 - told))
