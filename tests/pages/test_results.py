"""The results page, in every state an experiment can be in."""

import json
from dataclasses import replace
from itertools import product
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.runtime.context import ContextProxy
from streamlit.testing.v1 import AppTest

from ensembles.data import load_dataset
from ensembles.errors import NotFound
from ensembles.evaluation.curve import Curve
from ensembles.evaluation.curves import CURVES
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.records import TrialPlan, TrialResult
from ensembles.reports.look import GROUNDS
from pages.parts import experiment_rows
from pages.parts.results.header import _exported
from tests.pages.conftest import followed

METHODS = ("single", "adaboost", "online_boosting")
DATASETS = ("iris", "wine")
HOSTILE = "My <b>cars</b> *and* :red[stars] $x$ [a](https://example.org)"


SPLITS = {"kind": "cross_validation", "repeats": 2, "folds": 2, "orders": 1, "stratified": True}


def make_config(
    name="Made up",
    methods=METHODS,
    curves=("learning_curve", "member_errors"),
    measures=("accuracy",),
    protocol=SPLITS,
):
    return ExperimentConfig.from_dict(
        {
            "name": name,
            "seed": 7,
            "datasets": list(DATASETS),
            "learners": [{"method": method, "base": "naive_bayes"} for method in methods],
            "protocol": protocol,
            "measures": list(measures),
            "curves": list(curves),
        }
    )


def make_result(key, plan, config):
    """Return a trial whose accuracy is 0.5 + learner / 10 + dataset / 100."""
    accuracy = 0.5 + plan.learner / 10 + plan.dataset / 100
    curves = {
        "learning_curve": Curve((10.0, 20.0), (0.4, accuracy)),
        "member_errors": Curve((1.0, 2.0), (0.1, 0.2)),
        "trial_graph_train": Curve((1.0, 2.0), (0.2, 0.1)),
        "trial_graph_test": Curve((1.0, 2.0), (0.3, accuracy)),
        "margins_train": Curve((-1.0, 0.5, 1.0), (0.0, 0.1, 1.0)),
        "margins_test": Curve((-1.0, 0.5, 1.0), (0.1, 0.3, 1.0)),
        "diversity": Curve((0.1, 0.4), (0.2, 0.3)),
        "hard_examples": Curve((3.0, 17.0), (2.5, 4.0)),
        "predictions": Curve((3.0, 17.0), (0.0, float(plan.learner == 2))),
        "predictions_true": Curve((3.0, 17.0), (0.0, 1.0)),
        "prequential_error": Curve((1.0, 2.0), (1.0, 0.5)),
        "prequential_error_window": Curve((1.0, 2.0), (1.0, 0.25)),
        "prequential_error_fading": Curve((1.0, 2.0), (1.0, 0.75)),
    }
    return TrialResult(
        key,
        measures=dict.fromkeys((*config.measures, *config.protocol.own_measures), accuracy),
        fit_seconds=0.5 * (plan.learner + 1),
        fit_cpu_seconds=(0.25 if plan.fold or not plan.learner else 90.0) * (plan.learner + 1),
        predict_seconds=0.1,
        predict_cpu_seconds=0.08,
        members_used=10,
        n_train=100 * (plan.dataset + 1),
        n_test=50,
        curves={name: curves[name] for kind in config.curves for name in CURVES[kind].series},
    )


def add_experiment(storage, config=None, *, share=1.0, state="finished", failing=(), message=None):
    """Store an experiment whose first trials have ended; those of the learners in `failing` failed."""
    config = config or make_config()
    cells = list(product(range(2), range(len(config.learners)), range(2), range(2)))
    record = storage.create_experiment(config, n_trials=len(cells), owner="test", lease_seconds=3600)
    trials = []
    for number, (dataset, learner, repeat, fold) in enumerate(cells[: int(share * len(cells))]):
        plan = TrialPlan(f"{number:032x}", dataset, learner, repeat, fold, 0)
        result = make_result(plan.key, plan, config)
        if learner in failing:
            result = TrialResult(plan.key, error="Online boosting on <b>Iris</b>: no member is better than guessing")
        trials.append((plan, result))
    storage.save_trials(record.id, trials)
    if state != "running":
        storage.finish(record.id, state, message, owner="test")
    return record.id


