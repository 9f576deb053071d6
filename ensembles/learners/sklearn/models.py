"""Classifiers of scikit-learn that pages, experiment files and the command line offer as base models: the table.

In Python any other one is as good: `BaggingClassifier(SomeClassifier(), ...)`.
"""

from typing import Any, ClassVar

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
from sklearn.utils.validation import has_fit_parameter

from ensembles.declarations import argument, choice, integer, real
from ensembles.learners.core.learner import CATEGORICAL, SEED
from ensembles.learners.sklearn.adapter import SklearnModel

__all__ = [
    "SklearnDecisionTreeClassifier",
    "SklearnExtraTreeClassifier",
    "SklearnGaussianNaiveBayesClassifier",
    "SklearnKNearestNeighborsClassifier",
    "SklearnLinearSvmClassifier",
    "SklearnLogisticRegressionClassifier",
    "SklearnMlpClassifier",
    "SklearnRandomForestClassifier",
    "SklearnSvmClassifier",
]

_DEPTH = integer(
    default=0, label="Questions on a path", help="How many questions an example is asked at most; 0 for any number."
)
_LEAF = integer(default=1, label="Examples in a leaf", help="How many examples a leaf has at least.", low=1)
_C = real(
    default=1.0,
    label="C",
    help="How much errors in training count against large weights; small values keep the model simple.",
    low=0.0,
    high=1e6,
    open_low=True,
)


class CuratedModel(SklearnModel):
    """A classifier of scikit-learn as base model: its settings are those of scikit-learn's class, but for `fixed`."""

    position = 100
    wraps: ClassVar[type]
    fixed: ClassVar[dict[str, Any]] = {}
    categorical_features: Any = argument(default=None, what=CATEGORICAL.what, help=CATEGORICAL.help, kw_only=True)
    random_state: Any = argument(default=None, what=SEED.what, help=SEED.help, kw_only=True)

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        cls.weighted = has_fit_parameter(cls.wraps, "sample_weight")

    def template(self) -> Any:
        settings = {parameter.name: getattr(self, parameter.name) for parameter in self.parameters}
        if settings.get("max_depth") == 0:
            settings["max_depth"] = None
        return self.wraps(**settings, **self.fixed)


class SklearnDecisionTreeClassifier(CuratedModel):
    """Asks one yes-or-no question after another, as CART grows them.

    References
    ----------
    Breiman, Friedman, Olshen & Stone (1984)
    """

    key = "sklearn:decision_tree"
    name = "scikit-learn decision tree"
    family = "tree"
    summary = "Asks one yes-or-no question after another, as CART grows them."
    source = "Breiman, Friedman, Olshen & Stone (1984)"
    wraps = DecisionTreeClassifier
    criterion: str = choice(
        default="gini",
        label="Criterion",
        help="What makes a question good.",
        choices=("gini", "entropy"),
        labels=("Gini index", "information gain"),
    )
    max_depth: int = _DEPTH
    min_samples_leaf: int = _LEAF


class SklearnExtraTreeClassifier(CuratedModel):
    """A decision tree that asks the best of a few questions drawn at random.

    References
    ----------
    Geurts, Ernst & Wehenkel (2006)
    """

    key = "sklearn:extra_tree"
    name = "scikit-learn extra tree"
    family = "tree"
    summary = "A decision tree that asks the best of a few questions drawn at random."
    source = "Geurts, Ernst & Wehenkel (2006)"
    wraps = ExtraTreeClassifier
    max_depth: int = _DEPTH
    min_samples_leaf: int = _LEAF


class SklearnRandomForestClassifier(CuratedModel):
    """Trees on bootstrap samples, each question the best among a few attributes.

    References
    ----------
    Breiman (2001)
    """

    key = "sklearn:random_forest"
    name = "scikit-learn random forest"
    family = "tree"
    summary = "Trees on bootstrap samples, each question the best among a few attributes."
    source = "Breiman (2001)"
    wraps = RandomForestClassifier
    n_estimators: int = integer(default=10, label="Trees", help="How many trees vote in one forest.", low=1, high=1000)
    max_depth: int = _DEPTH
    min_samples_leaf: int = _LEAF


