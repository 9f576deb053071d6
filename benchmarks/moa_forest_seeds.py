"""How much adaptive random forests differ from seed to seed, ours and MOA's: prequential accuracy on a stream of MOA's.

    python -m benchmarks.moa_forest_seeds --moa-jar PATH [--stream agrawal] [--rows 10000] [--members 30] [--seeds 6]

MOA's forest is run twice: as it is, where all trees begin with the same random numbers, so that their roots count the same
attributes, and with numbers of its own for each tree, as ours are. The standard deviation is that of one seed.
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.moa_peers import GENERATED, stream
from ensembles.data import Dataset
from ensembles.evaluation.prequential import predict_then_learn
from ensembles.evaluation.timing import Stopwatch
from ensembles.registry import make_learner

_PROGRAM = Path(__file__).with_name("MoaForestSeeds.java")


def main() -> None:
    """Measure and print one line a program and way of drawing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moa-jar", required=True)
    parser.add_argument("--stream", choices=GENERATED, default="agrawal")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--members", type=int, default=30)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument(
        "--draws", nargs="+", choices=("own", "shared"), default=["own", "shared"], help="of MOA's trees"
    )
    wanted = parser.parse_args()
    print("| forest | mean | standard deviation | least | greatest |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        data, arff = stream(wanted.stream, wanted.rows, wanted.moa_jar, Path(folder))
        print(line("ours", [ours(data, wanted.members, seed) for seed in range(wanted.seeds)]), flush=True)
        for draws in wanted.draws:
            told = moa(wanted.moa_jar, arff, wanted.members, draws, wanted.seeds)
            print(line(f"MOA, {draws} numbers", told), flush=True)


def ours(data: Dataset, members: int, seed: int) -> float:
    """Predict and learn example by example."""
    settings = {"n_estimators": members}
    forest = make_learner("adaptive_random_forest", "hoeffding_tree", settings=settings, random_state=seed)
    told = predict_then_learn(
        forest,
        data.table,
        data.labels,
        len(data.classes),
        pause=lambda: None,
        stopwatch=Stopwatch(),
        probabilities=True,
    )
    return float(np.mean(told.predicted == told.true))


def moa(jar: str, arff: Path, members: int, draws: str, seeds: int) -> list[float]:
    """Have MOA predict and learn the same examples, once a seed."""
    command = ["java", "-cp", jar, str(_PROGRAM), str(arff), str(members), draws, str(seeds)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [float(number) for number in printed.split()]


def line(name: str, accuracies: list[float]) -> str:
    """Return a row of the table."""
    spread = np.std(accuracies, ddof=1)
    return f"| {name} | {np.mean(accuracies):.4f} | {spread:.4f} | {min(accuracies):.4f} | {max(accuracies):.4f} |"


if __name__ == "__main__":
    main()
