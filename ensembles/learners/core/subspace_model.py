"""Members on some of the attributes, for methods that ask all of them about the same examples."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Table
from ensembles.learners.core.feature_subset import FeatureSubset, MemberView

__all__ = ["SubspaceModel"]


class SubspaceModel(FeatureSubset):
    """A feature subset for methods that ask all members about the same examples: what it calls rows is their table."""

    @property
    def learns_online(self) -> bool:  # type: ignore[override]  # a plain attribute of the others
        """Whether the base model does."""
        return self.estimator.learns_online

    def rows(self, members: Any, table: Table, *, learning: bool) -> Any:
        return table

    def _rows_to_predict(self, X: Any) -> Any:
        return self._encoded(X)

    def fit_member(self, members: list[MemberView], m: int, rows: Any, labels: Any, weights: Any) -> list[MemberView]:
        return super().fit_member(members, m, self.rows_of(members, m, rows, learning=True), labels, weights)

    def classes_of(self, members: list[MemberView], m: int, rows: Any, n_classes: int) -> npt.NDArray[np.int64]:
        return super().classes_of(members, m, self.rows_of(members, m, rows, learning=False), n_classes)

    def probabilities_of(self, members: list[MemberView], m: int, rows: Any, n_classes: int) -> npt.NDArray[np.float64]:
        return super().probabilities_of(members, m, self.rows_of(members, m, rows, learning=False), n_classes)

    def votes_of(
        self, members: Any, weights: npt.NDArray[np.float64], rows: Any, n_classes: int, *, soft: bool = False
    ) -> npt.NDArray[np.float64]:
        votes = np.zeros((len(rows), n_classes))
        for m, weight in enumerate(weights):
            if soft:
                votes += weight * self.probabilities_of(members, m, rows, n_classes)
            else:
                predicted = self.classes_of(members, m, rows, n_classes)
                voted = np.flatnonzero(predicted >= 0)
                votes[voted, predicted[voted]] += weight
        return votes
