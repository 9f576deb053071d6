"""Titles above a table, rows to skip, sheets without a table; names and values that are traps; CSV without formulas."""

import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensembles.data import build_dataset, dataset_from_bytes, dataset_to_bytes, preview_file, read_dataset, spreadsheets
from ensembles.data.names import LONGEST_NAME, LONGEST_VALUE, clean_name, clean_values
from ensembles.data.spreadsheets import to_csv
from ensembles.errors import InvalidData
from tests.data.test_formats import as_excel, as_parquet

TABLE = [("size", "colour", "class"), (1.5, "red", "x"), (2.5, "blue", "y"), (3.5, "red", "x")]
TITLES = [("Cars of 2001",), (), ("by hand", None, None)]


def csv_of(*rows: tuple[object, ...]) -> bytes:
    return "\n".join(",".join("" if cell is None else str(cell) for cell in row) for row in rows).encode()


@pytest.mark.parametrize("write", [lambda rows: as_excel(rows), lambda rows: csv_of(*rows)], ids=["Excel", "CSV"])
def test_titles_above_the_header_are_found(write) -> None:
    preview = preview_file(write(TITLES + TABLE), filename="t")
    assert preview.head.columns.tolist() == ["size", "colour", "class"]
    assert [column.kind for column in preview.columns] == ["numeric", "nominal", "nominal"]
    assert preview.notices[0].startswith("The first ")
    assert "titles above the table and left out" in preview.notices[0]
    one, two = (read_dataset(write(rows), filename="t") for rows in (TITLES + TABLE, TABLE))
    assert one.sha256 == two.sha256


@pytest.mark.parametrize("write", [lambda rows: as_excel(rows), lambda rows: csv_of(*rows)], ids=["Excel", "CSV"])
def test_rows_can_be_skipped(write) -> None:
    rows = [("a", "b", "c"), ("d", "e", "f"), *TABLE]
    preview = preview_file(write(rows), filename="t", skip_rows=2)
    assert preview.head.columns.tolist() == ["size", "colour", "class"]
    assert preview.notices == ()
    assert (
        read_dataset(write(rows), skip_rows=2, filename="t").sha256 == read_dataset(write(TABLE), filename="t").sha256
    )
    with pytest.raises(
        InvalidData, match=r"^t: (skip_rows must leave a row, got 9 of 6 lines|sheet 'Sheet' has no table)"
    ):
        preview_file(write(rows), filename="t", skip_rows=9)
    with pytest.raises(InvalidData, match=r"^t: skip_rows must be a number of rows from 0 on, got -1$"):
        preview_file(write(rows), filename="t", skip_rows=-1)


def test_lines_are_counted_from_the_top_of_the_file() -> None:
    preview = preview_file(b"Title\n\nx,class\n1,a\n2,b\nzwei,a\n", filename="t")
    assert preview.head.columns.tolist() == ["x", "class"]
    with pytest.raises(InvalidData, match="found 'zwei' in line 6"):
        build_dataset(preview, name="t", target="class", kinds={"x": "numeric"})


def test_comments_above_the_header_are_titles_and_a_header_that_looks_like_one_is_none() -> None:
    rows = b"".join(b"%d,%d,x\n%d,2,y\n" % (i, i % 3, i) for i in range(9))
    preview = preview_file(b"# made by a tool\n# on a day, somewhere\na,b,class\n" + rows, filename="t")
    assert preview.head.columns.tolist() == ["a", "b", "class"]
    assert preview_file(b"#,b,class\n" + rows, filename="t").head.columns.tolist() == ["#", "b", "class"]
    as_wide = b"# made by a tool\n# on a day, in May, somewhere\n"
    assert preview_file(as_wide + b"a,b,class\n" + rows, filename="t").head.columns.tolist() == ["a", "b", "class"]
    below = preview_file(b"# made by a tool\n#a,b,class\n" + rows, filename="t")
    assert below.head.columns.tolist() == ["#a", "b", "class"], "there is no other header"


NO_TITLES = {
    "a value in the first row": [(1.5, None, None), (2.5, "red", "x"), (3.5, "blue", "x")],
    "names of rows": [(None, "class"), ("r1", "x"), ("r2", "y")],
    "one name for two columns": [("class",), ("r1", "x"), ("r2", "y")],
    "wide rows": TABLE,
}


