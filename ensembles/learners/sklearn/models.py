"""Classifiers of scikit-learn that pages, experiment files and the command line offer as base models: the table.

In Python any other one is as good: `BaggingClassifier(SomeClassifier(), ...)`.
"""

from collections.abc import Sequence
from inspect import Parameter as Argument
from inspect import Signature
from typing import Any

from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier
from sklearn.utils.validation import has_fit_parameter

from ensembles.learners.sklearn.adapter import SklearnModel
from ensembles.parameters import Choice, Integer, Parameter, Real

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

_DEPTH = Integer(
    "max_depth", 0, "Questions on a path", "How many questions an example is asked at most; 0 for any number."
)
_LEAF = Integer("min_samples_leaf", 1, "Examples in a leaf", "How many examples a leaf has at least.", low=1)
_C = Real(
    "C",
    1.0,
    "C",
    "How much errors in training count against large weights; small values keep the model simple.",
    low=0.0,
    high=1e6,
    open_low=True,
)


class CuratedModel(SklearnModel):
    """A row of the table below as a base model: its settings are those of scikit-learn's class, but for `fixed`."""

    wraps: type
    fixed: dict[str, Any] = {}

    def template(self):
        settings = {parameter.name: getattr(self, parameter.name) for parameter in self.parameters}
        if settings.get("max_depth") == 0:
            settings["max_depth"] = None
        return self.wraps(**settings, **self.fixed)


def _model(
    key: str,
    name: str,
    wraps: type,
    family: str,
    summary: str,
    source: str,
    parameters: Sequence[Parameter] = (),
    **fixed: Any,
) -> Any:
    """Return the class of one row; scikit-learn reads its settings from the signature of `__init__`."""
    defaults = {parameter.name: parameter.default for parameter in parameters}
    defaults |= {"categorical_features": None, "random_state": None}

    def __init__(self, **settings):
        unknown = ", ".join(sorted(settings.keys() - defaults))
        if unknown:
            raise TypeError(f"{type(self).__name__}: no setting is called {unknown}; there are {', '.join(defaults)}")
        vars(self).update(defaults | settings)

    arguments = [Argument(setting, Argument.KEYWORD_ONLY, default=value) for setting, value in defaults.items()]
    __init__.__signature__ = Signature([Argument("self", Argument.POSITIONAL_OR_KEYWORD), *arguments])  # type: ignore[attr-defined]
    settings = "".join(f"{p.name} : {p.allowed()}\n    {p.help}\n" for p in parameters)
    members = {
        "__init__": __init__,
        "__doc__": f"{summary}\n\nParameters\n----------\n{settings}\nReferences\n----------\n{source}\n",
        "__module__": __name__,
        "key": f"sklearn:{key}",
        "name": f"scikit-learn {name}",
        "wraps": wraps,
        "family": family,
        "summary": summary,
        "source": source,
        "parameters": tuple(parameters),
        "weighted": has_fit_parameter(wraps, "sample_weight"),
        "fixed": fixed,
    }
    words = f"sklearn_{key}".split("_")
    return type("".join(word.capitalize() for word in words) + "Classifier", (CuratedModel,), members)


SklearnDecisionTreeClassifier = _model(
    "decision_tree",
    "decision tree",
    DecisionTreeClassifier,
    "tree",
    "Asks one yes-or-no question after another, as CART grows them.",
    "Breiman, Friedman, Olshen & Stone (1984)",
    [
        Choice(
            "criterion",
            "gini",
            "Criterion",
            "What makes a question good.",
            choices=("gini", "entropy"),
            labels=("Gini index", "information gain"),
        ),
        _DEPTH,
        _LEAF,
    ],
)
SklearnExtraTreeClassifier = _model(
    "extra_tree",
    "extra tree",
    ExtraTreeClassifier,
    "tree",
    "A decision tree that asks the best of a few questions drawn at random.",
    "Geurts, Ernst & Wehenkel (2006)",
    [_DEPTH, _LEAF],
)
SklearnRandomForestClassifier = _model(
    "random_forest",
    "random forest",
    RandomForestClassifier,
    "tree",
    "Trees on bootstrap samples, each question the best among a few attributes.",
    "Breiman (2001)",
    [Integer("n_estimators", 10, "Trees", "How many trees vote in one forest.", low=1, high=1000), _DEPTH, _LEAF],
)
SklearnLogisticRegressionClassifier = _model(
    "logistic_regression",
    "logistic regression",
    LogisticRegression,
    "linear",
    "Adds up weighted inputs to the logarithms of the odds of each class.",
    "Cox (1958)",
    [_C],
    max_iter=500,
)
SklearnLinearSvmClassifier = _model(
    "linear_svm",
    "linear SVM",
    LinearSVC,
    "linear",
    "Separates each class from the others by a plane with as wide a margin as it can.",
    "Cortes & Vapnik (1995)",
    [_C],
)
SklearnSvmClassifier = _model(
    "svm",
    "SVM",
    SVC,
    "kernel",
    "Separates every two classes by a curved border with as wide a margin as it can.",
    "Cortes & Vapnik (1995)",
    [
        _C,
        Choice(
            "kernel",
            "rbf",
            "Kernel",
            "What borders can look like.",
            choices=("rbf", "poly", "sigmoid"),
            labels=("radial", "polynomial", "sigmoid"),
        ),
    ],
)
SklearnKNearestNeighborsClassifier = _model(
    "k_nearest_neighbors",
    "k-nearest neighbors",
    KNeighborsClassifier,
    "neighbors",
    "Keeps all examples; the nearest ones vote.",
    "Cover & Hart (1967)",
    [
        Integer("n_neighbors", 5, "Neighbors", "How many of the nearest examples vote.", low=1),
        Choice(
            "weights",
            "uniform",
            "Votes of neighbors",
            "Whether nearer neighbors count for more.",
            choices=("uniform", "distance"),
            labels=("equal", "by nearness"),
        ),
    ],
)
SklearnGaussianNaiveBayesClassifier = _model(
    "gaussian_naive_bayes",
    "Gaussian naive Bayes",
    GaussianNB,
    "bayes",
    "Takes every input, values of nominal attributes too, for normally distributed and independent given the class.",
    "Chan, Golub & LeVeque (1979)",
    [
        Real(
            "var_smoothing",
            1e-9,
            "Smoothing",
            "Share of the largest variance that is added to all.",
            low=0.0,
            high=1.0,
            open_low=True,
        )
    ],
)
SklearnMlpClassifier = _model(
    "mlp",
    "MLP",
    MLPClassifier,
    "neural",
    "A neural network with one hidden layer, trained on small batches by Adam.",
    "Kingma & Ba (2015)",
    [
        Integer("hidden_layer_sizes", 16, "Hidden units", "How many.", low=1, high=10_000),
        Integer("max_iter", 100, "Epochs", "Passes over the training examples at most.", low=1, high=100_000),
        Real("learning_rate_init", 0.01, "Learning rate", "Length of a step.", low=0.0, high=10.0, open_low=True),
    ],
)
