"""ARFF, Parquet, Excel and archives: the same table is the same data set, and what the format declares is believed."""

import gzip
import io
import zipfile
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ensembles.data import Dataset, Preview, build_dataset, preview_file, read_dataset
from ensembles.errors import InvalidData

ROWS = [
    (1.5, 12, "red", 0, "yes"),
    (None, 7, "light blue", 1, "no"),
    (-0.25, None, "ürg", 0, "yes"),
    (1e-7, 3, None, 1, "no"),
    (2.0, 12, "red", 0, "yes"),
    (0.1, 8, "5%, or less", 1, "no"),
]
NAMES = ["x", "count", "colour", "flag", "class"]
ARFF = """% a comment
@RELATION table

@attribute x REAL
@Attribute count Integer   % a comment
@attribute 'colour' {red, 'light blue', "ürg", '5%, or less'}
@attribute flag {0,1}
@attribute class {yes, no}
@DATA
"""


def as_csv() -> bytes:
    return pd.DataFrame(ROWS, columns=NAMES).to_csv(index=False).encode()


def as_arff() -> bytes:
    def cell(value: object) -> str:
        return "?" if value is None else f"'{value}'" if " " in str(value) else str(value)

    return (ARFF + "\n".join(", ".join(map(cell, row)) for row in ROWS) + "\n").encode()


def as_parquet(**columns: object) -> bytes:
    table = pa.table(columns or dict(zip(NAMES, map(list, zip(*ROWS, strict=True)), strict=True)))
    return parquet_bytes(table)


def parquet_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return sink.getvalue().to_pybytes()


