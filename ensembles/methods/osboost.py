"""OSBoost, online SmoothBoost: weights grow with mistakes and never beyond one, so that noise cannot run away with them.

Chen, Lin & Lu (2012), as used by Bai, Lam & Sclaroff (2016), section 5.2.
"""

import math

import numpy as np

from ensembles.exact import quantise_one
from ensembles.jit import kernel
from ensembles.learners.protocol import learn
from ensembles.methods.base import MEMBERS
from ensembles.methods.one_vs_rest import OUTPUT, OneVsRestEnsemble, side_of, signed_vote
from ensembles.parameters import Real

__all__ = ["OsboostClassifier"]


class OsboostClassifier(OneVsRestEnsemble):
    """OSBoost (online SmoothBoost).

    Two classes; more by one chain of members a class against all others. All classes must be declared with the first
    examples.

    Parameters
    ----------
    estimator : online base model, optional
        Naive Bayes by default.
    n_estimators : int
        Members of a chain, in [1, 10000].
    gamma : float
        Edge of a member over random guessing, in (0, 1).
    output : {"hard", "real"}
        Members vote -1 or 1, or their chance of class 1 stretched to [-1, 1].
    random_state : int, RandomState or None
        Seed of members that draw; the method itself draws nothing.

    Attributes
    ----------
    member_errors_ : array of shape (n_members_,)
        Share of the weight of examples for which each member voted wrong before learning them; chain by chain.
    example_weights_ : array of shape (n_members_, examples)
        If the attribute `keep_weights` was set to True before training: the weights with which the examples of the last
        call came to each member, 1 for the first; chain by chain.

    Notes
    -----
    The authors' EXPBoost and OCPBoost, which learn the votes of the members, are left out: here all count alike.

    References
    ----------
    Chen, Lin & Lu (2012), section 4; Bai, Lam & Sclaroff (2016), section 5.2.
    """

    key = "osboost"
    name = "OSBoost"
    family = "boosting"
    summary = "Boosting in one pass with smooth weights, never above one: noisy examples do no great harm."
    source = "Chen, Lin & Lu (2012), section 4"
    parameters = (
        MEMBERS,
        Real("gamma", 0.1, "Edge", "How much better than random guessing members are.", 0.0, 0.9999, open_low=True),
        OUTPUT,
    )

    def __init__(self, estimator=None, n_estimators=100, gamma=0.1, output="hard", random_state=None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.gamma = gamma
        self.output = output
        self.random_state = random_state

    def _start(self, n_members):  # noqa: ARG002
        self._streams = []
        self._wrong = np.zeros((self._chains(len(self.classes_)), self.n_estimators))

    def _learn(self, rows, examples):
        kept = self._room_for_weights(len(examples.labels))
        for start, draws in self._blocks(len(examples.labels)):
            _boost_rows(
                self._members,
                self._wrong,
                rows,
                examples.labels,
                examples.weights,
                start,
                start + len(draws),
                float(self.gamma),
                self.output == "real",
                kept,
                np.empty((5, 2)),
            )
        self._set_votes(np.full(self._wrong.size, 1 / self.n_estimators), self._wrong.ravel() / self._prior.sum())

    def _scores(self, rows, scores):
        _score_rows(self._members, rows, self.n_estimators, self.output == "real", np.empty((5, 2)), scores)

    def _chances(self, scores):
        return (1 + scores) / 2


@kernel
def _boost_rows(members, wrong, rows, labels, weights, start, stop, gamma, real, kept, work):
    """Pass examples from `start` on through all chains; kept: their weights, or no rows."""
    theta, decay = gamma / (2.0 + gamma), 0.5 * math.log(1.0 - gamma)
    for i in range(start, stop):
        for chain in range(wrong.shape[0]):
            side, lead, weight = side_of(labels[i], chain, wrong.shape[0]), 0.0, 1.0
            for j in range(wrong.shape[1]):
                m = chain * wrong.shape[1] + j
                if kept.shape[0] > 0:
                    kept[i, m] = weight * weights[i]
                vote = (2.0 * side - 1.0) * signed_vote(members, m, rows, i, real, work)
                lead += vote - theta
                if vote <= 0.0:
                    wrong[chain, j] += weights[i]
                share = quantise_one(weight * weights[i])
                if share > 0.0:
                    learn(members, m, rows, i, side, share)
                weight = 1.0 if lead <= 0.0 else math.exp(decay * lead)


@kernel
def _score_rows(members, rows, length, real, work, scores):
    """Write the mean vote of each chain, class 1 as +1, class 0 as -1, a member that has learned nothing as 0."""
    for chain in range(scores.shape[1]):
        for m in range(chain * length, (chain + 1) * length):
            for i in range(scores.shape[0]):
                scores[i, chain] += signed_vote(members, m, rows, i, real, work)
        for i in range(scores.shape[0]):
            scores[i, chain] /= length
