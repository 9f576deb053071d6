"""Online boosting of 100 lossless decision trees, on data of the shape of Nursery.

    python -m benchmarks.lossless_trees [--members 100] [--rounds 3]

Nursery is every combination of eight nominal attributes with 3, 5, 4, 4, 3, 2, 3 and 3 values, and five classes that a
hierarchy of rules assigns; four fifths are learned. Here the combinations are the same and the rules are made up. Learning
is timed, compilation is not.
"""

import argparse
import itertools
import statistics
import time

import numpy as np

from ensembles.data.table import Attribute, Schema, Table
from ensembles.registry import make_learner

VALUES = (3, 5, 4, 4, 3, 2, 3, 3)


def main() -> None:
    """Measure and print one line a way of pruning."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--members", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    wanted = parser.parse_args()
    table, y = combinations()
    order = np.random.default_rng(0).permutation(len(y))
    learned, asked = order[: len(y) * 4 // 5], order[len(y) * 4 // 5 :]
    print("| pruning | seconds | microseconds an example and member | nodes a tree | accuracy |")
    print("|---|---|---|---|---|")
    for prune in ("mdl", "none"):
        boost(table.take(learned[:50]), y[learned[:50]], prune, 2)
        seconds = []
        for _ in range(wanted.rounds):
            start = time.perf_counter()
            model = boost(table.take(learned), y[learned], prune, wanted.members)
            seconds.append(time.perf_counter() - start)
        median = statistics.median(seconds)
        nodes = np.mean([size.nodes for size in model.member_sizes_])
        score = model.score(table.take(asked), y[asked])
        each = median / len(learned) / wanted.members * 1e6
        print(f"| {prune} | {median:.2f} | {each:.2f} | {nodes:.0f} | {score:.4f} |", flush=True)


def combinations() -> tuple[Table, np.ndarray]:
    """Return every combination of values, and its class."""
    codes = np.array(list(itertools.product(*map(range, VALUES))), dtype=np.int32)
    attributes = tuple(Attribute(f"a{j}", "nominal", tuple(map(str, range(n)))) for j, n in enumerate(VALUES))
    work = codes[:, 0] + codes[:, 1]
    home = np.maximum(codes[:, 2], codes[:, 3]) + codes[:, 4] * codes[:, 5]
    people = codes[:, 6] + (home > 3)
    y = np.where(codes[:, 7] == 2, 0, 1 + (work + home > 4) + (work + home + people > 7) + (people > 2))
    return Table(Schema(attributes), codes, np.empty((len(codes), 0))), y


def boost(table, y, prune, n_members):
    """Return an ensemble boosted online."""
    settings = {"n_estimators": n_members}
    return make_learner(
        "online_boosting", "decision_tree", base_settings={"prune": prune}, settings=settings, random_state=0
    ).fit(table, y)


if __name__ == "__main__":
    main()
