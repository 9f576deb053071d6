"""Batch decision trees, ours beside scikit-learn's, in one run: one tree, boosted trees and stumps, bagged trees.

    python -m benchmarks.batch_trees [--rounds 1] [--rows 464809]

Processor time of one core each. The large table has the shape of Covertype: 10 numbers of many values and 44 columns of 0
and 1, 7 classes; the boosted trees learn 10,000 examples of 20 numbers, the bagged ones nominal attributes as in Nursery
(12,960 x 8, 5 classes) and King-Rook against King-Pawn (3,196 x 36, 2 classes). For scikit-learn values are numbers.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn import ensemble, tree

from ensembles import AdaBoostClassifier, BaggingClassifier, DecisionStumpClassifier, PrunedTreeClassifier
from ensembles.data import load_dataset

Examples = tuple[Any, npt.NDArray[np.int64]]


def main() -> None:
    """Measure and print one line a job and program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--rows", type=int, default=464_809)
    wanted = parser.parse_args()
    peer = tree.DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)
    unpruned = PrunedTreeClassifier(criterion="info_gain", prune="none")
    print("| job | program | seconds | nodes of a tree | scikit-learn takes times as long |")
    print("|---|---|---|---|---|")
    large = like_covertype(wanted.rows)
    single = {"ours, unpruned": unpruned, "ours": PrunedTreeClassifier(), "scikit-learn": peer}
    report(f"one tree, {wanted.rows} x 54", single, large, large, wanted.rounds)
    numbers = of_numbers(10_000)
    boosted = {
        "ours, unpruned": AdaBoostClassifier(unpruned, n_estimators=20),
        "ours": AdaBoostClassifier(PrunedTreeClassifier(), n_estimators=20),
        "scikit-learn": ensemble.AdaBoostClassifier(peer, n_estimators=20, random_state=0),
    }
    report("20 boosted trees, 10000 x 20", boosted, numbers, numbers, wanted.rounds)
    stream = load_dataset("synthetic_2", rows=20_000, seed=1)
    stumps = {
        "ours": AdaBoostClassifier(DecisionStumpClassifier(), n_estimators=100),
        "scikit-learn": ensemble.AdaBoostClassifier(tree.DecisionTreeClassifier(max_depth=1), n_estimators=100),
    }
    binary = stream.table.codes.astype(np.float32)
    report("100 boosted stumps, Synthetic-2", stumps, (stream.X, stream.labels), (binary, stream.labels), wanted.rounds)
    for name, rows, values, n_classes in (
        ("nursery", 12_960, [3, 5, 4, 4, 3, 2, 3, 3], 5),
        ("kr-vs-kp", 3_196, [2] * 36, 2),
    ):
        frame, y = of_values(rows, values, n_classes)
        codes = frame.apply(lambda column: column.cat.codes).to_numpy(dtype=np.float32)
        bagged = {
            "ours, unpruned": BaggingClassifier(unpruned, n_estimators=100, random_state=0),
            "ours": BaggingClassifier(PrunedTreeClassifier(), n_estimators=100, random_state=0),
            "scikit-learn": ensemble.BaggingClassifier(peer, n_estimators=100, random_state=0, n_jobs=1),
        }
        report(f"100 bagged trees, like {name}", bagged, (frame, y), (codes, y), wanted.rounds)


def report(job: str, programs: dict[str, Any], ours: Examples, theirs: Examples, rounds: int) -> None:
    """Run the programs in turn, `rounds` times, and print medians and ratios."""
    seconds: dict[str, list[float]] = {name: [] for name in programs}
    for name, learner in programs.items():
        X, y = theirs if name == "scikit-learn" else ours
        learner.fit(X[:300], y[:300])  # compiles
    for _ in range(rounds):
        for name, learner in programs.items():
            X, y = theirs if name == "scikit-learn" else ours
            seconds[name].append(timed(lambda learner=learner, X=X, y=y: learner.fit(X, y)))
    peers = statistics.median(seconds["scikit-learn"])
    for name, found in seconds.items():
        median = statistics.median(found)
        print(f"| {job} | {name} | {median:.2f} | {nodes_of(programs[name]):.0f} | {peers / median:.1f} |", flush=True)


def timed(job: Callable[[], Any]) -> float:
    """Return the seconds of processor time that `job` takes: other programs on the machine do not count."""
    start = time.process_time()
    job()
    return time.process_time() - start


def nodes_of(learner: Any) -> float:
    """Return the mean number of nodes of the trees of a fitted learner."""
    if hasattr(learner, "member_sizes_"):
        return statistics.mean(size.nodes for size in learner.member_sizes_)
    return statistics.mean(member.tree_.node_count for member in getattr(learner, "estimators_", [learner]))


def like_covertype(n: int) -> Examples:
    """Draw ten numbers, one of 4 areas and one of 40 soils as 0 and 1, and seven classes that follow from them."""
    rng = np.random.default_rng(0)
    X = np.zeros((n, 54))
    X[:, 0] = np.round(rng.normal(2960, 280, n))
    for column, high in enumerate([360, 60, 1400, 700, 7000, 255, 255, 255, 7000], start=1):
        X[:, column] = np.floor(high * rng.beta(2, 3, n))
    area = rng.integers(0, 4, n)
    soil = np.clip(((X[:, 0] - 1900) / 50 + rng.normal(0, 4, n)).astype(int), 0, 39)
    X[np.arange(n), 10 + area] = X[np.arange(n), 14 + soil] = 1
    score = (X[:, 0] - 2960) / 280 + 0.5 * np.sin(X[:, 1] / 57) + 0.3 * X[:, 3] / 700 + 0.4 * (area == 2)
    score += 0.3 * np.cos(X[:, 5] / 900) * X[:, 9] / 3500 + 0.15 * (soil % 3) + rng.normal(0, 0.15, n)
    return X, np.digitize(score, [-1.3, -0.7, 0.1, 0.8, 1.5, 2.0]).astype(np.int64)


def of_numbers(n: int) -> Examples:
    """Draw twenty numbers; the class says how far from the origin the first six lie, with noise."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 20))
    return X, ((X[:, :6] ** 2).sum(axis=1) + rng.normal(0, 1, n) > 6).astype(np.int64)


def of_values(n: int, values: list[int], n_classes: int) -> Examples:
    """Draw nominal attributes of so many values each; what their values add up to, some in pairs, makes the class."""
    rng = np.random.default_rng(2)
    codes = np.stack([rng.integers(0, v, n) for v in values], axis=1)
    worth = [rng.normal(size=v) for v in values]
    score = sum(w[codes[:, a]] for a, w in enumerate(worth)) + np.where(codes[:, 0] == codes[:, -1], 1.0, -1.0)
    y = np.searchsorted(np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]), score)
    columns = {
        f"a{a}": pd.Categorical.from_codes(codes[:, a], [f"v{k}" for k in range(v)]) for a, v in enumerate(values)
    }
    return pd.DataFrame(columns), y.astype(np.int64)


if __name__ == "__main__":
    main()
