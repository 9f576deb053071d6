"""Streaming random patches: online bagging of members on random subspaces, replaced where their mistakes become more.

Gomes, Read & Bifet (2019), sections III and IV.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Schema, Table
from ensembles.declarations import argument, choice, flag, real
from ensembles.draws import entropy_of, poisson_counts
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.bound import bind
from ensembles.learners.core.feature_subset import MemberView
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows
from ensembles.learners.hoeffding.hoeffding_tree import HoeffdingTreeClassifier
from ensembles.methods.core.block import NO_VOTES
from ensembles.methods.core.drift_detectors import (
    DRIFT_DETECTOR,
    detectors_of,
    forget_detector,
    sampling_draws,
    sampling_streams,
    with_delta,
)
from ensembles.methods.core.online import OnlineEnsemble
from ensembles.methods.core.patches import Patches
from ensembles.methods.core.threads import N_JOBS, bounds_of, in_stages, threads_of
from ensembles.methods.subspaces.following import DRIFT, EVENTS, WARNING, Follower, Lesson, Watching, follow
from ensembles.methods.subspaces.subspace_ensemble import SOFT_VOTE
from ensembles.parameters import check_parameters

__all__ = ["StreamingRandomPatchesClassifier"]

_DELTA = "What ADWIN takes for the chance of a false alarm; less makes it slower to notice and wrong less often."


class Numbers(NamedTuple):
    """What is drawn for a block of examples, one number an (example, member)."""

    counts: npt.NDArray[np.float64]  # how often a member sees an example
    drift: npt.NDArray[np.float64]  # for detectors that sample
    warning: npt.NDArray[np.float64]


Shown = tuple[slice, TrainingBatch, Numbers]
"""Where a block of examples lies, the examples, and what is drawn for them."""


class StreamingRandomPatchesClassifier(OnlineEnsemble):
    """Streaming random patches.

    Each member looks at a random subspace of the attributes and sees each example a Poisson number of times. A detector
    watches its mistakes on examples that it has not learned yet: at a warning a member with a new subspace begins to learn
    in the background, and at a change it takes the member's place, or a new one does if there is none.

    Attributes
    ----------
    n_replaced_, n_warnings_ : int
        How often a member was replaced; how often one began to learn in the background.
    member_weights_ : array of shape (n_estimators,)
        Accuracy of each member on the examples since it took its place, 1 as long as that is 0.
    member_errors_ : array of shape (n_estimators,)
        1 minus that accuracy; NaN for a member never tested.

    Notes
    -----
    MOA's program tests members for change after they have learned an example, and only where they did; here they are
    tested before, on all examples. MOA also leaves a member that took its place in the background, where it learns each
    example once more; here the background is empty then. Members of the first subspaces differ as long as there are others,
    as there; later ones are drawn freely.

    References
    ----------
    Gomes, Read & Bifet (2019), Streaming random patches for evolving data stream classification; MOA,
    `meta.StreamingRandomPatches`.
    """

    key = "streaming_random_patches"
    name = "Streaming random patches"
    position = 194
    family = "subspaces"
    summary = (
        "Online bagging of members on random attributes; where mistakes become more, one from the background steps in."
    )
    source = "Gomes, Read & Bifet (2019)"
    weighted = False
    predicts_while_learning = True
    estimator: Any = argument(
        default=None,
        what="base model that learns online, or None",
        help="What each member is; a Hoeffding tree of grace period 50 and split confidence 0.01 if None.",
    )
    training: str = choice(
        default="patches",
        label="What members see",
        help="Random attributes, random copies of examples, or both.",
        choices=("patches", "subspaces", "resampling"),
        labels=("both: random patches", "random attributes of all examples", "random copies of all attributes"),
    )
    subspace_rule: str = choice(
        default="share",
        label="How many attributes",
        help="A share of the d attributes, or a number that goes with their square root.",
        choices=("share", "sqrt", "all_but_sqrt"),
        labels=("the share below", "sqrt(d) + 1", "d - (sqrt(d) + 1)"),
    )
    max_features: float = real(
        default=0.6,
        label="Attributes a member sees",
        help="Share of the attributes, drawn at random for each member.",
        low=0.0,
        high=1.0,
        open_low=True,
    )
    rate: float = real(
        default=6.0,
        label="Poisson rate",
        help="How many times a member sees an example on average.",
        low=0.0,
        high=10.0,
        open_low=True,
        lasting=False,
    )
    drift_detector: str = DRIFT_DETECTOR
    delta: float = real(
        default=1e-5, label="Drift confidence", help=_DELTA, low=0.0, high=1.0, open_low=True, lasting=False
    )
    warning_delta: float = real(
        default=1e-4, label="Warning confidence", help=_DELTA, low=0.0, high=1.0, open_low=True, lasting=False
    )
    replacing: bool = flag(
        default=True, label="Replace members", help="Replace members whose mistakes become more.", lasting=False
    )
    background: bool = flag(
        default=True, label="Background members", help="Let their successors learn from a warning on.", lasting=False
    )
    weighted_vote: bool = flag(
        default=True, label="Weighted votes", help="Weigh votes by the accuracy of members.", lasting=False
    )
    vote: str = SOFT_VOTE
    n_jobs: Any = N_JOBS

    def _new_base_model(self) -> Patches:
        base = (
            HoeffdingTreeClassifier(grace_period=50.0, delta=0.01)
            if self.estimator is None
            else super()._new_base_model()
        )
        check_parameters(base)
        return Patches(base, self._rule(), self.max_features)

    def _seeded(self, base_model: BaseModel) -> Patches:
        return Patches(base_model.estimator, self._rule(), self._given.max_features, entropy_of(self.random_state))

    def _rule(self) -> str:
        given = self._given
        return "all" if given.training == "resampling" else str(given.subspace_rule)

    def _start(self, n_members: int) -> None:
        self._streams = self._drawing(n_members)
        kind = self._given.drift_detector
        self._drift = detectors_of(kind, n_members, self._given.delta)
        self._warning = detectors_of(kind, n_members, self._given.warning_delta, warning=True)
        self._drift_draws = sampling_streams(self._drift, self.random_state, n_members, "drift_detectors")
        self._warning_draws = sampling_streams(self._warning, self.random_state, n_members, "warning_detectors")
        self._record = np.zeros((n_members, 2))
        self._successors: list[MemberView | None] = [None] * n_members
        self._places = np.ones(n_members, dtype=np.int64)  # members that each place had, with those in the background
        self.n_replaced_ = self.n_warnings_ = 0

    def _widened(self, base_model: BaseModel, schema: Schema, positions: npt.NDArray[np.int64], n_classes: int) -> Any:
        members = super()._widened(base_model, schema, positions, n_classes)
        known = [part for part in self._successors if part is not None]
        wider = iter(base_model.extend_schema(known, self._schema, schema, positions, n_classes))
        self._successors = [None if part is None else next(wider) for part in self._successors]
        return members

    def _learn_examples(self, examples: TrainingBatch, **predicted: npt.NDArray[np.float64]) -> None:
        votes = predicted.get("votes", NO_VOTES)
        self._drift = with_delta(self._drift, self._given.delta)
        self._warning = with_delta(self._warning, self._given.warning_delta)
        self._events = np.zeros((self._n_members(), 2), dtype=np.int64)
        n_threads = threads_of(self._given) if self.base_model().estimator.in_threads else 1

        def stage(first: int, stop: int) -> Callable[[Shown], None]:
            def learn(shown: Shown) -> None:
                part, block, numbers = shown
                for m in range(first, stop):
                    self._learn_block(m, block, numbers, votes[part])

            return learn

        stages = [stage(*each) for each in bounds_of(self._n_members(), n_threads)]
        in_stages(self._shown(examples), stages, n_threads)
        warned, replaced = self._events.sum(axis=0).tolist()
        self.n_warnings_, self.n_replaced_ = self.n_warnings_ + warned, self.n_replaced_ + replaced
        self._set_votes(self._accuracies(), 1.0 - self._rates())

    def _shown(self, examples: TrainingBatch) -> Iterator[Shown]:
        """Yield the examples in blocks, with what is drawn for them."""
        for start, draws in self._blocks(len(examples.labels)):
            part = slice(start, start + len(draws))
            numbers = Numbers(
                self._counts(draws),
                sampling_draws(self._drift_draws, *draws.shape),
                sampling_draws(self._warning_draws, *draws.shape),
            )
            yield part, TrainingBatch(examples.table.take(part), examples.labels[part], examples.weights[part]), numbers

    def _counts(self, draws: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        if self._given.training == "subspaces":
            return np.ones(draws.shape)
        return poisson_counts(float(self._given.rate), draws).astype(np.float64)

    def _rates(self) -> npt.NDArray[np.float64]:
        right, seen = self._record.T
        return np.where(seen > 0, right / np.maximum(seen, 1), np.nan)

    def _accuracies(self) -> npt.NDArray[np.float64]:
        rates = self._rates()
        return np.where(self._given.weighted_vote & (rates > 0), rates, 1.0)

    def _learn_block(self, m: int, block: TrainingBatch, numbers: Numbers, votes: npt.NDArray[np.float64]) -> None:
        """Let member m and its successor learn a block, from event to event."""
        lesson = Lesson(block.labels, block.weights, *(np.ascontiguousarray(drawn[:, m]) for drawn in numbers))
        room = np.empty((5, len(self.classes_))), votes
        at = 0
        while at < len(block.labels):
            own = self._bound(self._members, m, block.table)
            behind = own if self._successors[m] is None else self._bound(self._successors, m, block.table)
            members, rows = zip(own, behind, strict=True)
            follower = self._follower(m, at)
            told = follow(members, rows, lesson, Watching(self._drift, self._warning), follower, self._record, room)
            at, events = divmod(told, EVENTS)
            self._answer(m, events)

    def _bound(self, parts: Any, m: int, table: Table) -> tuple[Any, Rows]:
        rows = self.base_model().rows_of(parts, m, table, learning=True)
        return bind(parts[m].members, rows), rows

    def _follower(self, m: int, at: int) -> Follower:
        given = self._given
        flags = given.replacing, given.background, given.weighted_vote, self.soft_votes
        return Follower(m, at, self._successors[m] is not None, *map(bool, flags))

    def _answer(self, m: int, events: int) -> None:
        """Let a successor of member m begin to learn, or step in."""
        if events & WARNING:
            self._successors[m] = self._new_member(m)
            forget_detector(self._warning, m)
            self._events[m, 0] += 1
        if events & DRIFT:
            successor = self._successors[m]
            self._members[m] = self._new_member(m) if successor is None else successor
            self._successors[m] = None
            forget_detector(self._warning, m)
            forget_detector(self._drift, m)
            self._record[m] = 0.0
            self._events[m, 1] += 1

    def _new_member(self, m: int) -> MemberView:
        self._places[m] += 1
        member: MemberView = self.base_model().new_member(self._schema, len(self.classes_), m, int(self._places[m]) - 1)
        return member
