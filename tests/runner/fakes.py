"""Trials that behave badly on purpose. Worker processes import this module."""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ensembles.errors import InvalidData
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.records import TrialPlan, TrialResult
from runner.worker_process.tasks import ExperimentContext

_TAKERS = "takers"


def make_config(*, learners: int = 1, **changes: object) -> ExperimentConfig:
    kinds = [
        {"method": "single", "base": "naive_bayes"},
        {"method": "online_bagging", "base": "naive_bayes", "n_estimators": 5},
        {"method": "adaboost", "base": "decision_stump", "n_estimators": 5},
    ]
    document = {
        "name": "Trial run",
        "datasets": ["iris"],
        "learners": kinds[:learners],
        "protocol": {"kind": "cross_validation", "repeats": 2, "folds": 3, "orders": 2},
        "measures": ["accuracy", "mse"],
    }
    return ExperimentConfig.from_dict({**document, **changes})


def make_plans(n: int) -> list[TrialPlan]:
    return [TrialPlan(f"{number:032x}", 0, 0, number, 0, 0) for number in range(n)]


@dataclass(frozen=True)
class FakeContext(ExperimentContext):
    """Trials that note in a folder that they ran. The trial of repeat `bad` is a bad one.

    Attributes
    ----------
    badness : str
        "dies": takes its process with it; "dies once": only the first time; "deaf": never ends and hears no wish to
        stop; "raises": lets an error out that no trial should; "stops once", "stops": its process gives no sign of life;
        "grows": takes 800 MiB of memory, and hears no wish to stop.
        Of the work itself: "no room once", "no room": a worker has no memory for it; "too heavy once", "too heavy": the
        process that takes it dies; "refused": it cannot be used.
    """

    folder: str = ""
    seconds: float = 0.0
    bad: int = -1
    badness: str = ""

    def run(self, plan: TrialPlan, is_stopped: Callable[[], bool]) -> TrialResult:  # noqa: ARG002
        note = Path(self.folder) / plan.key
        with note.open("a") as file:
            file.write(f"{os.getpid()}\n")
        if plan.repeat == self.bad:
            self._behave_badly(note)
        time.sleep(self.seconds)
        return TrialResult(plan.key, measures={"accuracy": plan.repeat / 1000})

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        with self._takers.open("a") as file:
            file.write(f"{os.getpid()}\n")
        if self.badness.endswith("once") and len(self.takers()) > 1:
            return
        if self.badness.startswith("no room"):
            raise MemoryError
        if self.badness.startswith("too heavy"):
            os._exit(11)
        if self.badness == "refused":
            raise InvalidData("data set 'Wine': the bytes are damaged")

    def _behave_badly(self, note: Path) -> None:
        runs = len(note.read_text().splitlines())
        if self.badness == "dies" or (self.badness == "dies once" and runs == 1):
            os._exit(11)
        if self.badness == "stops" or (self.badness == "stops once" and runs == 1):
            os.kill(os.getpid(), signal.SIGSTOP)
        if self.badness == "deaf":
            time.sleep(600)
        if self.badness == "grows":
            taken = []
            while len(taken) < 100:
                taken.append(np.ones(2**20))
                time.sleep(0.01)
            time.sleep(600)
        if self.badness == "raises":
            raise RuntimeError("out of order")

    def _notes(self) -> list[Path]:
        return [note for note in Path(self.folder).iterdir() if note.name != _TAKERS]

    @property
    def _takers(self) -> Path:
        return Path(self.folder, _TAKERS)

    def takers(self) -> list[int]:
        """Return the process of each attempt to take the work, in their order."""
        return [int(line) for line in self._takers.read_text().splitlines()]

    def runs(self) -> Counter[str]:
        """Return how often each trial began."""
        return Counter({note.name: len(note.read_text().splitlines()) for note in self._notes()})

    def processes(self) -> set[int]:
        """Return the processes in which trials began."""
        return {int(line) for note in self._notes() for line in note.read_text().splitlines()}
