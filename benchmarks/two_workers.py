"""How much faster two worker processes are than one, on trials of 100 ms.

    python -m benchmarks.two_workers [--milliseconds 100] [--trials 200]

A trial is busy until its time is up, so that what is measured is the program, not how much of a processor others leave it.
One and two take turns, three times; the ratio is of the medians. The promise is 1.8.
"""

import argparse
import sys
from statistics import median

from benchmarks.runner_overhead import measure


def main() -> int:
    """Measure both in turn and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--milliseconds", type=float, default=100.0)
    parser.add_argument("--trials", type=int, default=200)
    wanted = parser.parse_args()
    busy: dict[int, list[float]] = {1: [], 2: []}  # workers that were in trials, on average over the whole time
    for _ in range(3):
        for n_workers, seen in busy.items():
            seen.append(n_workers * measure(wanted.trials, wanted.milliseconds, n_workers))
    ratio = median(busy[2]) / median(busy[1])
    print(f"two workers are {ratio:.2f} times as fast as one on trials of {wanted.milliseconds:g} ms")
    return 0 if ratio >= 1.8 else 1


if __name__ == "__main__":
    sys.exit(main())
