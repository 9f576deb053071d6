"""A stream that does whatever a test wants. Worker processes import this module."""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from ensembles.data import Attribute
from ensembles.data.source import Batch
from ensembles.data.table import Schema
from ensembles.errors import InvalidData
from ensembles.evaluation.stream_watch import StreamNews, StreamWatch
from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.experiments.run_trial import Cancelled
from runner.worker_process import streams
from runner.worker_process.tasks import ExperimentContext

_STEP = 1000


@dataclass(frozen=True)
class StreamContext(ExperimentContext):
    """Trials on a stream that goes on until there is a file `end` in a folder, and is as long as it was then.

    What such a trial leaves behind depends on each of its steps: one that goes on from a snapshot counts them all. Where
    each attempt began is noted in the folder.
    """

    folder: str = ""
    quiet_seconds: float = 0.0  # before it says anything, as where kernels are compiled

    def run(self, plan: TrialPlan, is_stopped: Callable[[], bool], watch: StreamWatch | None = None) -> TrialResult:
        assert watch is not None
        with patch.object(streams, "_FIRST_SECONDS", 0.0), patch.object(streams, "_NEWS_SECONDS", 0.1):
            begun = watch.begin()
            position, digest = map(int, begun.split()) if begun else (0, 1)
            self._note(plan, f"{position} {os.getpid()}")
            time.sleep(self.quiet_seconds)
            while not Path(self.folder, "end").exists():
                if is_stopped():
                    raise Cancelled
                position, digest = position + _STEP, (digest * 31 + position) % 2**50
                watch.tell(StreamNews(position, 0.5, 0.25, 0.125, 1.0, 0.0, 100, 0, 0), 0.5)
                if watch.wants_snapshot():
                    watch.keep(f"{position} {digest}".encode())
                time.sleep(0.005)
            return TrialResult(plan.key, measures={"accuracy": 0.5, "digest": digest, "position": position})

    def _note(self, plan: TrialPlan, said: str) -> None:
        with Path(self.folder, plan.key).open("a") as file:
            file.write(f"{said}\n")

    def attempts(self, plan: TrialPlan) -> list[tuple[int, int]]:
        """Return where each attempt began and in which process."""
        note = Path(self.folder, plan.key)
        lines = note.read_text().splitlines() if note.exists() else []
        return [(int(position), int(pid)) for position, pid in map(str.split, lines)]

    def end(self) -> None:
        """Let the stream end."""
        Path(self.folder, "end").touch()


def digest_of(position: int) -> int:
    """Return the digest of a stream that was never interrupted."""
    digest = 1
    for start in range(0, position, _STEP):
        digest = (digest * 31 + start) % 2**50
    return digest


@dataclass(frozen=True)
class MadeUpSource:
    """A source whose examples nobody needs."""

    n_examples: int | None = None
    name: str = "Made up"
    schema: Schema = field(default_factory=lambda: Schema((Attribute("size", "numeric"),)))
    classes: tuple[str, ...] = ("no", "yes")
    target: str = "class"
    origin: str = "made up"
    sha256: str = "f" * 64

    def batches(self, start: int = 0) -> Iterator[Batch]:  # noqa: ARG002
        """Say that there is no file."""
        raise InvalidData("big.parquet: the file must be where it was registered, got: No such file or directory")
