"""Kappa updated ensemble: members on random attributes vote by their kappa on the last chunk, and the worst is replaced.

Cano & Krawczyk (2020), algorithm 1.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema
from ensembles.declarations import argument, integer
from ensembles.draws import entropy_of, poisson_counts
from ensembles.jit import kernel
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.bound import bind
from ensembles.learners.core.feature_subset import MemberView
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import finalize, predict_and_learn, predict_proba_one, prepare_example
from ensembles.learners.hoeffding.hoeffding_tree import HoeffdingTreeClassifier
from ensembles.methods.core.block import NO_VOTES
from ensembles.methods.core.online import OnlineEnsemble
from ensembles.methods.core.patches import Patches
from ensembles.parameters import check_parameters

__all__ = ["KappaUpdatedEnsembleClassifier"]


class Tally(NamedTuple):
    """What members m, the candidate the last of them, told of the examples of a chunk."""

    told: np.ndarray  # (m, classes) how often a class was told
    true: np.ndarray  # (m, classes) how often it was the class
    hits: np.ndarray  # (m,) how often both were the same


class Lesson(NamedTuple):
    """Examples, and how often a member sees each."""

    labels: np.ndarray
    weights: np.ndarray
    counts: np.ndarray


class KappaUpdatedEnsembleClassifier(OnlineEnsemble):
    """Kappa updated ensemble (KUE).

    Each member looks at some attributes, how many and which is drawn, and sees each example a Poisson number of times. After
    every chunk of examples the vote of a member becomes its kappa on the chunk, and members below 0 abstain. A candidate
    learns along with them, and takes the place of the member of least kappa if its own is larger; then comes another.

    Attributes
    ----------
    n_replaced_ : int
        How often a candidate took the place of a member.
    member_weights_ : array of shape (n_estimators,)
        Kappa of each member on the last chunk, 0 if it abstains; all 1 before the end of the first chunk, or if all abstain.
    member_errors_ : array of shape (n_estimators,)
        Error of each member on the examples since it began, each tested before it was learned; NaN if there was none.

    Notes
    -----
    The authors' program keeps a chunk, trains all members on it once it is full, and measures kappa on the very examples
    that members were trained on. Here members learn each example as it comes, as the paper says, and kappa is that of what
    they said before: so they vote from the first examples on, and no chunk is kept.

    References
    ----------
    Cano & Krawczyk (2020), Kappa updated ensemble for drifting data stream mining, algorithm 1.
    """

    key = "kappa_updated_ensemble"
    name = "Kappa updated ensemble"
    position = 366
    family = "weighting"
    summary = "Members on random attributes vote by their kappa on the last chunk of examples; the worst is replaced."
    source = "Cano & Krawczyk (2020)"
    weighted = False
    predicts_while_learning = True
    vote = "soft"
    estimator: Any = argument(
        default=None,
        what="base model that learns online, or None",
        help="What each member is; a Hoeffding tree of grace period 100 and split confidence 0.01 if None.",
    )
    chunk_size: int = integer(
        default=1000, label="Chunk", help="Examples from one change of votes and members to the next.", low=1
    )

    def _new_base_model(self) -> Patches:
        base = (
            HoeffdingTreeClassifier(grace_period=100.0, delta=0.01)
            if self.estimator is None
            else super()._new_base_model()
        )
        check_parameters(base)
        return Patches(base, "any", 1.0)

    def _seeded(self, base_model: BaseModel) -> Patches:
        return Patches(base_model.estimator, "any", 1.0, entropy_of(self.random_state))

    def _start(self, n_members: int) -> None:
        self._streams = self._drawing(n_members + 1)
        self._candidates, self._in_chunk, self.n_replaced_ = 0, 0, 0
        self._kappas: npt.NDArray[np.float64] | None = None  # of the last chunk, None before the first has ended
        self._record = np.zeros((n_members + 1, 2))  # examples told wrong, and tested
        self._begin_chunk()

    def _begin_chunk(self) -> None:
        n, n_classes = len(self._record), len(self.classes_)
        self._tally = Tally(np.zeros((n, n_classes)), np.zeros((n, n_classes)), np.zeros(n))
        self._in_chunk = 0
        self._candidates += 1
        self._candidate: list[MemberView] = [
            self.base_model().new_member(self._schema, n_classes, n - 1, self._candidates)
        ]
        self._record[-1] = 0.0

    def _widened(self, base_model: BaseModel, schema: Schema, positions: npt.NDArray[np.int64], n_classes: int) -> Any:
        members = super()._widened(base_model, schema, positions, n_classes)
        self._candidate = base_model.extend_schema(self._candidate, self._schema, schema, positions, n_classes)
        told, true = np.zeros((2, len(self._record), n_classes))
        told[:, positions], true[:, positions] = self._tally.told, self._tally.true
        self._tally = Tally(told, true, self._tally.hits)
        return members

    def _learn_examples(self, examples: TrainingBatch, **predicted: npt.NDArray[np.float64]) -> None:
        votes = predicted.get("votes", NO_VOTES)
        for start, draws in self._blocks(len(examples.labels)):
            counts, at = poisson_counts(1.0, draws).astype(np.float64), start
            while at < start + len(draws):
                stop = min(start + len(draws), at + int(self._given.chunk_size) - self._in_chunk)
                self._learn_part(examples, slice(at, stop), counts[at - start : stop - start], votes[at:stop])
                self._in_chunk += stop - at
                if self._in_chunk == self._given.chunk_size:
                    self._end_chunk()
                at = stop
        wrong, tested = self._record[:-1].T
        self._set_votes(self._vote_weights(), np.where(tested > 0, wrong / np.maximum(tested, 1.0), np.nan))

    def _learn_part(
        self, examples: TrainingBatch, part: slice, counts: npt.NDArray[np.float64], votes: npt.NDArray[np.float64]
    ) -> None:
        """Let members and candidate learn examples of one chunk."""
        table, base_model, weights = examples.table.take(part), self.base_model(), self._vote_weights()
        for m in range(len(self._record)):
            parts, place = (self._candidate, 0) if m == len(weights) else (self._members, m)
            rows = base_model.rows_of(parts, place, table, learning=True)
            lesson = Lesson(examples.labels[part], examples.weights[part], np.ascontiguousarray(counts[:, m]))
            vote = 0.0 if m == len(weights) else float(weights[m])
            room = np.empty((5, len(self.classes_))), votes
            _test_and_teach(bind(parts[place].members, rows), rows, lesson, self._tally, self._record, (m, vote), room)

    def _vote_weights(self) -> npt.NDArray[np.float64]:
        n_members = len(self._record) - 1
        weights = np.ones(n_members) if self._kappas is None else np.maximum(self._kappas, 0.0)
        return weights if weights.any() else np.ones(n_members)

    def _end_chunk(self) -> None:
        """Weigh the members by their kappas, and let the candidate take the place of the worst if it is better."""
        kappas = kappas_of(self._tally)
        self._kappas = kappas[:-1].copy()
        worst = int(self._kappas.argmin())
        if kappas[-1] > self._kappas[worst]:
            self._members[worst], self._kappas[worst] = self._candidate[0], kappas[-1]
            self._record[worst] = self._record[-1]
            self.n_replaced_ += 1
        self._begin_chunk()


def kappas_of(tally: Tally) -> npt.NDArray[np.float64]:
    """Return Cohen's kappa of each member, shape (members,), 1 where one class was all that there was and that was told."""
    tested, chance = tally.true.sum(axis=1), (tally.told * tally.true).sum(axis=1)
    room = tested * tested - chance
    kappas: npt.NDArray[np.float64] = np.where(
        room > 0, (tested * tally.hits - chance) / np.where(room > 0, room, 1.0), 1.0
    )
    return kappas


@kernel
def _test_and_teach(members, rows, lesson, tally, record, who, room):
    """Test the one member on each example before it learns it; who: its number, and what its vote counts."""
    (m, vote), (work, votes) = who, room
    for i in range(lesson.labels.shape[0]):
        label = lesson.labels[i]
        if votes.shape[0] > 0 and vote > 0.0:
            predict_proba_one(members, 0, rows, i, work, work[4])
            for c in range(votes.shape[1]):
                votes[i, c] += vote * work[4, c]
        prepare_example(members, rows, i)
        predicted = predict_and_learn(members, 0, rows, i, label, lesson.counts[i] * lesson.weights[i], False, work)
        if predicted >= 0:
            tally.told[m, predicted] += 1.0
            tally.true[m, label] += 1.0
            tally.hits[m] += int(predicted == label)
            record[m, 0] += int(predicted != label)
            record[m, 1] += 1.0
    finalize(members, 0)
