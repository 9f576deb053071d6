"""The view "Significance" of the results page."""

import json

import pytest

from ensembles.reports.over_datasets import rank_learners
from ensembles.reports.predictions import mcnemar_reads
from ensembles.reports.significance import Question, all_pairs, marked_means
from tests.pages.made_up_results import add_experiment, make_config
from tests.reports.made_up import make_results


@pytest.fixture
def open_view(open_page):
    """Return a function that opens the view with query parameters."""
    return lambda **query: open_page("results.py", view="Significance", **query)


def said(page):
    """Return all text on the page as a person reads it."""
    parts = [*page.markdown, *page.caption, *page.info]
    return " ".join(part.value for part in parts).replace("\\", "").replace("\N{WORD JOINER}", "")


def cells(table):
    return table.value.map(lambda cell: cell.replace("\\", "").replace("\N{NO-BREAK SPACE}", " "))


def test_the_page_says_what_the_reports_say(storage, open_view):
    experiment = add_experiment(storage, splits=3)
    page = open_view(experiment=experiment, daggers="AdaBoost")
    results = storage.load_results(experiment)
    marked = marked_means(results, Question("accuracy"), other=1)
    [means] = page.table
    [pairs] = [one.value for one in page.dataframe if " / 0 / " in one.value.to_string()]
    # The made-up learners differ by the same 0.1 on every one of nine splits, whatever the test.
    assert cells(means).iloc[0].tolist() == ["0.5000‡", ":green[**0.6000**]", ":green[**0.7000**]†"]
    assert pairs.set_index("Learner").equals(all_pairs(results, Question("accuracy")).to_frame().rename_axis("Learner"))
    text = said(page)
    ranks = rank_learners(results, Question("accuracy"))
    for sentence in (marked.sentence, marked.legend(), marked.assumes, ranks.sentence, ranks.holm_sentence):
        assert sentence in text
    for word in ("sign test", "Wilcoxon", "practically", "average error"):
        assert word in text
    won, chart = page.get("plotly_chart")
    assert json.loads(won.proto.spec)["data"][0]["z"][0] == [None, 1.0, 1.0]
    figure = json.loads(chart.proto.spec)
    assert figure["data"][0]["x"] == sorted(ranks.average_ranks)
    assert "Ranks" in chart.proto.alt


def test_settings_come_from_the_address(storage, open_view):
    experiment = add_experiment(storage)
    page = open_view(
        experiment=experiment,
        reference="Online boosting",
        level="0.1",
        test="Paired t-test, as in the thesis",
        rope="0.3",
    )
    text = said(page)
    assert "worse than Online boosting" in text
    assert "paired t-test, as in the thesis, at 0.1" in text
    assert "equivalent (within 0.3) 1.000" in text


def test_every_table_can_be_had_as_csv_latex_and_html(storage, open_view):
    page = open_view(experiment=add_experiment(storage))
    labels = [button.label for button in page.get("download_button")]
    assert [labels.count(name) for name in ("LaTeX", "HTML")] == [2, 2]
    assert labels.count("Download as CSV") >= 4
    assert {"Report with figures (HTML)", "Tables with significance (LaTeX)"} <= set(labels)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (make_config(methods=("single",), curves=()), "this experiment has one"),
        (make_config(methods=("single", "adaboost"), curves=()), "it needs three learners, got 2"),
    ],
)
def test_too_few_learners_are_said(storage, open_view, config, sentence):
    page = open_view(experiment=add_experiment(storage, config))
    assert sentence in said(page)
    assert "Ranks" not in "".join(chart.proto.alt for chart in page.get("plotly_chart"))


def test_a_learner_whose_trials_all_failed_is_said(storage, open_view):
    text = said(open_view(experiment=add_experiment(storage, failing=(2,))))
    assert (
        "it needs three learners, got 2. Not compared, with no more than half of the results that others have" in text
    )
    assert "nan" not in text.lower().split()


def test_the_same_learner_twice_is_no_pair(storage, open_view):
    page = open_view(experiment=add_experiment(storage), across="AdaBoost", up="Online boosting", rope="0.3")
    assert "equivalent (within 0.3)" in said(page)
    page.selectbox(key="up").select("AdaBoost").run()
    assert "Choose two different learners" in said(page)
    assert page.number_input(key="rope").value == 0.3
    page.selectbox(key="up").select("Online boosting").run()
    assert "equivalent (within 0.3)" in said(page), "what was typed is lost"


def test_without_a_single_model_another_learner_is_the_reference(storage, open_view):
    config = make_config(methods=("adaboost", "online_boosting"), curves=())
    page = open_view(experiment=add_experiment(storage, config))
    assert page.selectbox(key="reference").options == ["AdaBoost", "Online boosting"]
    assert "better than AdaBoost" in said(page)


ODD = (
    {"level": "7", "alpha": "7", "rope": "-1", "test": "welch", "measure": "beauty"},
    {"level": "nan", "rope": "nan", "reference": "Nobody"},
    {"rope": "inf", "across": "-1"},
    {"rope": "7", "up": "99"},
)


def test_settings_in_the_address_that_make_no_sense_are_left_out(storage, open_view):
    experiment = add_experiment(storage)
    plain = said(open_view(experiment=experiment))
    for odd in ODD:
        page = open_view(experiment=experiment, **odd)
        assert said(page) == plain
        assert not page.exception


def test_single_splits_are_told_apart_by_single_predictions_first(storage, open_view):
    """No test on one data set is possible by splits: the one by predictions comes before what has no answer."""
    config = make_config(curves=("predictions",))
    page = open_view(experiment=add_experiment(storage, config, splits=1))
    headers = [header.value for header in page.header]
    assert headers[1] == "Two learners on each data set, by single predictions"
    assert "All pairs, by accuracy" not in headers
    assert mcnemar_reads(make_results([])) in said(page)
    page = open_view(experiment=add_experiment(storage, config))
    several = [header.value for header in page.header]
    assert several[1] == "All pairs, by accuracy"
    assert several[-1] == "The same two on each data set, by single predictions"
