"""Short trainings on samples of a data set, each timed once."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from ensembles.data.dataset import Dataset
from ensembles.data.table import Table
from ensembles.evaluation.prequential import predict_then_learn
from ensembles.evaluation.protocols import Purpose, random_stream
from ensembles.evaluation.timing import Stopwatch
from ensembles.experiments.cost_model import LearnerCost, Sample
from ensembles.experiments.kept_costs import drop_costs, keep_cost, read_cost
from ensembles.experiments.learner_spec import LearnerSpec
from ensembles.experiments.warm_up import warm_up

__all__ = ["MEMBERS", "find_cost", "forget_costs", "known_costs", "measure_cost"]

MEMBERS = (2, 8)
"""Members of probes: two numbers tell what one costs; the experiment's own would make every number a new probe."""

_FIRST_EXAMPLES = 64
_GROWTH = 4
_SHORT = 0.01  # seconds; a shorter probe is taken twice, and the first, which finds everything cold, does not count
_MOST_WAITING = 3.0  # on a busy machine, probes may last so many times as long as they are meant to
_MOST_BUSY = 8.0
_DEAREST_STEP = 6.0  # the next samples, four times as large, may take so many times as long
_MOST_KEPT = 10_000

# Seconds of this thread alone: other visitors of the application must not make an experiment seem longer.
_clock: Callable[[], float] = (
    time.thread_time if time.get_clock_info("thread_time").resolution < 1e-4 else time.perf_counter
)

_Key = tuple[str, str, bool]


_costs: dict[_Key, LearnerCost | None] = {}
_lock = Lock()


def find_cost(learner: LearnerSpec, dataset: Dataset, *, stream: bool) -> LearnerCost | None:
    """Return what was measured, if anything; None also where the learner fails."""
    key = _key(learner, dataset, stream)
    if key not in _costs and (kept := read_cost(key)):
        _remember(key, kept)
    return _costs.get(key)


def known_costs(learner: LearnerSpec, *, stream: bool) -> list[LearnerCost]:
    """Return what was measured of a learner on any data set."""
    wanted = _name(learner)
    with _lock:
        return [cost for (name, _, kind), cost in _costs.items() if cost and (name, kind) == (wanted, stream)]


def measure_cost(learner: LearnerSpec, dataset: Dataset, *, stream: bool, seconds: float) -> tuple[float, float]:
    """Time a learner on samples of a data set, unless that was done before.

    What was measured first stays for the life of the process, and for others on this machine a day: two estimates are then
    told from the same measurements, and more repeats, orders, examples or members never come out as less. A learner that
    fails is not tried again in this process: its trials will say why.

    Parameters
    ----------
    seconds : float
        About how long the probes may take, once everything is compiled.

    Returns
    -------
    compiling, probing : float
        Seconds that passed.
    """
    key, begun = _key(learner, dataset, stream), time.perf_counter()
    if find_cost(learner, dataset, stream=stream) or key in _costs:
        return 0.0, 0.0
    warm_up(learner, dataset, stream=stream)
    compiled = time.perf_counter()
    try:
        # As in worker processes. The clock of a thread sees nothing of others, which wait busily for it.
        with threadpool_limits(1):
            cost = keep_cost(key, _probe(learner, dataset, stream, seconds))
    except Exception:
        cost = None
    _remember(key, cost)
    return compiled - begun, time.perf_counter() - compiled


def forget_costs() -> None:
    """Forget all measurements, those on disk too."""
    drop_costs()
    with _lock:
        _costs.clear()


def _remember(key: _Key, cost: LearnerCost | None) -> None:
    with _lock:
        if len(_costs) >= _MOST_KEPT:
            _costs.clear()
        _costs.setdefault(key, cost)  # another thread may have been quicker; all go by the same


def _key(learner: LearnerSpec, dataset: Dataset, stream: bool) -> _Key:
    return _name(learner), dataset.sha256, stream


def _name(learner: LearnerSpec) -> str:
    return learner.with_members(MEMBERS[0]).canonical


def _probe(learner: LearnerSpec, dataset: Dataset, stream: bool, seconds: float) -> LearnerCost:
    """Time samples that grow, of all examples in the end, while the next ones may be hoped to fit into the time."""
    own, wall = _clock(), time.perf_counter()
    end, give_up = own + seconds, wall + _MOST_WAITING * seconds
    rows = random_stream(Purpose.ORDER, 0, dataset.sha256).permutation(len(dataset))
    several = learner.with_members(MEMBERS[0]).n_members > 1
    fits: list[Sample] = []
    asked: list[Sample] = []
    n, built = min(_FIRST_EXAMPLES, len(dataset)), 1.0
    while True:
        begun = _clock()
        for members in MEMBERS if several else (1,):
            fit, ask, used = _twice_if_short(learner.with_members(members), dataset, rows[:n], stream)
            used = min(max(used, 1), members)  # some count one for each class
            fits.append(Sample(n, used, fit))
            asked.append(Sample(n, used, ask))
            built = used / members
        now = _clock()
        if n == len(dataset) or now + _DEAREST_STEP * (now - begun) > end or time.perf_counter() > give_up:
            busy = (time.perf_counter() - wall) / max(now - own, 1e-9)
            attributes = max(len(dataset.attributes), 1)
            asks = () if stream else tuple(asked)
            return LearnerCost(
                tuple(fits), asks, built, attributes, min(max(busy, 1.0), _MOST_BUSY), stream and _is_steady(learner)
            )
        n = min(n * _GROWTH, len(dataset))


def _is_steady(learner: LearnerSpec) -> bool:
    """Return whether what an online learner does with an example hardly depends on how many came before.

    What lossless models but naive Bayes remember of numbers grows with the examples.
    """
    base = learner.base_entry
    return base is None or base.key == "naive_bayes" or not getattr(base.cls, "lossless", False)


def _twice_if_short(
    learner: LearnerSpec, dataset: Dataset, rows: npt.NDArray[np.int64], stream: bool
) -> tuple[float, float, int]:
    X, y = dataset.take(rows)
    run = _stream_once if stream else _train_once
    times = run(learner, X, y, len(dataset.classes))
    return times if times[0] >= _SHORT else run(learner, X, y, len(dataset.classes))


def _train_once(learner: LearnerSpec, X: Table, y: Any, n_classes: int) -> tuple[float, float, int]:  # noqa: ARG001
    begun = _clock()
    if encoder := learner.make_encoder():
        X = encoder.fit(X, y).transform(X)
    trained = learner.make(0)
    trained.warns_if_stopped = False
    trained.fit(X, y)
    fitted = _clock()
    trained.predict(X)
    return fitted - begun, _clock() - fitted, _n_members(trained, learner)


def _stream_once(learner: LearnerSpec, X: Table, y: Any, n_classes: int) -> tuple[float, float, int]:
    begun = _clock()
    if encoder := learner.make_encoder():
        X = encoder.fit(X, y).transform(X)
    untrained = learner.make(0)
    untrained.warns_if_stopped = False
    predict_then_learn(untrained, X, y, n_classes, stopwatch=Stopwatch(), pause=_go_on)
    return _clock() - begun, 0.0, _n_members(untrained, learner)


def _n_members(trained: Any, learner: LearnerSpec) -> int:
    return int(getattr(trained, "n_members_", learner.n_members))


def _go_on() -> None:
    """Nobody ends a probe."""
