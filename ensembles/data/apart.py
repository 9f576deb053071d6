"""Reading a file in a process of its own: what it holds can take neither the time nor the memory of ours.

A few kilobytes can ask for terabytes, or for ever. The child limits its own memory and is ended when its time is over, when
whoever waits for it goes away, or when this process dies. What comes back is a preview in a form that is not executed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ensembles.data.names import clean_name, name_of
from ensembles.data.preview import Preview
from ensembles.data.preview_form import load_preview
from ensembles.data.reading_child import keep_child_ready, take_child
from ensembles.data.reading_process import GO, NO_ROOM, OUTCOME
from ensembles.data.unpacking import MOST_BYTES, size_of
from ensembles.errors import InvalidData

__all__ = ["Limits", "keep_ready", "memory_of_machine", "memory_to_read", "no_room", "outcome_of", "preview_apart"]

_AT_ONCE = threading.BoundedSemaphore(2)
_POLL = 0.1
_TELL = 1.0
_PATIENCE = 3
_OUT_OF_TIME = getattr(signal, "SIGXCPU", 0)
_ENDED_BY_OTHERS = {-number for number in (getattr(signal, "SIGKILL", None), signal.SIGTERM) if number is not None}
_SHARE = 4
_LEAST_MEMORY = 3 * 2**30


@dataclass(frozen=True)
class Limits:
    """What the reading of one file may take.

    Attributes
    ----------
    seconds : float
        Of processor time, which the file alone decides; a busy machine may need three times as long for them.
    memory : int, optional
        Bytes of address space; a quarter of the machine's memory when None, at least 3 GB.
    most_bytes : int
        Of the file, packed and unpacked.
    """

    seconds: float = 60.0
    memory: int | None = None
    most_bytes: int = MOST_BYTES


def preview_apart(
    source: str | Path | bytes,
    *,
    filename: str | None = None,
    limits: Limits | None = None,
    on_wait: Callable[[str], None] | None = None,
    **options: Any,
) -> Preview:
    """Return what `preview_file` returns, read by another process. Two files are read at a time, others wait their turn.

    Parameters
    ----------
    source : path or bytes
    filename : str, optional
        What messages call the file; needed for bytes.
    limits : Limits, optional
    on_wait : callable, optional
        Told once a second, in words, what is waited for. An exception of it ends the reading.
    **options
        Of `preview_file`, but `max_bytes`.

    Raises
    ------
    InvalidData
        The file cannot be used, or not within the limits.
    """
    limits = limits or Limits()
    filename = clean_name(filename or name_of(source))
    tell = _Telling(on_wait)
    tell.begin(f"Waiting for another table to be read before {filename}")
    while not _AT_ONCE.acquire(timeout=_POLL):
        tell()
    try:
        memory = limits.memory or memory_to_read()
        tell.begin(f"Reading {filename}")
        child = take_child(memory, limits.seconds)
        try:
            _order(child.folder, source, filename, {**options, "max_bytes": limits.most_bytes})
            with _handing_over(child.process, source if isinstance(source, bytes) else b""):
                _wait(child.process, limits.seconds, filename, tell)
            outcome_of(child.process, child.folder, filename, memory)
            return load_preview(child.folder)
        finally:
            child.end()
    except OSError as error:
        raise InvalidData(no_room(filename, error.strerror)) from error
    finally:
        _AT_ONCE.release()


def keep_ready() -> None:
    """Have a process ready that reads the next file, for some minutes: half of a second that a small one need not wait."""
    keep_child_ready(memory_to_read(), Limits().seconds)


class _Telling:
    """Says once a second what is waited for, and for how long."""

    def __init__(self, on_wait: Callable[[str], None] | None) -> None:
        self._on_wait = on_wait

    def begin(self, doing: str) -> None:
        self._doing, self._begun, self._said = doing, time.monotonic(), 0

    def __call__(self) -> None:
        seconds = int((time.monotonic() - self._begun) / _TELL)
        if self._on_wait and seconds > self._said:
            self._said = seconds
            self._on_wait(f"{self._doing}, {seconds} s")


def _order(folder: Path, source: str | Path | bytes, filename: str, options: dict[str, Any]) -> None:
    order = {
        "source": None if isinstance(source, bytes) else str(Path(source).absolute()),
        "size": len(source) if isinstance(source, bytes) else None,
        "filename": filename,
        "options": {name: list(value) if isinstance(value, tuple | set) else value for name, value in options.items()},
    }
    (folder / "order.json").write_text(json.dumps(order), encoding="utf-8")


@contextmanager
def _handing_over(child: subprocess.Popen[bytes], content: bytes) -> Iterator[None]:
    """Let the child carry its order out, and hand the file over meanwhile: it may still import what it reads with."""
    thread = threading.Thread(target=_send, args=(child, content), daemon=True)
    thread.start()
    try:
        yield
    finally:
        child.kill()
        thread.join()


def _send(child: subprocess.Popen[bytes], content: bytes) -> None:
    assert child.stdin is not None
    with suppress(BrokenPipeError):  # it has ended before its time, for which there will be no outcome
        child.stdin.write(GO)
        left = memoryview(content)
        while left:
            left = left[child.stdin.write(left) :]


def _wait(child: subprocess.Popen[bytes], seconds: float, filename: str, tell: Callable[[], None]) -> None:
    """Wait for the end of the child."""
    until = time.monotonic() + _PATIENCE * seconds
    late = False
    while _runs(child) and not late:
        late = time.monotonic() > until
        tell()
    if late or child.returncode == -_OUT_OF_TIME:
        raise InvalidData(f"{filename}: reading the table takes longer than the {seconds:g} s that are allowed")


def _runs(child: subprocess.Popen[bytes]) -> bool:
    try:
        child.wait(_POLL)
    except subprocess.TimeoutExpired:
        return True
    return False


def outcome_of(child: subprocess.Popen[bytes], folder: Path, filename: str, memory: int) -> dict[str, Any]:
    """Return the outcome that a child has left, or raise the sentence that says why it came to nothing."""
    if child.returncode == NO_ROOM:
        raise InvalidData(no_room(filename, os.strerror(NO_ROOM)))
    try:
        outcome: dict[str, Any] = json.loads((folder / OUTCOME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        outcome = {"ended": ""} if child.returncode in _ENDED_BY_OTHERS else {"memory": ""}
    match outcome:
        case {"refused": sentence}:
            raise InvalidData(sentence)
        case {"ended": _}:
            raise InvalidData(
                f"{filename}: the process that read it was ended from outside, as systems do that run short of memory; "
                f"try again"
            )
        case {"memory": _}:  # nothing else is known to end the child without a word
            raise InvalidData(
                f"{filename}: reading the table takes more than the {size_of(memory)} of memory that are allowed"
            )
        case {"unknown": kind}:
            raise InvalidData(f"{filename}: the file cannot be read, for a reason not known here ({kind})")
    return outcome


def no_room(filename: str, why: str | None) -> str:
    """Return the sentence for a disk that cannot take what the reading of a file needs."""
    return f"{filename}: there is no room to read the file ({why})"


def memory_to_read() -> int:
    """Return the bytes that the reading of one file may take: a quarter of the machine's, at least 3 GB."""
    return max(_LEAST_MEMORY, memory_of_machine() // _SHARE)


def memory_of_machine() -> int:
    """Return the bytes of memory of the machine, or of the container if that has less."""
    found = []
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            found.append(int(Path(path).read_text(encoding="ascii")))
        except (OSError, ValueError):  # there is no such file, or it says "max"
            continue
    try:
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        found.append(_SHARE * _LEAST_MEMORY)
    return min(found)