@pytest.fixture
def open_results(open_page):
    """Return a function that opens the results page with query parameters."""
    return lambda **query: open_page("results.py", **query)


def texts(page):
    """Return everything the page says in words."""
    shown = (page.title, page.header, page.markdown, page.caption, page.info, page.error, page.warning)
    return "\n".join(str(element.value) for kind in shown for element in kind)


def figures(page):
    """Return the figures as plain JSON."""
    return [json.loads(element.proto.spec) for element in page.get("plotly_chart")]


def test_without_an_experiment_and_an_empty_database_it_points_to_a_new_one(open_results):
    assert "No experiment yet" in texts(open_results())


def test_without_an_experiment_it_offers_the_newest(storage, open_results):
    add_experiment(storage, make_config("The first one"))
    page = open_results()
    assert "Choose an experiment" in texts(page)
    links = [link.proto for link in page.get("page_link")]
    assert any("The first one" in link.label for link in links)


def test_an_unknown_experiment_is_one_sentence_and_a_way_out(open_results):
    page = open_results(experiment="nowhere")
    assert [error.value for error in page.error] == [r"There is no experiment \'nowhere\'\; it may have been deleted\."]
    assert any(link.proto.label == "All experiments" for link in page.get("page_link"))


def test_a_finished_experiment_shows_its_means_and_a_scatterplot(storage, open_results):
    page = open_results(experiment=add_experiment(storage))
    table = page.table[0].value
    assert table.shape == (2, 3)
    assert table.iloc[0, 0].startswith("0\\.5000")
    assert table.iloc[0, 2].startswith("**0\\.7000**")
    (figure,) = figures(page)
    marks = figure["data"][1]
    assert marks["x"] == pytest.approx([0.4, 0.39])
    assert marks["y"] == pytest.approx([0.3, 0.29])
    assert "One point a data set\\. Online boosting\\: " in texts(page).replace("\u2060", "")


def test_the_header_says_the_facts(storage, open_results):
    said = texts(open_results(experiment=add_experiment(storage))).replace("\\", "").replace("\u2060", "")
    assert "2 data sets · 3 learners · 2 × 2-fold cross-validation, 1 order · " in said
    assert " · 100 members, of which 10 voted · seed 7 · 24 trials in " in said


@pytest.mark.parametrize(
    ("view", "n_figures"),
    [("Summary", 1), ("Scatterplots", 2), ("Learning curves", 1), ("Members", 1), ("Running time", 1), ("Trials", 0)],
)
def test_every_view_opens_by_its_address(storage, view, n_figures, open_results):
    page = open_results(experiment=add_experiment(storage), view=view)
    assert page.segmented_control(key="view").value == view
    assert len(figures(page)) == n_figures


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
    assert list(table) == ["Data set", "Learner", "Error", "Bias", "Variance", "Share of variance"]
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
        f"{__name__}.make_result",
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
    marks = figures(page)[0]["data"][1]
    assert marks["x"] == pytest.approx([0.5, 0.49])
    assert marks["y"] == pytest.approx([0.4, 0.39])
    assert page.table[0].value.iloc[0, 0].startswith("0\\.5000")


def test_filters_of_another_experiment_are_ignored(storage, open_results):
    page = open_results(experiment=add_experiment(storage), across="Winnow", up="ADWIN", measure="AUC", view="Nothing")
    assert page.segmented_control(key="view").value == "Summary"
    assert len(figures(page)) == 1


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
    assert [trace["name"] for trace in figures(page)[0]["data"]] == ["AdaBoost"]


def test_an_experiment_that_waits_says_so(storage, open_results):
    record = storage.create_experiment(make_config(), n_trials=24)
    said = texts(open_results(experiment=record.id))
    assert "It waits for the worker" in said


