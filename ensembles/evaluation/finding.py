"""What a test of two learners says, in numbers and in words: which is better, by how much, and what that assumes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ensembles.errors import InvalidInput

__all__ = [
    "ASSUMES",
    "DECIMALS",
    "FIRST_AND_SECOND",
    "Finding",
    "Values",
    "Verdict",
    "format_p",
    "gains_of",
    "make_finding",
    "no_answer",
]

Values = npt.ArrayLike
Verdict = Literal["better", "worse", "equal", "unknown"]

FIRST_AND_SECOND = ("the first learner", "the second learner")

ASSUMES = {
    "corrected": "Assumes that differences between splits are about normal; that training sets overlap is made good by "
    "the share of test to training examples (Nadeau and Bengio, 2003).",
    "unpaired": "Assumes that values on splits are about normal; that training sets overlap is made good by the share of "
    "test to training examples for each mean (Nadeau and Bengio, 2003). Unpaired, it sees fewer differences.",
    "paired": "Assumes that differences between splits are about normal and independent; training sets that overlap are "
    "not, so it sees differences too often.",
    "mcnemar": "Assumes that the test examples are independent; says nothing about other training sets.",
    "long_run": "Assumes that what lies far apart on the stream is independent, and that the stream goes on as it was; says "
    "nothing about other streams. On a few thousand examples or fewer, where errors come in long runs, it sees differences "
    "too often: of equal learners in up to 14 % of simulated streams, not 5 %.",
    "delta": "Assumes that the test examples are independent and many; says nothing about other training sets.",
    "wilcoxon": "Assumes that the data sets are independent and that differences spread evenly about their middle.",
}
"""By key of a test: what it takes for granted, in one sentence."""

_NAMES = {
    "corrected": "corrected resampled t-test",
    "paired": "paired t-test",
    "mcnemar": "McNemar's test",
    "long_run": "McNemar's test and t-test with the variance over the long run",
    "wilcoxon": "Wilcoxon's signed ranks",
}
DECIMALS = 12
"""Differences below are rounding errors of sums, and would pass for certain ones."""


@dataclass(frozen=True)
class Finding:
    """What a test of two learners says. Gains are those of the second learner: positive is better.

    Attributes
    ----------
    test : {"corrected", "paired", "mcnemar", "long_run", "wilcoxon"}
    n : int
        Pairs compared: splits, test examples or data sets.
    gain : float or None
        Mean gain; None without pairs.
    statistic, p_value : float or None
        Two-sided; None where there is none (the statistic also when all gains are the same).
    verdict : {"better", "worse", "equal", "unknown"}
        Of the second learner; `equal` means that no difference was found.
    sentence : str
        What it means.
    """

    test: str
    n: int
    gain: float | None
    statistic: float | None
    p_value: float | None
    verdict: Verdict
    sentence: str

    @property
    def assumes(self) -> str:
        """What it takes for granted, in one sentence."""
        return ASSUMES[self.test]


def gains_of(first: Values, second: Values, *, lower_is_better: bool) -> npt.NDArray[np.float64]:
    """Return by how much the second is better, shaped as both are; NaN where either is unknown or infinite."""
    one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if one.shape != other.shape:
        raise InvalidInput(f"gains_of: first and second must be of one shape, got {one.shape} and {other.shape}")
    known = np.isfinite(one) & np.isfinite(other)
    better, worse = (one, other) if lower_is_better else (other, one)
    gains: npt.NDArray[np.float64] = np.subtract(better, worse, out=np.full(one.shape, np.nan), where=known)
    return np.round(gains, DECIMALS) + 0.0


def format_p(p_value: float, alpha: float = 0.05) -> str:
    """Return "p = 0.035", "p < 0.001", or "p = 0.0497": with the digits that show it to be below a level."""
    if p_value < 0.0005:
        return "p < 0.001"
    digits = next((digits for digits in range(3, 12) if (round(p_value, digits) < alpha) == (p_value < alpha)), 12)
    return f"p = {p_value:.{digits}f}"


def make_finding(
    test: str,
    n: int,
    gain: float,
    statistic: float,
    p_value: float,
    alpha: float,
    names: tuple[str, str],
    where: str,
    *,
    better: bool,
) -> Finding:
    """Return what a test with an answer says; `where` tells its numbers, `better` on whose side what it tests lies."""
    first, second = names
    numbers = f"({where}, {format_p(p_value, alpha)}; {_NAMES[test]} at {alpha:g})"
    verdict: Verdict = "equal"
    sentence = f"No significant difference between {first} and {second} {numbers}."
    if p_value < alpha:
        verdict = "better" if better else "worse"
        sentence = f"{second[:1].upper()}{second[1:]} is significantly {verdict} than {first} {numbers}."
    shown = None if np.isinf(statistic) else statistic
    return Finding(test, n, gain, shown, p_value, verdict, sentence)


def no_answer(test: str, why: str, gains: npt.NDArray[np.float64] | None = None) -> Finding:
    """Return what a test says that has no answer, and why."""
    gain = float(gains.mean()) if gains is not None and gains.size else None
    n = 0 if gains is None else gains.size
    name = _NAMES[test]
    article = "" if "'s" in name else "the "
    return Finding(test, n, gain, None, None, "unknown", f"No answer from {article}{name}: {why}")
