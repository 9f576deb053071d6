"""Adaboost.OLM: online multiclass boosting that learns the votes of its members, and which of its prefixes to believe.

Jung, Goetz & Tewari (2017), algorithm 2.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Table
from ensembles.declarations import choice, real
from ensembles.draws import entropy_of, stream
from ensembles.learners.core.bound import bind
from ensembles.learners.core.keeping import whole_or_nothing
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows
from ensembles.learners.core.sharing import asked_apart
from ensembles.learners.core.unseen import unseen_apart
from ensembles.methods.core.block import block_of
from ensembles.methods.core.online import OnlineEnsemble
from ensembles.methods.core.show import most_voted_in_order
from ensembles.methods.multiclass_boosting.cost_sensitive import ROWS_OF_WORK, WEIGHT_SCALE, allocate_told, scales_of
from ensembles.methods.multiclass_boosting.expert_chain import (
    Chain,
    Experts,
    Predicted,
    Steps,
    Workspace,
    boost_rows,
    predict_rows,
)
from ensembles.methods.multiclass_boosting.surrogates import LOSSES

__all__ = ["AdaBoostOlmClassifier"]

NOT_WANTED = Predicted(np.empty((0, 0), dtype=np.int64), np.empty((0, 0)))


class AdaBoostOlmClassifier(OnlineEnsemble):
    """Adaboost.OLM: adaptive online multiclass boosting.

    Members vote one after another; costs are the gradient of the loss at the votes so far. Expert i predicts by the weighted
    votes of the first i members; an expert loses a factor e with each mistake. All classes must be declared with the first
    examples.

    Attributes
    ----------
    member_weights_ : array of shape (n_estimators,)
        Votes of the members, in [-2, 2].
    member_errors_ : array of shape (n_estimators,)
        Share of the weight of examples for which each member voted wrong before learning them.
    member_edges_ : array of shape (n_estimators,)
        Empirical edge of each member, in [-1, 1]: sum of C[y, vote] over sum of C[y, y].
    expert_errors_ : array of shape (n_estimators,)
        As `member_errors_`, for the experts.

    example_weights_ : array of shape (n_estimators, examples)
        If the attribute `keep_weights` was set to True before training: the weights with which the examples of the last
        call came to each member.

    References
    ----------
    Jung, Goetz & Tewari (2017), algorithm 2, equations 8 to 10; Beygelzimer, Kale & Luo (2015), section 4.
    """

    key = "adaboost_olm"
    name = "Adaboost.OLM"
    position = 270
    family = "boosting"
    summary = "Adaptive boosting in one pass for any number of classes: learns the members' votes and how many to ask."
    source = "Jung, Goetz & Tewari (2017), algorithm 2"
    needs_classes = True
    predicts_while_learning = True
    loss: str = choice(
        default="logistic",
        label="Loss",
        help="What the votes go down on.",
        choices=tuple(LOSSES),
        labels=("logistic", "exponential", "square hinge (constants ours)"),
    )
    expert: str = choice(
        default="sample",
        label="Who predicts",
        help="An expert drawn by its weight, the one with fewest mistakes, or all of them by weight.",
        details=(
            "Who predicts: an expert drawn by its weight, as published; the one with fewest mistakes (the longest"
            " of several); or all, each with its weight. The draw is a function of the seed and of how many "
            "examples have been learned, so that predicting again gives the same classes; `predict_proba` is the "
            "weight of the experts for each class in any case."
        ),
        choices=("sample", "best", "weighted"),
        labels=("a drawn expert", "the best expert", "all experts by weight"),
        lasting=False,
    )
    gradient: str = choice(
        default="exact",
        label="Slope of a right vote",
        help="The derivative, or what the authors' program has in its place.",
        details=(
            '"code": the slope by a right vote as in the authors\' program, with another sign in the exponent '
            "(logistic loss only)."
        ),
        choices=("exact", "code"),
        labels=("exact", "as in the program"),
    )
    weight_scale: str = replace(
        WEIGHT_SCALE,
        details='"raw": weights -C[y, y] / (K - 1), for the square hinge divided by 2 i - 1; "jung": times a constant '
        "drawn for each member from [5, 200), member 1 always 5 (exponential: 10 / exp(0.2 sqrt(i - 1))); "
        '"auto": "jung" for Hoeffding trees, which need weight to split, "raw" for all others. The weights of the '
        "exponential are at most 10000.",
    )
    eta: float = real(
        default=0.0,
        label="Step",
        help="Steps are this over the root of the examples seen; 0: as published.",
        details=(
            "Steps are eta / sqrt(t); 0: as published, 2 sqrt(2) / ((K - 1) sqrt(t)) for the logistic loss. With "
            "eta = 4 and two classes, this is AdaBoost.OL."
        ),
        low=0.0,
        high=1000.0,
        lasting=False,
    )

    def _start(self, n_members: int) -> None:
        self._seed, self._streams = entropy_of(self.random_state), []
        scales = scales_of(self._given.weight_scale, self.base_model(), self._seed, n_members)
        self._chain = Chain(
            scales=np.zeros(n_members) if scales is None else scales,
            prior=np.zeros(len(self.classes_)),
            alphas=np.zeros(n_members),
            mistakes=np.zeros((2, n_members)),
            edges=np.zeros((2, n_members)),
            seen=np.zeros(1, dtype=np.int64),
        )

    def _workspace(self, n_asked: int = 0) -> Workspace:
        n = len(self.classes_)
        told = allocate_told(self._given.n_estimators, n_asked, n)
        return Workspace(np.zeros(n), np.zeros((n, n)), np.zeros((ROWS_OF_WORK, n)), told, LOSSES[self._given.loss])

    @whole_or_nothing
    @unseen_apart
    def predict_then_learn(
        self, X: Table, labels: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Predict each example, then learn it, as `BaseModel.predict_then_learn`."""
        shape = len(labels), int(self._given.n_estimators)
        predicted = Predicted(np.empty(shape, dtype=np.int64), np.empty(shape))
        prior, seen, every = self._prior.copy(), int(self._chain.seen[0]), np.arange(len(labels))
        self._learn_examples(self._unchecked_examples(X, labels), predicted=predicted)
        weights, votes = _weights_of(predicted.mistakes), np.zeros((len(labels), len(self.classes_)))
        for said, weight in zip(predicted.classes.T, weights.T, strict=True):
            votes[every, said] += weight
        if self._given.expert == "weighted":
            chosen = np.empty(len(labels), dtype=np.int64)
            most_voted_in_order(votes, labels, prior, chosen)
        else:
            chosen = predicted.classes[every, self._experts(weights, seen)]
        return self.classes_[chosen], self._shared(votes)

    def _learn(self, rows: Rows, examples: TrainingBatch, predicted: Predicted = NOT_WANTED) -> None:
        chain, workspace, kept = self._chain, self._workspace(), self._allocate_weights(len(examples.labels))
        members = bind(self._members, rows, one_by_one=True)
        as_program = self._given.gradient == "code" and self._given.loss == "logistic"
        steps = Steps(as_program, float(self._given.eta))
        for start, draws in self._blocks(len(examples.labels)):
            block = block_of(rows, examples, start, start + len(draws))
            boost_rows(members, chain, workspace, block, steps, kept, predicted)
        errors, self.expert_errors_ = chain.mistakes / chain.prior.sum()
        got, possible = chain.edges
        self.member_edges_ = np.divide(got, possible, out=np.zeros(len(got)), where=possible < 0)
        self._set_votes(chain.alphas.copy(), errors)

    def _experts(self, weights: npt.NDArray[np.float64], seen: int) -> npt.NDArray[np.int64]:
        """Return the numbers of the experts that predict, of their weights (examples, members), from example `seen` on."""
        n, last = len(weights), weights.shape[1] - 1
        chosen: npt.NDArray[np.int64]
        if self._given.expert == "best":
            chosen = last - np.argmax(weights[:, ::-1], axis=1)
            return chosen
        uniform = np.array([stream(self._seed, "experts", seen + i).random() for i in range(n)])
        drawn = (uniform * weights.sum(axis=1))[:, np.newaxis]
        chosen = np.minimum(np.count_nonzero(np.cumsum(weights, axis=1) <= drawn, axis=1), last)
        return chosen

    def _expert(self) -> int:
        """Return the number of the expert that predicts after the examples seen so far."""
        return int(self._experts(_weights_of(self._chain.mistakes[1:]), int(self._chain.seen[0]))[0])

    def predict(self, X: Any) -> npt.NDArray[Any]:
        if self._given.expert == "weighted":
            return super().predict(X)
        chosen = self._predict_members(X, keep=False)[1]
        return self.classes_[chosen]

    @property
    def _decides_by_votes(self) -> bool:
        """Whether all experts predict, and not one of them."""
        return bool(self._given.expert == "weighted")

    def _votes(self, X: Any) -> npt.NDArray[np.float64]:
        return self._predict_members(X, keep=False)[0]

    def member_classes(self, X: Any) -> npt.NDArray[np.int64]:
        """Return what each member votes for in its turn, as `Ensemble.member_classes`."""
        return self._predict_members(X, keep=True)[2].T

    def _predict_members(
        self, X: Any, *, keep: bool
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the weight of the experts for each class, the class of the expert that predicts and, to be kept, what each
        member told: (examples, members)."""
        rows = self._rows(self._encoded(X), learning=False)
        n = len(rows.codes)
        votes, chosen = np.zeros((n, len(self.classes_))), np.empty(n, dtype=np.int64)
        predicted = np.empty((n if keep else 0, self._given.n_estimators), dtype=np.int64)
        experts = Experts(_weights_of(self._chain.mistakes[1:])[0], self._expert())
        workspace, members = self._workspace(n_asked=n), asked_apart(self._members)
        predict_rows(bind(members, rows), self._chain, workspace, rows, experts, votes, chosen, predicted)
        return votes, chosen, predicted


def _weights_of(mistakes: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the weights of experts, the largest 1, from what they have got wrong: both (examples, members)."""
    weights: npt.NDArray[np.float64] = np.exp(mistakes.min(axis=1, keepdims=True) - mistakes)
    return weights
