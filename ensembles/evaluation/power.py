"""How many splits, or how many data sets, would tell two learners apart."""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy import stats

from ensembles.errors import InvalidInput
from ensembles.evaluation.checks import check_finite, check_level, check_not_negative, check_whole, numbers_in

__all__ = [
    "FEWEST_DATASETS",
    "MOST_DATASETS",
    "MOST_SPLITS",
    "POWER",
    "datasets_to_tell",
    "power_of_datasets",
    "power_of_splits",
    "splits_to_tell",
]

POWER = 0.8
"""Chance to find a difference that is there, which is asked for where nothing was found (Cohen, 1988)."""

MOST_SPLITS = MOST_DATASETS = 999

FEWEST_DATASETS = 5
"""Data sets that differences spread over, so that it is said how many of the kind would tell."""


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
    check_whole("power_of_splits", "n", n, 2)
    _check_of_splits("power_of_splits", difference, spread, test_train_ratio, alpha, zero=False)
    away = abs(difference) / (spread * math.sqrt(1.0 / n + test_train_ratio))
    limit = stats.t.isf(alpha / 2.0, n - 1)
    return float(stats.nct.sf(limit, n - 1, away))


def splits_to_tell(difference: float, spread: float, test_train_ratio: float, alpha: float) -> int | None:
    """Return the fewest splits that find a difference of this size and spread with power 0.8; None from 1,000 on.

    Without spread it is found by signs: by n splits where 2**(1 - n) is below `alpha`.
    """
    _check_of_splits("splits_to_tell", difference, spread, test_train_ratio, alpha, zero=True)
    if difference == 0.0:
        return None
    if spread == 0.0:
        return max(3, math.floor(1.0 - math.log2(alpha)) + 1)

    def tells(n: int) -> bool:
        return power_of_splits(n, difference, spread, test_train_ratio, alpha) >= POWER

    return _fewest(tells, MOST_SPLITS)


def power_of_datasets(n: int, differences: npt.ArrayLike, alpha: float) -> float:
    """Return the chance that Wilcoxon's signed ranks (two-sided) find a difference, on its side, over `n` data sets.

    Their differences are taken for draws from the given ones. The sum of the positive ranks is the number of the pairs
    (i <= j) with d_i + d_j > 0; it is about normal, with the moments of Lehmann (Nonparametrics, 1975, section 4.2, from
    p1 = P(D > 0), p2 = P(D + D' > 0) and p3 = P(D + D' > 0 and D + D" > 0)). Differences of 0, which the test leaves out,
    leave so much fewer data sets.

    Parameters
    ----------
    differences : array_like of float, shape (n_observed,)
        NaN is missing.
    """
    check_whole("power_of_datasets", "n", n, 1)
    found = _check_of_datasets("power_of_datasets", differences, alpha)
    differing = found[found != 0.0]
    if not differing.size:
        return 0.0
    left = n * differing.size / found.size
    if left < 2 or 2.0 ** (1.0 - left) >= alpha:
        return 0.0
    above = np.sign(differing[:, np.newaxis] + differing) / 2.0 + 0.5
    p1, p2 = float(np.mean(differing > 0)), float(above.mean())
    if p2 < 0.5:
        return power_of_datasets(n, -found, alpha)
    p3 = float(np.mean(above.mean(axis=1) ** 2))
    pairs = left * (left - 1.0) / 2.0
    mean = left * p1 + pairs * p2
    variance = left * p1 * (1 - p1) + pairs * (2 * (p1 - p2) ** 2 + 3 * p2 * (1 - p2))
    variance += left * (left - 1) * (left - 2) * (p3 - p2**2)
    middle, spread = left * (left + 1) / 4.0, math.sqrt(left * (left + 1) * (2 * left + 1) / 24.0)
    over = mean - middle - stats.norm.isf(alpha / 2.0) * spread
    return float(stats.norm.cdf(over / math.sqrt(variance))) if variance > 1e-9 else float(over > 0)


def datasets_to_tell(differences: npt.ArrayLike, alpha: float) -> int | None:
    """Return over how many data sets such differences are found with power 0.8; None from 1,000 on, or of under five."""
    found = _check_of_datasets("datasets_to_tell", differences, alpha)
    if found.size < FEWEST_DATASETS or not found.any():
        return None
    return _fewest(lambda n: power_of_datasets(n, found, alpha) >= POWER, MOST_DATASETS)


def _check_of_splits(
    owner: str, difference: float, spread: float, test_train_ratio: float, alpha: float, *, zero: bool
) -> None:
    check_finite(owner, "difference", difference)
    check_not_negative(owner, "spread", spread, zero=zero)
    check_not_negative(owner, "test_train_ratio", test_train_ratio)
    check_level(owner, alpha)


def _check_of_datasets(owner: str, differences: npt.ArrayLike, alpha: float) -> npt.NDArray[np.float64]:
    check_level(owner, alpha)
    found = numbers_in(owner, "differences", differences)
    if found.ndim != 1:
        raise InvalidInput(f"{owner}: differences must be one a data set, got shape {found.shape}")
    return found[np.isfinite(found)]


def _fewest(tells: Callable[[int], bool], most: int) -> int | None:
    """Return the smallest number above 2 that tells, if `most` does."""
    low, high = 2, most
    if not tells(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if tells(middle) else (middle, high)
    return high
