"""New experiment: what was chosen stays when another page is opened and one comes back."""

from streamlit.testing.v1 import AppTest

from ensembles.experiments.learner_choice import base_rows, method_rows
from storage import Storage
from tests.pages.conftest import OpenPage
from tests.pages.made_up import tiny_config, tiny_dataset
from tests.pages.test_new_experiment import choose, choose_learners, launch

AS_LEFT = ":material/history: The form is as you left it."


def came_back(app: AppTest) -> AppTest:
    """Open another page and come back by the menu, which names no address."""
    app.switch_page("learners.py").run()
    app.query_params.clear()
    app.switch_page("new_experiment.py").run()
    assert not app.exception
    return app


def is_as_left(app: AppTest) -> bool:
    return AS_LEFT in [one.value for one in app.markdown]


def test_a_form_that_nobody_touched_is_opened_as_ever(open_page: OpenPage) -> None:
    assert not is_as_left(came_back(open_page("new_experiment.py")))


def test_all_that_was_chosen_is_there_again(open_page: OpenPage, storage: Storage) -> None:
    app = choose(open_page("new_experiment.py"), "Data sets", ["iris"])
    choose_learners(app, method_rows(), "bagging", "adaboost")
    choose_learners(app, base_rows(), "decision_tree")
    choose(app, "Members", 7)
    choose(app, "Protocol", "holdout")
    choose(app, "Repeats", 2)
    choose(app, "Name", "Kept")
    choose(app, "Seed", 5)
    before = app.code[0].value
    app = came_back(app)
    assert is_as_left(app)
    assert app.code[0].value == before
    assert launch(app, storage).to_yaml().strip() == before
    assert not is_as_left(came_back(open_page("new_experiment.py")))


def test_what_is_changed_afterwards_stays_too(open_page: OpenPage) -> None:
    app = came_back(choose(open_page("new_experiment.py"), "Data sets", ["iris"]))
    app = came_back(choose(app, "Members", 9))
    assert is_as_left(app)
    assert next(one for one in app.number_input if one.label == "Members").value == 9
    assert next(box for box in app.multiselect if box.label == "Data sets").value == ["iris"]


def test_what_is_launched_is_not_offered_again(open_page: OpenPage, storage: Storage) -> None:
    app = choose(open_page("new_experiment.py"), "Data sets", ["iris"])
    launch(app, storage)
    app = came_back(app)
    assert not is_as_left(app)
    assert next(box for box in app.multiselect if box.label == "Data sets").value == []


def test_somebody_may_begin_anew(open_page: OpenPage) -> None:
    app = came_back(choose(open_page("new_experiment.py"), "Data sets", ["iris"]))
    app.button(key="new_left_forget").click().run()
    assert not is_as_left(app)
    assert next(box for box in app.multiselect if box.label == "Data sets").value == []
    assert not is_as_left(came_back(app))


def test_who_sees_it_stays_too(open_as: OpenPage) -> None:
    open_as("Ann", "new_experiment.py")
    app = came_back(choose(open_as("Ann", "new_experiment.py"), "Who sees it", "private"))
    assert is_as_left(app)
    assert app.segmented_control(key="new_visibility").value == "private"


def test_a_form_that_is_not_complete_is_kept_too(open_page: OpenPage, storage: Storage) -> None:
    storage.save_dataset(tiny_dataset())
    app = choose(open_page("new_experiment.py"), "Data sets", ["iris"])
    app = came_back(choose(app, "Protocol", "given_split"))
    assert "Choose a test set." in [one.value for one in app.info]


def test_a_clone_is_kept_and_an_extension_belongs_to_its_address(open_page: OpenPage, storage: Storage) -> None:
    record = storage.create_experiment(tiny_config())
    cloned = came_back(open_page("new_experiment.py", clone=record.id))
    assert next(one for one in cloned.text_input if one.label == "Name").value == f"{record.name} (copy)"
    extended = came_back(open_page("new_experiment.py", extend=record.id))
    assert not is_as_left(extended)
    assert next(one for one in extended.text_input if one.label == "Name").value == ""


def test_another_address_counts_more_than_what_was_left(open_page: OpenPage, storage: Storage) -> None:
    record = storage.create_experiment(tiny_config())
    app = choose(open_page("new_experiment.py"), "Data sets", ["iris"])
    app.switch_page("learners.py").run()
    app.query_params["clone"] = record.id
    app.switch_page("new_experiment.py").run()
    assert not is_as_left(app)
    assert next(one for one in app.text_input if one.label == "Name").value == f"{record.name} (copy)"


def test_a_data_set_that_is_gone_is_left_out_with_a_word(open_page: OpenPage, storage: Storage) -> None:
    stored = storage.save_dataset(tiny_dataset())
    app = choose(open_page("new_experiment.py"), "Data sets", [stored.sha256])
    app.switch_page("learners.py").run()
    storage.delete_dataset(stored.sha256)
    app.switch_page("new_experiment.py").run()
    assert is_as_left(app)
    assert any("Left out" in one.value for one in app.warning)
