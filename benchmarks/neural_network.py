"""Back-propagation example by example: ours beside scikit-learn's MLPClassifier with batches of one, in one run.

    python -m benchmarks.neural_network [--rounds 3] [--rows 20000]

Both have one hidden layer of ten sigmoid units and pass ten times over the examples of Synthetic-2, one-hot encoded.
"""

import argparse
import time
import warnings
from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from benchmarks.rounds import report
from ensembles import NeuralNetworkClassifier
from ensembles.data import Dataset, load_dataset

HIDDEN, EPOCHS = 10, 10


def main() -> None:
    """Measure and print one line a program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=20_000)
    wanted = parser.parse_args()
    data = load_dataset("synthetic_2", rows=wanted.rows, seed=1)
    print("| network | data | program | microseconds an example | ours is faster by |")
    print("|---|---|---|---|---|")
    programs = {"ours": partial(ours, data), "scikit-learn": partial(scikit_learn, data)}
    report(f"{HIDDEN} hidden units, {EPOCHS} epochs | {data.name}", programs, wanted.rounds)


def ours(data: Dataset) -> float:
    """Return seconds an example and epoch."""
    NeuralNetworkClassifier(hidden=HIDDEN, random_state=0).fit(data.table.take(slice(0, 50)), data.labels[:50])
    start = time.perf_counter()
    NeuralNetworkClassifier(hidden=HIDDEN, epochs=EPOCHS, random_state=0).fit(data.table, data.labels)
    return (time.perf_counter() - start) / (len(data) * EPOCHS)


def scikit_learn(data: Dataset) -> float:
    """Return seconds an example and epoch, from a tenth of the examples."""
    n = max(len(data) // 10, 1)
    codes = data.table.codes[:n]
    X = np.column_stack([codes == 0, codes == 1]).astype(float)
    network = MLPClassifier(
        (HIDDEN,),
        activation="logistic",
        solver="sgd",
        batch_size=1,
        max_iter=EPOCHS,
        tol=0.0,
        n_iter_no_change=EPOCHS + 1,
    )
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # ten epochs are all that is asked
        network.fit(X, data.labels[:n])
    return (time.perf_counter() - start) / (n * EPOCHS)


if __name__ == "__main__":
    main()
