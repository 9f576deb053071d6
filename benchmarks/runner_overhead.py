"""How much of the workers' time is spent in kernels: 2,000 trials that are busy for 10 ms each.

    python benchmarks/runner_overhead.py [--trials 2000] [--milliseconds 10] [--workers N]

The whole way is measured: planning, the cluster, results into an SQLite file, the heartbeat. The promise is 80 % or more.
"""

import argparse
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from ensembles.data import load_dataset
from ensembles.evaluation.curve import Curve
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.records import TrialPlan, TrialResult
from runner import run_experiment as running
from runner.cluster.cluster import Cluster
from runner.worker_process.tasks import ExperimentContext
from storage import open_storage


@dataclass(frozen=True)
class BusyContext(ExperimentContext):
    """Trials that only keep the processor busy, and leave as much behind as real ones."""

    milliseconds: float = 10.0

    def run(self, plan: TrialPlan, is_stopped: object) -> TrialResult:  # noqa: ARG002
        begun = time.perf_counter()
        while time.perf_counter() < begun + self.milliseconds / 1000.0:
            pass
        seconds = time.perf_counter() - begun
        curves = {"learning_curve": Curve(tuple(map(float, range(20))), (0.5,) * 20)}
        return TrialResult(plan.key, measures={"accuracy": 0.5}, fit_seconds=seconds, curves=curves)


def measure(n_trials: int, milliseconds: float, n_workers: int) -> float:
    """Return the share of the workers' time that is spent in trials, from the claim to the last commit."""
    config = ExperimentConfig.from_dict(
        {
            "name": "Busy",
            "datasets": ["iris"],
            "learners": [{"method": "single", "base": "naive_bayes"}],
            "protocol": {"kind": "holdout", "repeats": n_trials, "train_size": 100},
        }
    )
    plans = running.plan_trials(config, [load_dataset("iris")])
    running.prepare = lambda *_: (BusyContext(config, (), milliseconds=milliseconds), plans)
    with tempfile.TemporaryDirectory() as folder, open_storage(f"sqlite:///{folder}/bench.sqlite") as storage:
        cluster = Cluster(n_workers=n_workers)
        try:
            record = storage.create_experiment(config, runner="benchmark")
            begun = time.perf_counter()
            running.run_experiment(storage, cluster, record, "benchmark")
            seconds = time.perf_counter() - begun
        finally:
            cluster.close()
        trials = storage.load_results(record.id).trials
        if len(trials) != n_trials:
            raise SystemExit(f"{n_trials - len(trials)} trials were lost")
    share = float(trials["fit_seconds"].sum()) / (seconds * n_workers)
    print(f"{n_trials:,} trials of {milliseconds:g} ms on {n_workers} workers: {seconds:.2f} s, {share:.1%} in kernels")
    return share


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--milliseconds", type=float, default=10.0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    wanted = parser.parse_args()
    sys.exit(0 if measure(wanted.trials, wanted.milliseconds, wanted.workers) >= 0.8 else 1)
