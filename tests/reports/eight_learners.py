"""Made-up results of eight learners on four data sets, 2 × 5-fold cross-validation in two orders for online learners."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

from ensembles.evaluation.curves import CURVES
from ensembles.experiments.results import Results
from tests.reports.made_up import make_config, make_curve, make_results, make_trial

LEARNERS = (
    {"method": "single", "base": "naive_bayes"},
    {"method": "bagging", "base": "naive_bayes"},
    {"method": "online_bagging", "base": "naive_bayes"},
    {"method": "adaboost", "base": "naive_bayes"},
    {"method": "online_boosting", "base": "naive_bayes"},
    {"method": "primed_online_boosting", "base": "naive_bayes"},
    {"method": "single", "base": "decision_stump"},
    {"method": "adaboost", "base": "decision_stump"},
)
DATASETS = ("iris", "wine", "digits", "balance_scale")
NAMES = ("Iris", "Wine", "Digits & <b>letters</b>", "Balance_scale")
BOOSTING = (3, 4)
GAINS = (0.0, 0.001, 0.0, 0.05, 0.04, -0.05, -0.1, 0.02)


def make_eight(missing=(), failing=()):
    """Return the results; cells (dataset, learner) in `missing` have no trials, those in `failing` only failed ones."""
    config = make_config(LEARNERS, DATASETS)
    rng = np.random.default_rng(5)
    trials = []
    for dataset in range(len(DATASETS)):
        for repeat in range(2):
            for fold in range(5):
                base = 0.7 + 0.05 * dataset + rng.normal(0, 0.02)
                for learner, gain in enumerate(GAINS):
                    for order in range(2 if "online" in LEARNERS[learner]["method"] else 1):
                        accuracy = base + gain + rng.normal(0, 0.004)
                        place = {"repeat": repeat, "fold": fold, "order": order, "n_train": 120, "n_test": 30}
                        if (dataset, learner) not in missing:
                            failed = (dataset, learner) in failing
                            trials.append(make_trial(dataset, learner, None if failed else accuracy, **place))
    return make_results(trials, config=config, names=NAMES)


def make_everything() -> Results:
    """Return the results of `make_eight` with bias and variance, and with every kind of curve of two trials each."""
    results = make_eight()
    error = 1 - results.trials["accuracy"]
    trials = results.trials.assign(bias=0.75 * error, variance=0.25 * error)
    rng = np.random.default_rng(6)
    curves = []
    for name in (series for kind in CURVES.values() for series in kind.series):
        learners = BOOSTING if name == "hard_examples" else range(len(LEARNERS))
        for dataset, learner, fold in product(range(len(DATASETS)), learners, range(2)):
            x = rng.uniform(0, 1, 3) if name == "diversity" else np.arange(1.0, 6.0)
            curves += make_curve(dataset, learner, x, rng.uniform(0, 1, len(x)), curve=name, fold=fold)
    config = results.config.model_copy(update={"curves": tuple(kind for kind in CURVES if kind != "predictions")})
    return replace(results, config=config, trials=trials, curves=pd.DataFrame(curves))
