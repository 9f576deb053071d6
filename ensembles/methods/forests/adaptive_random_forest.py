"""Adaptive random forest: Hoeffding trees that differ, and make way for others that grew when they began to err.

Gomes et al. (2017).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from ensembles.declarations import argument, choice, real
from ensembles.draws import poisson_counts
from ensembles.jit import inner, kernel
from ensembles.learners.core.base import BaseModel
from ensembles.learners.core.bound import bind
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows, learn_one, predict_and_learn, reset, vote_and_learn
from ensembles.learners.hoeffding.exchange import exchange
from ensembles.learners.hoeffding.hoeffding_tree import HoeffdingTreeClassifier
from ensembles.methods.core.base import VOTE
from ensembles.methods.core.block import NO_VOTES, block_of
from ensembles.methods.core.drift import RISEN, forget_outcomes, watch
from ensembles.methods.core.drift_detectors import (
    DRIFT_DETECTOR,
    detectors_of,
    sampling_draws,
    sampling_streams,
    with_delta,
)
from ensembles.methods.core.online import Numbers, OnlineEnsemble
from ensembles.methods.core.threads import N_JOBS

__all__ = ["AdaptiveRandomForestClassifier"]

#: What the forest sets in its trees besides how many attributes their leaves count.
TREES = {"grace_period": 50.0, "delta": 0.01}


Drawn = tuple[int, npt.NDArray[Any], npt.NDArray[np.float64]]
"""Where a block of examples starts, how many times slots learn them, and numbers for detectors that sample."""


class Forest(NamedTuple):
    """What a forest knows of its trees m; of slots, the first half vote, and the others are for trees in the background."""

    first: int  # the tree that is grown first
    stop: int  # the one after the last
    right: np.ndarray  # (m,) weight that a tree told right since it took its place, before it learned it
    seen: np.ndarray  # (m,) weight that it was asked about
    growing: np.ndarray  # (m,) whether there is a tree in the background
    counts: np.ndarray  # (m, 2) warnings, trees that made way
    work: np.ndarray  # (5, c)


class Watchers(NamedTuple):
    """Detectors of all trees."""

    warnings: Any
    drifts: Any
    sampling: np.ndarray  # (examples, slots) numbers for detectors that sample


class AdaptiveRandomForestClassifier(OnlineEnsemble):
    """Adaptive random forest (ARF).

    Each tree sees an example a Poisson number of times, and each of its leaves counts a few attributes only. Two detectors
    watch the mistakes that a tree makes on examples before it learns them: where the quicker one tells that they have become
    more, a new tree begins to grow in the background; where the slower one does, that tree takes its place, or if there is
    none, it begins anew. A tree's vote weighs as much as the share of examples that it told right since it took its place.

    Attributes
    ----------
    n_warnings_ : int
        How often a tree in the background began to grow.
    n_replaced_ : int
        How often a tree made way.
    member_errors_ : array of shape (n_estimators,)
        Error of each tree on the examples since it took its place, before it learned them; NaN for one never asked.

    Notes
    -----
    What a given tree says of `grace_period`, `delta`, `max_features` and `feature_share` counts where it differs from a
    tree's own defaults; else the grace period is 50, `delta` of the trees 0.01, and the others are those of the forest.

    Detectors are told each prediction before the example is learned, also of examples that a tree does not learn. The
    authors' program in MOA asks again after learning, and not where the Poisson number is 0. There a tree in the
    background learns each example once; here, as in algorithm 1, a Poisson number of times. A tree that told nothing right
    has no vote; in MOA it has a whole one. There all trees begin with the same random numbers, so that all roots count the
    same attributes, those of trees in the background too; here, as in the paper, each draws its own. The defaults of the
    detectors and of the share of attributes are MOA's; in the paper's experiments leaves count the square root of the
    attributes and one (`max_features="sqrt"`).

    References
    ----------
    Gomes et al. (2017), algorithms 1 and 2.
    """

    key = "adaptive_random_forest"
    name = "Adaptive random forest"
    position = 182
    family = "forests"
    summary = "A random forest in one pass; trees that begin to err make way for others that grew in the background."
    source = "Gomes et al. (2017), algorithms 1 and 2"
    only_bases = ("hoeffding_tree", "extremely_fast_tree")
    usual_base = HoeffdingTreeClassifier
    weighted = False
    predicts_while_learning = True
    estimator: Any = argument(
        default=None, what="Hoeffding tree, extremely fast decision tree, or None", help="What each member is."
    )
    max_features: str = choice(
        default="share",
        label="Attributes of a leaf",
        help="How many attributes a leaf counts and may ask for, drawn by each leaf.",
        choices=("sqrt", "log2", "share", "all"),
        labels=("square root of their number, and one", "logarithm of their number, and one", "a share", "all"),
    )
    feature_share: float = real(
        default=0.6,
        label="Share of attributes",
        help="The share that a leaf draws, where it draws a share.",
        low=0.0,
        high=1.0,
        open_low=True,
    )
    rate: float = real(
        default=6.0,
        label="Poisson rate",
        help="How many times a tree sees an example on average.",
        low=0.0,
        high=10.0,
        open_low=True,
        lasting=False,
    )
    vote: str = replace(VOTE, default="soft")
    warning_delta: float = real(
        default=0.01,
        label="Chance of a false warning",
        help="How sure a tree's errors must have risen for another to begin to grow. ADWIN's alone.",
        low=0.0,
        high=1.0,
        open_low=True,
        lasting=False,
    )
    delta: float = real(
        default=0.001,
        label="Chance of a false alarm",
        help="How sure a tree's errors must have risen for it to make way. ADWIN's alone.",
        low=0.0,
        high=1.0,
        open_low=True,
        lasting=False,
    )
    drift_detector: str = DRIFT_DETECTOR
    n_jobs: Any = N_JOBS

    def _new_base_model(self) -> BaseModel:
        model = super()._new_base_model()
        wanted = TREES | {"max_features": self.max_features, "feature_share": self.feature_share}
        untold = {name: value for name, value in wanted.items() if getattr(model, name) == getattr(type(model), name)}
        told: BaseModel = clone(model).set_params(**untold)
        return told

    def _n_members(self) -> int:
        return 2 * int(self._given.n_estimators)

    def _start(self, n_members: int) -> None:
        kind, given = self._given.drift_detector, self._given
        self._streams = self._drawing(2 * n_members)
        self._warnings = detectors_of(kind, n_members, given.warning_delta, warning=True)
        self._drifts = detectors_of(kind, n_members, given.delta)
        self._sampling = sampling_streams(self._drifts, self.random_state, 2 * n_members, "drift_detectors")
        self._right, self._seen = np.zeros(n_members), np.zeros(n_members)
        self._growing = np.zeros(n_members, dtype=np.bool_)
        self.n_warnings_ = self.n_replaced_ = 0

    def _learn(self, rows: Rows, examples: TrainingBatch, votes: npt.NDArray[np.float64] = NO_VOTES) -> None:
        self._warnings = with_delta(self._warnings, self._given.warning_delta)
        self._drifts = with_delta(self._drifts, self._given.delta)
        n_members, n_classes, soft = int(self._given.n_estimators), len(self.classes_), self.soft_votes
        counts = np.zeros((n_members, 2), dtype=np.int64)

        def stage(trees: Any, first: int, stop: int) -> Callable[[Drawn], None]:
            members, work = bind(trees, rows), np.empty((5, n_classes))
            forest = Forest(first, stop, self._right, self._seen, self._growing, counts, work)

            def grow(drawn: Drawn) -> None:
                start, times, sampling = drawn
                watchers = Watchers(self._warnings, self._drifts, sampling)
                block = block_of(rows, examples, start, start + len(times))
                _grow_and_watch(members, trees, forest, watchers, block, times, soft, votes)

            return grow

        self._pass_through(stage, n_members, len(examples.labels), with_more=self._with_sampling, whole=True)
        warned, replaced = counts.sum(axis=0).tolist()
        self.n_warnings_, self.n_replaced_ = self.n_warnings_ + warned, self.n_replaced_ + replaced
        known = self._seen > 0
        accuracy = np.divide(self._right, self._seen, out=np.ones(len(known)), where=known)
        self._set_votes(accuracy, np.where(known, 1.0 - accuracy, np.nan))

    def _with_sampling(self, numbers: Numbers) -> Drawn:
        start, draws = numbers
        return start, poisson_counts(float(self._given.rate), draws), sampling_draws(self._sampling, *draws.shape)


@kernel
def _grow_and_watch(members, trees, forest, watchers, block, times, soft, votes):
    """Test and teach every tree, and the one in its background; replace it when it errs more. times: (examples, slots)."""
    rows, labels, weights, n = block.rows, block.labels, block.weights, forest.right.shape[0]
    for j in range(times.shape[0]):
        i = block.start + j
        for m in range(forest.first, forest.stop):
            weight = times[j, m] * weights[i]
            if votes.shape[0] > 0 and soft:
                told = vote_and_learn(members, m, rows, i, labels[i], weight, False, forest.work, forest.work[4])
            else:
                told = predict_and_learn(members, m, rows, i, labels[i], weight, False, forest.work)
            if votes.shape[0] > 0:
                _add_vote(forest, m, told, soft, votes[i])
            if forest.growing[m] and times[j, n + m] > 0:
                learn_one(members, n + m, rows, i, labels[i], times[j, n + m] * weights[i])
            if told >= 0:
                forest.seen[m] += weights[i]
                forest.right[m] += weights[i] if told == labels[i] else 0.0
                _watch_tree(members, trees, forest, watchers, m, j, int(told != labels[i]))


@inner
def _add_vote(forest, m, told, soft, votes):
    trust = forest.right[m] / forest.seen[m] if forest.seen[m] > 0.0 else 1.0
    if soft:
        for c in range(votes.shape[0]):
            votes[c] += trust * forest.work[4, c]
    elif told >= 0:
        votes[told] += trust


@inner
def _watch_tree(members, trees, forest, watchers, m, j, mistake):
    """Take in whether tree m erred: let another begin to grow behind it, or take its place."""
    background = forest.right.shape[0] + m
    if watch(watchers.warnings, m, mistake, watchers.sampling[j, background]) == RISEN:
        forest.counts[m, 0] += 1
        reset(members, background)
        forest.growing[m] = True
        forget_outcomes(watchers.warnings, m)
    if watch(watchers.drifts, m, mistake, watchers.sampling[j, m]) == RISEN:
        forest.counts[m, 1] += 1
        if forest.growing[m]:
            exchange(trees, m, background)
            reset(members, background)
        else:
            reset(members, m)
        forest.growing[m] = False
        forest.right[m], forest.seen[m] = 0.0, 0.0
        forget_outcomes(watchers.warnings, m)
        forget_outcomes(watchers.drifts, m)
