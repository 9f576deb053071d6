"""Bias and variance as a table."""

import math

import pandas as pd
import pytest

from ensembles.experiments.config import ExperimentConfig
from ensembles.reports.decomposition import decomposition_table, is_decomposed
from ensembles.reports.results import TRIAL_COLUMNS, Results

CONFIG = ExperimentConfig.from_dict(
    {
        "name": "x",
        "datasets": ["iris", "wine"],
        "learners": [{"method": method, "base": "naive_bayes"} for method in ("single", "bagging")],
        "protocol": {"kind": "bias_variance", "repeats": 2},
    }
)


def results(rows):
    """rows: data set, learner, repeat, bias, variance; None for a trial that failed."""
    trials = [
        dict.fromkeys(TRIAL_COLUMNS, 0)
        | {"dataset": d, "learner": m, "repeat": repeat, "error": None if bias is not None else "it failed"}
        | {"accuracy": 1 - bias - variance if bias is not None else math.nan, "bias": bias, "variance": variance}
        for d, m, repeat, bias, variance in rows
    ]
    return Results(CONFIG, ("Iris", "Wine"), ("Single", "Bagging"), pd.DataFrame(trials))


def test_bias_and_variance_stand_beside_the_error_they_sum_to():
    found = results([(0, 0, 0, 0.1, 0.1), (0, 0, 1, 0.3, 0.1), (0, 1, 0, 0.0, 0.0), (1, 0, 0, None, None)])
    assert is_decomposed(found)
    table = decomposition_table(found)
    assert table[["Data set", "Learner"]].to_numpy().tolist() == [["Iris", "Single"], ["Iris", "Bagging"]]
    assert table.loc[0, ["Error", "Bias", "Variance", "Share of variance"]].tolist() == pytest.approx(
        [0.3, 0.2, 0.1, 1 / 3]
    )
    assert (table["Bias"] + table["Variance"]).tolist() == pytest.approx(table["Error"].tolist(), abs=1e-12)
    assert math.isnan(table.loc[1, "Share of variance"])


def test_other_protocols_are_not_decomposed():
    trials = pd.DataFrame([dict.fromkeys(TRIAL_COLUMNS, 0) | {"error": None, "accuracy": 0.5}])
    assert not is_decomposed(Results(CONFIG, ("Iris", "Wine"), ("Single", "Bagging"), trials))
