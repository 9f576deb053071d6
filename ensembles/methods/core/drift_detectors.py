"""The setting `drift_detector`: which detector of change watches the mistakes of each member."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.declarations import choice
from ensembles.draws import entropy_of, streams, uniforms
from ensembles.jit import kernel
from ensembles.methods.core.adwin import Adwin, new_detectors
from ensembles.methods.core.ddm import DDM_CHANGE, DDM_WARNING, new_error_levels
from ensembles.methods.core.drift import forget_outcomes
from ensembles.methods.core.kswin import KSWIN_CHANGE, KSWIN_WARNING, RecentOutcomes, new_recent_outcomes
from ensembles.methods.core.page_hinkley import PAGE_CHANGE, PAGE_WARNING, new_running_sums

__all__ = ["DRIFT_DETECTOR", "detectors_of", "forget_detector", "sampling_draws", "sampling_streams", "with_delta"]

DRIFT_DETECTOR = choice(
    default="adwin",
    label="Detector of change",
    help="What watches the mistakes of each member. All but ADWIN have the levels of their papers and programs.",
    choices=("adwin", "ddm", "page_hinkley", "kswin"),
    labels=(
        "ADWIN (a window that shrinks when its halves differ)",
        "DDM (an error above its least)",
        "Page-Hinkley (a sum of mistakes that climbs)",
        "KSWIN (the last 30 outcomes against some of those before)",
    ),
)


def detectors_of(kind: str, n_members: int, delta: float, *, warning: bool = False) -> Any:
    """Return detectors of a kind that have seen nothing; `warning`: they tell a smaller change. `delta` is ADWIN's."""
    if kind == "ddm":
        return new_error_levels(n_members, DDM_WARNING if warning else DDM_CHANGE)
    if kind == "page_hinkley":
        return new_running_sums(n_members, PAGE_WARNING if warning else PAGE_CHANGE)
    if kind == "kswin":
        return new_recent_outcomes(n_members, KSWIN_WARNING if warning else KSWIN_CHANGE)
    return Adwin(new_detectors(n_members), float(delta))


def with_delta(detectors: Any, delta: float) -> Any:
    """Return the detectors, ADWIN with what its `delta` is now."""
    return detectors._replace(delta=float(delta)) if isinstance(detectors, Adwin) else detectors


@kernel
def forget_detector(detectors, m):
    """Let the detector of member m forget all outcomes."""
    forget_outcomes(detectors, m)


def sampling_streams(detectors: Any, random_state: Any, n_members: int, purpose: str) -> list[np.random.Generator]:
    """Return the random numbers of each member's detector, none where detectors do not sample."""
    return streams(entropy_of(random_state), purpose, n_members) if isinstance(detectors, RecentOutcomes) else []


def sampling_draws(generators: list[np.random.Generator], n_examples: int, n_members: int) -> npt.NDArray[np.float64]:
    """Return a number for each example and member, shape (n_examples, n_members): zeros where detectors do not sample."""
    return uniforms(generators, n_examples) if generators else np.zeros((n_examples, n_members))
