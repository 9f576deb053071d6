"""Whether each prediction of a stream was right, in so few numbers that every trial can keep them.

A bit each up to `MOST_KEPT` predictions; of more, how many were right on each of `STRETCHES` stretches.
"""

import numpy as np
import numpy.typing as npt

from ensembles.evaluation.curve import Curve

__all__ = [
    "MOST_KEPT",
    "RIGHT_ON_STRETCHES",
    "RIGHT_OR_WRONG",
    "STRETCHES",
    "RightOrWrong",
    "pack_right",
    "unpack_right",
]

RIGHT_OR_WRONG = "right_or_wrong"
"""Name of the curve of bits."""

RIGHT_ON_STRETCHES = "right_on_stretches"
"""Name of the curve of stretches: where each begins, and how many predictions on it were right; the last point ends it."""

MOST_KEPT = 5_000_000
"""Examples of a stream that are kept: 16 bytes for 48 of them, so up to 1.7 MB a trial."""

STRETCHES = 4096
"""At most so many stretches of equal length has a stream: 64 KiB a trial, however long it is."""

_BITS = 48  # of a number of 8 bytes, which holds whole numbers up to 2 ** 53


class RightOrWrong:
    """What is kept of whether predictions were right.

    Parameters
    ----------
    first, n : int
        Examples of the stream before the first prediction, and predictions to come.
    """

    def __init__(self, first: int, n: int) -> None:
        self._first, self._n, self._seen = first, n, 0
        self._length = -(-(first + n) // STRETCHES)
        self._kept = np.zeros(n if n <= MOST_KEPT else 0, dtype=bool)
        self._sums = np.zeros(0 if n <= MOST_KEPT else STRETCHES, dtype=np.int64)

    def add(self, right: npt.NDArray[np.bool_]) -> None:
        """Take note of the next predictions."""
        start, self._seen = self._seen, self._seen + len(right)
        if len(self._kept):
            self._kept[start : self._seen] = right
        elif len(self._sums):
            stretches = np.arange(self._first + start, self._first + self._seen) // self._length
            self._sums += np.bincount(stretches[right], minlength=STRETCHES)

    def curves(self) -> dict[str, Curve]:
        """Return the one curve or the other, once all predictions have come."""
        if self._n <= MOST_KEPT:
            return {RIGHT_OR_WRONG: pack_right(self._first, self._kept)}
        end = self._first + self._n
        starts = np.arange(0, end, self._length)
        sums = self._sums[: len(starts)][starts + self._length > self._first]
        starts = np.maximum(starts, self._first)[-len(sums) :]
        return {
            RIGHT_ON_STRETCHES: Curve((*map(float, starts.tolist()), float(end)), (*map(float, sums.tolist()), 0.0))
        }


def pack_right(first: int, right: npt.NDArray[np.bool_]) -> Curve:
    """Return one point for 48 examples: where they begin, and a bit for each, 1 for right; the last point is the end."""
    n = len(right)
    bits = np.zeros((-(-n // _BITS), _BITS), dtype=np.bool_)
    bits.ravel()[:n] = right
    wholes = np.zeros((len(bits), 8), dtype=np.uint8)
    wholes[:, : _BITS // 8] = np.packbits(bits, axis=1, bitorder="little")
    starts = first + np.append(np.arange(0, n, _BITS), n)
    numbers = wholes.view("<u8").ravel().astype(np.float64)
    return Curve(tuple(starts.astype(np.float64).tolist()), (*numbers.tolist(), 0.0))


def unpack_right(
    x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return the places of the examples and whether each was right, from the points of `pack_right` in their order."""
    bits = (y[:-1].astype(np.int64)[:, np.newaxis] >> np.arange(_BITS)) & 1
    there = np.arange(_BITS) < np.diff(x)[:, np.newaxis]
    return np.arange(int(x[0]), int(x[-1])), bits[there].astype(bool)
