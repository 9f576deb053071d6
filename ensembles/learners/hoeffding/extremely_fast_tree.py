"""Extremely fast decision tree (HATT): a Hoeffding tree that splits early, and comes back to what it has split by.

Manapragada, Webb & Salehi (2018).
"""

from ensembles.declarations import real
from ensembles.learners.hoeffding.hoeffding_tree import HoeffdingTreeClassifier

__all__ = ["ExtremelyFastTreeClassifier"]


class ExtremelyFastTreeClassifier(HoeffdingTreeClassifier):
    """Extremely fast decision tree (Hoeffding anytime tree): splits once a test is surely better than none, and revises it.

    Notes
    -----
    Leaves, bounds and parameters are those of `hoeffding_tree`. A leaf splits by its best test as soon as that is surely
    better than having none, while a Hoeffding tree waits until it is surely better than the next test. In return nodes go on
    counting what comes by; whenever the weight `reevaluation_period` has come to a node, it compares its test with the best
    one. If that is surely better, or the bound is below `tau` and it is better by half of `tau`, all below the node is taken
    away, and fresh leaves of the better test stand there; if having no test is, a leaf.

    Unlike the paper's algorithm 3 a node counts the weight since it last looked, instead of looking at each example; so does
    the authors' program in MOA, by the examples that the tree has seen. That program compares averages of the merits of all
    looks; here, as in the paper, the merits of now. An attribute stands for its best cut: a node whose attribute stays keeps
    its cut and what lies below.

    References
    ----------
    Manapragada, Webb & Salehi (2018), algorithms 1 to 3.
    """

    key = "extremely_fast_tree"
    name = "Extremely fast decision tree"
    position = 71
    summary = "A Hoeffding tree that splits as soon as a test is surely better than none, and revises its tests later."
    source = "Manapragada, Webb & Salehi (2018), algorithms 1 to 3"
    reevaluation_period: float = real(
        default=2000.0,
        label="Re-evaluation period",
        help="Weight between two looks of a node at its test.",
        low=0.0,
        open_low=True,
    )

    def _weight_between_looks(self) -> float | None:
        return float(self.reevaluation_period)
