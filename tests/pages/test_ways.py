"""Ways through the application, each from the page a person starts at to what is drawn; a runner's part is made up."""

import pytest
from streamlit.testing.v1 import AppTest

from ensembles.papers import get_table
from pages.parts.dataset_library import load_by_ref
from storage import Storage
from tests.pages.conftest import OpenPage, followed
from tests.pages.made_up_results import add_experiment, end_made_up, figures, make_config, texts
from tests.pages.test_new_experiment import choose


def ended(app: AppTest, storage: Storage) -> AppTest:
    """Return the page when everything that was launched has ended, as it draws itself then."""
    while record := storage.claim_experiment("test", lease_seconds=60.0):
        end_made_up(storage, record, lambda reference: load_by_ref(str(reference.key or reference.sha256)))
    app.run()
    assert not app.exception
    return app


def opened(app: AppTest, view: str) -> AppTest:
    """Return the page of results with a view chosen."""
    app.segmented_control(key="view").set_value(view).run()
    assert not app.exception
    return app


def names(figure: dict) -> list[str]:
    """Return what the traces of a figure are called, without their bands and marks."""
    called = [trace["name"] for trace in figure["data"] if trace.get("name")]
    return [name for name in called if "band" not in name and "replaced" not in name]


def test_from_home_by_one_click_to_a_verdict(open_page: OpenPage, storage: Storage) -> None:
    app = open_page("home.py")
    app.button(key="home_first").click().run()
    results = ended(followed(app), storage)
    assert "**Best:** Primed online boosting, accuracy 1.0000" in texts(results).replace("\\", "")
    assert len(figures(results)[0]["data"]) == 6


def test_from_a_form_over_several_members_to_errors_against_them(open_page: OpenPage, storage: Storage) -> None:
    app = choose(open_page("new_experiment.py"), "Data sets", ["iris", "wine"])
    choose(app, "Settings with several values", ["n_estimators"])
    choose(app, "Members: values", "5, 10, 50")
    app.button(key="new_launch").click().run()
    results = opened(ended(followed(app), storage), "Settings")
    [figure] = figures(results)
    assert names(figure) == ["Online bagging", "Online boosting", "Single model"]
    assert len(figure["data"][0]["x"]) == 3
    assert "Mean of the error over the data sets" in texts(results)
    choose(results, "Data set", 1)
    assert len(figures(results)) == 1
    assert "Wine: error against members" in texts(results).replace("\\", "")


def test_from_the_preset_of_streams_to_curves_along_one(open_page: OpenPage, storage: Storage) -> None:
    app = choose(open_page("new_experiment.py", dataset="iris"), "Start from a preset", "Stream")
    app.button(key="new_launch").click().run()
    results = opened(ended(followed(app), storage), "Stream")
    assert len(names(figures(results)[0])) == 5
    assert "examples that are predicted before they are learned" in texts(results)


def test_from_results_to_more_of_them(open_page: OpenPage, storage: Storage) -> None:
    app = open_page("new_experiment.py", dataset="iris")
    app.button(key="new_launch").click().run()
    results = ended(followed(app), storage)
    before = storage.list_experiments()[0]
    results.menu_button[0].set_value("extend").run()
    form = followed(results)
    choose(form, "Repeats", 11)
    form.button(key="new_launch").click().run()
    ended(followed(form), storage)
    extended = storage.list_experiments()[0]
    assert (extended.extends, extended.done) == (before.id, before.done * 11 // 10)


def test_from_a_paper_to_its_numbers_beside_ours(open_page: OpenPage, storage: Storage) -> None:
    app = open_page("papers.py")
    table = followed(app, f"**2 {get_table('leeclyde2004/2').title}**")
    table.selectbox(key="scale").set_value("A fiftieth").run()
    table.button(key="papers_launch").click().run()
    cells = ended(table, storage).table[0].value
    assert "0.5000*]" in cells.iloc[0, 0].replace("\\", "")
    assert "0.0550 +0.4450" in cells.iloc[0, 0].replace("\\", "").replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("by", ["By data set", "Over time"])
def test_from_the_leaderboard_to_the_experiment_behind_a_row(open_page: OpenPage, storage: Storage, by: str) -> None:
    add_experiment(storage, make_config("The best of all"))
    board = open_page("leaderboard.py", by=by)
    results = followed(board, "The best of all")
    assert results.title[0].value == "The best of all"
    assert "Verdict" in texts(results)
    assert figures(results)


def test_a_view_that_a_quick_back_cut_off_is_not_there_the_next_time(open_page: OpenPage, storage: Storage) -> None:
    experiment = add_experiment(storage, make_config("First"))
    app = open_page("results.py", experiment=experiment)
    app.segmented_control(key="view").set_value("Trials")  # sent by the browser, and no run came to hear it
    app.query_params.clear()
    app.switch_page("experiments.py").run()
    app.query_params["experiment"] = experiment
    app.switch_page("results.py").run()
    assert app.segmented_control(key="view").value == "Summary"
    assert "view" not in app.query_params
