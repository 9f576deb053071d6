"""OSBoost, online SmoothBoost: weights grow with mistakes and never beyond one, so that noise cannot run away with them.

Chen, Lin & Lu (2012), as used by Bai, Lam & Sclaroff (2016), section 5.2.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ensembles.declarations import choice, real
from ensembles.errors import InvalidParameter
from ensembles.learners.core.bound import bind
from ensembles.learners.core.learner import TrainingBatch
from ensembles.learners.core.protocol import Rows
from ensembles.learners.core.sharing import asked_apart
from ensembles.methods.boosting.smooth_chains import COMBINATIONS, Chains, Rules, Workspace, boost_rows, score_rows
from ensembles.methods.core.block import NO_VOTES, Trace, block_of
from ensembles.methods.core.one_vs_rest import OUTPUT, OneVsRestEnsemble, allocate_votes

__all__ = ["OsboostClassifier"]


class OsboostClassifier(OneVsRestEnsemble):
    """OSBoost (online SmoothBoost).

    Two classes; more by one chain of `n_estimators` members a class against all others, or by members that know all classes.
    All classes must be declared with the first examples.

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
        choices=tuple(COMBINATIONS),
        labels=("all alike (OSBoost)", "experts by prefix (EXPBoost)", "learned (OCPBoost)"),
    )

    multiclass: str = choice(
        default="one_vs_rest",
        label="More than two classes",
        help="A chain of members a class against all others, or one chain of members that know all classes.",
        details=(
            "A chain of members a class, which know that class and all others; or one chain of members that know all "
            "classes: a vote is right or wrong, and one member is trained for each that a chain a class has for every class."
        ),
        choices=("one_vs_rest", "together"),
        labels=("a chain a class", "one chain"),
    )

    def _together(self, n_classes: int) -> bool:
        return n_classes > 2 and bool(self._given.multiclass == "together")

    def _chains(self, n_classes: int) -> int:
        return 1 if self._together(n_classes) else super()._chains(n_classes)

    def _sides(self, n_classes: int) -> int:
        return n_classes if self._together(n_classes) else 2

    def _start(self, n_members: int) -> None:  # noqa: ARG002
        if self._together(len(self.classes_)) and self._given.combination == "prefixes":
            raise InvalidParameter(
                f"{self.key}: combination must be one of equal, learned where multiclass is together, "
                f"got {self._given.combination!r}"
            )
        self._streams = []
        shape = self._chains(len(self.classes_)), self._given.n_estimators
        expert_scores = np.full(shape, 1 / self._given.n_estimators if self._given.combination == "learned" else 0.0)
        self._chain = Chains(np.zeros(shape), expert_scores, np.zeros(1, dtype=np.int64))

    @property
    def predicts_while_learning(self) -> bool:  # type: ignore[override]
        """Whether votes before learning tell at once what all predict; experts by prefix are weighed apart."""
        return bool(self._given.combination != "prefixes")

    def _scale(self, scores: npt.NDArray[np.float64]) -> None:
        if self._given.combination == "equal":
            scores /= self._given.n_estimators

    def _learn(self, rows: Rows, examples: TrainingBatch, votes: npt.NDArray[np.float64] = NO_VOTES) -> None:
        kept = Trace(self._allocate_weights(len(examples.labels)), votes)
        members = bind(self._members, rows, one_by_one=True)
        rules = Rules(float(self._given.gamma), self._given.output == "real", COMBINATIONS[self._given.combination])
        rules = rules._replace(together=self._together(len(self.classes_)))
        workspace = Workspace(np.empty((5, self._sides(len(self.classes_)))), np.empty(self._given.n_estimators))
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
        n_classes = len(self.classes_)
        if self._together(n_classes):
            soft, weights = self._given.output == "real", self._expert_weights().ravel()
            scores += self.base_model().votes_of(self._members, weights, rows, n_classes=n_classes, soft=soft)
        else:
            self._score_chains(rows, scores)
        self._scale(scores)

    def _score_chains(self, rows: Rows, scores: npt.NDArray[np.float64]) -> None:
        members = asked_apart(self._members)
        score_rows(
            bind(members, rows),
            self._expert_weights(),
            rows,
            COMBINATIONS[self._given.combination],
            np.empty(len(scores)),
            allocate_votes(len(scores), self._given.output == "real"),
            scores,
        )

    def _staged_scores(self, rows: Rows) -> Iterator[npt.NDArray[np.float64]]:
        if not self._together(len(self.classes_)):
            yield from super()._staged_scores(rows)
            return
        base_model = self.base_model()
        known, votes = np.arange(len(self.classes_)), np.zeros((len(rows.codes), len(self.classes_)))
        for m, weight in enumerate(self.member_weights_):
            if self._given.output == "real":
                votes += weight * base_model.probabilities_of(self._members, m, rows, len(known))
            else:
                votes += weight * (base_model.classes_of(self._members, m, rows, len(known))[:, None] == known)
            yield votes

    def _counted(
        self, m: int, votes: npt.NDArray[np.float64], lead: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.float64]:
        counted = np.sign(lead) if self._given.combination == "prefixes" else votes
        weighted: npt.NDArray[np.float64] = self._expert_weights().ravel()[m] * counted
        return weighted

    def _probabilities(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.clip(scores if self._together(len(self.classes_)) else (1 + scores) / 2, 0.0, 1.0)
