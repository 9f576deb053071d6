"""One rule: the one attribute that tells most about the class, numeric ones cut into as many intervals as pay. Lossless
online: the weights of all values are kept and cut anew when a prediction is asked for.

MC4(1)-disc of Bauer and Kohavi: the root of a decision tree over discretised attributes, close to Holte's 1R.
"""

from ensembles.learners.core.value_tables import MAX_VALUES
from ensembles.learners.one_level.one_level_tree import QuestionLearner
from ensembles.parameters import Choice, Real

__all__ = ["OneRuleClassifier"]


class OneRuleClassifier(QuestionLearner):
    """One rule: one question with many answers.

    Parameters
    ----------
    criterion : {"gain_ratio", "info_gain", "error"}
        By gain ratio only attributes of at least average gain compete; "error" is that of Holte.
    min_split : float
        Two branches hold examples of at least this weight, in [0, 1e9].
    max_values : int
        Distinct values kept of a numeric attribute; further ones count as the nearest value that is kept, and the rule is
        then no longer lossless.
    categorical_features : sequence of names or positions, optional
        Attributes to treat as nominal besides categorical, text and truth columns.

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
    summary = "Asks for the one attribute that tells most about the class, numeric ones cut into many intervals."
    source = "Bauer & Kohavi (1999), section 2, MC4(1)-disc"
    intervals = True
    parameters = (
        Choice(
            "criterion",
            "gain_ratio",
            "Criterion",
            "What makes an attribute good: what it tells about the class, that relative to what its branches tell apart, "
            "or few errors in training.",
            choices=("gain_ratio", "info_gain", "error"),
            labels=("gain ratio", "information gain", "training error"),
        ),
        Real(
            "min_split",
            1.0,
            "Least weight of two branches",
            "Two branches of the question hold at least so many examples.",
            low=0.0,
            high=1e9,
        ),
        MAX_VALUES,
    )

    def __init__(self, criterion="gain_ratio", min_split=1.0, max_values=4096, categorical_features=None):
        self.criterion = criterion
        self.min_split = min_split
        self.max_values = max_values
        self.categorical_features = categorical_features

    @property
    def least_weight(self):
        return self.min_split
