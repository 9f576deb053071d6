"""What one does in a tab where another tab has done something meanwhile."""

from storage import Storage
from tests.pages.conftest import OpenPage, press
from tests.pages.made_up import tiny_config


def test_what_is_gone_already_keeps_no_other_from_being_deleted(open_page: OpenPage, storage: Storage) -> None:
    ids = [storage.create_experiment(tiny_config(name)).id for name in ("One", "Two", "Three")]
    app = open_page("experiments.py")
    for box in app.checkbox:
        box.check()
    app.run().button(key="experiments_bar_delete").click().run()
    storage.delete_experiment(ids[2])  # the newest, which is the first of them
    app.button(key="experiments_delete_confirm").click().run()
    assert not app.error
    assert storage.list_experiments() == []


def test_what_is_gone_already_keeps_no_other_from_being_cancelled(open_page: OpenPage, storage: Storage) -> None:
    ids = [storage.create_experiment(tiny_config(name), runner="test").id for name in ("One", "Two", "Three")]
    storage.heartbeat(ids[2], "test", lease_seconds=3600.0, seconds_left=500.0)
    app = open_page("experiments.py")
    for box in app.checkbox:
        box.check()
    app.run().button(key="experiments_bar_cancel").click().run()
    storage.delete_experiment(ids[2])  # the newest, which is the first of them
    app.button(key="experiments_cancel_confirm").click().run()
    assert not app.error
    assert [toast.value for toast in app.toast] == ["2 experiments are being cancelled; finished trials stay"]
    assert [record.state for record in storage.list_experiments()] == ["cancelling"] * 2


def test_what_was_noted_meanwhile_stays_where_something_else_is_saved(open_page: OpenPage, storage: Storage) -> None:
    known = storage.create_experiment(tiny_config()).id
    storage.tag_experiments([known], add=["old"])
    app = open_page("results.py", experiment=known)
    app.menu_button(key="results_more").click("annotate").run()
    storage.write_notes(known, "A finding")
    storage.tag_experiments([known], add=["theirs"], remove=["old"])
    next(line for line in app.text_input if line.label == "Tags").set_value("old mine")
    press(app, "Save")
    record = storage.get_experiment(known)
    assert (record.notes, record.tags) == ("A finding", ("mine", "theirs"))


def test_notes_that_two_wrote_at_once_are_both_kept(open_page: OpenPage, storage: Storage) -> None:
    known = storage.create_experiment(tiny_config()).id
    app = open_page("results.py", experiment=known)
    app.menu_button(key="results_more").click("annotate").run()
    storage.write_notes(known, "A finding")
    app.text_area[0].set_value("Mine")
    press(app, "Save")
    assert "notes were changed by somebody else" in app.error[0].value
    assert app.text_area[0].value == "Mine"
    assert storage.get_experiment(known).notes == "A finding"
