"""Streams without end: what an example costs after 10,000, 100,000, 1,000,000 and 10,000,000 of them.

    python -m benchmarks.endless [--examples 10000000] [--seconds 20] [--members 10]
                                 [--only "online_bagging naive_bayes" ...]

Every learner predicts each example, then learns it. Each online method has one base model, and each base model that learns
online is under online bagging; left out are lossless trees, whose cost grows by what they are, and methods that learn the
head of a stream in batch. The data are drawn while they are read, mixed and without drift: what grows is the learner's
own. Costs are microseconds of the processor, over the last tenth before each mark, without the thread that draws; a learner
goes on to the next mark as long as it should get there within so many seconds. The size of the model stands beside.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ensembles.data.read_ahead import ReadAhead
from ensembles.data.source import Batch
from ensembles.data.table import Attribute, Schema, Table
from ensembles.evaluation.model_size import bytes_of
from ensembles.evaluation.stream_pass import Blocks, StreamPass
from ensembles.evaluation.timing import Stopwatch
from ensembles.learners.core.learner import Learner
from ensembles.registry import make_learner, methods

MARKS = [10**k for k in range(4, 8)]
_BATCH = 8192
_VALUES = (9, 16, 7, 15, 6, 5, 2, 42)
_NUMBERS = 12
_LOSSLESS = "decision_tree"


@dataclass(frozen=True)
class Mixed:
    """12 whole numbers and 8 nominal attributes of two classes, the same from any place on; a `Source`."""

    n_examples: int = MARKS[-1]

    name, target, origin, sha256 = "mixed", "class", "made up", "0" * 64
    classes = ("c0", "c1")
    schema = Schema(
        tuple(Attribute(f"x{n}", "numeric") for n in range(_NUMBERS))
        + tuple(Attribute(f"a{a}", "nominal", tuple(f"v{v}" for v in range(k))) for a, k in enumerate(_VALUES))
    )

    def batches(self, start: int = 0) -> Iterator[Batch]:
        """Give the examples from position `start` on."""
        leaning = np.random.default_rng(0)
        means, values = leaning.normal(size=(2, _NUMBERS)) / 2, leaning.integers(0, _VALUES, (2, len(_VALUES)))
        for at in range(start - start % _BATCH, self.n_examples, _BATCH):
            rng, n = np.random.default_rng([1, at]), min(_BATCH, self.n_examples - at)
            labels = (rng.random(n) < 0.24).astype(np.int64)
            numbers = np.round(4 * (rng.standard_normal((n, _NUMBERS)) + means[labels]))
            codes = rng.integers(0, _VALUES, (n, len(_VALUES)), dtype=np.int32)
            leant = rng.random(codes.shape, dtype=np.float32) < 0.2
            codes[leant] = values[labels][leant]
            later = slice(max(start - at, 0), None)
            yield Table(self.schema, codes[later], numbers[later]), labels[later]


def learners() -> Iterator[tuple[str, str | None]]:
    """Yield each online method with one base model, and each base model under online bagging."""
    for key, entry in methods().items():
        if not entry.online or getattr(entry.cls, "start_stream", Learner.start_stream) is not Learner.start_stream:
            continue
        if key == "online_bagging":
            yield from ((key, base) for base in entry.bases if base != _LOSSLESS)
        else:
            yield key, "naive_bayes" if "naive_bayes" in entry.bases else next(iter(entry.bases), None)


def main() -> None:
    """Measure and print one line for each learner."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--examples", type=int, default=MARKS[-1])
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--members", type=int, default=10)
    parser.add_argument("--only", nargs="+", default=[])
    given = parser.parse_args()
    marks = [mark for mark in MARKS if mark <= given.examples]
    told = [f"{mark:,}" for mark in marks]
    print(f"| microseconds an example after | {' | '.join(told)} | last / second | MiB at {' / '.join(told)} |")
    print(f"|---|{'---|' * len(marks)}---|---|")
    for method, base in learners():
        name = f"{method} {base or ''}".strip()
        if not given.only or name in given.only:
            print(line(name, costs(method, base, given.members, marks, given.seconds), len(marks)), flush=True)


def line(name: str, found: list[tuple[float, int]], n_marks: int) -> str:
    """Return the costs and sizes of a learner, and by what its last cost is more than the second, as a line of a table."""
    spent = [cost for cost, _ in found]
    cells = [f"{1e6 * cost:.2f}" for cost in spent] + [""] * (n_marks - len(spent))
    ratio = f"{spent[-1] / spent[1]:.2f}" if len(spent) > 2 else ""
    return f"| {name} | {' | '.join(cells)} | {ratio} | {' / '.join(f'{size / 2**20:.1f}' for _, size in found)} |"


def costs(method: str, base: str | None, members: int, marks: list[int], seconds: float) -> list[tuple[float, int]]:
    """Return the seconds an example and the bytes of the model at each mark that is reached."""
    advance(way_of(method, base, members)[0], Blocks(Mixed().batches()), 600, Stopwatch())  # compiles
    (way, learner), found = way_of(method, base, members), list[tuple[float, int]]()
    with ReadAhead(Mixed(marks[-1]).batches()) as ahead:
        blocks, clock = Blocks(ahead), Stopwatch(lambda: ahead.cpu_seconds)
        for mark in marks:
            if clock.cpu_seconds / max(way.position, 1) * mark > seconds:
                break
            advance(way, blocks, mark * 9 // 10, clock)
            before = clock.cpu_seconds
            advance(way, blocks, mark, clock)
            found.append(((clock.cpu_seconds - before) / (mark - mark * 9 // 10), bytes_of(learner)))
    return found


def way_of(method: str, base: str | None, members: int) -> tuple[StreamPass, Any]:
    """Return a learner at the beginning of its way, and the learner."""
    settings = {} if method == "single" else {"n_estimators": members}
    learner = make_learner(method, base, settings=settings, random_state=0)
    return StreamPass(learner, len(Mixed.classes), stopwatch=Stopwatch(), pause=lambda: None), learner


def advance(way: StreamPass, blocks: Blocks, position: int, clock: Stopwatch) -> None:
    """Let a learner go on to a position."""
    while way.position < position:
        block = blocks.take(min(way.next_size, position - way.position))
        with clock:
            way.take(*block)


if __name__ == "__main__":
    main()
