"""Files that a command writes: whole, or as they were."""

import secrets
import shutil
from pathlib import Path

from ensembles.errors import InvalidInput

__all__ = ["write_whole"]


def write_whole(path: Path, content: bytes) -> None:
    """Write a file; where that fails, as on a full disk, what stood there still does.

    Raises
    ------
    InvalidInput
        It cannot be written.
    """
    try:
        if path.exists() and not path.is_file():  # a device or a pipe
            path.write_bytes(content)
            return
        target = path.resolve()  # of a link what it leads to
        part = target.with_name(f".{secrets.token_hex(8)}.part")
        try:
            part.write_bytes(content)
            if target.exists():
                shutil.copymode(target, part)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be written ({error.strerror})") from error
