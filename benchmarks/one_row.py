"""What it takes to learn and predict a single example, beside River's where it is installed.

    python -m benchmarks.one_row [--examples 2000]

Times are the least of several rounds, in microseconds of processor time.
"""

import argparse
import importlib.util
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from ensembles import HoeffdingTreeClassifier, NaiveBayesClassifier, OnlineBaggingClassifier

ROUNDS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--examples", type=int, default=2000)
    n = parser.parse_args().examples
    X = np.random.default_rng(0).normal(size=(n, 8))
    y = (X.sum(axis=1) > 0).astype(int)
    rows = [dict(zip("abcdefgh", row, strict=True)) for row in X.tolist()]
    print(f"{'':32}{'learn_one':>12}{'predict_one':>12}{'proba_one':>12}{'partial_fit':>12}")
    for name, model in [*ours(), *rivers()]:
        for i in range(n // 2):
            model.learn_one(rows[i], int(y[i]))
        told = [
            least(lambda i, do=do: do(rows[i]), n // 2, n)
            for do in (lambda x, model=model: model.learn_one(x, 1), model.predict_one, model.predict_proba_one)
        ]
        if hasattr(model, "partial_fit"):
            model.fit(X[: n // 2], y[: n // 2])
            told.append(least(lambda i, model=model: model.partial_fit(X[i : i + 1], y[i : i + 1]), n // 2, n))
        print(f"{name:32}" + "".join(f"{each:12.1f}" for each in told))
    checked = NaiveBayesClassifier().fit(X, y)
    print(f"{'checks of scikit-learn alone':68}{least(lambda i: check(checked, X, y, i), 0, n):12.1f}")


def ours() -> Iterator[tuple[str, Any]]:
    yield "naive Bayes", NaiveBayesClassifier()
    yield "Hoeffding tree", HoeffdingTreeClassifier()
    yield "bagging, 100 naive Bayes", OnlineBaggingClassifier(NaiveBayesClassifier(), 100, random_state=0)
    yield "bagging, 100 Hoeffding trees", OnlineBaggingClassifier(HoeffdingTreeClassifier(), 100, random_state=0)


def rivers() -> Iterator[tuple[str, Any]]:
    if importlib.util.find_spec("river") is None:
        return
    from river import ensemble, naive_bayes, tree

    yield "River: naive Bayes", naive_bayes.GaussianNB()
    yield "River: Hoeffding tree", tree.HoeffdingTreeClassifier()
    yield "River: bagging, 100 naive Bayes", ensemble.BaggingClassifier(naive_bayes.GaussianNB(), 100, seed=0)


def check(model: Any, X: Any, y: Any, i: int) -> None:
    """Check one row as scikit-learn asks every classifier to."""
    _, labels = validate_data(
        model, X[i : i + 1], y[i : i + 1], reset=False, dtype=np.float64, ensure_all_finite="allow-nan"
    )
    check_classification_targets(labels)


def least(do: Callable[[int], object], start: int, stop: int) -> float:
    """Return the processor time of `do(i)` for the i of a round, in microseconds: that of the quickest round."""
    bounds = np.linspace(start, stop, ROUNDS + 1).astype(int)
    taken = []
    for first, last in itertools.pairwise(bounds.tolist()):
        before = time.thread_time()
        for i in range(first, last):
            do(i)
        taken.append((time.thread_time() - before) / (last - first))
    return min(taken) * 1e6


if __name__ == "__main__":
    main()
