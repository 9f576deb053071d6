"""Every online method that River has too, 100 members of every base model both have, ours beside River's in one run.

    python -m benchmarks.river_peers [--rows 300] [--ours 20000] [--only online_bagging]

Processor time of one core, in microseconds an example: learning alone, where ours learns all examples in one call, and
predicting each example before it is learned, as the prequential protocol does. River sees a few hundred examples only, of
which both accuracies are; ours all, so that beginning a hundred members, which takes as long as a hundred examples, hardly
counts.
Synthetic-2 has twenty attributes of 0 and 1, Waveform-40 forty numbers.

Not compared: ADWINBoostingClassifier, boosting by rules of its own that no paper of ours describes; AdaBoostClassifier is
Oza's online boosting. River has no dynamic weighted majority.
"""

import argparse
import math
import time
from typing import Any, NamedTuple

import numpy as np

from ensembles.data import Dataset, load_dataset
from ensembles.evaluation.prequential import predict_then_learn
from ensembles.evaluation.timing import Stopwatch
from ensembles.registry import make_learner

MEMBERS = 100
METHODS = {
    "online_bagging": "BaggingClassifier",
    "adwin_bagging": "ADWINBaggingClassifier",
    "leveraging_bagging": "LeveragingBaggingClassifier",
    "online_boosting": "AdaBoostClassifier",
    "voting": "VotingClassifier",
}
BASES = (  # ours, River's, the examples, whose classes are two for River's perceptron
    ("naive_bayes", "naive_bayes.BernoulliNB", "synthetic_2"),
    ("naive_bayes", "naive_bayes.GaussianNB", "waveform40"),
    ("hoeffding_tree", "tree.HoeffdingTreeClassifier", "synthetic_2"),
    ("hoeffding_tree", "tree.HoeffdingTreeClassifier", "waveform40"),
    ("perceptron", "linear_model.Perceptron", "synthetic_2"),
)
#: Methods of which River chooses the members itself, or to each of which belongs a detector.
TREES = ("adaptive_random_forest", "streaming_random_patches", "mondrian_forest", "bole")
SETTINGS: dict[str, dict[str, Any]] = {
    "voting": {"members": "updated", "max_features": 1.0, "pretrain_fraction": 0.0},
    "adaptive_random_forest": {"max_features": "sqrt"},
}


def main() -> None:
    """Measure and print one line a method and base model."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--ours", type=int, default=20_000)
    parser.add_argument("--only", nargs="+", choices=[*METHODS, *TREES], default=[*METHODS, *TREES])
    wanted = parser.parse_args()
    learning, both = "learning: River | ours | faster by", "predicting too: River | ours | faster by"
    print(f"| method | base model | examples | {learning} | {both} | accuracy: River | ours |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for method in wanted.only:
        for base, peer, key in pairs(method):
            data = load_dataset(key, rows=wanted.ours, seed=1)
            *theirs, their_accuracy, _ = river(method, peer, data, wanted.rows)
            *mine, accuracy = ours(method, base, data, wanted.rows)
            times = [f"{a:.0f} | {b:.1f} | {a / b:.0f}" for a, b in zip(theirs, mine, strict=True)]
            print(
                f"| {method} | {base} | {key} | {' | '.join(times)} | {their_accuracy:.3f} | {accuracy:.3f} |",
                flush=True,
            )


def pairs(method: str) -> list[tuple[str, str, str]]:
    """Return our base model, River's, and the examples of each comparison of a method."""
    if method not in TREES:
        return [*BASES]
    base = "mondrian_tree" if method == "mondrian_forest" else "hoeffding_tree"
    return [(base, "", key) for key in ("synthetic_2", "waveform40")]


def ours(method: str, base: str, data: Dataset, rows: int) -> tuple[float, float, float]:
    """Return microseconds an example, learning alone and predicting too, and the accuracy of the first `rows` examples."""
    settings = {"n_estimators": MEMBERS, **SETTINGS.get(method, {})}
    make_learner(method, base, settings=settings, random_state=0).fit(
        data.table.take(slice(0, rows)), data.labels[:rows]
    )
    start = time.process_time()  # what was to be compiled is
    make_learner(method, base, settings=settings, random_state=0).fit(data.table, data.labels)
    learning = (time.process_time() - start) / len(data)
    for part in (slice(0, rows), slice(0, len(data))):  # the first compiles
        clock, learner = Stopwatch(), make_learner(method, base, settings=settings, random_state=0)
        stream = predict_then_learn(
            learner,
            data.table.take(part),
            data.labels[part],
            len(data.classes),
            pause=lambda: None,
            stopwatch=clock,
            probabilities=True,
        )
    accuracy = float((stream.predicted == stream.true)[:rows].mean())
    return learning * 1e6, clock.cpu_seconds / len(data) * 1e6, accuracy


class Seen(NamedTuple):
    """What River needed, in microseconds an example, and how well it did, on so many examples."""

    learning: float
    both: float  # predicting, then learning
    accuracy: float
    examples: int


def river(method: str, base: str, data: Dataset, rows: int, seconds: float = math.inf) -> Seen:
    """Have River predict and learn so many examples, fewer where the processor has taken so many seconds."""
    learner = river_learner(method, base)
    cells = np.hstack([data.table.codes[:rows], data.table.numbers[:rows]])
    right, seen, predicting, learning = 0, 0, Stopwatch(), Stopwatch()
    for row, label in zip(cells.tolist(), data.labels[:rows].tolist(), strict=True):
        x = dict(enumerate(row))
        with predicting:
            right += learner.predict_one(x) == label
        with learning:
            learner.learn_one(x, label)
        seen += 1
        if predicting.cpu_seconds + learning.cpu_seconds > seconds:
            break
    apart, both = learning.cpu_seconds, predicting.cpu_seconds + learning.cpu_seconds
    return Seen(apart / seen * 1e6, both / seen * 1e6, right / seen, seen)


def river_learner(method: str, base: str) -> Any:
    """Return River's ensemble of that many members."""
    import river as package
    from river import drift, ensemble, forest, linear_model, naive_bayes, tree  # noqa: F401

    if method == "adaptive_random_forest":
        return forest.ARFClassifier(MEMBERS, seed=0)
    if method == "streaming_random_patches":
        return ensemble.SRPClassifier(n_models=MEMBERS, seed=0)
    if method == "mondrian_forest":
        return forest.AMFClassifier(MEMBERS, seed=0)
    if method == "bole":
        watched = drift.DriftRetrainingClassifier(tree.HoeffdingTreeClassifier(), drift.binary.DDM())
        return ensemble.BOLEClassifier(watched, MEMBERS, seed=0)
    module, name = base.split(".")
    kind = getattr(getattr(package, module), name)
    if method == "voting":
        return ensemble.VotingClassifier([kind() for _ in range(MEMBERS)])
    return getattr(ensemble, METHODS[method])(kind(), n_models=MEMBERS, seed=0)


if __name__ == "__main__":
    main()
