"""Data sets: the catalogue, uploads good and bad, the card."""

import io
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from ensembles.errors import InvalidData
from pages.parts import dataset_upload
from storage import Storage
from tests.pages.conftest import OpenPage, press
from tests.pages.made_up import CAR_VALUES, car_csv


def upload(open_page: OpenPage, name: str, content: bytes) -> AppTest:
    app = open_page("datasets.py")
    app.segmented_control(key="shelf").set_value("Upload").run()
    app.get("file_uploader")[0].set_value((name, content, "text/csv")).run()
    return app


def find_save(app: AppTest) -> Any:
    return next(button for button in app.button if button.label == "Save")


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


@pytest.mark.usefixtures("read_apart")
def test_saving_stores_the_data_set_and_opens_its_card(open_page: OpenPage, storage: Storage) -> None:
    app = press(upload(open_page, "car.csv", car_csv().encode()), "Save")
    [record] = storage.list_datasets()
    assert (record.name, record.rows, record.nominal, record.numeric, record.classes) == ("car", 1728, 6, 0, 4)
    assert record.source == "uploaded car.csv"
    assert app.query_params == {"dataset": record.sha256}
    assert app.title[0].value == "car"


def test_what_was_just_stored_is_not_read_from_the_database_for_its_card(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Storage, "get_sample", lambda *_: pytest.fail("read again"))
    app = press(upload(open_page, "never seen.csv", car_csv().replace("small", "tiny").encode()), "Save")
    assert app.title[0].value == "never seen"
    assert "1,728 examples" in app.caption[0].value


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
    assert f"or have the numbers grouped (“{label}”)" in app.info[0].value.replace("\\", "")
    assert find_save(app).disabled
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


def test_examples_with_a_decimal_comma_are_told_apart(open_page: OpenPage) -> None:
    app = upload(open_page, "comma.csv", b"size;class\n1,5;x\n2,25;y\n3,5;x\n")
    assert app.data_editor[0].value["Examples"].tolist() == ["1,5 · 2,25 · 3,5"]


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


def test_a_column_that_cannot_be_the_class_is_not_offered_to_be_saved_as_one(open_page: OpenPage) -> None:
    app = upload(open_page, "one.csv", b"a,b,class\n1,2,x\n3,2,x\n5,2,x\n1,2,x\n")
    said = "Column “{}” cannot be the class as it is: it needs at least two different classes, got only {!r}."
    for column, only in (("class", "x"), ("b", "2")):
        next(box for box in app.selectbox if box.label == "Class column").select(column).run()
        assert said.format(column, only) in [one.value.replace("\\", "") for one in app.info]
        assert find_save(app).disabled
    next(box for box in app.selectbox if box.label == "Class column").select("a").run()
    assert not find_save(app).disabled


ODD = b"x,id_2,same,class\n" + b"".join(f"{i % 7}.5,{(i * 37) % 101},1,{'ab'[i > 19]}\n".encode() for i in range(40))


def test_class_balance_and_warnings_stand_beside_their_remedies(open_page: OpenPage, storage: Storage) -> None:
    app = upload(open_page, "odd.csv", ODD)
    assert app.dataframe[0].value["Examples"].tolist() == [20, 20]
    said = " ".join(one.value for one in app.markdown)
    assert "one value only" in said
    assert "differs in every row" in said
    for number in (1, 0):
        [button for button in app.button if button.label == "Leave it out"][number].click().run()
    next(one for one in app.toggle if one.label == "Shuffle the rows").set_value(True).run()
    assert not [button for button in app.button if button.label == "Leave it out"]
    find_save(app).click().run()
    assert not app.exception
    stored = storage.get_dataset(storage.list_datasets()[0].sha256)
    assert [attribute.name for attribute in stored.attributes] == ["x"]
    assert (np.diff(stored.labels) != 0).sum() > 5


def test_a_value_that_keeps_numbers_from_being_numbers_is_taken_as_missing_in_one_click(
    open_page: OpenPage, storage: Storage
) -> None:
    rows = b"".join(b"%d,%s,%s\n" % (i % 9, [b"NA", b"p", b"q"][i % 3], b"xy"[i % 2 :][:1]) for i in range(40))
    app = upload(open_page, "t.csv", b"speed,b,class\nkm/h,p,x\n" + rows)
    app = press(app, "Take it as missing")
    assert next(box for box in app.text_input if box.label == "Missing values").value == "NA, km/h"
    assert not [button for button in app.button if button.label == "Take it as missing"]
    find_save(app).click().run()
    [record] = storage.list_datasets()
    assert (record.numeric, record.nominal, record.missing_cells) == (1, 1, 15)


def test_a_table_of_which_nothing_is_left_is_not_saved_before_a_remedy_is_taken(open_page: OpenPage) -> None:
    rows = b"".join(b"%02d.%02d.2024,%s\n" % (1 + i % 28, 1 + i % 12, b"xy"[i % 2 :][:1]) for i in range(40))
    app = upload(open_page, "t.csv", b"day,class\n" + rows)
    assert find_save(app).disabled
    assert "Every column besides the class is left out: give one of them another kind." in [
        one.value for one in app.info
    ]
    said = [one.value for one in app.markdown if one.value.startswith(":material/warning:")]
    assert said == [":material/warning: Column “day” holds dates and is left out\\."]
    assert not find_save(press(app, "Make it a date as parts")).disabled


def test_several_columns_change_at_once_and_the_class_is_said_to_be_a_proposal(
    open_page: OpenPage, storage: Storage
) -> None:
    app = upload(open_page, "odd.csv", ODD)
    assert any(
        "is proposed as the class, because it is called so" in one.value.replace("\\", "") for one in app.caption
    )
    columns = next(one for one in app.multiselect if one.label == "Columns to change")
    columns.set_value([*columns.options[:2]]).run()
    press(app, "Change")
    find_save(app).click().run()
    assert (columns.options[1], storage.list_datasets()[0].nominal) == ("id_2", 2)
