"""OSBoost, online SmoothBoost: weights grow with mistakes and never beyond one, so that noise cannot run away with them.

Chen, Lin & Lu (2012), as used by Bai, Lam & Sclaroff (2016), section 5.2.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils.metaestimators import available_if

from ensembles.data.table import Table
from ensembles.declarations import choice, real
from ensembles.exact import quantise_one
from ensembles.jit import inner, kernel, part
from ensembles.learners.core.bound import bind
from ensembles.learners.core.keeping import whole_or_nothing
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows, learn_one, predict_and_learn, prepare_example
from ensembles.methods.core.block import NO_VOTES, Trace, block_of
from ensembles.methods.core.one_vs_rest import OUTPUT, OneVsRestEnsemble, allocate_votes, ask, side_of, signed_vote
from ensembles.methods.core.online import most_voted_in_order

__all__ = ["Chains", "OsboostClassifier", "Rules", "Workspace", "boost_rows", "project_votes"]

#: Ways to count the votes of a chain, and what kernels call them.
_COMBINATIONS = {"equal": 0, "prefixes": 1, "learned": 2}
_PREFIXES, _LEARNED = 1, 2


class OsboostClassifier(OneVsRestEnsemble):
    """OSBoost (online SmoothBoost).

    Two classes; more by one chain of `n_estimators` members a class against all others. All classes must be declared
    with the first examples.

    Attributes
    ----------
    member_weights_ : array of shape (n_members_,)
        How much each vote counts, in [0, 1]; of "prefixes" the share of the experts that ask this member; chain by chain.
    member_errors_ : array of shape (n_members_,)
        Share of the weight of examples for which each member voted wrong before learning them; chain by chain.
    example_weights_ : array of shape (n_members_, examples)
        If the attribute `keep_weights` was set to True before training: the weights with which the examples of the last
        call came to each member, 1 for the first; chain by chain.

    References
    ----------
    Chen, Lin & Lu (2012), section 4; Bai, Lam & Sclaroff (2016), section 5.2.
    """

    key = "osboost"
    name = "OSBoost"
    position = 280
    family = "boosting"
    summary = "Boosting in one pass with smooth weights, never above one: noisy examples do no great harm."
    source = "Chen, Lin & Lu (2012), section 4"
    gamma: float = real(
        default=0.1,
        label="Edge",
        help="How much better than random guessing members are.",
        low=0.0,
        high=0.9999,
        open_low=True,
    )
    output: str = OUTPUT
    combination: str = choice(
        default="equal",
        label="Combination",
        help="How much the votes of members count.",
        details=(
            "All votes count alike; or those of the first 1, 2, ..., M members are M experts, and an expert's "
            "vote counts half as much after each of its mistakes (EXPBoost); or the weights of the votes go down "
            "the slope of max(0, theta - y score) with steps 1 / sqrt(t), and stay positive with sum one "
            "(OCPBoost)."
        ),
        choices=tuple(_COMBINATIONS),
        labels=("all alike (OSBoost)", "experts by prefix (EXPBoost)", "learned (OCPBoost)"),
    )

    def _start(self, n_members: int) -> None:  # noqa: ARG002
        self._streams = []
        shape = self._chains(len(self.classes_)), self._given.n_estimators
        expert_scores = np.full(shape, 1 / self._given.n_estimators if self._given.combination == "learned" else 0.0)
        self._chain = Chains(np.zeros(shape), expert_scores, np.zeros(1, dtype=np.int64))

    @property
    def predicts_while_learning(self) -> bool:  # type: ignore[override]
        """Whether votes before learning tell at once what all predict; experts by prefix are weighed apart."""
        return bool(self._given.combination != "prefixes")

    @available_if(lambda self: self.predicts_while_learning)
    @whole_or_nothing
    def predict_then_learn(
        self, X: Table, labels: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64]]:
        """Predict each example, then learn it, as `BaseModel.predict_then_learn`."""
        prior, scores = self._prior.copy(), np.zeros((len(labels), self._chains(len(self.classes_))))
        self._learn_examples(self._unchecked_examples(X, labels), votes=scores)
        if self._given.combination == "equal":
            scores /= self._given.n_estimators
        sides = scores if scores.shape[1] > 1 else np.column_stack([-scores, scores])
        chosen = np.empty(len(labels), dtype=np.int64)
        most_voted_in_order(sides, labels, prior, chosen)
        return self.classes_[chosen], self._chances(scores)

    def _learn(self, rows: Rows, examples: TrainingBatch, votes: npt.NDArray[np.float64] = NO_VOTES) -> None:
        kept = Trace(self._allocate_weights(len(examples.labels)), votes)
        members = bind(self._members, rows, one_by_one=True)
        rules = Rules(float(self._given.gamma), self._given.output == "real", _COMBINATIONS[self._given.combination])
        workspace = Workspace(np.empty((5, 2)), np.empty(self._given.n_estimators))
        for start, draws in self._blocks(len(examples.labels)):
            block = block_of(rows, examples, start, start + len(draws))
            boost_rows(members, self._chain, block, rules, kept, workspace)
        expert_weights = self._expert_weights()
        if self._given.combination == "prefixes":
            expert_weights = np.cumsum(expert_weights[:, ::-1], axis=1)[:, ::-1]
        elif self._given.combination == "equal":
            expert_weights = expert_weights / self._given.n_estimators
        self._set_votes(expert_weights.ravel(), self._chain.wrong.ravel() / self._prior.sum())

    def _expert_weights(self) -> npt.NDArray[np.float64]:
        """Return what the vote of each member, or expert, counts, shape (chains, members); 1 where all count alike."""
        expert_scores = self._chain.expert_scores
        if self._given.combination == "prefixes":
            votes = 0.5 ** (expert_scores - expert_scores.min(axis=1, keepdims=True))
            shares: npt.NDArray[np.float64] = votes / votes.sum(axis=1, keepdims=True)
            return shares
        return expert_scores.copy() if self._given.combination == "learned" else np.ones(expert_scores.shape)

    def _scores(self, rows: Rows, scores: npt.NDArray[np.float64]) -> None:
        _score_rows(
            bind(self._members, rows),
            self._expert_weights(),
            rows,
            _COMBINATIONS[self._given.combination],
            np.empty(len(scores)),
            allocate_votes(len(scores), self._given.output == "real"),
            scores,
        )
        if self._given.combination == "equal":
            scores /= self._given.n_estimators

    def _counted(
        self, m: int, votes: npt.NDArray[np.float64], lead: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        counted = np.sign(lead) if self._given.combination == "prefixes" else votes
        weighted: npt.NDArray[np.float64] = self._expert_weights().ravel()[m] * counted
        return weighted

    def _probabilities(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.clip((1 + scores) / 2, 0.0, 1.0)


class Chains(NamedTuple):
    """What chains of members have learned.

    expert_scores : of "prefixes" the weight of the examples that experts got wrong; of "learned" the votes
    """

    wrong: np.ndarray  # (chains, members) weight of examples that members got wrong
    expert_scores: np.ndarray  # (chains, members)
    seen: np.ndarray  # (1,) examples


class Rules(NamedTuple):
    """The edge, whether members vote by probabilities, and how votes are combined, by its number."""

    gamma: float
    real: bool
    combination: int


class Workspace(NamedTuple):
    """Room to work in."""

    scores: np.ndarray  # (5, 2) for members
    votes: np.ndarray  # (members of a chain,) as +1 right or -1 wrong


@kernel
def boost_rows(members, chains, block, rules, kept, workspace):
    """Pass the examples of a block through all chains.

    kept : room for their weights, or no rows; for the scores of chains before they learn, (examples, chains), or no rows
    """
    rows, labels, weights, votes, scores = block.rows, block.labels, block.weights, workspace.votes, kept.votes
    wrong, expert_scores, combination = chains.wrong, chains.expert_scores, rules.combination
    theta, decay = rules.gamma / (2.0 + rules.gamma), 0.5 * math.log(1.0 - rules.gamma)
    for i in range(block.start, block.stop):
        chains.seen[0] += 1
        prepare_example(members, rows, i)
        for chain in range(wrong.shape[0]):
            side, lead, weight, total = side_of(labels[i], chain, wrong.shape[0]), 0.0, 1.0, 0.0
            for j in range(wrong.shape[1]):
                m = chain * wrong.shape[1] + j
                if kept.weights.shape[0] > 0:
                    kept.weights[i, m] = weight * weights[i]
                told = _ask_and_teach(members, m, rows, i, side, quantise_one(weight * weights[i]), rules, workspace)
                if scores.shape[0] > 0:
                    scores[i, chain] += told * (expert_scores[chain, j] if combination == _LEARNED else 1.0)
                vote = (2.0 * side - 1.0) * told
                votes[j] = vote
                lead += vote - theta
                total += vote
                if vote <= 0.0:
                    wrong[chain, j] += weights[i]
                if combination == _PREFIXES and total <= 0.0:
                    expert_scores[chain, j] += weights[i]
                weight = 1.0 if lead <= 0.0 else math.exp(decay * lead)
            if combination == _LEARNED:
                _step(expert_scores, chain, votes, theta, weights[i] / math.sqrt(chains.seen[0]))


@inner
def _ask_and_teach(members, m, rows, i, side, share, rules, workspace):
    """Return the vote of member m as `signed_vote`, then show it the example, unless its weight is 0."""
    if rules.real:
        vote = signed_vote(members, m, rows, i, True, workspace.scores)
        if share > 0.0:
            learn_one(members, m, rows, i, side, share)
        return vote
    predicted = predict_and_learn(members, m, rows, i, side, share, False, workspace.scores)
    return 2.0 * predicted - 1.0 if predicted >= 0 else 0.0


@part
def _step(expert_scores, chain, votes, theta, length):
    """Move the votes of a chain down the slope of max(0, theta - score), and back to votes of sum one."""
    score = 0.0
    for j in range(votes.shape[0]):
        score += expert_scores[chain, j] * votes[j]
    if score < theta:
        for j in range(votes.shape[0]):
            expert_scores[chain, j] += length * votes[j]
        project_votes(expert_scores, chain)


@inner
def project_votes(expert_scores, chain):
    """Write the nearest votes that are positive with sum one (Michelot 1986): those below the excess drop out for good."""
    staying, excess = expert_scores.shape[1] + 1, -math.inf
    while True:
        total, above = 0.0, 0
        for j in range(expert_scores.shape[1]):
            if expert_scores[chain, j] > excess:
                total += expert_scores[chain, j]
                above += 1
        if above == staying:
            break
        staying, excess = above, (total - 1.0) / above
    for j in range(expert_scores.shape[1]):
        expert_scores[chain, j] = max(expert_scores[chain, j] - excess, 0.0)


@kernel
def _score_rows(members, expert_weights, rows, combination, leads, votes, scores):
    """Add up what members, or experts, vote in each chain, class 1 as +1, class 0 as -1, a member without training as 0."""
    for chain in range(expert_weights.shape[0]):
        leads[:] = 0.0
        for j in range(expert_weights.shape[1]):
            ask(members, chain * expert_weights.shape[1] + j, rows, votes)
            for i in range(scores.shape[0]):
                vote = votes.signed[i]
                if combination == _PREFIXES:
                    leads[i] += vote
                    vote = 1.0 if leads[i] > 0.0 else -1.0 if leads[i] < 0.0 else 0.0
                scores[i, chain] += expert_weights[chain, j] * vote
