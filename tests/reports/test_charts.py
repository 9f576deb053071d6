"""What a chart says when there is little to draw, and where a comparison begins."""

import pytest

from ensembles.reports.charts import (
    decomposition_chart,
    diversity_chart,
    first_pair,
    has_sizes,
    scatter_chart,
    time_chart,
)
from ensembles.reports.curve_charts import CURVE_DISPLAYS, curve_chart, datasets_with
from tests.reports.eight_learners import make_everything
from tests.reports.made_up import make_config, make_results, make_trial

BASE = {"base": "naive_bayes"}


@pytest.fixture(scope="module")
def everything():
    return make_everything()


def test_a_comparison_begins_with_online_boosting_against_adaboost(everything):
    assert first_pair(everything) == (3, 4)


@pytest.mark.parametrize(
    "trials",
    [[], [make_trial(0, 1, None)], [make_trial(0, 0, 0.5), make_trial(0, 1, 0.5)]],
    ids=["none", "failed", "two"],
)
def test_where_a_comparison_begins_does_not_depend_on_the_trials_that_have_ended(trials):
    assert first_pair(make_results(trials)) == (1, 2)
    assert first_pair(make_results(trials[:0], config=make_config([{"method": "single", **BASE}]))) == (0, 0)


def test_charts_without_numbers_say_why():
    nothing = make_results([make_trial(0, 0, 0.5)])
    charts = [
        scatter_chart(nothing, 0, 1),
        diversity_chart(nothing, 0),
        curve_chart(nothing, CURVE_DISPLAYS["learning_curve"], 0),
        time_chart(make_results([make_trial(0, 0, 0.5, predict_cpu_seconds=None)]), "predict_cpu_seconds"),
    ]
    assert all(chart.numbers.empty and chart.caption.endswith(".") for chart in charts)
    assert not has_sizes(nothing)
    assert not any(datasets_with(nothing, view) for view in CURVE_DISPLAYS.values())


def test_a_chart_of_chosen_learners_has_their_numbers_only(everything):
    for chart in (decomposition_chart(everything, [1, 2]), diversity_chart(everything, 0, [1, 2])):
        assert list(chart.numbers["Learner"].unique()) == [everything.learners[place] for place in (1, 2)]


def test_training_and_test_examples_stand_in_one_table(everything):
    view = CURVE_DISPLAYS["trial_graph"]
    test, train, both = (curve_chart(everything, view, 0, of).numbers for of in ("test", "train", "both"))
    for name, own in (("Test examples", test), ("Training examples", train)):
        part = both[both["Examples"] == name].drop(columns="Examples").reset_index(drop=True)
        assert part.equals(own)
