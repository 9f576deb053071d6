"""The one table: key -> learner, with its family, what it can do and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from ensembles.errors import InvalidParameter, NotFound
from ensembles.parameters import Parameter, check_settings

__all__ = ["Entry", "base_models", "find_learner", "make_learner", "methods", "within_sentence"]

_PROPER = {"Arc-x4", "Bayesian", "Cohen's", "Hoeffding", "Monte", "Poisson", "Winnow"}

_BASE_MODELS = {
    "naive_bayes": "ensembles.learners.bayes.naive_bayes:NaiveBayesClassifier",
    "decision_stump": "ensembles.learners.one_level.decision_stump:DecisionStumpClassifier",
    "decision_tree": "ensembles.learners.lossless_tree.decision_tree:DecisionTreeClassifier",
    "one_rule": "ensembles.learners.one_level.one_rule:OneRuleClassifier",
    "pruned_tree": "ensembles.learners.pruned_tree.pruned_tree:PrunedTreeClassifier",
    "neural_network": "ensembles.learners.neural.neural_network:NeuralNetworkClassifier",
    "perceptron": "ensembles.learners.linear.perceptron:PerceptronClassifier",
    "hoeffding_tree": "ensembles.learners.hoeffding.hoeffding_tree:HoeffdingTreeClassifier",
    "sklearn:decision_tree": "ensembles.learners.sklearn.models:SklearnDecisionTreeClassifier",
    "sklearn:extra_tree": "ensembles.learners.sklearn.models:SklearnExtraTreeClassifier",
    "sklearn:random_forest": "ensembles.learners.sklearn.models:SklearnRandomForestClassifier",
    "sklearn:logistic_regression": "ensembles.learners.sklearn.models:SklearnLogisticRegressionClassifier",
    "sklearn:linear_svm": "ensembles.learners.sklearn.models:SklearnLinearSvmClassifier",
    "sklearn:svm": "ensembles.learners.sklearn.models:SklearnSvmClassifier",
    "sklearn:k_nearest_neighbors": "ensembles.learners.sklearn.models:SklearnKNearestNeighborsClassifier",
    "sklearn:gaussian_naive_bayes": "ensembles.learners.sklearn.models:SklearnGaussianNaiveBayesClassifier",
    "sklearn:mlp": "ensembles.learners.sklearn.models:SklearnMlpClassifier",
}
_METHODS = {
    "single": "ensembles.methods.core.single:SingleClassifier",
    "bagging": "ensembles.methods.bagging.bagging:BaggingClassifier",
    "online_bagging": "ensembles.methods.bagging.online_bagging:OnlineBaggingClassifier",
    "fixed_fraction_bagging": "ensembles.methods.bagging.fixed_fraction_bagging:FixedFractionBaggingClassifier",
    "bayesian_bagging": "ensembles.methods.bagging.bayesian_bagging:BayesianBaggingClassifier",
    "online_bayesian_bagging": "ensembles.methods.bagging.online_bayesian_bagging:OnlineBayesianBaggingClassifier",
    "wagging": "ensembles.methods.bagging.wagging:WaggingClassifier",
    "adwin_bagging": "ensembles.methods.bagging.adwin_bagging:AdwinBaggingClassifier",
    "leveraging_bagging": "ensembles.methods.bagging.leveraging_bagging:LeveragingBaggingClassifier",
    "adaboost": "ensembles.methods.boosting.adaboost:AdaBoostClassifier",
    "arc_x4": "ensembles.methods.boosting.arc_x4:ArcX4Classifier",
    "blocked_boosting": "ensembles.methods.boosting.blocked_boosting:BlockedBoostingClassifier",
    "online_boosting": "ensembles.methods.boosting.online_boosting:OnlineBoostingClassifier",
    "primed_online_boosting": "ensembles.methods.boosting.primed_online_boosting:PrimedOnlineBoostingClassifier",
    "online_arc_x4": "ensembles.methods.boosting.online_arc_x4:OnlineArcX4Classifier",
    "online_mbbm": "ensembles.methods.multiclass_boosting.online_mbbm:OnlineMbbmClassifier",
    "adaboost_olm": "ensembles.methods.multiclass_boosting.adaboost_olm:AdaBoostOlmClassifier",
    "osboost": "ensembles.methods.boosting.osboost:OsboostClassifier",
    "ogboost": "ensembles.methods.boosting.ogboost:OgboostClassifier",
    "weighted_majority": "ensembles.methods.weighting.weighted_majority:WeightedMajorityClassifier",
    "winnow": "ensembles.methods.weighting.winnow:WinnowClassifier",
    "bayesian_ensemble": "ensembles.methods.weighting.bayesian_ensemble:BayesianEnsembleClassifier",
    "sgd_ensemble": "ensembles.methods.weighting.sgd_ensemble:SgdEnsembleClassifier",
    "sgd_average_ensemble": "ensembles.methods.weighting.sgd_average_ensemble:SgdAverageEnsembleClassifier",
    "sag_ensemble": "ensembles.methods.weighting.sag_ensemble:SagEnsembleClassifier",
    "voting": "ensembles.methods.weighting.voting:VotingClassifier",
}


@dataclass(frozen=True)
class Entry:
    """One learner of the catalogue.

    Attributes
    ----------
    kind : {"method", "base"}
    name : str
        What people read ("Online boosting").
    family : str
        `single`, `bagging`, `boosting`, ... for methods; `bayes`, `tree`, ... for base models.
    online : bool
        Has `partial_fit`, or, for the single model, has it with a base model that does.
    order_matters : bool
        Training order changes the model, so protocols run it in several orders.
    weighted : bool
        Takes weights (base model), or trains its members with fractions of examples (method): a base model that takes no
        weights gets a sample instead.
    bases : tuple of str
        Keys of the base models a method can use; empty for a base model.
    """

    key: str
    kind: str
    name: str
    family: str
    summary: str
    online: bool
    order_matters: bool
    weighted: bool
    binary_only: bool
    bases: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    source: str
    cls: type

    def describe(self) -> dict[str, Any]:
        """Return the entry as plain values, for `python -m runner learners --json`."""
        plain = {name: getattr(self, name) for name in ("key", "kind", "name", "family", "summary", "source")}
        flags = {name: getattr(self, name) for name in ("online", "order_matters", "weighted", "binary_only")}
        return {
            **plain,
            **flags,
            "bases": list(self.bases),
            "parameters": [parameter.describe() for parameter in self.parameters],
        }


@cache
def base_models() -> dict[str, Entry]:
    """Return every base model by key."""
    return {key: _entry(key, "base", place, ()) for key, place in _BASE_MODELS.items()}


@cache
def methods() -> dict[str, Entry]:
    """Return every ensemble method by key."""
    return {key: _entry(key, "method", place, _bases_of(place)) for key, place in _METHODS.items()}


def within_sentence(name: str) -> str:
    """Return a name or label as it stands within a sentence: "naive Bayes", "Hoeffding tree", "ADWIN bagging"."""
    first = name.split(" ", 1)[0]
    keeps = first in _PROPER or len(first) == 1 or first[1:] != first[1:].lower()
    return name if keeps else name[:1].lower() + name[1:]


def find_learner(key: str) -> Entry:
    """Return the method or base model called `key`; raise `NotFound` with the keys that exist."""
    entry = methods().get(key) or base_models().get(key)
    if entry is None:
        known = ", ".join([*methods(), *base_models()])
        raise NotFound(f"no learner is called {key!r}; there are {known}")
    return entry


def make_learner(
    method: str,
    base: str,
    *,
    base_settings: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    random_state: int | None = None,
) -> Any:
    """Build an untrained ensemble.

    Raises
    ------
    InvalidParameter
        Unknown key or setting, a value out of range, or a base model that the method cannot use.
    """
    entry = _known(methods(), method, "method")
    base_entry = _known(base_models(), base, "base model")
    if base not in entry.bases:
        known = ", ".join(entry.bases)
        raise InvalidParameter(f"{method}: base must learn online, so be one of {known}, got {base!r}")
    estimator = base_entry.cls(**_accepted(base_entry, base_settings or {}))
    learner = entry.cls(estimator=estimator, **_accepted(entry, settings or {}))
    for part in (estimator, learner):
        if "random_state" in part.get_params(deep=False):
            part.set_params(random_state=random_state)
    return learner


def _known(table: Mapping[str, Entry], key: str, what: str) -> Entry:
    if key not in table:
        raise InvalidParameter(f"{what} must be one of {', '.join(table)}, got {key!r}")
    return table[key]


def _accepted(entry: Entry, settings: Mapping[str, Any]) -> dict[str, Any]:
    check_settings(entry.key, entry.parameters, settings)
    return dict(settings)


def _class_at(place: str) -> Any:
    module, name = place.split(":")
    return getattr(import_module(module), name)


def _bases_of(place: str) -> tuple[str, ...]:
    """Return the keys of the base models that the method at `place` can use."""
    only_online = getattr(_class_at(place), "needs_online_base", False)
    return tuple(key for key, entry in base_models().items() if entry.online or not only_online)


def _entry(key: str, kind: str, place: str, bases: tuple[str, ...]) -> Entry:
    cls = _class_at(place)
    return Entry(
        key=key,
        kind=kind,
        name=cls.name,
        family=cls.family,
        summary=cls.summary,
        online=hasattr(cls, "partial_fit") and getattr(cls, "learns_online", True),
        order_matters=cls.order_matters,
        weighted=cls.weighted,
        binary_only=cls.binary_only,
        bases=bases,
        parameters=cls.parameters,
        source=cls.source,
        cls=cls,
    )
