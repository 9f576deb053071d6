"""The process that a file is read in: how it is started, kept ready and ended.

Each reads one file and ends. To import what it reads with takes longer than most files; so one may wait for the next file.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ensembles.data.parsing import THREADS
from ensembles.data.temporary import TEMPORARY_PREFIX

__all__ = ["Child", "dismiss_child", "keep_child_ready", "started", "take_child"]

_PACKAGE = Path(__file__).parents[1]
#: The packages are entered without their `__init__`, which imports every learner: that takes longer than most files.
_START = """
import importlib, sys, types
for name, path in (("ensembles", sys.argv[1]), ("ensembles.data", sys.argv[1] + "/data")):
    package = sys.modules[name] = types.ModuleType(name)
    package.__path__ = [path]
importlib.import_module(sys.argv[2]).main(*sys.argv[3:])
"""
#: One thread each but for Arrow's: every further one takes address space, which is what is limited. Arrow keeps its own
#: allocator: with the system's, 60,000 columns take 480 GB of address space.
_ENVIRONMENT = {
    "OMP_NUM_THREADS": str(THREADS),  # by this Arrow goes, and nothing else that the child imports
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    "PYTHONDONTWRITEBYTECODE": "1",
}
_READY_SECONDS = 600.0
_PIPE_BYTES = 2**20  # of which a file is handed over: in pieces of 64 kB it takes longer


@dataclass(frozen=True, eq=False)
class Child:
    """A process that waits for its order.

    Attributes
    ----------
    process : Popen
    folder : Path
        Where its order is written, and what it leaves; it goes with `end`.
    limits : (int, float)
        Bytes of address space and seconds of the processor that it may take.
    end : callable
        Ends the process, whatever it is at.
    """

    process: subprocess.Popen[bytes]
    folder: Path
    limits: tuple[int, float]
    end: Callable[[], None]


_ready: list[tuple[Child, threading.Timer]] = []  # at most one, and what will dismiss it
_lock = threading.Lock()


def take_child(memory: int, seconds: float) -> Child:
    """Return a process with these limits: the one that is ready, or a new one. Who takes it ends it."""
    with _lock:
        taken = [_ready.pop()] if _ready and _ready[0][0].limits == (memory, seconds) else []
    for child, timer in taken:
        timer.cancel()
        if child.process.poll() is None:
            return child
        child.end()
    return _start(memory, seconds)


def keep_child_ready(memory: int, seconds: float) -> None:
    """Have a process ready for the next file, for ten minutes. Where none can be started, the next file says so."""
    with _lock, suppress(OSError):
        if not _ready:
            timer = threading.Timer(_READY_SECONDS, dismiss_child)
            timer.daemon = True
            _ready.append((_start(memory, seconds), timer))
            timer.start()


def dismiss_child() -> None:
    """End the process that is ready, if there is one."""
    with _lock:
        dismissed = [*_ready]
        _ready.clear()
    for child, timer in dismissed:
        timer.cancel()
        child.end()


def _start(memory: int, seconds: float) -> Child:
    with ExitStack() as stack:
        name = stack.enter_context(TemporaryDirectory(prefix=TEMPORARY_PREFIX, ignore_cleanup_errors=True))
        process = stack.enter_context(started("ensembles.data.reading_process", name, str(memory), str(seconds)))
        _widen(process.stdin)
        return Child(process, Path(name), (memory, seconds), stack.pop_all().close)


def _widen(pipe: Any) -> None:
    """Let a pipe hold more, where the system has that and allows it."""
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


@contextmanager
def started(module: str, *arguments: str, stdout: int = subprocess.DEVNULL) -> Iterator[subprocess.Popen[bytes]]:
    """Start a child that runs `main` of a module of ours with these arguments, and end it at the end of the block.

    Its standard input is held open, so that it can see when this process ends.
    """
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", _START, str(_PACKAGE), module, *arguments],
        stdin=subprocess.PIPE,
        stdout=stdout,
        env={**os.environ, **_ENVIRONMENT},
        bufsize=0,
    )
    try:
        yield child
    finally:
        child.kill()
        child.communicate()
