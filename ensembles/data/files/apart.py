"""Describing a file in a process of its own: that takes a core until the file is read, and ours has others to serve."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ensembles.data.apart import memory_to_read, no_room, outcome_of
from ensembles.data.files.describing_process import ORDER, SAMPLE
from ensembles.data.files.description import FileDescription
from ensembles.data.files.source import FileSource
from ensembles.data.inference import ColumnGuess
from ensembles.data.names import name_of
from ensembles.data.reading_child import started
from ensembles.data.stored import dataset_from_bytes
from ensembles.data.temporary import TEMPORARY_PREFIX
from ensembles.errors import InvalidData

__all__ = ["describe_apart"]


def describe_apart(
    path: str, progress: Callable[[float], None], *, memory: int | None = None, **options: Any
) -> FileDescription:
    """Return what `describe_file` returns, found by another process; an exception of `progress` ends it.

    Parameters
    ----------
    path, progress, **options
        Of `describe_file`.
    memory : int, optional
        Bytes of address space that the process may take; a quarter of the machine's memory when None, at least 3 GB.
        Time has no limit: who waits sees how far it is, and may stop it.

    Raises
    ------
    InvalidData
        The file, or what is asked of it, cannot be used, or not within the memory.
    """
    memory = memory or memory_to_read()
    said = {name: list(value) if isinstance(value, tuple | set) else value for name, value in options.items()}
    with ExitStack() as stack:
        try:
            name = stack.enter_context(TemporaryDirectory(prefix=TEMPORARY_PREFIX, ignore_cleanup_errors=True))
            Path(name, ORDER).write_text(json.dumps({"path": str(path), **said}), encoding="utf-8")
            begun = started("ensembles.data.files.describing_process", name, str(memory), stdout=subprocess.PIPE)
            child = stack.enter_context(begun)
        except OSError as error:
            raise InvalidData(no_room(name_of(path), error.strerror)) from error
        assert child.stdout is not None
        for line in child.stdout:
            progress(float(line))
        child.wait()
        return _described(Path(name), outcome_of(child, Path(name), name_of(path), memory))


def _described(folder: Path, outcome: dict[str, Any]) -> FileDescription:
    columns = tuple(ColumnGuess(**{**guess, "examples": tuple(guess["examples"])}) for guess in outcome["columns"])
    sample = dataset_from_bytes((folder / SAMPLE).read_bytes())
    return FileDescription(FileSource.from_dict(outcome["source"]), sample, columns, outcome["missing_cells"])
