"""What processes must have in common to work together, and the sentence for those that have not."""

import hashlib
import platform
import tomllib
from contextlib import suppress
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

from ensembles.jit import source_digest

__all__ = ["VERSION", "VERSIONS", "misfit", "versions"]

_US = "Ensemble Lab"

_SERIES = (
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
)  # two numbers tell the series: numbers of trials may differ between
_EXACT = ("distributed",)  # its messages go only between equals


def _digest() -> str:
    """Return a digest of the sources of the package and of the runner: both sides of a connection run both."""
    digest, folder = hashlib.sha256(source_digest().encode()), Path(__file__).parents[1]
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


VERSION = _digest()
"""Names the sources that this process has imported, whatever becomes of the files.

Trials are stored with that of the package alone, which is what their numbers depend on.
"""


def _release() -> str:
    with suppress(OSError, LookupError):  # the sources themselves come before what somebody once installed
        return str(tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]["version"])
    with suppress(PackageNotFoundError):
        return installed("ensemble-lab")
    return "unknown"


def _found() -> dict[str, str]:
    found = {_US: f"{_release()} (sources {VERSION})", "Python": _series(platform.python_version())}
    return {
        **found,
        **{name: _series(installed(name)) for name in _SERIES},
        **{name: installed(name) for name in _EXACT},
    }


def _series(text: str) -> str:
    return ".".join(text.split(".")[:2])


VERSIONS = _found()
"""What has to be the same: this program's release and sources, Python, and the libraries that numbers depend on."""


def versions() -> dict[str, str]:
    """Return `VERSIONS`, of the process in which this is called."""
    return VERSIONS


def misfit(kind: str, address: str, found: Any, *, ours: bool = False) -> str | None:
    """Return in a sentence why a process cannot take part, or None.

    Parameters
    ----------
    kind, address : str
        "worker" or "scheduler", and where it is.
    found : dict, or anything else
        What `versions` said there, or the error that came instead.
    ours : bool
        Whether this program has started it: then it was changed or upgraded since this program began.
    """
    who = f"the Dask {kind} at {address}"
    if isinstance(found, BaseException):
        said = str(found).partition("\n")[0] or type(found).__name__
        return f"{who} must be able to import {_US} {VERSIONS[_US]}, got: {said}"
    theirs = found if isinstance(found, dict) else {_US: found}
    others = [name for name in VERSIONS if theirs.get(name) != VERSIONS[name]]
    if not others:
        return None
    wanted = ", ".join(f"{name} {VERSIONS[name]}" for name in others)
    got = ", ".join(f"{name} {theirs.get(name, 'unknown')}" for name in others)
    remedy = "; it was changed while this program ran, so start this program again" * ours
    return f"{who} must have {wanted}, as this program has, got {got}{remedy}"
