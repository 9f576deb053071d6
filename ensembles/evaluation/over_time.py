"""Two learners on a stream: where along it is one clearly better than the other?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from ensembles.evaluation.checks import check_level, paired_values
from ensembles.evaluation.long_run import wave_power

__all__ = ["FEWEST_COMPARED", "Stretch", "differences_over_time"]

FEWEST_COMPARED = 400
"""Examples of a stream from which stretches of it are compared."""

_MOST_STRETCHES, _EXAMPLES = 10, 500
_WAVES = 3


class Stretch(NamedTuple):
    """Some consecutive examples of a stream.

    Attributes
    ----------
    first, last : int
        Places of its first and last example among those compared.
    errors : (float, float)
        Of both learners.
    difference, low, high : float
        Error of the first learner minus that of the second, with its interval: positive where the second is better.
    """

    first: int
    last: int
    errors: tuple[float, float]
    difference: float
    low: float
    high: float

    @property
    def clearly(self) -> int:
        """1 where the second learner is clearly better, -1 where the first is, else 0."""
        return int(self.low > 0) - int(self.high < 0)


def differences_over_time(first: npt.ArrayLike, second: npt.ArrayLike, *, alpha: float = 0.05) -> list[Stretch]:
    """Compare two learners on 2 to 10 stretches of equal length that follow each other, of 500 examples where possible.

    All intervals hold at once with probability 1 - alpha (Bonferroni). Neighbours resemble each other, so the mean of a
    stretch spreads as its slow waves do (see `long_run`). One stretch has too few of them: how many times higher than all
    its waves the slowest three are is taken from all stretches, and how high all are from each by itself. So with s
    stretches intervals are those of Student's t with 3 s degrees of freedom.

    Parameters
    ----------
    first, second : array_like of float, shape (n_examples,)
        1 where a prediction was right, 0 where it was wrong, in the order of the stream; NaN is missing.

    Returns
    -------
    list of Stretch
        None of a stream of fewer than 400 examples. Examples at the head that fill no stretch are left out.
    """
    check_level("differences_over_time", alpha)
    pair = np.column_stack(paired_values("differences_over_time", first, second))
    places = np.flatnonzero(np.isfinite(pair).all(axis=1))
    if len(places) < FEWEST_COMPARED:
        return []
    n = max(2, min(_MOST_STRETCHES, len(places) // _EXAMPLES))
    size = len(places) // n
    places = places[len(places) - n * size :]
    wrong = (1.0 - pair[places]).reshape(n, size, 2)
    behind = (wrong[:, :, 0] - wrong[:, :, 1]).T
    half = _half_intervals(behind, alpha / n)
    difference, errors = behind.mean(axis=0), wrong.mean(axis=1)
    return [
        Stretch(
            int(places[i * size]),
            int(places[(i + 1) * size - 1]),
            (float(errors[i, 0]), float(errors[i, 1])),
            *(float(value[i]) for value in (difference, difference - half, difference + half)),
        )
        for i in range(n)
    ]


def _half_intervals(behind: npt.NDArray[np.float64], alpha: float) -> npt.NDArray[np.float64]:
    """Return half the interval of the mean of each stretch, of differences of shape (size, n_stretches)."""
    size = len(behind)
    variance = behind.var(axis=0)
    varies = variance > 0.0
    if not varies.any():
        return np.zeros(len(variance))
    away = behind[:, varies] - behind[:, varies].mean(axis=0)
    higher = float((wave_power(away, np.arange(size + 1.0), _WAVES) / variance[varies]).mean())
    reach = float(stats.t.isf(alpha / 2.0, _WAVES * int(varies.sum())))
    half: npt.NDArray[np.float64] = reach * np.sqrt(max(higher, 1.0) * variance / size)
    return half