def test_a_running_experiment_shows_progress_and_what_there_is(storage, open_results):
    page = open_results(experiment=add_experiment(storage, share=0.5, state="running"))
    (progress,) = page.get("progress")
    assert progress.proto.value == 50
    assert "12 of 24 trials" in progress.proto.text
    assert len(figures(page)) == 1
    assert page.table[0].value.iloc[1].str.contains("–").all()


def test_the_state_of_a_running_experiment_is_told_with_its_progress(storage, monkeypatch):
    """What is refreshed tells the state it reads, not the one that the rest of the page was drawn with."""
    record = storage.get_experiment(add_experiment(storage, share=0.5, state="running"))
    monkeypatch.setattr(st, "rerun", lambda: None)

    def refreshed(shown):
        from pages.parts.results.status import draw_live

        draw_live(shown)

    app = AppTest.from_function(refreshed, args=(replace(record, state="waiting"),), default_timeout=90).run()
    assert [mark.value for mark in app.markdown] == [":blue-badge[:material/progress_activity: Running]"]


def test_the_choice_of_results_is_refreshed_while_something_runs(storage, monkeypatch, open_results):
    timers = []
    fragment = st.fragment
    monkeypatch.setattr(
        st, "fragment", lambda draw, run_every: (timers.append(run_every), fragment(draw, run_every=run_every))[1]
    )
    experiment = add_experiment(storage, state="running")
    page = open_results()
    assert "Running" in texts(page)
    assert timers[-2:] == [2.0, 5.0]
    storage.finish(experiment, "finished", owner="test")
    assert "Finished" in texts(page.run())
    assert timers[-2:] == [5.0, 20.0]


def test_a_list_is_drawn_anew_when_an_experiment_in_it_ends_or_another_is_launched(storage, monkeypatch):
    """A fragment cannot tick in a test, so what it looks at is called by hand."""
    runs = []
    monkeypatch.setattr(st, "rerun", lambda: runs.append("anew"))
    [first] = [storage.get_experiment(add_experiment(storage, share=0.5, state="running"))]
    shown = [experiment_rows._standing(first)]
    experiment_rows._compare(shown, storage.list_experiments)
    storage.heartbeat(first.id, "test", seconds_left=5.0)
    experiment_rows._compare(shown, storage.list_experiments)
    assert runs == []
    add_experiment(storage)
    experiment_rows._compare(shown, storage.list_experiments)
    experiment_rows._compare(shown, lambda: [replace(first, state="finished")])
    experiment_rows._compare(shown, lambda: [replace(first, silent_since=first.created)])
    assert runs == ["anew"] * 3


def test_a_running_experiment_can_be_cancelled(storage, open_results):
    experiment = add_experiment(storage, share=0.5, state="running")
    page = open_results(experiment=experiment)
    page.button(key="results_cancel").click().run()
    assert storage.get_experiment(experiment).state == "cancelling"
    assert not [button for button in page.button if button.key == "results_cancel"]


def test_a_running_experiment_without_trials_says_so(storage, open_results):
    assert "first trials are under way" in texts(
        open_results(experiment=add_experiment(storage, share=0, state="running"))
    )


def test_a_cancelled_experiment_keeps_what_had_ended(storage, open_results):
    page = open_results(experiment=add_experiment(storage, share=0.5, state="cancelled"))
    assert "Cancelled after 12 of 24 trials" in texts(page)
    assert len(figures(page)) == 1


def test_failed_trials_are_counted_and_said_but_never_markup(storage, open_results):
    page = open_results(experiment=add_experiment(storage, failing=(2,)))
    assert "8 of 24 trials failed" in texts(page)
    assert r"\<b\>Iris\<\/b\>" in texts(page)
    assert page.table[0].value.iloc[0, 2] == "–"


