"""Bayesian ensemble: the weight of a member is the mean of its posterior, given the losses it has had.

Bai, Lam & Sclaroff, algorithm 2 and equations 8 to 12.
"""

from typing import NamedTuple

import numpy as np

from ensembles.methods.core.base import keep_arguments
from ensembles.methods.weighting.loss_weights import LOSSES, VoteWeighted, reweight
from ensembles.parameters import Real

__all__ = ["BayesianEnsembleClassifier", "Posterior"]


class Posterior(NamedTuple):
    """Gamma distributions of the members' weights, of shape alpha + seen and rate beta + theta * losses."""

    weights: np.ndarray  # (m,) their means
    losses: np.ndarray  # (m,) sums so far
    seen: np.ndarray  # (1,) weight of the examples so far
    settings: np.ndarray  # (3,) alpha, beta, theta


class BayesianEnsembleClassifier(VoteWeighted):
    """Bayesian ensemble (closed form).

    The prior of a weight is Gamma(alpha, rate beta), the likelihood of a loss g is theta * weight * exp(-theta * weight *
    g); so after t examples the weight is (alpha + t) / (beta + theta * sum of losses), and does not depend on their order.
    An example of weight w counts as w examples.

    Parameters
    ----------
    estimator : base model, optional
        Naive Bayes by default; one that learns online if `members` is "updated".
    n_estimators : int
        Members, in [1, 10000].
    members : {"fixed", "updated"}
        Keep the members as trained on the first examples, or let them go on learning ("Ours-r").
    subset : float
        Share of the attributes that a member sees, in (0, 1].
    pretrain_fraction, pretrain_least, pretrain_most : float in [0, 1], int, int
        Members are trained on this share of the first call's examples, at least and at most on so many. Members that are
        updated start untrained if the share is 0.
    loss : {"ramp", "logistic", "hinge", "zero_one"}
    output : {"class", "probability"}
        What members answer.
    theta : float
        Scale of the losses, positive.
    loss_timing : {"before", "after"}
        When a loss is taken, where members are updated.
    alpha, beta : float
        Shape and rate of the prior, positive. The shape never changes a prediction, the rate only in the beginning.
    random_state : int, RandomState or None

    References
    ----------
    Bai, Lam & Sclaroff (2016), algorithm 2.
    """

    key = "bayesian_ensemble"
    name = "Bayesian ensemble"
    family = "weighting"
    summary = "Weighs a pool of members by the posterior mean, given the losses that each has had so far."
    source = "Bai, Lam & Sclaroff (2016), algorithm 2"
    parameters = (
        *LOSSES,
        Real("alpha", 1.0, "Shape of the prior", "No prediction depends on it.", low=0.0, high=1e6, open_low=True),
        Real("beta", 1.0, "Rate of the prior", "Larger is slower to trust losses.", low=0.0, high=1e6, open_low=True),
    )

    def __init__(
        self,
        estimator=None,
        n_estimators=100,
        members="fixed",
        subset=0.5,
        pretrain_fraction=0.1,
        pretrain_least=10,
        pretrain_most=1_000_000,
        loss="ramp",
        output="class",
        theta=0.1,
        loss_timing="before",
        alpha=1.0,
        beta=1.0,
        random_state=None,
    ):
        keep_arguments(self, locals())

    def _start(self):
        m = self._given.n_estimators
        settings = np.array([self._given.alpha, self._given.beta, self._given.theta], dtype=np.float64)
        self._weighting = Posterior(
            np.full(m, self._given.alpha / self._given.beta), np.zeros(m), np.zeros(1), settings
        )


@reweight.implement(Posterior)
def _reweight(weighting, losses, weight):
    alpha, beta, theta = weighting.settings[0], weighting.settings[1], weighting.settings[2]
    weighting.seen[0] += weight
    for m in range(losses.shape[0]):
        weighting.losses[m] += weight * losses[m]
        weighting.weights[m] = (alpha + weighting.seen[0]) / (beta + theta * weighting.losses[m])
