"""Fill a database with made-up experiments, to see how quick pages are.

`python -m benchmarks.fill_database FILE [EXPERIMENTS] [TRIALS]`
"""

import sys
import zlib
from itertools import islice, product

import numpy as np

from ensembles.evaluation.curve import Curve
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.records import TrialPlan, TrialResult
from storage import Storage, open_storage

DATASETS = ("iris", "wine", "breast_cancer", "digits", "balance_scale", "led24", "synthetic_1", "synthetic_2")
METHODS = ("single", "bagging", "online_bagging", "adaboost", "online_boosting")
BASES = ("naive_bayes", "decision_stump", "hoeffding_tree")
TAGS = ("thesis", "draft", "oza2001/3.4", "car", "nightly")
STATES = ("finished",) * 8 + ("cancelled", "failed")


def make_config(number: int, rng: np.random.Generator, trials: int) -> ExperimentConfig:
    """Return an experiment of about as many trials."""
    datasets = rng.choice(DATASETS, size=rng.integers(1, 4), replace=False).tolist()
    methods = rng.choice(METHODS, size=rng.integers(2, 4), replace=False).tolist()
    base = str(rng.choice(BASES))
    repeats = max(1, round(trials / (5 * len(datasets) * len(methods))))
    return ExperimentConfig.from_dict(
        {
            "name": f"Made up {number:,}: {' and '.join(methods)} on {', '.join(datasets)}".replace("_", " "),
            "seed": int(rng.integers(1, 4)),
            "datasets": datasets,
            "learners": [{"method": method, "base": base} for method in methods],
            "protocol": {"kind": "cross_validation", "repeats": repeats, "folds": 5, "orders": 1},
            "curves": ["learning_curve"],
        }
    )


def made_up_accuracy(config: ExperimentConfig, dataset: int, learner: int, repeat: int, fold: int) -> float:
    """Return the same for the same trial, in whatever experiment."""
    spec = config.learners[learner]
    of = (str(config.datasets[dataset].key), spec.method, spec.base)
    easy, good, match = (zlib.crc32(one.encode()) % 1000 / 1000 for one in (of[0], "/".join(of[1:]), "/".join(of)))
    noise = np.random.default_rng([config.seed, repeat, fold, zlib.crc32("/".join(of).encode())]).normal(0, 0.02)
    return float(np.clip(0.6 + 0.2 * easy + 0.1 * good + 0.05 * match + noise, 0, 1))


def add_experiment(storage: Storage, number: int, rng: np.random.Generator, trials: int) -> int:
    """Store an experiment that is over; return how many trials it has."""
    config = make_config(number, rng, trials)
    tags = rng.choice(TAGS, size=rng.integers(0, 3), replace=False).tolist()
    record = storage.create_experiment(config, runner="filler", lease_seconds=3600, tags=tags)
    places = product(
        range(len(config.datasets)), range(len(config.learners)), range(config.protocol.splits[0]), range(5)
    )
    found = []
    for place, (dataset, learner, repeat, fold) in enumerate(islice(places, 2 * trials)):
        accuracy = made_up_accuracy(config, dataset, learner, repeat, fold)
        plan = TrialPlan(f"{place:032x}", dataset, learner, repeat, fold, 0)
        cpu = float(rng.exponential(0.1 * (learner + 1)))
        result = TrialResult(
            plan.key,
            measures={"accuracy": accuracy},
            fit_seconds=cpu,
            fit_cpu_seconds=cpu,
            predict_seconds=0.01,
            predict_cpu_seconds=0.01,
            members_used=10,
            n_train=400,
            n_test=100,
            curves={"learning_curve": Curve((100.0, 200.0, 400.0), (0.6, 0.65, accuracy))},
        )
        found.append((plan, result))
    storage.save_trials(record.id, found)
    storage.heartbeat(record.id, "filler", total=len(found))
    storage.finish(record.id, str(rng.choice(STATES)), runner="filler")  # type: ignore[arg-type]
    return len(found)


def main(file: str, experiments: int = 1_000, trials: int = 100_000) -> None:
    """Fill the SQLite database `file`."""
    rng = np.random.default_rng(1)
    with open_storage(f"sqlite:///{file}") as storage:
        stored = sum(add_experiment(storage, n, rng, trials // experiments) for n in range(1, experiments + 1))
        print(f"{storage.count_experiments():,} experiments, {stored:,} trials in {file}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
