"""Bayesian ensemble: the weight of a member is the mean of its posterior, given the losses it has had.

Bai, Lam & Sclaroff, algorithm 2 and equations 8 to 12.
"""

from typing import NamedTuple

import numpy as np

from ensembles.declarations import real
from ensembles.methods.weighting.loss_weights import ChosenLossPool, reweight

__all__ = ["BayesianEnsembleClassifier", "Posterior"]


class Posterior(NamedTuple):
    """Gamma distributions of the members' weights, of shape alpha + seen and rate beta + theta * losses."""

    weights: np.ndarray  # (m,) their means
    losses: np.ndarray  # (m,) sums so far
    seen: np.ndarray  # (1,) weight of the examples so far
    settings: np.ndarray  # (3,) alpha, beta, theta


class BayesianEnsembleClassifier(ChosenLossPool):
    """Bayesian ensemble (closed form).

    The prior of a weight is Gamma(alpha, rate beta), the likelihood of a loss g is theta * weight * exp(-theta * weight *
    g); so after t examples the weight is (alpha + t) / (beta + theta * sum of losses), and does not depend on their order.
    An example of weight w counts as w examples.

    References
    ----------
    Bai, Lam & Sclaroff (2016), algorithm 2.
    """

    key = "bayesian_ensemble"
    name = "Bayesian ensemble"
    position = 320
    family = "weighting"
    summary = "Weighs a pool of members by the posterior mean, given the losses that each has had so far."
    source = "Bai, Lam & Sclaroff (2016), algorithm 2"
    alpha: float = real(
        default=1.0, label="Shape of the prior", help="No prediction depends on it.", low=0.0, high=1e6, open_low=True
    )
    beta: float = real(
        default=1.0,
        label="Rate of the prior",
        help="Larger is slower to trust losses.",
        low=0.0,
        high=1e6,
        open_low=True,
    )

    def _start(self) -> None:
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