class SklearnLogisticRegressionClassifier(CuratedModel):
    """Adds up weighted inputs to the logarithms of the odds of each class.

    References
    ----------
    Cox (1958)
    """

    key = "sklearn:logistic_regression"
    name = "scikit-learn logistic regression"
    family = "linear"
    summary = "Adds up weighted inputs to the logarithms of the odds of each class."
    source = "Cox (1958)"
    wraps = LogisticRegression
    fixed = {"max_iter": 500}
    C: float = _C


class SklearnLinearSvmClassifier(CuratedModel):
    """Separates each class from the others by a plane with as wide a margin as it can.

    References
    ----------
    Cortes & Vapnik (1995)
    """

    key = "sklearn:linear_svm"
    name = "scikit-learn linear SVM"
    family = "linear"
    summary = "Separates each class from the others by a plane with as wide a margin as it can."
    source = "Cortes & Vapnik (1995)"
    wraps = LinearSVC
    C: float = _C


class SklearnSvmClassifier(CuratedModel):
    """Separates every two classes by a curved border with as wide a margin as it can.

    References
    ----------
    Cortes & Vapnik (1995)
    """

    key = "sklearn:svm"
    name = "scikit-learn SVM"
    family = "kernel"
    summary = "Separates every two classes by a curved border with as wide a margin as it can."
    source = "Cortes & Vapnik (1995)"
    wraps = SVC
    C: float = _C
    kernel: str = choice(
        default="rbf",
        label="Kernel",
        help="What borders can look like.",
        choices=("rbf", "poly", "sigmoid"),
        labels=("radial", "polynomial", "sigmoid"),
    )


class SklearnKNearestNeighborsClassifier(CuratedModel):
    """Keeps all examples; the nearest ones vote.

    References
    ----------
    Cover & Hart (1967)
    """

    key = "sklearn:k_nearest_neighbors"
    name = "scikit-learn k-nearest neighbors"
    family = "neighbors"
    summary = "Keeps all examples; the nearest ones vote."
    source = "Cover & Hart (1967)"
    wraps = KNeighborsClassifier
    n_neighbors: int = integer(default=5, label="Neighbors", help="How many of the nearest examples vote.", low=1)
    weights: str = choice(
        default="uniform",
        label="Votes of neighbors",
        help="Whether nearer neighbors count for more.",
        choices=("uniform", "distance"),
        labels=("equal", "by nearness"),
    )


class SklearnGaussianNaiveBayesClassifier(CuratedModel):
    """Takes every input, values of nominal attributes too, for normally distributed and independent given the class.

    References
    ----------
    Chan, Golub & LeVeque (1979)
    """

    key = "sklearn:gaussian_naive_bayes"
    name = "scikit-learn Gaussian naive Bayes"
    family = "bayes"
    summary = (
        "Takes every input, values of nominal attributes too, for normally distributed and independent given the class."
    )
    source = "Chan, Golub & LeVeque (1979)"
    wraps = GaussianNB
    var_smoothing: float = real(
        default=1e-9,
        label="Smoothing",
        help="Share of the largest variance that is added to all.",
        low=0.0,
        high=1.0,
        open_low=True,
    )


class SklearnMlpClassifier(CuratedModel):
    """A neural network with one hidden layer, trained on small batches by Adam.

    References
    ----------
    Kingma & Ba (2015)
    """

    key = "sklearn:mlp"
    name = "scikit-learn MLP"
    family = "neural"
    summary = "A neural network with one hidden layer, trained on small batches by Adam."
    source = "Kingma & Ba (2015)"
    wraps = MLPClassifier
    hidden_layer_sizes: int = integer(default=16, label="Hidden units", help="How many.", low=1, high=10_000)
    max_iter: int = integer(
        default=100, label="Epochs", help="Passes over the training examples at most.", low=1, high=100_000
    )
    learning_rate_init: float = real(
        default=0.01, label="Learning rate", help="Length of a step.", low=0.0, high=10.0, open_low=True
    )

    @property
    def n_iter_(self) -> int:
        """How many passes over the training examples were made; 0 where these were of one class."""
        self._check_learned()
        member = self._members.fitted[self._member]
        return 0 if member is None or member.estimator is None else int(member.estimator.n_iter_)
