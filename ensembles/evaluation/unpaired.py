"""Tests of learners that were tried on different splits of one data set, as those of two experiments are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats
from scipy.special import comb, stdtr

from ensembles.evaluation.comparable import both_vary, means_of, varying
from ensembles.evaluation.finding import DECIMALS, Values

__all__ = ["Unpaired", "unpaired_tests"]

Floats = npt.NDArray[np.float64]


class Unpaired(NamedTuple):
    """One value a learner, NaN where it or the other one has fewer than two values: the p-value (two-sided), and how far
    the interval of the difference of the means reaches to either side."""

    p_value: Floats
    reach: Floats


def unpaired_tests(
    table: Floats,
    other: int,
    test_train_ratio: float,
    alpha: float,
    n_test: Values | None = None,
    grain: float = 0.0,
) -> Unpaired:
    """Test whether the means of columns differ from that of column `other`, whatever rows each of them has.

    Welch's t-test (1947), with the variance of Nadeau and Bengio (2003, section 3) for each mean:
    v = (1/n + test_train_ratio) * variance, t = difference / sqrt(v1 + v2), and
    (v1 + v2)**2 / (v1**2 / (n1 - 1) + v2**2 / (n2 - 1)) degrees of freedom.

    Parameters
    ----------
    table : array of float, shape (n_splits, n_learners)
        NaN is missing.
    test_train_ratio : float
        Test examples by training examples of a split, >= 0.
    n_test : array_like of float, shape (n_splits,), optional
    grain : float
        As in `t_tests`: two columns that do not vary so, and lie apart, are taken for values without spread.
    """
    known = np.isfinite(table)
    n = known.sum(axis=0)
    mean = means_of(table)
    squares = (np.where(known, table - mean, 0.0) ** 2).sum(axis=0)
    rounded = np.round(table, DECIMALS)
    squares = np.where(varying(rounded), squares, 0.0)
    freedom = np.maximum(n - 1, 1)
    of_mean = (1.0 / np.maximum(n, 1) + test_train_ratio) * squares / freedom
    both = np.where(_steady(rounded, other, n_test, grain), 0.0, of_mean + of_mean[other])
    spreads = both > 0.0
    lost = of_mean**2 / freedom + of_mean[other] ** 2 / freedom[other]
    degrees = np.where(spreads, both**2 / np.where(spreads, lost, 1.0), 1.0)
    scale = np.sqrt(both)
    gap = np.abs(mean - mean[other])
    orders = comb(n + n[other], n)  # of values without spread: how many ways there are to deal them out
    certain = np.where(gap > 0.0, np.minimum(2.0 / orders, 1.0), 1.0)
    p_value = np.where(spreads, 2.0 * stdtr(degrees, -gap / np.where(spreads, scale, 1.0)), certain)
    tested = (n > 1) & (n[other] > 1)
    reach = np.where(spreads | (gap == 0.0), stats.t.ppf(1.0 - alpha / 2.0, degrees) * scale, np.nan)
    return Unpaired(np.where(tested, p_value, np.nan), np.where(tested, reach, np.nan))


def _steady(table: Floats, other: int, n_test: Values | None, grain: float) -> npt.NDArray[np.bool_]:
    """Return which columns, as column `other`, have as many examples on each split, and more or fewer than that one has."""
    same = ~both_vary(table, n_test, grain)
    known = np.isfinite(table)
    low = np.where(known, table, np.inf).min(axis=0)
    high = np.where(known, table, -np.inf).max(axis=0)
    steady: npt.NDArray[np.bool_] = same & same[other] & ((low > high[other]) | (high < low[other]))
    return steady
