"""The results page, in every state an experiment can be in."""

import json
from dataclasses import replace
from datetime import timedelta
from itertools import product
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.runtime.context import ContextProxy
from streamlit.testing.v1 import AppTest

from ensembles.errors import NotFound
from ensembles.experiments.records import TrialPlan
from ensembles.reports.style import THEMES
from pages.parts import experiment_rows
from pages.parts.results import status
from pages.parts.results.header import _exported
from tests.pages import made_up_results
from tests.pages.conftest import followed
from tests.pages.made_up_results import (
    HOSTILE,
    add_experiment,
    figures,
    make_config,
    make_result,
    texts,
)


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
    _, figure = figures(page)
    marks = figure["data"][1]
    assert marks["x"] == pytest.approx([0.4, 0.39])
    assert marks["y"] == pytest.approx([0.3, 0.29])
    assert "One point a data set\\. Online boosting\\: " in texts(page).replace("\u2060", "")


def test_the_header_says_the_facts(storage, open_results):
    said = texts(open_results(experiment=add_experiment(storage))).replace("\\", "").replace("\u2060", "")
    assert "2 data sets · 3 learners · 2 × 2-fold cross-validation, 1 order · " in said
    assert " · 100 members, of which 10 voted · seed 7 · 24 trials in " in said
    assert " · ended " in said


def test_filters_of_another_experiment_are_ignored(storage, open_results):
    page = open_results(experiment=add_experiment(storage), across="Winnow", up="ADWIN", measure="AUC", view="Nothing")
    assert page.segmented_control(key="view").value == "Summary"
    assert len(figures(page)) == 2


def test_an_experiment_that_waits_says_so(storage, open_results):
    record = storage.create_experiment(make_config(), n_trials=24)
    said = texts(open_results(experiment=record.id))
    assert "It waits for the worker" in said
    assert " · launched " in said


def test_an_experiment_that_waits_in_vain_says_what_to_do(storage, open_results, monkeypatch):
    record = storage.create_experiment(make_config(), n_trials=24)
    monkeypatch.setattr(status, "_UNTIL_A_WORKER_IS_THERE", timedelta(0))
    says = "It waits, and no worker is there. Whoever runs the server can start a worker: `python -m runner worker`"
    [warning] = open_results(experiment=record.id).warning
    assert warning.value == f"{says}; or start the application again, which brings its own."
    monkeypatch.setenv("ENSEMBLE_LAB_WORKER", "0")
    assert [one.value for one in open_results(experiment=record.id).warning] == [f"{says}."]
    storage.heartbeats("me", {}, presence=(2, 0))
    page = open_results(experiment=record.id)
    assert not page.warning
    assert "It waits for the worker" in texts(page)


def test_a_running_experiment_shows_progress_and_what_there_is(storage, open_results):
    page = open_results(experiment=add_experiment(storage, share=0.5, state="running"))
    (progress,) = page.get("progress")
    assert progress.proto.value == 50
    assert "12 of 24 trials" in progress.proto.text
    assert " · launched " in texts(page)
    assert len(figures(page)) == 2
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
    storage.finish(experiment, "finished", runner="test")
    assert "Finished" in texts(page.run())
    assert timers[-2:] == [5.0, 20.0]


def test_a_list_is_drawn_anew_when_an_experiment_in_it_ends_or_another_is_launched(storage, monkeypatch):
    """A fragment cannot tick in a test, so what it looks at is called by hand."""
    runs = []
    monkeypatch.setattr(st, "rerun", lambda: runs.append("anew"))
    [first] = [storage.get_experiment(add_experiment(storage, share=0.5, state="running"))]
    shown = [experiment_rows._status_of(first)]
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
    assert len(figures(page)) == 2


def test_failed_trials_are_counted_and_said_but_never_markup(storage, open_results):
    page = open_results(experiment=add_experiment(storage, failing=(2,)))
    assert "8 of 24 trials failed** and are left out of every mean: a mean is of the splits" in texts(page)
    assert r"\<b\>Iris\<\/b\>" in texts(page)
    assert page.table[0].value.iloc[0, 2] == "–"


def test_when_every_trial_failed_there_are_only_the_trials(storage, open_results):
    page = open_results(experiment=add_experiment(storage, failing=(0, 1, 2)), view="Scatterplots")
    assert not page.segmented_control
    assert [button.label for button in page.get("download_button")][-1] == "Every trial (CSV)"
    assert "24 of 24 trials failed**." in texts(page), "there is no mean to speak of"


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
    assert "Error scatterplot" not in texts(page)
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


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_follow_the_theme_of_the_page(storage, monkeypatch, theme, open_results):
    monkeypatch.setattr(ContextProxy, "theme", property(lambda _: SimpleNamespace(type=theme)))
    page = open_results(experiment=add_experiment(storage), view="Learning curves")
    layout = figures(page)[0]["layout"]
    assert layout["template"]["layout"]["font"]["color"] == THEMES[theme].text
    assert layout.get("paper_bgcolor") == {"light": None, "dark": THEMES["dark"].background}[theme]  # as it is saved


@pytest.mark.parametrize(("browser", "buttons"), [("Firefox/150.0", True), ("Chrome/150.0 Mobile Safari", False)])
def test_on_a_phone_nothing_lies_over_a_figure_and_a_finger_scrolls(
    storage, monkeypatch, browser, buttons, open_results
):
    monkeypatch.setattr(ContextProxy, "headers", property(lambda _: {"User-Agent": browser}))
    experiment = add_experiment(storage)
    page = open_results(experiment=experiment, view="Learning curves")
    config = json.loads(page.get("plotly_chart")[0].proto.config)
    assert config.get("displayModeBar", True) is buttons
    layout = figures(page)[0]["layout"]
    assert layout.get("dragmode", True) is buttons
    assert layout["showlegend"] is not buttons  # names at the ends of lines have no room there
    assert len(layout.get("annotations", ())) == (3 if buttons else 0)
    trade_off = figures(open_results(experiment=experiment, view="Running time"))[0]["layout"]
    assert trade_off["height"] == (440 if buttons else 446)  # a line for buttons, or a second one for names


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
    record = storage.create_experiment(config, n_trials=16, runner="test", lease_seconds=3600)
    plans = [TrialPlan(f"{d}{m}{o:030x}", d, m, 0, 0, o) for d, m, o in product(range(2), range(2), range(4))]
    storage.save_trials(record.id, [(plan, make_result(plan.key, plan, config)) for plan in plans])
    storage.finish(record.id, "finished", None, runner="test")
    page = open_results(experiment=record.id, view=view)
    *_, figure = figures(page)
    assert figure["data"][1]["marker"]["symbol"] == ["circle-open"] * 2
    said = texts(page).replace("\\", "").replace("\u2060", "")
    assert "All points are hollow: not tested" in said
    assert "differences between splits are about normal" not in said


def test_a_learner_that_stopped_early_is_named_above_every_view(storage, open_results, monkeypatch):
    def stopped(key, plan, config):
        result = make_result(key, plan, config)
        return replace(result, members_used=3, stopped="the data ended") if plan.learner == 1 else result

    monkeypatch.setattr(made_up_results, "make_result", stopped)
    page = open_results(experiment=add_experiment(storage), view="Trials")
    assert "AdaBoost stopped after 3 of 100 members, in every trial: the data ended." in texts(page).replace("\\", "")
