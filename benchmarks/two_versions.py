"""Every method with every base model in two versions of the package, in turn: how many times as fast the new one is.

    python -m benchmarks.two_versions OLD NEW [--seconds 1.2] [--only pruned_tree,osboost+perceptron]

OLD and NEW are folders with checked out sources. Each compiles into a temporary folder of its own. Per pair the least
processor time of each version counts, of 20 members on 2,000 made-up examples (500 for lossless trees and networks).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

_SLOW = {"decision_tree": 500, "neural_network": 500}
_WHAT = ("fit", "predict")
_MOST = 25

_VERSION = """
import json, os, sys, time, warnings
sys.path.insert(0, os.getcwd())
warnings.simplefilter("ignore")
import numpy as np, pandas as pd
from ensembles.registry import make_learner, methods
told, sys.stdout = sys.stdout, sys.stderr
rng = np.random.default_rng(0)
y = rng.integers(0, 2, 2000)
def letters():
    codes = (y * (rng.random(2000) < 0.3) + rng.integers(0, 3, 2000)) % 3
    return pd.Categorical.from_codes(codes, list("abc"))
X = pd.DataFrame({f"n{j}": letters() for j in range(8)} | {f"m{j}": rng.normal(size=2000) + 0.3 * y for j in range(8)})
model, of = None, None
for line in sys.stdin:
    what, *rest = json.loads(line)
    if what == "pairs":
        found = [(m, b) for m, entry in methods().items() for b in entry.bases if not b.startswith("sklearn")]
    else:
        method, base, n = rest
        if of != rest:
            settings = {} if method == "single" else {"n_estimators": 20}
            model = make_learner(method, base, settings=settings, random_state=0)
            model.fit(X[:n], y[:n]).predict(X[:n])
            of = rest
        begun = time.thread_time()
        model.fit(X[:n], y[:n]) if what == "fit" else model.predict(X[:n])
        found = time.thread_time() - begun
    print(json.dumps(found), file=told, flush=True)
"""


class Version:
    """A process that runs one version."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def ask(self, *question: object) -> object:
        """Return what it answers."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


@contextmanager
def version(root: Path) -> Iterator[Version]:
    """Run the version in a folder."""
    with tempfile.TemporaryDirectory() as cache:
        process = subprocess.Popen(
            [sys.executable, "-c", _VERSION],
            cwd=root,
            env={**os.environ, "ENSEMBLE_LAB_CACHE": cache},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            yield Version(process)
        finally:
            process.kill()
            process.wait()


def ratio(old: Version, new: Version, what: str, pair: tuple[str, str], seconds: float) -> float:
    """Return how many times as fast the new version is."""
    n = _SLOW.get(pair[1], 2000)
    times: list[list[float]] = [[], []]
    end = time.monotonic() + seconds
    while len(times[0]) < 3 or (time.monotonic() < end and len(times[0]) < _MOST):
        for one, own in zip((old, new), times, strict=True):
            own.append(float(str(one.ask(what, *pair, n))))
    return min(times[0]) / min(times[1])


def main() -> None:
    """Print a row a pair and the medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--seconds", type=float, default=1.2)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    only = set(filter(None, asked.only.split(",")))
    found: dict[str, list[float]] = {what: [] for what in _WHAT}
    with ExitStack() as running:
        old, new = (running.enter_context(version(root)) for root in (asked.old, asked.new))
        known = [tuple(pair) for pair in new.ask("pairs")]  # type: ignore[attr-defined]
        both = [pair for pair in old.ask("pairs") if tuple(pair) in known]  # type: ignore[attr-defined]
        print("| method | base model | fit | predict |\n|---|---|---|---|")
        for method, base in both:
            if only and not only & {method, base, f"{method}+{base}"}:
                continue
            row = [ratio(old, new, what, (method, base), asked.seconds) for what in _WHAT]
            for what, value in zip(_WHAT, row, strict=True):
                found[what].append(value)
            print(f"| {method} | {base} | {row[0]:.2f} | {row[1]:.2f} |", flush=True)
    print(", ".join(f"{what}: median {median(values):.2f}" for what, values in found.items() if values))


if __name__ == "__main__":
    main()
