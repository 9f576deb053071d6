"""Random forest of scikit-learn: trees on bootstrap samples, each question the best among a few inputs."""

from sklearn.ensemble import RandomForestClassifier as Wrapped

from ensembles.methods.forests.trees import Forest

__all__ = ["RandomForestClassifier"]


class RandomForestClassifier(Forest):
    """Random forest, as scikit-learn grows it.

    `estimator_` is a `sklearn.ensemble.RandomForestClassifier`, the same as if it had been given the inputs, these settings
    and the same `random_state`. Numeric attributes are its inputs as they are, missing values as NaN, which its trees take;
    nominal attributes are an input for each value. The probabilities of the trees are averaged, as scikit-learn does;
    Breiman counts their votes. With `tune="grid"`, `max_features` ("sqrt", "half") and `min_samples_leaf` (1, 3) are
    chosen by cross-validation.

    References
    ----------
    Breiman (2001)
    """

    key = "random_forest"
    name = "Random forest"
    position = 180
    summary = "Trees on bootstrap samples, each question the best among a few inputs drawn anew; from scikit-learn."
    source = "Breiman (2001)"
    wraps = Wrapped
