"""Data sets: the catalogue, uploads good and bad, the card."""

import io
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from ensembles.data import Attribute, Dataset, Table, catalogue, load_dataset, read_dataset
from ensembles.errors import InvalidData, NotFound
from ensembles.experiments.config import DatasetRef
from pages.parts import dataset_upload
from pages.parts.dataset_card import _as_csv, _as_parquet
from pages.parts.draft import generated_reference
from storage import Storage, open_storage
from tests.pages.conftest import OpenPage, followed
from tests.pages.made_up import CAR_VALUES, car_csv, tiny_config, tiny_dataset


def upload(open_page: OpenPage, name: str, content: bytes) -> AppTest:
    app = open_page("datasets.py")
    app.segmented_control(key="shelf").set_value("Upload").run()
    app.get("file_uploader")[0].set_value((name, content, "text/csv")).run()
    return app


def find_save(app: AppTest) -> Any:
    return next(button for button in app.button if button.label == "Save")


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def test_an_upload_is_explained_before_it_is_stored(open_page: OpenPage, storage: Storage) -> None:
    app = upload(open_page, "car.csv", car_csv().encode())
    [sentence] = [caption.value for caption in app.caption if caption.value.startswith("Recognised")]
    assert sentence.replace("\\", "") == (
        "Recognised: 1,728 rows of 7 columns, separated by comma, UTF-8, decimal point, with a header, no missing values."
    )
    columns = app.data_editor[0].value
    assert columns["Column"].tolist() == list(CAR_VALUES)
    assert set(columns["Kind"]) == {"nominal"}
    assert storage.list_datasets() == []


def test_saving_stores_the_data_set_and_opens_its_card(open_page: OpenPage, storage: Storage) -> None:
    app = press(upload(open_page, "car.csv", car_csv().encode()), "Save")
    [record] = storage.list_datasets()
    assert (record.name, record.rows, record.nominal, record.numeric, record.classes) == ("car", 1728, 6, 0, 4)
    assert record.source == "uploaded car.csv"
    assert app.query_params == {"dataset": record.sha256}
    assert app.title[0].value == "car"


def test_the_class_column_can_be_chosen(open_page: OpenPage, storage: Storage) -> None:
    app = upload(open_page, "car.csv", car_csv().encode())
    next(box for box in app.selectbox if box.label == "Class column").select("safety").run()
    press(app, "Save")
    assert storage.get_dataset(storage.list_datasets()[0].sha256).classes == ("high", "low", "med")


def test_a_user_may_know_the_layout_better(open_page: OpenPage) -> None:
    app = upload(open_page, "t.csv", b"1;2,5;a\n3;4,5;b\n")
    next(box for box in app.selectbox if box.label == "First row").select(True).run()
    assert any("1 row of 3 columns" in caption.value for caption in app.caption)
    assert app.data_editor[0].value["Column"].tolist() == ["1", "2,5", "a"]


def test_other_formats_say_what_they_are_and_ask_only_what_fits(open_page: OpenPage, storage: Storage) -> None:
    app = upload(
        open_page, "t.arff", b"@relation t\n@attribute a {1,2}\n@attribute class {x,y}\n@data\n1,x\n2,y\n?,x\n"
    )
    sentence = next(caption.value for caption in app.caption if caption.value.startswith("Recognised"))
    assert "3 rows of 2 columns, ARFF, missing values written as “?”." in sentence.replace("\\", "")
    assert app.data_editor[0].value["Why"].tolist() == ["Declared nominal in the file."]
    assert not {"Delimiter", "Sheet", "First row"} & {box.label for box in app.selectbox}
    press(app, "Save")
    assert storage.list_datasets()[0].name == "t"


def test_a_sheet_can_be_chosen(open_page: OpenPage) -> None:
    file = io.BytesIO()
    with pd.ExcelWriter(file) as book:
        for name in ("One", "Two"):
            pd.DataFrame({f"in {name}": [1.5, 2.5], "class": ["x", "y"]}).to_excel(book, sheet_name=name, index=False)
    app = upload(open_page, "book.xlsx", file.getvalue())
    assert app.data_editor[0].value["Column"].tolist() == ["in One"]
    next(box for box in app.selectbox if box.label == "Sheet").select("Two").run()
    assert app.data_editor[0].value["Column"].tolist() == ["in Two"]
    assert app.run().data_editor[0].value["Column"].tolist() == ["in Two"]


