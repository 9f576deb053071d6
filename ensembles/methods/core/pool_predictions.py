"""What the members of a pool say of examples, block by block, and which class their votes make."""

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Table
from ensembles.jit import inner, kernel
from ensembles.learners.core.bound import bind
from ensembles.learners.core.feature_subset import FeatureSubset, MemberView
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import (
    TIE,
    Rows,
    best_class,
    finalize,
    learn_one,
    predict_and_learn,
    predict_one,
    predict_proba_one,
    prepare_example,
)
from ensembles.methods.core.threads import by_ranges, one_ahead

__all__ = [
    "NOT_SAID",
    "MemberPredictions",
    "decide",
    "decide_in_order",
    "decide_rows",
    "predict_and_learn_members",
    "predict_members",
]

_BLOCK = 8192  # examples of which members are asked in one go
_MOST_PREDICTIONS = 2**22  # of members about a block


class MemberPredictions(NamedTuple):
    """What members say of a block of examples; one of the two arrays is empty.

    classes : int64, (examples, members); the class, -1 from a member that has learned nothing
    probabilities : float64, (examples, members, classes)
    """

    classes: np.ndarray
    probabilities: np.ndarray


NOT_SAID = MemberPredictions(np.empty((0, 0), dtype=np.int64), np.empty((0, 0, 0)))
"""What members say that are not asked."""


def predict_members(
    base_model: FeatureSubset,
    members: list[MemberView],
    table: Table,
    n_classes: int,
    *,
    soft: bool,
    n_threads: int = 1,
) -> Iterator[tuple[slice, MemberPredictions]]:
    """Yield the answers of all members block by block, classes or if `soft` their probabilities."""

    def ask(first: int, stop: int, examples: Table, predictions: MemberPredictions) -> None:
        rows: Rows | None = None
        for m in range(first, stop):
            rows = base_model.rows_of(members, m, examples, learning=False, before=rows)
            if soft:
                predictions.probabilities[:, m] = base_model.probabilities_of(members, m, rows, n_classes)
            else:
                predictions.classes[:, m] = base_model.classes_of(members, m, rows, n_classes)

    def asked() -> Iterator[tuple[slice, MemberPredictions]]:
        for part, predictions in _blocks(len(table), len(members), n_classes, soft):
            deque(by_ranges(ask, len(members), n_threads, table.take(part), predictions), 0)
            yield part, predictions

    return one_ahead(asked(), n_threads)


def predict_and_learn_members(
    base_model: FeatureSubset,
    members: list[MemberView],
    lessons: TrainingBatch,
    n_classes: int,
    *,
    soft: bool,
    after: bool = False,
    n_threads: int = 1,
) -> Iterator[tuple[slice, MemberPredictions, MemberPredictions]]:
    """As `predict_members`, while the members learn the examples: they answer before they learn one.

    If `after`, the third value is what they answer once they have learned it; else it is without rows.
    """

    def teach(
        first: int, stop: int, examples: TrainingBatch, said: MemberPredictions, later: MemberPredictions
    ) -> None:
        rows, work = None, np.empty((4, n_classes))
        for m in range(first, stop):
            rows = base_model.rows_of(members, m, examples.table, learning=True, before=rows)
            told = (said.probabilities, later.probabilities) if soft else (said.classes, later.classes)
            show = _predict_proba_and_learn_rows if soft else _predict_and_learn_rows
            show(bind(members[m].members, rows), rows, examples.labels, examples.weights, work, *told, m)

    def taught() -> Iterator[tuple[slice, MemberPredictions, MemberPredictions]]:
        for part, said in _blocks(len(lessons.labels), len(members), n_classes, soft):
            examples = TrainingBatch(lessons.table.take(part), lessons.labels[part], lessons.weights[part])
            later = MemberPredictions(*map(np.empty_like, said)) if after else NOT_SAID
            deque(by_ranges(teach, len(members), n_threads, examples, said, later), 0)
            yield part, said, later

    return one_ahead(taught(), n_threads)


def _blocks(n: int, n_members: int, n_classes: int, soft: bool) -> Iterator[tuple[slice, MemberPredictions]]:
    block = max(1, min(_BLOCK, _MOST_PREDICTIONS // (n_members * n_classes)))
    for start in range(0, n, block):
        size = min(block, n - start)
        predicted = np.empty((0, 0) if soft else (size, n_members), dtype=np.int64)
        yield (
            slice(start, start + size),
            MemberPredictions(predicted, np.empty((size, n_members, n_classes) if soft else (0, 0, 0))),
        )


@kernel
def _predict_and_learn_rows(members, rows, labels, weights, work, predicted, later, column):
    """Show every example to the one member; what it said before, and after if there is room, goes to its columns."""
    after = later.shape[0] > 0
    for i in range(labels.shape[0]):
        prepare_example(members, rows, i)
        if after:
            predicted[i, column] = predict_one(members, 0, rows, i, work)
        told = predict_and_learn(members, 0, rows, i, labels[i], weights[i], after, work)
        if after:
            later[i, column] = told
        else:
            predicted[i, column] = told
    finalize(members, 0)


@kernel
def _predict_proba_and_learn_rows(members, rows, labels, weights, work, probabilities, later, column):
    for i in range(labels.shape[0]):
        predict_proba_one(members, 0, rows, i, work, probabilities[i, column])
        learn_one(members, 0, rows, i, labels[i], weights[i])
        if later.shape[0] > 0:
            predict_proba_one(members, 0, rows, i, work, later[i, column])
    finalize(members, 0)


@inner
def decide(votes, prior):
    """Return the class of most votes: of two tied classes the second, as printed; of more the usual one."""
    if votes.shape[0] == 2 and votes[0] + votes[1] > 0.0:
        return 1 if votes[1] >= votes[0] - TIE * max(1.0, votes[0]) else 0
    return best_class(votes, prior)


def decide_rows(votes: npt.NDArray[np.float64], prior: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return the class that each row of votes makes."""
    return decide_in_order(votes, np.empty(0, dtype=np.int64), prior)


def decide_in_order(
    votes: npt.NDArray[np.float64], labels: npt.NDArray[np.int64], prior: npt.NDArray[np.float64]
) -> npt.NDArray[np.int64]:
    """As `decide_rows`, while the weights of the classes, `prior` at first, grow by one example after another."""
    chosen = np.empty(len(votes), dtype=np.int64)
    _decide_rows(votes, labels, prior.copy(), chosen)
    return chosen


@kernel
def _decide_rows(votes, labels, prior, chosen):
    for i in range(votes.shape[0]):
        chosen[i] = decide(votes[i], prior)
        if labels.shape[0] > 0:
            prior[labels[i]] += 1.0
