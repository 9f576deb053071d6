"""Online bagging: each member sees each example a Poisson number of times, the limit of the bootstrap.

Thesis, figure 3.3.
"""

import numpy as np

from ensembles.draws import poisson_counts
from ensembles.jit import kernel
from ensembles.learners.protocol import learn
from ensembles.methods.base import MEMBERS
from ensembles.methods.online import OnlineEnsemble
from ensembles.parameters import Real

__all__ = ["OnlineBaggingClassifier"]


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
    parameters = (
        MEMBERS,
        Real(
            "rate",
            1.0,
            "Poisson rate",
            "How many times a member sees an example on average; 1 imitates the bootstrap.",
            low=0.0,
            high=10.0,
            open_low=True,
        ),
    )

    def __init__(self, estimator=None, n_estimators=100, rate=1.0, random_state=None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.rate = rate
        self.random_state = random_state

    def _learn(self, rows, examples):
        for start, draws in self._blocks(len(examples.labels)):
            counts = poisson_counts(float(self.rate), draws)
            _bag_rows(self._members, rows, examples.labels, examples.weights, start, counts)
        self._set_votes(np.ones(self.n_estimators))


@kernel
def _bag_rows(members, rows, labels, weights, start, counts):
    """Show the examples from `start` on to every member; counts: (examples, members)."""
    for i in range(counts.shape[0]):
        for m in range(counts.shape[1]):
            if counts[i, m] > 0:
                learn(members, m, rows, start + i, labels[start + i], counts[i, m] * weights[start + i])