def test_marks_for_missing_values_can_be_named(open_page: OpenPage) -> None:
    app = upload(open_page, "t.csv", b"a,b,class\n-9,NA,x\n1.5,red,y\n2.5,red,x\n")
    assert app.data_editor[0].value["Missing"].tolist() == [0, 1]
    next(box for box in app.text_input if box.label == "Missing values").set_value("-9, unknown").run()
    assert app.data_editor[0].value["Missing"].tolist() == [1, 0]


def test_a_class_column_of_many_numbers_can_be_grouped(open_page: OpenPage, storage: Storage) -> None:
    content = "a,y\n" + "".join(f"{i % 5},{i * 1.5}\n" for i in range(120))
    app = upload(open_page, "prices.csv", content.encode())
    assert "so it is a quantity and not a class" in app.info[0].value
    label = "Group the numbers of the class column into classes of equal size"
    assert label in [box.label for box in app.number_input]
    find_save(app).click().run()
    for said in (app.info[0].value, app.error[0].value):
        assert f"or have the numbers grouped (“{label}”)" in said.replace("\\", "")
    assert storage.list_datasets() == []
    next(box for box in app.number_input if box.label == label).set_value(3).run()
    press(app, "Save")
    assert storage.list_datasets()[0].classes == 3


def test_the_class_is_asked_for_where_it_is_not_clear(open_page: OpenPage, storage: Storage) -> None:
    content = "rooms,area,age,price\n" + "".join(f"{2 + i % 3},{40.5 + i},{i % 50},{100 + 7 * i}\n" for i in range(60))
    app = upload(open_page, "houses.csv", content.encode())
    box = next(box for box in app.selectbox if box.label == "Class column")
    assert box.value is None
    assert "Choose the class" in app.info[0].value
    assert find_save(app).disabled
    box.select("rooms").run()
    assert not app.info
    press(app, "Save")
    assert storage.list_datasets()[0].classes == 3


def test_titles_above_a_table_are_left_out_and_rows_can_be_skipped(open_page: OpenPage) -> None:
    file = io.BytesIO()
    titles = [["Cars of 2001", None, None], ["made by hand", None, None], [None] * 3]
    rows = [*titles, ["size", "colour", "class"], [1.5, "red", "x"], [2.5, "blue", "y"]]
    pd.DataFrame(rows, dtype=object).to_excel(file, index=False, header=False)
    app = upload(open_page, "cars.xlsx", file.getvalue())
    assert app.data_editor[0].value["Column"].tolist() == ["size", "colour"]
    assert app.info[0].value.replace("\\", "") == (
        "The first 2 rows are titles above the table and left out; “Rows to skip” changes that."
    )
    skip = next(box for box in app.number_input if box.label == "Rows to skip")
    skip.set_value(4).run()
    assert app.data_editor[0].value["Column"].tolist()[:2] == ["a1", "a2"]
    next(box for box in app.number_input if box.label == "Rows to skip").set_value(40).run()
    assert "has no table" in app.error[0].value
    next(box for box in app.number_input if box.label == "Rows to skip").set_value(3).run()
    assert app.data_editor[0].value["Column"].tolist() == ["size", "colour"]


def test_a_setting_is_called_as_on_the_page_where_it_is_wrong(open_page: OpenPage) -> None:
    app = upload(open_page, "car.csv", car_csv().encode())
    next(box for box in app.number_input if box.label == "Rows to skip").set_value(9999).run()
    assert app.error[0].value.replace("\\", "").startswith("car.csv: “Rows to skip” must leave a row, got 9,999")


def test_long_numbers_leave_room_for_the_reason_of_a_kind(open_page: OpenPage) -> None:
    rows = "".join(f"{row / 7!r},{'xy'[row % 2]}\n" for row in range(1, 60))
    app = upload(open_page, "long.csv", f"size,class\n{rows}".encode())
    assert json.loads(app.data_editor[0].proto.columns)["Examples"]["width"] == "medium"


def test_the_limit_of_an_upload_stands_where_a_file_is_chosen(open_page: OpenPage) -> None:
    app = open_page("datasets.py")
    app.segmented_control(key="shelf").set_value("Upload").run()
    [sentence] = [caption.value for caption in app.caption if "MB" in caption.value]
    assert sentence.startswith("At most 200 MB.")
    assert "`python -m runner datasets add FILE`" in sentence


