"""The experiment that Home offers in one click."""

from ensembles.experiments.config import ExperimentConfig

__all__ = ["first_experiment"]

_FIRST = """
format: 3
name: "First experiment: decision stumps, batch and online"
seed: 1
datasets: [breast_cancer]
learners:
  - {method: single, base: decision_stump}
  - {method: bagging, base: decision_stump, n_estimators: 50}
  - {method: online_bagging, base: decision_stump, n_estimators: 50}
  - {method: adaboost, base: decision_stump, n_estimators: 50}
  - {method: online_boosting, base: decision_stump, n_estimators: 50}
  - {method: primed_online_boosting, base: decision_stump, n_estimators: 50}
protocol: {kind: cross_validation, repeats: 5, folds: 5, orders: 1, stratified: true}
measures: [accuracy, error]
curves: [learning_curve]
"""


def first_experiment() -> ExperimentConfig:
    """Return a small experiment over the main methods that ends in a verdict: on one data set, with 25 splits to tell by."""
    return ExperimentConfig.from_yaml(_FIRST)
