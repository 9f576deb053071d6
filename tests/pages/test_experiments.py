"""The list of experiments and what can be done with each."""

from unittest.mock import Mock

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button, TextInput

from ensembles.data import load_dataset
from ensembles.experiments.estimate import Estimate
from ensembles.experiments.records import TrialResult
from ensembles.experiments.trials import plan_trials
from pages.parts import plan_summary
from pages.parts.experiments import papers
from storage import Storage
from tests.pages.conftest import OpenPage, followed, press
from tests.pages.made_up import tiny_config
from tests.pages.made_up_results import add_experiment, make_config


def test_an_empty_list_leads_to_a_new_experiment(open_page: OpenPage) -> None:
    app = open_page("experiments.py")
    assert "No experiment here" in app.info[0].value


def shown(app: AppTest) -> list[str]:
    """Return the names in the table."""
    return [link.label.strip("*") for link in app.get("page_link") if link.label.startswith("**")]


def test_fifteen_experiments_fill_a_page(open_page: OpenPage, storage: Storage) -> None:
    for number in range(17):
        storage.create_experiment(tiny_config(f"E{number:02d}"))
    app = open_page("experiments.py")
    assert shown(app) == [f"E{number:02d}" for number in range(16, 1, -1)]
    app.pagination(key="page").set_value(2).run()
    assert shown(app) == ["E01", "E00"]


def test_the_table_is_searched_filtered_and_sorted_and_the_address_says_how(
    open_page: OpenPage, storage: Storage
) -> None:
    for name, method in {"Alpha": "single", "Beta": "bagging", "Gamma": "adaboost"}.items():
        storage.create_experiment(tiny_config(name, learners=[{"method": method, "base": "naive_bayes"}]))
    app = open_page("experiments.py")
    app.text_input(key="search").set_value(" A ").run()
    app.button(key="experiments_by_name").click().run()
    assert shown(app) == ["Alpha", "Beta", "Gamma"]
    app.selectbox(key="method").set_value("Bagging").run()
    assert shown(app) == ["Beta"]
    assert any("Filter (1)" in str(popover.proto) for popover in app.get("popover"))
    again = open_page("experiments.py", search="a", sort="Name", method="AdaBoost")
    assert shown(again) == ["Gamma"]
    again.text_input(key="search").set_value("*nothing*").run()
    assert again.info[0].value == "No experiment is like that: change the search or the filters."
    assert shown(open_page("experiments.py", method="Not any more")) == ["Gamma", "Beta", "Alpha"]


def test_a_row_says_what_is_compared_and_how_it_went(open_page: OpenPage, storage: Storage) -> None:
    add_experiment(storage, share=0.25, state="cancelled")
    add_experiment(storage, make_config("My <b>cars</b> ![x](https://example.org/x.png)"))
    app = open_page("experiments.py")
    assert app.checkbox[0].label == "Select My b cars b x https example.org x.png"
    assert star_of(app).label == "☆ :gray[Give a star to My b cars b x https example.org x.png]"
    assert app.get("menu_button")[0].label == "Actions with My b cars b x https example.org x.png"
    said = "\n".join(element.value for element in app.markdown).replace("\\", "")
    assert "0.2950" in said, "the mean of 0.3 and 0.29"
    assert ":small[:gray[Online boosting]]" in said
    assert "Iris, Wine · Single model, AdaBoost, Online boosting · naive Bayes · 2 × 2-fold" in said
    assert ":green-badge[:material/check: Finished]" in said
    assert ":small[:gray[6 of 24 trials]]" in said
    assert shown(app)[0].startswith(r"My \<b\>cars\<\/b\> \!\[x\]")


def tick(app: AppTest, *ids: str) -> AppTest:
    for experiment in ids:
        next(box for box in app.checkbox if box.key.endswith(experiment)).check()
    return app.run()


def test_what_is_ticked_is_compared_starred_archived_and_deleted(open_page: OpenPage, storage: Storage) -> None:
    ids = [storage.create_experiment(tiny_config(name)).id for name in ("One", "Two", "Three")]
    app = open_page("experiments.py")
    assert not [button for button in app.button if button.label == "Compare"]
    tick(app, ids[0])
    assert app.button(key="experiments_compare").disabled
    tick(app, ids[1])
    app.button(key="experiments_bar_star").click().run()
    assert [storage.get_experiment(one).starred for one in ids] == [True, True, False]
    assert [toast.value for toast in app.toast] == ["2 experiments have a star now"]
    app.button(key="experiments_compare").click().run()
    assert [link.proto.query_string for link in app.get("page_link") if link.label == "Go on"] == [
        f"experiments={ids[1]}%2C{ids[0]}"
    ]
    app = tick(open_page("experiments.py"), *ids[:2])
    app.button(key="experiments_bar_cancel").click().run()
    assert [storage.get_experiment(one).state for one in ids] == ["cancelled", "cancelled", "waiting"]
    app.button(key="experiments_bar_archive").click().run()
    assert shown(app) == ["Three"]
    app = tick(open_page("experiments.py", archived="true"), *ids[:2])
    app.button(key="experiments_bar_delete").click().run()
    assert any("These 2 experiments and their results go to the bin for 30 days" in text.value for text in app.text)
    app.button(key="experiments_delete_confirm").click().run()
    assert [record.name for record in storage.list_experiments()] == ["Three"]


