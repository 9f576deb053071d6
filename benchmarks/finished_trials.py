"""How many finished trials a second the database takes, without curves and with.

    python -m benchmarks.finished_trials [--database postgresql://user@host/empty] [--trials 5000]

Trials come in batches of a tenth of a second, as a runner saves them that gets 500 a second. Curves are two of 100
points. Without a database an SQLite file is measured. The promise, for PostgreSQL, is
500 a second.
"""

import argparse
import sys
import tempfile
import time
from statistics import median

from ensembles.data import load_dataset
from ensembles.evaluation.curve import Curve
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.records import TrialResult
from ensembles.experiments.trials import plan_trials
from storage import Storage, open_storage

_AT_A_TIME = 50
_REPEATS = 3


def measure(storage: Storage, n_trials: int, n_points: int) -> float:
    """Return how many trials a second are stored, and print it with the seconds of the processor here."""
    config = ExperimentConfig.from_dict(
        {
            "name": "Finished",
            "datasets": ["iris"],
            "learners": [{"method": "single", "base": "naive_bayes"}],
            "protocol": {"kind": "holdout", "repeats": n_trials, "train_size": 100},
        }
    )
    plans = plan_trials(config, [load_dataset("iris")])
    record = storage.create_experiment(config, runner="benchmark")
    curve = Curve(tuple(map(float, range(n_points))), (0.5,) * n_points)
    curves = {"learning_curve": curve, "member_errors": curve} if n_points else {}
    measures = dict.fromkeys(("accuracy", "error", "mse", "kappa"), 0.5)
    batches = [plans[start : start + _AT_A_TIME] for start in range(0, n_trials, _AT_A_TIME)]
    begun, used = time.perf_counter(), time.process_time()
    for batch in batches:
        storage.save_trials(record.id, [(one, TrialResult(one.key, measures=measures, curves=curves)) for one in batch])
    seconds, used = time.perf_counter() - begun, time.process_time() - used
    speed = n_trials / seconds
    print(
        f"{n_points} points in each curve: {speed:,.0f} trials/s, {used / n_trials * 1000:.2f} ms of this processor each"
    )
    return speed


def main() -> int:
    """Measure both kinds of trials, three times each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", metavar="URL|@FILE")
    parser.add_argument("--trials", type=int, default=5000)
    wanted = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        open_storage(wanted.database or f"sqlite:///{folder}/bench.sqlite") as storage,
    ):
        speeds = [median(measure(storage, wanted.trials, n_points) for _ in range(_REPEATS)) for n_points in (0, 100)]
    print(f"medians: {speeds[0]:,.0f} trials/s without curves, {speeds[1]:,.0f} with")
    return 0 if min(speeds) >= 500 else 1


if __name__ == "__main__":
    sys.exit(main())
