"""Ensemble learners, batch and online: every algorithm, base model, protocol and measure of five papers."""

from ensembles.learners.decision_stump import DecisionStumpClassifier
from ensembles.learners.decision_tree import DecisionTreeClassifier
from ensembles.learners.hoeffding_tree import HoeffdingTreeClassifier
from ensembles.learners.naive_bayes import NaiveBayesClassifier
from ensembles.learners.neural_network import NeuralNetworkClassifier
from ensembles.learners.one_rule import OneRuleClassifier
from ensembles.learners.perceptron import PerceptronClassifier
from ensembles.learners.pruned_tree import PrunedTreeClassifier
from ensembles.methods.adaboost import AdaBoostClassifier
from ensembles.methods.bagging import BaggingClassifier
from ensembles.methods.online_bagging import OnlineBaggingClassifier
from ensembles.methods.online_boosting import OnlineBoostingClassifier
from ensembles.methods.primed_online_boosting import PrimedOnlineBoostingClassifier
from ensembles.methods.single import SingleClassifier

__all__ = [
    "AdaBoostClassifier",
    "BaggingClassifier",
    "DecisionStumpClassifier",
    "DecisionTreeClassifier",
    "HoeffdingTreeClassifier",
    "NaiveBayesClassifier",
    "NeuralNetworkClassifier",
    "OneRuleClassifier",
    "OnlineBaggingClassifier",
    "OnlineBoostingClassifier",
    "PerceptronClassifier",
    "PrimedOnlineBoostingClassifier",
    "PrunedTreeClassifier",
    "SingleClassifier",
]
