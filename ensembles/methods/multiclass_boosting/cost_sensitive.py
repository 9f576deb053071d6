"""What both online multiclass boosters share: votes of members under a matrix of costs, and how weights are scaled.

Jung, Goetz & Tewari (2017), algorithms 1 and 2; what the paper leaves open follows their program.
"""

import numpy as np
import numpy.typing as npt

from ensembles.declarations import choice
from ensembles.draws import stream
from ensembles.jit import inner
from ensembles.learners.core.protocol import TIE, best_class, predict_proba_rows
from ensembles.learners.hoeffding.hoeffding_tree import HoeffdingTreeClassifier

__all__ = ["ROWS_OF_WORK", "WEIGHT_SCALE", "allocate_told", "ask_all", "cheapest_class", "scales_of"]

ROWS_OF_WORK = 6  #: rows of classes: four for members, then the probabilities of a member and its scores

WEIGHT_SCALE = choice(
    default="auto",
    label="Scale of the weights",
    help=(
        "Weights as in the paper, or times a random constant a member as in its authors' program, which made the published "
        "numbers; automatic: the constants for Hoeffding trees, which split after a certain weight."
    ),
    choices=("auto", "raw", "jung"),
    labels=("automatic", "as in the paper", "as in the program"),
)


def scales_of(choice: str, estimator: object, seed: int, n_members: int) -> npt.NDArray[np.float64] | None:
    """Return the constant of each member, uniform in [5, 200), or None if weights are not scaled."""
    if choice == "raw" or (choice == "auto" and not isinstance(estimator, HoeffdingTreeClassifier)):
        return None
    return np.array([stream(seed, "weight_scales", m).uniform(5.0, 200.0) for m in range(n_members)])


def allocate_told(n_members: int, n_examples: int, n_classes: int) -> npt.NDArray[np.float64]:
    """Return room for the probabilities of all members for so many examples, or for as many as caches hold."""
    return np.empty((n_members, min(n_examples, 64), n_classes))


@inner
def ask_all(members, rows, block, work, told):
    """Write the probabilities of all members for a block of examples; told: (members, examples, classes)."""
    start, stop = block
    for m in range(told.shape[0]):
        predict_proba_rows(members, m, rows, start, work, told[m, : stop - start])


@inner
def cheapest_class(probabilities, costs, prior, scores):
    """Return the class that a member votes for: that of least expected cost by its own probabilities.

    costs[r, l] is the cost of voting l when the class is r. Where costs leave no choice, as for an example whose outcome is
    settled or an untrained member, it is the member's most probable class. scores: room for the classes.
    """
    n_classes = prior.shape[0]
    least, most = np.inf, -np.inf
    for label in range(n_classes):
        expected = 0.0
        for r in range(n_classes):
            expected += probabilities[r] * costs[r, label]
        scores[label] = -expected
        least, most = min(least, expected), max(most, expected)
    if most - least <= TIE * max(1.0, abs(least)):
        return best_class(probabilities, prior)
    return best_class(scores, prior)
