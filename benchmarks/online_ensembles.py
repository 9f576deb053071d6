"""Online ensembles of 100 naive Bayes models or Hoeffding trees on Synthetic-2, ours beside MOA's in one run.

    python -m benchmarks.online_ensembles [--moa-jar PATH] [--rounds 3] [--rows 80000]

What is compared is learning: compilation, the start of Java and reading of the file are left out (MOA is run once more
with no examples to learn, and that time subtracted). Rounds alternate between the programs; medians are reported.
"""

import argparse
import glob
import itertools
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from ensembles.data import Dataset, load_dataset
from ensembles.registry import make_learner

MEMBERS = 100
METHODS = {"online_bagging": "OzaBag", "online_boosting": "OzaBoost"}
BASES = {"naive_bayes": "bayes.NaiveBayes", "hoeffding_tree": "trees.HoeffdingTree"}


def main() -> None:
    """Measure and print one line a method and program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moa-jar", default=next(iter(glob.glob(".venv/capymoa/**/moa.jar", recursive=True)), None))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=80_000)
    wanted = parser.parse_args()
    data = load_dataset("synthetic_2", rows=wanted.rows, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        arff = Path(folder) / "synthetic_2.arff"
        write_arff(data, arff)
        print("| method | base model | program | microseconds an example | ours is faster by |")
        print("|---|---|---|---|---|")
        for (method, moa_method), (base, moa_base) in itertools.product(METHODS.items(), BASES.items()):
            programs: dict[str, Callable[[], float]] = {"ours": partial(ours, method, base, data)}
            if wanted.moa_jar:
                task = f"meta.{moa_method} -l {moa_base} -s {MEMBERS}"
                programs["MOA"] = partial(moa, wanted.moa_jar, task, arff, wanted.rows)
            report(f"{method} | {base}", programs, wanted.rounds)


def report(what: str, programs: dict[str, Callable[[], float]], rounds: int) -> None:
    """Run the programs in turn, `rounds` times, and print medians and ratios."""
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(rounds):
        for name, run in programs.items():
            seconds[name].append(run())
    mine = statistics.median(seconds["ours"])
    for name, found in seconds.items():
        median = statistics.median(found)
        print(f"| {what} | {name} | {median * 1e6:.2f} | {median / mine:.1f} |", flush=True)


def ours(method: str, base: str, data: Dataset) -> float:
    """Return seconds an example."""
    settings = {"n_estimators": MEMBERS}
    make_learner(method, base, settings=settings, random_state=0).fit(data.table.take(slice(0, 50)), data.labels[:50])
    learner = make_learner(method, base, settings=settings, random_state=0)
    start = time.perf_counter()
    learner.fit(data.table, data.labels)
    return (time.perf_counter() - start) / len(data)


def moa(jar: str, learner: str, arff: Path, rows: int) -> float:
    """Return seconds an example, start and reading of the file subtracted."""
    return max(_moa_seconds(jar, learner, arff, rows) - _moa_seconds(jar, learner, arff, 0), 0.0) / rows


def _moa_seconds(jar: str, learner: str, arff: Path, rows: int) -> float:
    task = f"LearnModel -l ({learner}) -s (ArffFileStream -f {arff}) -m {rows}"
    start = time.perf_counter()
    subprocess.run(["java", "-cp", jar, "moa.DoTask", task], check=True, capture_output=True)
    return time.perf_counter() - start


def write_arff(data: Dataset, path: Path) -> None:
    """Write nominal examples as MOA reads them."""
    lines = ["@relation synthetic"]
    lines += [f"@attribute {a.name} {{{','.join(a.categories)}}}" for a in data.attributes]
    lines += [f"@attribute class {{{','.join(data.classes)}}}", "@data"]
    columns = [np.array(a.categories)[data.table.column(j)] for j, a in enumerate(data.attributes)]
    columns.append(np.array(data.classes)[data.labels])
    lines += [",".join(row) for row in zip(*columns, strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
