"""What members say of the examples that their samples left out: an error estimate that takes no test set.

Breiman (1996), Out-of-bag estimation.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.declarations import argument
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.protocol import Rows

__all__ = ["OOB_SCORE", "LeftOut"]

OOB_SCORE = argument(
    default=False,
    what="bool",
    help="Let every member vote on the examples that its sample left out, and keep how these votes did.",
    kw_only=True,
)


class LeftOut:
    """The votes of members on examples that they did not learn."""

    def __init__(self, n_examples: int, n_classes: int, *, soft: bool) -> None:
        self.votes, self._soft = np.zeros((n_examples, n_classes)), soft

    def ask(self, base_model: BaseModel, members: Any, m: int, rows: Rows, weights: npt.NDArray[np.float64]) -> None:
        """Let member m, which learned the examples with these weights, vote on those of weight 0."""
        n_classes, out = self.votes.shape[1], weights == 0.0
        if self._soft:
            self.votes[out] += base_model.probabilities_of(members, m, rows, n_classes)[out]
            return
        predicted = base_model.classes_of(members, m, rows, n_classes)
        voted = np.flatnonzero(out & (predicted >= 0))
        self.votes[voted, predicted[voted]] += 1.0

    def shares(self) -> npt.NDArray[np.float64]:
        """Return the share of the votes for each class, shape (n_examples, n_classes); NaN where no member voted."""
        total = self.votes.sum(axis=1, keepdims=True)
        told: npt.NDArray[np.float64] = np.divide(
            self.votes, total, out=np.full_like(self.votes, np.nan), where=total > 0
        )
        return told

    def score(self, right: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64]) -> float:
        """Return the share of the weight told right, of examples on which any member voted; NaN if there is none."""
        voted = self.votes.any(axis=1)
        total = weights[voted].sum()
        return float(weights[voted & right].sum() / total) if total > 0 else float("nan")
