"""Online methods beside MOA's on streams that change: accuracy of the prequential protocol, and how many times as fast.

    python -m benchmarks.moa_peers [--moa-jar PATH] [--seeds 3] [--members 10] [--rows 10000] [--data DIR]
                                   [--only adaptive_random_forest bole] [--streams sea_abrupt connect-4]

Both programs get the same examples in the same order, as many members, and settings that mean the same. The streams are the
ten of Gomes et al. (2017), section 5.1, shorter: LED, SEA and Agrawal change three times, at once or within a twentieth of
the stream; `--data` adds files of a folder in one random order. Accuracies are means over the seeds of the learners. The
standard error is that of their difference: that of these examples, and that of the seeds of both. Times are of one core, of
the quickest seed of either: compilation is left out.
"""

import argparse
import glob
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.data import Dataset, load_dataset, read_dataset
from ensembles.evaluation.prequential import predict_then_learn
from ensembles.evaluation.timing import Stopwatch
from ensembles.registry import make_learner

_PROGRAM = Path(__file__).with_name("MoaPeer.java")


class Runs(NamedTuple):
    """What a program did with a stream."""

    right: npt.NDArray[np.bool_]  # (n_seeds, n_examples)
    seconds: float  # an example


class Peer(NamedTuple):
    """One of our learners as a method with a base model, and what is called the same in MOA."""

    method: str
    base: str | None
    moa: str  # {n}: number of members
    settings: dict[str, Any] = {}
    base_settings: dict[str, Any] = {}
    draws: str = "shared"  # or "own": see MoaPeer.java


_SOFT = {"vote": "soft"}
_AFTER = {"tested": "after", **_SOFT}  # when members are tested, and how they vote
_QUICK = {"grace_period": 50.0, "delta": 0.01}
#: By the key under which it is listed.
PEERS = {
    "adaptive_random_forest": Peer("adaptive_random_forest", "hoeffding_tree", "meta.AdaptiveRandomForest -s {n}"),
    "adaptive_random_forest, MOA's trees drawing apart": Peer(
        "adaptive_random_forest", "hoeffding_tree", "meta.AdaptiveRandomForest -s {n}", draws="own"
    ),
    "streaming_random_patches": Peer(
        "streaming_random_patches", "hoeffding_tree", "meta.StreamingRandomPatches -s {n}", base_settings=_QUICK
    ),
    "streaming_gradient_boosting": Peer(
        "streaming_gradient_boosting", None, "meta.StreamingGradientBoostedTrees -s {n}"
    ),
    "bole": Peer("bole", "hoeffding_tree", "meta.BOLE -s {n}"),
    "dynamic_weighted_majority": Peer(
        "dynamic_weighted_majority", "naive_bayes", "meta.DynamicWeightedMajority -e {n}"
    ),
    "leveraging_bagging": Peer("leveraging_bagging", "hoeffding_tree", "meta.LeveragingBag -s {n}", _AFTER),
    "leveraging_bagging, output codes": Peer(
        "leveraging_bagging", "hoeffding_tree", "meta.LeveragingBag -s {n} -o", {"output_codes": True, **_AFTER}
    ),
    "adwin_bagging": Peer("adwin_bagging", "hoeffding_tree", "meta.OzaBagAdwin -s {n}", _AFTER),
    "online_bagging": Peer("online_bagging", "hoeffding_tree", "meta.OzaBag -s {n}", _SOFT),
    "online_boosting": Peer("online_boosting", "hoeffding_tree", "meta.OzaBoost -s {n}", {"norm": "examples", **_SOFT}),
    "hoeffding_tree": Peer("single", "hoeffding_tree", "trees.HoeffdingTree"),
    "extremely_fast_tree": Peer("single", "extremely_fast_tree", "trees.EFDT"),
}

_ABRUPT = {"drift": "abrupt", "drift_at": 0.25, "times": 3}
_GRADUAL = {**_ABRUPT, "drift": "gradual", "drift_width": 0.05}
#: Data sets of the catalogue, and their settings.
STREAMS: dict[str, tuple[str, dict[str, Any]]] = {
    "led_abrupt": ("moa_led", _ABRUPT),
    "led_gradual": ("moa_led", _GRADUAL),
    "sea_abrupt": ("moa_sea", _ABRUPT),
    "sea_gradual": ("moa_sea", _GRADUAL),
    "agrawal_abrupt": ("moa_agrawal", _ABRUPT),
    "agrawal_gradual": ("moa_agrawal", _GRADUAL),
    "random_tree": ("moa_random_tree", {}),
    "rbf_moderate": ("moa_random_rbf", {"speed": 0.0001}),
    "rbf_fast": ("moa_random_rbf", {"speed": 0.001}),
    "hyperplane": ("moa_hyperplane", {"turning": 10, "magnitude": 0.001, "noise": 0.1}),
}


