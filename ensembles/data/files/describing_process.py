"""The process that describes a file which is too large to be held: it says how far it is, a number a line.

It is started by `ensembles.data.files.apart`.
"""

from __future__ import annotations

import contextlib
import json
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ensembles.data.files.description import describe_file
from ensembles.data.reading_process import leave, leave_with_parent, limit, unforeseen
from ensembles.data.stored import dataset_to_bytes
from ensembles.errors import EnsembleLabError

__all__ = ["ORDER", "SAMPLE", "main"]

ORDER = "order.json"  #: what it finds in the folder: arguments of `describe_file`
SAMPLE = "sample"  #: what it leaves there, beside the outcome


def main(folder: str, memory: str) -> None:
    """Describe the file that the order in a folder names, and leave what was found, or why there is nothing, there."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal; the parent closes our standard input when it ends
    leave_with_parent()
    limit(int(memory))
    with contextlib.redirect_stdout(sys.stderr):
        outcome = _describe(Path(folder))
    leave(outcome, Path(folder))


def _describe(folder: Path) -> dict[str, Any]:
    order = json.loads((folder / ORDER).read_text(encoding="utf-8"))
    try:
        found = describe_file(progress=lambda share: print(share, file=sys.__stdout__, flush=True), **order)
        (folder / SAMPLE).write_bytes(dataset_to_bytes(found.sample))
    except EnsembleLabError as error:
        return {"memory": ""} if isinstance(error.__cause__, MemoryError) else {"refused": str(error)}
    except Exception as error:
        return unforeseen(error)
    guesses = [asdict(guess) for guess in found.columns]
    return {"source": found.source.to_dict(), "columns": guesses, "missing_cells": found.missing_cells}