@pytest.mark.parametrize("case", NO_TITLES)
def test_what_is_no_title_stays(case: str) -> None:
    assert not any("title" in notice for notice in preview_file(as_excel(NO_TITLES[case]), filename="t").notices)


def test_a_cover_is_no_table() -> None:
    book = as_excel(Cover=[("A report",), ("2001",)], Data=TABLE, More=TABLE)
    assert preview_file(book, filename="t").content.sheet == "Data"
    assert preview_file(book, filename="t", sheet="More").content.sheet == "More"
    with pytest.raises(
        InvalidData, match=r"^t: sheet 'Cover' has no table; two or more columns with values are needed$"
    ):
        preview_file(book, filename="t", sheet="Cover")
    with pytest.raises(InvalidData, match=r"^t: sheet 'A' has no table"):
        preview_file(as_excel(A=[("x",)], B=[("y",)]), filename="t")


TRAPS = ["a\0b", "\u202ecod.exe", "\x1b[31mred", "x" * 10_000, "x" * 9_999 + "y"]


def test_names_and_values_that_are_traps_are_read_and_stored() -> None:
    columns = dict.fromkeys(TRAPS, TRAPS)
    preview = preview_file(as_parquet(**columns, class_=["p", "q", "p", "q", "p"]), filename="t\0\u202e" + "n" * 999)
    names = [column.name for column in preview.columns]
    values = preview.head.iloc[:, 0].tolist()
    assert len(set(names)) == 6
    assert len(set(values)) == 5
    assert max(map(len, names)) <= LONGEST_NAME < max(map(len, values)) <= LONGEST_VALUE
    assert len(preview.filename) <= LONGEST_NAME
    shown = "".join([*names, *values, preview.filename, *preview.notices])
    assert not set(shown) & {"\0", "\u202e", "\x1b"}
    kinds = dict.fromkeys(names[:-1], "nominal")
    for target in (names[0], names[-1]):
        dataset = build_dataset(preview, name="t", target=target, kinds={k: v for k, v in kinds.items() if k != target})
        again = dataset_from_bytes(dataset_to_bytes(dataset))
        assert again.classes == dataset.classes
        assert again.sha256 == dataset.sha256


def test_two_values_that_cannot_be_told_apart_when_shown_are_one() -> None:
    preview = preview_file(as_parquet(a=["x\0", "x\1", "y"], b=["p", "q", "p"]), filename="t")
    assert preview.columns[0].distinct == 2


def test_a_lone_surrogate_is_shown_as_what_cannot_be_shown() -> None:
    assert clean_name("a\udcffb") == "a\ufffdb"
    assert clean_name("tab\tand\nline") == "tab\tand\nline"


def test_values_of_a_slice_are_cleaned_too() -> None:
    values = pa.array(["\0", "a", "b\0"]).slice(1)
    assert clean_values(values).to_pylist() == ["a", "b\ufffd"]


CELL = st.text(st.sampled_from("=+-@'a1.\t "), min_size=1, max_size=5).map(str.strip).filter(bool)


