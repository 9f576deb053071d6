"""An experiment that this installation cannot read stands in lists, says why, and can be deleted; others are as ever."""

from storage import Storage
from tests.pages.conftest import OpenPage
from tests.pages.made_up import tiny_config
from tests.storage.test_unreadable import BASE, launch_of_tomorrow


def words(app: object) -> str:
    """Return all text of a page."""
    elements = [*app.markdown, *app.caption, *app.error, *app.text]  # type: ignore[attr-defined]
    return "\n".join(element.value for element in elements).replace("\\", "")


def test_it_is_a_row_without_a_link_and_goes_into_the_bin(open_page: OpenPage, storage: Storage) -> None:
    strange = launch_of_tomorrow(storage)
    storage.create_experiment(tiny_config("Ours"))
    app = open_page("experiments.py")
    assert [link.label for link in app.get("page_link") if link.label.startswith("**")] == ["**Ours**"]
    assert BASE in words(app)
    assert "**Of tomorrow**" in words(app)
    [menu] = [one for one in app.get("menu_button") if strange in one.proto.id]
    assert [option.split(": ")[1] for option in menu.proto.options] == [
        *("Rename", "Notes and tags", "Give a star", "Archive", "Pause", "Priority", "Cancel", "Delete")
    ]
    next(box for box in app.checkbox if box.key.endswith(strange)).check().run()
    app.button(key="experiments_bar_delete").click().run()
    app.button(key="experiments_delete_confirm").click().run()
    assert [record.name for record in storage.list_experiments()] == ["Ours"]
    app.button(key=f"experiments_restore_{strange}").click().run()
    assert [record.name for record in storage.list_experiments()] == ["Ours", "Of tomorrow"]


def test_every_page_with_a_list_is_drawn_and_its_own_says_why_it_is_not(open_page: OpenPage, storage: Storage) -> None:
    strange = launch_of_tomorrow(storage)
    with storage._database.connection() as connection:
        connection.exec_driver_sql("UPDATE experiments SET state = 'running', paused = true, done = 2")
    for page in ("home.py", "results.py", "papers.py", "leaderboard.py"):
        open_page(page)
    assert BASE in words(open_page("results.py"))
    open_page("datasets.py", dataset="iris")
    for query in ({"experiment": strange}, {"experiments": strange}):
        assert BASE.lower() in words(open_page("results.py", **query)).lower()
    open_page("new_experiment.py", clone=strange)


def test_what_cannot_be_planned_is_not_resumed(open_page: OpenPage, storage: Storage) -> None:
    for total, is_offered in ((0, False), (None, True)):  # without a plan: a data set that was not there, say
        record = storage.create_experiment(tiny_config(f"Of {total}"), runner="test")
        storage.heartbeat(record.id, "test", lease_seconds=60.0, total=total)
        storage.finish(record.id, "failed", "protocol.folds: must be at most 12", runner="test")
        options = open_page("experiments.py").menu_button(key=f"experiments_action_{record.id}").options
        assert any("Resume" in option for option in options) == is_offered
