"""Files that are read in batches and changed, or cannot be read: one sentence each."""

import gzip
import os

import numpy as np
import pytest

from ensembles.data.files import FileSource, describe_file
from ensembles.errors import InvalidData
from ensembles.evaluation.stream_pass import Blocks
from tests.data.test_files_in_batches import ROWS, frame, in_small_blocks, write


def changed(path, old, new, when=None):
    with open(path, "rb") as file:
        content = file.read()
    assert content.count(old) >= 1
    with open(path, "wb") as file:
        file.write(content.replace(old, new, 1))
    if when is not None:
        os.utime(path, ns=(when, when))


def test_a_file_that_changed_is_refused_before_it_is_read(tmp_path):
    path = write(tmp_path, "csv", frame().loc[np.repeat(np.arange(ROWS), 8)])
    source, known = describe_file(path).source, os.stat(path)
    os.utime(path, ns=(1, 1))
    source.batches()  # the same bytes, written later
    with open(path, "r+b") as file:
        file.seek(known.st_size // 2)
        file.write(b"9")
    with pytest.raises(InvalidData, match=r"table.csv: the file has changed since it was described"):
        source.batches()
    with open(path, "ab") as file:
        file.write(b"1,2\n")
    with pytest.raises(InvalidData, match=r"\(.* bytes now, .* then\); describe it anew"):
        source.batches()
    os.remove(path)
    with pytest.raises(InvalidData, match=r"table.csv: there is no such file"):
        source.batches()
    os.mkfifo(path)
    with pytest.raises(InvalidData, match="it is a device, a pipe or the like and not a file"):
        source.batches()


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (b"light blue", b"dark  blue", "column 'colour' holds 'dark  blue' in line 3, which was nowhere when"),
        (b",1.25,", b",what,", "column 'x' must hold numbers, found 'what' in line 4"),
        (b"red,", b"red;", "line 2 has 3 cells, but line 1 has 4; every line needs the same number"),
        (b"red,", b"\xff\xfe\xfd,", "line 2 holds bytes that are not text in UTF-8"),
        (b"red,", b"r\0d,", "line 2 holds a NUL byte"),
        (b"flag,", b"flog,", "the columns are not those that were described"),
    ],
)
def test_what_does_not_fit_gets_a_sentence_with_its_line(monkeypatch, tmp_path, old, new, sentence):
    path = tmp_path / "table.csv"
    head = "flag,x,colour,class\n1,0.5,red,no\n1,0.75,light blue,yes\n0,1.25,red,no\n"
    path.write_text(head + "0,2.25,red,no\n1,3.5,light blue,yes\n" * 200, encoding="utf-8")
    source, then = describe_file(str(path)).source, os.stat(path).st_mtime_ns
    monkeypatch.setattr("ensembles.data.files.opened._EDGE", 0)  # as if it stood far from both ends
    source = FileSource.from_dict(
        {**source.to_dict(), "fingerprint": {**source.to_dict()["fingerprint"], "edges": _NOTHING}}
    )
    changed(path, old, new, then)
    with pytest.raises(InvalidData, match=r"table.csv: ") as error:
        [*source.batches()]
    assert sentence in str(error.value)


_NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # of no bytes


