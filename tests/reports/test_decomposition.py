"""Bias and variance as a table, a sentence and a figure."""

import math

import pandas as pd
import pytest

from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.results import TRIAL_COLUMNS, Results
from ensembles.reports.charts import decomposition_chart
from ensembles.reports.decomposition import (
    decomposition_figure,
    decomposition_sentence,
    decomposition_table,
    is_decomposed,
)
from ensembles.reports.style import learner_styles
from ensembles.reports.views import VIEWS

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


def test_bars_are_bias_and_variance_end_to_end_up_to_the_error():
    found = results([(0, 0, 0, 0.1, 0.2), (1, 0, 0, 0.05, 0.1), (0, 1, 0, 0.3, 0.1), (1, 1, 0, None, None)])
    table = decomposition_table(found)
    figure = decomposition_figure(table, found.learners, learner_styles(CONFIG.learners))
    for learner, (bias, variance) in zip(found.learners, zip(*[iter(figure.data)] * 2, strict=True), strict=True):
        own = table[table["Learner"] == learner]
        assert list(bias.x) == list(variance.base) == own["Bias"].tolist()
        assert list(variance.x) == own["Variance"].tolist()
        assert [start + length for start, length in zip(variance.base, variance.x, strict=True)] == pytest.approx(
            own["Error"].tolist()
        )
        assert [figure.layout.yaxis.ticktext[row] for row in bias.y] == own["Data set"].tolist()
        assert bias.offsetgroup == variance.offsetgroup
        assert (bias.name, bias.showlegend, variance.showlegend) == (learner, None, False)
    assert [len(trace.x) for trace in figure.data] == [2, 2, 1, 1]
    assert figure.data[0].hovertext[0].endswith("error 0.3000 = bias 0.1000 + variance 0.2000")


def test_after_domingos_what_helps_is_taken_back_from_bias_and_what_harms():
    trial = {"error": None, "accuracy": 0.75, "bias": 0.15, "variance": 0.1, "main_bias": 0.2}
    trial |= {"unbiased_variance": 0.09, "biased_variance": 0.04}
    frame = pd.DataFrame([dict.fromkeys(TRIAL_COLUMNS, 0) | trial])
    found = Results(CONFIG, ("Iris", "Wine"), ("Single", "Bagging"), frame)
    chart = decomposition_chart(found, around_main=True)
    bias, harm, helps = chart.draw("dark").data
    assert bias.x == harm.base == (0.2,)
    assert harm.x == (0.09,)
    assert helps.base == pytest.approx((0.25,))
    assert helps.base[0] + helps.x[0] == pytest.approx(harm.base[0] + harm.x[0])
    assert helps.marker.pattern.shape == "/"
    assert bias.hovertext[0].endswith(
        "error 0.2500 = bias 0.2000 + variance that harms 0.0900 − variance that helps 0.0400"
    )
    [view] = [view for view in VIEWS if view.key == "bias_and_variance"]
    assert list(view.sections(found)) == ["Bias and variance", "Bias and variance of the main prediction"]
    before = results([(0, 0, 0, 0.1, 0.2)])  # trials of earlier releases
    assert decomposition_chart(before, around_main=True).numbers.empty
    assert list(view.sections(before)) == ["Bias and variance"]


def test_the_sentence_compares_shares_over_the_data_sets_that_have_all_learners():
    rows = [(0, 0, 0, 0.1, 0.3), (0, 1, 0, 0.3, 0.1), (1, 0, 0, 0.9, 0.0), (1, 1, 0, None, None)]
    assert decomposition_sentence(decomposition_table(results(rows))) == (
        "Over 1 data set, the share of variance in the error is largest for Single (75 %) and smallest for Bagging (25 %)."
    )


@pytest.mark.parametrize(
    "rows",
    [
        [(0, 0, 0, 0.1, 0.3), (1, 1, 0, 0.1, 0.3)],
        [(0, 0, 0, 0.1, 0.3), (1, 0, 0, 0.1, 0.3)],
        [(0, 0, 0, 0.0, 0.0), (0, 1, 0, 0.0, 0.0)],
        [(0, 0, 0, None, None)],
    ],
    ids=["no data set with both", "one learner", "no error", "nothing"],
)
def test_without_two_learners_to_compare_there_is_no_sentence(rows):
    assert decomposition_sentence(decomposition_table(results(rows))) == ""
