"""Where learners stand beside the best one, by what a test said of each: tied, worse, or not to be told."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.evaluation.rank_tests import holm_adjusted

__all__ = ["Beside", "Comparison", "Floats", "Standing", "Test", "Tested", "Why", "judge", "nothing", "number_of_pairs"]

Floats = npt.NDArray[np.float64]
Standing = Literal["best", "tied", "worse", "undecided"]
Test = Literal["corrected", "unpaired", "wilcoxon", "mcnemar", "long_run", "delta"]
Why = Literal["", "missing", "few"]


class Beside(NamedTuple):
    """A learner beside the best one.

    Attributes
    ----------
    learner : int
    standing : {"best", "tied", "worse", "undecided"}
        `tied`: tested, and not told from the best; `undecided`: no test, or none that could have told.
    why : {"", "missing", "few"}
        Of an undecided one: its trials are missing, or there are too few splits, data sets or examples.
    value : float
        Mean of the measure, or mean rank (1 is best); NaN without one.
    behind, low, high : float
        By how much it is behind the best, in units of `value`, and the interval of that at 1 - alpha, for this
        difference alone; NaN where unknown.
    p_value, adjusted : float
        Of the test against the best, and adjusted for all pairs; NaN without a test.
    same : bool
        It never differs from the best.
    to_tell : int or None
        Splits, or data sets, with which the difference would be found with power 0.8, if that is under 1,000 and the
        test is paired.
    chances : (float, float, float) or None
        Probabilities that it is better than the best, practically the same, or worse (Bayesian correlated t); None
        where there are none.
    paired : bool
        Whether it was tested on splits, data sets or examples that the best one has too.
    """

    learner: int
    standing: Standing
    why: Why
    value: float
    behind: float
    low: float
    high: float
    p_value: float
    adjusted: float
    same: bool = False
    to_tell: int | None = None
    chances: tuple[float, float, float] | None = None
    paired: bool = True


class Comparison(NamedTuple):
    """All learners beside the best one, the best first.

    Attributes
    ----------
    test : {"corrected", "unpaired", "wilcoxon", "mcnemar", "long_run", "delta"}
    alpha : float
    n : int
        Splits, data sets or examples that the compared learners share; unpaired, splits that each of them has.
    n_tests : int
        Pairs of learners that p-values are adjusted for.
    rows : tuple of Beside
        One a learner; none where no learner has a value.
    low, high : float
        Interval of the value of the best; NaN where unknown.
    all_alike : float
        P-value that all learners are alike (Iman and Davenport's, over data sets); NaN without one.
    """

    test: Test
    alpha: float
    n: int
    n_tests: int
    rows: tuple[Beside, ...]
    low: float
    high: float
    all_alike: float


class Tested(NamedTuple):
    """What a test says of learners against the best: one value a learner, NaN where unknown; `worse`: on whose side."""

    value: Floats
    behind: Floats
    low: Floats
    high: Floats
    p_value: Floats
    worse: npt.NDArray[np.bool_]
    same: npt.NDArray[np.bool_]


def judge(
    test: Test,
    tested: Tested,
    best: int,
    compared: npt.NDArray[np.bool_],
    could_tell: npt.NDArray[np.bool_],
    alpha: float,
    n: int,
) -> Comparison:
    """Return the standing of each learner, the best first; `could_tell`: whether its test could have found anything."""
    others = compared.copy()
    others[best] = False
    n_tests = number_of_pairs(int(compared.sum()))
    raw = np.where(others & could_tell, tested.p_value, np.nan)
    adjusted = holm_adjusted(raw, n_tests)

    def standing(learner: int) -> tuple[Standing, Why]:
        if learner == best:
            return "best", ""
        if not compared[learner]:
            return "undecided", "missing"
        if tested.same[learner]:
            return "tied", ""
        if np.isnan(adjusted[learner]):
            return "undecided", "few"
        return ("worse" if adjusted[learner] < alpha and tested.worse[learner] else "tied"), ""

    def row(learner: int) -> Beside:
        known = compared[learner]
        value, behind, low, high, p_value, corrected = (
            float(series[learner]) if known else np.nan
            for series in (tested.value, tested.behind, tested.low, tested.high, raw, adjusted)
        )
        same = bool(tested.same[learner] and learner != best)
        return Beside(learner, *standing(learner), value, behind, low, high, p_value, corrected, same)

    rows = sorted(map(row, range(len(compared))), key=_place)
    return Comparison(test, alpha, n, n_tests, tuple(rows), np.nan, np.nan, np.nan)


def _place(row: Beside) -> tuple[bool, bool, float, int]:
    unknown = np.isnan(row.behind)
    return row.standing != "best", bool(unknown), 0.0 if unknown else row.behind, row.learner


def nothing(test: Test, alpha: float) -> Comparison:
    """Return the comparison of learners without values."""
    return Comparison(test, alpha, 0, 0, (), np.nan, np.nan, np.nan)


def number_of_pairs(n_learners: int) -> int:
    """Return of how many pairs so many learners are."""
    return n_learners * (n_learners - 1) // 2
