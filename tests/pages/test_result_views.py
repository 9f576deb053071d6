"""The views of the results page, by their addresses."""

import json
import re
from dataclasses import replace
from itertools import product

import pandas as pd
import plotly.graph_objects as go
import pytest
from streamlit.runtime.context import ContextProxy

from ensembles.experiments.records import TrialPlan
from ensembles.reports import views
from ensembles.reports.charts import Chart
from ensembles.reports.html_report import report_page
from ensembles.reports.views import View
from pages.parts.results import scatterplots
from tests.pages.made_up import tiny_config, tiny_dataset
from tests.pages.made_up_results import (
    METHODS,
    SPLITS,
    add_experiment,
    figures,
    make_config,
    make_result,
    texts,
)
from tests.reports.eight_learners import make_eight


@pytest.mark.parametrize(
    ("view", "n_figures"),
    [("Summary", 2), ("Scatterplots", 2), ("Learning curves", 1), ("Members", 1), ("Running time", 2), ("Trials", 0)],
)
def test_every_view_opens_by_its_address(storage, view, n_figures, open_results):
    page = open_results(experiment=add_experiment(storage), view=view)
    assert page.segmented_control(key="view").value == view
    assert len(figures(page)) == n_figures


def test_on_a_phone_long_views_are_short(storage, monkeypatch, open_results):
    monkeypatch.setattr(ContextProxy, "headers", property(lambda _: {"User-Agent": "Chrome/150.0 Mobile Safari"}))
    monkeypatch.setattr(scatterplots, "_AT_ONCE_ON_PHONE", 1)
    experiment = add_experiment(storage)
    page = open_results(experiment=experiment, view="Scatterplots")
    (first,) = figures(page)
    assert first["layout"]["height"] == 340  # the square that fits, and nothing empty below it
    assert [one.value for one in page.caption][-1] == "2 scatterplots"
    page.session_state["plots"] = 2
    (second,) = figures(page.run())
    assert first["layout"]["yaxis"]["title"] != second["layout"]["yaxis"]["title"]
    page = open_results(experiment=experiment, view="Significance")
    sections = [one.label for one in page.expander if not one.proto.expanded]
    assert [one.removesuffix(", by accuracy") for one in sections] == [
        "All pairs", "Ranks over data sets", "Two learners over all data sets",
    ]  # fmt: skip


def test_on_a_phone_words_under_an_axis_are_not_cut(storage, monkeypatch, open_results):
    monkeypatch.setattr(ContextProxy, "headers", property(lambda _: {"User-Agent": "Chrome/150.0 Mobile Safari"}))
    config = make_config(curves=(), protocol={"kind": "bias_variance", "repeats": 2})
    page = open_results(experiment=add_experiment(storage, config), view="Bias and variance")
    titles = [figure["layout"]["xaxis"]["title"]["text"] for figure in figures(page)]
    assert titles == [
        "error = bias + variance<br>(faint)",
        "error = bias + variance that<br>harms (faint)<br>− variance that helps<br>(hatched)",
    ]


@pytest.mark.parametrize(("of", "error"), [("all", 0.5), ("window", 0.25), ("fading", 0.75)])
def test_the_error_on_a_stream_is_shown_in_three_ways(storage, open_results, of, error):
    protocol = {"kind": "prequential", "orders": 4}
    config = make_config(methods=("single", "online_boosting"), curves=("prequential_error",), protocol=protocol)
    said = {"all": "All so far", "window": "Sliding window", "fading": "Fading"}[of]
    page = open_results(experiment=add_experiment(storage, config), view="Stream", prequential_error_of=said)
    assert "Learning curves" not in page.segmented_control(key="view").options
    (figure,) = figures(page)
    assert [trace["y"][-1] for trace in figure["data"] if trace.get("name") == "Online boosting"][-1] == error


def test_bias_and_variance_stand_beside_the_error(storage, open_results):
    config = make_config(curves=(), protocol={"kind": "bias_variance", "repeats": 2})
    page = open_results(experiment=add_experiment(storage, config), view="Bias and variance", learners="AdaBoost")
    table = page.dataframe[-1].value
    main = ["Bias of the main prediction", "Variance that harms", "Variance that helps"]
    assert list(table) == ["Data set", "Learner", "Error", "Bias", "Variance", "Share of variance", *main]
    assert set(table["Learner"]) == {"AdaBoost"}
    bias, variance = figures(page)[0]["data"]
    assert bias["x"] == table["Bias"].tolist()
    assert variance["x"] == table["Variance"].tolist()
    page = open_results(experiment=add_experiment(storage))
    assert "Bias and variance" not in page.segmented_control(key="view").options


def test_the_trials_are_a_table_of_all_of_them(storage, open_results):
    page = open_results(experiment=add_experiment(storage), view="Trials")
    (table,) = [frame.value for frame in page.dataframe]
    assert len(table) == 24
    columns = json.loads(page.dataframe[0].proto.columns)
    assert columns["Seconds to predict"]["type_config"]["format"] == "%.3g"
    assert table["Seconds to predict"].tolist() == pytest.approx([100.0] * 24)  # 50 µs are not 0.0000
    assert columns["Seconds to predict"]["help"] == "Time of the clock to predict the test set, in ms"
    assert any("Training in s, prediction in ms" in caption.value for caption in page.caption)
    assert not {"Order", "Failure", "Stopped early"} & {*table}  # of one order
    assert table["Accuracy"].max() == pytest.approx(0.71)


