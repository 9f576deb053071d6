"""What all methods share that weigh the members of a pool by what they answer.

The weights of the members never touch what the members learn. So members answer a block of examples one after another, each
in the order of the examples, and the weights are found from the table of answers: kernels for members know nothing of
weights, kernels for weights nothing of members.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.learners.core.learner import TrainingBatch
from ensembles.methods.core.pool_predictions import MemberPredictions
from ensembles.methods.core.weight_history import new_record
from ensembles.methods.weighting.pretrained_pool import PretrainedPool

__all__ = ["Labelled", "Told", "WeightedPool"]


class Labelled(NamedTuple):
    """What is known of a block of examples that members are weighed by."""

    labels: np.ndarray  # (examples,)
    weights: np.ndarray  # (examples,)
    prior: np.ndarray  # (classes,) weight of each class so far, which grows
    later: MemberPredictions  # once members have learned each, where losses are of these; else without rows


class Told(NamedTuple):
    """What the weights of the moment say of each example, before its class is taken into them."""

    classes: np.ndarray  # (examples,)
    votes: np.ndarray  # (examples, classes) as for a prediction; without rows where nobody wants them


class WeightedPool(PretrainedPool):
    """Members of a pool that are weighed, example by example; subclasses say how (`_start`, `_weigh`, `_count`).

    Attributes
    ----------
    member_weights_ : array of shape (n_estimators,)
    member_errors_ : array of shape (n_estimators,)
        Share of the weighed examples that each member got wrong, NaN before the first.
    online_error_ : float
        Share of the weighed examples that the ensemble got wrong, each told before its class was seen.
    weight_times_, weight_history_ : arrays of shape (points,) and (points, n_estimators)
        Member weights after so many weighed examples, at up to 500 points.
    """

    def _begin(self, goal: int, expected: int) -> None:
        super()._begin(goal, expected)
        self._record = new_record(self._given.n_estimators)
        self._start()

    def _start(self) -> None:
        """Begin with weights before the first of `_expected` examples; 0 if their number is not known."""
        raise NotImplementedError

    def _learn_rest(self, rest: TrainingBatch, used: int, votes: npt.NDArray[np.float64]) -> None:
        """Weigh the members on the examples; those that are updated learn them."""
        before = self._prior - np.bincount(rest.labels, rest.weights, minlength=len(self.classes_))
        for part, predictions, later in self._predicted_blocks(rest):
            told = Told(np.empty(part.stop - part.start, dtype=np.int64), votes[part])
            self._weigh(predictions, Labelled(rest.labels[part], rest.weights[part], before, later), told)
            self._report(used + part.stop, used + len(rest.labels))
        self._sum_up()

    def _weigh(self, predictions: MemberPredictions, examples: Labelled, told: Told) -> None:
        """Tell the class of each example of a block, then take its class into the weights."""
        raise NotImplementedError

    def _sum_up(self) -> None:
        record, total = self._record, self._record.own[0]
        errors = record.wrong / total if total > 0 else np.full(self._given.n_estimators, np.nan)
        self._set_votes(self._weights_of_members().copy(), errors)
        self.online_error_ = float(record.own[1] / total) if total > 0 else math.nan

    def _weights_of_members(self) -> npt.NDArray[np.float64]:
        raise NotImplementedError

    @property
    def weight_times_(self) -> npt.NDArray[np.int64]:
        """How many examples had been weighed at each point of the history."""
        self._check_learned()
        return self._record.times[: self._record.cursor[0]]

    @property
    def weight_history_(self) -> npt.NDArray[np.float64]:
        """The member weights at these times, shape (points, n_estimators)."""
        self._check_learned()
        return self._record.history[: self._record.cursor[0]]
