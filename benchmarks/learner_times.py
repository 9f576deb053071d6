"""What an example costs a learner of ours, in this version of the package or in another one.

As a program it measures the version in its folder: it reads pickled requests and answers each with two numbers.
"""

import pickle
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple, Self, cast

import numpy as np
import numpy.typing as npt

__all__ = ["Request", "Seconds", "Version", "measure", "new_learner"]


class Seconds(NamedTuple):
    """Of the processor, an example."""

    learning: float
    both: float  # predicting, then learning


class Request(NamedTuple):
    """A learner, and what it is to learn. A setting that a version does not know yet is left out in that."""

    method: str
    base: str
    settings: dict[str, Any]
    table: Any
    labels: npt.NDArray[np.int64]
    n_classes: int


class Version:
    """Another version of the package, whose sources lie in a folder, run by a process of its own in `with` blocks."""

    def __init__(self, root: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve())], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()

    def measure(self, request: Request) -> Seconds:
        """Measure a learner as that version has it."""
        # a plain tuple, as this module has another name there
        pickle.dump(tuple(request), cast(IO[bytes], self._process.stdin))
        cast(IO[bytes], self._process.stdin).flush()
        return Seconds(*pickle.load(cast(IO[bytes], self._process.stdout)))


def new_learner(request: Request) -> Any:
    """Return an untrained learner, always with the same seed."""
    from ensembles.registry import make_learner, methods

    known = methods()[request.method].cls().get_params(deep=False)
    settings = {name: value for name, value in request.settings.items() if name in known}
    return make_learner(request.method, request.base, settings=settings, random_state=0)


def measure(request: Request) -> Seconds:
    """Learn all examples, and then predict and learn them with a learner of its own; what was to be compiled is before."""
    warm, n = request._replace(table=request.table.take(slice(0, 50)), labels=request.labels[:50]), len(request.labels)
    new_learner(warm).fit(warm.table, warm.labels)
    _predict_and_learn(warm)
    learner = new_learner(request)
    start = time.process_time()
    learner.partial_fit(request.table, request.labels)
    learning = time.process_time() - start
    return Seconds(learning / n, _predict_and_learn(request) / n)


def _predict_and_learn(request: Request) -> float:
    from ensembles.evaluation.prequential import predict_then_learn
    from ensembles.evaluation.timing import Stopwatch

    clock, learner = Stopwatch(), new_learner(request)
    predict_then_learn(learner, request.table, request.labels, request.n_classes, pause=_go_on, stopwatch=clock)
    return clock.cpu_seconds


def _go_on() -> None:
    pass


def _answer() -> None:
    """Answer requests until there are no more; whatever else is printed goes to the errors."""
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    sys.path[0] = ""  # sources of the folder where it runs
    while True:
        try:
            request = Request(*pickle.load(sys.stdin.buffer))
        except EOFError:
            return
        pickle.dump(tuple(measure(request)), answers)
        answers.flush()


if __name__ == "__main__":
    _answer()
