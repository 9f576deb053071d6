"""How far the mean of a series could lie elsewhere, where neighbours resemble each other."""

import math

import numpy as np
import numpy.typing as npt

__all__ = ["bootstrap_means"]

_DRAWS = 2_000
_MOST_BLOCKS = 1_000


def bootstrap_means(series: npt.NDArray[np.float64], *, seed: int = 0) -> npt.NDArray[np.float64]:
    """Return means of series put together from blocks of consecutive rows, drawn with replacement (Carlstein, 1986).

    Blocks have the cube root of the length (Hall, Horowitz and Jing, 1995: the order for variances), more where there would
    be over 1,000 of them. All columns are drawn alike, so that what they share stays shared.

    Parameters
    ----------
    series : ndarray of float, shape (n, n_columns)
        In the order of the stream, n of 1 or more.

    Returns
    -------
    ndarray of float, shape (2000, n_columns)
    """
    n = len(series)
    length = max(math.ceil(n ** (1 / 3) - 1e-9), math.ceil(n / _MOST_BLOCKS))
    starts = np.arange(0, n, length)
    sums = np.add.reduceat(series, starts, axis=0)
    sizes = np.diff(np.append(starts, n))
    rng = np.random.default_rng(seed)
    times = rng.multinomial(len(starts), np.full(len(starts), 1.0 / len(starts)), size=_DRAWS).astype(float)
    means: npt.NDArray[np.float64] = (times @ sums) / (times @ sizes)[:, np.newaxis]
    return means
