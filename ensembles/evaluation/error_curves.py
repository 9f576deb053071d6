"""How often a learner errs along a stream, in memory that does not grow with it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ensembles.evaluation.curve import Curve

__all__ = ["FADING", "WINDOW", "ErrorCurves"]

WINDOW = 1000  #: examples of the sliding window, or a twentieth of the stream if that is less
FADING = 0.999  #: what an error counts less with every further example
_POINTS = 500


class ErrorCurves:
    """The error of all predictions so far, of a sliding window, and fading, at up to 500 points of a stream.

    The fading error weighs an example `FADING` times less for each one after it (Gama, Sebastião & Rodrigues 2013). Numbers
    do not depend on the pieces in which predictions come, and points on the length of the stream only.

    Parameters
    ----------
    first, n : int
        Examples before the first prediction, and predictions to come.
    """

    def __init__(self, first: int, n: int) -> None:
        self._first, self._points = first, np.unique(np.linspace(1, n, min(n, _POINTS)).round().astype(np.int64))
        self._window = max(1, min(WINDOW, n // 20))
        begins = np.maximum(self._points - self._window, 0)
        self._marks = np.unique(np.concatenate([[0], begins, self._points]))
        self._sums, self._faded = np.zeros(len(self._marks)), np.zeros(len(self._points))
        self.seen, self._wrong, self._last = 0, 0.0, np.empty(0, dtype=bool)
        self._weighed, self._counted = np.zeros(1), np.zeros(1)  # what both filters know of the predictions before
        self._fading = 0.0

    def add(self, wrong: npt.NDArray[np.bool_]) -> None:
        """Take note of the next predictions."""
        from scipy.signal import lfilter  # takes a third of what all else takes that a process starts with

        if not len(wrong):
            return
        start, stop, ones = self.seen, self.seen + len(wrong), np.ones(len(wrong))
        sums = self._wrong + np.cumsum(wrong, dtype=np.float64)
        weighed, self._weighed = lfilter([1.0], [1.0, -FADING], wrong.astype(np.float64), zi=self._weighed)
        counted, self._counted = lfilter([1.0], [1.0, -FADING], ones, zi=self._counted)
        faded = weighed / counted
        for marks, kept, series in ((self._marks, self._sums, sums), (self._points, self._faded, faded)):
            within = slice(*np.searchsorted(marks, [start, stop], side="right"))
            kept[within] = series[marks[within] - start - 1]
        self.seen, self._wrong, self._fading = stop, float(sums[-1]), float(faded[-1])
        self._last = np.concatenate([self._last, wrong])[-self._window :]

    @property
    def now(self) -> tuple[float, float, float]:
        """The error of all predictions so far, of the last ones, and fading; not numbers before the first."""
        if not self.seen:
            return float("nan"), float("nan"), float("nan")
        return self._wrong / self.seen, float(np.mean(self._last)), self._fading

    def curves(self) -> dict[str, Curve]:
        """Return `prequential_error`, `prequential_error_window` and `prequential_error_fading`, once all have come."""
        begins = np.maximum(self._points - self._window, 0)
        ends, before = (self._sums[np.searchsorted(self._marks, places)] for places in (self._points, begins))
        x = tuple((self._points + self._first).astype(float).tolist())
        series = {
            "prequential_error": ends / self._points,
            "prequential_error_window": (ends - before) / (self._points - begins),
            "prequential_error_fading": self._faded,
        }
        return {key: Curve(x, tuple(values.tolist())) for key, values in series.items()}
