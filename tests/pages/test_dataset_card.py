"""The card of a data set: what it tells, draws and does."""

import io
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from ensembles.data import Attribute, Dataset, Table, catalogue, load_dataset, read_dataset
from ensembles.errors import NotFound
from ensembles.experiments.config import DatasetRef
from pages.parts.dataset_card import _as_csv, _as_parquet
from pages.parts.draft import generated_reference
from storage import Storage, open_storage
from tests.pages.conftest import OpenPage, followed
from tests.pages.made_up import tiny_config, tiny_dataset
from tests.pages.test_hostile_text import nodes


def test_a_downloaded_table_runs_no_formula(storage: Storage) -> None:
    table = Table.from_columns(
        [Attribute("=1+1", "nominal", ("-3", "=cmd()", "+")), Attribute("@x", "numeric")],
        [np.array([0, 1, 2], dtype=np.int32), np.array([-3.0, 1.5, 2.0])],
    )
    dataset = Dataset("t", table, np.array([0, 1, 0]), ("x", "-y"), "+class")
    written = _as_csv((storage.save_dataset(dataset).sha256, ()))
    assert written.decode() == "'=1+1,'@x,'+class\n-3,-3.0,x\n'=cmd(),1.5,'-y\n+,2.0,x\n"
    again = read_dataset(written, "+class", filename="t.csv")
    assert again.to_frame().astype(str).equals(dataset.to_frame().astype(str))


