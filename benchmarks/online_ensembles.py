"""Online ensembles of 100 members on data of different make: what learning costs, ours beside MOA's in one run.

    python -m benchmarks.online_ensembles [--moa-jar PATH] [--rows 20000] [--rounds 1] [--members 100]
                                          [--streams letters ...] [--only "online_bagging naive_bayes" ...]

Learning alone is compared (MOA's `LearnModel`): compilation of ours, the start of Java and reading of the file are left out
(MOA is run once more with no examples to learn, and that time subtracted). Rounds alternate between the programs; medians
are reported. Processes have one thread each for learning; Java has others that compile and collect.
"""

import argparse
import glob
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.moa_peers import write_arff
from ensembles.data import Dataset, load_dataset
from ensembles.data.table import Attribute, Schema, Table
from ensembles.registry import make_learner

MEMBERS = 100
#: Our method and base model, and what MOA calls them.
PEERS = {
    "online_bagging naive_bayes": "meta.OzaBag -l bayes.NaiveBayes",
    "online_boosting naive_bayes": "meta.OzaBoost -l bayes.NaiveBayes",
    "online_bagging hoeffding_tree": "meta.OzaBag -l trees.HoeffdingTree",
    "online_boosting hoeffding_tree": "meta.OzaBoost -l trees.HoeffdingTree",
    "adwin_bagging hoeffding_tree": "meta.OzaBagAdwin -l trees.HoeffdingTree",
    "leveraging_bagging hoeffding_tree": "meta.LeveragingBag -l trees.HoeffdingTree",
    "osboost hoeffding_tree": "meta.OnlineSmoothBoost -l trees.HoeffdingTree",
}


class Make(NamedTuple):
    """What made-up data look like: normal distributions around a mean a class, values that lean to one a class."""

    numbers: int = 0
    nominal: Sequence[int] = ()  # values of each
    shares: Sequence[float] = (0.5, 0.5)  # of classes
    whole: bool = False  # numbers are whole

    def draw(self, rows: int) -> Dataset:
        """Return so many examples, always the same."""
        rng = np.random.default_rng(1)
        labels = rng.choice(len(self.shares), rows, p=self.shares)
        means = rng.normal(size=(len(self.shares), self.numbers))
        numbers = rng.normal(size=(rows, self.numbers)) + means[labels]
        numbers = np.round(4 * numbers) if self.whole else numbers
        codes = np.empty((rows, len(self.nominal)), dtype=np.int32)
        for a, n_values in enumerate(self.nominal):
            leaning = rng.integers(0, n_values, len(self.shares))[labels]
            codes[:, a] = np.where(rng.random(rows) < 0.3, leaning, rng.integers(0, n_values, rows))
        attributes = [Attribute(f"x{n}", "numeric") for n in range(self.numbers)]
        attributes += [
            Attribute(f"a{a}", "nominal", tuple(f"v{v}" for v in range(k))) for a, k in enumerate(self.nominal)
        ]
        table = Table(Schema(tuple(attributes)), codes, np.ascontiguousarray(numbers))
        return Dataset("made up", table, labels, tuple(f"c{c}" for c in range(len(self.shares))))


_SKEWED = (0.787, 0.154, 0.05, 0.005, 0.002, 0.001, 0.001)
STREAMS: dict[str, Callable[[int], Dataset]] = {
    "20 nominal, 2 classes": lambda rows: load_dataset("synthetic_2", rows=rows, seed=1),
    "16 numbers, 26 classes": Make(16, shares=[1 / 26] * 26, whole=True).draw,
    "6 numbers and 8 nominal, 2 classes": Make(6, (9, 16, 7, 15, 6, 5, 2, 42), (0.76, 0.24), whole=True).draw,
    "9 numbers, 7 classes, skewed": Make(9, shares=_SKEWED, whole=True).draw,
    "40 numbers of 17 digits, 3 classes": lambda rows: load_dataset("waveform40", rows=rows, seed=1),
    "57 numbers of 17 digits, 2 classes": Make(57, shares=(0.6, 0.4)).draw,
    "10 numbers and 44 of two values, 7 classes": Make(10, (2,) * 44, (0.37, 0.48, 0.06, 0.01, 0.02, 0.03, 0.03)).draw,
    "24 of two values, 10 classes, drift": lambda rows: load_dataset(
        "moa_led", rows=rows, drift="abrupt", drift_at=0.25, times=3
    ),
    "600 of two values, 2 classes": Make(0, (2,) * 600).draw,
}


def main() -> None:
    """Measure and print one line for each stream and learner."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moa-jar", default=next(iter(glob.glob(".venv/capymoa/**/moa.jar", recursive=True)), None))
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--members", type=int, default=MEMBERS)
    parser.add_argument("--streams", nargs="+", choices=STREAMS, default=[*STREAMS])
    parser.add_argument("--only", nargs="+", choices=PEERS, default=[*PEERS])
    wanted = parser.parse_args()
    print("| data | method | microseconds an example, ours | MOA | ours is faster by |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted.streams:
            data, arff = STREAMS[name](wanted.rows), Path(folder) / "stream.arff"
            write_arff(data, arff)
            for key in wanted.only:
                programs = {"ours": partial(ours, key, data, wanted.members)}
                if wanted.moa_jar:
                    task = f"({PEERS[key]} -s {wanted.members})"
                    programs["MOA"] = partial(moa, wanted.moa_jar, task, arff, wanted.rows)
                print(f"| {name} | {key} | {in_one_line(programs, wanted.rounds)} |", flush=True)


def in_one_line(programs: dict[str, Callable[[], float]], rounds: int) -> str:
    """Run the programs in turn and return medians in microseconds, and by what the first is faster than the last."""
    medians = _medians(programs, rounds)
    ratio = f"{medians[-1] / medians[0]:.1f}" if len(medians) > 1 else ""
    return " | ".join([*(f"{seconds * 1e6:.1f}" for seconds in medians), ratio])


def report(what: str, programs: dict[str, Callable[[], float]], rounds: int) -> None:
    """Run the programs in turn, `rounds` times, and print medians and ratios to the first."""
    medians = _medians(programs, rounds)
    for name, median in zip(programs, medians, strict=True):
        print(f"| {what} | {name} | {median * 1e6:.2f} | {median / medians[0]:.1f} |", flush=True)


def _medians(programs: dict[str, Callable[[], float]], rounds: int) -> list[float]:
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, run in programs.items():
            seconds[name].append(run())
    return [statistics.median(found) for found in seconds.values()]


def ours(key: str, data: Dataset, members: int) -> float:
    """Return seconds an example."""
    method, base = key.split()
    settings = {"n_estimators": members}
    make_learner(method, base, settings=settings, random_state=0).fit(data.table.take(slice(0, 50)), data.labels[:50])
    learner = make_learner(method, base, settings=settings, random_state=0)
    start = time.perf_counter()
    learner.fit(data.table, data.labels)
    return (time.perf_counter() - start) / len(data)


def moa(jar: str, learner: str, arff: Path, rows: int) -> float:
    """Return seconds an example, start and reading of the file subtracted."""
    return max(_moa_seconds(jar, learner, arff, rows) - _moa_seconds(jar, learner, arff, 0), 0.0) / rows


def _moa_seconds(jar: str, learner: str, arff: Path, rows: int) -> float:
    task = f"LearnModel -l {learner} -s (ArffFileStream -f {arff}) -m {rows}"
    start = time.perf_counter()
    subprocess.run(["java", "-cp", jar, "moa.DoTask", task], check=True, capture_output=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
