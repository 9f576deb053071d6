"""Snapshots: a learner on its way through a stream, and what was written down, as bytes that run no code when read.

They are files of skops: objects by the names of their types, arrays as NumPy writes them. What is read makes objects of this
package, of scikit-learn and of the packages that learners come from only, unlike a pickle, which may call anything.
"""

from __future__ import annotations

import platform
from collections.abc import Collection
from typing import Any

import numpy as np
import sklearn

from ensembles.errors import InvalidData
from ensembles.evaluation.layouts import other_layout
from ensembles.evaluation.object_file import write_objects
from ensembles.jit import source_digest

__all__ = ["read_snapshot", "write_snapshot"]

_OWN = ("ensembles", "numpy", "sklearn", "scipy")
_BUILTINS = frozenset(["builtins.frozenset", "collections.deque", "builtins.slice"])


def write_snapshot(state: dict[str, Any]) -> bytes:
    """Return a snapshot of `state`, with the versions of what wrote it.

    Raises
    ------
    InvalidData
        Something in it cannot be written without running code when read.
    """
    return write_objects({"versions": _versions(), "state": state}, "its state cannot be kept in a snapshot")


def read_snapshot(snapshot: bytes, packages: Collection[str] = ()) -> dict[str, Any]:
    """Return the state that `write_snapshot` was given.

    Parameters
    ----------
    packages : collection of str
        Whose objects may be in it besides those of this package.

    Raises
    ------
    InvalidData
        It is no snapshot, was written by other sources, or holds what is of none of these packages.
    """
    from skops.io import get_untrusted_types, loads

    try:
        found, told = get_untrusted_types(data=snapshot), other_layout(snapshot)
    except Exception:
        raise InvalidData("it cannot go on from its snapshot, which cannot be read") from None
    known = {*_OWN, *packages}
    if foreign := [name for name in found if name not in _BUILTINS and name.partition(".")[0] not in known]:
        raise InvalidData(
            f"it cannot go on from its snapshot, which may hold objects of {', '.join(sorted(known))}, "
            f"got {', '.join(foreign[:3])}"
        )
    if told:
        raise InvalidData(f"it cannot go on from its snapshot: {told}; start it anew")
    try:
        read = loads(snapshot, trusted=found)
        written, state = read["versions"], read["state"]
    except Exception:
        raise InvalidData("it cannot go on from its snapshot, which cannot be read") from None
    if written["sources"] != source_digest():
        raise InvalidData(
            f"it cannot go on from its snapshot, which the sources {written['sources']} wrote; these are "
            f"{source_digest()}, start it anew"
        )
    return dict(state)


def _versions() -> dict[str, str]:
    return {
        "sources": source_digest(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }
