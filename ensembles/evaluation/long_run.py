"""How far the means of series lie from those of the process behind them, where neighbours resemble each other."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from ensembles.evaluation.checks import sizes_in
from ensembles.evaluation.comparable import as_table

__all__ = ["LongRun", "long_run_errors", "long_run_errors_of_sums", "long_run_p_value", "wave_power"]

Floats = npt.NDArray[np.float64]

_FEWEST_WAVES, _MOST_WAVES = 8, 256
_STEP = 1.5
_MOST_ROWS = 4096  # of the table that waves are laid over; the quickest then has 32 rows a period


class LongRun(NamedTuple):
    """Standard errors of means, one a series, and the degrees of freedom that all of them have (0: nothing is known)."""

    scale: Floats
    freedom: int


def long_run_errors(series: npt.ArrayLike, *, in_order: bool = True) -> LongRun:
    """Estimate how far means spread, from the slow waves of their series: the equal-weighted cosine estimator.

    The mean of a series spreads as its slow waves do. So its variance is the mean square of the first B cosine
    coefficients; divided by the root of it, the mean has about Student's t distribution with B degrees of freedom
    (Mueller, 2007; Lazarus, Lewis, Stock and Watson, 2018). B is at most 0.4 n^(2/3), as they recommend, and 256. Where
    neighbours resemble each other, slower waves are higher: so B is made smaller, by thirds, until the slowest third of
    the waves is no higher than the others, in the mean over all series, each in units of its own. It is 8 at the least.

    Parameters
    ----------
    series : array_like of float, shape (n, n_series)
        In the order of the stream; one with NaN has a standard error of NaN.
    in_order : bool
        Whether rows have an order; else all waves count, which is the ordinary standard error with n - 1.

    Raises
    ------
    InvalidInput
        It is no such table.
    """
    table = as_table("long_run_errors", series, "series", "place of a stream")
    n, n_series = table.shape
    if n < 2:
        return LongRun(np.full(n_series, np.nan), 0)
    away = np.where(np.ptp(table, axis=0) == 0.0, 0.0, table - table.mean(axis=0))
    if not in_order:
        return LongRun(away.std(axis=0, ddof=1) / math.sqrt(n), n - 1)
    starts = np.arange(0, n, math.ceil(n / _MOST_ROWS))
    return _of_stretches(np.add.reduceat(away, starts, axis=0), np.append(starts, n))


def long_run_p_value(differences: Floats) -> float:
    """Return the two-sided p-value of a mean difference of 0, by Student's t with the standard error of `long_run_errors`.

    Parameters
    ----------
    differences : array of float, shape (n,)
        In the order of the stream, without NaN.
    """
    found, mean = long_run_errors(differences[:, np.newaxis]), float(differences.mean())
    if not found.scale[0] > 0.0:
        return 0.0 if mean else 1.0
    return float(2.0 * stdtr(found.freedom, -abs(mean) / found.scale[0]))


def long_run_errors_of_sums(sums: npt.ArrayLike, sizes: npt.ArrayLike) -> LongRun:
    """As `long_run_errors`, of series of which only sums over stretches are known.

    Of up to 4,096 stretches of equal length, the last one shorter, it is the same but for rounding errors.

    Parameters
    ----------
    sums : array_like of float, shape (n_stretches, n_series)
        In the order of the stream, without NaN.
    sizes : array_like of int, shape (n_stretches,)
        How many numbers each is the sum of.
    """
    table = as_table("long_run_errors_of_sums", sums, "sums", "stretch")
    lengths = sizes_in("long_run_errors_of_sums", "sizes", sizes, len(table))
    ends = np.append(0.0, np.cumsum(lengths))
    if len(lengths) < 2:
        return LongRun(np.full(table.shape[1], np.nan), 0)
    return _of_stretches(table - np.outer(lengths, table.sum(axis=0) / ends[-1]), ends)


def _of_stretches(away: Floats, ends: Floats) -> LongRun:
    """Return what follows from how far stretches are from the mean, of which one begins where another ends."""
    n = float(ends[-1])
    most = int(min(max(_FEWEST_WAVES, int(0.4 * n ** (2.0 / 3.0))), _MOST_WAVES, n - 1))
    power = wave_power(away, ends, most)
    count = _flat(power)
    return LongRun(np.sqrt(power[:count].mean(axis=0) / n), count)


def wave_power(sums: Floats, ends: Floats, most: int) -> Floats:
    """Return the squares of the first `most` cosine coefficients of each series (white noise: its variance).

    Parameters
    ----------
    sums : ndarray of float, shape (n_stretches, n_series)
        How far stretches are from the mean, summed over each.
    ends : ndarray of float, shape (n_stretches + 1,)
        0, and where each stretch ends.
    """
    n = ends[-1]
    middles = (ends[:-1] + ends[1:]) / (2.0 * n)
    waves = np.cos(np.pi * np.arange(1, most + 1)[:, np.newaxis] * middles)
    power: Floats = 2.0 / n * (waves @ sums) ** 2
    return power


def _flat(power: Floats) -> int:
    """Return how many waves from the slowest on are about as high as each other, over all series that vary."""
    whole = power.sum(axis=0)
    if not (whole > 0.0).any():
        return len(power)
    height = (power[:, whole > 0.0] / whole[whole > 0.0]).mean(axis=1)
    count = len(power)
    while count > _FEWEST_WAVES:
        slow = count // 3
        if height[:slow].mean() <= height[slow:count].mean():
            break
        count = max(_FEWEST_WAVES, int(count / _STEP))
    return count