def main() -> None:
    """Measure and print one line a learner and stream."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moa-jar", default=next(iter(glob.glob(".venv/capymoa/**/moa.jar", recursive=True)), None))
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--members", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=PEERS, default=[*PEERS])
    parser.add_argument("--data", type=Path, help="folder with files called as streams are, with a column `class`")
    parser.add_argument("--streams", nargs="+", default=[*STREAMS])
    wanted = parser.parse_args()
    if wanted.moa_jar is None:
        parser.error("--moa-jar must say where moa.jar is, which the package capymoa brings")
    print("| stream | learner | ours | MOA | standard error | | µs an example, ours | MOA | faster by |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted.streams:
            data, arff = stream(name, wanted.rows, wanted.data), Path(folder) / "stream.arff"
            write_arff(data, arff)
            for key in wanted.only:
                mine = ours(PEERS[key], data, wanted.members, wanted.seeds)
                theirs = moa(PEERS[key], wanted.moa_jar, arff, wanted.members, wanted.seeds)
                print(line(name, key, mine, theirs), flush=True)


def stream(name: str, rows: int, folder: Path | None) -> Dataset:
    """Return the first rows of a stream, or of a file in a random order."""
    if name in STREAMS:
        key, settings = STREAMS[name]
        return load_dataset(key, rows=rows, **settings)
    if folder is None:
        raise SystemExit(f"--streams must be of {', '.join(STREAMS)}, or of files in --data, got {name}")
    whole = read_dataset(next(folder.glob(f"{name}.*")), "class")
    order = np.random.default_rng(0).permutation(len(whole))[:rows]
    table, labels = whole.take(order)
    return Dataset(name, table, labels, whole.classes, whole.target)


def ours(peer: Peer, data: Dataset, members: int, seeds: int) -> Runs:
    """Predict and learn example by example, once for compilation and once a seed."""
    settings = peer.settings if peer.method == "single" else {"n_estimators": members, **peer.settings}
    right, seconds = [], []
    for seed in (None, *range(seeds)):
        part = slice(0, 1000 if seed is None else len(data))
        learner = make_learner(
            peer.method, peer.base, settings=settings, base_settings=peer.base_settings, random_state=seed or 0
        )
        table, labels, clock = data.table.take(part), data.labels[part], Stopwatch()
        told = predict_then_learn(
            learner, table, labels, len(data.classes), pause=lambda: None, stopwatch=clock, probabilities=True
        )
        right.append(told.predicted == told.true)
        seconds.append(clock.cpu_seconds)
    return Runs(np.array(right[1:]), min(seconds[1:]) / len(data))


def moa(peer: Peer, jar: str, arff: Path, members: int, seeds: int) -> Runs:
    """Have MOA predict and learn the same examples, once a seed."""
    command = ["java", "-cp", jar, str(_PROGRAM), str(arff), peer.moa.format(n=members), str(seeds), peer.draws]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    told = [row.split() for row in printed.splitlines() if row.endswith(("0", "1"))]
    right = np.array([[mark == "1" for mark in marks] for _, marks in told])
    return Runs(right, min(float(seconds) for seconds, _ in told) / right.shape[1])


def line(name: str, key: str, mine: Runs, theirs: Runs) -> str:
    """Return a row of the table."""
    gap = mine.right.mean() - theirs.right.mean()
    error = standard_error(mine.right, theirs.right)
    verdict = "worse" if gap < -error else "better" if gap > error else "alike"
    numbers = f"{mine.right.mean():.4f} | {theirs.right.mean():.4f} | {error:.4f} | {verdict}"
    times = f"{mine.seconds * 1e6:.1f} | {theirs.seconds * 1e6:.0f} | {theirs.seconds / mine.seconds:.1f}"
    return f"| {name} | {key} | {numbers} | {times} |"


def standard_error(mine: npt.NDArray[np.bool_], theirs: npt.NDArray[np.bool_]) -> float:
    """Return that of the difference of two mean accuracies, from the examples and from the seeds."""
    by_example = (mine.mean(axis=0) - theirs.mean(axis=0)).var() / mine.shape[1]
    by_seed = [runs.mean(axis=1).var(ddof=1) / len(runs) for runs in (mine, theirs) if len(runs) > 1]
    return float(np.sqrt(by_example + sum(by_seed)))


def write_arff(data: Dataset, path: Path) -> None:
    """Write examples as MOA reads them; values and classes are numbered, as it knows no commas and quotes in them."""
    header, columns = ["@relation stream"], []
    for j, attribute in enumerate(data.attributes):
        column = data.table.column(j)
        if attribute.kind == "nominal":
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
