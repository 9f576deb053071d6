"""Online methods beside MOA's on streams that change: accuracy of the prequential protocol, and how many times as fast.

    python -m benchmarks.moa_peers [--moa-jar PATH] [--only adaptive_random_forest] [--streams led sea table.csv]

Both programs get the same examples in the same order, as many members, and settings that mean the same. MOA writes its
streams itself; the concept changes half-way, at once. Times are processor time for predicting and learning each example, by
MOA's own clock and by ours; compilation is left out of ours, Java's is in MOA's. The standard error is that of the
difference between the two accuracies, example by example, as if examples were independent of each other: that of one run.
"""

import argparse
import csv
import glob
import io
import re
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.data import Dataset, read_dataset
from ensembles.evaluation.prequential import predict_then_learn
from ensembles.evaluation.timing import Stopwatch
from ensembles.registry import make_learner


class Run(NamedTuple):
    """What a program did with a stream."""

    right: npt.NDArray[np.bool_]  # (n_examples,)
    seconds: float  # an example


class Peer(NamedTuple):
    """One of our learners as a method with a base model, and what is called the same in MOA."""

    method: str
    base: str
    moa: str  # {n}: number of members
    settings: dict[str, Any] = {}
    base_settings: dict[str, Any] = {}


#: By the key under which it is listed.
PEERS = {
    "adaptive_random_forest": Peer("adaptive_random_forest", "hoeffding_tree", "meta.AdaptiveRandomForest -s {n}"),
    "adaptive_random_forest, sqrt": Peer(
        "adaptive_random_forest",
        "hoeffding_tree",
        "meta.AdaptiveRandomForest -s {n} -o (sqrt(M)+1)",
        {"max_features": "sqrt"},
    ),
    "hoeffding_tree": Peer("single", "hoeffding_tree", "trees.HoeffdingTree"),
    "extremely_fast_tree": Peer("single", "extremely_fast_tree", "trees.EFDT"),
}

_CHANGES = "ConceptDriftStream -s (generators.{}) -d (generators.{}) -w 1 -p {half}"
#: MOA's generators, before and after the change.
GENERATED = {
    "led": ("LEDGeneratorDrift -d 1", "LEDGeneratorDrift -d 7"),
    "sea": ("SEAGenerator -f 1 -n 10", "SEAGenerator -f 3 -n 10"),
    "agrawal": ("AgrawalGenerator -f 1", "AgrawalGenerator -f 4"),
    "rbf": ("RandomRBFGenerator -c 5 -n 50 -r 1", "RandomRBFGenerator -c 5 -n 50 -r 2"),
}


def main() -> None:
    """Measure and print one line a learner and stream."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moa-jar", default=next(iter(glob.glob(".venv/capymoa/**/moa.jar", recursive=True)), None))
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--members", type=int, default=100)
    parser.add_argument("--only", nargs="+", choices=PEERS, default=[*PEERS])
    parser.add_argument("--streams", nargs="+", default=[*GENERATED], help="of MOA's, or files with a column `class`")
    wanted = parser.parse_args()
    if wanted.moa_jar is None:
        parser.error("--moa-jar must say where moa.jar is, which the package capymoa brings")
    print("| learner | stream | accuracy, ours | MOA | standard error | us an example, ours | MOA | faster by |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted.streams:
            data, arff = stream(name, wanted.rows, wanted.moa_jar, Path(folder))
            for key in wanted.only:
                mine = ours(PEERS[key], data, wanted.members)
                theirs = moa(PEERS[key], wanted.moa_jar, arff, wanted.members, data)
                print(line(key, data.name, mine, theirs), flush=True)


def stream(name: str, rows: int, jar: str, folder: Path) -> tuple[Dataset, Path]:
    """Return the first rows of a stream of MOA's, or of a file, and an ARFF file of them."""
    arff = folder / f"{Path(name).name.split('.')[0]}.arff"
    if name in GENERATED:
        task = f"WriteStreamToARFFFile -s ({_changing(name, rows)}) -f {arff} -m {rows}"
        run_moa(jar, task)
        arff.write_text(re.sub(r",$", "", arff.read_text(encoding="utf-8"), flags=re.MULTILINE), encoding="utf-8")
        return read_dataset(arff, "class", numeric=_numbers_in(arff)), arff
    whole = read_dataset(name, "class")
    data = replace(whole, table=whole.table.take(slice(0, rows)), labels=whole.labels[:rows])
    write_arff(data, arff)
    return data, arff


