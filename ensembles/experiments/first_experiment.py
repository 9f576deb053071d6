"""The experiment that Home offers in one click."""

from ensembles.experiments.config import ExperimentConfig

__all__ = ["first_experiment"]

_FIRST = """
name: "First experiment: naive Bayes, batch and online"
seed: 1
datasets: [iris, wine, breast_cancer, balance_scale]
learners:
  - {method: single, base: naive_bayes}
  - {method: bagging, base: naive_bayes, n_estimators: 50}
  - {method: online_bagging, base: naive_bayes, n_estimators: 50}
  - {method: adaboost, base: naive_bayes, n_estimators: 50}
  - {method: online_boosting, base: naive_bayes, n_estimators: 50}
  - {method: primed_online_boosting, base: naive_bayes, n_estimators: 50}
protocol: {kind: cross_validation, repeats: 2, folds: 5, orders: 2, stratified: true}
measures: [accuracy, error]
curves: [learning_curve]
"""


def first_experiment() -> ExperimentConfig:
    """Return a small experiment over the main methods that ends within half a minute."""
    return ExperimentConfig.from_yaml(_FIRST)
