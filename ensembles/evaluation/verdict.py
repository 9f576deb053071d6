"""Which learner is best, which cannot be told from it, which are clearly worse: all learners against the best one.

`on_splits` compares on the splits of one data set, `over_datasets` over data sets, and `verdict_on_examples` on the
predictions of one test set or stream. The best learner is chosen by looking at the very numbers that it is then tested
with, so its differences to the others are among the largest there are. P-values are therefore adjusted by Holm's procedure
for all pairs of learners, not only for those with the best: adjusted for these alone, of experiments with ten equal learners
one in eight would call one of them worse at 0.05.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats

from ensembles.errors import InvalidInput
from ensembles.evaluation.bayesian_t import bayesian_correlated_t
from ensembles.evaluation.checks import check_level, check_not_negative
from ensembles.evaluation.comparable import as_table, best_of, both_vary, compared_in, fair_rows, means_of
from ensembles.evaluation.finding import DECIMALS, Values, gains_of
from ensembles.evaluation.power import datasets_to_tell, splits_to_tell
from ensembles.evaluation.rank_tests import iman_davenport
from ensembles.evaluation.significance import signed_rank_sum, t_tests, wilcoxon_test
from ensembles.evaluation.standings import (
    Beside,
    Comparison,
    Floats,
    Standing,
    Test,
    Tested,
    Why,
    judge,
    nothing,
    number_of_pairs,
)
from ensembles.evaluation.unpaired import unpaired_tests

__all__ = [
    "FEWEST_SPLITS",
    "Beside",
    "Comparison",
    "Standing",
    "Test",
    "Why",
    "fair_means",
    "on_splits",
    "over_datasets",
]

FEWEST_SPLITS = 3
"""Splits that the spread of differences is taken from."""


def on_splits(
    values: Values,
    *,
    test_train_ratio: float,
    lower_is_better: bool = False,
    alpha: float = 0.05,
    amounts: bool = False,
    n_test: Values | None = None,
    grain: float = 0.0,
) -> Comparison:
    """Compare learners on the splits of one data set by the corrected resampled t-test (Nadeau and Bengio, 2003).

    The best is that of the best mean over the splits that the compared learners share, or, where there are none, over
    those of each. A learner with values on half of the splits or fewer is not compared. One that shares fewer than three
    splits with the best, though both have more, is compared unpaired.

    Parameters
    ----------
    values : array_like of float, shape (n_splits, n_learners)
        A measure; NaN is missing.
    test_train_ratio : float
        Test examples by training examples of a split.
    amounts : bool
        Whether a difference that does not matter in practice is a hundredth of the best mean, not 0.01.
    n_test : array_like of float, shape (n_splits,), optional
        Test examples of each split, where values are of predicted classes.
    grain : float
        See `t_tests`.
    """
    check_level("on_splits", alpha)
    check_not_negative("on_splits", "test_train_ratio", test_train_ratio)
    table = as_table("on_splits", values)
    compared, shared = compared_in(table)
    if not compared.any():
        return nothing("corrected", alpha)
    fair = fair_rows(table, shared)
    value = means_of(fair)
    best = best_of(np.where(compared, value, np.nan), lower_is_better=lower_is_better)
    behind = gains_of(table, np.repeat(table[:, [best]], table.shape[1], axis=1), lower_is_better=lower_is_better)
    tests = t_tests(behind, test_train_ratio, n_test, grain)
    enough = tests.n >= FEWEST_SPLITS
    counts = np.isfinite(table).sum(axis=0)
    alone = compared & ~enough & (np.minimum(counts, counts[best]) >= FEWEST_SPLITS)
    same = np.nan_to_num(np.abs(behind)).max(axis=0, initial=0.0) == 0.0
    low, high, spread = _t_interval(behind, test_train_ratio, alpha)
    certain = np.isinf(tests.statistic)
    low, high, spread = (
        np.where(certain, told, found) for told, found in ((np.nan, low), (np.nan, high), (0.0, spread))
    )
    tested = Tested(value, tests.gain, low, high, tests.p_value, tests.gain > 0, same & enough)
    if alone.any():
        tested = _or_unpaired(tested, alone, table, best, lower_is_better, (test_train_ratio, alpha, n_test, grain))
    n = int(counts[compared].min() if alone.any() else shared.sum())
    found = judge("unpaired" if alone.any() else "corrected", tested, best, compared, enough | alone, alpha, n)
    own = _own_interval(fair[:, [best]], shared, test_train_ratio, alpha, n_test)
    rows = [row._replace(paired=not alone[row.learner]) for row in found.rows]
    found = _with_power(found._replace(rows=tuple(rows)), _by_splits(np.where(alone, np.nan, spread), test_train_ratio))
    found = _with_chances(found, behind, test_train_ratio, value[best] if amounts else 1.0)
    return found._replace(low=own[0], high=own[1])


def _own_interval(
    fair: Floats, shared: npt.NDArray[np.bool_], ratio: float, alpha: float, n_test: Values | None
) -> tuple[float, float]:
    """Return the ends of the interval of the best; NaN where as many examples are right on each split: see `t_tests`."""
    sizes = None if n_test is None else fair_rows(np.asarray(n_test, dtype=float), shared)
    low, high, _ = _t_interval(fair, ratio, alpha)
    varies = both_vary(np.round(fair, DECIMALS), sizes)[0]
    return (float(low[0]), float(high[0])) if varies else (np.nan, np.nan)


def _by_splits(spread: Floats, ratio: float) -> Callable[[Beside, float], int | None]:
    """Return what tells with how many splits the difference of a learner would be found, whose spread is known."""

    def would_tell(row: Beside, level: float) -> int | None:
        known = float(spread[row.learner])
        few = np.isnan(known) or row.standing == "undecided"  # the spread of two splits is no guide
        return None if few else splits_to_tell(row.behind, known, ratio, level)

    return would_tell


def _or_unpaired(
    paired: Tested,
    alone: npt.NDArray[np.bool_],
    table: Floats,
    best: int,
    lower_is_better: bool,
    settings: tuple[float, float, Values | None, float],
) -> Tested:
    """Return what is said of learners, of those that are alone by their own splits and those of the best.

    Parameters
    ----------
    settings : (float, float, array or None, float)
        Test by training examples, level, test examples of each split and grain, as `unpaired_tests` takes them.
    """
    own = means_of(table)
    behind = gains_of(own, np.full_like(own, own[best]), lower_is_better=lower_is_better)
    found = unpaired_tests(table, best, *settings)

    def chosen(unpaired: Floats, known: Floats) -> Floats:
        return np.where(alone, unpaired, known)

    return Tested(
        chosen(own, paired.value),
        chosen(behind, paired.behind),
        chosen(behind - found.reach, paired.low),
        chosen(behind + found.reach, paired.high),
        chosen(found.p_value, paired.p_value),
        np.where(alone, behind > 0, paired.worse),
        paired.same & ~alone,
    )


def over_datasets(
    values: Values, *, lower_is_better: bool = False, alpha: float = 0.05, splits: Sequence[Floats] = ()
) -> Comparison:
    """Compare learners over data sets by Wilcoxon's signed ranks; the best is that of the best mean rank.

    Intervals are of the mean difference in ranks, by Student's t over data sets, and end where there are no further ranks:
    of few data sets they would reach far out. NaN where the difference is the same on all of them.

    Parameters
    ----------
    values : array_like of float, shape (n_datasets, n_learners)
        Means of a measure; data sets that lack a compared learner are left out.
    splits : sequence of array of float, shape (n_splits, n_learners), optional
        Of each data set: learners with the same means are told to be the same only if they never differ on a split.
    """
    check_level("over_datasets", alpha)
    table = as_table("over_datasets", values)
    of_splits = _splits_of(table, splits)
    compared, shared = compared_in(table)
    if not (compared.any() and shared.any()):
        return nothing("wilcoxon", alpha)
    complete = np.round(table[shared], DECIMALS)
    order = complete if lower_is_better else -complete
    ranks = np.full(order.shape, np.nan)
    ranks[:, compared] = stats.rankdata(order[:, compared], axis=1)
    value = means_of(ranks)
    best = best_of(value, lower_is_better=True)
    behind = ranks - ranks[:, [best]]
    p_value, worse = np.full(len(value), np.nan), np.zeros(len(value), dtype=bool)
    for learner in np.flatnonzero(compared):
        pair = order[:, learner], order[:, best]
        found = wilcoxon_test(*pair, alpha=alpha)
        p_value[learner] = np.nan if found.p_value is None else found.p_value
        worse[learner] = signed_rank_sum(pair[0] - pair[1]) > 0
    low, high, spread = _t_interval(behind, 0.0, alpha)
    low, high = np.maximum(low, 1.0 - value[best]), np.minimum(high, compared.sum() - value[best])
    low, high = (np.where((spread == 0.0) & (end != 0.0), np.nan, end) for end in (low, high))
    same = np.nan_to_num(np.abs(order - order[:, [best]]), nan=1.0).max(axis=0) == 0.0
    for own in itertools.compress(of_splits, shared):
        same &= np.nan_to_num(np.round(own - own[:, [best]], DECIMALS)).any(axis=0) == 0
    n, n_compared = len(complete), int(compared.sum())
    could_tell = 2.0 ** (1 - n) * number_of_pairs(n_compared) < alpha
    tested = Tested(value, means_of(behind), low, high, p_value, worse, same & (n > 1))
    comparison = judge("wilcoxon", tested, best, compared, np.full(len(value), could_tell), alpha, n)
    alike = iman_davenport(ranks[:, compared]) if n_compared > 2 and n > 1 else np.nan

    def would_tell(row: Beside, level: float) -> int | None:
        found = datasets_to_tell(np.round(order[:, row.learner] - order[:, best], DECIMALS), level)
        return found and max(found, n + 1)

    return _with_power(comparison, would_tell)._replace(all_alike=alike)


def _splits_of(table: Floats, splits: Sequence[Floats]) -> list[Floats]:
    """Return the values on the splits of each data set, if there are any; raise `InvalidInput` for those of others."""
    told = [as_table("over_datasets", own, "splits", "split of a data set") for own in splits]
    if told and [own.shape[1] for own in told] != [table.shape[1]] * len(table):
        raise InvalidInput(
            f"over_datasets: splits must be a table for each of {len(table)} data sets, with {table.shape[1]} columns, "
            f"got shapes {', '.join(str(own.shape) for own in told)}"
        )
    return told


def _with_power(found: Comparison, would_tell: Callable[[Beside, float], int | None]) -> Comparison:
    """Say with how many splits or data sets, by the level left for it, the differences would be found that were not."""
    left = max(1, found.n_tests - sum(row.standing == "worse" for row in found.rows))

    def told(row: Beside) -> Beside:
        if row.standing not in ("tied", "undecided") or not row.behind or np.isnan(row.behind):
            return row
        return row._replace(to_tell=would_tell(row, found.alpha / left))

    return found._replace(rows=tuple(map(told, found.rows)))


def _with_chances(found: Comparison, behind: Floats, ratio: float, unit: float) -> Comparison:
    """Say of those that were tested how probably they are better than the best, practically the same, or worse."""
    chances = np.array(bayesian_correlated_t(behind / (abs(unit) or 1.0), test_train_ratio=ratio))

    def told(row: Beside) -> Beside:
        better, same, worse = map(float, chances[:, row.learner])
        unknown = np.isnan(row.adjusted) or not row.paired or np.isnan(row.low)
        return row if unknown else row._replace(chances=(better, same, worse))

    return found._replace(rows=tuple(map(told, found.rows)))


def fair_means(values: Values) -> Floats:
    """Return the mean of each learner over the rows that all compared ones have, or over its own where there are none.

    NaN of learners that are not compared.

    Parameters
    ----------
    values : array_like of float, shape (n_splits, n_learners)
        On the splits of one data set; NaN is missing.
    """
    table = as_table("fair_means", values)
    compared, shared = compared_in(table)
    return np.where(compared, means_of(fair_rows(table, shared)), np.nan)


def _t_interval(table: Floats, ratio: float, alpha: float) -> tuple[Floats, Floats, Floats]:
    """Return the ends of the interval of each column's mean, and its standard deviation; NaN below two rows."""
    known = np.isfinite(table)
    n = known.sum(axis=0)
    mean = means_of(table)
    squares = (np.where(known, table - mean, 0.0) ** 2).sum(axis=0)
    spread = np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1)), np.nan)
    half = stats.t.ppf(1.0 - alpha / 2.0, np.maximum(n - 1, 1)) * np.sqrt(1.0 / np.maximum(n, 1) + ratio) * spread
    return mean - half, mean + half, spread
