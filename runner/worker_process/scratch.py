"""Where worker processes keep on disk what they cannot hold in memory."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

__all__ = ["scratch_folder"]

_NAME = "ensemble-lab"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Give a folder that nobody else can look into or put anything into: worker processes import from theirs.

    It is the same for all clusters of a user and stays there: Dask gives each process a folder in it with a lock, and
    removes the folders of those that were killed when the next process begins. Where somebody else has the name, it is a
    new folder that goes with the block.
    """
    if (ours := _ours()) is not None:
        yield ours
        return
    with TemporaryDirectory(prefix=f"{_NAME}-", ignore_cleanup_errors=True) as other:
        yield Path(other)


def _ours() -> Path | None:
    if not hasattr(os, "getuid"):  # on Windows
        return None
    folder = Path(gettempdir(), f"{_NAME}-{os.getuid()}")
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    is_private = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not stat.S_IMODE(found.st_mode) & 0o077
    return folder if is_private else None
