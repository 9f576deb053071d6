"""A small disk that can be full: memory, mounted where only the processes of one run see it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["Disk", "disk_at", "see_own_mounts"]

_BYTES = 2**30
_PIECES = (2**20, 2**12)
_OWN = "CHAOS_OWN_MOUNTS"


class Disk:
    """A disk of one GiB, mounted at a folder."""

    def __init__(self, folder: Path) -> None:
        self._ballast = folder / "ballast"

    def fill(self) -> None:
        """Leave no room for anything."""
        with self._ballast.open("wb", buffering=0) as file:
            for size in _PIECES:
                try:
                    while file.write(bytes(size)) == size:
                        pass
                except OSError:
                    continue

    def free(self) -> None:
        """Leave as much room as there was before."""
        self._ballast.unlink(missing_ok=True)


def see_own_mounts() -> None:
    """Begin this program anew where nobody else sees what it mounts, and that goes when it ends; if that is permitted."""
    if os.environ.get(_OWN) or os.geteuid() != 0 or shutil.which("unshare") is None:
        return
    apart = ("unshare", "--mount")
    if subprocess.run([*apart, "true"], check=False, stderr=subprocess.DEVNULL).returncode == 0:
        os.environ[_OWN] = "1"
        os.execvp(apart[0], [*apart, sys.executable, "-m", "tests.chaos", *sys.argv[1:]])


@contextmanager
def disk_at(folder: Path) -> Iterator[Disk | None]:
    """Mount a disk at an empty folder, as long as the block lasts; give None where that is not permitted."""
    folder.mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", f"size={_BYTES},mode=0755", "tmpfs", str(folder))
    if not os.environ.get(_OWN) or subprocess.run(mount, check=False).returncode != 0:
        yield None
        return
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)
