"""Error against a setting: which learners make a line, what it is called, and the numbers on it."""

import numpy as np
import pytest
from scipy import stats

from ensembles.reports.html_report import report_page
from ensembles.reports.setting_curves import numbers_of, swept_settings
from ensembles.reports.setting_figure import has_sweep, setting_charts
from ensembles.reports.views import views_of
from tests.reports.made_up import make_config, make_results, make_trial

SWEEP = [
    {"method": "online_bagging", "base": "naive_bayes", "n_estimators": [100, 5, 25]},
    {"method": "single", "base": "naive_bayes"},
    {"method": "adaboost", "base": "naive_bayes", "n_estimators": 25},
    {"method": "primed_online_boosting", "base": "naive_bayes", "n_estimators": 25, "prime_fraction": [0.3, 0.1]},
]


def results_of(learners=SWEEP, n_splits=4, datasets=("iris", "wine"), absent=()):
    config = make_config(learners, datasets)
    places = [(d, m, s) for d in range(len(datasets)) for m in range(len(config.learners)) for s in range(n_splits)]
    rng = np.random.default_rng(1)
    trials = [
        make_trial(d, m, 0.9 - 0.01 * m + 0.1 * rng.random(), fold=s) for d, m, s in places if (d, m) not in absent
    ]
    return make_results(trials, config=config, names=[name.title() for name in datasets])


def test_learners_that_differ_in_one_setting_make_a_line_and_others_a_level():
    members, share = swept_settings(results_of().config.learners)
    assert (members.label, share.label) == ("Members", "Primed share")
    assert [(line.label, line.values) for line in members.lines] == [
        ("Online bagging", (5, 25, 100)),
        ("AdaBoost", (25,)),
        ("Primed online boosting (primed share 0.3)", (25,)),
        ("Primed online boosting (primed share 0.1)", (25,)),
        ("Single model", ()),
    ]
    assert members.lines[0].learners == (1, 2, 0)
    primed, *levels = share.lines
    assert (primed.label, primed.values) == ("Primed online boosting of 25 members", (0.1, 0.3))
    assert [line.label for line in levels] == [
        "Online bagging of 100 members",
        "Online bagging of 5 members",
        "Online bagging of 25 members",
        "Single model",
        "AdaBoost of 25 members",
    ]


def test_a_setting_of_a_base_model_is_one_of_that_base_model_only():
    learners = [
        {"method": ["single", "bagging"], "base": {"key": "perceptron", "averaged": [True, False]}},
        {"method": "single", "base": "naive_bayes"},
    ]
    [averaged] = swept_settings(results_of(learners).config.learners)
    assert [(line.label, line.values) for line in averaged.lines] == [
        ("Single model: perceptron", (False, True)),
        ("Bagging of perceptrons", (False, True)),
        ("Single model: naive Bayes", ()),
    ]
    assert not averaged.is_number


def test_numbers_are_means_with_corrected_intervals():
    results = results_of()
    table = numbers_of(results, swept_settings(results.config.learners)[0], "error", 1)
    errors = 1 - results.trials.query("dataset == 1 and learner == 1")["accuracy"]
    half = stats.t.ppf(0.975, 3) * np.sqrt((1 / 4 + 50 / 100) * errors.var())
    first = table.iloc[0]
    assert tuple(first[:2]) == ("Online bagging", 5)
    np.testing.assert_allclose([*first[2:]], [errors.mean(), errors.mean() - half, errors.mean() + half])


def test_two_splits_have_no_interval_and_what_has_not_run_is_left_out():
    results = results_of(n_splits=2, absent={(0, 1)})
    setting = swept_settings(results.config.learners)[0]
    table = numbers_of(results, setting, "error", 0)
    assert table["From"].isna().all()
    assert len(table) == 6
    over_all = numbers_of(results, setting, "error", None)
    wine = 1 - results.trials.query("dataset == 1 and learner == 0")["accuracy"].mean()
    assert over_all.query("Members == 100")["Error"].iloc[0] == pytest.approx(wine)


def test_over_data_sets_who_failed_on_a_hard_split_is_no_better_for_it():
    errors = [[0.1, 0.1, 0.9], [0.1, 0.1, np.nan]]
    trials = [
        make_trial(0, learner, 1.0 - error, fold=fold)
        for learner, row in enumerate(errors)
        for fold, error in enumerate(row)
        if error == error
    ]
    results = make_results(trials, config=make_config([{**SWEEP[0], "n_estimators": [5, 25]}], ("iris",)))
    [members] = swept_settings(results.config.learners)
    assert numbers_of(results, members, "error", None)["Error"].tolist() == pytest.approx([0.1, 0.1])
    assert numbers_of(results, members, "error", 0)["Error"].tolist() == pytest.approx([1.1 / 3, 0.1])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_charts_draw_every_line_on_a_logarithmic_axis_where_values_are_far_apart(theme):
    over_all, iris, *_ = charts = list(setting_charts(results_of()))
    assert len(charts) == 2 * 3
    figure = iris.draw(theme)
    assert [trace.name for trace in figure.data if trace.error_y.array] == [
        "Online bagging",
        "AdaBoost",
        "Primed online boosting (primed share 0.3)",
        "Primed online boosting (primed share 0.1)",
    ]
    assert figure.layout.xaxis.type == "log"
    assert figure.layout.xaxis.ticktext == ("5", "25", "100")
    assert "Dashed" in iris.caption
    assert over_all.caption.startswith("Mean of the error over the data sets that all learners have finished")
    assert charts[3].draw(theme).layout.xaxis.type is None
    assert {chart.heading for chart in charts} == {"Error against members", "Error against primed share"}


def test_many_values_on_a_logarithmic_axis_are_written_in_full_and_apart():
    results = results_of([{**SWEEP[0], "n_estimators": list(range(1, 41))}])
    axis = next(setting_charts(results)).draw("light").layout.xaxis
    assert axis.ticktext == ("1", "2", "3", "5", "7", "10", "14", "20", "28", "39")
    assert [str(value) for value in axis.tickvals] == list(axis.ticktext)


def test_without_a_sweep_or_a_finished_trial_there_is_nothing_to_show():
    assert not has_sweep(results_of(SWEEP[1:3]))
    waiting = results_of(n_splits=0)
    assert has_sweep(waiting)
    assert list(setting_charts(waiting)) == []


def test_the_report_shows_it():
    results = results_of()
    assert "settings" in [view.key for view in views_of(results)]
    assert "<h2>Error against primed share</h2>" in report_page(results, ["accuracy"])
