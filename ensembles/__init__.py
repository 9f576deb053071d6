"""Ensemble learners, batch and online: every algorithm, base model, protocol and measure of five papers."""

from ensembles.learners.bayes.naive_bayes import NaiveBayesClassifier
from ensembles.learners.hoeffding.hoeffding_tree import HoeffdingTreeClassifier
from ensembles.learners.linear.perceptron import PerceptronClassifier
from ensembles.learners.lossless_tree.decision_tree import DecisionTreeClassifier
from ensembles.learners.neural.neural_network import NeuralNetworkClassifier
from ensembles.learners.one_level.decision_stump import DecisionStumpClassifier
from ensembles.learners.one_level.one_rule import OneRuleClassifier
from ensembles.learners.pruned_tree.pruned_tree import PrunedTreeClassifier
from ensembles.learners.sklearn.adapter import SklearnClassifier
from ensembles.learners.sklearn.models import (
    SklearnDecisionTreeClassifier,
    SklearnExtraTreeClassifier,
    SklearnGaussianNaiveBayesClassifier,
    SklearnKNearestNeighborsClassifier,
    SklearnLinearSvmClassifier,
    SklearnLogisticRegressionClassifier,
    SklearnMlpClassifier,
    SklearnRandomForestClassifier,
    SklearnSvmClassifier,
)
from ensembles.methods.bagging.adwin_bagging import AdwinBaggingClassifier
from ensembles.methods.bagging.bagging import BaggingClassifier
from ensembles.methods.bagging.bayesian_bagging import BayesianBaggingClassifier
from ensembles.methods.bagging.fixed_fraction_bagging import FixedFractionBaggingClassifier
from ensembles.methods.bagging.leveraging_bagging import LeveragingBaggingClassifier
from ensembles.methods.bagging.online_bagging import OnlineBaggingClassifier
from ensembles.methods.bagging.online_bayesian_bagging import OnlineBayesianBaggingClassifier
from ensembles.methods.bagging.wagging import WaggingClassifier
from ensembles.methods.boosting.adaboost import AdaBoostClassifier
from ensembles.methods.boosting.arc_x4 import ArcX4Classifier
from ensembles.methods.boosting.blocked_boosting import BlockedBoostingClassifier
from ensembles.methods.boosting.ogboost import OgboostClassifier
from ensembles.methods.boosting.online_arc_x4 import OnlineArcX4Classifier
from ensembles.methods.boosting.online_boosting import OnlineBoostingClassifier
from ensembles.methods.boosting.osboost import OsboostClassifier
from ensembles.methods.boosting.primed_online_boosting import PrimedOnlineBoostingClassifier
from ensembles.methods.core.single import SingleClassifier
from ensembles.methods.multiclass_boosting.adaboost_olm import AdaBoostOlmClassifier
from ensembles.methods.multiclass_boosting.online_mbbm import OnlineMbbmClassifier
from ensembles.methods.weighting.bayesian_ensemble import BayesianEnsembleClassifier
from ensembles.methods.weighting.sag_ensemble import SagEnsembleClassifier
from ensembles.methods.weighting.sgd_average_ensemble import SgdAverageEnsembleClassifier
from ensembles.methods.weighting.sgd_ensemble import SgdEnsembleClassifier
from ensembles.methods.weighting.voting import VotingClassifier
from ensembles.methods.weighting.weighted_majority import WeightedMajorityClassifier
from ensembles.methods.weighting.winnow import WinnowClassifier

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostOlmClassifier",
    "AdwinBaggingClassifier",
    "ArcX4Classifier",
    "BaggingClassifier",
    "BayesianBaggingClassifier",
    "BayesianEnsembleClassifier",
    "BlockedBoostingClassifier",
    "DecisionStumpClassifier",
    "DecisionTreeClassifier",
    "FixedFractionBaggingClassifier",
    "HoeffdingTreeClassifier",
    "LeveragingBaggingClassifier",
    "NaiveBayesClassifier",
    "NeuralNetworkClassifier",
    "OgboostClassifier",
    "OneRuleClassifier",
    "OnlineArcX4Classifier",
    "OnlineBaggingClassifier",
    "OnlineBayesianBaggingClassifier",
    "OnlineBoostingClassifier",
    "OnlineMbbmClassifier",
    "OsboostClassifier",
    "PerceptronClassifier",
    "PrimedOnlineBoostingClassifier",
    "PrunedTreeClassifier",
    "SagEnsembleClassifier",
    "SgdAverageEnsembleClassifier",
    "SgdEnsembleClassifier",
    "SingleClassifier",
    "SklearnClassifier",
    "SklearnDecisionTreeClassifier",
    "SklearnExtraTreeClassifier",
    "SklearnGaussianNaiveBayesClassifier",
    "SklearnKNearestNeighborsClassifier",
    "SklearnLinearSvmClassifier",
    "SklearnLogisticRegressionClassifier",
    "SklearnMlpClassifier",
    "SklearnRandomForestClassifier",
    "SklearnSvmClassifier",
    "VotingClassifier",
    "WaggingClassifier",
    "WeightedMajorityClassifier",
    "WinnowClassifier",
]
