"""How many splits would tell two learners apart."""

import math

from scipy import stats

__all__ = ["MOST_SPLITS", "POWER", "power_of_splits", "splits_to_tell"]

POWER = 0.8
"""Chance to find a difference that is there, which is asked for where nothing was found (Cohen, 1988)."""

MOST_SPLITS = 999


def power_of_splits(n: int, difference: float, spread: float, test_train_ratio: float, alpha: float) -> float:
    """Return the chance that the corrected resampled t-test (two-sided) finds a difference, on its side, with `n` splits.

    Its statistic then has a noncentral t distribution with n - 1 degrees of freedom and noncentrality
    |difference| / (spread * sqrt(1/n + n_test/n_train)): the power of the t-test (Cohen, Statistical power analysis, 1988,
    section 2.5) with the variance of Nadeau and Bengio (2003, section 3). With more splits the root approaches
    n_test/n_train and not 0: some differences are found by more examples only.

    Parameters
    ----------
    n : int
        Two or more.
    spread : float
        Standard deviation of the differences between splits, above 0.
    """
    away = abs(difference) / (spread * math.sqrt(1.0 / n + test_train_ratio))
    limit = stats.t.isf(alpha / 2.0, n - 1)
    return float(stats.nct.sf(limit, n - 1, away))


def splits_to_tell(difference: float, spread: float, test_train_ratio: float, alpha: float) -> int | None:
    """Return the fewest splits that find a difference of this size and spread with power 0.8; None from 1,000 on."""
    if difference == 0.0:
        return None
    if spread == 0.0:
        return 3

    def tells(n: int) -> bool:
        return power_of_splits(n, difference, spread, test_train_ratio, alpha) >= POWER

    low, high = 2, MOST_SPLITS
    if not tells(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if tells(middle) else (middle, high)
    return high
