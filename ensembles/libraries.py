"""Libraries: which versions are installed, and of those that only some learners need, whether they are."""

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

from ensembles.errors import NotInstalled

__all__ = ["REMEDY", "find_lack", "lack_of", "library_of", "versions_of"]

REMEDY = '`make boosting` or `pip install "ensemble-lab[gradient-boosting]"` installs what is missing'


@cache
def find_lack(key: str, library: str) -> str | None:
    """Return a sentence if the library that the learner called `key` needs is not installed; it is not imported."""
    return None if find_spec(library) else f"{key} needs the library {library}, which is not installed; {REMEDY}"


def lack_of(learner: Any) -> str | None:
    """Return a sentence if a class of learners needs a library that is not installed; None if it needs none, or has it."""
    library = getattr(learner, "library", None)
    return find_lack(learner.key, library) if library else None


def library_of(key: str, library: str) -> Any:
    """Return the module of a library, imported now.

    Raises
    ------
    NotInstalled
        It is not there, or something that it is linked to is not.
    """
    if lack := find_lack(key, library):
        raise NotInstalled(lack)
    try:
        return import_module(library)
    except (ImportError, OSError) as error:
        reason = " ".join(str(error).split())
        raise NotInstalled(f"{key} needs the library {library}, which cannot be imported: {reason}") from error


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of the packages that are installed, by their names."""
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
