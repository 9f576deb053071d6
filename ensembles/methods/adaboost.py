"""AdaBoost.M1: each member learns with half the weight on what its predecessor got wrong.

Thesis, figures 2.7 and 4.1; Bauer & Kohavi, section 3.2.
"""

import numpy as np

from ensembles.exact import quantise
from ensembles.methods.base import MEMBERS, Ensemble, log_odds

__all__ = ["AdaBoostClassifier", "boost"]

STOP_AT_HALF = "the error of member {m} was {error:.4f}, not below one half"
STOP_AT_ZERO = "member {m} made no mistake on its training set"


class AdaBoostClassifier(Ensemble):
    """AdaBoost.M1 by reweighting, with the stop rule of the thesis.

    Training stops before a member whose error is one half or more, and after one whose error is zero. A member's error
    counts at least half an example, so that no vote is infinite. If the very first member is no better than chance, it
    votes alone.

    Parameters
    ----------
    estimator : base model, optional
        Naive Bayes by default.
    n_estimators : int
        Members at most, in [1, 10000].
    random_state : int, RandomState or None
        Not used: reweighting draws nothing.

    Attributes
    ----------
    stop_reason_ : str or None
        Why training ended before `n_estimators` members.

    References
    ----------
    Freund & Schapire (1996); Oza (2001), figure 4.1.
    """

    key = "adaboost"
    name = "AdaBoost"
    family = "boosting"
    summary = "Trains members one after another, each with half the weight on what the one before got wrong."
    source = "Oza (2001), figure 4.1"
    parameters = (MEMBERS,)

    def __init__(self, estimator=None, n_estimators=100, random_state=None):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Boost; `sample_weight` is the distribution that the first member sees, up to scale."""
        self._forget()
        examples = self._admit(X, y, sample_weight, batch=True)
        rows = self._rows(examples.table, learning=True)
        self._members, votes, errors, self.stop_reason_ = boost(
            self.prototype(), self._members, self.n_estimators, rows, examples, len(self.classes_), self._report
        )
        self._set_votes(votes, errors)
        return self


def boost(prototype, members, n_members, rows, examples, n_classes, report=None):
    """Train up to `n_members` members by AdaBoost.M1.

    Returns
    -------
    members : the members, with more room if they needed it
    votes, errors : arrays of shape (members kept,)
    reason : str or None
        Why it stopped early.
    """
    n = len(examples.labels)
    share = examples.weights / examples.weights.sum()
    errors, reason = [], None
    for m in range(n_members):
        members = prototype.fit_member(members, m, rows, examples.labels, quantise(share * n))
        if report is not None:
            report(m + 1, n_members)
        wrong = prototype.classes_of(members, m, rows, n_classes) != examples.labels
        error = float(share[wrong].sum())
        if error >= 0.5:
            reason = STOP_AT_HALF.format(m=m + 1, error=error)
            if m == 0:
                return members, np.ones(1), np.array([error]), reason
            break
        errors.append(error)
        if error == 0.0:
            reason = STOP_AT_ZERO.format(m=m + 1)
            break
        share = np.where(wrong, share / (2 * error), share / (2 * (1 - error)))
        share /= share.sum()
    kept = np.array(errors)
    least = np.maximum(kept, 0.5 / n)
    votes = np.maximum(log_odds(1 - least, least), 1e-6 if len(kept) == 1 else 0.0)
    return members, votes, kept, reason