def test_when_every_trial_failed_there_are_only_the_trials(storage, open_results):
    page = open_results(experiment=add_experiment(storage, failing=(0, 1, 2)), view="Scatterplots")
    assert not page.segmented_control
    assert [button.label for button in page.get("download_button")][-1] == "Every trial (CSV)"
    assert "24 of 24 trials failed" in texts(page)


def test_an_experiment_that_could_not_run_says_why(storage, open_results):
    experiment = add_experiment(storage, share=0, state="failed", message="file car.csv: it is no longer there")
    page = open_results(experiment=experiment)
    assert [error.value.replace("\\", "").replace("\u2060", "") for error in page.error] == [
        "file car.csv: it is no longer there"
    ]


def test_one_learner_without_curves_has_its_table_and_no_scatterplot(storage, open_results):
    experiment = add_experiment(storage, make_config(methods=("single",), curves=()))
    page = open_results(experiment=experiment)
    assert page.table[0].value.shape == (2, 1)
    assert "A scatterplot needs two learners" in texts(page)
    assert "Members" not in page.segmented_control(key="view").options
    page = open_results(experiment=experiment, view="Learning curves")
    assert "launched without learning curves" in texts(page)


def test_the_error_rate_as_a_measure_does_not_make_trials_fail(storage, open_results):
    page = open_results(experiment=add_experiment(storage, make_config(measures=("error", "accuracy"))))
    assert "failed" not in texts(page)
    assert page.table[0].value.shape == (2, 3)


def test_the_name_of_an_experiment_is_never_markup(storage, open_results):
    page = open_results(experiment=add_experiment(storage, make_config(HOSTILE)))
    title = page.title[0].value
    for live in ("<b>", "*and*", ":red[", "$x$", "[a]("):
        assert live not in title


@pytest.mark.parametrize("ground", ["light", "dark"])
def test_figures_follow_the_ground_of_the_page(storage, monkeypatch, ground, open_results):
    monkeypatch.setattr(ContextProxy, "theme", property(lambda _: SimpleNamespace(type=ground)))
    page = open_results(experiment=add_experiment(storage), view="Learning curves")
    layout = figures(page)[0]["layout"]["template"]["layout"]
    assert layout["font"]["color"] == GROUNDS[ground].text


@pytest.mark.parametrize(("browser", "buttons"), [("Firefox/150.0", True), ("Chrome/150.0 Mobile Safari", False)])
def test_on_a_phone_nothing_lies_over_a_figure_and_a_finger_scrolls(
    storage, monkeypatch, browser, buttons, open_results
):
    monkeypatch.setattr(ContextProxy, "headers", property(lambda _: {"User-Agent": browser}))
    page = open_results(experiment=add_experiment(storage), view="Learning curves")
    config = json.loads(page.get("plotly_chart")[0].proto.config)
    assert config.get("displayModeBar", True) is buttons
    assert figures(page)[0]["layout"].get("dragmode", True) is buttons


def test_every_figure_has_words_for_those_who_cannot_see_it(storage, open_results):
    page = open_results(experiment=add_experiment(storage), view="Scatterplots")
    assert all("One point a data set" in chart.proto.alt for chart in page.get("plotly_chart"))


def test_the_files_of_an_experiment_that_was_deleted_meanwhile_are_not_written(storage, open_results):
    record = storage.get_experiment(add_experiment(storage))
    open_results(experiment=record.id)
    storage.delete_experiment(record.id)
    for form in ("html", "latex"):
        with pytest.raises(NotFound, match="it may have been deleted"):
            _exported(record, form)


def test_a_clone_starts_from_this_experiment(storage, open_results):
    experiment = add_experiment(storage)
    page = followed(open_results(experiment=experiment).button(key="results_clone").click().run())
    assert page.title[0].value == "New experiment"
    assert page.query_params == {"clone": experiment}


