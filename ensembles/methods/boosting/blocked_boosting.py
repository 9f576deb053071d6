"""Blocked boosting: each member learns a block of the stream, half of it what the members so far get wrong.

Breiman's pasting of small votes by importance sampling: thesis, figure 2.9.
"""

from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ensembles.declarations import choice, integer
from ensembles.draws import BLOCK, entropy_of, stream
from ensembles.jit import kernel
from ensembles.learners.core.keeping import whole_or_nothing
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import best_class
from ensembles.methods.core.base import Ensemble

__all__ = ["BlockedBoostingClassifier"]

_FILLED, _TAKEN, _DRAWN, _MISTAKES = range(4)  # where the filling of a block stands


class BlockedBoostingClassifier(Ensemble):
    """Blocked boosting (Breiman's pasting of small votes, Ivotes): one pass over the examples, in their order.

    The first member learns the first `block_size` examples. For every further one, examples that the vote of the members so
    far gets wrong enter the block, others with probability e / (1 - e), where e estimates the share of the wrong ones: so
    half of a block was wrong. An unfinished block is dropped, unless it is the first. Where the examples end
    before there are `n_estimators` members, a `StoppedEarly` warns.

    Attributes
    ----------
    stop_reason_ : str or None
        Why training ended before `n_estimators` members; None if it did not.
    error_estimates_ : array of shape (n_members_,)
        The estimate e after each block.
    n_drawn_ : int
        Examples looked at.

    References
    ----------
    Breiman (1999); Oza (2001), figure 2.9.
    """

    key = "blocked_boosting"
    name = "Blocked boosting"
    position = 220
    family = "boosting"
    summary = "Each member learns its own block of the examples, half of them such as the members before got wrong."
    source = "Oza (2001), figure 2.9"
    weighted = False
    stops_early = True
    order_matters = True
    measures_errors = False
    block_size: int = integer(
        default=100, label="Examples a member", help="How many examples each member learns.", low=1
    )
    mode: str = choice(
        default="ivotes",
        label="First error estimate",
        help="One half, as Breiman; or 1, as printed in the thesis.",
        choices=("ivotes", "literal"),
        labels=("one half", "as printed"),
    )

    @whole_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn block by block, in the order of the examples.

        `sample_weight` is what an example weighs in its block; relative ones as in a base model's `fit`.
        """
        self._forget()
        examples = self._validated_examples(X, y, sample_weight, batch=True)
        n, n_classes = len(examples.labels), len(self.classes_)
        rng = stream(entropy_of(self.random_state), "blocked_boosting", 0)
        filling = Filling(np.empty(min(self._given.block_size, n), dtype=np.int64), np.zeros(4), np.zeros(n_classes))
        block, state, _ = filling
        base_model, estimates, at = self.base_model(), list[float](), 0
        for start in range(0, n, BLOCK):
            stop = min(start + BLOCK, n)
            rows = self._rows(examples.table.take(slice(start, stop)), learning=False)
            votes = base_model.votes_of(self._members, np.ones(len(estimates)), rows, n_classes)
            stretch = Stretch(votes, rng.random(stop - start), start)
            while at < stop and len(estimates) < self._given.n_estimators:
                last = estimates[-1] if estimates else -1.0
                at = _fill_block(filling, stretch, examples.labels, examples.weights, at, last)
                if state[_FILLED] == len(block):
                    m = len(estimates)
                    self._train(examples, block, m)
                    estimates.append(self._estimate(estimates, state))
                    state[:] = 0.0
                    _add_classes(votes, base_model.classes_of(self._members, m, rows, n_classes))
            self._report(stop, n)
            if len(estimates) == self._given.n_estimators:
                break
        self.error_estimates_, self.n_drawn_ = np.array(estimates), int(at)
        self._all_vote(len(estimates), examples)
        ended = f"the {n} examples ended, of which each member learns {len(block)}"
        self._note_stop(
            len(estimates), self._given.n_estimators, ended if len(estimates) < self._given.n_estimators else None
        )
        return self

    def _train(self, examples: TrainingBatch, block: npt.NDArray[np.int64], m: int) -> None:
        rows = self._rows(examples.table.take(block), learning=True)
        self._members = self.base_model().fit_member(
            self._members, m, rows, examples.labels[block], examples.weights[block]
        )

    def _estimate(self, estimates: list[float], state: npt.NDArray[np.float64]) -> float:
        if not estimates:
            return 0.5 if self._given.mode == "ivotes" else 1.0
        estimate: float = 0.75 * estimates[-1] + 0.25 * state[_MISTAKES] / state[_DRAWN]
        return estimate


def _add_classes(votes: npt.NDArray[np.float64], classes: npt.NDArray[np.int64]) -> None:
    voting = np.flatnonzero(classes >= 0)
    votes[voting, classes[voting]] += 1.0


class Filling(NamedTuple):
    """The block that a member will learn, while it is filled."""

    block: np.ndarray  # (block_size,) examples
    state: np.ndarray  # (4,) examples in the block, taken, drawn and wrong
    seen: np.ndarray  # (classes,) weight of each class drawn so far


class Stretch(NamedTuple):
    """The examples from `start` on, about which the members so far were asked."""

    votes: np.ndarray  # (examples, classes)
    draws: np.ndarray  # (examples,) uniform numbers
    start: int


@kernel
def _fill_block(filling, stretch, labels, weights, at, last):
    """Draw examples from `at` on until the block is full or the stretch ends; return the next example to draw.

    last : estimate of the error after the block before, -1 for the first block.
    """
    block, state, seen = filling.block, filling.state, filling.seen
    votes, draws, start = stretch.votes, stretch.draws, stretch.start
    while at < start + draws.shape[0] and state[_FILLED] < block.shape[0]:
        state[_DRAWN] += 1.0
        enters = last < 0.0
        if last >= 0.0:
            enters = best_class(votes[at - start], seen) != labels[at]
            if enters:
                state[_MISTAKES] += 1.0
            else:
                e = 0.75 * last + 0.25 * state[_MISTAKES] / state[_DRAWN]
                enters = draws[at - start] * (1.0 - e) < e
        if enters:
            block[int(state[_FILLED])] = at
            state[_FILLED] += 1.0
        seen[labels[at]] += weights[at]
        at += 1
    return at
