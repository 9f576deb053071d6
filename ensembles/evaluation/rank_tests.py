"""More than two learners over data sets: Friedman's test of their ranks, with Nemenyi's and Holm's follow-ups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import stats

from ensembles.errors import InvalidInput
from ensembles.evaluation.checks import check_level, check_whole, names_in, numbers_in
from ensembles.evaluation.comparable import as_table
from ensembles.evaluation.finding import DECIMALS, Values, format_p
from ensembles.wording import written

__all__ = [
    "AgainstControl",
    "RankComparison",
    "compare_ranks",
    "datasets_for_pairs",
    "friedman",
    "holm_adjusted",
    "iman_davenport",
]


@dataclass(frozen=True)
class AgainstControl:
    """A learner against the control: z of the difference in ranks, and Holm's adjusted p-value."""

    learner: int
    z: float
    p_value: float
    adjusted: float
    differs: bool


@dataclass(frozen=True)
class RankComparison:
    """Average ranks of learners over data sets (1 is best), and which of them differ.

    Attributes
    ----------
    names : tuple of str
    average_ranks : tuple of float
        By learner; empty without an answer, as are `nemenyi`, `cliques` and `holm`.
    n, left_out : int
        Data sets with all learners, and those that lack one.
    alpha : float
    statistic, p_value : float or None
        Friedman's, corrected for ties.
    critical_difference : float or None
        Nemenyi's: ranks that lie this far apart differ.
    nemenyi : tuple of tuple of float
        P-values of all pairs.
    cliques : tuple of tuple of int
        Largest groups of learners, each sorted by rank, whose ranks lie within the critical difference.
    control : int
        Learner that Holm compares the others with.
    holm : tuple of AgainstControl
        By p-value, the smallest first.
    """

    names: tuple[str, ...]
    average_ranks: tuple[float, ...]
    n: int
    left_out: int
    alpha: float
    statistic: float | None
    p_value: float | None
    critical_difference: float | None
    nemenyi: tuple[tuple[float, ...], ...]
    cliques: tuple[tuple[int, ...], ...]
    control: int
    holm: tuple[AgainstControl, ...]
    sentence: str
    assumes: str = "Assumes that the data sets are independent; only ranks count, not how far apart the learners are."

    @property
    def has_answer(self) -> bool:
        """Whether there are ranks to show."""
        return bool(self.average_ranks)

    @property
    def holm_sentence(self) -> str:
        """What Holm's procedure says, in words."""
        if not self.holm:
            return self.sentence
        control = self.names[self.control]
        differing = [self.names[one.learner] for one in self.holm if one.differs]
        if not differing:
            return f"Holm: no learner differs significantly from {control} at {self.alpha:g}."
        return f"Holm: {', '.join(differing)} differ{'s' * (len(differing) == 1)} from {control} at {self.alpha:g}."


def compare_ranks(
    values: Values,
    names: Sequence[str],
    *,
    lower_is_better: bool = False,
    alpha: float = 0.05,
    control: int | None = None,
) -> RankComparison:
    """Compare learners by their ranks on each data set (Demsar, 2006, section 3.2.2).

    Parameters
    ----------
    values : array_like of float, shape (n_datasets, n_learners)
        Means; a data set with NaN, a missing one, is left out.
    names : sequence of str
        Of the learners.
    alpha : float
        Level of significance, in (0, 1).
    control : int, optional
        Learner that Holm compares the others with. By default the one with the best rank: it is chosen by looking, so
        p-values are then adjusted for all pairs (see `verdict`).
    """
    check_level("compare_ranks", alpha)
    table = _checked_table(values, names)
    if control is not None:
        check_whole("compare_ranks", "control", control, 0, len(names) - 1)
    complete = table[np.isfinite(table).all(axis=1)]
    n, k = complete.shape
    left_out = len(table) - n
    if k < 3 or n < 2:
        return _no_answer(names, n, left_out, alpha)
    ranks = stats.rankdata(complete if lower_is_better else -complete, axis=1)
    average = ranks.mean(axis=0)
    statistic, p_value = friedman(ranks)
    scale = math.sqrt(k * (k + 1) / (6.0 * n))
    nemenyi = _nemenyi(average, scale)
    difference = _studentized_quantile(alpha, k) / math.sqrt(2.0) * scale
    n_tests = k * (k - 1) // 2 if control is None else k - 1
    control = int(np.argmin(average)) if control is None else control
    return RankComparison(
        names=tuple(names),
        average_ranks=tuple(average.tolist()),
        n=n,
        left_out=left_out,
        alpha=alpha,
        statistic=statistic,
        p_value=p_value,
        critical_difference=difference,
        nemenyi=nemenyi,
        cliques=_cliques(average, difference),
        control=control,
        holm=_holm(average, scale, control, n_tests, alpha),
        sentence=_sentence(k, n, left_out, p_value, alpha),
    )