def test_results_that_were_read_are_read_again_only_when_trials_have_ended(storage, open_results):
    experiment = add_experiment(storage, share=0.5, state="running")
    page = open_results(experiment=experiment)
    plan = TrialPlan("f" * 32, 1, 2, 1, 1, 0)
    storage.save_trials(experiment, [(plan, make_result(plan.key, plan, make_config()))])
    page.run()
    assert page.table[0].value.iloc[1, 2].startswith("0\\.7100")


MEMBERS = ("member_errors", "trial_graph", "margins", "diversity", "hard_examples")


@pytest.mark.parametrize("show", MEMBERS[:-1])
def test_every_curve_of_the_members_opens_by_its_address(storage, show, open_results):
    experiment = add_experiment(storage, make_config(curves=MEMBERS))
    page = open_results(experiment=experiment, view="Members", show=CURVES[show].name)
    assert page.segmented_control(key="show").value == show
    assert len(figures(page)) == 1


def test_members_show_only_what_was_recorded(storage, open_results):
    page = open_results(experiment=add_experiment(storage, make_config(curves=["margins"])), view="Members")
    assert page.segmented_control(key="show").options == ["Margins"]
    assert "Hard examples" not in page.segmented_control(key="view").options


def test_a_trial_graph_shows_test_or_training_examples_or_both(storage, open_results):
    experiment = add_experiment(storage, make_config(curves=["trial_graph"]))
    last = {}
    for of in ("Test examples", "Training examples", "Both"):
        page = open_results(experiment=experiment, view="Members", trial_graph_of=of)
        last[of] = [trace["y"][-1] for trace in figures(page)[0]["data"] if trace.get("fill") is None]
    assert last["Test examples"] == pytest.approx([0.5, 0.6, 0.7])
    assert last["Training examples"] == pytest.approx([0.1] * 3)
    assert last["Both"] == pytest.approx([0.1] * 3 + [0.5, 0.6, 0.7])


def test_diversity_has_the_means_in_a_table(storage, open_results):
    page = open_results(experiment=add_experiment(storage, make_config(curves=["diversity"])), view="Members")
    means = page.dataframe[-1].value
    assert means["Kappa, mean"].tolist() == pytest.approx([0.25] * 3)
    assert means["Pairs of members"].tolist() == [8] * 3
    assert any(button.proto.id.endswith("diversity_means") for button in page.get("download_button"))


def test_two_learners_are_tested_on_one_test_set_where_predictions_are_kept(storage, open_results):
    kept = add_experiment(storage, make_config(curves=["predictions"]))
    page = open_results(experiment=kept, view="Significance", old="AdaBoost", up="Online boosting")
    gains = page.table[-1].value["Gain of Online boosting"]
    assert list(gains.index) == ["Iris", "Wine"]
    said = gains.iloc[0].replace("\\", "").replace("\N{NO-BREAK SPACE}", " ")
    assert said.startswith("+0.5000")
    assert "p = 1.000, 2 test examples" in said
    assert page.dataframe[-1].value["Test examples"].tolist() == [2, 2]
    without = open_results(experiment=add_experiment(storage), view="Significance")
    assert len(without.table) == len(page.table) - 1


def test_hard_examples_are_shown_with_their_class_and_values(storage, open_results):
    experiment = add_experiment(storage, make_config(curves=["hard_examples"]))
    page = open_results(experiment=experiment, view="Hard examples", data="Iris", learner="AdaBoost")
    iris = load_dataset("iris")
    assert "AdaBoost stopped after 10 of 100 members on Iris" in page.info[0].value
    table = page.dataframe[-1].value
    assert table["Row"].tolist() == [18, 4]
    assert table[iris.attributes[0].name].tolist() == iris.X.iloc[[17, 3], 0].tolist()
    (figure,) = figures(page)
    assert figure["data"][0]["x"] == pytest.approx([4.0, 2.5])


