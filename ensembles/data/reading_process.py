"""The process that reads a file which somebody brought: with so much memory, so much time, and nothing else to lose.

It is started by `ensembles.data.apart`, and imports little: a reader of tables needs no learners.
"""

import contextlib
import errno
import json
import os
import signal
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

__all__ = ["GO", "NO_ROOM", "OUTCOME", "leave", "leave_with_parent", "limit", "main", "unforeseen"]

OUTCOME = "outcome.json"  #: what it leaves: why there is nothing else, or more about it
NO_ROOM = errno.ENOSPC  #: the status of one that ended because the disk is full
GO = b"\n"  #: comes by standard input when the order is written, and behind it the file if it is not on disk
_NO_THREAD = "can't start new thread"  # as Python says it where there is no address space for another stack


def main(folder: str, memory: str, seconds: str) -> None:
    """Read the file that `order.json` names once it is there, and leave a preview or a sentence in the same folder."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal; the parent closes our standard input when it ends
    limit(int(memory), float(seconds))
    leave(_read(Path(folder)), Path(folder))
    os._exit(0)  # nothing else is to be tidied up, and a large table takes a tenth of a second to be let go of


def leave(outcome: dict[str, Any], folder: Path) -> None:
    """Write the outcome into the folder, or end with the status that says why that is not there."""
    try:
        (folder / OUTCOME).write_text(json.dumps(outcome), encoding="utf-8")
    except OSError:
        os._exit(NO_ROOM)


def unforeseen(error: Exception) -> dict[str, str]:
    """Return the outcome of what no reader foresaw: a sentence for people, the rest for who looks after the server."""
    if isinstance(error, MemoryError) or str(error) == _NO_THREAD:
        return {"memory": ""}
    if isinstance(error, OSError) and error.errno == NO_ROOM:
        os._exit(NO_ROOM)  # there may be none for an outcome either
    traceback.print_exception(error, file=sys.stderr)
    return {"unknown": type(error).__name__}


def leave_with_parent() -> None:
    """End this process as soon as its parent does, which holds our standard input open."""
    threading.Thread(target=_leave, daemon=True).start()


def _leave() -> None:
    while os.read(0, 1):
        pass
    os._exit(1)


def limit(memory: int, seconds: float | None = None) -> None:
    """Have the system stop what takes too much: also where no line of Python comes to its turn any more.

    memory : bytes of address space
    seconds : of processor time, as much as it takes if None
    """
    try:
        import resource
    except ImportError:  # Windows: there the parent's clock is the only limit
        return
    for kind, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, resource.RLIM_INFINITY if seconds is None else max(1, round(seconds))),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _read(folder: Path) -> dict[str, str]:
    try:
        from ensembles.data.preview import preview_file
        from ensembles.data.preview_form import save_preview
        from ensembles.errors import InvalidData

        order = _await_order(folder)
        try:
            save_preview(preview_file(order["source"], filename=order["filename"], **order["options"]), folder)
        except InvalidData as error:
            return {"memory": ""} if isinstance(error.__cause__, MemoryError) else {"refused": str(error)}
    except Exception as error:
        return unforeseen(error)
    return {}


def _await_order(folder: Path) -> dict[str, Any]:
    """Return the order once it is written, with the file; then this process ends as soon as its parent does."""
    if not os.read(0, len(GO)):
        with contextlib.suppress(OSError):
            folder.rmdir()  # the parent is gone, before there was an order, and may not have tidied up
        os._exit(1)
    order: dict[str, Any] = json.loads((folder / "order.json").read_text(encoding="utf-8"))
    if order["source"] is None:
        order["source"] = _receive(order["size"])
    leave_with_parent()
    return order


def _receive(size: int) -> bytes:
    with open(0, "rb", closefd=False) as standard_input:
        content = standard_input.read(size)
    if len(content) < size:
        os._exit(1)  # the parent is gone
    return content
