"""Compile what a learner needs before its first timed trial, so that compilation never counts as running time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.dataset import Dataset
from ensembles.data.source import Source
from ensembles.data.table import Attribute, Table
from ensembles.evaluation.prequential import predict_then_learn
from ensembles.evaluation.timing import Stopwatch
from ensembles.experiments.config import LearnerSpec
from ensembles.registry import methods

__all__ = ["warm_all", "warm_up"]

_ROWS_OF_A_CLASS = 100  # enough for a twentieth of them to prime a learner
_MEMBERS = 3
_COMMON_BASES = ("naive_bayes", "hoeffding_tree", "decision_tree", "decision_stump", "perceptron")
_COMMON_METHODS = ("single", "online_bagging", "online_boosting", "bagging", "adaboost", "primed_online_boosting")

_warmed: set[tuple[str, bool, bool, bool]] = set()
_turn = Lock()  # pages estimate in threads: one that came second would wait for the compiler while it takes the time


def warm_up(learner: LearnerSpec, dataset: Dataset | Source, *, stream: bool = False) -> None:
    """Train and ask a twin of `learner` with few members on a few examples, once per process and kind of data.

    A learner that fails here is left alone: its trial will say why.

    Parameters
    ----------
    stream : bool
        Whether it will predict each example and then learn it, for which many learners have kernels of their own.
    """
    schema = dataset.table.schema if isinstance(dataset, Dataset) else dataset.schema
    small = learner.with_members(_MEMBERS)
    kind = (small.canonical, bool(schema.nominal), bool(schema.numeric), stream)
    with _turn:
        if kind not in _warmed:
            _warmed.add(kind)
            _train_and_ask(small, dataset, stream)


def warm_all(tell: Callable[[int, int], None] | None = None) -> int:
    """Compile what any method needs with any base model it has, in batch and on streams; return how many pairs that are.

    The commonest methods with the commonest base models come first, then the others of these. One model of scikit-learn
    stands for all: one class wraps them, and no other has anything to compile.

    Parameters
    ----------
    tell : callable, optional
        Told after each pair how many are done, and of how many.
    """
    every = ((method, base) for method, entry in methods().items() for base in _different(entry.bases) or (None,))
    pairs = sorted(every, key=_turn_of)
    some = _small_datasets()
    for done, (method, base) in enumerate(pairs, 1):
        learner = LearnerSpec.model_validate({"method": method, "base": base})
        for dataset in some:
            warm_up(learner, dataset, stream=hasattr(learner.make(0), "partial_fit"))
        if tell:
            tell(done, len(pairs))
    return len(pairs)


def _different(bases: Sequence[str]) -> list[str]:
    """Return base models without those that compile nothing of their own."""
    wrapped = [base for base in bases if base.startswith("sklearn:")]
    return [base for base in bases if base not in wrapped[1:]]


def _turn_of(pair: tuple[str, str | None]) -> tuple[bool, int, int]:
    method, base = pair
    is_rare = method not in _COMMON_METHODS or base not in _COMMON_BASES
    return is_rare, (*_COMMON_BASES, base).index(base), (*_COMMON_METHODS, method).index(method)


def _small_datasets() -> list[Dataset]:
    """Return a data set of both kinds of attributes and one of nominal ones, for which perceptrons are another kind."""
    rng, labels = np.random.default_rng(0), np.arange(24) % 2
    colour, size = Attribute("colour", "nominal", ("red", "blue")), Attribute("size", "numeric")
    codes, numbers = rng.integers(0, 2, 24).astype(np.int32), rng.normal(size=24)
    return [
        Dataset("Both", Table.from_columns([colour, size], [codes, numbers]), labels, ("a", "b")),
        Dataset("Nominal", Table.from_columns([colour], [codes]), labels, ("a", "b")),
    ]


def _train_and_ask(small: LearnerSpec, dataset: Dataset | Source, stream: bool) -> None:
    X, y = (dataset.table, dataset.labels) if isinstance(dataset, Dataset) else next(dataset.batches())
    few = _few_rows(y)
    X, y = X.take(few), y[few]
    if encoder := small.make_encoder():
        X = encoder.fit(X, y).transform(X)
    twin = small.make(0)
    twin.warns_if_stopped = False
    try:
        twin.fit(X, y)
        _ask(twin, X)
        if hasattr(twin, "partial_fit"):
            twin.partial_fit(X, y, classes=np.unique(y))
            _ask(twin, X)
        if stream:
            again = small.make(0)
            again.warns_if_stopped = False
            predict_then_learn(again, X, y, len(dataset.classes), stopwatch=Stopwatch(), pause=_go_on)
            if hasattr(again, "predict_late_then_learn"):
                again.predict_late_then_learn(X, np.array([len(X)]), X.take(slice(0, 1)), y[:1])
    except Exception:
        return


def _go_on() -> None:
    """Nobody ends a warm-up."""


def _ask(learner: Any, X: Any) -> None:
    learner.predict(X)
    if hasattr(learner, "predict_proba"):
        learner.predict_proba(X)


def _few_rows(labels: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return positions of a few examples of two classes, alternating, so that every part of them has both."""
    rows = [np.flatnonzero(labels == label)[:_ROWS_OF_A_CLASS] for label in np.unique(labels)[:2]]
    turns = np.concatenate([np.arange(len(some)) for some in rows])
    return np.concatenate(rows)[np.argsort(turns, kind="stable")]
