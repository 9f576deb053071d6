"""DDM: the error of a member that learns falls; it has changed where it lies three standard deviations above its least.

Gama, Medas, Castillo & Rodrigues (2004), section 3, with River's `drift.binary.DDM` for what the paper leaves open: nothing
is told of the first 30 outcomes, and a level has to be exceeded.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.jit import inner
from ensembles.methods.core.drift import RISEN, STEADY, forget_outcomes, watch, watched_rate

__all__ = ["DDM_CHANGE", "DDM_WARNING", "ErrorLevels", "lies_above", "new_error_levels"]

DDM_CHANGE, DDM_WARNING = 3.0, 2.0  #: standard deviations above the least error
FIRST = 30  #: outcomes of which nothing is told

SEEN, RATE, LEAST_RATE, LEAST_SPREAD, ALARMED = range(5)


class ErrorLevels(NamedTuple):
    """Error rates of members m, and the least they had."""

    rows: (
        np.ndarray
    )  # (m, 5) outcomes, their error rate, rate and deviation where their sum was least, 1 after an alarm
    level: float  # deviations above the least that are a change
    first: int  # outcomes of which nothing is told

    def rates(self) -> npt.NDArray[np.float64]:
        """Return the error rate of each member, NaN where there was no outcome."""
        return np.where(self.rows[:, SEEN] > 0, self.rows[:, RATE], np.nan)


def new_error_levels(n_members: int, level: float, first: int = FIRST) -> ErrorLevels:
    """Return detectors that have seen nothing."""
    rows = np.zeros((n_members, 5))
    rows[:, LEAST_RATE] = np.inf
    return ErrorLevels(rows, float(level), int(first))


@forget_outcomes.implement(ErrorLevels)
def _forget(detectors, m):
    detectors.rows[m] = 0.0
    detectors.rows[m, LEAST_RATE] = np.inf


@watched_rate.implement(ErrorLevels)
def _rate(detectors, m):
    return detectors.rows[m, RATE]


@watch.implement(ErrorLevels)
def _watch(detectors, m, mistake, uniform):  # noqa: ARG001
    rows = detectors.rows
    if rows[m, ALARMED] > 0.0:
        forget_outcomes(detectors, m)
    rows[m, SEEN] += 1.0
    rows[m, RATE] += (1.0 / rows[m, SEEN]) * (mistake - rows[m, RATE])
    if rows[m, SEEN] <= detectors.first:
        return STEADY
    rate, spread = rows[m, RATE], _spread(rows, m)
    if rate + spread <= rows[m, LEAST_RATE] + rows[m, LEAST_SPREAD]:
        rows[m, LEAST_RATE], rows[m, LEAST_SPREAD] = rate, spread
    if lies_above(detectors, m, detectors.level):
        rows[m, ALARMED] = 1.0
        return RISEN
    return STEADY


@inner
def lies_above(detectors, m, level):
    """Return whether the error of member m lies so many deviations above its least; not while nothing is told."""
    rows = detectors.rows
    if rows[m, SEEN] <= detectors.first:
        return False
    return rows[m, RATE] + _spread(rows, m) > rows[m, LEAST_RATE] + level * rows[m, LEAST_SPREAD]


@inner
def _spread(rows, m):
    """Return the standard deviation of an error rate."""
    return math.sqrt(max(0.0, rows[m, RATE] * (1.0 - rows[m, RATE]) / rows[m, SEEN]))
