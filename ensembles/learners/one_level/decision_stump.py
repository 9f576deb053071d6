"""Decision stump: one test on one attribute, a branch for each side of a threshold, for a nominal value and all others or
for each nominal value, and one for missing values; the class of a branch is its majority. Lossless online.

Thesis, sections 2.1.1 and 3.5. It asks by information gain, with a branch a value; by the Gini index, for one value, boosted
stumps do better on many classes and nominal attributes (docs/accuracy.md).
"""

from typing import Any

from ensembles.declarations import choice, real
from ensembles.learners.core.learner import CATEGORICAL
from ensembles.learners.core.value_tables import MAX_VALUES
from ensembles.learners.one_level.one_level_tree import OneLevelTree

__all__ = ["DecisionStumpClassifier"]


class DecisionStumpClassifier(OneLevelTree):
    """Decision stump: the one best test.

    Notes
    -----
    Weights count examples, in `min_branch_weight` too; relative ones, see `fit`, are one on average first.

    By the Gini index or information gain, without a least weight, attributes that cannot have become the best are not
    looked at again, so that learning online is fast. All other settings look at all attributes after each example that is
    followed by a prediction.

    References
    ----------
    Oza (2001), sections 2.1.1 and 3.5; Utgoff, Berkman & Clouse (1997) for "ks"; Breiman et al. (1984) for "gini".
    """

    key = "decision_stump"
    name = "Decision stump"
    position = 10
    summary = "Asks one question about one attribute, the one that tells most about the class."
    source = "Oza (2001), sections 2.1.1 and 3.5"
    criterion: str = choice(
        default="gini",
        former_defaults=("info_gain", "info_gain"),
        label="Criterion",
        help="What makes a question good.",
        details=(
            "Of each attribute the test of greatest gain, or of least error, greatest distance or least Gini index, "
            'competes; by gain ratio only attributes of at least average gain. "ks" compares two sides, so it asks a '
            "nominal attribute for one value."
        ),
        choices=("info_gain", "gain_ratio", "error", "ks", "gini"),
        labels=("information gain", "gain ratio", "training error", "Kolmogorov-Smirnov distance", "Gini index"),
    )
    nominal_split: str = choice(
        default="binary",
        former_defaults=("multiway", "multiway"),
        label="Nominal questions",
        help="A branch for each value, or one value against all others.",
        choices=("multiway", "binary"),
        labels=("a branch a value", "one value or another"),
    )
    min_branch_weight: float = real(
        default=0.0,
        label="Least weight of two branches",
        help="Two branches of the question hold at least so many examples.",
        low=0.0,
        high=1e9,
    )
    max_values: int = MAX_VALUES
    categorical_features: Any = CATEGORICAL

    @property
    def binary(self) -> bool:  # type: ignore[override]  # a plain attribute of the others
        return self.nominal_split == "binary"

    @property
    def least_weight(self) -> float:  # type: ignore[override]  # a plain attribute of the others
        return self.min_branch_weight
