"""Learning curves: the points, what is trained how often, and what is timed."""

import math
import time

import numpy as np
import pytest

from ensembles.data import Attribute, Table
from ensembles.evaluation.curves import CURVES, curve_sizes, fit_with_snapshots, learns_in_pieces
from ensembles.evaluation.timing import Stopwatch

N = 200
X = Table.from_columns([Attribute("a", "numeric")], [np.arange(N, dtype=float)])
Y = np.arange(N) % 3


class Recorder:
    """Remembers the examples it was shown."""

    made: list["Recorder"]

    def __init__(self) -> None:
        self.seen: list[float] = []
        self.calls = 0

    def fit(self, X: Table, y: np.ndarray) -> "Recorder":
        self.seen, self.calls = [], 0
        return self._learn(X, y)

    def _learn(self, X: Table, y: np.ndarray) -> "Recorder":
        if len(set(y.tolist())) < 2:
            raise ValueError("needs two classes")
        self.seen += X.numbers[:, 0].tolist()
        self.calls += 1
        return self


class OnlineRecorder(Recorder):
    def partial_fit(self, X: Table, y: np.ndarray, classes: np.ndarray) -> "Recorder":
        self.classes_ = classes
        return self._learn(X, y)


class PrimedRecorder(OnlineRecorder):
    pieces_equal_whole = False


class RunningStopwatch(Stopwatch):
    running = False

    def __enter__(self) -> Stopwatch:
        self.running = True
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)  # type: ignore[arg-type]
        self.running = False


def run(kind: type[Recorder], X: Table = X, y: np.ndarray = Y, **others):  # type: ignore[no-untyped-def]
    made: list[Recorder] = []

    def make() -> Recorder:
        made.append(kind())
        return made[-1]

    settings = {"score": lambda learner: len(learner.seen), "stopwatch": Stopwatch(), "pause": lambda: None}
    learner, curve = fit_with_snapshots(make, X, y, **(settings | others))
    return learner, curve, made


def test_sizes_are_ten_equal_steps_and_halves_of_the_first() -> None:
    assert curve_sizes(1000) == (12, 25, 50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 10, 25, 150, 80_000])
def test_sizes_ascend_from_1_to_all_examples(n: int) -> None:
    sizes = curve_sizes(n)
    assert sizes[0] >= 1
    assert sizes[-1] == n
    assert list(sizes) == sorted(set(sizes))


def test_an_online_learner_is_trained_in_one_pass() -> None:
    learner, curve, made = run(OnlineRecorder)
    assert len(made) == 1
    assert learner.seen == list(range(N))
    assert learner.calls == len(curve_sizes(N))
    assert curve.x == curve.y == curve_sizes(N)[:-1]


def test_an_online_learner_is_told_the_classes_of_all_training_examples() -> None:
    learner, _, _ = run(OnlineRecorder)
    assert learner.classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize("kind", [Recorder, PrimedRecorder])
def test_a_learner_that_wants_the_whole_is_trained_afresh_on_nested_prefixes(kind: type[Recorder]) -> None:
    learner, curve, made = run(kind)
    assert len(made) == len(curve_sizes(N))
    assert all(other.seen == list(range(len(other.seen))) for other in made)
    assert learner.seen == list(range(N))
    assert curve.x == curve.y == curve_sizes(N)[:-1]


def test_the_learner_that_comes_back_is_trained_once() -> None:
    learner, _, _ = run(Recorder)
    assert learner.calls == 1


def test_a_batch_learner_that_cannot_learn_a_prefix_has_an_unknown_point_there() -> None:
    _, curve, _ = run(Recorder, y=np.repeat([0, 1], [N // 2, N - N // 2]))
    assert [math.isnan(y) for y in curve.y] == [x <= N // 2 for x in curve.x]


def test_a_learner_that_cannot_learn_the_whole_fails() -> None:
    with pytest.raises(ValueError, match="needs two classes"):
        run(Recorder, y=np.zeros(N, dtype=int))


@pytest.mark.parametrize("kind", [Recorder, OnlineRecorder])
def test_the_stopwatch_runs_while_the_learner_that_comes_back_learns_and_never_else(kind: type[Recorder]) -> None:
    stopwatch = RunningStopwatch()
    timed: dict[Recorder, set[bool]] = {}

    class Watched(kind):  # type: ignore[misc, valid-type]
        def _learn(self, X: Table, y: np.ndarray) -> Recorder:
            timed.setdefault(self, set()).add(stopwatch.running)
            return super()._learn(X, y)

    def score(_: Recorder) -> float:
        assert not stopwatch.running
        return 0.0

    learner, _, _ = run(Watched, stopwatch=stopwatch, score=score)
    assert timed.pop(learner) == {True}
    assert all(running == {False} for running in timed.values())


@pytest.mark.parametrize("kind", [Recorder, OnlineRecorder])
def test_a_pause_may_end_the_training_between_two_points(kind: type[Recorder]) -> None:
    asked = []

    def pause() -> None:
        asked.append(1)
        if len(asked) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(kind, pause=pause)


def test_learners_in_pieces_are_online_and_do_not_object() -> None:
    kinds = (OnlineRecorder, Recorder, PrimedRecorder)
    assert [learns_in_pieces(kind()) for kind in kinds] == [True, False, False]


@pytest.mark.parametrize("kind", CURVES.values(), ids=CURVES)
def test_every_curve_has_words_for_people(kind) -> None:  # type: ignore[no-untyped-def]
    assert kind.name[0].isupper()
    assert kind.summary.endswith(".")
    assert kind.cost.endswith(".")
    assert kind.series


def test_a_stopwatch_adds_up_its_blocks() -> None:
    stopwatch = Stopwatch()
    with stopwatch:
        time.sleep(0.01)
    first = stopwatch.seconds
    with stopwatch:
        time.sleep(0.01)
    assert first >= 0.01
    assert stopwatch.seconds >= first + 0.01
    assert stopwatch.cpu_seconds < stopwatch.seconds
