"""Settings of the environment that are on until somebody switches them off."""

import os

from ensembles.errors import InvalidInput

__all__ = ["WARM", "WORKER", "is_on"]

WORKER, WARM = "ENSEMBLE_LAB_WORKER", "ENSEMBLE_LAB_WARM"

_ON, _OFF = {"", "1", "true", "yes", "on"}, {"0", "false", "no", "off"}


def is_on(name: str) -> bool:
    """Return whether a setting is on, as it is where nothing is said; raise `InvalidInput` where it says neither."""
    given = os.environ.get(name, "")
    word = given.strip().lower()
    if word not in _ON | _OFF:
        raise InvalidInput(f"{name}: must be 1 (on) or 0 (off), got {given!r}")
    return word in _ON
