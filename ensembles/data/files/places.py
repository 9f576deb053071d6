"""Which files people may name who use pages: those in the folders and buckets of `ENSEMBLE_LAB_DATA`, and no others.

What counts is where a file lies when all links in its path are followed: nothing else of the server can be reached by it.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ensembles.data.files.buckets import ask, wait_for
from ensembles.errors import InvalidData

__all__ = ["Offer", "OfferedFile", "allowed_path", "list_offered", "places"]

_SETTING = "ENSEMBLE_LAB_DATA"
_ENDINGS = (".csv", ".tsv", ".txt", ".data", ".arff", ".parquet")
_HOST = r"[\w+.-]+://(?:\[[^\]/]*\]|[^/:]*)(?::\d+(?=[/:\s]|$))?"  # with its port, whose colon parts nothing
_PLACE = re.compile(rf"\s*(?:{_HOST})?(?:[^:]|:(?=//))*")
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


@dataclass(frozen=True)
class Offer:
    """What may be named, as far as it is known.

    Attributes
    ----------
    files : list of OfferedFile
    silent : tuple of str
        Addresses of buckets that have not answered yet.
    failed : tuple of str
        A sentence each on buckets that cannot be read.
    """

    files: list[OfferedFile]
    silent: tuple[str, ...]
    failed: tuple[str, ...]


def places() -> tuple[str, ...]:
    """Return the folders and addresses that the operator allows."""
    value = os.environ.get(_SETTING, "")
    parts = _PLACE.findall(value) if os.pathsep == ":" else value.split(os.pathsep)
    return tuple(part.strip() for part in parts if part.strip())


def list_offered(patience: float = 0.5) -> Offer:
    """Return the files that may be named, by folder and name, at most 2,000, and which places cannot be looked into.

    Tables by their endings (`.csv`, `.tsv`, `.txt`, `.data`, `.arff`, each also with `.gz`; `.parquet`), without those whose
    names start with a dot.

    Parameters
    ----------
    patience : float
        Seconds that buckets have to answer, all together.
    """
    until = time.monotonic() + patience
    found: list[OfferedFile] = []
    silent, failed = [], []
    for place in filter(_is_address, places()):
        ask(place)
    for place in places():
        try:
            offered = _in_bucket(place, until) if _is_address(place) else _in_folder(place)
            found += islice(offered, _MOST_FILES - len(found))
        except TimeoutError:
            silent.append(place)
        except InvalidData as error:
            failed.append(str(error))
    return Offer(found, tuple(silent), tuple(failed))


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
    if not any(root in real.parents for root in roots) or not real.is_file():  # a pipe would be waited for
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


def _in_bucket(place: str, until: float) -> Iterator[OfferedFile]:
    for address, size in sorted(wait_for(place, max(until - time.monotonic(), 0.0)).items()):
        if _is_table(address.rsplit("/", 1)[-1]):
            yield OfferedFile(address, address, size)


def _is_table(name: str) -> bool:
    return not name.startswith(".") and name.lower().removesuffix(".gz").endswith(_ENDINGS)
