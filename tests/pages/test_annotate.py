"""Notes of an experiment: Markdown that asks no other host for anything."""

from pages.parts.annotate import harmless
from storage import Storage
from tests.pages.conftest import OpenPage, press
from tests.pages.made_up_results import add_experiment, make_config

NOTES = "**Why** <img src=x onerror=alert(1)> ![p](https://example.org/p.png) !![q](https://example.org/q.png)"


def test_images_of_notes_become_links() -> None:
    assert harmless(NOTES).count("![") == 0
    assert "[p](https://example.org/p.png)" in harmless(NOTES)
    assert harmless("Nothing! [a](b) to see") == "Nothing! [a](b) to see"


def test_notes_and_tags_stand_above_the_results_and_are_edited_there(open_page: OpenPage, storage: Storage) -> None:
    experiment = add_experiment(storage, make_config("Noted"))
    storage.write_notes(experiment, NOTES)
    storage.tag_experiments([experiment], add=["thesis"])
    page = open_page("results.py", experiment=experiment)
    [notes] = [element for element in page.markdown if "**Why**" in element.value]
    assert "![" not in notes.value
    assert not notes.proto.allow_html
    assert any(":blue-badge[thesis]" in element.value for element in page.markdown)
    page.menu_button(key="results_more").click("annotate").run()
    page.text_area[0].set_value("Changed")
    press(page, "Save")
    assert storage.get_experiment(experiment).notes == "Changed"
    page.menu_button(key="results_more").click("star").run()
    assert storage.get_experiment(experiment).starred
