"""How much sooner two threads are done than one, with 100 members: learning, and predicting as many examples again.

    python -m benchmarks.threads [--threads 2] [--members 100]

The quicker of three turns each, one thread and several in turn; predictions are compared, to the last bit.
"""

import argparse
import time
from typing import Any

import numpy as np

from ensembles.registry import base_models, methods

CASES = [
    ("online_bagging", "naive_bayes", 40_000),
    ("online_bagging", "hoeffding_tree", 40_000),
    ("online_boosting", "naive_bayes", 20_000),
    ("online_boosting", "perceptron", 20_000),
    ("online_boosting", "hoeffding_tree", 20_000),
    ("bagging", "pruned_tree", 4_000),
    ("bagging", "decision_stump", 4_000),
    ("adaptive_random_forest", "hoeffding_tree", 10_000),
    ("streaming_random_patches", "hoeffding_tree", 5_000),
    ("mondrian_forest", "mondrian_tree", 5_000),
    ("random_subspaces", "naive_bayes", 40_000),
    ("bayesian_ensemble", "naive_bayes", 40_000),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--members", type=int, default=100)
    given = parser.parse_args()
    print(f"{'':44}{'learning':>12}{'s':>8}{'predicting':>12}{'s':>8}")
    for key, base, n in CASES:
        learning, predicting = times(key, base, n, given.members, given.threads)
        print(
            f"{key + ' of ' + base:44}{learning[0] / learning[1]:12.2f}{learning[0]:8.2f}"
            f"{predicting[0] / predicting[1]:12.2f}{predicting[0]:8.2f}",
            flush=True,
        )


def times(key: str, base: str, n: int, n_members: int, n_threads: int) -> tuple[list[float], list[float]]:
    """Return the least seconds of learning, and of predicting, with one thread and with several."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 20))
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n) / 2 > 0.8).astype(int)
    learning, predicting = [np.inf, np.inf], [np.inf, np.inf]
    for _ in range(3):
        told = []
        for place, n_jobs in enumerate((1, n_threads)):
            model = methods()[key].cls(base_models()[base].cls(), n_estimators=n_members, random_state=0, n_jobs=n_jobs)
            taken, _ = timed(model.fit, X, y)
            learning[place] = min(learning[place], taken)
            taken, probabilities = timed(model.predict_proba, X)
            predicting[place] = min(predicting[place], taken)
            told.append(probabilities)
        np.testing.assert_array_equal(*told)
    return learning, predicting


def timed(do: Any, *given: Any) -> tuple[float, Any]:
    """Return how long a call takes, in seconds, and what it returns."""
    before = time.perf_counter()
    told = do(*given)
    return time.perf_counter() - before, told


if __name__ == "__main__":
    main()
