"""Every unusable file ends in one clear sentence that names the file; nothing else escapes."""

import gzip
import io
import random
import string
import zipfile

import numpy as np
import pytest

from ensembles.data import build_dataset, preview_file, read_dataset
from ensembles.data.files import describe_file
from ensembles.errors import InvalidData


def _nonsense(columns: int, rows: int) -> bytes:
    rng = random.Random(1)
    words = (",".join("".join(rng.choices(string.ascii_lowercase, k=6)) for _ in range(columns)) for _ in range(rows))
    return "\n".join(words).encode()


NOISE = random.Random(2).randbytes(2000).replace(b"\0", b"\1")
HEADED = b"a,b,class\n"

UNREADABLE = {
    "empty": (b"", "the file is empty"),
    "blank lines": (b"\n  \n\n", "the file is empty"),
    "header only": (HEADED, "there is a header but no row of values below it"),
    "header without a line feed": (b"a,b,class", "there is a header but no row"),
    "single column": (b"class\nx\ny\n", "only one column was found; two or more are needed, separated by comma"),
    "one quotation mark": (b'"', "only one column was found; two or more are needed"),
    "row too short": (HEADED + b"1,2,x\n2,3\n4,5,y\n", "line 3 has 2 cells, but line 1 has 3"),
    "row too long": (HEADED + b"1,2,x\n\n2,3,4,y\n", "line 4 has 4 cells, but line 1 has 3"),
    "row too short in a file with blanks": (b"my a,b,class\nx y,1,p\nz w,2\n", "line 3 has 2 cells, but line 1 has 3"),
    "quote never closed": (HEADED + b'1,2,x\n3,4,"y\n5,6,z\n', "the quotes that open in line 3 are not closed"),
    "quote never closed before the last cell": (HEADED + b'1,"2,x\n3,4,y\n', "the quotes that open in line 2"),
    "quote never closed in a last line without an end": (
        HEADED + b'1,2,x\n3,4,"y\n5,6,z',
        "the quotes that open in line 3",
    ),
    "NUL byte": (HEADED + b"1,\x002,x\n", "line 2 holds a NUL byte"),
    "PNG": (
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        "this is a PNG image; a table is needed: CSV or TSV, ARFF, Parquet or Excel",
    ),
    "damaged ZIP": (b"PK\x03\x04\x14\x00", "this is a damaged ZIP archive"),
    "old Excel": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "this is an Excel workbook of before 2007"),
    "damaged Parquet": (b"PAR1\x15\x04", "the Parquet file is damaged"),
    "web page": (b"<!DOCTYPE html>\n<html><body>404, not found</body></html>", "this is a web page"),
    "JSON": (b'[{"a": 1, "b": 2}, {"a": 2, "b": 3}]', "this is a JSON file"),
    "noise": (NOISE, "this looks like a binary file"),
    "broken UTF-8 behind its mark": (
        b"\xef\xbb\xbf" + HEADED + b"1,2,x\n3,\xff,y\n",
        "line 3 holds bytes that are not",
    ),
    "one damaged line of UTF-8": (
        HEADED + "1,ä,x\n2,ö,y\n".encode() + b"3,\xe4,x\n" + "4,ü,y\n".encode(),
        "line 4 holds bytes that are not text in UTF-8",
    ),
    "bytes of no encoding": (HEADED + b"1,\x81\x8d,x\n2,3,y\n", "line 2 holds bytes that are text in no encoding"),
    "damaged gzip": (gzip.compress(HEADED + b"1,2,x\n3,4,y\n")[:-9], "gzipped but damaged"),
}

