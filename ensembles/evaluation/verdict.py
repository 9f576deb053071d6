"""Which learner is best, which cannot be told from it, which are clearly worse: all learners against the best one.

`on_splits` compares on the splits of one data set, `over_datasets` over data sets, `on_examples` on the predictions of one
test set or stream. The best learner is chosen by looking at the very numbers that it is then tested with, so its
differences to the others are among the largest there are. P-values are therefore adjusted by Holm's procedure for all pairs
of learners, not only for those with the best: adjusted for these alone, of experiments with ten equal learners one in eight
would call one of them worse at 0.05.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy import stats

from ensembles.errors import InvalidInput
from ensembles.evaluation.bayesian_t import bayesian_correlated_t
from ensembles.evaluation.block_bootstrap import blocked_means
from ensembles.evaluation.checks import check_level, check_not_negative
from ensembles.evaluation.finding import DECIMALS, Values, gains_of
from ensembles.evaluation.power import datasets_to_tell, splits_to_tell
from ensembles.evaluation.rank_tests import friedman, iman_davenport
from ensembles.evaluation.significance import mcnemar_test, t_tests, wilcoxon_test
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

__all__ = [
    "FEWEST_SPLITS",
    "Beside",
    "Comparison",
    "Standing",
    "Test",
    "Why",
    "on_examples",
    "on_splits",
    "over_datasets",
]

FEWEST_SPLITS = 3
"""Splits that the spread of differences is taken from."""


def on_splits(
    values: Values, *, test_train_ratio: float, lower_is_better: bool = False, alpha: float = 0.05
) -> Comparison:
    """Compare learners on the splits of one data set by the corrected resampled t-test (Nadeau and Bengio, 2003).

    The best is that of the best mean over the splits that the compared learners share. A learner with values on half of
    the splits or fewer is not compared.

    Parameters
    ----------
    values : array_like of float, shape (n_splits, n_learners)
        A measure; NaN is missing.
    test_train_ratio : float
        Test examples by training examples of a split.
    """
    check_level("on_splits", alpha)
    check_not_negative("on_splits", "test_train_ratio", test_train_ratio)
    table = _table("on_splits", values)
    compared, shared = _compared(table)
    if not compared.any():
        return nothing("corrected", alpha)
    fair = table[shared] if shared.any() else table
    value = _means(fair)
    best = _best_of(np.where(compared, value, np.nan), lower_is_better=lower_is_better)
    behind = gains_of(table, np.repeat(table[:, [best]], table.shape[1], axis=1), lower_is_better=lower_is_better)
    tests = t_tests(behind, test_train_ratio)
    same = np.nan_to_num(np.abs(behind)).max(axis=0, initial=0.0) == 0.0
    low, high, spread = _t_interval(behind, test_train_ratio, alpha)
    enough = tests.n >= FEWEST_SPLITS
    tested = Tested(value, tests.gain, low, high, tests.p_value, tests.gain > 0, same & enough)
    found = judge("corrected", tested, best, compared, enough, alpha, int(shared.sum()))
    own = _t_interval(fair[:, [best]], test_train_ratio, alpha)

    def would_tell(row: Beside, level: float) -> int | None:
        if np.isnan(spread[row.learner]):
            return None
        return splits_to_tell(row.behind, float(spread[row.learner]), test_train_ratio, level)

    found = _with_chances(_with_power(found, would_tell), behind, test_train_ratio)
    return found._replace(low=float(own[0][0]), high=float(own[1][0]))


def over_datasets(values: Values, *, lower_is_better: bool = False, alpha: float = 0.05) -> Comparison:
    """Compare learners over data sets by Wilcoxon's signed ranks; the best is that of the best mean rank.

    Intervals are of the mean difference in ranks, by Student's t over data sets.

    Parameters
    ----------
    values : array_like of float, shape (n_datasets, n_learners)
        Means of a measure; data sets that lack a compared learner are left out.
    """
    check_level("over_datasets", alpha)
    table = _table("over_datasets", values)
    compared, shared = _compared(table)
    if not (compared.any() and shared.any()):
        return nothing("wilcoxon", alpha)
    complete = table[shared]
    order = complete if lower_is_better else -complete
    ranks = np.full(order.shape, np.nan)
    ranks[:, compared] = stats.rankdata(order[:, compared], axis=1)
    value = _means(ranks)
    best = _best_of(value, lower_is_better=True)
    behind = ranks - ranks[:, [best]]
    p_value, worse = np.full(len(value), np.nan), np.zeros(len(value), dtype=bool)
    for learner in np.flatnonzero(compared):
        pair = order[:, learner], order[:, best]
        found = wilcoxon_test(*pair, alpha=alpha)
        p_value[learner] = np.nan if found.p_value is None else found.p_value
        worse[learner] = _signed_rank_sum(pair[0] - pair[1]) > 0
    low, high, _ = _t_interval(behind, 0.0, alpha)
    same = np.nan_to_num(np.abs(order - order[:, [best]]), nan=1.0).max(axis=0) == 0.0
    n, n_compared = len(complete), int(compared.sum())
    could_tell = 2.0 ** (1 - n) * number_of_pairs(n_compared) < alpha
    tested = Tested(value, _means(behind), low, high, p_value, worse, same & (n > 1))
    comparison = judge("wilcoxon", tested, best, compared, np.full(len(value), could_tell), alpha, n)
    alike = iman_davenport(friedman(ranks[:, compared])[0], n, n_compared) if n_compared > 2 and n > 1 else np.nan

    def would_tell(row: Beside, level: float) -> int | None:
        found = datasets_to_tell(np.round(order[:, row.learner] - order[:, best], DECIMALS), level)
        return found and max(found, n + 1)

    return _with_power(comparison, would_tell)._replace(all_alike=alike)


def on_examples(
    right: Values, *, lower_is_better: bool = True, in_order: bool = True, alpha: float = 0.05
) -> Comparison:
    """Compare learners on the examples of a test set by McNemar's exact test, on those of a stream by blocks as well.

    Neighbours on a stream resemble each other, which McNemar's test does not know: of equal learners it would call one
    clearly worse in up to half of the experiments. So there a p-value is the larger one of its and that of Student's t
    for the mean difference, with the spread of a bootstrap of blocks. Values are error rates, or accuracies where higher
    is better.

    Intervals are of the same bootstrap.

    Parameters
    ----------
    right : array_like of float, shape (n_examples, n_learners)
        1 where a prediction was right, 0 where it was wrong, in the order of the stream; NaN is missing.
    in_order : bool
        Whether the examples have one, as on a stream.
    """
    check_level("on_examples", alpha)
    table = _table("on_examples", right)
    compared, shared = _compared(table)
    if not (compared.any() and shared.any()):
        return nothing("mcnemar", alpha)
    wrong = 1.0 - table[shared]
    value = np.where(compared, _means(wrong), np.nan)
    best = _best_of(value, lower_is_better=True)
    behind = wrong - wrong[:, [best]]
    n_blocks, drawn = blocked_means(
        np.nan_to_num(np.column_stack([behind, wrong[:, best]])), length=0 if in_order else 1
    )
    low, high = np.quantile(drawn, (alpha / 2, 1 - alpha / 2), axis=0)
    p_value = np.full(len(value), np.nan)
    if in_order:
        p_value = _blocked_p(_means(behind), drawn[:, :-1].std(axis=0), n_blocks)
    for learner in np.flatnonzero(compared):
        exact = mcnemar_test(1.0 - wrong[:, learner], 1.0 - wrong[:, best], alpha=alpha).p_value
        p_value[learner] = np.fmax(p_value[learner], np.nan if exact is None else exact)
    same = np.nan_to_num(np.abs(behind), nan=1.0).max(axis=0) == 0.0
    low, high = (np.append(np.where(compared, ends[:-1], np.nan), ends[-1]) for ends in (low, high))
    difference = np.round(value - value[best], DECIMALS)
    shown, own = (value, (low[-1], high[-1])) if lower_is_better else (1.0 - value, (1.0 - high[-1], 1.0 - low[-1]))
    tested = Tested(shown, difference, low[:-1], high[:-1], p_value, difference > 0, same)
    could_tell = 2.0 ** (1 - len(wrong)) * number_of_pairs(int(compared.sum())) < alpha
    found = judge("mcnemar", tested, best, compared, np.full(len(value), could_tell), alpha, len(wrong))
    return found._replace(low=float(own[0]), high=float(own[1]))


def _blocked_p(mean: Floats, spread: Floats, n_blocks: int) -> Floats:
    """Return the two-sided p-values of mean differences, by their spread over blocks; 1 without a difference."""
    known = np.isfinite(mean) & (n_blocks > 1)
    certain = np.where(mean == 0.0, 1.0, 0.0)
    scale = np.where(spread > 0.0, spread, 1.0)
    p_value = np.where(spread > 0.0, 2.0 * stats.t.sf(np.abs(mean) / scale, max(n_blocks - 1, 1)), certain)
    return np.where(known, p_value, np.nan)


def _with_power(found: Comparison, would_tell: Callable[[Beside, float], int | None]) -> Comparison:
    """Say with how many splits or data sets, by the level left for it, the differences would be found that were not."""
    left = max(1, found.n_tests - sum(row.standing == "worse" for row in found.rows))

    def told(row: Beside) -> Beside:
        if row.standing not in ("tied", "undecided") or not row.behind or np.isnan(row.behind):
            return row
        return row._replace(to_tell=would_tell(row, found.alpha / left))

    return found._replace(rows=tuple(map(told, found.rows)))


def _with_chances(found: Comparison, behind: Floats, ratio: float) -> Comparison:
    """Say of those that were tested how probably they are better than the best, practically the same, or worse."""
    chances = np.array(bayesian_correlated_t(behind, test_train_ratio=ratio))

    def told(row: Beside) -> Beside:
        better, same, worse = map(float, chances[:, row.learner])
        return row if np.isnan(row.adjusted) else row._replace(chances=(better, same, worse))

    return found._replace(rows=tuple(map(told, found.rows)))


def fair_means(values: Values) -> Floats:
    """Return the mean of each learner over the rows that all compared ones have; NaN of the others, and without such rows.

    Parameters
    ----------
    values : array_like of float, shape (n_splits, n_learners)
        On the splits of one data set; NaN is missing.
    """
    table = _table("fair_means", values)
    compared, shared = _compared(table)
    return np.where(compared, _means(table[shared]), np.nan)


def _table(owner: str, values: Values) -> Floats:
    table = np.asarray(values, dtype=float)
    if table.ndim != 2:
        raise InvalidInput(f"{owner}: values must have a row a pair and a column a learner, got shape {table.shape}")
    return np.where(np.isfinite(table), table, np.nan)


def _compared(table: Floats) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return which learners have values on more than half of the rows of the fullest, and which rows all of them have."""
    known = np.isfinite(table)
    counts = known.sum(axis=0)
    compared = (counts > 0) & (2 * counts > counts.max(initial=0))
    return compared, known[:, compared].all(axis=1) & compared.any()


