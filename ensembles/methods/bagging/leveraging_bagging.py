"""Leveraging bagging: ADWIN bagging with heavier Poisson weights, so that members learn more and differ more.

Bifet, Holmes & Pfahringer (2010), section 3.
"""

from dataclasses import replace
from typing import ClassVar

from ensembles.methods.bagging.adwin_bagging import DELTA, AdwinBaggingClassifier
from ensembles.methods.bagging.online_bagging import RATE
from ensembles.methods.core.base import MEMBERS
from ensembles.parameters import Parameter

__all__ = ["LeveragingBaggingClassifier"]


class LeveragingBaggingClassifier(AdwinBaggingClassifier):
    """Leveraging bagging, without the random output codes that the paper tries as well.

    Parameters
    ----------
    estimator : online base model, optional
        Naive Bayes by default.
    n_estimators : int
        Members, in [1, 10000].
    rate : float
        Expected number of times that a member sees an example, in (0, 10].
    delta : float
        Chance that ADWIN sees a change where there is none, in (0, 1].
    random_state : int, RandomState or None

    Attributes
    ----------
    n_replaced_ : int
        How often a member began anew.
    member_errors_ : array of shape (n_estimators,)
        Error of each member on the examples in its window; NaN for a member never tested.

    References
    ----------
    Bifet, Holmes & Pfahringer (2010), section 3.
    """

    key = "leveraging_bagging"
    name = "Leveraging bagging"
    summary = "ADWIN bagging in which every member sees each example six times on average."
    source = "Bifet, Holmes & Pfahringer (2010), section 3"
    parameters: ClassVar[tuple[Parameter, ...]] = (MEMBERS, replace(RATE, default=6.0), DELTA)

    def __init__(self, estimator=None, n_estimators=100, rate=6.0, delta=0.002, random_state=None):
        super().__init__(estimator, n_estimators, rate, delta, random_state)