def test_why_trials_stopped_early_stands_last_with_room_for_the_sentence(storage, open_results, monkeypatch):
    reason = "the error of member 1 was 0.7511, not below one half"
    made = make_result
    monkeypatch.setattr(
        "tests.pages.made_up_results.make_result",
        lambda key, plan, config: replace(made(key, plan, config), stopped=reason if plan.learner == 2 else None),
    )
    page = open_results(experiment=add_experiment(storage), view="Trials")
    table = page.dataframe[0].value
    assert list(table)[-1] == "Stopped early"
    assert set(table["Stopped early"].dropna()) == {reason}
    assert any("8 stopped early: why stands at the right end." in caption.value for caption in page.caption)
    assert json.loads(page.dataframe[0].proto.columns)["Stopped early"]["width"] >= 6 * len(reason)


def test_times_are_compared_with_a_single_model_only_where_there_is_one(storage, open_results):
    for methods, compared in ((METHODS, True), (METHODS[1:], False)):
        page = open_results(experiment=add_experiment(storage, make_config(methods=methods)), view="Running time")
        [said] = [caption.value for caption in page.caption if "below it wall time" in caption.value]
        assert ("of the single model" in said) is compared


def test_any_pair_can_be_chosen_by_address(storage, open_results):
    page = open_results(experiment=add_experiment(storage), across="Single model", up="AdaBoost", measure="Error")
    marks = figures(page)[-1]["data"][1]
    assert marks["x"] == pytest.approx([0.5, 0.49])
    assert marks["y"] == pytest.approx([0.4, 0.39])
    assert page.table[0].value.iloc[0, 0].startswith("0\\.5000")


def test_curves_have_the_numbers_of_their_data_set(storage, open_results):
    page = open_results(experiment=add_experiment(storage), view="Learning curves", data="Wine")
    lines = [trace for trace in figures(page)[0]["data"] if trace.get("fill") is None]
    assert [line["y"][-1] for line in lines] == pytest.approx([0.51, 0.61, 0.71])
    assert [line["marker"]["symbol"] for line in lines] == ["circle", "diamond", "diamond-open"]


def test_learners_can_be_chosen_by_address(storage, open_results):
    page = open_results(experiment=add_experiment(storage), view="Learning curves", learners="Online boosting")
    lines = [trace for trace in figures(page)[0]["data"] if trace.get("fill") is None]
    assert [line["name"] for line in lines] == ["Online boosting"]
    assert lines[0]["marker"]["symbol"] == "diamond-open"
    page = open_results(experiment=add_experiment(storage), view="Running time", learners="AdaBoost")
    assert [trace["name"] for trace in figures(page)[1]["data"]] == ["AdaBoost"]


def test_every_figure_has_words_for_those_who_cannot_see_it(storage, open_results):
    page = open_results(experiment=add_experiment(storage), view="Scatterplots")
    assert all("One point a data set" in chart.proto.alt for chart in page.get("plotly_chart"))


def test_running_time_is_the_median_of_processor_seconds_beside_wall_time(storage, open_results):
    config = make_config(curves=(), protocol={**SPLITS, "folds": 3})
    record = storage.create_experiment(config, n_trials=18, runner="test", lease_seconds=3600)
    plans = [TrialPlan(f"{d}{m}{f:030x}", d, m, 0, f, 0) for d, m, f in product(range(2), range(3), range(3))]
    storage.save_trials(record.id, [(plan, make_result(plan.key, plan, config)) for plan in plans])
    storage.finish(record.id, "finished", None, runner="test")
    page = open_results(experiment=record.id, view="Running time")
    cells = page.table[0].value.map(lambda cell: cell.replace("\N{NO-BREAK SPACE}", " ").replace("\\", ""))
    assert cells.iloc[0].tolist() == [
        "250 ms  \n:small[:gray[500 ms wall, 1.0 ×]]",
        "500 ms  \n:small[:gray[1.0 s wall, 2.0 ×]]",
        "750 ms  \n:small[:gray[1.5 s wall, 3.0 ×]]",
    ]
    against_time, figure = figures(page)
    assert [trace["mode"] for trace in against_time["data"]] == ["lines", *["markers"] * 3]
    assert [trace["mode"] for trace in figure["data"]] == ["markers"] * 3
    assert [trace["y"] for trace in figure["data"]] == [[0.25, 0.25], [0.5, 0.5], [0.75, 0.75]]
    said = texts(page).replace("\\", "").replace("\u2060", "")
    assert "Median processor seconds to train" in said
    predicted = open_results(experiment=record.id, view="Running time", part="Prediction")
    assert "Median processor seconds to predict" in texts(predicted).replace("\\", "").replace("\u2060", "")
    assert "80 ms  \n:small[:gray[100 ms wall]]" in predicted.table[0].value.iloc[0, 0].replace(
        "\N{NO-BREAK SPACE}", " "
    )