@given(cells=st.lists(CELL, min_size=4, max_size=12), names=st.lists(CELL, min_size=2, max_size=2, unique=True))
def test_what_was_guarded_against_formulas_comes_back(cells: list[str], names: list[str]) -> None:
    frame = pd.DataFrame({names[0]: cells, names[1]: ["x", "y"] * (len(cells) // 2) + ["z"] * (len(cells) % 2)})
    text = to_csv(frame)
    for line in text.splitlines():
        first = line.split(",")[0].strip('"')
        assert first[:1] not in ("=", "@", "\t") or len(first) == 1
    preview = preview_file(text.encode(), filename="t", delimiter=",", has_header=True)
    assert preview.head.iloc[:, 0].tolist() == cells
    assert preview.head.columns.tolist() == names


def test_numbers_and_signs_stay_as_they_are() -> None:
    frame = pd.DataFrame(
        {"a": ["-3", "+1.5e3", "-", "+"], "b": [-3, -2.5, 0.0, 1.0], "c": pd.Categorical(["-1", "=x", "-1", None])}
    )
    assert to_csv(frame) == "a,b,c\n-3,-3.0,-1\n+1.5e3,-2.5,'=x\n-,0.0,-1\n+,1.0,\n"


def test_whole_numbers_are_written_as_such_and_floats_to_the_last_bit() -> None:
    frame = pd.DataFrame(
        {"age": [64.0, None, 3.0], "all": [1.0, 2.0, 5.0], "half": [0.5, 1.0, None], "zero": [-0.0, 1.0, 2.0]}
    )
    assert to_csv(frame) == "age,all,half,zero\n64,1,0.5,-0.0\n,2,1.0,1.0\n3,5,,2.0\n"
    assert to_csv(pd.DataFrame({"a": [1e300, np.inf], "b": [np.nan] * 2})) == "a,b\n1e+300,\ninf,\n"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a,b,class\n,,\n,,\n", "the class column 'class' has no value in any row"),
        (b"a,b,class\n,,x\n,,y\n", "no attribute is left, every column besides the class is ignored"),
        (b"a,class\n1,x\n", "the class column 'class' needs at least two different classes"),
    ],
    ids=["all missing", "attributes missing", "one row"],
)
def test_tables_of_nothing_get_a_sentence(content: bytes, sentence: str) -> None:
    with pytest.raises(InvalidData, match=f"^t: {sentence}"):
        read_dataset(content, filename="t")


def test_a_constant_column_is_kept_and_said() -> None:
    preview = preview_file(b"a,b,class\n1,2,x\n1,3,y\n", filename="t")
    assert preview.columns[0].reason == "One value only, so it cannot tell classes apart."
    assert np.unique(build_dataset(preview, name="t", target="class").table.column(0)).tolist() == [1.0]


def test_long_tables_are_written_as_short_ones_are(monkeypatch):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "=text": rng.choice(
                np.array(["=1", "a,b", 'a "quoted" one', "two\nlines", "", "-3", None], dtype=object), 300
            ),
            "coded": pd.Categorical.from_codes(rng.integers(-1, 2, 300), ["@x", "plain"]),
            "x": rng.standard_normal(300),
            "whole": np.where(rng.random(300) < 0.5, np.nan, rng.integers(0, 9, 300)),
            "n": rng.integers(-9, 9, 300),
            "none": [None] * 300,
        }
    )
    frame.loc[3, "x"] = np.nan
    expected = to_csv(frame)
    monkeypatch.setattr(spreadsheets, "_MANY_ROWS", 1)
    monkeypatch.setattr(spreadsheets, "_AT_ONCE", 64)
    assert len([*spreadsheets.csv_parts(frame)]) == 1 + 5
    assert to_csv(frame) == expected
    for other in (frame[["=text"]], frame.assign(yes=True), frame.assign(mixed=[1, "=a"] * 150)):
        assert to_csv(other) == pandas_csv(other, monkeypatch)


def test_numbers_of_long_tables_are_read_back_as_they_were(monkeypatch):
    numbers = np.array([0.1 + 0.2, 1e-5, 1.5e-300, 1e22, 123456789.125, -0.0, np.inf, 5e-324])
    frame = pd.DataFrame({"x": numbers, "y": -numbers})
    monkeypatch.setattr(spreadsheets, "_MANY_ROWS", 1)
    found = pd.read_csv(io.StringIO(to_csv(frame)), dtype=str).map(float)
    assert found.to_numpy().tobytes() == frame.to_numpy().tobytes()


def pandas_csv(frame, monkeypatch):
    """Return what is written where a table is short."""
    with monkeypatch.context() as short:
        short.setattr(spreadsheets, "_MANY_ROWS", 10**9)
        return to_csv(frame)


def test_settings_of_another_form_of_file_are_refused():
    arff = b"@relation r\n@attribute a numeric\n@attribute class {x, y}\n@data\n1, x\n2, y\n"
    parquet = pd.read_csv(io.BytesIO(b"a,class\n1,x\n2,y\n")).to_parquet()
    for content, settings, said in (
        (arff, {"skip_rows": 1}, "t: skip_rows cannot go with it, as it is ARFF"),
        (arff, {"sheet": "A"}, "t: sheet cannot go with it, as it is no workbook"),
        (parquet, {"skip_rows": 0}, "t: skip_rows cannot go with it, as it is Parquet"),
        (parquet, {"sheet": ""}, "t: sheet cannot go with it, as it is Parquet"),
    ):
        with pytest.raises(InvalidData, match=said):
            preview_file(content, filename="t", **settings)
