"""Bayesian bagging: each member learns all examples with weights of Rubin's Bayesian bootstrap.

Lee & Clyde, section 2.2.
"""

from ensembles.draws import exponentials
from ensembles.exact import quantise
from ensembles.methods.bagging.bagging import BatchBagging
from ensembles.methods.core.base import MEMBERS, VOTE
from ensembles.parameters import Choice

__all__ = ["BayesianBaggingClassifier"]


class BayesianBaggingClassifier(BatchBagging):
    """Bayesian bagging.

    Parameters
    ----------
    estimator : base model, optional
        Naive Bayes by default.
    n_estimators : int
        Members, in [1, 10000].
    scale : {"gamma", "dirichlet_n"}
        Weights are independent Gamma(1, 1) numbers, or these divided by their mean: N times a Dirichlet(1, ..., 1) vector.
    vote : {"hard", "soft"}
        Count classes, or average the members' probabilities.
    random_state : int, RandomState or None

    Notes
    -----
    No example is ever left out. With `scale="gamma"` and a lossless base model, online Bayesian bagging ends with the very
    same members.

    References
    ----------
    Lee & Clyde (2004), section 2.2; Clyde & Lee (2001).
    """

    key = purpose = "bayesian_bagging"
    name = "Bayesian bagging"
    summary = "Bagging with smooth weights: every member learns every example, with a weight of its own."
    source = "Lee & Clyde (2004), section 2.2"
    parameters = (
        MEMBERS,
        Choice(
            "scale",
            "gamma",
            "Weights",
            "As drawn, or scaled to sum to the number of examples.",
            choices=("gamma", "dirichlet_n"),
            labels=("Gamma(1, 1)", "N times Dirichlet"),
        ),
        VOTE,
    )

    def __init__(self, estimator=None, n_estimators=100, scale="gamma", vote="hard", random_state=None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.scale = scale
        self.vote = vote
        self.random_state = random_state

    def _weigh(self, stream, weights):
        drawn = exponentials(stream.random(len(weights)))
        if self._given.scale == "dirichlet_n":
            drawn *= len(drawn) / drawn.sum()
        return quantise(drawn * weights)
