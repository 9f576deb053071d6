"""What one trial may take, as commands and the environment say."""

import os

from ensembles.errors import InvalidInput

__all__ = [
    "KEPT_SHARE",
    "TRIAL_SECONDS",
    "check_limits",
    "kept_share",
    "model_bytes",
    "snapshot_bytes",
    "trial_bytes",
    "trial_seconds",
]

TRIAL_SECONDS = 6 * 3600.0
"""A trial that takes longer has failed, unless another limit is set."""

_MIB = 2**20
_MOST_WORKERS = 1000
_SNAPSHOT_MIB = 256.0
_MODEL_MIB = 128.0

KEPT_SHARE = 0.3
"""So much of its memory a worker fills with data sets that no experiment uses, unless another share is set."""


def check_limits(n_workers: int | None, seconds: float | None, mebibytes: float | None) -> None:
    """Raise `InvalidInput` where a command line asks for what cannot be."""
    if n_workers is not None and n_workers < 1:
        raise InvalidInput(f"workers must be at least 1, got {n_workers}")
    if n_workers is not None and n_workers > _MOST_WORKERS:
        raise InvalidInput(f"workers must be at most {_MOST_WORKERS:,} on one machine, got {n_workers:,}")
    trial_seconds(seconds)
    trial_bytes(mebibytes)
    snapshot_bytes()
    model_bytes()
    kept_share()


def trial_seconds(wanted: float | None) -> float:
    """Return the longest time that a trial may take: as wanted, else `ENSEMBLE_LAB_TRIAL_SECONDS`, else six hours."""
    seconds = _limit("trial-seconds", "ENSEMBLE_LAB_TRIAL_SECONDS", "seconds", wanted)
    return TRIAL_SECONDS if seconds is None else seconds


def trial_bytes(wanted: float | None) -> float | None:
    """Return how much memory a trial may take; None where each worker goes by its own.

    Parameters
    ----------
    wanted : float, optional
        In MiB; else `ENSEMBLE_LAB_TRIAL_MEMORY`.
    """
    mebibytes = _limit("trial-memory", "ENSEMBLE_LAB_TRIAL_MEMORY", "MiB", wanted)
    return None if mebibytes is None else mebibytes * _MIB


def snapshot_bytes() -> float:
    """Return how much a snapshot of a stream may take: `ENSEMBLE_LAB_SNAPSHOT_MEMORY` in MiB, else 256."""
    mebibytes = _limit("", "ENSEMBLE_LAB_SNAPSHOT_MEMORY", "MiB", None)
    return (_SNAPSHOT_MIB if mebibytes is None else mebibytes) * _MIB


def model_bytes() -> float:
    """Return how large a model may be that is taken home: `ENSEMBLE_LAB_MODEL_MEMORY` in MiB, else 128."""
    mebibytes = _limit("", "ENSEMBLE_LAB_MODEL_MEMORY", "MiB", None)
    return (_MODEL_MIB if mebibytes is None else mebibytes) * _MIB


def kept_share() -> float:
    """Return the share of its memory that a worker keeps data sets in: `ENSEMBLE_LAB_KEPT_DATA`, from 0 to 1, else 0.3."""
    given = os.environ.get("ENSEMBLE_LAB_KEPT_DATA")
    if not given:
        return KEPT_SHARE
    try:
        share = float(given)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise InvalidInput(f"ENSEMBLE_LAB_KEPT_DATA must be a share from 0 to 1, got {given!r}")
    return share


def _limit(flag: str, variable: str, unit: str, wanted: float | None) -> float | None:
    """Return a limit that is set, or None; raise `InvalidInput` when it is none."""
    given = wanted if wanted is not None else os.environ.get(variable)
    if given is None or given == "":
        return None
    try:
        limit = float(given)
    except ValueError:
        limit = 0.0
    if not limit > 0:
        name = flag if wanted is not None else variable
        raise InvalidInput(f"{name} must be a number of {unit} above 0, got {given!r}")
    return limit
