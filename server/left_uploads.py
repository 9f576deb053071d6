"""Uploads that a server left in the folder for temporary files when it was killed."""

import shutil
import stat
import time
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir

from ensembles.data.temporary import TEMPORARY_PREFIX

__all__ = ["remove_left_uploads"]

_DAY = 86_400.0


def remove_left_uploads() -> None:
    """Remove folders of uploads that are a day old: no file is read for so long. Those of others stay."""
    for folder in Path(gettempdir()).glob(f"{TEMPORARY_PREFIX}*"):
        with suppress(OSError):
            found = folder.lstat()
            if stat.S_ISDIR(found.st_mode) and time.time() - found.st_mtime > _DAY:
                shutil.rmtree(folder, ignore_errors=True)
