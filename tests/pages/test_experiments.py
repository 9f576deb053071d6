"""The list of experiments and what can be done with each."""

from streamlit.testing.v1 import AppTest

from storage import Storage
from tests.pages.conftest import OpenPage, followed
from tests.pages.made_up import tiny_config


def test_an_empty_list_leads_to_a_new_experiment(open_page: OpenPage) -> None:
    app = open_page("experiments.py")
    assert "No experiment yet" in app.info[0].value


def test_ten_experiments_fill_a_page(open_page: OpenPage, storage: Storage) -> None:
    for number in range(12):
        storage.create_experiment(tiny_config(f"E{number:02d}"))
    app = open_page("experiments.py")
    assert [link.label for link in app.get("page_link") if link.label.startswith("**")] == [
        f"**E{number:02d}**" for number in range(11, 1, -1)
    ]
    app.pagination(key="experiments_page").set_value(2).run()
    assert [link.label for link in app.get("page_link") if link.label.startswith("**")] == ["**E01**", "**E00**"]


def test_one_among_many_is_found_by_a_part_of_its_name(open_page: OpenPage, storage: Storage) -> None:
    for number in range(12):
        storage.create_experiment(tiny_config(f"E{number:02d}"))
    app = open_page("experiments.py")
    app.pagination(key="experiments_page").set_value(2).run()
    app.text_input(key="experiments_search").set_value(" e1 ").run()
    assert [link.label for link in app.get("page_link") if link.label.startswith("**")] == ["**E11**", "**E10**"]
    app.text_input(key="experiments_search").set_value("*nothing*").run()
    assert app.info[0].value == "No experiment has “\\*nothing\\*” in its name."


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


def test_rename_asks_for_the_name(open_page: OpenPage, storage: Storage) -> None:
    record = storage.create_experiment(tiny_config())
    app = act(open_page, record.id, "rename")
    app.text_input[0].set_value("Another name")
    next(button for button in app.button if button.label == "Rename").click().run()
    assert storage.get_experiment(record.id).name == "Another name"


def test_an_empty_name_is_refused_in_one_sentence(open_page: OpenPage, storage: Storage) -> None:
    record = storage.create_experiment(tiny_config())
    app = act(open_page, record.id, "rename")
    app.text_input[0].set_value("  ")
    next(button for button in app.button if button.label == "Rename").click().run()
    assert "the name must have 1 to 200 characters" in app.error[0].value.replace("\\", "")
    assert storage.get_experiment(record.id).name == record.name


def test_delete_asks_first(open_page: OpenPage, storage: Storage) -> None:
    record = storage.create_experiment(tiny_config())
    app = act(open_page, record.id, "delete")
    assert storage.count_experiments() == 1
    app.button(key="experiments_delete_confirm").click().run()
    assert storage.count_experiments() == 0
