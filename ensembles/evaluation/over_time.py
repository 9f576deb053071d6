"""Two learners on a stream: where along it is one clearly better than the other?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from ensembles.evaluation.block_bootstrap import blocked_means
from ensembles.evaluation.checks import check_level, paired_values

__all__ = ["Stretch", "differences_over_time"]

_MOST_STRETCHES, _FEWEST_EXAMPLES = 40, 100


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
    """Compare two learners on up to 40 stretches of equal length, of 100 examples or more, that follow each other.

    All intervals hold at once with probability 1 - alpha (Bonferroni). Each is of Student's t with the spread of a
    bootstrap of blocks of consecutive examples, as neighbours resemble each other.

    Parameters
    ----------
    first, second : array_like of float, shape (n_examples,)
        1 where a prediction was right, 0 where it was wrong, in the order of the stream; NaN is missing.

    Returns
    -------
    list of Stretch
        None of a stream of fewer than 200 examples. Examples at the head that fill no stretch are left out.
    """
    check_level("differences_over_time", alpha)
    pair = np.column_stack(paired_values("differences_over_time", first, second))
    places = np.flatnonzero(np.isfinite(pair).all(axis=1))
    n = min(_MOST_STRETCHES, len(places) // _FEWEST_EXAMPLES)
    if n < 2:
        return []
    size = len(places) // n
    places = places[len(places) - n * size :]
    wrong = (1.0 - pair[places]).reshape(n, size, 2)
    behind = (wrong[:, :, 0] - wrong[:, :, 1]).T
    n_blocks, means = blocked_means(behind)
    half = stats.t.isf(alpha / (2 * n), n_blocks - 1) * means.std(axis=0)
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