def as_excel(rows: object = None, **sheets: object) -> bytes:
    book = openpyxl.Workbook()
    for name, cells in (sheets or {"Sheet": rows or [NAMES, *ROWS]}).items():
        sheet = book.active if book.active.title == "Sheet" and len(book.worksheets) == 1 else book.create_sheet()
        sheet.title = name
        for row in cells:
            sheet.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def as_zip(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (members or {"data/table.csv": as_csv()}).items():
            archive.writestr(name, content)
    return file.getvalue()


FORMATS = {
    "ARFF": as_arff(),
    "Parquet": as_parquet(),
    "Excel": as_excel(),
    "gzipped ARFF": gzip.compress(as_arff()),
    "gzipped Parquet": gzip.compress(as_parquet()),
    "gzipped Excel": gzip.compress(as_excel()),
    "zipped CSV": as_zip(**{"data/table.csv": as_csv(), "__MACOSX/._table.csv": b"\0", "data/.DS_Store": b"\0"}),
    "zipped ARFF": as_zip(**{"table.arff": as_arff()}),
    "zipped Parquet": as_zip(**{"table.parquet": as_parquet()}),
    "zipped Excel": as_zip(**{"table.xlsx": as_excel()}),
}


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_table_is_the_same_data_set_in_every_format(form: str) -> None:
    dataset, plain = read_dataset(FORMATS[form], filename="table.x"), read_dataset(as_csv(), filename="table.csv")
    assert dataset.to_frame().equals(plain.to_frame())
    assert dataset.sha256 == plain.sha256
    assert plain.attributes[2].categories == ("5%, or less", "light blue", "red", "ürg")


def arff(header: str, data: str) -> Preview:
    return preview_file(f"@relation t\n{header}\n@data\n{data}".encode(), filename="t.arff")


def cells(preview: Preview) -> list[list[str]]:
    return preview.head.to_numpy().tolist()


def built(preview: Preview) -> Dataset:
    return build_dataset(preview, name="t", target=preview.target)


def test_what_arff_declares_wins_over_what_values_look_like() -> None:
    preview = arff("@attribute a numeric\n@attribute b {1,2,3,4,5}\n@attribute c {x,y}", "0,1,x\n1,5,y\n" * 40)
    assert [(guess.kind, guess.reason) for guess in preview.columns] == [
        ("numeric", "Declared numeric in the file."),
        ("nominal", "Declared nominal in the file."),
        ("nominal", "Declared nominal in the file."),
    ]


def test_a_word_for_missing_that_arff_declares_is_a_value() -> None:
    assert built(arff("@attribute a {NA,none}\n@attribute c {x,y}", "NA,x\n?,y\nnone,x\n")).X["a"].tolist() == [
        "NA",
        np.nan,
        "none",
    ]


def test_dates_and_texts_of_arff() -> None:
    header = "@attribute d date 'yyyy-MM-dd'\n@attribute s string\n@attribute c {x,y}"
    preview = arff(header, "2001-01-01,'a b',x\n2001-01-02,'it\\'s',y\n'2001-01-03',\"say \\\"so\\\"\",x\n")
    assert [guess.kind for guess in preview.columns] == ["ignore", "nominal", "nominal"]
    assert [row[1] for row in cells(preview)] == ["a b", "it's", 'say "so"']


def test_quoted_names_and_values_keep_commas_braces_and_percent_signs() -> None:
    preview = arff(
        "@attribute 'a, {b}' {'x, y','{z}','50%'}\n@attribute \"c c\" {p,q}", "'x, y',p\n'{z}',q % why\n'50%',p"
    )
    assert [guess.name for guess in preview.columns] == ["a, {b}", "c c"]
    assert cells(preview) == [["x, y", "p"], ["{z}", "q"], ["50%", "p"]]


def test_sparse_rows_leave_out_zeros_and_first_values() -> None:
    header = "@attribute a numeric\n@attribute b {x,y}\n@attribute s string\n@attribute c {p,'q r'}"
    preview = arff(header, "{0 1.5, 3 'q r'}\n{}\n{1 y,2 ?,3 'q r'}\n% none\n{ 0 ? , 2 word }\n0.5,y,other,p\n")
    assert cells(preview) == [
        ["1.5", "x", "", "q r"],
        ["0", "x", "", "p"],
        ["0", "y", "?", "q r"],
        ["?", "x", "word", "p"],
        ["0.5", "y", "other", "p"],
    ]


@pytest.mark.parametrize("data", ["1,x,{5}\n2,y\n", "{0 1}, {0.5} % sparse\n2,y\n"])
def test_weights_of_examples_are_left_out_and_said(data: str) -> None:
    preview = arff("@attribute a numeric\n@attribute c {x,y}", data)
    assert cells(preview) == [["1", "x"], ["2", "y"]]
    assert preview.notices == ("Weights of examples stand in the file; they are not used, every example counts 1.",)


@pytest.mark.parametrize("data", ["1 x\n 2  y \n", "1\tx\n2\ty\n"])
def test_blanks_may_separate_values_of_arff(data: str) -> None:
    assert cells(arff("@attribute a numeric\n@attribute c {x,y}", data)) == [["1", "x"], ["2", "y"]]


def test_arff_taken_apart_cell_by_cell_is_arff_parsed_at_once() -> None:
    """A comment at the end sends the same rows the slow way."""
    rng = np.random.default_rng(1)
    data = "".join(f"{x!r},{i}.,{'xy'[i % 2]}\n" for i, x in enumerate(rng.standard_normal(500).tolist()))
    header = "@attribute a real\n@attribute b integer\n@attribute c {x,y}"
    assert built(arff(header, data)).sha256 == built(arff(header, data + "% end\n")).sha256


BAD_ARFF = {
    "relational": (
        "@attribute a relational",
        "",
        "line 2 must be numeric, real, integer, string, date or {values}, got 'relational'",
    ),
    "no type": ("@attribute a", "1", "the type of attribute 'a' in line 2 must be .*, got ''"),
    "no name": ("@attribute {x,y}", "1", "line 2 is an @attribute without a name and a type"),
    "open quote in a declaration": ("@attribute a {'x,y}", "x", "the values of attribute 'a' in line 2 cannot be read"),
    "no attributes": ("% none", "1,2", "line 3 must be @relation, @attribute, @data or a comment, found '@data'"),
    "stray line": ("hello", "1", "line 2 must be @relation, @attribute, @data or a comment, found 'hello'"),
    "no rows": ("@attribute a real\n@attribute c {x,y}", "\n", "there are no rows behind @data"),
    "only comments": ("@attribute a real\n@attribute c {x,y}", "% 1\n", "there are no rows behind @data"),
    "undeclared": (
        "@attribute a real\n@attribute c {x,y}",
        "1,x\n2,z",
        "attribute 'c' has the value 'z' in row 2 of the data, which is not among those declared",
    ),
    "no number": (
        "@attribute a real\n@attribute c {x,y}",
        "1,x\ntwo,y",
        "attribute 'a' is declared numeric, but row 2 of the data holds 'two'",
    ),
    "short": ("@attribute a real\n@attribute c {x,y}", "1,x\n2", "line 6 has 1 cell, but the header declares 2"),
    "short with quotes": ("@attribute a real\n@attribute c {x,y}", "1,'x'\n2", "line 6 has 1 cell, but the header"),
    "open quote": ("@attribute a real\n@attribute c {x,y}", "1,'x\n2,y", "line 5 cannot be read, its quotes or braces"),
    "sparse beyond": (
        "@attribute a real\n@attribute c {x,y}",
        "{0 1,2 x}",
        "line 5 cannot be read as a sparse row .* 0 to 1",
    ),
    "sparse open": ("@attribute a real\n@attribute c {x,y}", "{0 1", "line 5 cannot be read as a sparse row"),
}


@pytest.mark.parametrize("case", BAD_ARFF)
def test_bad_arff_gets_one_sentence(case: str) -> None:
    header, data, sentence = BAD_ARFF[case]
    with pytest.raises(InvalidData, match=f"^t.arff: .*{sentence}"):
        arff(header, data)


def test_arff_that_ends_in_its_header_is_refused() -> None:
    with pytest.raises(InvalidData, match=r"^t.arff: this is an ARFF file without @data$"):
        preview_file(b"@relation t\n@attribute a real\n", filename="t.arff")


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
    with pytest.raises(InvalidData, match=r"^t.parquet: column 'x' cannot be nominal: 50,000 different values"):
        build_dataset(preview, name="t", target="c", kinds={"x": "nominal"})


@pytest.mark.parametrize("column", [[[1, 2], [3]], [{"a": 1}, {"a": 2}], [b"a", b"b"]])
def test_columns_of_lists_and_the_like_are_refused(column: object) -> None:
    with pytest.raises(InvalidData, match=r"^t.parquet: column 'a' holds .*; only numbers, texts, truth values"):
        preview_file(as_parquet(a=column, c=["x", "y"]), filename="t.parquet")


def test_parquet_without_rows_is_refused() -> None:
    with pytest.raises(InvalidData, match=r"^t.parquet: the Parquet file has no row of values$"):
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


def encrypted() -> bytes:
    content = bytearray(as_zip())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + offset] |= 1
    return bytes(content)


