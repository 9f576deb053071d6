"""Fill a database with made-up experiments, to see how quick pages are.

`python -m benchmarks.fill_database FILE [EXPERIMENTS] [TRIALS] [CURVE ...]`

Trials leave learning curves of three points, or the curves that are named: of diversity 45 pairs, a hundred hard examples.
"""

import sys
import zlib
from collections.abc import Sequence
from functools import cache
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


AT_A_TIME = 50_000
FEWEST_ROWS = 150  # of any of these data sets
LEARNING = ("learning_curve",)


def make_config(
    number: int, rng: np.random.Generator, trials: int, curves: Sequence[str] = LEARNING
) -> ExperimentConfig:
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
            "curves": curves,
        }
    )


def made_up_accuracy(config: ExperimentConfig, dataset: int, learner: int, repeat: int, fold: int) -> float:
    """Return the same for the same trial, in whatever experiment."""
    spec = config.learners[learner]
    of = (str(config.datasets[dataset].key), spec.method, spec.base)
    easy, good, match = (zlib.crc32(one.encode()) % 1000 / 1000 for one in (of[0], "/".join(of[1:]), "/".join(of)))
    noise = np.random.default_rng([config.seed, repeat, fold, zlib.crc32("/".join(of).encode())]).normal(0, 0.02)
    return float(np.clip(0.6 + 0.2 * easy + 0.1 * good + 0.05 * match + noise, 0, 1))


def made_up_curves(accuracy: float, place: int, curves: Sequence[str]) -> dict[str, Curve]:
    """Return what a trial leaves of these kinds."""
    found = {"learning_curve": Curve((100.0, 200.0, 400.0), (0.6, 0.65, accuracy)), **_of_members(place % 250)}
    return {name: found[name] for name in curves}


@cache
def _of_members(seed: int) -> dict[str, Curve]:
    """Return curves about ten members, few different ones: to draw them would take longer than to store them."""
    rng = np.random.default_rng(seed)
    rows, weights = np.sort(rng.choice(FEWEST_ROWS, 100, replace=False)), 1 + rng.exponential(size=100)
    kappa, error = np.sort(rng.normal(0.4, 0.15, 45)), rng.normal(0.3, 0.05, 45)
    return {
        "diversity": Curve(tuple(kappa.tolist()), tuple(error.tolist())),
        "hard_examples": Curve(tuple(rows.astype(float).tolist()), tuple(weights.tolist())),
    }


def add_experiment(
    storage: Storage, number: int, rng: np.random.Generator, trials: int, curves: Sequence[str] = LEARNING
) -> int:
    """Store an experiment that is over; return how many trials it has."""
    config = make_config(number, rng, trials, curves)
    tags = rng.choice(TAGS, size=rng.integers(0, 3), replace=False).tolist()
    record = storage.create_experiment(config, runner="filler", lease_seconds=3600, tags=tags)
    places = product(
        range(len(config.datasets)), range(len(config.learners)), range(config.protocol.splits[0]), range(5)
    )
    found, stored = [], 0
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
            curves=made_up_curves(accuracy, place, curves),
        )
        found.append((plan, result))
        if len(found) == AT_A_TIME:
            storage.save_trials(record.id, found)
            stored, found = stored + len(found), []
    storage.save_trials(record.id, found)
    stored += len(found)
    storage.heartbeat(record.id, "filler", total=stored)
    storage.finish(record.id, str(rng.choice(STATES)), runner="filler")  # type: ignore[arg-type]
    return stored


def main(file: str, experiments: int = 1_000, trials: int = 100_000, curves: Sequence[str] = LEARNING) -> None:
    """Fill the SQLite database `file`."""
    rng = np.random.default_rng(1)
    with open_storage(f"sqlite:///{file}") as storage:
        numbers = range(1, experiments + 1)
        stored = sum(add_experiment(storage, n, rng, trials // experiments, curves) for n in numbers)
        print(f"{storage.count_experiments():,} experiments, {stored:,} trials in {file}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:4]), *([sys.argv[4:]] if sys.argv[4:] else []))
