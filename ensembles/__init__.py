"""Ensemble learners, batch and online: every algorithm, base model, protocol and measure of five papers."""

from ensembles.learners.decision_stump import DecisionStumpClassifier
from ensembles.learners.decision_tree import DecisionTreeClassifier
from ensembles.learners.hoeffding_tree import HoeffdingTreeClassifier
from ensembles.learners.naive_bayes import NaiveBayesClassifier
from ensembles.learners.neural_network import NeuralNetworkClassifier
from ensembles.learners.one_rule import OneRuleClassifier
from ensembles.learners.perceptron import PerceptronClassifier
from ensembles.learners.pruned_tree import PrunedTreeClassifier
from ensembles.learners.sklearn_adapter import SklearnClassifier
from ensembles.learners.sklearn_models import (
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
from ensembles.methods.adaboost import AdaBoostClassifier
from ensembles.methods.adaboost_olm import AdaBoostOlmClassifier
from ensembles.methods.adwin_bagging import AdwinBaggingClassifier
from ensembles.methods.arc_x4 import ArcX4Classifier
from ensembles.methods.bagging import BaggingClassifier
from ensembles.methods.bayesian_bagging import BayesianBaggingClassifier
from ensembles.methods.bayesian_ensemble import BayesianEnsembleClassifier
from ensembles.methods.blocked_boosting import BlockedBoostingClassifier
from ensembles.methods.fixed_fraction_bagging import FixedFractionBaggingClassifier
from ensembles.methods.leveraging_bagging import LeveragingBaggingClassifier
from ensembles.methods.ogboost import OgboostClassifier
from ensembles.methods.online_arc_x4 import OnlineArcX4Classifier
from ensembles.methods.online_bagging import OnlineBaggingClassifier
from ensembles.methods.online_bayesian_bagging import OnlineBayesianBaggingClassifier
from ensembles.methods.online_boosting import OnlineBoostingClassifier
from ensembles.methods.online_mbbm import OnlineMbbmClassifier
from ensembles.methods.osboost import OsboostClassifier
from ensembles.methods.primed_online_boosting import PrimedOnlineBoostingClassifier
from ensembles.methods.sag_ensemble import SagEnsembleClassifier
from ensembles.methods.sgd_average_ensemble import SgdAverageEnsembleClassifier
from ensembles.methods.sgd_ensemble import SgdEnsembleClassifier
from ensembles.methods.single import SingleClassifier
from ensembles.methods.voting import VotingClassifier
from ensembles.methods.wagging import WaggingClassifier
from ensembles.methods.weighted_majority import WeightedMajorityClassifier
from ensembles.methods.winnow import WinnowClassifier

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