ARCHIVES = {
    "two files": (
        as_zip(**{"a.csv": as_csv(), "b.csv": as_csv()}),
        r"the ZIP archive must hold one file with a table, it holds 'a.csv', 'b.csv'$",
    ),
    "seven files": (as_zip(**{f"{i}.csv": b"" for i in range(7)}), r"it holds '0.csv', .*, '4.csv' and 2 more$"),
    "no file": (as_zip(**{".hidden": b"x", "folder/": b""}), "must hold one file with a table, it holds none$"),
    "a file without a name": (as_zip(**{"a.csv": b"1"}).replace(b"a.csv", b"\0.csv"), "it holds none$"),
    "encrypted": (encrypted(), "the ZIP archive is encrypted; pack it without a password$"),
    "ZIP in a ZIP": (as_zip(**{"a.zip": as_zip()}), "there is an archive in the archive; only one layer"),
    "ZIP in gzip": (gzip.compress(as_zip()), "there is an archive in the archive; only one layer"),
    "gzip in gzip": (gzip.compress(gzip.compress(as_csv())), "there is an archive in the archive; only one layer"),
    "cut off": (as_zip()[:-30], "this is a damaged ZIP archive, it cannot be unpacked$"),
    "damaged inside": (as_zip().replace(b"table.csv", b"tables.cs", 1), "this is a damaged ZIP archive"),
}


@pytest.mark.parametrize("case", ARCHIVES)
def test_an_archive_that_is_no_table_gets_one_sentence(case: str) -> None:
    content, sentence = ARCHIVES[case]
    with pytest.raises(InvalidData, match=f"^t.zip: .*{sentence}"):
        preview_file(content, filename="t.zip")


@pytest.mark.parametrize("pack", [gzip.compress, lambda content: as_zip(**{"a.csv": content})])
def test_archives_that_unpack_to_far_more_than_their_size_are_refused(pack) -> None:
    packed = pack(bytes(65 * 2**20))
    with pytest.raises(InvalidData, match=r"^t: the file unpacks to more than 300 times its size, as no table does$"):
        preview_file(packed, filename="t")
    with pytest.raises(InvalidData, match=r"^t: the file unpacks to more than the 10.0 MB that are allowed$"):
        preview_file(packed, filename="t", max_bytes=10 * 2**20)


def test_marks_of_the_user_take_the_place_of_the_usual_ones() -> None:
    content = b"a,b,class\n1.5,NA,x\n-9,red,y\n,unknown,x\n2.5,?,y\n-9.0,red,x\n"
    preview = preview_file(content, filename="t.csv", missing=["-9", "unknown"])
    assert preview.missing_marks == ("", "-9", "-9.0", "unknown")
    assert [guess.missing for guess in preview.columns] == [3, 1, 0]
    assert built(preview).attributes[1].categories == ("?", "NA", "red")
    assert preview_file(content, filename="t.csv", missing=[]).columns[1].missing == 0
    numbers = as_parquet(a=[1.5, -9.0, None], c=["x", "y", "x"])
    assert read_dataset(numbers, filename="t", missing=["-9"]).table.missing_cells == 2
