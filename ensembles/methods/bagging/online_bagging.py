"""Online bagging: each member sees each example a Poisson number of times, the limit of the bootstrap.

Thesis, figure 3.3.
"""

from typing import ClassVar

from ensembles.draws import poisson_counts
from ensembles.methods.core.base import MEMBERS
from ensembles.methods.core.online import NO_VOTES, OnlineEnsemble
from ensembles.parameters import Parameter, Real

__all__ = ["RATE", "OnlineBaggingClassifier"]

RATE = Real(
    "rate",
    1.0,
    "Poisson rate",
    "How many times a member sees an example on average; 1 imitates the bootstrap.",
    low=0.0,
    high=10.0,
    open_low=True,
    lasting=False,
)


class OnlineBaggingClassifier(OnlineEnsemble):
    """Online bagging.

    Parameters
    ----------
    estimator : online base model, optional
        Naive Bayes by default.
    n_estimators : int
        Members, in [1, 10000].
    rate : float
        Expected number of times that a member sees an example, in (0, 10].
    random_state : int, RandomState or None

    References
    ----------
    Oza (2001), figure 3.3; Lee & Clyde (2004), section 2.1.
    """

    key = "online_bagging"
    name = "Online bagging"
    family = "bagging"
    summary = "Bagging in one pass: every member sees each example a Poisson number of times."
    source = "Oza (2001), figure 3.3"
    weighted = False
    parameters: ClassVar[tuple[Parameter, ...]] = (MEMBERS, RATE)
    tells_while_learning = True
    measures_errors = False

    def __init__(self, estimator=None, n_estimators=100, rate=1.0, random_state=None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.rate = rate
        self.random_state = random_state

    def _learn(self, rows, examples, votes=NO_VOTES):
        for start, draws in self._blocks(len(examples.labels)):
            self._show(rows, examples, start, poisson_counts(float(self._given.rate), draws), votes)
        self._all_vote(self._given.n_estimators, examples)
