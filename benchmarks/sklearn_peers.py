"""Learners that scikit-learn has too: learning and predicting, ours beside its own in one run.

    python -m benchmarks.sklearn_peers [--rows 20000] [--rounds 3]

What has `partial_fit` learns in pieces of 1,000 examples. Tables are ready for either: ours of codes and numbers, arrays of
numbers for scikit-learn. Times are those of the processor, of one thread; rounds alternate, medians are reported.
"""

import argparse
import statistics
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn import ensemble, linear_model, naive_bayes, tree
from threadpoolctl import threadpool_limits

from benchmarks.makes import STREAMS
from ensembles.registry import make_learner

PIECE = 1000
_MANY = {"n_estimators": 100}


class Pair(NamedTuple):
    """Our method and base model, scikit-learn's counterpart, the stream, and whether both learn in pieces."""

    ours: str
    settings: dict[str, Any]
    peer: Callable[[], Any]
    stream: str
    in_pieces: bool = True


PAIRS = (
    Pair("single naive_bayes", {}, naive_bayes.GaussianNB, "57 numbers of 17 digits, 2 classes"),
    Pair("single naive_bayes", {}, naive_bayes.GaussianNB, "16 numbers, 26 classes"),
    Pair("single naive_bayes", {}, naive_bayes.BernoulliNB, "20 nominal, 2 classes"),
    Pair("single naive_bayes", {}, naive_bayes.BernoulliNB, "600 of two values, 2 classes"),
    Pair("single perceptron", {}, linear_model.Perceptron, "57 numbers of 17 digits, 2 classes"),
    Pair(
        "bagging naive_bayes",
        _MANY,
        lambda: ensemble.BaggingClassifier(naive_bayes.GaussianNB(), 100, random_state=0),
        "57 numbers of 17 digits, 2 classes",
        False,
    ),
    Pair(
        "bagging naive_bayes",
        _MANY,
        lambda: ensemble.BaggingClassifier(naive_bayes.BernoulliNB(), 100, random_state=0),
        "20 nominal, 2 classes",
        False,
    ),
    Pair(
        "adaboost decision_stump",
        _MANY,
        lambda: ensemble.AdaBoostClassifier(tree.DecisionTreeClassifier(max_depth=1), n_estimators=100, random_state=0),
        "20 nominal, 2 classes",
        False,
    ),
)


def main() -> None:
    """Measure and print one line a pair."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    wanted = parser.parse_args()
    learning, predicting = (f"{task}, µs an example: ours | theirs | faster by" for task in ("learning", "predicting"))
    print(f"| ours | scikit-learn's | data | {learning} | {predicting} |\n|{'---|' * 9}")
    warnings.simplefilter("ignore")  # members stopped early: both sides as they come
    with threadpool_limits(1):
        for pair in PAIRS:
            print(f"| {pair.ours} | {type(pair.peer()).__name__} | {pair.stream} | {line(pair, wanted)} |", flush=True)


def line(pair: Pair, wanted: argparse.Namespace) -> str:
    """Run both in turn; return medians in microseconds, and by what ours are faster."""
    data = STREAMS[pair.stream](wanted.rows)
    X = np.hstack([data.table.codes, data.table.numbers]) if data.table.codes.size else data.table.numbers
    times = []
    for _ in range(wanted.rounds + 1):  # the first compiles
        mine = measured(lambda: ours(pair), data.table, data.labels, pair.in_pieces)
        times.append((*mine, *measured(pair.peer, X, data.labels, pair.in_pieces)))
    learning, predicting, their_learning, their_predicting = (
        statistics.median(each) / len(data) * 1e6 for each in zip(*times[1:], strict=True)
    )
    told = ((learning, their_learning), (predicting, their_predicting))
    return " | ".join(f"{own:.2f} | {other:.2f} | {other / own:.1f}" for own, other in told)


def ours(pair: Pair) -> Any:
    """Return a learner of ours."""
    method, base = pair.ours.split()
    return make_learner(method, base, settings=pair.settings, random_state=0)


def measured(make: Callable[[], Any], X: Any, y: npt.NDArray[np.int64], in_pieces: bool) -> tuple[float, float]:
    """Return seconds of the processor, learning and predicting."""
    learner, classes = make(), np.unique(y)
    start = time.process_time()
    if in_pieces:
        for at in range(0, len(y), PIECE):
            learner.partial_fit(X[at : at + PIECE], y[at : at + PIECE], classes=classes)
    else:
        learner.fit(X, y)
    learned = time.process_time()
    learner.predict(X)
    return learned - start, time.process_time() - learned


if __name__ == "__main__":
    main()
