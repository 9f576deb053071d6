"""ADWIN: a window over a member's recent mistakes that shrinks when their rate changes.

Outcomes (1 a mistake, 0 none) lie in an exponential histogram: buckets of 1, 2, 4, ... outcomes, at most five of each size.
Every 32 outcomes all cuts between two buckets are tried; while the error rates on both sides of some cut differ by more
than chance allows, the oldest bucket is dropped. Memory is fixed: a window can hold 2 * 10^10 outcomes.

Bifet & Gavalda (2007), sections 3 and 4. As in the authors' program, and unlike the paper's formula, the sides of a cut have
at least five outcomes, and count as four fewer.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.jit import inner, part
from ensembles.methods.core.drift import FALLEN, RISEN, STEADY, forget_outcomes, watch, watched_rate

__all__ = ["ERRORS", "WIDTH", "Adwin", "Detectors", "error_rate", "forget_errors", "new_detectors", "note_outcome"]

BUCKETS = 5  # of a size; the sixth is room for one more, until two are merged
ROWS = 32  # sizes
CLOCK = 32  # outcomes between two looks
LEAST_WINDOW = 10  # shorter windows are not looked at
LEAST_SIDE = 5

WIDTH, ERRORS, SEEN = 0, 1, 2


class Detectors(NamedTuple):
    """Windows of members m; row r has buckets b of 2^r outcomes, the oldest first."""

    mistakes: np.ndarray  # (m, ROWS, BUCKETS + 1) in the bucket
    filled: np.ndarray  # (m, ROWS) buckets in the row
    window: np.ndarray  # (m, 3) outcomes in the window, mistakes among them, outcomes ever


class Adwin(NamedTuple):
    """Windows as detectors of change."""

    windows: Detectors
    delta: float  # chance of a false alarm

    def rates(self) -> npt.NDArray[np.float64]:
        """Return the share of mistakes in the window of each member, NaN where it is empty."""
        width, mistakes = self.windows.window[:, WIDTH], self.windows.window[:, ERRORS]
        return np.where(width > 0, mistakes / np.maximum(width, 1), np.nan)


def new_detectors(n_members: int) -> Detectors:
    """Return empty windows."""
    return Detectors(
        mistakes=np.zeros((n_members, ROWS, BUCKETS + 1), dtype=np.int64),
        filled=np.zeros((n_members, ROWS), dtype=np.int64),
        window=np.zeros((n_members, 3), dtype=np.int64),
    )


@inner
def forget_errors(detectors, m):
    """Empty the window of member m."""
    detectors.filled[m] = 0
    detectors.window[m] = 0


@inner
def error_rate(detectors, m):
    """Return the share of mistakes in the window of member m, 0 if it is empty."""
    window = detectors.window
    return window[m, ERRORS] / window[m, WIDTH] if window[m, WIDTH] > 0 else 0.0


@part
def note_outcome(detectors, m, mistake, delta):
    """Add an outcome (1 or 0) of member m; return whether its error rate has changed, so that the window was cut."""
    mistakes, filled, window = detectors.mistakes, detectors.filled, detectors.window
    window[m, WIDTH] += 1
    window[m, ERRORS] += mistake
    window[m, SEEN] += 1
    _append(mistakes, filled, m, mistake)
    changed = False
    if window[m, SEEN] % CLOCK == 0:
        while window[m, WIDTH] > LEAST_WINDOW and _has_changed(mistakes, filled, window, m, delta):
            _drop_oldest(mistakes, filled, window, m)
            changed = True
    return changed


@watch.implement(Adwin)
def _watch(detectors, m, mistake, uniform):  # noqa: ARG001
    before = error_rate(detectors.windows, m)
    if not note_outcome(detectors.windows, m, mistake, detectors.delta):
        return STEADY
    return RISEN if error_rate(detectors.windows, m) > before else FALLEN


@watched_rate.implement(Adwin)
def _rate(detectors, m):
    return error_rate(detectors.windows, m)


@forget_outcomes.implement(Adwin)
def _forget(detectors, m):
    forget_errors(detectors.windows, m)


@inner
def _append(mistakes, filled, m, carried):
    """Add a bucket of one outcome; a sixth bucket of a size merges the two oldest into one of the next size."""
    for r in range(ROWS):
        b = filled[m, r]
        mistakes[m, r, b] = carried
        if b < BUCKETS:
            filled[m, r] = b + 1
            return
        carried = mistakes[m, r, 0] + mistakes[m, r, 1]
        for k in range(2, BUCKETS + 1):
            mistakes[m, r, k - 2] = mistakes[m, r, k]
        filled[m, r] = BUCKETS - 1


@inner
def _drop_oldest(mistakes, filled, window, m):
    r = ROWS - 1
    while filled[m, r] == 0:
        r -= 1
    window[m, WIDTH] -= 1 << r
    window[m, ERRORS] -= mistakes[m, r, 0]
    filled[m, r] -= 1
    for b in range(filled[m, r]):
        mistakes[m, r, b] = mistakes[m, r, b + 1]


@part
def _has_changed(mistakes, filled, window, m, delta):
    """Return whether the error rates before and after some cut differ by more than chance allows."""
    width, errors = window[m, WIDTH], window[m, ERRORS]
    rate = errors / width
    doubt = math.log(2.0 * math.log(width) / delta)
    older, older_errors = 0, 0
    for r in range(ROWS - 1, -1, -1):
        for b in range(filled[m, r]):
            older += 1 << r
            older_errors += mistakes[m, r, b]
            younger = width - older
            if older >= LEAST_SIDE and younger >= LEAST_SIDE:
                gap = abs(older_errors / older - (errors - older_errors) / younger)
                share = 1.0 / (older - LEAST_SIDE + 1) + 1.0 / (younger - LEAST_SIDE + 1)
                if gap > math.sqrt(2.0 * share * rate * (1.0 - rate) * doubt) + 2.0 / 3.0 * doubt * share:
                    return True
    return False
