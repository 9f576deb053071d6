"""Extra trees of scikit-learn: cuts are drawn at random, and the best of a few is taken."""

from sklearn.ensemble import ExtraTreesClassifier as Wrapped

from ensembles.methods.forests.trees import Forest

__all__ = ["ExtraTreesClassifier"]


class ExtraTreesClassifier(Forest):
    """Extremely randomised trees, as scikit-learn grows them.

    `estimator_` is a `sklearn.ensemble.ExtraTreesClassifier`, the same as if it had been given the inputs, these settings
    and the same `random_state`. Every tree sees all examples. Attributes are handed over as in `RandomForestClassifier`,
    and the grid is the same.

    References
    ----------
    Geurts, Ernst & Wehenkel (2006)
    """

    key = "extra_trees"
    name = "Extra trees"
    position = 181
    summary = (
        "Trees on all examples, each question the best of a few whose cuts are drawn at random; from scikit-learn."
    )
    source = "Geurts, Ernst & Wehenkel (2006)"
    wraps = Wrapped
