"""Online ensembles of 100 members on data of different make beside MOA's in one run: learning, and predicting first.

    python -m benchmarks.online_ensembles [--moa-jar PATH] [--rows 20000] [--rounds 1] [--members 100]
                                          [--streams letters ...] [--only "online_bagging naive_bayes" ...]
                                          [--river-seconds 15] [--threads 2] [--before FOLDER] [--files tables ...]

Two tasks: an example is learned; it is predicted, and then learned. Settings mean the same on both sides: members vote with
their probabilities, and weights of boosting are balanced by the examples seen. Times are the processor's, of the thread
that learns, so that other programs on the machine hardly matter: Java compiles and collects in other threads. Files are read
before, our kernels compiled. Rounds alternate between the programs; medians are reported. River, where it has the method
and a base model for the attributes, sees as many of the first examples as it gets through in some seconds. Beside stand
by what several threads (`n_jobs`, in boosting a pipeline) learn sooner than one, by the clock, so on a machine that does
nothing else; the bytes that must move to learn an example; and what share of the memory's bandwidth ours reach
(`benchmarks.limits`), with what holds those below one half. `--before` is a folder with the sources of another version,
which is measured in the same turns; of a learner that it does not have, or of settings, what comes nearest. `--files` are
tables with their class in the last column, taken in place of made-up streams, shuffled and not beyond `--rows`.
"""

import argparse
import glob
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks.learner_times import Request, Seconds, Version, measure, new_learner
from benchmarks.limits import HELD_BY, bandwidth, moved
from benchmarks.makes import STREAMS
from benchmarks.moa_peers import write_arff
from benchmarks.river_peers import METHODS as RIVER_METHODS
from benchmarks.river_peers import river
from ensembles.data import Dataset, read_dataset

MEMBERS = 100
_PROGRAM = Path(__file__).with_name("MoaSpeed.java")


class Peer(NamedTuple):
    """What MOA calls a method and base model, and settings of ours that mean the same."""

    moa: str
    settings: dict[str, Any] = {}


_SOFT = {"vote": "soft"}
_BOOST = {"norm": "examples", **_SOFT}
#: By our method and base model.
PEERS = {
    "online_bagging naive_bayes": Peer("meta.OzaBag -l bayes.NaiveBayes", _SOFT),
    "online_boosting naive_bayes": Peer("meta.OzaBoost -l bayes.NaiveBayes", _BOOST),
    "online_bagging hoeffding_tree": Peer("meta.OzaBag -l trees.HoeffdingTree", _SOFT),
    "online_boosting hoeffding_tree": Peer("meta.OzaBoost -l trees.HoeffdingTree", _BOOST),
    "adwin_bagging hoeffding_tree": Peer("meta.OzaBagAdwin -l trees.HoeffdingTree", {"tested": "after", **_SOFT}),
    "leveraging_bagging hoeffding_tree": Peer(
        "meta.LeveragingBag -l trees.HoeffdingTree", {"tested": "after", **_SOFT}
    ),
    "osboost hoeffding_tree": Peer("meta.OnlineSmoothBoost -l trees.HoeffdingTree", {"multiclass": "together"}),
}


class Ours(NamedTuple):
    """What this version was measured to take."""

    seconds: Seconds
    bytes: float  # that must move to learn an example
    reached: float  # share of the bandwidth, learning
    sooner: float  # by what several threads have learned


def main() -> None:
    """Measure and print one line for each stream and learner."""
    wanted = arguments()
    learning, both = "learning, µs an example: ours | MOA | faster by", "predicting too: ours | MOA | faster by"
    before = " | before, learning: faster by | predicting too" if wanted.before else ""
    others = "examples that River saw | River, predicting too | faster by | threads sooner by"
    memory = "KiB to move | share of bandwidth | held by"
    heads = f"data | method | {learning} | {both}{before} | {others} | {memory}"
    print(f"| {heads} |\n|{'---|' * (heads.count('|') + 1)}")
    with ExitStack() as stack:
        arff = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "stream.arff"
        old = stack.enter_context(Version(wanted.before)) if wanted.before else None
        for name, data in examples(wanted):
            write_arff(data, arff)
            for key in wanted.only:
                print(f"| {name} | {key} | {' | '.join(row(key, data, arff, wanted, old))} |", flush=True)


