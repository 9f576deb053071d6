"""Members in places, of which some vote: the others are free, or learn to step in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.learners.core.tree_size import TreeSize
from ensembles.methods.core.online import OnlineEnsemble

__all__ = ["PlacedEnsemble"]


class Places:
    """What such ensembles hold."""

    _voting: npt.NDArray[np.int64]  # (n_members_,) places of those that vote, in the order of `member_weights_`


class PlacedEnsemble(Places, OnlineEnsemble):
    """An online ensemble of which those members vote whose places are in `_voting`."""

    def _place_of(self, m: int) -> int:
        return int(self._voting[m])

    @property
    def member_sizes_(self) -> list[TreeSize | None]:
        """Nodes, leaves and depth of each member that votes; None where members are no trees."""
        self._check_learned()
        return [self.base_model().size_of(self._members, int(place)) for place in self._voting]

    def _votes(self, X: Any) -> npt.NDArray[np.float64]:
        for votes in self._staged_votes(X):
            last = votes
        return last

    def staged_predict(self, X: Any) -> Iterator[npt.NDArray[Any]]:
        """Yield what the first 1, 2, ..., n_members_ members predict together, each of shape (n_examples,)."""
        yield from map(self._elected, self._staged_votes(X))

    def staged_predict_proba(self, X: Any) -> Iterator[npt.NDArray[np.float64]]:
        """Yield as `staged_predict` their shares of the votes, each of shape (n_examples, n_classes)."""
        yield from map(self._shared, self._staged_votes(X))

    def _staged_votes(self, X: Any) -> Iterator[npt.NDArray[np.float64]]:
        rows, base_model = self._rows(self._encoded(X), learning=False), self.base_model()
        votes = np.zeros((len(rows.codes), len(self.classes_)))
        for weight, place in zip(self.member_weights_, self._voting.tolist(), strict=True):
            if self.soft_votes:
                votes += weight * base_model.probabilities_of(self._members, place, rows, votes.shape[1])
            else:
                predicted = base_model.classes_of(self._members, place, rows, votes.shape[1])
                voted = np.flatnonzero(predicted >= 0)
                votes[voted, predicted[voted]] += weight
            yield votes

    def _member_predictions(self, X: Any) -> Iterator[npt.NDArray[np.int64]]:
        rows, base_model = self._rows(self._encoded(X), learning=False), self.base_model()
        for place in self._voting.tolist():
            yield base_model.classes_of(self._members, place, rows, len(self.classes_))
