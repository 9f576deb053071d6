"""Objects as bytes that run no code when read: files of skops, types by name and arrays as NumPy writes them."""

from __future__ import annotations

import zipfile
from collections.abc import Collection
from importlib import import_module
from typing import Any

from ensembles.errors import InvalidData
from ensembles.evaluation.layouts import other_layout, with_layouts

__all__ = ["FOREIGN", "read_objects", "write_objects"]

_LEVEL = 1  # of compression: reserved room is zeros, which even the least makes small

FOREIGN = frozenset(
    [
        "builtins.frozenset",
        "builtins.slice",
        "collections.OrderedDict",
        "collections.deque",
        "functools.partial",  # of a function that is listed here
        "lightgbm.basic.Booster",
        "lightgbm.sklearn.LGBMClassifier",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.metrics._dist_metrics.EuclideanDistance64",
        "sklearn.neighbors._kd_tree.KDTree",
        "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
        "sklearn.tree._tree.Tree",
        "sklearn.utils._bunch.Bunch",
        "sklearn.utils.validation.check_array",
    ]
)
"""What learners hold besides objects of this package and those that skops knows by itself."""


def write_objects(state: Any, who: str) -> bytes:
    """Return `state` as bytes; raise `InvalidData`, beginning with `who`, where they could only be read by running code."""
    from skops.io import dumps  # takes half of what all else takes that a process starts with

    try:
        return with_layouts(dumps(state, compression=zipfile.ZIP_DEFLATED, compresslevel=_LEVEL))
    except Exception as error:
        raise InvalidData(f"{who}: {error}") from error


def read_objects(content: bytes, packages: Collection[str] = ()) -> Any:
    """Return what `write_objects` was given.

    Parameters
    ----------
    packages : collection of str
        Whose objects are read too, besides classes of this package and `FOREIGN`.

    Raises
    ------
    InvalidData
        It is no such file, holds what is neither, or members as another version had them.
    """
    from skops.io import get_untrusted_types, loads

    try:
        found, told = get_untrusted_types(data=content), other_layout(content)
    except Exception:
        raise InvalidData(
            "it must be a file that skops wrote, as `model.skops` in a downloaded ZIP file, and is none or damaged"
        ) from None
    if strange := [name for name in found if not _is_trusted(name, packages)]:
        known = ", ".join(["ensembles", *sorted(packages)])
        raise InvalidData(
            f"it may hold objects of {known}, and of others a few that learners are made of, got {', '.join(strange[:3])}; "
            "`packages` names those that learners of your own come from"
        )
    if told:
        raise InvalidData(f"{told}; train it again")
    try:
        return loads(content, trusted=found)
    except Exception as error:
        raise InvalidData(f"it cannot be read here: {' '.join(str(error).split())}") from error


def _is_trusted(name: str, packages: Collection[str]) -> bool:
    package = name.partition(".")[0]
    return name in FOREIGN or package in packages or (package == "ensembles" and _is_class(name))


def _is_class(name: str) -> bool:
    """Return whether something of this package is a class: functions may do anything when they are called."""
    module, _, attribute = name.rpartition(".")
    try:
        return isinstance(getattr(import_module(module), attribute, None), type)
    except ImportError:
        return False
