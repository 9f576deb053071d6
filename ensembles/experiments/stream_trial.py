"""A trial on a stream: every example is predicted, then learned, of a data set in memory or of a source of any length.

Both go the same way. What is written down differs: of a data set all predictions, of a source what can be added up.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.dataset import Dataset
from ensembles.data.generators import GENERATORS
from ensembles.data.read_ahead import ReadAhead
from ensembles.errors import InvalidData
from ensembles.evaluation.model_size import bytes_of
from ensembles.evaluation.protocols import Purpose, random_stream
from ensembles.evaluation.snapshot import write_snapshot
from ensembles.evaluation.stream_course import StreamCourse
from ensembles.evaluation.stream_pass import Blocks, Labelling, StreamPass
from ensembles.evaluation.stream_watch import StreamNews, StreamWatch
from ensembles.evaluation.timing import Stopwatch
from ensembles.evaluation.trained_model import TrainedModel
from ensembles.experiments.config import Prequential
from ensembles.experiments.records import TrialResult
from ensembles.experiments.stream_feed import feed_of
from ensembles.experiments.stream_model import last_model, read_state
from ensembles.experiments.stream_results import AllKept, Summed
from ensembles.experiments.trial_data import Trial

__all__ = ["run_stream"]

_SECOND = 1.0
_LEAST_PAUSE = 50  # times as long as it took to look at the model


def run_stream(trial: Trial, protocol: Prequential) -> TrialResult:
    """Predict every example, then learn it; measures of the model are those at the end."""
    learner = trial.make()
    if trial.needs_probabilities and not hasattr(learner, "predict_proba"):
        raise InvalidData("it gives no probabilities, which a chosen measure needs")
    with ExitStack() as opened:
        return _Run(trial, protocol, learner, opened).to_the_end()


class _Run:
    """One learner on its way, what is written down of it, and who looks at it."""

    def __init__(self, trial: Trial, protocol: Prequential, learner: Any, opened: ExitStack) -> None:
        self._trial, self._protocol, self._learner, self._opened = trial, protocol, learner, opened
        self._ahead: ReadAhead | None = None
        self._stopwatch = Stopwatch(lambda: 0.0 if self._ahead is None else self._ahead.cpu_seconds)
        self._reading = Stopwatch()
        self._feed = feed_of(trial, protocol)
        self._told_at, self._looked = time.perf_counter() + _SECOND, 0.0
        begun = trial.watch.begin() if trial.watch else None
        state = None if begun is None else self._read(begun)
        self._way = self._way_of(self._learner)
        if state is None:
            self._begin()
        else:
            self._go_on(state)

    def to_the_end(self) -> TrialResult:
        """Let the learner go through the whole stream."""
        way, feed = self._way, self._feed
        while way.position < feed.n:
            with self._reading:
                block = self._blocks.take(min(way.next_size, feed.n - way.position))
            if block is None:
                raise InvalidData(f"the stream ended after {way.position:,} of {feed.n:,} examples")
            at = way.position - way.told_from
            predicted, probabilities = way.take(*block)
            self._record.add(at, block[1], predicted, probabilities)
            self._follow((block[1] != predicted)[max(-at, 0) :])
            if self._trial.watch is not None:
                self._show(self._trial.watch)
        if self._trial.watch is not None:
            self._trial.watch.tell(self._news(), 1.0)
        return self._result()

    def _follow(self, wrong: npt.NDArray[np.bool_]) -> None:
        seconds = self._stopwatch.seconds, self._stopwatch.cpu_seconds
        self._course.add(self._way.position, wrong, self._learner, *seconds)

    def _course_of(self) -> StreamCourse:
        trial, way = self._trial, self._way
        changes = _known_changes(trial, self._protocol) if "recovery" in trial.measures else ()
        return StreamCourse(way.told_from, self._feed.n, changes, sized="ram_hours" in trial.measures)

    def _way_of(self, learner: Any) -> StreamPass:
        trial, protocol, rng = self._trial, self._protocol, None
        if protocol.label_share < 1.0:
            place = (trial.plan.repeat, trial.plan.fold, trial.plan.order)
            rng = random_stream(Purpose.LABELS, trial.config.seed, trial.dataset.sha256, *place)
        return StreamPass(
            learner,
            len(trial.dataset.classes),
            probabilities=trial.needs_probabilities,
            unpredicted=self._feed.unpredicted,
            labelling=Labelling(protocol.label_delay, protocol.label_share, rng),
            stopwatch=self._stopwatch,
            pause=trial.pause,
        )

    def _begin(self) -> None:
        if isinstance(self._trial.dataset, Dataset):
            examples = self._trial.examples()
            self._way.learn_head(examples.X_train, examples.y_train)
        else:
            self._way.go_on_from(0, None, [])
        self._record, self._course = self._record_of(), self._course_of()
        self._blocks = self._blocks_from(self._way.position)

    def _blocks_from(self, position: int) -> Blocks:
        """Return the examples from a position on; what is not in memory is read beside learning."""
        batches = self._feed.batches(position)
        if not isinstance(self._trial.dataset, Dataset):
            batches = self._ahead = self._opened.enter_context(ReadAhead(batches, self._trial.pause))
        return Blocks(batches)

    def _record_of(self) -> AllKept | Summed:
        kind = AllKept if isinstance(self._trial.dataset, Dataset) else Summed
        return kind(self._trial, self._protocol, self._way.told_from, self._feed.n)

    def _read(self, snapshot: bytes) -> dict[str, Any]:
        state = read_state(self._trial, self._learner, snapshot)
        self._learner = state["learner"]
        return state

    def _go_on(self, state: dict[str, Any]) -> None:
        self._stopwatch.seconds, self._stopwatch.cpu_seconds, self._reading.seconds = state["seconds"]
        position, head, self._way.told_from = state["position"], state["head"], state["told_from"]
        n_waiting = min(self._protocol.label_delay, position - head)
        self._blocks = self._blocks_from(position - n_waiting)
        waiting = self._blocks.take(n_waiting) if n_waiting else None
        self._way.go_on_from(position, waiting, [tuple(pair) for pair in state["replaced"]], head=head)
        self._record = self._record_of()
        self._record.take_over(state["record"])
        self._course = state["course"]

    def _snapshot(self) -> bytes:
        way = self._way
        seconds = [self._stopwatch.seconds, self._stopwatch.cpu_seconds, self._reading.seconds]
        state = {
            "trial": self._trial.plan.key,
            "learner": self._learner,
            "position": way.position,
            "head": way.head,
            "told_from": way.told_from,
            "replaced": [list(pair) for pair in way.replaced],
            "seconds": seconds,
            "record": self._record.state(way.position),
            "course": self._course,
        }
        return write_snapshot(state)

    def _show(self, watch: StreamWatch) -> None:
        is_wanted = watch.wants_snapshot()
        if (now := time.perf_counter()) >= self._told_at or is_wanted:
            watch.tell(self._news(), self._way.position / self._feed.n)
            before, self._looked = self._looked, time.perf_counter() - now
            self._told_at = now + max(_SECOND, _LEAST_PAUSE * min(before, self._looked))  # the first look imports much
        if is_wanted:
            watch.keep(self._snapshot())

    def _news(self) -> StreamNews:
        replaced = int(getattr(self._learner, "n_replaced_", 0))
        return StreamNews(
            self._way.position,
            *self._record.errors_now(),
            seconds=self._stopwatch.seconds,
            reading_seconds=self._reading.seconds,
            model_bytes=bytes_of(self._learner),
            drifts=int(getattr(self._learner, "n_warnings_", replaced)),
            replaced=replaced,
        )

    def _result(self) -> TrialResult:
        trial, way, learner = self._trial, self._way, self._learner
        if isinstance(trial.dataset, Dataset):
            examples = trial.examples()
            X, y, rows = examples.X_train, examples.y_train, examples.rows
        else:  # no measure or curve that goes with a source looks at examples
            (X, y), rows = next(self._feed.batches(0)), np.empty(0, dtype=np.int64)
        trained = TrainedModel(learner, X, y, X, y, rows, trial.seed, trial.pause)
        measures, curves, confusion = self._record.results(way, trained, self._course)
        return TrialResult(
            trial.plan.key,
            measures=measures,
            fit_seconds=self._stopwatch.seconds,
            fit_cpu_seconds=self._stopwatch.cpu_seconds,
            members_used=int(getattr(learner, "n_members_", 1)),
            stopped=getattr(learner, "stop_reason_", None),
            n_train=self._feed.n,
            n_test=self._feed.n - way.told_from,
            curves=curves,
            confusion=confusion,
            model=last_model(trial, learner, self._feed.encoder, way.position, way.head),
        )


def _known_changes(trial: Trial, protocol: Prequential) -> tuple[int, ...]:
    """Return after how many examples the concept of a generated stream changes; nothing where that is not known."""
    reference = trial.config.datasets[trial.plan.dataset]
    generator = GENERATORS.get(reference.key or "")
    return () if generator is None or protocol.shuffle else generator.changes(**reference.settings)
