"""How long a user waits for the compiler: every method with every base model, first with an empty cache, then from it.

    python -m benchmarks.compile_times [--methods KEY ...] [--bases KEY ...] [--goal 8] [--cached-goal 0.5]

Each pair is trained on 40 examples and asked, in a process of its own whose cache folder is new, and in a second one that
finds what the first compiled. Seconds of the processor are told as well: they do not depend on what else the machine does.
Imports are left out. All pairs take the better part of an hour. Exit code 1 if a pair misses a goal.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from ensembles.registry import base_models, methods

PROBE = """
import json, sys, time
import numpy as np
from ensembles.data.table import Attribute, Schema, Table
from ensembles.registry import make_learner
method, base = sys.argv[1:]
rng = np.random.default_rng(0)
y = np.arange(40) % 2
attributes = (Attribute("colour", "nominal", ("red", "blue")), Attribute("size", "numeric"))
table = Table(Schema(attributes), rng.integers(-1, 2, (40, 1)).astype(np.int32), rng.normal(size=(40, 1)))
settings = {"n_estimators": 3} if method != "single" else {}
model = make_learner(method, base, settings=settings, random_state=0)
wall, processor = time.perf_counter(), time.process_time()
model.fit(table, y).predict(table)
model.predict_proba(table)
print(json.dumps([time.perf_counter() - wall, time.process_time() - processor]))
"""


def main() -> int:
    """Measure and print a line a pair, then the worst."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", nargs="*", choices=list(methods()), default=list(methods()))
    parser.add_argument("--bases", nargs="*", choices=list(base_models()), default=list(base_models()))
    parser.add_argument("--goal", type=float, default=8.0, help="seconds of the processor with an empty cache")
    parser.add_argument("--cached-goal", type=float, default=0.5, help="seconds of the processor from the cache")
    wanted = parser.parse_args()
    pairs = [(m, b) for m in wanted.methods for b in wanted.bases if b in methods()[m].bases]
    print("| method | base model | cold | processor | from the cache | processor |")
    print("|---|---|---|---|---|---|")
    found = {pair: report(*pair) for pair in pairs}
    cold, cached = (max(found, key=lambda pair, i=i: found[pair][i]) for i in (0, 1))
    print(f"\nworst cold: {' of '.join(cold)}, {found[cold][0]:.1f} s; worst from the cache: ", end="")
    print(f"{' of '.join(cached)}, {found[cached][1]:.2f} s of the processor")
    missed = sum(times[0] > wanted.goal or times[1] > wanted.cached_goal for times in found.values())
    print(f"{len(found) - missed} of {len(found)} pairs within {wanted.goal:g} s and {wanted.cached_goal:g} s")
    return int(missed > 0)


def report(method: str, base: str) -> tuple[float, float]:
    """Print the line of a pair; return processor seconds cold and from the cache."""
    with tempfile.TemporaryDirectory() as cache:
        cold, cached = probe(method, base, cache), probe(method, base, cache)
    print(f"| {method} | {base} | {cold[0]:.1f} | {cold[1]:.1f} | {cached[0]:.2f} | {cached[1]:.2f} |", flush=True)
    return cold[1], cached[1]


def probe(method: str, base: str, cache: str) -> Sequence[float]:
    """Return seconds on the clock and of the processor that a new process takes to train and ask the pair."""
    environment = os.environ | {"ENSEMBLE_LAB_CACHE": cache}
    done = subprocess.run(
        [sys.executable, "-c", PROBE, method, base], env=environment, check=True, capture_output=True, text=True
    )
    seconds: list[float] = json.loads(done.stdout)
    return seconds


if __name__ == "__main__":
    sys.exit(main())