def arguments() -> argparse.Namespace:
    """Return what is wanted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moa-jar", default=next(iter(glob.glob(".venv/capymoa/**/moa.jar", recursive=True)), None))
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--members", type=int, default=MEMBERS)
    parser.add_argument("--river-seconds", type=float, default=15)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--streams", nargs="+", choices=STREAMS, default=[*STREAMS])
    parser.add_argument("--files", type=Path, nargs="+", default=[])
    parser.add_argument("--only", nargs="+", choices=PEERS, default=[*PEERS])
    return parser.parse_args()


def examples(wanted: argparse.Namespace) -> Iterator[tuple[str, Dataset]]:
    """Give each data set under the name that its rows have."""
    for name in [] if wanted.files else wanted.streams:
        yield name, STREAMS[name](wanted.rows)
    for file in wanted.files:
        whole = read_dataset(file, pd.read_csv(file, nrows=0).columns[-1])
        table, labels = whole.take(np.random.default_rng(1).permutation(len(whole))[: wanted.rows])
        yield whole.name, Dataset(whole.name, table, labels, whole.classes)


def row(key: str, data: Dataset, arff: Path, wanted: argparse.Namespace, old: Version | None) -> list[str]:
    """Measure a learner on a stream in all programs, and return the cells of its row."""
    request = Request(
        *key.split(),
        {"n_estimators": wanted.members, **PEERS[key].settings},
        data.table,
        data.labels,
        len(data.classes),
    )
    mine, theirs, former = [], [], []
    for _ in range(wanted.rounds):
        mine.append(ours(key, request, wanted.threads))
        if wanted.moa_jar:
            theirs.append(moa(wanted.moa_jar, f"{PEERS[key].moa} -s {wanted.members}", arff, len(data)))
        if old is not None:
            former.append(old.measure(request))
    own, peer, earlier = (medians(each) for each in ([one.seconds for one in mine], theirs, former))
    cells = []
    for task in Seconds._fields:
        cells += [microseconds(getattr(own, task)), microseconds(getattr(peer, task)), ratio(peer, own, task)]
    cells += [ratio(earlier, own, task) for task in Seconds._fields if old is not None]
    median = statistics.median(one.sooner for one in mine)
    cells += [*rivers(key, data, wanted.river_seconds, own), "" if np.isnan(median) else f"{median:.2f}"]
    reached = statistics.median(one.reached for one in mine)
    return [*cells, f"{mine[0].bytes / 1024:.0f}", f"{reached:.0%}", HELD_BY[key] if reached < 0.5 else ""]


def medians(measured: list[Seconds]) -> Seconds:
    """Return the median of each task, not numbers where nothing was measured."""
    return Seconds(*(statistics.median(each) for each in zip(*measured, strict=True))) if measured else _NOTHING


_NOTHING = Seconds(np.nan, np.nan)


def microseconds(seconds: float) -> str:
    """Return the words for seconds an example."""
    return "" if np.isnan(seconds) else f"{seconds * 1e6:.1f}"


def ratio(theirs: Seconds, own: Seconds, task: str) -> str:
    """Return by what ours are faster, empty where there is nothing beside."""
    found = getattr(theirs, task) / getattr(own, task)
    return "" if np.isnan(found) else f"{found:.1f}"


def rivers(key: str, data: Dataset, seconds: float, own: Seconds) -> list[str]:
    """Return River's examples, its microseconds, and by what ours are faster; empty where it has none of the kind."""
    method, base = key.split()
    schema, name = data.table.schema, "tree.HoeffdingTreeClassifier"
    if base == "naive_bayes":
        flags = not schema.numeric and schema.value_counts.max() == 2
        name = "naive_bayes.BernoulliNB" if flags else "naive_bayes.GaussianNB" if not schema.nominal else ""
    if method not in RIVER_METHODS or not name or seconds == 0:
        return [""] * 3
    seen = river(method, name, data, len(data), seconds)
    return [f"{seen.examples:,}", f"{seen.both:.0f}", f"{seen.both / 1e6 / own.both:.0f}"]


def ours(key: str, request: Request, threads: int) -> Ours:
    """Measure this version, what must move, and what several threads gain."""

    def seconds(n_jobs: int) -> float:
        several, start = new_learner(request).set_params(n_jobs=n_jobs), time.perf_counter()
        several.partial_fit(request.table, request.labels)
        return time.perf_counter() - start

    measured, one = measure(request), new_learner(request)
    one.partial_fit(request.table, request.labels)
    needed = moved(key, one._members, request.settings["n_estimators"])
    reached = needed.learning / measured.learning / bandwidth(needed.state)
    threaded = threads > 1 and "n_jobs" in one.get_params()
    return Ours(measured, needed.learning, reached, seconds(1) / seconds(threads) if threaded else np.nan)


def moa(jar: str, learner: str, arff: Path, rows: int) -> Seconds:
    """Have MOA do the same."""
    command = ["java", "-cp", jar, str(_PROGRAM), str(arff), learner]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    learning, _, both, _ = map(float, printed.split()[-4:])
    return Seconds(learning / rows, both / rows)


if __name__ == "__main__":
    main()
