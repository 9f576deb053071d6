"""Leveraging bagging: ADWIN bagging with heavier Poisson weights, so that members learn more and differ more.

Bifet, Holmes & Pfahringer (2010), section 3.
"""

from ensembles.methods.bagging.adwin_bagging import AdwinBaggingClassifier

__all__ = ["LeveragingBaggingClassifier"]


class LeveragingBaggingClassifier(AdwinBaggingClassifier):
    """Leveraging bagging, without the random output codes that the paper tries as well.

    Attributes
    ----------
    n_replaced_ : int
        How often a member began anew.
    member_errors_ : array of shape (n_estimators,)
        Error of each member on the examples that its detector remembers; NaN for a member never tested.

    References
    ----------
    Bifet, Holmes & Pfahringer (2010), section 3.
    """

    key = "leveraging_bagging"
    name = "Leveraging bagging"
    position = 170
    summary = "ADWIN bagging in which every member sees each example six times on average."
    source = "Bifet, Holmes & Pfahringer (2010), section 3"
    rate: float = 6.0