NO_DATASET = {
    "one class": (
        HEADED + b"1,2,x\n3,4,x\n",
        "the class column 'class' needs at least two different classes, got only 'x'",
    ),
    "class always missing": (HEADED + b"1,2,?\n3,4,\n", "the class column 'class' has no value in any row"),
    "one row": (b"1,2,3\n", "needs at least two different classes"),
    "quantity as class": (
        b"a,y\n" + b"".join(b"%d,%d\n" % (i % 5, i * 3) for i in range(300)),
        "holds 300 different numbers, so it is a quantity and not a class",
    ),
    "fractions as class": (
        b"a,y\n" + b"".join(b"%d,%d.5\n" % (i % 5, i % 40) for i in range(300)),
        "holds 40 different fractions, so it is a quantity and not a class; choose a column with at most 20 different",
    ),
    "300 columns of nonsense": (
        _nonsense(300, 30),
        "has 29 different values in 29 rows, so it holds names and not classes",
    ),
    "nothing but ids": (
        b"id,class\n" + b"".join(b"%d,%s\n" % (i, b"xy"[i % 2 : i % 2 + 1]) for i in range(60)),
        "no attribute is left, every column besides the class is ignored",
    ),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_an_unreadable_file_gets_one_sentence(case):
    content, sentence = UNREADABLE[case]
    with pytest.raises(InvalidData, match=f"^my file.csv: .*{sentence}") as caught:
        preview_file(content, filename="my file.csv")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("case", NO_DATASET)
def test_a_table_without_classes_gets_one_sentence(case):
    content, sentence = NO_DATASET[case]
    preview = preview_file(content, filename="my file.csv")
    with pytest.raises(InvalidData, match=f"^my file.csv: .*{sentence}"):
        build_dataset(preview, name="mine", target=preview.target or preview.columns[-1].name)


@pytest.mark.parametrize(
    ("names", "what"),
    [
        (["mimetype", "content.xml"], "an OpenDocument file, such as .ods"),
        (["[Content_Types].xml", "word/document.xml"], "a Word document"),
        (["[Content_Types].xml", "xl/workbook.bin"], "an Excel workbook in binary form"),
    ],
)
def test_documents_that_are_zip_archives_are_called_what_they_are(names, what):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in names:
            archive.writestr(name, "<x/>")
    with pytest.raises(InvalidData, match=f"^a.csv: this is {what}.*; save its table as .xlsx or CSV$"):
        preview_file(content.getvalue(), filename="a.csv")


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path, monkeypatch):
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(200 * 2**20)
    monkeypatch.setattr("pathlib.Path.read_bytes", lambda _: pytest.fail("the file was read"))
    with pytest.raises(InvalidData, match=r"^large.csv: the file has 200.0 MB, but at most 50.0 MB are allowed$"):
        read_dataset(path, max_bytes=50 * 2**20)


def test_a_small_archive_that_unpacks_to_more_than_the_limit_is_refused():
    packed = gzip.compress(b"1,2\n" * 1_000_000)
    with pytest.raises(InvalidData, match=r"^bomb.csv.gz: the file unpacks to more than the 100,000 bytes"):
        preview_file(packed, filename="bomb.csv.gz", max_bytes=100_000)


def test_content_over_the_limit_is_refused():
    with pytest.raises(InvalidData, match=r"^a.csv: the file has 11 bytes, but at most 10 bytes are allowed$"):
        preview_file(b"a,b\n1,x\n2,y", filename="a.csv", max_bytes=10)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InvalidData, match=r"^nowhere.csv: there is no such file$"):
        read_dataset(tmp_path / "nowhere.csv")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(InvalidData, match="the file cannot be read"):
        read_dataset(tmp_path)
    with pytest.raises(InvalidData, match=r"^\.: the file cannot be read \("):
        read_dataset(".")


def test_an_absent_class_column_is_answered_with_the_columns_there_are(tmp_path):
    path = tmp_path / "car.csv"
    path.write_bytes(HEADED + b"1,2,x\n3,4,y\n")
    with pytest.raises(InvalidData, match=r"^car.csv: there is no column 'clas'; the columns are a, b, class$"):
        read_dataset(path, target="clas")


def test_of_many_columns_only_some_are_named(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"x{i}" for i in range(99)) + ",class\n" + "1," * 99 + "p\n" + "2," * 99 + "q\n")
    with pytest.raises(InvalidData, match=r"the columns are x0, .*, x19 and 80 more$"):
        read_dataset(path, target="nothing")


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"skip_rows": "1"}, "skip_rows must be a number of rows from 0 on, got '1'"),
        ({"skip_rows": 1.0}, "skip_rows must be a number of rows from 0 on, got 1.0"),
        ({"skip_rows": True}, "skip_rows must be a number of rows from 0 on, got True"),
        ({"name": 5}, "name must be a text, got 5"),
    ],
)
def test_what_is_asked_of_a_file_is_of_its_kind(asked, sentence, tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("a,class\n1.5,u\n2.5,v\n")
    for read in (read_dataset, describe_file):
        with pytest.raises(InvalidData, match=f"^t.csv: {sentence}$"):
            read(str(file), "class", **asked)
    assert read_dataset(file, "class", skip_rows=np.int64(0)).name == "t"


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"sheet": 0}, "t.csv: sheet must be a text, got 0"),
        ({"filename": 5}, "the file: filename must be a text, got 5"),
        ({"max_bytes": "2 MB"}, "t.csv: max_bytes must be a number of bytes from 0 on, got '2 MB'"),
    ],
)
def test_so_is_what_is_asked_of_its_content(asked, sentence):
    with pytest.raises(InvalidData, match=f"^{sentence}$"):
        read_dataset(b"a,class\n1.5,u\n2.5,v\n", "class", **{"filename": "t.csv", **asked})
