"""One rule: the one attribute that tells most about the class, numeric ones cut into as many intervals as pay. Lossless
online: the weights of all values are kept and cut anew when a prediction is asked for.

MC4(1)-disc of Bauer and Kohavi: the root of a decision tree over discretised attributes, close to Holte's 1R.
"""

from typing import Any

from ensembles.declarations import choice, real
from ensembles.learners.core.learner import CATEGORICAL
from ensembles.learners.core.value_tables import MAX_VALUES
from ensembles.learners.one_level.one_level_tree import OneLevelTree

__all__ = ["OneRuleClassifier"]


class OneRuleClassifier(OneLevelTree):
    """One rule: one question with many answers.

    Notes
    -----
    Numeric attributes are cut where Fayyad and Irani's method says, on the training examples of the member. Weights count
    examples; relative ones, see `fit`, are one on average first. Missing values take a branch of their own; a value never
    seen in training, all examples. Online, every prediction that follows an example cuts all numeric attributes anew.

    References
    ----------
    Bauer & Kohavi (1999), section 2, MC4(1)-disc; Fayyad & Irani (1993); Holte (1993).
    """

    key = "one_rule"
    name = "One rule"
    position = 30
    summary = "Asks for the one attribute that tells most about the class, numeric ones cut into many intervals."
    source = "Bauer & Kohavi (1999), section 2, MC4(1)-disc"
    intervals = True
    criterion: str = choice(
        default="gain_ratio",
        label="Criterion",
        help=(
            "What makes an attribute good: what it tells about the class, that relative to what its branches tell apart, "
            "or few errors in training."
        ),
        details='By gain ratio only attributes of at least average gain compete; "error" is that of Holte.',
        choices=("gain_ratio", "info_gain", "error"),
        labels=("gain ratio", "information gain", "training error"),
    )
    min_branch_weight: float = real(
        former="min_split",
        default=1.0,
        label="Least weight of two branches",
        help="Two branches of the question hold at least so many examples.",
        low=0.0,
        high=1e9,
    )
    max_values: int = MAX_VALUES
    categorical_features: Any = CATEGORICAL

    @property
    def least_weight(self) -> float:  # type: ignore[override]  # a plain attribute of the others
        return self.min_branch_weight
