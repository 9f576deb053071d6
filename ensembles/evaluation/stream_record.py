"""What is written down of a stream that may be longer than memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ensembles.evaluation.curve import Curve
from ensembles.evaluation.error_curves import ErrorCurves
from ensembles.evaluation.measures import MEASURES
from ensembles.evaluation.predictions import Predictions, confusion_matrix
from ensembles.evaluation.right_or_wrong import RightOrWrong
from ensembles.evaluation.stream_course import StreamCourse
from ensembles.evaluation.trained_model import TrainedModel

__all__ = ["StreamRecord", "kept_whole"]

_PIECE = 16_384  # predictions looked at at a time: a call of a measure costs as much as some thousands of them

Labels = npt.NDArray[np.int64]


def kept_whole(keys: Sequence[str]) -> list[str]:
    """Return those of the measures called `keys` that need all predictions at once."""
    return [key for key in keys if key in MEASURES and MEASURES[key].piecewise is None]


class StreamRecord:
    """Measures and curves of a stream, in memory that does not grow with it.

    Parameters
    ----------
    first, n : int
        Examples before the first prediction, and predictions to come.
    final : int
        Of the predictions, the first of the final part.
    measures : sequence of str
        Keys of measures that can be taken piece by piece.
    """

    def __init__(
        self, first: int, n: int, final: int, n_classes: int, measures: Sequence[str], *, probabilities: bool
    ) -> None:
        self._n, self._final, self._n_classes = n, final, n_classes
        self.errors = ErrorCurves(first, n)
        pieces = {key: (MEASURES[key].piecewise, MEASURES[key].compute) for key in measures}
        self._measures = {key: make(compute) for key, (make, compute) in pieces.items() if make is not None}
        self._right = RightOrWrong(first, n)
        self._final_right, self.confusion = 0, np.zeros((n_classes, n_classes), dtype=np.int64)
        self._true, self._predicted = np.empty((2, _PIECE), dtype=np.int64)
        self._shares = np.empty((_PIECE, n_classes)) if probabilities else None
        self._filled = self._looked = 0

    def add(self, true: Labels, predicted: Labels, probabilities: npt.NDArray[np.float64] | None) -> None:
        """Write down the next predictions."""
        for start in range(0, len(true), _PIECE):
            some = slice(start, start + _PIECE)
            self._add(true[some], predicted[some], None if probabilities is None else probabilities[some])

    def _add(self, true: Labels, predicted: Labels, probabilities: npt.NDArray[np.float64] | None) -> None:
        if self._filled + len(true) > _PIECE:
            self.look()
        to = slice(self._filled, self._filled + len(true))
        self._true[to], self._predicted[to] = true, predicted
        if self._shares is not None and probabilities is not None:
            self._shares[to] = probabilities
        self._filled = to.stop

    def look(self) -> None:
        """Look at what was written down since the last look: it is all in the numbers then."""
        if not self._filled:
            return
        known = slice(self._filled)
        shares = None if self._shares is None else self._shares[known]
        piece = Predictions(self._true[known], self._predicted[known], self._n_classes, shares, in_order=True)
        right = piece.true == piece.predicted
        for measure in self._measures.values():
            measure.add(piece)
        self.confusion += confusion_matrix(piece)
        self._final_right += int(np.count_nonzero(right[max(self._final - self._looked, 0) :]))
        self._right.add(right)
        self._follow_errors()
        self._looked, self._filled = self._looked + self._filled, 0

    @property
    def errors_now(self) -> tuple[float, float, float]:
        """The errors so far, as `ErrorCurves.now`.

        It is no look: where sums of measures are cut, and so their last digits, must not depend on when somebody asks.
        """
        self._follow_errors()
        return self.errors.now

    def _follow_errors(self) -> None:
        fresh = slice(self.errors.seen - self._looked, self._filled)
        self.errors.add(self._true[fresh] != self._predicted[fresh])

    def measures(self, trained: TrainedModel, course: StreamCourse) -> dict[str, float]:
        """Return the measures, with `final_accuracy`, once all predictions have come."""
        self.look()
        nothing = np.empty(0, dtype=np.int64)
        end = Predictions(nothing, nothing, self._n_classes, in_order=True, trained=trained, course=course)
        values = {key: measure.value(end) for key, measure in self._measures.items()}
        return {**values, "final_accuracy": self._final_right / (self._n - self._final)}

    def right_or_wrong(self) -> dict[str, Curve]:
        """Return whether predictions were right, as `RightOrWrong.curves`."""
        self.look()
        return self._right.curves()
