"""Ensemble learners, batch and online: every algorithm, base model, protocol and measure of five papers.

Learners are imported once one of them is asked for, so that `import ensembles` takes no time; which there are says the
registry. Type checkers and editors read the list below, and a test that it is whole.
"""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

_FUNCTIONS = {
    "export_graphviz": "ensembles.learners.core.tree_text",
    "export_text": "ensembles.learners.core.tree_text",
    "load_model": "ensembles.experiments.model",
    "plot_tree": "ensembles.reports.tree_figure",
}

if TYPE_CHECKING:
    from ensembles.experiments.model import load_model as load_model
    from ensembles.learners.bayes.naive_bayes import NaiveBayesClassifier as NaiveBayesClassifier
    from ensembles.learners.core.tree_text import export_graphviz as export_graphviz
    from ensembles.learners.core.tree_text import export_text as export_text
    from ensembles.learners.hoeffding.extremely_fast_tree import (
        ExtremelyFastTreeClassifier as ExtremelyFastTreeClassifier,
    )
    from ensembles.learners.hoeffding.hoeffding_tree import HoeffdingTreeClassifier as HoeffdingTreeClassifier
    from ensembles.learners.linear.perceptron import PerceptronClassifier as PerceptronClassifier
    from ensembles.learners.lossless_tree.decision_tree import DecisionTreeClassifier as DecisionTreeClassifier
    from ensembles.learners.mondrian.mondrian_tree import MondrianTreeClassifier as MondrianTreeClassifier
    from ensembles.learners.neural.neural_network import NeuralNetworkClassifier as NeuralNetworkClassifier
    from ensembles.learners.one_level.decision_stump import DecisionStumpClassifier as DecisionStumpClassifier
    from ensembles.learners.one_level.one_rule import OneRuleClassifier as OneRuleClassifier
    from ensembles.learners.pruned_tree.pruned_tree import PrunedTreeClassifier as PrunedTreeClassifier
    from ensembles.learners.sklearn.adapter import SklearnClassifier as SklearnClassifier
    from ensembles.learners.sklearn.models import SklearnDecisionTreeClassifier as SklearnDecisionTreeClassifier
    from ensembles.learners.sklearn.models import SklearnExtraTreeClassifier as SklearnExtraTreeClassifier
    from ensembles.learners.sklearn.models import (
        SklearnGaussianNaiveBayesClassifier as SklearnGaussianNaiveBayesClassifier,
    )
    from ensembles.learners.sklearn.models import (
        SklearnKNearestNeighborsClassifier as SklearnKNearestNeighborsClassifier,
    )
    from ensembles.learners.sklearn.models import SklearnLinearSvmClassifier as SklearnLinearSvmClassifier
    from ensembles.learners.sklearn.models import (
        SklearnLogisticRegressionClassifier as SklearnLogisticRegressionClassifier,
    )
    from ensembles.learners.sklearn.models import SklearnMlpClassifier as SklearnMlpClassifier
    from ensembles.learners.sklearn.models import SklearnRandomForestClassifier as SklearnRandomForestClassifier
    from ensembles.learners.sklearn.models import SklearnSvmClassifier as SklearnSvmClassifier
    from ensembles.methods.bagging.adwin_bagging import AdwinBaggingClassifier as AdwinBaggingClassifier
    from ensembles.methods.bagging.bagging import BaggingClassifier as BaggingClassifier
    from ensembles.methods.bagging.bayesian_bagging import BayesianBaggingClassifier as BayesianBaggingClassifier
    from ensembles.methods.bagging.fixed_fraction_bagging import (
        FixedFractionBaggingClassifier as FixedFractionBaggingClassifier,
    )
    from ensembles.methods.bagging.leveraging_bagging import LeveragingBaggingClassifier as LeveragingBaggingClassifier
    from ensembles.methods.bagging.online_bagging import OnlineBaggingClassifier as OnlineBaggingClassifier
    from ensembles.methods.bagging.online_bayesian_bagging import (
        OnlineBayesianBaggingClassifier as OnlineBayesianBaggingClassifier,
    )
    from ensembles.methods.bagging.wagging import WaggingClassifier as WaggingClassifier
    from ensembles.methods.boosting.adaboost import AdaBoostClassifier as AdaBoostClassifier
    from ensembles.methods.boosting.arc_x4 import ArcX4Classifier as ArcX4Classifier
    from ensembles.methods.boosting.blocked_boosting import BlockedBoostingClassifier as BlockedBoostingClassifier
    from ensembles.methods.boosting.bole import BoleClassifier as BoleClassifier
    from ensembles.methods.boosting.ogboost import OgboostClassifier as OgboostClassifier
    from ensembles.methods.boosting.online_arc_x4 import OnlineArcX4Classifier as OnlineArcX4Classifier
    from ensembles.methods.boosting.online_boosting import OnlineBoostingClassifier as OnlineBoostingClassifier
    from ensembles.methods.boosting.osboost import OsboostClassifier as OsboostClassifier
    from ensembles.methods.boosting.primed_online_boosting import (
        PrimedOnlineBoostingClassifier as PrimedOnlineBoostingClassifier,
    )
    from ensembles.methods.combining.output_codes import OutputCodesClassifier as OutputCodesClassifier
    from ensembles.methods.combining.principal_components_combining import (
        PrincipalComponentsCombiningClassifier as PrincipalComponentsCombiningClassifier,
    )
    from ensembles.methods.combining.soft_voting import SoftVotingClassifier as SoftVotingClassifier
    from ensembles.methods.combining.stacking import StackingClassifier as StackingClassifier
    from ensembles.methods.combining.universal_mixture import (
        UniversalMixtureClassifier as UniversalMixtureClassifier,
    )
    from ensembles.methods.core.single import SingleClassifier as SingleClassifier
    from ensembles.methods.forests.adaptive_random_forest import (
        AdaptiveRandomForestClassifier as AdaptiveRandomForestClassifier,
    )
    from ensembles.methods.forests.extra_trees import ExtraTreesClassifier as ExtraTreesClassifier
    from ensembles.methods.forests.mondrian_forest import MondrianForestClassifier as MondrianForestClassifier
    from ensembles.methods.forests.random_forest import RandomForestClassifier as RandomForestClassifier
    from ensembles.methods.gradient_boosting.catboost import CatboostClassifier as CatboostClassifier
    from ensembles.methods.gradient_boosting.hist_gradient_boosting import (
        HistGradientBoostingClassifier as HistGradientBoostingClassifier,
    )
    from ensembles.methods.gradient_boosting.lightgbm import LightgbmClassifier as LightgbmClassifier
    from ensembles.methods.gradient_boosting.streaming_gradient_boosting import (
        StreamingGradientBoostingClassifier as StreamingGradientBoostingClassifier,
    )
    from ensembles.methods.gradient_boosting.xgboost import XgboostClassifier as XgboostClassifier
    from ensembles.methods.multiclass_boosting.adaboost_olm import AdaBoostOlmClassifier as AdaBoostOlmClassifier
    from ensembles.methods.multiclass_boosting.online_mbbm import OnlineMbbmClassifier as OnlineMbbmClassifier
    from ensembles.methods.subspaces.input_decimation import InputDecimationClassifier as InputDecimationClassifier
    from ensembles.methods.subspaces.random_subspaces import RandomSubspacesClassifier as RandomSubspacesClassifier
    from ensembles.methods.subspaces.streaming_random_patches import (
        StreamingRandomPatchesClassifier as StreamingRandomPatchesClassifier,
    )
    from ensembles.methods.weighting.bayesian_ensemble import BayesianEnsembleClassifier as BayesianEnsembleClassifier
    from ensembles.methods.weighting.dynamic_weighted_majority import (
        DynamicWeightedMajorityClassifier as DynamicWeightedMajorityClassifier,
    )
    from ensembles.methods.weighting.kappa_updated_ensemble import (
        KappaUpdatedEnsembleClassifier as KappaUpdatedEnsembleClassifier,
    )
    from ensembles.methods.weighting.sag_ensemble import SagEnsembleClassifier as SagEnsembleClassifier
    from ensembles.methods.weighting.sgd_average_ensemble import (
        SgdAverageEnsembleClassifier as SgdAverageEnsembleClassifier,
    )
    from ensembles.methods.weighting.sgd_ensemble import SgdEnsembleClassifier as SgdEnsembleClassifier
    from ensembles.methods.weighting.voting import VotingClassifier as VotingClassifier
    from ensembles.methods.weighting.weighted_majority import WeightedMajorityClassifier as WeightedMajorityClassifier
    from ensembles.methods.weighting.winnow import WinnowClassifier as WinnowClassifier
    from ensembles.reports.tree_figure import plot_tree as plot_tree


def __getattr__(name: str) -> Any:
    """Return a class of a learner or a function by its name, or the names of all (`__all__`)."""
    if name == "__all__":
        return sorted([*_classes(), *_FUNCTIONS])
    if name in _FUNCTIONS:
        return getattr(import_module(_FUNCTIONS[name]), name)
    if name.endswith("Classifier") and (found := _classes().get(name)) is not None:
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_classes(), *_FUNCTIONS])


@cache  # all that installed packages offer is looked through, which takes milliseconds
def _classes() -> dict[str, Any]:
    from ensembles.learners.sklearn.adapter import SklearnClassifier
    from ensembles.registry import learner_classes

    own = (cls for cls in learner_classes() if cls.__module__.startswith(f"{__name__}."))
    return {cls.__name__: cls for cls in [*own, SklearnClassifier]}
