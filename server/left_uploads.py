"""Uploads that a server left in the folder for temporary files when it was killed."""

import shutil
import stat
import time
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir

__all__ = ["UPLOAD_PREFIX", "remove_left_uploads"]

UPLOAD_PREFIX = "ensemble-lab-upload-"
_DAY = 86_400.0


def remove_left_uploads() -> None:
    """Remove folders of uploads that are a day old: no request lasts for so long. Those of others stay."""
    for folder in Path(gettempdir()).glob(f"{UPLOAD_PREFIX}*"):
        with suppress(OSError):
            found = folder.lstat()
            if stat.S_ISDIR(found.st_mode) and time.time() - found.st_mtime > _DAY:
                shutil.rmtree(folder, ignore_errors=True)
