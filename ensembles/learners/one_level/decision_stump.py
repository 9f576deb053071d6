"""Decision stump: one test on one attribute, a branch for each nominal value or for both sides of a threshold, and one
for missing values; the class of a branch is its majority. Lossless online.

Thesis, sections 2.1.1 and 3.5.
"""

from ensembles.learners.core.value_tables import MAX_VALUES
from ensembles.learners.one_level.one_level_tree import QuestionLearner
from ensembles.parameters import Choice, Real

__all__ = ["DecisionStumpClassifier"]


class DecisionStumpClassifier(QuestionLearner):
    """Decision stump: the one best test.

    Parameters
    ----------
    criterion : {"info_gain", "gain_ratio", "error", "ks"}
        Of each attribute the test of greatest gain, or of least error or greatest distance, competes; by gain ratio only
        attributes of at least average gain. "ks" compares two sides, so it asks a nominal attribute for one value.
    nominal_split : {"multiway", "binary"}
        A branch a value, or one value against all others.
    min_branch_weight : float
        Two branches hold examples of at least this weight, in [0, 1e9].
    max_values : int
        Distinct values kept of a numeric attribute; further ones count as the nearest value that is kept, and the stump is
        then no longer lossless.
    categorical_features : sequence of names or positions, optional
        Attributes to treat as nominal besides categorical, text and truth columns.

    Notes
    -----
    Weights count examples, in `min_branch_weight` too; relative ones, see `fit`, are one on average first.

    By information gain, with a branch a value and no least weight, attributes that cannot have become the best are not
    looked at again, so that learning online is fast. All other settings look at all attributes after each example that is
    followed by a prediction.

    References
    ----------
    Oza (2001), sections 2.1.1 and 3.5; Utgoff, Berkman & Clouse (1997) for "ks".
    """

    key = "decision_stump"
    name = "Decision stump"
    summary = "Asks one question about one attribute, the one that tells most about the class."
    source = "Oza (2001), sections 2.1.1 and 3.5"
    parameters = (
        Choice(
            "criterion",
            "info_gain",
            "Criterion",
            "What makes a question good.",
            choices=("info_gain", "gain_ratio", "error", "ks"),
            labels=("information gain", "gain ratio", "training error", "Kolmogorov-Smirnov distance"),
        ),
        Choice(
            "nominal_split",
            "multiway",
            "Nominal questions",
            "A branch for each value, or one value against all others.",
            choices=("multiway", "binary"),
            labels=("a branch a value", "one value or another"),
        ),
        Real(
            "min_branch_weight",
            0.0,
            "Least weight of two branches",
            "Two branches of the question hold at least so many examples.",
            low=0.0,
            high=1e9,
        ),
        MAX_VALUES,
    )

    def __init__(
        self,
        criterion="info_gain",
        nominal_split="multiway",
        min_branch_weight=0.0,
        max_values=4096,
        categorical_features=None,
    ):
        self.criterion = criterion
        self.nominal_split = nominal_split
        self.min_branch_weight = min_branch_weight
        self.max_values = max_values
        self.categorical_features = categorical_features

    @property
    def binary(self):
        return self.nominal_split == "binary"

    @property
    def least_weight(self):
        return self.min_branch_weight