def test_a_stopped_reading_is_said_and_can_be_begun_again(open_page: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(_: bytes, *, on_wait: Any, **_options: Any) -> None:
        on_wait("Reading t.csv, 12 s")
        raise InvalidData(f"t.csv: {dataset_upload._STOPPED}")

    with monkeypatch.context() as patched:
        patched.setattr(dataset_upload, "preview_apart", wait)
        app = upload(open_page, "t.csv", b"a,b,class\n1,2,x\n3,4,y\n")
    assert app.error[0].value.replace("\\", "") == "t.csv: reading was stopped"
    press(app, "Read it again")
    assert app.data_editor[0].value["Column"].tolist() == ["a", "b"]


def test_a_file_with_a_name_of_traps_is_shown_and_stored(open_page: OpenPage, storage: Storage) -> None:
    app = upload(open_page, "\x00\u202egpj" + "n" * 10_000 + ".csv", b"a,b,class\n1,2,x\n3,4,y\n")
    press(app, "Save")
    [record] = storage.list_datasets()
    assert record.name.startswith("\ufffd\ufffdgpjnnn")
    assert len(record.source) < 250
    assert not {"\x00", "\u202e"} & set(record.name + record.source)


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


def test_the_way_back_from_a_card_leads_to_its_shelf(open_page: OpenPage, storage: Storage) -> None:
    record = storage.save_dataset(tiny_dataset())
    app = open_page("datasets.py", dataset=record.sha256)
    followed(app, "All data sets")
    assert app.segmented_control(key="shelf").value == "Yours"
    assert app.dataframe[0].value["Data set"].tolist() == ["Tiny"]


def test_content_that_is_there_is_recognised_before_it_is_stored(open_page: OpenPage, storage: Storage) -> None:
    press(upload(open_page, "car.csv", car_csv().encode()), "Save")
    [record] = storage.list_datasets()
    app = upload(open_page, "copy.csv", car_csv().encode())
    assert [info.value for info in app.info] == ["The same content is stored already, as car."]
    assert f"dataset={record.sha256}" in [link.proto.query_string for link in app.get("page_link")]
    assert find_save(app).disabled
    next(box for box in app.selectbox if box.label == "Class column").select("safety").run()
    assert not app.info
    press(app, "Save")
    assert len(storage.list_datasets()) == 2


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", b""),
        ("header.csv", b"a,b,class\n"),
        ("one_column.csv", b"a\n1\n2\n"),
        ("nul.csv", b"a,b\n1,\x00\n2,x\n"),
        ("picture.csv", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(256))),
    ],
)
def test_a_bad_upload_gets_one_sentence_and_leaves_nothing(
    open_page: OpenPage, storage: Storage, name: str, content: bytes
) -> None:
    app = upload(open_page, name, content)
    assert not app.exception
    assert len(app.error) == 1
    assert name in app.error[0].value.replace("\\", "")
    assert "\n" not in app.error[0].value
    assert not any(button.label == "Save" for button in app.button)
    assert storage.list_datasets() == []


def test_one_class_is_refused_at_saving(open_page: OpenPage, storage: Storage) -> None:
    app = press(upload(open_page, "one.csv", b"a,b,class\n1,2,x\n3,4,x\n5,6,x\n"), "Save")
    assert len(app.error) == 1
    assert "class" in app.error[0].value
    assert storage.list_datasets() == []


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
    app.selectbox(key="datasets_attribute_iris").select(3).run()
    counts = app.dataframe[-1].value.set_index("petal width (cm)")
    assert counts.to_numpy().sum() == 150


def test_a_stored_data_set_can_be_renamed(open_page: OpenPage, storage: Storage) -> None:
    record = storage.save_dataset(tiny_dataset())
    app = open_page("datasets.py", dataset=record.sha256)
    app.text_input[0].set_value("<b>New</b>")
    next(button for button in app.button if button.label == "Rename").click().run()
    assert storage.list_datasets()[0].name == "<b>New</b>"
    assert app.title[0].value == r"\<b\>New\<\/b\>"


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
        app.selectbox(key=f"datasets_attribute_{record.sha256}").set_value(position).run()
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
    app.segmented_control(key="datasets_correlation").set_value("Spearman").run()
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


@pytest.mark.parametrize("settings", ["{", "[]", '{"drift": "sideways"}', '{"depth": 1}'])
def test_settings_of_a_link_that_are_none_are_left_out(settings: str) -> None:
    assert generated_reference("sea", settings) == DatasetRef(key="sea")
    assert generated_reference("sea", '{"drift": "abrupt"}').settings == {"drift": "abrupt"}


def test_a_data_set_is_taken_along_to_a_new_experiment(open_page: OpenPage) -> None:
    app = open_page("datasets.py", dataset="wine")
    app = followed(app.button(key="datasets_use").click().run())
    assert app.title[0].value == "New experiment"
    assert app.multiselect[0].value == ["wine"]
