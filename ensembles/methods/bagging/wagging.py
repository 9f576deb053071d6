"""Wagging: each member learns all examples, their weights disturbed by normal noise.

Bauer & Kohavi, section 6.
"""

import numpy as np

from ensembles.exact import quantise
from ensembles.methods.bagging.bagging import BatchBagging
from ensembles.methods.core.base import MEMBERS, VOTE
from ensembles.parameters import Flag, Real

__all__ = ["WaggingClassifier"]


class WaggingClassifier(BatchBagging):
    """Wagging (weight aggregation).

    Parameters
    ----------
    estimator : base model, optional
        Naive Bayes by default.
    n_estimators : int
        Members, in [1, 10000].
    sigma : float
        Standard deviation of the noise that is added to weight 1, in [0, 100]; what falls below 0 becomes 0: 31% of the
        weights at 2, 37% at 3.
    rescale : bool
        Make the disturbed weights sum to what the weights sum to; else they sum to more, 1.4 times at sigma 2.
    vote : {"hard", "soft"}
        Count classes, or average the members' probabilities.
    random_state : int, RandomState or None

    References
    ----------
    Bauer & Kohavi (1999), section 6.
    """

    key = purpose = "wagging"
    name = "Wagging"
    summary = "Trains every member on all examples, their weights disturbed at random."
    source = "Bauer & Kohavi (1999), section 6"
    parameters = (
        MEMBERS,
        Real("sigma", 2.0, "Noise", "Standard deviation of the noise added to every weight.", low=0.0, high=100.0),
        Flag(
            "rescale",
            True,
            "Keep the sum",
            "Scale a member's weights to the sum they had; noise makes it larger, since weights stop at 0.",
        ),
        VOTE,
    )

    def __init__(self, estimator=None, n_estimators=100, sigma=2.0, rescale=True, vote="hard", random_state=None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.sigma = sigma
        self.rescale = rescale
        self.vote = vote
        self.random_state = random_state

    def _weigh(self, stream, weights):
        factors = np.zeros(len(weights))
        while not factors.any():
            factors = np.maximum(0.0, 1.0 + self._given.sigma * stream.standard_normal(len(weights)))
        drawn = factors * weights
        return quantise(drawn * (weights.sum() / drawn.sum()) if self._given.rescale else drawn)