_ARFF = b"@relation a\n@attribute x numeric\n@attribute class {a,b}\n@data\n"


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"", "a.csv: the file is empty"),
        ("a.csv", b"\n \n\n", "a.csv: the file is empty"),
        ("a.csv", b"x,class\n", "a.csv: there is a header but no row of values below it"),
        ("a.csv", b"x,class\n1,a\n2,a\n", "the class column 'class' needs at least two different classes, got only 'a'"),
        ("a.csv", b"x,class\n1,a\n", "needs at least two different classes"),
        ("a.csv", b"x,class\n1,a\n2,b,c\n", "line 3 has 3 cells, but line 1 has 2"),
        ("a.csv", b"x,z\n1,2.5\n2,3.5\n3,4.5\n4,5.5\n", "it is not clear which column is the class, so name it"),
        ("a.csv.gz", gzip.compress(b"x,class\n1,a\n2,b\n" * 99, mtime=0)[:-20], "the file is gzipped but damaged"),
        ("a.csv", b'x,class\n1,"a\n2,b\n', "the quotes that open in line 2 are not closed"),
        ("a.parquet", b"PAR1 and nothing PAR1", "the Parquet file is damaged"),
        ("a.zip", b"PK\x03\x04 something", "this is an archive or a workbook; what is read in batches must be CSV"),
        ("a.png", b"\x89PNG and so on", "this is a PNG image"),
        ("a.arff", _ARFF, "there is no row of values"),
        ("a.arff", _ARFF + b"1,c\n", "'c' in row 1 of the data"),
        ("a.arff", _ARFF + b"z,a\n1,b\n", "'x' cannot be numeric: found 'z'"),
    ],
)  # fmt: skip
def test_what_is_no_table_gets_a_sentence(tmp_path, name, content, sentence):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidData) as error:
        describe_file(str(tmp_path / name))
    assert sentence in str(error.value)


def test_folders_and_files_that_are_not_there_are_refused(tmp_path):
    with pytest.raises(InvalidData, match="there is no such file"):
        describe_file(str(tmp_path / "none.csv"))
    with pytest.raises(InvalidData, match="it is a folder and not a file"):
        describe_file(str(tmp_path))
    with pytest.raises(InvalidData, match="cannot be read"):
        describe_file("a\0b.csv")


def test_an_address_that_nobody_can_read_is_refused():
    with pytest.raises(InvalidData, match=r"a.csv: the file cannot be read|to read strange addresses"):
        describe_file("strange://bucket/a.csv")


@pytest.mark.parametrize("where", ["start", "end"])
def test_a_change_at_either_end_shows_though_the_time_is_the_same(tmp_path, where):
    path = write(tmp_path, "csv", frame().loc[np.repeat(np.arange(ROWS), 8)])
    source, known = describe_file(path).source, os.stat(path)
    with open(path, "r+b") as file:
        file.seek(0 if where == "start" else known.st_size - 3)
        file.write(b"N")
    os.utime(path, ns=(known.st_atime_ns, known.st_mtime_ns))
    with pytest.raises(InvalidData, match="the file has changed since it was described"):
        source.batches()


def test_a_file_that_changes_while_it_is_read_is_refused_at_its_end(monkeypatch, tmp_path):
    in_small_blocks(monkeypatch, 500)
    path = write(tmp_path, "csv", frame().loc[np.repeat(np.arange(ROWS), 8)])
    source, known = describe_file(path).source, os.stat(path)
    blocks = Blocks(source.batches())
    assert blocks.take(1) is not None
    with open(path, "r+b") as file:
        file.seek(known.st_size // 2)
        file.write(b"9")
    os.utime(path, ns=(1, 1))
    assert blocks.take(source.n_examples // 2) is not None
    with pytest.raises(InvalidData, match="the file has changed since it was described"):
        blocks.take(source.n_examples)


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "arff"])
@pytest.mark.parametrize("change", ["grows", "grows by half a row", "goes", "is replaced"])
def test_what_was_described_is_read_on_though_the_file_grows_or_goes(monkeypatch, tmp_path, change, kind):
    in_small_blocks(monkeypatch, 2000)
    monkeypatch.setattr("ensembles.data.files.text._PIECE", 1000)
    path = write(tmp_path, kind, frame().loc[np.repeat(np.arange(ROWS), 8)])
    source = describe_file(path).source
    blocks = Blocks(source.batches())
    first = blocks.take(1)
    with open(path, "rb") as file:
        lines = file.readlines()
    if change.startswith("grows"):
        more = b"2," if change != "grows" else gzip.compress(b"") if kind == "csv.gz" else b"".join(lines[-100:])
        with open(path, "ab") as file:
            file.write(more)
    else:
        os.remove(path) if change == "goes" else os.replace(write(tmp_path, "windows.csv"), path)
    rest = blocks.take(source.n_examples - 1)
    assert first is not None
    assert rest is not None
    assert len(rest[1]) == source.n_examples - 1
