"""KSWIN: the last 30 outcomes against 30 drawn from the 70 before them, by the test of Kolmogorov and Smirnov.

Raab, Heusinger & Schleif (2020), with the sizes, the exact p-value and the least distance 0.1 of River's `drift.KSWIN`.

Outcomes are 0 or 1, so the distance of two samples is the difference of their mistakes, and how many mistakes are among 30
drawn of 70 without replacement is hypergeometric: one uniform number is all that a test needs, by inversion of a table. The
p-value falls as the difference grows, so that a test asks only whether the difference is one of those that are enough.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import ks_2samp

from ensembles.jit import inner
from ensembles.methods.core.drift import FALLEN, RISEN, STEADY, forget_outcomes, watch, watched_rate

__all__ = ["KSWIN_CHANGE", "KSWIN_WARNING", "RecentOutcomes", "drawn_mistakes", "new_recent_outcomes"]

KSWIN_CHANGE, KSWIN_WARNING = 0.005, 0.01  #: p-values
WINDOW, RECENT = 100, 30  # outcomes
OLDER = WINDOW - RECENT
LEAST_DISTANCE = 0.1

SEEN, TOTAL, LATE, ALARMED = range(4)


class RecentOutcomes(NamedTuple):
    """The last outcomes of members m."""

    outcomes: np.ndarray  # (m, 100) in turn: outcome i at i mod 100
    counts: np.ndarray  # (m, 4) outcomes ever, mistakes in the window, mistakes among the last 30, 1 after an alarm
    table: np.ndarray  # (71, 31) chance of k mistakes or fewer among those drawn, by the mistakes that there are
    least_gap: int  # difference of mistakes that is a change

    def rates(self) -> npt.NDArray[np.float64]:
        """Return the share of mistakes in the window of each member, NaN where there was no outcome."""
        width = np.minimum(self.counts[:, SEEN], WINDOW)
        return np.where(width > 0, self.counts[:, TOTAL] / np.maximum(width, 1), np.nan)


def new_recent_outcomes(n_members: int, p_value: float) -> RecentOutcomes:
    """Return detectors that have seen nothing."""
    outcomes, counts = np.zeros((n_members, WINDOW), dtype=np.int64), np.zeros((n_members, 4), dtype=np.int64)
    return RecentOutcomes(outcomes, counts, _drawn_table().copy(), _least_gap(p_value))


@cache
def _drawn_table() -> npt.NDArray[np.float64]:
    ways = [
        [math.comb(there, k) * math.comb(OLDER - there, RECENT - k) for k in range(RECENT + 1)]
        for there in range(OLDER + 1)
    ]
    return np.array([[sum(row[: k + 1]) / sum(row) for k in range(RECENT + 1)] for row in ways])


@cache
def _least_gap(p_value: float) -> int:
    """Return the least difference of mistakes whose p-value is no larger, and whose distance exceeds 0.1."""
    never = np.zeros(RECENT)
    gaps = range(math.floor(LEAST_DISTANCE * RECENT) + 1, RECENT + 1)
    return next((gap for gap in gaps if ks_2samp(never, np.arange(RECENT) < gap).pvalue <= p_value), RECENT + 1)


@inner
def drawn_mistakes(table, there, uniform):
    """Return how many mistakes are among 30 outcomes drawn of 70, of which `there` are mistakes."""
    k = 0
    while k < RECENT and uniform >= table[there, k]:
        k += 1
    return k


@forget_outcomes.implement(RecentOutcomes)
def _forget(detectors, m):
    detectors.counts[m] = 0


@watched_rate.implement(RecentOutcomes)
def _rate(detectors, m):
    counts = detectors.counts
    return counts[m, TOTAL] / min(counts[m, SEEN], WINDOW) if counts[m, SEEN] > 0 else 0.0


@watch.implement(RecentOutcomes)
def _watch(detectors, m, mistake, uniform):
    outcomes, counts = detectors.outcomes, detectors.counts
    if counts[m, ALARMED] > 0:
        forget_outcomes(detectors, m)
    seen = counts[m, SEEN]
    if seen >= WINDOW:
        counts[m, TOTAL] -= outcomes[m, seen % WINDOW]
    if seen >= RECENT:
        counts[m, LATE] -= outcomes[m, (seen - RECENT) % WINDOW]
    outcomes[m, seen % WINDOW] = mistake
    counts[m, TOTAL] += mistake
    counts[m, LATE] += mistake
    counts[m, SEEN] = seen + 1
    if seen + 1 < WINDOW:
        return STEADY
    drawn = drawn_mistakes(detectors.table, counts[m, TOTAL] - counts[m, LATE], uniform)
    gap = counts[m, LATE] - drawn
    if abs(gap) < detectors.least_gap:
        return STEADY
    counts[m, ALARMED] = 1
    return RISEN if gap > 0 else FALLEN
