"""Which files people may name who use pages: those in the folders and buckets of `ENSEMBLE_LAB_DATA`, and no others.

What counts is where a file lies when all links in its path are followed: nothing else of the server can be reached by it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ensembles.data.files.opened import OpenedFile
from ensembles.errors import InvalidData

__all__ = ["OfferedFile", "allowed_path", "list_offered", "places"]

_SETTING = "ENSEMBLE_LAB_DATA"
_ENDINGS = (".csv", ".tsv", ".txt", ".data", ".arff", ".parquet")
_MOST_FILES = 2_000
_MOST_LOOKED_AT = 50_000  # files and folders, of which most may be something else


@dataclass(frozen=True)
class OfferedFile:
    """A file that may be named.

    Attributes
    ----------
    path : str
        Where it lies, all links followed, or its address.
    label : str
        What people read: where it is in its folder, of which the name stands in front.
    n_bytes : int
    """

    path: str
    label: str
    n_bytes: int


def places() -> tuple[str, ...]:
    """Return the folders and addresses that the operator allows."""
    value = os.environ.get(_SETTING, "")
    parts = re.split(r":(?!//)", value) if os.pathsep == ":" else value.split(os.pathsep)
    return tuple(part.strip() for part in parts if part.strip())


def list_offered() -> list[OfferedFile]:
    """Return the files that may be named, by folder and name, at most 2,000; none of places that cannot be read.

    Tables by their endings (`.csv`, `.tsv`, `.txt`, `.data`, `.arff`, each also with `.gz`; `.parquet`), without those whose
    names start with a dot.
    """
    found: list[OfferedFile] = []
    for place in places():
        offered = _in_bucket(place) if _is_address(place) else _in_folder(place)
        for file in offered:
            found.append(file)
            if len(found) >= _MOST_FILES:
                return found
    return found


def allowed_path(path: str) -> str:
    """Return where a file lies that somebody named.

    Raises
    ------
    InvalidData
        It lies nowhere that is allowed. The sentence is the same whether there is such a file or not.
    """
    refused = InvalidData(f"only files in the folders of {_SETTING} may be named, and this one is not there")
    if _is_address(path):
        below = any(path.startswith(place.rstrip("/") + "/") for place in places() if _is_address(place))
        if (
            ".." in path.split("/") or "::" in path or not below
        ):  # by two colons fsspec goes from one address to another
            raise refused
        return path
    try:
        real = Path(path).resolve(strict=True)
        roots = [Path(place).resolve(strict=False) for place in places() if not _is_address(place)]
    except (OSError, ValueError, RuntimeError):  # a name with NUL, a link that leads to itself
        raise refused from None
    if not any(root in real.parents for root in roots):
        raise refused
    return str(real)


def _is_address(place: str) -> bool:
    return "://" in place


def _in_folder(place: str) -> Iterator[OfferedFile]:
    root, looked_at = Path(place), 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            looked_at += 1
            if looked_at > _MOST_LOOKED_AT:
                return
            if not _is_table(name):
                continue
            path = Path(folder) / name
            try:
                real = allowed_path(str(path))
                size = os.stat(real).st_size
            except (InvalidData, OSError):  # a link that leads out, or nowhere
                continue
            yield OfferedFile(real, str(Path(root.name) / path.relative_to(root)), size)


def _in_bucket(place: str) -> Iterator[OfferedFile]:
    bucket = OpenedFile(place)
    try:
        with bucket.reading():
            system, root = bucket.system()
            known = system.find(root, detail=True)
    except InvalidData:
        return
    scheme = place.split("://")[0]
    for name, facts in sorted(known.items()):
        if _is_table(name.rsplit("/", 1)[-1]):
            address = f"{scheme}://{name.lstrip('/')}"
            yield OfferedFile(address, address, int(facts.get("size") or 0))


def _is_table(name: str) -> bool:
    return not name.startswith(".") and name.lower().removesuffix(".gz").endswith(_ENDINGS)
