"""Page-Hinkley: mistakes have changed where their sum beyond the mean has climbed, or sunk, by more than a threshold.

Page (1954), section 2, in the form of River's `drift.PageHinkley`: both directions, with the mean of all outcomes so far, a
slack of 0.005 an outcome, sums that fade by 0.9999, and nothing told of the first 29 outcomes.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.methods.core.drift import FALLEN, RISEN, STEADY, forget_outcomes, watch, watched_rate

__all__ = ["PAGE_CHANGE", "PAGE_WARNING", "RunningSums", "new_running_sums"]

PAGE_CHANGE, PAGE_WARNING = 50.0, 25.0  #: how far a sum has to climb
FIRST = 30  # outcomes before anything is told
SLACK = 0.005
FADING = 1.0 - 0.0001

SEEN, MEAN, UP, DOWN, LEAST_UP, MOST_DOWN, ALARMED = range(7)


class RunningSums(NamedTuple):
    """Sums of what the outcomes of members m lie beyond their mean."""

    rows: np.ndarray  # (m, 7) outcomes, their mean, sums less and plus the slack, extremes of the two, 1 after an alarm
    threshold: float

    def rates(self) -> npt.NDArray[np.float64]:
        """Return the error rate of each member, NaN where there was no outcome."""
        return np.where(self.rows[:, SEEN] > 0, self.rows[:, MEAN], np.nan)


def new_running_sums(n_members: int, threshold: float) -> RunningSums:
    """Return detectors that have seen nothing."""
    rows = np.zeros((n_members, 7))
    rows[:, LEAST_UP], rows[:, MOST_DOWN] = np.inf, -1.0
    return RunningSums(rows, float(threshold))


@forget_outcomes.implement(RunningSums)
def _forget(detectors, m):
    rows = detectors.rows
    rows[m] = 0.0
    rows[m, LEAST_UP], rows[m, MOST_DOWN] = np.inf, -1.0


@watched_rate.implement(RunningSums)
def _rate(detectors, m):
    return detectors.rows[m, MEAN]


@watch.implement(RunningSums)
def _watch(detectors, m, mistake, uniform):  # noqa: ARG001
    rows = detectors.rows
    if rows[m, ALARMED] > 0.0:
        forget_outcomes(detectors, m)
    rows[m, SEEN] += 1.0
    rows[m, MEAN] += (1.0 / rows[m, SEEN]) * (mistake - rows[m, MEAN])
    beyond = mistake - rows[m, MEAN]
    rows[m, UP] = FADING * rows[m, UP] + beyond - SLACK
    rows[m, DOWN] = FADING * rows[m, DOWN] + beyond + SLACK
    rows[m, LEAST_UP] = min(rows[m, LEAST_UP], rows[m, UP])
    rows[m, MOST_DOWN] = max(rows[m, MOST_DOWN], rows[m, DOWN])
    climbed = rows[m, UP] - rows[m, LEAST_UP] > detectors.threshold
    sunk = rows[m, MOST_DOWN] - rows[m, DOWN] > detectors.threshold
    if rows[m, SEEN] < FIRST or not (climbed or sunk):
        return STEADY
    rows[m, ALARMED] = 1.0
    return RISEN if climbed else FALLEN