def test_boosting_that_stopped_at_its_first_member_is_a_sentence_and_no_bars(storage, open_results):
    config = make_config(methods=("adaboost",), curves=("hard_examples",))
    record = storage.create_experiment(config, n_trials=2, owner="test", lease_seconds=3600)
    plans = [TrialPlan(f"{fold:032x}", 0, 0, 0, fold, 0) for fold in range(2)]
    alike = {"hard_examples": Curve((3.0, 17.0), (1.0, 1.0))}
    results = [(plan, replace(make_result(plan.key, plan, config), members_used=1, curves=alike)) for plan in plans]
    storage.save_trials(record.id, results)
    storage.finish(record.id, "finished", None, owner="test")
    page = open_results(experiment=record.id, view="Hard examples")
    said = texts(page).replace("\\", "").replace("\u2060", "")
    assert "AdaBoost stopped after 1 of 100 members on Iris, in every trial. No example came to weigh more" in said
    assert "100 members, of which 1 voted" in said
    assert not figures(page)
    assert not page.dataframe


def test_hard_examples_that_no_learner_left_are_a_sentence(storage, open_results):
    experiment = add_experiment(storage, make_config(curves=["hard_examples"]), share=0.5, failing=(0, 1, 2))
    add_experiment(storage)
    page = open_results(experiment=experiment, view="Hard examples")
    assert not figures(page)


@pytest.mark.parametrize("view", ["Summary", "Scatterplots"])
def test_the_points_of_a_stream_are_hollow_and_nothing_is_said_of_a_test(storage, open_results, view):
    config = make_config(
        methods=("single", "online_boosting"), curves=(), protocol={"kind": "prequential", "orders": 4}
    )
    record = storage.create_experiment(config, n_trials=16, owner="test", lease_seconds=3600)
    plans = [TrialPlan(f"{d}{m}{o:030x}", d, m, 0, 0, o) for d, m, o in product(range(2), range(2), range(4))]
    storage.save_trials(record.id, [(plan, make_result(plan.key, plan, config)) for plan in plans])
    storage.finish(record.id, "finished", None, owner="test")
    page = open_results(experiment=record.id, view=view)
    (figure,) = figures(page)
    assert figure["data"][1]["marker"]["symbol"] == ["circle-open"] * 2
    said = texts(page).replace("\\", "").replace("\u2060", "")
    assert "All points are hollow: not tested" in said
    assert "differences between splits are about normal" not in said


def test_running_time_is_the_median_of_processor_seconds_beside_wall_time(storage, open_results):
    config = make_config(curves=(), protocol={**SPLITS, "folds": 3})
    record = storage.create_experiment(config, n_trials=18, owner="test", lease_seconds=3600)
    plans = [TrialPlan(f"{d}{m}{f:030x}", d, m, 0, f, 0) for d, m, f in product(range(2), range(3), range(3))]
    storage.save_trials(record.id, [(plan, make_result(plan.key, plan, config)) for plan in plans])
    storage.finish(record.id, "finished", None, owner="test")
    page = open_results(experiment=record.id, view="Running time")
    cells = page.table[0].value.map(lambda cell: cell.replace("\N{NO-BREAK SPACE}", " ").replace("\\", ""))
    assert cells.iloc[0].tolist() == [
        "250 ms  \n:small[:gray[500 ms wall, 1.0 ×]]",
        "500 ms  \n:small[:gray[1.0 s wall, 2.0 ×]]",
        "750 ms  \n:small[:gray[1.5 s wall, 3.0 ×]]",
    ]
    (figure,) = figures(page)
    assert [trace["mode"] for trace in figure["data"]] == ["markers"] * 3
    assert [trace["y"] for trace in figure["data"]] == [[0.25, 0.25], [0.5, 0.5], [0.75, 0.75]]
    said = texts(page).replace("\\", "").replace("\u2060", "")
    assert "Median processor seconds to train" in said
    predicted = open_results(experiment=record.id, view="Running time", part="Prediction")
    assert "Median processor seconds to predict" in texts(predicted).replace("\\", "").replace("\u2060", "")
    assert "80 ms  \n:small[:gray[100 ms wall]]" in predicted.table[0].value.iloc[0, 0].replace(
        "\N{NO-BREAK SPACE}", " "
    )
