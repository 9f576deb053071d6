"""OGBoost, online GradientBoost: an example weighs what the loss would fall by if the sum of votes moved its way.

Leistner, Saffari, Roth & Bischof (2009), as used by Bai, Lam & Sclaroff (2016), section 5.2.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ensembles.declarations import choice, integer
from ensembles.exact import quantise_one
from ensembles.jit import inner, kernel
from ensembles.learners.core.bound import bind
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows, learn_one
from ensembles.learners.core.sharing import asked_apart
from ensembles.methods.core.block import NO_VOTES, Trace, block_of
from ensembles.methods.core.one_vs_rest import OUTPUT, OneVsRestEnsemble, allocate_votes, ask, side_of, signed_vote

__all__ = ["LOSSES", "OgboostClassifier", "Rules", "Selectors", "boost_rows", "slope_of"]

LOSSES = {"logit": 0, "exp": 1, "doom": 2, "savage": 3}
_HEAVIEST = 1e4


class OgboostClassifier(OneVsRestEnsemble):
    """OGBoost (online GradientBoost).

    A chain of `n_estimators` selectors; each holds some members and votes with the one that has erred least. Two classes;
    more by one chain a class against all others. All classes must be declared with the first examples.

    Attributes
    ----------
    member_errors_ : array of shape (n_members_,)
        Weighted error of each member, tested right after it has learned an example; NaN before. Chain by chain.
    member_weights_ : array of shape (n_members_,)
        1 for members that their selector votes with, else 0.
    example_weights_ : array of shape (n_members_, examples)
        If the attribute `keep_weights` was set to True before training: the weights with which the examples of the last
        call came to each member; chain by chain.

    References
    ----------
    Leistner et al. (2009), algorithm 1; Bai, Lam & Sclaroff (2016), section 5.2.
    """

    key = "ogboost"
    name = "OGBoost"
    position = 290
    family = "boosting"
    summary = "Gradient boosting in one pass: examples weigh by the slope of a loss at the votes of the members before."
    source = "Leistner et al. (2009), algorithm 1"
    n_weak: int = integer(
        default=1,
        label="Members a selector",
        help="A selector votes with its best member.",
        details=(
            "Members of a selector. All see the same examples with the same weights, so more than one only helps "
            "if members differ from the start, as neural networks and randomised Hoeffding trees do."
        ),
        low=1,
        high=100,
    )
    loss: str = choice(
        default="logit",
        label="Loss",
        help="Of the margin; its slope is the weight of an example.",
        details="ln(1 + e^-z), e^-z, 1 - tanh(z) or 1 / (1 + e^(2z))^2 of the margin z; weights are at most 10000.",
        choices=tuple(LOSSES),
        labels=("logistic", "exponential", "DOOM II", "savage"),
    )
    output: str = OUTPUT
    predicts_while_learning = True

    def _chain_length(self) -> int:
        return int(self._given.n_estimators * self._given.n_weak)

    def _start(self, n_members: int) -> None:  # noqa: ARG002
        self._streams = []
        shape = self._chains(len(self.classes_)), self._given.n_estimators, self._given.n_weak
        self._selectors = Selectors(np.zeros(shape), np.zeros(shape[:2]))

    def _learn(self, rows: Rows, examples: TrainingBatch, votes: npt.NDArray[np.float64] = NO_VOTES) -> None:
        kept = Trace(self._allocate_weights(len(examples.labels)), votes)
        members = bind(self._members, rows, one_by_one=True)
        rules, work = Rules(LOSSES[self._given.loss], self._given.output == "real"), np.empty((5, 2))
        for start, draws in self._blocks(len(examples.labels)):
            block = block_of(rows, examples, start, start + len(draws))
            boost_rows(members, self._selectors, block, rules, kept, work)
        wrong = self._selectors.wrong
        tested = np.broadcast_to(self._selectors.tested[:, :, None], wrong.shape)
        errors = np.divide(wrong, tested, out=np.full(tested.shape, np.nan), where=tested > 0)
        chosen = wrong.argmin(axis=2)[:, :, None] == np.arange(self._given.n_weak)
        self._set_votes(chosen.ravel().astype(np.float64), errors.ravel())

    def _scores(self, rows: Rows, scores: npt.NDArray[np.float64]) -> None:
        members = asked_apart(self._members)
        _score_rows(
            bind(members, rows),
            self.member_weights_,
            rows,
            allocate_votes(len(scores), self._given.output == "real"),
            scores,
        )

    def _probabilities(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return 1 / (1 + np.exp(-np.clip(scores, -500, 500)))


class Selectors(NamedTuple):
    """What chains of selectors have met."""

    wrong: np.ndarray  # (chains, selectors, members) weight of the examples that members got wrong
    tested: np.ndarray  # (chains, selectors) weight of the examples that came


class Rules(NamedTuple):
    """The loss, by its number, and whether members vote by probabilities."""

    loss: int
    real: bool


@inner
def slope_of(loss, z):
    """Return how fast the loss falls with the margin z."""
    if loss == 1:
        return min(math.exp(min(-z, 500.0)), _HEAVIEST)
    if loss == 2:
        return 1.0 - math.tanh(z) * math.tanh(z)
    if loss == 3:
        e = math.exp(-2.0 * abs(z))
        return 4.0 * e * (e if z > 0.0 else 1.0) / ((1.0 + e) * (1.0 + e) * (1.0 + e))
    e = math.exp(-abs(z))
    return (e if z > 0.0 else 1.0) / (1.0 + e)


@kernel
def boost_rows(members, selectors, block, rules, kept, work):
    """Pass the examples of a block through all chains; kept: room for their weights and for the votes of each chain."""
    rows, wrong, weights, loss = block.rows, selectors.wrong, block.weights, rules.loss
    n_chains, length, n_weak = wrong.shape
    asked = kept.votes.shape[0] > 0
    for i in range(block.start, block.stop):
        for chain in range(n_chains):
            side, total, weight = side_of(block.labels[i], chain, n_chains), 0.0, slope_of(loss, 0.0) * weights[i]
            sign = 2.0 * side - 1.0
            for j in range(length):
                share = quantise_one(weight)
                least, chosen = np.inf, 0.0
                least_before, chosen_before = np.inf, 0.0
                for k in range(n_weak):
                    m = (chain * length + j) * n_weak + k
                    if kept.weights.shape[0] > 0:
                        kept.weights[i, m] = weight
                    if asked and wrong[chain, j, k] < least_before:
                        least_before = wrong[chain, j, k]
                        chosen_before = signed_vote(members, m, rows, i, rules.real, work)
                    if share > 0.0:
                        learn_one(members, m, rows, i, side, share)
                    vote = signed_vote(members, m, rows, i, rules.real, work)
                    if vote * sign <= 0.0:
                        wrong[chain, j, k] += weight
                    if wrong[chain, j, k] < least:
                        least, chosen = wrong[chain, j, k], vote
                if asked:
                    kept.votes[i, chain] += chosen_before
                selectors.tested[chain, j] += weight
                total += chosen
                weight = slope_of(loss, sign * total) * weights[i]


@kernel
def _score_rows(members, chosen, rows, votes, scores):
    """Add up the votes of the chosen members of each chain."""
    length = chosen.shape[0] // scores.shape[1]
    for chain in range(scores.shape[1]):
        for m in range(chain * length, (chain + 1) * length):
            if chosen[m] > 0.0:
                ask(members, m, rows, votes)
                for i in range(scores.shape[0]):
                    scores[i, chain] += votes.signed[i]
