"""Whether each prediction of a stream was right, in so few numbers that every trial can keep them."""

import numpy as np
import numpy.typing as npt

from ensembles.evaluation.curve import Curve

__all__ = ["MOST_KEPT", "RIGHT_OR_WRONG", "pack_right", "unpack_right"]

RIGHT_OR_WRONG = "right_or_wrong"
"""Name of the curve."""

MOST_KEPT = 5_000_000
"""Examples of a stream that are kept: 16 bytes for 48 of them, so up to 1.7 MB a trial."""

_BITS = 48  # of a number of 8 bytes, which holds whole numbers up to 2 ** 53


def pack_right(first: int, right: npt.NDArray[np.bool_]) -> Curve:
    """Return one point for 48 examples: where they begin, and a bit for each, 1 for right; the last point is the end."""
    n = len(right)
    bits = np.zeros((-(-n // _BITS), _BITS))
    bits.ravel()[:n] = right
    starts = [*range(0, n, _BITS), n]
    return Curve(tuple(float(first + start) for start in starts), (*(bits @ 2.0 ** np.arange(_BITS)).tolist(), 0.0))


def unpack_right(
    x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return the places of the examples and whether each was right, from the points of `pack_right` in their order."""
    bits = (y[:-1].astype(np.int64)[:, np.newaxis] >> np.arange(_BITS)) & 1
    there = np.arange(_BITS) < np.diff(x)[:, np.newaxis]
    return np.arange(int(x[0]), int(x[-1])), bits[there].astype(bool)