def _changing(name: str, rows: int) -> str:
    before, after = GENERATED[name]
    return f"ConceptDriftStream -s (generators.{before}) -d (generators.{after}) -w 1 -p {rows // 2}"


def _numbers_in(arff: Path) -> list[str]:
    header = arff.read_text(encoding="utf-8").split("@data", 1)[0]
    return [text.split()[1] for text in header.splitlines() if text.lower().endswith("numeric")]


def ours(peer: Peer, data: Dataset, members: int) -> Run:
    """Predict and learn example by example, once for compilation and once more."""
    settings = peer.settings if peer.method == "single" else {"n_estimators": members, **peer.settings}
    for part in (slice(0, 1000), slice(0, len(data))):
        learner = make_learner(
            peer.method, peer.base, settings=settings, base_settings=peer.base_settings, random_state=0
        )
        table, labels, clock = data.table.take(part), data.labels[part], Stopwatch()
        told = predict_then_learn(
            learner, table, labels, len(data.classes), pause=lambda: None, stopwatch=clock, probabilities=True
        )
    return Run(told.predicted == told.true, clock.cpu_seconds / len(data))


def moa(peer: Peer, jar: str, arff: Path, members: int, data: Dataset) -> Run:
    """Have MOA predict and learn the same examples."""
    learner, predictions = peer.moa.format(n=members), arff.with_suffix(".predictions")
    predictions.unlink(missing_ok=True)  # MOA would write behind what is there
    task = (
        f"EvaluatePrequential -l ({learner}) -s (ArffFileStream -f {arff}) -e BasicClassificationPerformanceEvaluator "
        f"-f {len(data)} -q {len(data)} -o {predictions}"
    )
    told = next(csv.DictReader(io.StringIO(run_moa(jar, task))))
    rows = [row.split(",") for row in predictions.read_text(encoding="utf-8").splitlines()]
    right = np.array([float(row[0]) == float(row[1]) for row in rows])
    if abs(100 * right.mean() - float(told["classifications correct (percent)"])) > 0.01:
        raise RuntimeError(f"MOA's predictions do not give the accuracy that it tells: {told}")
    return Run(right, float(told["evaluation time (cpu seconds)"]) / len(data))


def run_moa(jar: str, task: str) -> str:
    """Return what MOA prints for a task."""
    return subprocess.run(["java", "-cp", jar, "moa.DoTask", task], check=True, capture_output=True, text=True).stdout


def line(key: str, name: str, mine: Run, theirs: Run) -> str:
    """Return a row of the table."""
    difference = mine.right.astype(float) - theirs.right
    error = difference.std() / np.sqrt(len(difference))
    numbers = f"{mine.right.mean():.4f} | {theirs.right.mean():.4f} | {error:.4f}"
    times = f"{mine.seconds * 1e6:.0f} | {theirs.seconds * 1e6:.0f} | {theirs.seconds / mine.seconds:.1f}"
    return f"| {key} | {name} | {numbers} | {times} |"


def write_arff(data: Dataset, path: Path) -> None:
    """Write examples as MOA reads them; values and classes are numbered, as it knows no commas and quotes in them."""
    header, columns = ["@relation stream"], []
    for j, attribute in enumerate(data.attributes):
        column = data.table.column(j)
        if attribute.nominal:
            header.append(f"@attribute a{j} {{{','.join(f'v{v}' for v in range(len(attribute.categories)))}}}")
            columns.append([f"v{v}" if v >= 0 else "?" for v in column])
        else:
            header.append(f"@attribute a{j} numeric")
            columns.append(["?" if np.isnan(x) else repr(float(x)) for x in column])
    header.append(f"@attribute class {{{','.join(f'c{c}' for c in range(len(data.classes)))}}}")
    columns.append([f"c{c}" for c in data.labels])
    rows = map(",".join, zip(*columns, strict=True))
    path.write_text("\n".join([*header, "@data", *rows]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
