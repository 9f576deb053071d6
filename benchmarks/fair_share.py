"""How long a short experiment takes beside a long one of somebody else, and alone.

    python -m benchmarks.fair_share [--workers 2] [--repeats 3]

One runner, as it is: 20 trials, launched and awaited as by a page, first with the workers for themselves, then while 10,000
trials of another user run. The bar is three times the time alone, for trials of any length.
"""

import argparse
import sys
import tempfile
import time
from contextlib import closing
from statistics import median
from threading import Event, Thread

from benchmarks.runner_overhead import BusyContext
from ensembles.data import load_dataset
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.trials import plan_trials
from runner import run_experiment as running
from runner.cluster.cluster import Cluster
from runner.worker import keep_working
from storage import ExperimentRecord, Storage, open_storage

_MILLISECONDS = {"long": 50.0, "short, 2 ms": 2.0, "short, 20 ms": 20.0, "short, 200 ms": 200.0, "short, 1 s": 1000.0}
_TRIALS = {"long": 10_000}
_BAR = 3.0


def config_of(name: str) -> ExperimentConfig:
    """Return an experiment whose trials `prepare` makes busy for as long as its name says."""
    return ExperimentConfig.from_dict(
        {
            "name": name,
            "datasets": ["iris"],
            "learners": [{"method": "single", "base": "naive_bayes"}],
            "protocol": {"kind": "holdout", "repeats": _TRIALS.get(name, 20), "train_size": 100},
        }
    )


def prepare(_: Storage, record: ExperimentRecord) -> tuple[BusyContext, object]:
    """Return trials that only keep a processor busy."""
    plans = plan_trials(record.config, [load_dataset("iris")])
    return BusyContext(record.config, (), milliseconds=_MILLISECONDS[record.config.name]), plans


def seconds_of(storage: Storage, name: str) -> float:
    """Launch an experiment; return when it has ended."""
    begun = time.perf_counter()
    record = storage.create_experiment(config_of(name))
    while not storage.get_experiment(record.id).is_final:
        time.sleep(0.02)
    return time.perf_counter() - begun


def measure(workers: int, repeats: int) -> bool:
    """Print the times alone and beside a long experiment; return whether all are within the bar."""
    running.prepare = prepare
    shutdown, is_well, names = Event(), True, [name for name in _MILLISECONDS if name != "long"]
    with tempfile.TemporaryDirectory() as folder, open_storage(f"sqlite:///{folder}/bench.sqlite") as storage:
        ada, bea = (storage.acting_as(storage.sign_in(name, name, None)) for name in ("Ada", "Bea"))
        work = Thread(target=keep_working, args=(shutdown, storage, lambda: closing(Cluster(n_workers=workers))))
        work.start()
        try:
            seconds_of(bea, names[0])  # processes have started
            alone = {name: median(seconds_of(bea, name) for _ in range(repeats)) for name in names}
            long = ada.create_experiment(config_of("long"))
            while storage.get_experiment(long.id).done < 50:
                time.sleep(0.1)
            for name in names:
                before = storage.get_experiment(long.id).done
                beside = median(seconds_of(bea, name) for _ in range(repeats))
                meanwhile = (storage.get_experiment(long.id).done - before) / repeats
                print(
                    f"{name}: alone {alone[name]:.2f} s, beside {beside:.2f} s, {beside / alone[name]:.2f} times; "
                    f"meanwhile {meanwhile:.0f} trials of the long one ended",
                    flush=True,
                )
                is_well = is_well and beside <= _BAR * alone[name]
            if storage.get_experiment(long.id).is_final:
                raise SystemExit("the long experiment was over too early")
        finally:
            shutdown.set()
            work.join()
    return is_well


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    wanted = parser.parse_args()
    sys.exit(0 if measure(wanted.workers, wanted.repeats) else 1)
