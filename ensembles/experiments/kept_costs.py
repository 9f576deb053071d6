"""Measurements of probes on disk, for a day: whoever asks on this machine is told from the same ones."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from ensembles.experiments.cost_model import LearnerCost
from ensembles.folders import data_folder, make_private
from ensembles.jit import source_digest

__all__ = ["drop_costs", "keep_cost", "keep_start", "read_cost", "read_starts"]

_DAY = 24 * 3600.0
_STARTS, _MOST_STARTS = "starts.json", 3
_as_json = TypeAdapter(LearnerCost)


def read_cost(key: tuple[str, str, bool]) -> LearnerCost | None:
    """Return what this version of the package measured within a day, None if nothing or a broken file is there."""
    path = _path(key)
    try:
        return _as_json.validate_json(path.read_bytes()) if _is_fresh(path) else None
    except (OSError, ValidationError):
        return None


def keep_cost(key: tuple[str, str, bool], cost: LearnerCost) -> LearnerCost:
    """Keep a measurement, unless another process was quicker; return the one that is kept from now on.

    A disk that is full or read-only keeps nothing, and the measurement is returned.
    """
    path = _path(key)
    with suppress(OSError):
        make_private(data_folder())
        path.parent.mkdir(exist_ok=True)
        _sweep(path.parent)
        if not read_cost(key):
            path.unlink(missing_ok=True)
        handle, unfinished = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_as_json.dump_json(cost))
            os.link(unfinished, path)  # unlike a rename, it leaves what is there
        finally:
            os.unlink(unfinished)
    return read_cost(key) or cost


def drop_costs() -> None:
    """Delete all measurements that are kept."""
    shutil.rmtree(_folder(), ignore_errors=True)


def keep_start(seconds: float) -> None:
    """Note how long the start of worker processes took; a disk that keeps nothing is no matter."""
    with suppress(OSError):
        make_private(data_folder())
        folder = _folder()
        folder.mkdir(exist_ok=True)
        handle, unfinished = tempfile.mkstemp(dir=folder)
        with os.fdopen(handle, "w") as file:
            json.dump([*read_starts(), seconds][-_MOST_STARTS:], file)
        os.replace(unfinished, folder / _STARTS)


def read_starts() -> list[float]:
    """Return the seconds that the latest starts of worker processes took on this machine, none if nothing is known."""
    try:
        kept = json.loads((_folder() / _STARTS).read_text())
        return [float(seconds) for seconds in kept]
    except (OSError, ValueError, TypeError):
        return []


def _folder() -> Path:
    return data_folder() / "probes"


def _path(key: tuple[str, str, bool]) -> Path:
    name = hashlib.sha256(repr((*key, source_digest())).encode()).hexdigest()[:32]
    return _folder() / f"{name}.json"


def _is_fresh(path: Path) -> bool:
    return abs(time.time() - path.stat().st_mtime) < _DAY  # a file of the future is of a clock that was wrong


def _sweep(folder: Path) -> None:
    for path in folder.iterdir():
        if not _is_fresh(path):
            path.unlink(missing_ok=True)
