"""How far the mean of a series could lie elsewhere, where neighbours resemble each other."""

import math

import numpy as np
import numpy.typing as npt

__all__ = ["blocked_means"]

_DRAWS = 2_000
_MOST_BLOCKS = 1_000


def blocked_means(
    series: npt.NDArray[np.float64], *, length: int = 0, seed: int = 0
) -> tuple[int, npt.NDArray[np.float64]]:
    """Return means of series put together from blocks of consecutive rows, drawn with replacement (Carlstein, 1986).

    By default blocks have the square root of the length, more where there would be over 1,000 of them. The cube root,
    best where neighbours resemble each other little (Hall, Horowitz and Jing, 1995), is too short for streams: of equal
    learners it calls one better twice as often. All columns are drawn alike, so that what they share stays shared.

    Parameters
    ----------
    series : ndarray of float, shape (n, n_columns)
        In the order of the stream, n of 1 or more.
    length : int
        Of a block, if not the default: 1 where rows have no order.

    Returns
    -------
    int
        Number of blocks.
    ndarray of float, shape (2000, n_columns)
        Spread as means over other blocks would be: deviations are made larger by what so few blocks lack.
    """
    n = len(series)
    length = length or max(math.ceil(math.sqrt(n) - 1e-9), math.ceil(n / _MOST_BLOCKS))
    starts = np.arange(0, n, length)
    sums = np.add.reduceat(series, starts, axis=0)
    sizes = np.diff(np.append(starts, n))
    rng = np.random.default_rng(seed)
    times = rng.multinomial(len(starts), np.full(len(starts), 1.0 / len(starts)), size=_DRAWS).astype(float)
    means: npt.NDArray[np.float64] = (times @ sums) / (times @ sizes)[:, np.newaxis]
    middle = series.mean(axis=0)
    return len(starts), middle + (means - middle) * math.sqrt(len(starts) / max(len(starts) - 1, 1))
