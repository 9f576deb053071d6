"""The catalogue among the data sets: every entry is listed and found, and one that OpenML keeps is fetched on a click."""

import pytest
from streamlit.testing.v1 import AppTest

from ensembles.data import Dataset, catalogue, load_dataset, openml, write_dataset
from ensembles.errors import InvalidData
from pages.parts.dataset_library import load_by_ref
from tests.pages.conftest import OpenPage, followed


def listed(app: AppTest) -> list[str]:
    """Return the keys of the data sets on the page."""
    return list(app.dataframe[0].value.index) if app.dataframe else []


def test_every_entry_is_listed_by_name_with_its_size(open_page: OpenPage) -> None:
    table = open_page("datasets.py").dataframe[0].value
    assert table["Data set"].tolist() == sorted((entry.name for entry in catalogue().values()), key=str.casefold)
    columns = ["Examples", "Attributes", "Classes", "Availability"]
    assert table.loc["german_credit", columns].tolist() == [1000, "13 nominal, 7 numeric", 2, "Ready"]
    assert table.loc["mushroom", "Availability"] == "On demand"
    assert table.loc["led24", "Availability"] == "Generated"
    assert list(table.loc["car", "Papers"]) == ["Oza 2001", "Jung 2017"]


def test_words_find_names_sources_and_notes(open_page: OpenPage) -> None:
    app = open_page("datasets.py")
    app.text_input(key="search").set_value("Breast wolberg").run()
    assert listed(app) == ["breast_cancer", "breast_cancer_wisconsin"]
    app.text_input(key="search").set_value("led").run()
    assert listed(app) == ["moa_led", "led24", "car"], "a name comes before what is written of another"
    app.text_input(key="search").set_value("zebra").run()
    assert listed(app) == []
    assert [info.value for info in app.info] == ["No data set of the catalogue is like that."]


def test_filters_narrow_each_other(open_page: OpenPage) -> None:
    app = open_page("datasets.py")
    app.selectbox(key="paper").select("jung2017").run()
    assert listed(app) == ["balance_scale", "car", "isolet", "mice_protein", "mushroom", "nursery"]
    app.selectbox(key="size").select("1,000 to 20,000").run()
    assert listed(app) == ["car", "isolet", "mice_protein", "mushroom", "nursery"]
    app.selectbox(key="place").select("On demand").run()
    assert listed(app) == ["isolet", "mice_protein", "mushroom"]


def test_what_was_searched_is_still_there_after_a_card(open_page: OpenPage) -> None:
    app = open_page("datasets.py")
    app.text_input(key="search").set_value("monk").run()
    app.query_params["dataset"] = "monks_1"
    app.run()
    followed(app, "All data sets")
    assert listed(app) == ["monks_1", "monks_2", "monks_3"]


def test_an_address_says_what_is_searched(open_page: OpenPage) -> None:
    app = open_page("datasets.py", search="monk")
    assert listed(app) == ["monks_1", "monks_2", "monks_3"]
    paper, size = "Jung, Goetz and Tewari (2017)", "1,000 to 20,000"
    app = open_page("datasets.py", paper=paper, size=size, place="Ready")
    assert listed(app) == ["car", "nursery"]


def test_an_address_that_filters_by_what_there_is_not_says_so(open_page: OpenPage) -> None:
    app = open_page("datasets.py", size="Huge")
    assert [warning.value for warning in app.warning] == [
        r"No size is called “Huge” here\. The list is not filtered by that\."
    ]
    assert len(listed(app)) == len(catalogue())


def test_a_data_set_on_demand_is_fetched_on_a_click(open_page: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []

    def fetch(entry: object, source: object, progress: openml.Progress | None) -> Dataset:  # noqa: ARG001
        dataset = load_dataset("iris")
        if progress:
            progress(1_500_000)
            told.append(1_500_000)
            path = openml._path(catalogue()["spect"])
            path.parent.mkdir()
            write_dataset(dataset, path)
        return dataset

    app = open_page("datasets.py", dataset="spect")
    assert app.title[0].value == "SPECT heart"
    assert app.caption[0].value == "267 examples · 22 attributes (22 nominal) · 2 classes"
    monkeypatch.setattr(openml, "load", fetch)
    app.button(key="datasets_fetch").click().run()
    assert not app.exception
    assert [button for button in app.button if button.key == "datasets_fetch"] == []
    assert "150 examples" in app.caption[0].value
    assert told == [1_500_000]


def test_a_fetch_that_fails_says_why_and_can_be_tried_again(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Dataset:
        raise InvalidData("SPECT heart: OpenML cannot be reached")

    app = open_page("datasets.py", dataset="spect")
    monkeypatch.setattr(openml, "load", refuse)
    app.button(key="datasets_fetch").click().run()
    assert [error.value for error in app.error] == ["SPECT heart\\: OpenML cannot be reached"]
    assert not app.status[0].error, "it would be folded away"
    assert app.button(key="datasets_fetch")


def test_pages_do_not_fetch_by_themselves(open_page: OpenPage) -> None:  # noqa: ARG001
    with pytest.raises(LookupError, match=r"^Mushroom is not here yet: open it among the data sets to fetch it"):
        load_by_ref("mushroom")