def _checked_table(values: Values, names: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return the values without errors of rounding, which would break ties."""
    n_names = len(names_in("compare_ranks", names))
    table = np.round(numbers_in("compare_ranks", "values", values), DECIMALS)
    if table.ndim != 2 or table.shape[1] != n_names:
        raise InvalidInput(
            f"compare_ranks: values must have a column for each of {n_names} names, got shape {table.shape}"
        )
    return table


def friedman(ranks: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return Friedman's statistic, corrected for ties, and its p-value, of ranks of shape (n_datasets, n_learners)."""
    table = as_table("friedman", ranks, "ranks", "data set")
    if not len(table) or table.shape[1] < 3 or np.isnan(table).any():
        raise InvalidInput(f"friedman: ranks must be known, of three learners or more, got shape {table.shape}")
    if not np.ptp(ranks, axis=1).any():
        return 0.0, 1.0
    statistic, p_value = stats.friedmanchisquare(*ranks.T)
    return float(statistic), float(p_value)


def _nemenyi(average: npt.NDArray[np.float64], scale: float) -> tuple[tuple[float, ...], ...]:
    differences = np.abs(average[:, np.newaxis] - average)
    # One call for each distinct difference: the distribution takes a millisecond a value.
    distinct, where = np.unique(np.round(differences, DECIMALS), return_inverse=True)
    p_values = stats.studentized_range.sf(distinct / scale * math.sqrt(2.0), len(average), np.inf)
    p_values = np.clip(np.where(distinct == 0, 1.0, p_values), 0.0, 1.0)
    return tuple(tuple(row) for row in p_values[where].reshape(differences.shape).tolist())


@lru_cache(maxsize=64)
def _studentized_quantile(alpha: float, k: int) -> float:
    return float(stats.studentized_range.ppf(1.0 - alpha, k, np.inf))


def _cliques(average: npt.NDArray[np.float64], difference: float) -> tuple[tuple[int, ...], ...]:
    order = np.argsort(average, kind="stable")
    groups: list[tuple[int, ...]] = []
    reached = 0
    for start in range(len(order)):
        end = start
        while end < len(order) and average[order[end]] - average[order[start]] < difference:
            end += 1
        if end - start > 1 and end > reached:
            groups.append(tuple(int(learner) for learner in order[start:end]))
            reached = end
    return tuple(groups)


def _holm(
    average: npt.NDArray[np.float64], scale: float, control: int, n_tests: int, alpha: float
) -> tuple[AgainstControl, ...]:
    others = [learner for learner in range(len(average)) if learner != control]
    z = (average[others] - average[control]) / scale
    p_values = 2.0 * stats.norm.sf(np.abs(z))
    order = np.argsort(p_values, kind="stable")
    adjusted = holm_adjusted(p_values, n_tests)
    return tuple(
        AgainstControl(
            others[place],
            float(z[place]),
            float(p_values[place]),
            float(adjusted[place]),
            bool(adjusted[place] < alpha),
        )
        for place in order
    )


def holm_adjusted(p_values: npt.ArrayLike, n_tests: int) -> npt.NDArray[np.float64]:
    """Return p-values adjusted by Holm's procedure (1979) for `n_tests` tests, of which these are some or all.

    The others count as if they came last, which adjusts no less than if they were known. NaN, no test, stays NaN.
    """
    raw = numbers_in("holm_adjusted", "p_values", p_values)
    told = raw[~np.isnan(raw)]
    if raw.ndim != 1 or not ((told >= 0.0) & (told <= 1.0)).all():
        raise InvalidInput(f"holm_adjusted: p_values must be a list of numbers in [0, 1], got {written(p_values)}")
    check_whole("holm_adjusted", "n_tests", n_tests, len(told))
    order = np.argsort(raw, kind="stable")[: len(told)]
    steps = raw[order] * np.maximum(n_tests - np.arange(len(order)), 1)
    adjusted = np.full(raw.shape, np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def datasets_for_pairs(n_tests: int, alpha: float) -> int:
    """Return on how many data sets exact signed ranks of two learners can be significant, adjusted for so many tests."""
    check_whole("datasets_for_pairs", "n_tests", n_tests, 1)
    check_level("datasets_for_pairs", alpha)
    return 2 + math.floor(math.log2(n_tests / alpha))


def iman_davenport(ranks: npt.NDArray[np.float64]) -> float:
    """Return the p-value of Iman and Davenport's F (1980; Demsar, 2006, equation 9) of Friedman's statistic.

    Of ranks that are the same on all data sets F is infinite: the p-value is how probable that is by chance.

    Parameters
    ----------
    ranks : ndarray of float, shape (n_datasets, n_learners)
        Two or more of each.
    """
    n, k = ranks.shape
    if (ranks == ranks[0]).all():
        tied = np.unique(ranks[0], return_counts=True)[1].tolist()
        orders = math.factorial(k) // math.prod(map(math.factorial, tied))
        return math.exp((1 - n) * math.log(orders))
    statistic = friedman(ranks)[0]
    return float(stats.f.sf((n - 1) * statistic / (n * (k - 1) - statistic), k - 1, (k - 1) * (n - 1)))


def _sentence(k: int, n: int, left_out: int, p_value: float, alpha: float) -> str:
    numbers = f"(Friedman's test, {format_p(p_value, alpha)} over {n:,} data sets)"
    missing = f" Left out for missing results: {left_out:,}." if left_out else ""
    if p_value < alpha:
        return f"The ranks of the {k} learners differ significantly at {alpha:g} {numbers}.{_of_pairs(k, n, alpha)}{missing}"
    return f"No significant difference between the ranks of the {k} learners at {alpha:g} {numbers}.{missing}"


def _of_pairs(k: int, n: int, alpha: float) -> str:
    """Return why the verdict, by pairs and adjusted for all of them, tells nothing of so few data sets; "" where it can."""
    needed = datasets_for_pairs(k * (k - 1) // 2, alpha)
    if n >= needed:
        return ""
    return (
        " It asks of all learners at once, by an approximation; signed ranks of two learners, as in the verdict, can tell "
        f"nothing on fewer than {needed} data sets."
    )


def _no_answer(names: Sequence[str], n: int, left_out: int, alpha: float) -> RankComparison:
    needs = "three learners" if len(names) < 3 else "two data sets with results of all learners"
    found = f"{len(names)}" if len(names) < 3 else f"{n}"
    sentence = f"No answer from Friedman's test: it needs {needs}, got {found}."
    return RankComparison(tuple(names), (), n, left_out, alpha, None, None, None, (), (), 0, (), sentence)