def test_a_paper_that_is_run_again_is_a_row_that_unfolds(
    open_page: OpenPage, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = storage.create_experiment(tiny_config("Alone"), tags=["oza2001/by_hand", "bai2016/1"])
    tagged = [
        storage.create_experiment(tiny_config(name), tags=[tag])
        for name, tag in (("Iris", "oza2001/3.4"), ("Wine", "oza2001/4.1"), ("Car", "oza2001/3.4"))
    ]
    storage.request_cancel(tagged[0].id)
    app = open_page("experiments.py")
    assert shown(app) == ["Alone"]
    [row] = [button for button in app.button if button.key == "experiments_unfold_oza2001"]
    assert row.label == "**Oza 2001: 3 experiments**"
    assert any("1 cancelled" in one.value and "2 waiting" in one.value for one in app.markdown)
    assert "4 experiments in 2 rows" in [one.value for one in app.caption]
    tick(app, "oza2001")
    assert "**3 experiments** ticked" in [one.value for one in app.markdown]
    app.button(key="experiments_bar_star").click().run()
    assert [storage.get_experiment(one.id).starred for one in (alone, *tagged)] == [False, True, True, True]
    app.button(key="experiments_unfold_oza2001").click().run()
    assert shown(app) == ["Car", "Wine", "Iris"]
    assert app.query_params["paper"] == "Oza 2001"
    app.button(key="experiments_fold").click().run()
    assert shown(app) == ["Alone"]
    assert shown(open_page("experiments.py", paper="Oza 2001", sort="Name")) == ["Car", "Iris", "Wine"]
    assert shown(open_page("experiments.py", tag="oza2001/3.4")) == ["Car", "Iris"], "who asks for a table sees it"
    assert shown(open_page("experiments.py", search="wine")) == ["Wine"], "a row of one is no row of several"
    monkeypatch.setattr(papers, "_MOST_TICKED", 2)
    app = open_page("experiments.py")
    assert [box.disabled for box in app.checkbox if box.key.endswith("oza2001")] == [True]


def test_ticks_are_gone_when_one_comes_back(open_page: OpenPage, storage: Storage) -> None:
    record = storage.create_experiment(tiny_config())
    app = tick(open_page("experiments.py"), record.id)
    before = app.checkbox[0].key
    app.switch_page("home.py").run()
    app.switch_page("experiments.py").run()
    assert not app.checkbox[0].value
    assert app.checkbox[0].key != before, "the browser sends again what a widget of this name had"


def test_experiments_get_tags_together(open_page: OpenPage, storage: Storage) -> None:
    ids = [storage.create_experiment(tiny_config(name), tags=["old"]).id for name in ("One", "Two")]
    app = tick(open_page("experiments.py"), *ids)
    app.button(key="experiments_bar_tag").click().run()
    next(field for field in app.text_input if field.label == "Add").set_value("thesis, Oza2001/3.4")
    app.button_group[-1].set_value(["old"])
    press(app, "Save")
    assert [storage.get_experiment(one).tags for one in ids] == [("oza2001/3.4", "thesis")] * 2


def test_notes_and_tags_of_one_experiment_are_written(open_page: OpenPage, storage: Storage) -> None:
    record = storage.create_experiment(tiny_config(), tags=["old"])
    app = act(open_page, record.id, "annotate")
    app.text_area[0].set_value("**Why** <script>")
    next(field for field in app.text_input if field.label == "Tags").set_value("")
    press(app, "Save")
    present = storage.get_experiment(record.id)
    assert (present.notes, present.tags) == ("**Why** <script>", ())


def test_a_star_is_given_and_taken_in_the_table(open_page: OpenPage, storage: Storage) -> None:
    record = storage.create_experiment(tiny_config())
    app = open_page("experiments.py")
    for starred in (True, False):
        star_of(app).click().run()
        assert storage.get_experiment(record.id).starred is starred
    storage.mark_experiments([record.id], starred=True)  # while it stands there without one
    star_of(app).click().run()
    assert storage.get_experiment(record.id).starred


def star_of(app: AppTest) -> Button:
    return next(button for button in app.button if "star_" in button.key)


def act(open_page: OpenPage, experiment: str, action: str) -> AppTest:
    app = open_page("experiments.py")
    app.menu_button(key=f"experiments_action_{experiment}").click(action).run()
    assert not app.exception
    return app


def test_open_and_clone_go_to_their_pages(open_page: OpenPage, storage: Storage) -> None:
    record = storage.create_experiment(tiny_config())
    assert followed(act(open_page, record.id, "open")).query_params == {"experiment": record.id}
    cloned = followed(act(open_page, record.id, "clone"))
    assert cloned.query_params == {"clone": record.id}
    assert cloned.title[0].value == "New experiment"


def test_cancel_is_offered_while_it_runs_and_done_at_once(open_page: OpenPage, storage: Storage) -> None:
    record = storage.create_experiment(tiny_config())
    app = act(open_page, record.id, "cancel")
    assert storage.get_experiment(record.id).state == "cancelled"
    assert not any("Cancel" in option for option in app.menu_button(key=f"experiments_action_{record.id}").options)


def offered(open_page: OpenPage, experiment: str) -> set[str]:
    options = open_page("experiments.py").menu_button(key=f"experiments_action_{experiment}").options
    return {option.partition(": ")[2] for option in options}


def test_what_was_cut_off_is_resumed_and_what_failed_is_tried_again(open_page: OpenPage, storage: Storage) -> None:
    cut = add_experiment(storage, make_config("Cut"), share=0.5, state="cancelled", failing=(0,))
    over = add_experiment(storage, make_config("Over"))
    assert {"Resume", "Retry failed trials", "Extend"} <= offered(open_page, cut)
    assert not {"Resume", "Retry failed trials", "Cancel"} & offered(open_page, over)
    failed = storage.get_experiment(cut).failed
    act(open_page, cut, "retry")
    now = storage.get_experiment(cut)
    assert (now.state, now.done, now.failed) == ("waiting", 12 - failed, 0)
    storage.request_cancel(cut)
    act(open_page, cut, "resume")
    assert storage.get_experiment(cut).state == "waiting"


def test_cancel_asks_when_much_work_is_left(open_page: OpenPage, storage: Storage) -> None:
    running = add_experiment(storage, make_config("Long"), share=0.5, state="running")
    storage.heartbeat(running, "test", lease_seconds=3600.0, seconds_left=500.0)
    app = act(open_page, running, "cancel")
    assert storage.get_experiment(running).state == "running"
    assert any("about 8 min. Trials" in element.value for element in app.markdown)
    app.button(key="experiments_cancel_confirm").click().run()
    assert storage.get_experiment(running).state == "cancelling"
    short = add_experiment(storage, make_config("Short"), share=0.5, state="running")
    storage.heartbeat(short, "test", lease_seconds=3600.0, seconds_left=5.0)
    act(open_page, short, "cancel")
    assert storage.get_experiment(short).state == "cancelling"


def test_extend_opens_the_form_and_takes_over_what_finished(
    open_page: OpenPage, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Mock(return_value=Estimate(1, 1.0, 2.0, measured=True))
    monkeypatch.setattr(plan_summary, "estimate_seconds", asked)
    config = tiny_config("Small")
    record = storage.create_experiment(config, runner="me", lease_seconds=60.0)
    plans = plan_trials(config, [load_dataset("iris")])
    results = [(plan, TrialResult(plan.key, measures={"accuracy": 0.9})) for plan in plans]
    storage.save_trials(record.id, results)
    storage.finish(record.id, "finished", runner="me")
    form = followed(act(open_page, record.id, "extend"))
    assert "This goes on from **Small**" in form.info[0].value
    said = [element.value for element in form.markdown]
    assert "**10 trials**, 10 of them taken over" in said
    form.number_input(key=next(one.key for one in form.number_input if one.label == "Repeats")).set_value(3).run()
    assert "**15 trials**, 10 of them taken over" in [element.value for element in form.markdown]
    assert asked.call_args.kwargs["there"] == {(0, 0): 10}, "they take no time"
    form.button(key="new_launch").click().run()
    [extended] = [one for one in storage.list_experiments() if one.extends == record.id]
    assert (extended.name, extended.total) == ("Small (extended)", 15)


def named(app: AppTest) -> TextInput:
    return next(field for field in app.text_input if field.label == "Name")


def test_rename_asks_for_the_name(open_page: OpenPage, storage: Storage) -> None:
    record = storage.create_experiment(tiny_config())
    app = act(open_page, record.id, "rename")
    named(app).set_value("Another name")
    press(app, "Rename")
    assert storage.get_experiment(record.id).name == "Another name"


def test_an_empty_name_is_refused_in_one_sentence(open_page: OpenPage, storage: Storage) -> None:
    record = storage.create_experiment(tiny_config())
    app = act(open_page, record.id, "rename")
    named(app).set_value("  ")
    press(app, "Rename")
    assert "the name must have 1 to 200 characters" in app.error[0].value.replace("\\", "")
    assert storage.get_experiment(record.id).name == record.name


def test_delete_asks_first(open_page: OpenPage, storage: Storage) -> None:
    record = storage.create_experiment(tiny_config())
    app = act(open_page, record.id, "delete")
    assert storage.count_experiments() == 1
    app.button(key="experiments_delete_confirm").click().run()
    assert storage.count_experiments() == 0


def test_a_question_is_not_asked_on_the_page_of_another_experiment(open_page: OpenPage, storage: Storage) -> None:
    first, second = (storage.create_experiment(tiny_config(name)) for name in ("One", "Two"))
    app = open_page("results.py", experiment=first.id)
    app.menu_button(key="results_more").click("rename").run()
    assert named(app.run()).value == "One"
    for page, query in (("results.py", {"experiment": second.id}), ("experiments.py", {})):
        app.query_params.clear()
        app.query_params.update(query)
        app.switch_page(page).run()
        assert not [field for field in app.text_input if field.label == "Name"]
