"""A trial as one line of JSON, as bundles hold it; nothing that it says is believed before it was checked."""

import math
from itertools import pairwise

from pydantic import BaseModel, ConfigDict, ValidationError

from ensembles.errors import InvalidInput
from ensembles.evaluation.calibration import BINS, CALIBRATION
from ensembles.evaluation.curve import Curve
from ensembles.evaluation.curves import CURVES
from ensembles.evaluation.measures import KNOWN
from ensembles.evaluation.right_or_wrong import RIGHT_ON_STRETCHES, RIGHT_OR_WRONG, STRETCHES
from ensembles.experiments.records import TrialPlan, TrialResult

__all__ = ["trial_from_line", "trial_to_line"]

_SERIES = {
    CALIBRATION,
    RIGHT_ON_STRETCHES,
    RIGHT_OR_WRONG,
    *(name for curve in CURVES.values() for name in curve.series),
}


_MOST_COUNTED = 10**12  # examples, of which no stream has more
_MOST_MEMBERS = 2**31 - 1  # what a column of a database holds
_BITS = 48  # examples a point of `RIGHT_OR_WRONG`: more would be a few bytes that unpack to any size


class _Trial(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    plan: TrialPlan
    result: TrialResult


def trial_to_line(plan: TrialPlan, result: TrialResult) -> bytes:
    """Return a trial, whole and bit for bit, as a line that `trial_from_line` reads."""
    return (
        _Trial(plan=plan, result=result).model_dump_json(exclude={"plan": {"sha256"}, "result": {"model"}}).encode()
        + b"\n"
    )


def trial_from_line(place: str, line: bytes) -> tuple[TrialPlan, TrialResult]:
    """Return the trial of a line; whether it is one of an experiment is for the caller to say.

    Parameters
    ----------
    place : str
        Where the line stands, for messages.

    Raises
    ------
    InvalidInput
        Not a trial, an unknown measure or curve, a number that is none of a trial's, or a curve that is none.
    """
    try:
        trial = _Trial.model_validate_json(line)
    except ValidationError as error:
        raise InvalidInput(f"{place}: must be a trial as it is exported here") from error
    result = trial.result
    if unknown := [*(set(result.measures) - set(KNOWN)), *(set(result.curves) - _SERIES)]:
        raise InvalidInput(f"{place}: there is no measure or curve called {unknown[0][:80]!r}")
    if wrong := _impossible(result):
        raise InvalidInput(f"{place}: {wrong}")
    _check_curves(place, result)
    return trial.plan, result


def _impossible(result: TrialResult) -> str:
    """Return what is wrong with the numbers of a trial, in words; nothing when they may be."""
    for name, most in (("members_used", _MOST_MEMBERS), ("n_train", _MOST_COUNTED), ("n_test", _MOST_COUNTED)):
        if not 0 <= getattr(result, name) <= most:
            return f"{name} must be in [0, {most:,}]"
    for name in ("fit_seconds", "predict_seconds", "fit_cpu_seconds", "predict_cpu_seconds"):
        if not (math.isnan(seconds := getattr(result, name)) or 0 <= seconds < math.inf):
            return f"{name} must be 0 or more, or not a number, got {seconds:g}"
    for name, value in result.measures.items():
        known = KNOWN[name]
        if math.isinf(value) and value not in (known.low, known.high):
            return f"{name} must be finite"
    if not (math.isnan(accuracy := result.measures.get("accuracy", 0.0)) or 0 <= accuracy <= 1):
        return f"accuracy must be in [0, 1], got {accuracy:g}"
    if result.model is not None:
        return "it must leave no model, as only a runner may keep what it made itself"
    counts = result.confusion
    if any(len(row) != len(counts) or not all(0 <= count <= _MOST_COUNTED for count in row) for row in counts):
        return "the confusion matrix must have a row and a column for each class, and count in them"
    return ""


def _check_curves(place: str, result: TrialResult) -> None:
    if any(len(curve.x) != len(curve.y) for curve in result.curves.values()):
        raise InvalidInput(f"{place}: a curve must have as many numbers down as across")
    sums = result.curves.get(CALIBRATION)
    if sums is not None and sums.x != tuple(range(3 * BINS)):
        raise InvalidInput(f"{place}: the curve {CALIBRATION} must have {BINS} points for each of three sums")
    packed = result.curves.get(RIGHT_OR_WRONG)
    if packed is not None and not (packed.x and all(0 <= b - a <= _BITS for a, b in pairwise(packed.x))):
        raise InvalidInput(f"{place}: the curve {RIGHT_OR_WRONG} must go on by at most {_BITS} examples a point")
    counted = result.curves.get(RIGHT_ON_STRETCHES)
    if counted is not None and not _is_counted(counted):
        raise InvalidInput(
            f"{place}: the curve {RIGHT_ON_STRETCHES} must have at most {STRETCHES:,} stretches, and count in them"
        )


def _is_counted(curve: Curve) -> bool:
    """Return whether a curve tells of stretches that follow each other how many predictions were right on them."""
    sizes = [stop - start for start, stop in pairwise(curve.x)]
    return 0 < len(sizes) <= STRETCHES and all(0 <= n <= size for n, size in zip(curve.y, sizes, strict=False))
