"""A wall clock that jumps: what `clock.c` tells the processes that were started with it."""

import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

__all__ = ["WallClock", "wall_clock"]

_SOURCE = Path(__file__).with_suffix(".c")


class WallClock:
    """The wall clock of some processes, right at first. All else that they measure time by goes on as ever.

    Attributes
    ----------
    environment : dict of str to str
        What these processes are started with.
    """

    def __init__(self, library: Path, file: Path) -> None:
        self._file = file
        file.write_bytes(struct.pack("=q", 0))
        self.environment = {"LD_PRELOAD": str(library), "CHAOS_CLOCK": str(file)}

    def set_wrong(self, seconds: int) -> None:
        """Let the clock be fast by so many seconds, or slow when they are negative."""
        with self._file.open("r+b", buffering=0) as file:
            os.pwrite(file.fileno(), struct.pack("=q", seconds), 0)


def wall_clock(folder: Path) -> WallClock | None:
    """Return a clock whose files lie in `folder`; None without Linux and a compiler of C."""
    if sys.platform != "linux" or (compiler := shutil.which("cc")) is None:
        return None
    library = folder / "clock.so"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, _SOURCE, "-ldl"], check=True)
    return WallClock(library, folder / "clock")
