"""How long 100,000 trials take to be planned, stored and read as results, in an SQLite file.

    python -m benchmarks.many_trials [--repeats 20000]

Processor seconds. Five folds a repeat; trials are stored 10,000 at a time, without curves.
"""

import argparse
import tempfile
import time

from ensembles.data import load_dataset
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.records import TrialResult
from ensembles.experiments.trials import plan_trials
from storage import open_storage

_AT_A_TIME = 10_000


def main() -> None:
    """Measure and print the seconds of each step."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=20_000)
    repeats = parser.parse_args().repeats
    config = ExperimentConfig.from_dict(
        {
            "name": "Many trials",
            "datasets": ["iris"],
            "learners": [{"method": "single", "base": "naive_bayes"}],
            "protocol": {"kind": "cross_validation", "repeats": repeats, "folds": 5},
        }
    )
    iris, clock = load_dataset("iris"), [time.process_time()]
    plans = plan_trials(config, [iris])
    clock.append(time.process_time())
    with tempfile.TemporaryDirectory() as folder, open_storage(f"sqlite:///{folder}/bench.sqlite") as storage:
        record = storage.create_experiment(config)
        for start in range(0, len(plans), _AT_A_TIME):
            some = plans[start : start + _AT_A_TIME]
            storage.save_trials(record.id, [(one, TrialResult(one.key, measures={"accuracy": 0.5})) for one in some])
        clock.append(time.process_time())
        results = storage.load_results(record.id)
        clock.append(time.process_time())
    print(f"{len(results.trials):,} trials")
    for what, begun, ended in zip(("planned", "stored", "read"), clock, clock[1:], strict=False):
        print(f"{what}: {ended - begun:.1f} s")


if __name__ == "__main__":
    main()
