"""Is the difference between two learners real? Paired tests, each with its meaning and its assumption in words.

On one data set: `paired_t_test`, `corrected_t_test`, `mcnemar_test`; over data sets: `wilcoxon_test`. More than two
learners are compared in `rank_tests`, effect sizes are in `effects`. No function returns NaN, warns or raises over numbers:
where there is no answer, the record says why. What is no pair of series, or no level in (0, 1), is refused.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import stats
from scipy.special import stdtr

from ensembles.errors import InvalidInput
from ensembles.evaluation.checks import check_level, check_not_negative, check_pair, numbers_in, paired_values, sizes_in
from ensembles.evaluation.comparable import varying
from ensembles.evaluation.finding import (
    ASSUMES,
    DECIMALS,
    FIRST_AND_SECOND,
    Finding,
    Values,
    Verdict,
    gains_of,
    make_finding,
    no_answer,
)
from ensembles.evaluation.long_run import long_run_p_value
from ensembles.wording import number

__all__ = [
    "ASSUMES",
    "Finding",
    "TTests",
    "Verdict",
    "corrected_t_test",
    "mcnemar_test",
    "paired_t_test",
    "signed_rank_sum",
    "t_tests",
    "verdicts",
    "wilcoxon_test",
]

_ENUMERATED = 13


@dataclass(frozen=True)
class TTests:
    """Many t-tests at once; arrays of one shape. `scale`, `statistic` and `p_value` are NaN below two pairs.

    The scale is the standard error of the gain. The statistic is infinite when all gains are the same and not 0, and 0
    when they all are. The p-value then is that of the sign test.
    """

    n: npt.NDArray[np.int64]
    gain: npt.NDArray[np.float64]
    scale: npt.NDArray[np.float64]
    statistic: npt.NDArray[np.float64]
    p_value: npt.NDArray[np.float64]


def t_tests(gains: Values, test_train_ratio: float = 0.0, n_test: Values | None = None, grain: float = 0.0) -> TTests:
    """Test whether mean gains differ from 0.

    t = mean / sqrt((1/J + test_train_ratio) * variance) with J - 1 degrees of freedom: for a ratio of 0 the paired
    t-test, else the corrected resampled t-test (Nadeau and Bengio, 2003, section 3, "Inference for the generalization
    error"). Gains that are all the same have no spread to be measured by, which on a few small test sets is chance as
    well: their p-value is that of the sign test, 2**(1 - J). So are gains that are the same number of examples on test
    sets of different sizes, as folds have where the examples cannot be divided evenly, and, of a measure such as Cohen's
    kappa, by which an example counts a little more in one fold than in another, those that hardly differ.

    Parameters
    ----------
    gains : array_like of float, shape (J, ...)
        One test for each place behind the first axis; NaN, a missing pair, is left out.
    test_train_ratio : float
        Test examples by training examples of a split, >= 0.
    n_test : array_like of float, shape (J,), optional
        Test examples of each split, where gains are of measures of predicted classes.
    grain : float
        Gains of one sign that lie less than so many test examples apart are the same: 0 where they are shares of them, else
        1.
    """
    check_not_negative("t_tests", "test_train_ratio", test_train_ratio)
    rounded = np.round(numbers_in("t_tests", "gains", gains), DECIMALS)
    known = np.isfinite(rounded)
    n = known.sum(axis=0)
    mean = np.where(known, rounded, 0.0).sum(axis=0) / np.maximum(n, 1)
    squares = (np.where(known, rounded - mean, 0.0) ** 2).sum(axis=0)
    sizes = None if n_test is None else sizes_in("t_tests", "n_test", n_test, len(rounded))
    variance = np.where(varying(rounded, sizes, grain), squares / np.maximum(n - 1, 1), 0.0)
    scale = np.sqrt((1.0 / np.maximum(n, 1) + test_train_ratio) * variance)
    certain = np.where(mean == 0.0, 0.0, np.copysign(np.inf, mean))
    statistic = np.where(scale > 0.0, mean / np.where(scale > 0.0, scale, 1.0), certain)
    p_value = 2.0 * stdtr(np.maximum(n - 1, 1), -np.abs(statistic))
    p_value = np.where(np.isinf(statistic), 2.0 ** (1.0 - n), p_value)
    told = (np.where(n > 1, numbers, np.nan) for numbers in (scale, statistic, p_value))
    return TTests(n, np.where(n > 0, mean, np.nan), *told)


def verdicts(tests: TTests, alpha: float = 0.05) -> npt.NDArray[np.str_]:
    """Return the verdict of each test at a level in (0, 1): better, worse, equal, or unknown below two pairs."""
    check_level("verdicts", alpha)
    found = tests.p_value < alpha
    side = np.where(tests.gain > 0, "better", "worse")
    return np.where(np.isnan(tests.p_value), "unknown", np.where(found, side, "equal"))


def paired_t_test(
    first: Values,
    second: Values,
    *,
    lower_is_better: bool = False,
    n_test: Values | None = None,
    grain: float = 0.0,
    alpha: float = 0.05,
    names: tuple[str, str] = FIRST_AND_SECOND,
) -> Finding:
    """Compare two learners on the splits of one data set, as Oza's thesis does (two-sided, at 0.05).

    Parameters
    ----------
    first, second : array_like of float, shape (n_splits,)
        A measure on the same splits: for an online learner the mean over its orders. NaN is missing.
    n_test : array_like of float, shape (n_splits,), optional
    grain : float
        See `t_tests`.
    alpha : float
        Level of significance, in (0, 1).
    names : (str, str)
        For the sentence.
    """
    check_level("paired_t_test", alpha)
    check_pair("paired_t_test", names)
    gains = gains_of(*paired_values("paired_t_test", first, second), lower_is_better=lower_is_better)
    return _t_finding("paired", gains, t_tests(gains, 0.0, n_test, grain), alpha, names, grain)


def corrected_t_test(
    first: Values,
    second: Values,
    *,
    test_train_ratio: float,
    lower_is_better: bool = False,
    n_test: Values | None = None,
    grain: float = 0.0,
    alpha: float = 0.05,
    names: tuple[str, str] = FIRST_AND_SECOND,
) -> Finding:
    """Compare two learners on the splits of one data set, whose training sets overlap (Nadeau and Bengio, 2003).

    Parameters
    ----------
    first, second, n_test, grain, alpha, names
        As in `paired_t_test`.
    test_train_ratio : float
        Test examples by training examples of a split: 1/4 for five folds.
    """
    check_level("corrected_t_test", alpha)
    check_pair("corrected_t_test", names)
    check_not_negative("corrected_t_test", "test_train_ratio", test_train_ratio)
    gains = gains_of(*paired_values("corrected_t_test", first, second), lower_is_better=lower_is_better)
    return _t_finding("corrected", gains, t_tests(gains, test_train_ratio, n_test, grain), alpha, names, grain)


def mcnemar_test(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    in_order: bool = False,
    alpha: float = 0.05,
    names: tuple[str, str] = FIRST_AND_SECOND,
) -> Finding:
    """Compare two learners on one test set by the examples that only one of them gets right (exact, two-sided).

    Parameters
    ----------
    first, second : array_like of bool, shape (n_examples,)
        Whether each prediction was right; NaN is missing.
    in_order : bool
        On a stream neighbours resemble each other: the larger p-value of this and of `long_run_p_value` counts.
    """
    check_level("mcnemar_test", alpha)
    check_pair("mcnemar_test", names)
    one, other = _right_or_wrong(first, second)
    lost, won = int(np.sum(one & ~other)), int(np.sum(other & ~one))
    if not one.size:
        return no_answer("mcnemar", "there is no test example.")
    p_value = float(stats.binomtest(won, won + lost).pvalue) if won + lost else 1.0
    if in_order:
        p_value = max(p_value, long_run_p_value(other.astype(float) - one))
    gain, test = (won - lost) / one.size, "long_run" if in_order else "mcnemar"
    where = f"{names[1]} alone is right on {won:,} of {one.size:,} test examples, {names[0]} alone on {lost:,}"
    return make_finding(test, one.size, gain, float(min(won, lost)), p_value, alpha, names, where, better=won > lost)


def _right_or_wrong(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return whether each prediction was right, where both are known: NaN as a truth value would be a right one."""
    one, other = paired_values("mcnemar_test", first, second)
    known = np.isfinite(one)
    one, other = one[known], other[known]
    both = np.concatenate([one, other])
    odd = both[(both != 0.0) & (both != 1.0)]
    if len(odd):
        raise InvalidInput(f"mcnemar_test: first and second must be right (1) or wrong (0), got {odd[0]:g}")
    return one == 1.0, other == 1.0


def wilcoxon_test(
    first: Values,
    second: Values,
    *,
    lower_is_better: bool = False,
    alpha: float = 0.05,
    names: tuple[str, str] = FIRST_AND_SECOND,
) -> Finding:
    """Compare two learners over data sets by signed ranks (Wilcoxon, 1945; recommended by Demsar, 2006, 3.1.3).

    Parameters
    ----------
    first, second : array_like of float, shape (n_datasets,)
        Means on the same data sets; NaN is missing. Data sets without a difference are left out of the ranks.
    """
    check_level("wilcoxon_test", alpha)
    check_pair("wilcoxon_test", names)
    gains = gains_of(*paired_values("wilcoxon_test", first, second), lower_is_better=lower_is_better)
    gains = gains[np.isfinite(gains)]
    if gains.size < 2:
        return no_answer("wilcoxon", f"it needs two data sets with both learners, there {_is(gains.size)}.", gains)
    differing = int(np.count_nonzero(gains))
    statistic, p_value = 0.0, 1.0
    if differing:
        statistic, p_value = _signed_ranks(gains[gains != 0])
    mean, side = float(gains.mean()), signed_rank_sum(gains)
    where = f"mean gain {_signed(mean)} over {_counted(gains.size, 'data set')}"
    if mean * side < 0:
        where += f", yet the ranks of gains and losses lie {'for' if side > 0 else 'against'} it"
    if not differing:
        where = f"the same on all {_counted(gains.size, 'data set')}"
    elif (least := 2.0 ** (1 - differing)) >= alpha:
        where += f", too few to reach a p-value below {least:g}"
    return make_finding("wilcoxon", gains.size, mean, statistic, p_value, alpha, names, where, better=side > 0)


def signed_rank_sum(gains: npt.NDArray[np.float64]) -> float:
    """Return the sum of the ranks of gains minus that of losses, which Wilcoxon's test looks at; NaN is left out."""
    differing = np.round(gains[np.isfinite(gains)], DECIMALS)
    differing = differing[differing != 0]
    return float(np.sign(differing) @ stats.rankdata(np.abs(differing)))


def _signed_ranks(gains: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return what scipy.stats.wilcoxon does: exact with few gains, or with up to 50 of different sizes.

    With ties scipy tries all signs one by one; for few gains a product of matrices tries them at once.
    """
    n = gains.size
    if n > _ENUMERATED:
        result = stats.wilcoxon(gains)
        return float(result.statistic), float(result.pvalue)
    ranks = stats.rankdata(np.abs(gains))
    positive, middle = ranks[gains > 0].sum(), ranks.sum() / 2.0
    possible = (np.arange(2**n)[:, np.newaxis] >> np.arange(n) & 1) @ ranks
    p_value = np.mean(np.abs(possible - middle) >= abs(positive - middle))
    return float(min(positive, 2.0 * middle - positive)), float(p_value)


def _t_finding(
    test: str, gains: npt.NDArray[np.float64], tests: TTests, alpha: float, names: tuple[str, str], grain: float
) -> Finding:
    n, gain = int(tests.n), float(tests.gain)
    if n < 2:
        why = f"it needs two splits with both learners, there {_is(n)}."
        return no_answer(test, why, np.full(n, gain))
    statistic = float(tests.statistic)
    where = f"mean gain {_signed(gain)} over {n:,} splits"
    if not np.nan_to_num(gains).any():
        where = f"the same on all {n:,} splits"
    elif np.isinf(statistic):
        steady = np.nanmin(gains) == np.nanmax(gains)
        alike = f"{where}, {'nearly ' if grain else ''}as many examples on each"
        where = f"gain {_signed(gain)} on every one of {n:,} splits" if steady else alike
    return make_finding(test, n, gain, statistic, float(tests.p_value), alpha, names, where, better=gain > 0)


def _is(number: int) -> str:
    return f"{'is' if number == 1 else 'are'} {number}"


def _signed(gain: float) -> str:
    return f"{'−' if gain < 0 else '+'}{number(abs(gain))}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
