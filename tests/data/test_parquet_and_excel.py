"""Parquet and Excel: kinds of columns, sheets, what is refused."""

import io
import zipfile
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ensembles.data import Preview, build_dataset, preview_file
from ensembles.errors import InvalidData
from tests.data.files import (
    as_excel,
    as_parquet,
    built,
    cells,
)


def parquet(**columns: object) -> Preview:
    classes = pa.array([["x", "y"][i % 2] for i in range(60)])
    return preview_file(as_parquet(**columns, **{"class": classes}), filename="t.parquet")


def test_kinds_of_parquet_columns() -> None:
    cycle = [i % 5 for i in range(60)]
    preview = parquet(
        word=pa.array(cycle).cast(pa.string()).dictionary_encode(),
        truth=pa.array([i % 3 == 0 for i in range(60)]),
        code=pa.array([i % 2 for i in range(60)], pa.int8()),
        count=pa.array(cycle, pa.uint64()),
        small=pa.array(np.array(cycle, dtype=np.float16)),
        price=pa.array([Decimal(f"{i}.25") for i in cycle]),
        day=pa.array([date(2001, 1, 1 + i) for i in cycle]),
        moment=pa.array([datetime(2001, 1, 1 + i) for i in cycle]),
        nothing=pa.nulls(60),
        text=pa.array(["red", "green"] * 30, pa.large_string()),
        index=pa.array(range(60)),
    )
    kinds = {guess.name: guess.kind for guess in preview.columns}
    assert kinds == {
        "word": "nominal", "truth": "nominal", "code": "nominal", "count": "numeric",
        "small": "numeric", "price": "numeric", "day": "ignore", "moment": "ignore", "nothing": "ignore",
        "text": "nominal", "index": "ignore", "class": "nominal",
    }  # fmt: skip
    dataset = built(preview)
    categories = {attribute.name: attribute.categories for attribute in dataset.attributes}
    assert categories["word"] == ("0", "1", "2", "3", "4")
    assert categories["truth"] == ("false", "true")
    assert dataset.X["price"].tolist()[:2] == [0.25, 1.25]


def test_nulls_and_infinite_numbers_of_parquet_are_missing() -> None:
    preview = parquet(
        a=pa.array([None, np.inf, np.nan, 1.5, 2.5] * 12),
        b=pa.array([None, "x", "x", "y", "z"] * 12).dictionary_encode(),
        c=pa.array([None, True, False, None, True] * 12),
        d=pa.array([None, 7, 9, 2**62, 5] * 12),
    )
    assert [guess.missing for guess in preview.columns] == [36, 12, 24, 12, 0]
    assert built(preview).table.numbers[3].tolist() == [1.5, 2.0**62]


def test_unused_categories_and_blanks_do_not_count() -> None:
    words = pd.Series(pd.Categorical(["a", " a", "b"] * 20, categories=["never", "a", " a", "b"]))
    assert parquet(w=pa.array(words)).columns[0].distinct == 2


def test_many_different_numbers_are_numeric_and_cannot_be_nominal() -> None:
    numbers = np.random.default_rng(1).standard_normal(50_000)
    numbers[:2] = numbers[2]
    preview = preview_file(as_parquet(x=numbers, c=["x", "y"] * 25_000), filename="t.parquet")
    assert preview.columns[0].distinct == 49_998
    assert built(preview).table.numbers[:, 0].tolist() == numbers.tolist()
    with pytest.raises(InvalidData, match=r"^t.parquet: column 'x' cannot be nominal: 49,998 different values"):
        build_dataset(preview, name="t", target="c", kinds={"x": "nominal"})


@pytest.mark.parametrize("column", [[[1, 2], [3]], [{"a": 1}, {"a": 2}], [b"a", b"b"]])
def test_columns_of_lists_and_the_like_are_refused(column: object) -> None:
    with pytest.raises(InvalidData, match=r"^t.parquet: column 'a' holds .*; only numbers, texts, truth values"):
        preview_file(as_parquet(a=column, c=["x", "y"]), filename="t.parquet")


def test_parquet_without_rows_is_refused() -> None:
    with pytest.raises(InvalidData, match=r"^t.parquet: there is no row of values$"):
        preview_file(as_parquet(a=pa.array([], pa.int64()), c=pa.array([], pa.string())), filename="t.parquet")


