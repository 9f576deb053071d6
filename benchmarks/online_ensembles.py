"""Online ensembles of 100 members on data of different make beside MOA's in one run: learning, and predicting first.

    python -m benchmarks.online_ensembles [--moa-jar PATH] [--rows 20000] [--rounds 1] [--members 100]
                                          [--streams letters ...] [--only "online_bagging naive_bayes" ...]
                                          [--river-rows 50] [--threads 2]

Two tasks: an example is learned; it is predicted, and then learned. Settings mean the same on both sides: members vote with
their probabilities, and weights of boosting are balanced by the examples seen. Times are the processor's, of the thread
that learns, so that other programs on the machine hardly matter: Java compiles and collects in other threads. Files are read
before, our kernels compiled. Rounds alternate between the programs; medians are reported. River, where it has the method
and a base model for the attributes, sees the first few examples only, as each takes it milliseconds. Beside stand by what
several threads (`n_jobs`, in boosting a pipeline) learn sooner than one, by the clock, so on a machine that does nothing
else; the bytes that must move to learn an example; and what share of the memory's bandwidth ours reach
(`benchmarks.limits`), with what holds those below one half.
"""

import argparse
import glob
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.limits import HELD_BY, bandwidth, moved
from benchmarks.makes import STREAMS
from benchmarks.moa_peers import write_arff
from benchmarks.river_peers import METHODS as RIVER_METHODS
from benchmarks.river_peers import river
from ensembles.data import Dataset
from ensembles.evaluation.prequential import predict_then_learn
from ensembles.evaluation.timing import Stopwatch
from ensembles.registry import make_learner

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


class Times(NamedTuple):
    """Seconds an example."""

    learning: float
    both: float  # predicting, then learning
    bytes: float = 0.0  # that must move to learn an example
    reached: float = 0.0  # share of the bandwidth, learning
    sooner: float = 0.0  # by what several threads have learned


def main() -> None:
    """Measure and print one line for each stream and learner."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moa-jar", default=next(iter(glob.glob(".venv/capymoa/**/moa.jar", recursive=True)), None))
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--members", type=int, default=MEMBERS)
    parser.add_argument("--river-rows", type=int, default=50)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--streams", nargs="+", choices=STREAMS, default=[*STREAMS])
    parser.add_argument("--only", nargs="+", choices=PEERS, default=[*PEERS])
    wanted = parser.parse_args()
    learning, both = "learning, µs an example: ours | MOA | faster by", "predicting too: ours | MOA | faster by"
    others = "River, predicting too | faster by | threads sooner by"
    memory = "KiB to move | share of bandwidth | held by"
    print(f"| data | method | {learning} | {both} | {others} | {memory} |\n|{'---|' * 14}")
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted.streams:
            data, arff = STREAMS[name](wanted.rows), Path(folder) / "stream.arff"
            write_arff(data, arff)
            for key in wanted.only:
                mine, theirs = [], []
                for _ in range(wanted.rounds):
                    mine.append(ours(key, data, wanted.members, wanted.threads))
                    if wanted.moa_jar:
                        theirs.append(moa(wanted.moa_jar, f"{PEERS[key].moa} -s {wanted.members}", arff, len(data)))
                beside = rivers(key, data, wanted.river_rows, mine)
                print(f"| {name} | {key} | {cells(mine, theirs)} | {beside} | {limit(key, mine)} |", flush=True)


def cells(mine: list[Times], theirs: list[Times]) -> str:
    """Return medians of both tasks in microseconds, and by what ours are faster; empty without the other program."""
    told = []
    for task in ("learning", "both"):
        own = statistics.median(getattr(times, task) for times in mine)
        told.append(f"{own * 1e6:.1f}")
        if theirs:
            peer = statistics.median(getattr(times, task) for times in theirs)
            told += [f"{peer * 1e6:.1f}", f"{peer / own:.1f}"]
        else:
            told += ["", ""]
    return " | ".join(told)


def rivers(key: str, data: Dataset, rows: int, mine: list[Times]) -> str:
    """Return River's microseconds, by what ours are faster, and by what threads are; empty where it has none of the kind."""
    median = statistics.median(times.sooner for times in mine)
    sooner = "" if np.isnan(median) else f"{median:.2f}"
    method, base = key.split()
    schema, name = data.table.schema, "tree.HoeffdingTreeClassifier"
    if base == "naive_bayes":
        flags = not schema.numeric and schema.value_counts.max() == 2
        name = "naive_bayes.BernoulliNB" if flags else "naive_bayes.GaussianNB" if not schema.nominal else ""
    if method not in RIVER_METHODS or not name or rows == 0:
        return f" | | {sooner}"
    _, both, _ = river(method, name, data, rows)
    return f"{both:.0f} | {both / 1e6 / statistics.median(times.both for times in mine):.0f} | {sooner}"


def limit(key: str, mine: list[Times]) -> str:
    """Return what must move, what share of the bandwidth is reached, and what holds it if that is below one half."""
    reached = statistics.median(times.reached for times in mine)
    return f"{mine[0].bytes / 1024:.0f} | {reached:.0%} | {HELD_BY[key] if reached < 0.5 else ''}"


def ours(key: str, data: Dataset, members: int, threads: int) -> Times:
    """Learn, and then predict and learn with a learner of its own; what was to be compiled is before."""
    method, base = key.split()

    def learner() -> Any:
        return make_learner(method, base, settings={"n_estimators": members, **PEERS[key].settings}, random_state=0)

    def seconds(n_jobs: int) -> float:
        several, start = learner().set_params(n_jobs=n_jobs), time.perf_counter()
        several.partial_fit(data.table, data.labels)
        return time.perf_counter() - start

    def stream(n: int) -> float:
        clock = Stopwatch()
        predict_then_learn(
            learner(), data.table.take(slice(0, n)), data.labels[:n], len(data.classes), pause=_go_on, stopwatch=clock
        )
        return clock.cpu_seconds

    learner().fit(data.table.take(slice(0, 50)), data.labels[:50])
    stream(50)
    one = learner()
    start = time.process_time()
    one.partial_fit(data.table, data.labels)
    learning = (time.process_time() - start) / len(data)
    needed = moved(key, one._members, members)
    reached = needed.learning / learning / bandwidth(needed.state)
    sooner = seconds(1) / seconds(threads) if "n_jobs" in one.get_params() else np.nan
    return Times(learning, stream(len(data)) / len(data), needed.learning, reached, sooner)


def _go_on() -> None:
    pass


def moa(jar: str, learner: str, arff: Path, rows: int) -> Times:
    """Have MOA do the same."""
    command = ["java", "-cp", jar, str(_PROGRAM), str(arff), learner]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    learning, _, both, _ = map(float, printed.split()[-4:])
    return Times(learning / rows, both / rows)


if __name__ == "__main__":
    main()
