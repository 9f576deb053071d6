import io
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from ensembles.reports import tables
from ensembles.reports.html_report import report_page
from ensembles.reports.latex_means import means_latex
from runner.commands.summary import results_text
from tests.reports.made_up import make_config, make_results, make_trial


@pytest.fixture
def results():
    accuracies = {(0, 0): 0.8, (0, 1): 0.9, (0, 2): 0.90004, (1, 0): 0.7}
    trials = [make_trial(*cell, accuracy) for cell, accuracy in accuracies.items()]
    return make_results([*trials, make_trial(1, 1, None)])


def test_the_mean_table_has_data_sets_down_and_learners_across(results):
    table = tables.mean_table(results, "accuracy")
    assert list(table.index) == ["Iris", "Wine"]
    assert list(table.columns) == list(results.learner_labels)
    assert table.iloc[0].tolist() == [0.8, 0.9, 0.90004]
    assert table.iloc[1].isna().tolist() == [False, True, True]


def test_the_best_cell_is_the_best_as_shown_and_needs_a_rival(results):
    best = tables.best_cells(tables.mean_table(results, "accuracy"), "accuracy")
    assert best.to_numpy().tolist() == [[False, True, True], [False, False, False]]
    worst_error = tables.best_cells(tables.mean_table(results, "error"), "error")
    assert worst_error.to_numpy().tolist() == best.to_numpy().tolist()


def test_tiny_models_are_told_apart():
    means = pd.DataFrame([[7.47e-06, 4.70e-05, 7.46e-06]])
    assert tables.best_cells(means, "ram_hours").to_numpy().tolist() == [[True, False, True]]


def test_equal_names_stay_two_rows():
    results = make_results([make_trial(0, 0, 0.8), make_trial(1, 0, 0.6)], names=("Car", "Car"))
    assert list(tables.mean_table(results, "accuracy").index) == ["Car", "Car (2)"]


def test_the_summary_has_a_row_for_each_cell_and_measure_that_has_trials(results):
    summary = tables.summary_table(results)
    assert len(summary) == 4 * 3
    row = summary[(summary["Data set"] == "Wine") & (summary["Measure"] == "Error")].iloc[0]
    assert row["Mean"] == pytest.approx(0.3)
    assert row["Trials"] == 1


def test_trials_without_a_value_are_counted_where_others_of_their_cell_have_one():
    """AUC of a fold with one class, say; a cell without any value has no mean that could mislead."""
    folds = [make_trial(0, 0, 0.5, fold=fold, auc=value) for fold, value in enumerate([0.5, None, None, 0.7])]
    trials = [*folds, make_trial(0, 1, 0.5, auc=None), make_trial(1, 0, 0.5, auc=0.5), make_trial(1, 1, None, auc=None)]
    found = make_results(trials)
    said = "2 trials have no area under the ROC curve: a mean is of the others."
    assert tables.without_value(found, "auc") == [said]
    assert tables.without_value(found, "accuracy") == tables.without_value(found, "error") == []
    assert tables.without_value(make_results(trials[:2]), "auc") == [said.replace("2 trials have", "1 trial has")]
    assert said in means_latex(found, "auc")
    assert said not in means_latex(found, "accuracy")
    assert report_page(found, ["accuracy", "auc"]).count(said) == 1
    found = replace(found, config=found.config.model_copy(update={"measures": ("accuracy", "auc")}))
    told = results_text(SimpleNamespace(name="A", id=1, state="done", done=7, total=7, failed=0), found, 1.0)
    assert told.count(said) == 1


def test_times_are_compared_with_the_single_model_of_the_same_base_model():
    config = make_config(
        [
            {"method": "bagging", "base": "decision_stump"},
            {"method": "single", "base": "naive_bayes"},
            {"method": "single", "base": "decision_stump"},
            {"method": "online_bagging", "base": "naive_bayes"},
        ]
    )
    seconds = (6.0, 0.5, 2.0, 4.0)
    trials = [
        make_trial(0, learner, 0.9, fold=fold, fit_cpu_seconds=value * noise, fit_seconds=20.0 - value)
        for learner, value in enumerate(seconds)
        for fold, noise in enumerate((1.0, 0.9, 1000.0 if learner == 1 else 1.1))
    ]
    ratios = tables.time_ratio_table(make_results(trials, config=config))
    assert ratios.loc["Iris"].tolist() == [3.0, 1.0, 1.0, 8.0]
    table = tables.time_table(make_results(trials, config=config))
    assert table["Times the single model"].tolist() == [3.0, 1.0, 1.0, 8.0]
    assert table["Processor seconds to train"].tolist() == list(seconds)
    assert table["Wall seconds to train"].tolist() == [20.0 - value for value in seconds]


def test_without_a_single_model_there_is_no_ratio():
    config = make_config([{"method": "bagging", "base": "naive_bayes"}])
    assert np.isnan(tables.time_ratio_table(make_results([make_trial(0, 0, 0.9)], config=config)).iloc[0, 0])


def test_every_trial_is_a_row_counted_from_one_and_a_failed_one_says_why(results):
    table = tables.trial_table(results)
    assert len(table) == 5
    assert table["Repeat"].tolist() == [1] * 5
    assert table["Failure"].isna().tolist() == [True] * 4 + [False]
    assert table["Failure"].iloc[4] == "the learner gave up"
    assert np.isnan(table["Accuracy"].iloc[4])
    assert table["Error"].iloc[0] == pytest.approx(0.2)


def test_failures_are_counted_by_sentence():
    table = tables.failure_table(make_results([make_trial(0, 1, None), make_trial(0, 1, None, fold=1)]))
    assert table[["Data set", "Failure", "Trials"]].to_numpy().tolist() == [["Iris", "the learner gave up", 2]]


def test_csv_keeps_every_digit_and_defuses_formulas():
    frame = pd.DataFrame({"=name": ["=1+1", "@x", "-5 degrees", "plain"], "value": [0.1 + 0.2, -1.0, 1e-300, np.nan]})
    text = tables.to_csv(frame)
    back = pd.read_csv(io.StringIO(text), dtype=str)
    assert back["'=name"].tolist() == ["'=1+1", "'@x", "'-5 degrees", "plain"]
    assert back["value"].iloc[:3].map(float).tolist() == [0.1 + 0.2, -1.0, 1e-300]
    assert list(frame.columns) == ["=name", "value"]


def test_csv_can_name_the_row_labels(results):
    text = tables.to_csv(tables.mean_table(results, "accuracy"), index="Data set")
    assert text.splitlines()[0].startswith("Data set,")
    assert text.splitlines()[1] == "Iris,0.8,0.9,0.90004"