def _means(table: Floats) -> Floats:
    """Return the mean of each column over what is known; NaN without anything."""
    known = np.isfinite(table)
    n = known.sum(axis=0)
    means = np.where(known, table, 0.0).sum(axis=0) / np.maximum(n, 1)
    return np.where(n > 0, np.round(means, DECIMALS), np.nan)


def _best_of(value: Floats, *, lower_is_better: bool) -> int:
    return int(np.nanargmin(value) if lower_is_better else np.nanargmax(value))


def _t_interval(table: Floats, ratio: float, alpha: float) -> tuple[Floats, Floats, Floats]:
    """Return the ends of the interval of each column's mean, and its standard deviation; NaN below two rows."""
    known = np.isfinite(table)
    n = known.sum(axis=0)
    mean = _means(table)
    squares = (np.where(known, table - mean, 0.0) ** 2).sum(axis=0)
    spread = np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1)), np.nan)
    half = stats.t.ppf(1.0 - alpha / 2.0, np.maximum(n - 1, 1)) * np.sqrt(1.0 / np.maximum(n, 1) + ratio) * spread
    return mean - half, mean + half, spread


def _signed_rank_sum(gains: Floats) -> float:
    """Return on which side the signed ranks lie."""
    differing = np.round(gains[np.isfinite(gains)], DECIMALS)
    differing = differing[differing != 0]
    return float(np.sign(differing) @ stats.rankdata(np.abs(differing)))