def test_a_view_is_one_entry_of_the_table(storage, open_results, monkeypatch):
    """It stands on the page under its address, and in the report, with the curves that it reads."""

    def charts(results):
        lengths = results.curves.groupby("curve").size()
        table = pd.DataFrame({"Curve": lengths.index, "Points": lengths.to_numpy()})
        for heading in ("Points of curves", "And again"):
            yield Chart(
                f"{heading}, in one bar.",
                table,
                lambda _: go.Figure(go.Bar(x=table["Points"].tolist())),
                heading=heading,
            )

    mine = View(
        "lengths", "Lengths", lambda results: len(results.learners) == 3, charts, ("margins",), lambda _: "Mine."
    )
    monkeypatch.setattr(views, "VIEWS", (*views.VIEWS, mine))
    experiment = add_experiment(storage, make_config(curves=("margins",)))
    page = open_results(experiment=experiment, view="Lengths")
    assert page.segmented_control(key="view").value == "Lengths"
    drawn = {"margins_test": 3 * 24, "margins_train": 3 * 24}
    assert [figure["data"][0]["x"] for figure in figures(page)] == [[*drawn.values()]] * 2
    assert [header.value for header in page.header] == ["Points of curves", "And again"]
    assert {"Mine\\.", "And again\\, in one bar\\."} <= {caption.value for caption in page.caption}
    report = report_page(storage.load_results(experiment), ["accuracy"])
    assert re.findall(r"<h2>(.*?)</h2>", report)[-4:] == ["Points of curves", "And again", "Summary", "Experiment"]
    assert ">margins_test</td>" in report
    assert "<p>Points of curves, in one bar.</p>" in report
    two = add_experiment(storage, make_config(methods=("single", "adaboost")))
    assert "Lengths" not in open_results(experiment=two).segmented_control(key="view").options


def test_a_view_of_which_nothing_is_left_says_so(storage, open_results, monkeypatch):
    monkeypatch.setattr(views, "VIEWS", (*views.VIEWS, View("bare", "Bare", lambda _: True, lambda _: ())))
    page = open_results(experiment=add_experiment(storage), view="Bare")
    assert [info.value for info in page.info] == ["No trial has left anything to show here."]
    assert "<h2>Bare</h2>" not in report_page(make_eight(), ["accuracy"])


def test_classes_have_names_a_score_and_a_matrix(storage, open_results):
    config = make_config(curves=())
    record = storage.create_experiment(config, n_trials=6, runner="test", lease_seconds=3600)
    plans = [TrialPlan(f"{d}{m:031x}", d, m, 0, 0, 0) for d, m in product(range(2), range(3))]
    matrix = ((5, 0, 0), (0, 4, 1), (0, 2, 3))
    storage.save_trials(
        record.id, [(plan, replace(make_result(plan.key, plan, config), confusion=matrix)) for plan in plans]
    )
    storage.finish(record.id, "finished", None, runner="test")
    page = open_results(experiment=record.id, view="Classes", score="Precision")
    scores, confusion = figures(page)
    assert scores["layout"]["yaxis"]["ticktext"] == ["setosa", "versicolor", "virginica"]
    assert scores["data"][0]["x"] == pytest.approx([1.0, 4 / 6, 3 / 4])
    assert confusion["data"][0]["z"][2] == [0.0, 0.4, 0.6]
    assert "virginica for versicolor" in texts(page)
    without = open_results(experiment=add_experiment(storage), view="Classes")
    assert "has left a confusion matrix" in texts(without)
    assert ("Calibration" in [heading.value for heading in without.header], list(without.multiselect)) == (False, [])


def test_the_leaderboard_is_sorted_by_what_is_chosen(storage, open_results):
    experiment = add_experiment(storage)
    page = open_results(experiment=experiment, view="Leaderboard")
    assert "Elo\\: ratings" in texts(page)
    by = open_results(experiment=experiment, view="Leaderboard", by="Improvability", measure="Error")
    table = by.dataframe[-1].value
    assert list(table)[:4] == ["Learner", "Improvability", "Improvability, from", "Improvability, to"]
    assert table["Learner"].tolist() == ["Online boosting", "AdaBoost", "Single model"]
    assert [trace["x"][0] for trace in figures(by)[0]["data"]] == pytest.approx(table["Improvability"].tolist())


def test_the_exports_say_where_uploaded_data_lies(storage, open_results):
    stored = [{"sha256": storage.save_dataset(tiny_dataset()).sha256, "name": "Tiny"}]
    said = [
        texts(open_results(experiment=storage.create_experiment(config).id))
        for config in (
            tiny_config(),
            tiny_config(datasets=stored),
            tiny_config(datasets=stored, protocol={"kind": "prequential"}),
        )
    ]
    assert ["from the folder `data` of the bundle" in text for text in said] == [False, True, True]
    assert ["read in batches is not in it" in text for text in said] == [False, False, True]