def test_a_quotation_mark_is_none_in_the_name_of_a_file(
    open_page: OpenPage, storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = storage.save_dataset(tiny_dataset('So "tiny"'))
    monkeypatch.setattr(st, "download_button", drawn := Mock())
    open_page("datasets.py", dataset=record.sha256)
    assert [one.kwargs["file_name"] for one in drawn.call_args_list[:2]] == ["So 'tiny'.csv", "So 'tiny'.parquet"]


def test_the_way_back_from_a_card_leads_to_its_shelf(open_page: OpenPage, storage: Storage) -> None:
    record = storage.save_dataset(tiny_dataset())
    app = open_page("datasets.py", dataset=record.sha256)
    followed(app, "All data sets")
    assert app.segmented_control(key="shelf").value == "Yours"
    assert app.dataframe[0].value["Data set"].tolist() == ["Tiny"]


def test_a_row_that_was_chosen_in_a_list_that_has_changed_opens_no_other_card(
    open_page: OpenPage, storage: Storage
) -> None:
    for shift, name in enumerate(("First", "Second")):
        storage.save_dataset(tiny_dataset(name, shift))
    app = open_page("datasets.py", shelf="Yours")
    shown = app.dataframe[0].proto.id
    assert app.run().dataframe[0].proto.id == shown
    storage.save_dataset(tiny_dataset("Third", 3))
    assert app.run().dataframe[0].proto.id != shown, "rows are chosen by where they stand"


def test_the_card_of_a_catalogue_entry_tells_facts_citation_licence_and_note(open_page: OpenPage) -> None:
    app = open_page("datasets.py", dataset="balance_scale")
    captions = " ".join(caption.value for caption in app.caption).replace("\\", "")
    entry = catalogue()["balance_scale"]
    assert app.title[0].value == "Balance scale"
    assert "625 examples · 4 attributes · 3 classes · no missing values" in captions
    assert all(words and words in captions for words in (entry.citation, entry.licence, entry.used_in, entry.note))
    assert not any(button.label in {"Delete", "Rename"} for button in app.button)


def test_the_card_shows_the_distribution_of_the_chosen_attribute(open_page: OpenPage) -> None:
    app = open_page("datasets.py", dataset="iris")
    app.selectbox(key="attribute").select(3).run()
    counts = app.dataframe[-1].value.set_index("petal width (cm)")
    assert counts.to_numpy().sum() == 150


def test_a_distribution_says_stacked_by_class_only_where_it_is(open_page: OpenPage, storage: Storage) -> None:
    for classes, words in ((10, "stacked by class"), (11, "all classes together")):
        table = Table.from_columns((Attribute("x", "numeric"),), (np.arange(22.0) % 3,))
        named = tuple(f"c{number}" for number in range(classes))
        record = storage.save_dataset(Dataset("Many classes", table, np.arange(22) % classes, named))
        app = open_page("datasets.py", dataset=record.sha256)
        assert f"Examples by value, {words}." in [caption.value.replace("\\", "") for caption in app.caption]


def test_a_stored_data_set_can_be_renamed(open_page: OpenPage, storage: Storage) -> None:
    record = storage.save_dataset(tiny_dataset())
    app = open_page("datasets.py", dataset=record.sha256)
    app.button(key="datasets_rename").click().run()
    app.text_input[0].set_value("  ")
    app = [button for button in app.button if button.label == "Rename"][-1].click().run()
    assert "1 to 200 characters" in app.error[0].value.replace("\\", "")
    app.text_input[0].set_value("<b>New</b>")
    app = [button for button in app.button if button.label == "Rename"][-1].click().run()
    assert not app.text_input, "the question is gone when it is answered"
    assert storage.list_datasets()[0].name == "<b>New</b>"
    assert app.title[0].value == r"\<b\>New\<\/b\>"


def test_a_long_name_is_not_cut_when_it_is_changed(open_page: OpenPage, storage: Storage) -> None:
    record = storage.save_dataset(tiny_dataset("x" * 190))
    app = open_page("datasets.py", dataset=record.sha256)
    app.button(key="datasets_rename").click().run()
    assert app.text_input[0].value == record.name
    assert app.text_input[0].proto.max_chars == 200


def test_deleting_asks_first(open_page: OpenPage, storage: Storage) -> None:
    record = storage.save_dataset(tiny_dataset())
    app = open_page("datasets.py", dataset=record.sha256)
    app.button(key="datasets_delete").click().run()
    assert len(storage.list_datasets()) == 1
    app.button(key="datasets_delete_confirm").click().run()
    assert storage.list_datasets() == []
    assert app.title[0].value == "Data sets"


def test_a_data_set_in_use_stays_and_the_sentence_says_why(open_page: OpenPage, storage: Storage) -> None:
    record = storage.save_dataset(tiny_dataset())
    storage.create_experiment(tiny_config(datasets=[{"sha256": record.sha256, "name": "Tiny"}]))
    button = open_page("datasets.py", dataset=record.sha256).button(key="datasets_delete")
    assert button.disabled
    assert button.help == "Used in 1 experiment: to be deleted first."


def show(app: AppTest, view: str) -> AppTest:
    app.segmented_control(key="card").set_value(view).run()
    assert not app.exception
    return app


def test_the_card_draws_small_distributions(open_page: OpenPage) -> None:
    table = open_page("datasets.py", dataset="iris").dataframe[0].value
    assert [sum(bars) for bars in table["Distribution"]] == [150] * 4


@pytest.mark.parametrize("view", ["Associations", "Projection"])
def test_every_figure_of_a_card_says_what_it_is_and_has_its_numbers(open_page: OpenPage, view: str) -> None:
    app = show(open_page("datasets.py", dataset="iris"), view)
    words = {"Associations": "Pearson's correlation", "Projection": "They show 73.0% and 22.9% of all variance"}[view]
    assert any(words in caption.value.replace("\\", "") for caption in app.caption)
    assert len(app.dataframe[0].value) == {"Associations": 5, "Projection": 150}[view]
    assert len(app.get("plotly_chart")) == 1


HEADINGS = (
    "Class",
    "Examples",
    "Share",
    "Missing",
    "Attribute",
    "First",
    "index",
    "level_0",
    "examples",
    "all others",
    "None",
    "0",
)


@pytest.mark.parametrize("classes", [HEADINGS[:2], HEADINGS], ids=["two classes", "more than the colours"])
@pytest.mark.parametrize("target", ["kind", "Class"])
def test_a_card_copes_with_names_that_it_uses_itself(
    open_page: OpenPage, storage: Storage, classes: tuple[str, ...], target: str
) -> None:
    names = [name for name in HEADINGS if name != target]
    labels = np.arange(60) % len(classes)
    rng = np.random.default_rng(0)
    columns = [
        rng.normal(size=60) if i % 2 else rng.integers(-1, len(HEADINGS), 60).astype(np.int32)
        for i in range(len(names))
    ]
    attributes = [
        Attribute(name, "numeric") if i % 2 else Attribute(name, "nominal", HEADINGS) for i, name in enumerate(names)
    ]
    dataset = Dataset("Mail", Table.from_columns(attributes, columns), labels, classes, target)
    record = storage.save_dataset(dataset)
    app = open_page("datasets.py", dataset=record.sha256)
    for position in range(len(names)):
        app.selectbox(key="attribute").set_value(position).run()
        assert not app.exception
    for view in ("Associations", "Projection", "Missing values"):
        show(app, view)
    place = (record.sha256, "{}")
    frame = pd.read_csv(io.BytesIO(_as_csv(place)), keep_default_na=False)
    assert frame.columns.tolist() == [*names, target]
    assert frame[target].astype(str).tolist() == [classes[label] for label in labels]
    assert pd.read_parquet(io.BytesIO(_as_parquet(place))).columns.tolist() == [*names, target]


def test_associations_are_of_ranks_when_asked_for(open_page: OpenPage) -> None:
    app = show(open_page("datasets.py", dataset="iris"), "Associations")
    before = app.dataframe[0].value
    app.segmented_control(key="correlation").set_value("Spearman").run()
    assert not before.equals(app.dataframe[0].value)
    assert any("Spearman" in caption.value for caption in app.caption)


def test_missing_values_are_told_alone_and_together(open_page: OpenPage, storage: Storage) -> None:
    record = storage.save_dataset(tiny_dataset())
    app = show(open_page("datasets.py", dataset=record.sha256), "Missing values")
    assert [table.value.to_numpy().tolist() for table in app.dataframe] == [[["colour", 4, 1 / 3]]] * 2
    assert "Every example has a value" in show(open_page("datasets.py", dataset="iris"), "Missing values").info[0].value


def test_a_data_set_can_be_downloaded_and_comes_back_the_same(open_page: OpenPage) -> None:
    app = open_page("datasets.py", dataset="iris")
    assert [button.label for button in app.get("download_button")][:2] == ["CSV", "Parquet"]
    iris = load_dataset("iris")
    assert pd.read_csv(io.BytesIO(_as_csv(("iris", ())))).shape == (150, 5)
    pd.testing.assert_frame_equal(pd.read_parquet(io.BytesIO(_as_parquet(("iris", ())))), iris.to_frame())


def test_a_data_set_that_somebody_deleted_is_gone_for_everybody(open_page: OpenPage, storage: Storage) -> None:
    ref = storage.save_dataset(tiny_dataset()).sha256
    opened = open_page("datasets.py", dataset=ref)
    assert opened.title[0].value == "Tiny"
    with open_storage(storage.url) as another:
        another.delete_dataset(ref)
    for app in (opened.run(), open_page("datasets.py", dataset=ref)):
        assert app.title[0].value == "Data sets"
        assert [error.value for error in app.error] == ["This data set does not exist\\, or not any more\\."]
        assert len(app.dataframe) == 0
    for write in (_as_csv, _as_parquet):
        with pytest.raises(NotFound, match="this data set does not exist, or not any more"):
            write((ref, ()))


def test_the_card_links_to_the_experiments_that_use_the_data_set(open_page: OpenPage, storage: Storage) -> None:
    assert "Used in" not in [header.value for header in open_page("datasets.py", dataset="iris").header]
    record = storage.create_experiment(tiny_config("With iris"))
    storage.create_experiment(tiny_config("Without", datasets=["wine"]))
    app = open_page("datasets.py", dataset="iris")
    assert app.header[-1].value == "Used in"
    links = [link.proto for link in app.get("page_link")]
    assert [(link.label, link.query_string) for link in links if link.query_string] == [
        ("**With iris**", f"experiment={record.id}")
    ]


def test_the_settings_of_a_stream_are_shown_and_taken_along(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page("datasets.py", dataset="sea")
    app.number_input(key="datasets_sea_noise").set_value(0.0).run()
    before = app.dataframe[1].value["Share"].tolist()
    next(box for box in app.selectbox if box.label == "Drift").select("abrupt").run()
    after = app.dataframe[1].value["Share"].tolist()
    assert before[0] == pytest.approx(0.32, abs=0.02)
    assert after[0] == pytest.approx((0.32 + 0.405) / 2, abs=0.02)
    opened: list[object] = []
    monkeypatch.setattr("pages.parts.dataset_card.open_new", lambda **given: opened.append(given))
    app.button(key="datasets_use").click().run()
    assert opened == [{"dataset": "sea", "settings": {"noise": 0.0, "drift": "abrupt"}}]


def test_the_settings_of_a_stream_are_still_there_when_one_comes_back(open_page: OpenPage) -> None:
    app = open_page("datasets.py", dataset="sea")
    app.number_input(key="datasets_sea_noise").set_value(0.0).run()
    shares = app.dataframe[1].value["Share"].tolist()
    app.query_params.clear()
    assert app.run().title[0].value == "Data sets"
    app.query_params["dataset"] = "sea"
    assert app.run().number_input(key="datasets_sea_noise").value == 0.0
    assert app.dataframe[1].value["Share"].tolist() == shares
    app.number_input(key="datasets_sea_noise").set_value(0.1).run()
    assert app.dataframe[1].value["Share"].tolist() != shares


@pytest.mark.parametrize("settings", ["{", "[]", '{"drift": "sideways"}', '{"depth": 1}'])
def test_settings_of_a_link_that_are_none_are_left_out(settings: str) -> None:
    assert generated_reference("sea", settings) == DatasetRef(key="sea")
    assert generated_reference("sea", '{"drift": "abrupt"}').settings == {"drift": "abrupt"}


def test_a_data_set_is_taken_along_to_a_new_experiment(open_page: OpenPage) -> None:
    app = open_page("datasets.py", dataset="wine")
    app = followed(app.button(key="datasets_use").click().run())
    assert app.title[0].value == "New experiment"
    assert app.multiselect[0].value == ["wine"]


def test_on_narrow_windows_tables_share_no_row_and_settings_follow_each_other(open_page: OpenPage) -> None:
    app = open_page("datasets.py", dataset="moa_led")
    assert [one.label for one in app.number_input] == [
        *("Seed", "Noise", "First concept", "Changes", "Place of the drift", "Width of the drift")
    ]
    [narrow] = [block for block in app.main.children.values() if "side_by_side" in str(getattr(block.proto, "id", ""))]
    kinds = {node.type for node in nodes(narrow)}
    assert {"header", "dataframe", "plotly_chart"} <= kinds, kinds
