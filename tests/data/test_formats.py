"""ARFF, Parquet, Excel and archives: the same table is the same data set, and what the format declares is believed."""

import gzip

import numpy as np
import pytest

from ensembles.data import Preview, preview_file, read_dataset
from ensembles.errors import InvalidData
from tests.data.files import (
    as_arff,
    as_csv,
    as_excel,
    as_parquet,
    as_zip,
    built,
    cells,
    encrypted,
)

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
