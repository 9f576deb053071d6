"""How near the estimated time and the time left come: twenty mixed experiments, told, run by the real runner, told again.

    python -m benchmarks.estimates [--data FOLDER] [--workers 2] [--half first|second] [--only 3 7]

Each experiment is estimated as the form of a new experiment does, launched, and run by a worker with a home of its own, on
processes that start with the first experiment and anew with every fifth one. Then, with what was measured so, comes a second
round, of other repeats, orders, members and seeds. Printed are the range told, the seconds it took from launch to end, these
as a multiple of the middle of the range, and the time left told at 25, 50 and 75 % of the way, beside the true one.
The promise: within a factor of 2 in 18 of 20; time left off by under 50 %.

FOLDER has the files that some experiments name, as CSV; without it these are left out. Constants were chosen on the first
half, the experiments with odd numbers; the second judges.
"""

import argparse
import math
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Any

import yaml

from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.estimate import Estimate, estimate_seconds
from ensembles.experiments.resolve import resolve_datasets, resolve_test_dataset
from ensembles.reports.estimate_words import estimate_words
from runner.cluster.cluster import Cluster
from runner.commands.experiment_file import store_files
from runner.worker import keep_working
from storage import ExperimentRecord, Storage, open_storage

EXPERIMENTS = Path(__file__).with_suffix(".yaml")
FINAL = ("finished", "cancelled", "failed")
PARTS = (0.25, 0.5, 0.75)
IDLE = 300.0


@dataclass
class Told:
    """What was told of an experiment, and what came true."""

    number: int
    estimate: Estimate
    seconds: float
    state: str
    left: list[tuple[float, float | None]] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """Seconds it took, as a multiple of the middle of the range."""
        return self.seconds / ((self.estimate.low + self.estimate.high) / 2)

    def left_at(self, part: float) -> tuple[float | None, float]:
        """Return the time left that stood there after a part of the way, and the true one."""
        moment = part * self.seconds
        told = [left for at, left in self.left if at <= moment]
        return (told[-1] if told else None), self.seconds - moment


@contextmanager
def runner(storage: Storage, workers: int) -> Iterator[None]:
    """Run what is launched meanwhile, as the worker of the application does."""
    shutdown = Event()
    work = Thread(target=keep_working, args=(shutdown, storage, lambda: closing(Cluster(n_workers=workers)), IDLE))
    work.start()
    try:
        yield
    finally:
        shutdown.set()
        work.join()


def watch(storage: Storage, record: ExperimentRecord) -> tuple[float, str, list[tuple[float, float | None]]]:
    """Follow an experiment to its end, as a page does."""
    begun, left = time.perf_counter(), []
    while True:
        now = storage.get_experiment(record.id)
        passed = time.perf_counter() - begun
        if now.state in FINAL:
            return passed, now.state if not now.failed else f"{now.failed} failed", left
        left.append((passed, now.seconds_left))
        time.sleep(0.1)


def told_and_run(storage: Storage, config: ExperimentConfig, number: int, workers: int, *, cold: bool) -> Told:
    """Estimate an experiment, then run it."""
    datasets = resolve_datasets(config, storage.get_dataset)
    test = resolve_test_dataset(config, datasets[0], storage.get_dataset)
    past = storage.find_past_trials(config)
    for _ in range(2):  # as the form does, at least, which estimates anew at each change
        estimate = estimate_seconds(
            config, datasets, test_dataset=test, workers=workers, starts_workers=cold, past=past
        )
    seconds, state, left = watch(storage, storage.create_experiment(config))
    return Told(number, estimate, seconds, state, left)


def changed(document: dict[str, Any]) -> dict[str, Any]:
    """Return another experiment of the same kind, as people run them next: other numbers of everything."""
    protocol = dict(document["protocol"])
    more = "repeats" if protocol.get("repeats", 0) else "orders"
    protocol[more] = max(math.ceil(protocol[more] * 1.5), 2) if protocol.get("shuffle", True) else 1
    learners = [dict(learner) for learner in document["learners"]]
    for learner in learners:
        if isinstance(n := learner.get("n_estimators"), int):
            learner["n_estimators"] = round(0.6 * n)
    return {**document, "protocol": protocol, "learners": learners, "seed": 2}


def report(told: Told) -> None:
    """Print the line of an experiment."""
    low, high = told.estimate.low, told.estimate.high
    left = "  ".join(f"{'-' if one is None else f'{one:.1f}'} / {true:.1f}" for one, true in map(told.left_at, PARTS))
    source = estimate_words(told.estimate, 2).partition(", ")[2]
    print(
        f"{told.number:3} {told.estimate.trials:5} trials  {low:7.1f} to {high:7.1f} s  took {told.seconds:6.1f} s  "
        f"x {told.ratio:.2f}  left {left}  ({source}; {told.state}; load {os.getloadavg()[0]:.1f})",
        flush=True,
    )


def summarise(round_: str, all_told: list[Told]) -> None:
    """Print how many kept the promise."""
    near = sum(0.5 <= told.ratio <= 2.0 for told in all_told)
    inside = sum(told.estimate.low <= told.seconds <= told.estimate.high for told in all_told)
    print(f"{round_}: {near} of {len(all_told)} within a factor of 2 of the middle, {inside} inside the range")
    for part in PARTS:
        pairs = [told.left_at(part) for told in all_told]
        good = sum(one is not None and abs(one - true) < 0.5 * true for one, true in pairs)
        silent = sum(one is None for one, _ in pairs)
        print(f"  time left at {part:.0%}: off by under 50 % in {good}, not told in {silent}")


def main() -> None:
    """Run both rounds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--half", choices=("first", "second"))
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", type=int, nargs="*")
    asked = parser.parse_args()
    documents = list(enumerate(yaml.safe_load(EXPERIMENTS.read_text()), 1))
    if asked.half:
        documents = [one for one in documents if one[0] % 2 == (asked.half == "first")]
    if asked.only:
        documents = [one for one in documents if one[0] in asked.only]
    with tempfile.TemporaryDirectory() as home:
        os.environ["ENSEMBLE_LAB_HOME"] = home
        with open_storage(f"sqlite:///{home}/ensemble-lab.sqlite") as storage:
            for round_ in ("first round", "with what was measured")[: asked.rounds]:
                print(f"\n{round_}, {asked.workers} workers, load {os.getloadavg()[0]:.1f}\n")
                summarise(round_, list(run_all(storage, documents, asked, again=round_ != "first round")))


def run_all(
    storage: Storage, documents: list[tuple[int, dict[str, Any]]], asked: argparse.Namespace, *, again: bool
) -> Iterator[Told]:
    """Run experiments one after the other, five on the same processes."""
    for start in range(0, len(documents), 5):
        with runner(storage, asked.workers):
            for place, (number, document) in enumerate(documents[start : start + 5]):
                if asked.data is None and "file:" in str(document["datasets"]).replace("'", ""):
                    continue
                made = changed(document) if again else document
                read = ExperimentConfig.from_dict({"name": f"Experiment {number}", **made})
                config, _ = store_files(read, storage, asked.data or Path())
                told = told_and_run(storage, config, number, asked.workers, cold=place == 0)
                report(told)
                yield told


if __name__ == "__main__":
    main()