def test_a_parquet_file_is_refused_by_the_size_it_says_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ensembles.data.columns.MOST_CELLS", 5)
    monkeypatch.setattr(pq.ParquetFile, "read", lambda _: pytest.fail("the file was read"))
    with pytest.raises(InvalidData, match=r"^t: the table has 3 rows of 2 columns; at most 5 cells are allowed$"):
        preview_file(as_parquet(a=[1, 2, 3], c=["x", "y", "x"]), filename="t")


def excel(rows: object = None, *, read: dict[str, object] | None = None, **sheets: object) -> Preview:
    return preview_file(as_excel(rows, **sheets), filename="t.xlsx", **(read or {}))


def test_the_first_sheet_is_read_unless_another_is_named() -> None:
    sheets = {"One": [("a", "class"), (1, "x"), (2, "y")], "Two": [("b", "class"), (3, "x"), (4, "y")]}
    preview = excel(**sheets)
    assert (preview.content.sheets, preview.columns[0].name) == (("One", "Two"), "a")
    assert excel(**sheets, read={"sheet": "Two"}).columns[0].name == "b"
    with pytest.raises(InvalidData, match=r"^t.xlsx: there is no sheet 'Three'; the sheets are 'One', 'Two'$"):
        excel(**sheets, read={"sheet": "Three"})


def test_empty_rows_and_columns_of_a_sheet_are_passed_over_and_names_made_up() -> None:
    preview = excel([(), (None, "a", None, None, "class"), (), (None, 1.5, 7, None, "x"), (None, 2.5, 8, None, "y")])
    assert [guess.name for guess in preview.columns] == ["a", "a2", "class"]
    assert cells(preview) == [["1.5", "7", "x"], ["2.5", "8", "y"]]
    assert preview.notices == ("1 column has no name in the header; named by position: a2.",)


def test_a_sheet_without_a_header_gets_names() -> None:
    preview = excel([(5.1, "x"), (4.9, "y"), (6, "y")])
    assert not preview.content.has_header
    assert [guess.name for guess in preview.columns] == ["a1", "a2"]
    assert excel([("p", "q"), ("r", "s")], read={"has_header": False}).rows == 2


def test_dates_truth_values_and_marks_of_a_sheet() -> None:
    rows = [(datetime(2001, 1, 1 + i), i % 2 == 0, "N/A" if i == 3 else i / 4, "xy"[i % 2]) for i in range(9)]
    preview = excel([("day", "truth", "x", "class"), *rows])
    assert [guess.kind for guess in preview.columns] == ["ignore", "nominal", "numeric", "nominal"]
    assert cells(preview)[0] == ["2001-01-01 00:00:00", "TRUE", "0", "x"]
    assert preview.columns[2].missing == 1


def test_formulas_have_the_value_they_were_saved_with() -> None:
    """openpyxl writes no values of formulas, Excel does: here they are put in by hand."""
    rewritten = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(as_excel([("a", "class"), ("=1+1", "x"), (3.5, "y"), (4, "x")]))) as book,
        zipfile.ZipFile(rewritten, "w") as copy,
    ):
        for member in book.namelist():
            copy.writestr(member, book.read(member).replace(b"<f>1+1</f><v></v>", b"<f>1+1</f><v>2</v>").replace(
                b"<f>1+1</f><v/>", b"<f>1+1</f><v>2</v>"
            ).replace(b"<f>1+1</f><v />", b"<f>1+1</f><v>2</v>"))  # fmt: skip
    assert cells(preview_file(rewritten.getvalue(), filename="t.xlsx"))[0] == ["2", "x"]


def test_formulas_without_results_are_said() -> None:
    preview = excel(
        [("twice", "b", "empty", "class"), *[(f"=B{row}*2", row, None, "xy"[row % 2]) for row in range(2, 9)]]
    )
    assert preview.columns[0].missing == 7
    assert [notice for notice in preview.notices if "formulas" in notice] == [
        "Column “twice” holds formulas without results: open the workbook in a spreadsheet program and save it there."
    ]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([("a",), (1,), (2,)], "sheet 'Sheet' has no table; two or more columns with values are needed"),
        ([("a", "b")], "there is a header but no row of values below it"),
    ],
)
def test_a_sheet_without_a_table_is_refused(rows: object, sentence: str) -> None:
    with pytest.raises(InvalidData, match=f"^t.xlsx: {sentence}$"):
        excel(rows)
