"""Files that are read in batches: the same examples as the whole file at once, however it is cut."""

import gzip
import json
import os

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ensembles.data import read_dataset
from ensembles.data.files import FileSource, describe_file, parquet_blocks, survey, tally, text, text_blocks
from ensembles.errors import InvalidData, InvalidParameter

pytestmark = pytest.mark.filterwarnings("ignore:.*Left out")  # numbers of rows are, which is tested where it matters
ROWS = 700


def frame():
    rng = np.random.default_rng(3)
    colours = ["red", "light blue", "ürg", "5%, or less", "a\nb"]
    table = pd.DataFrame(
        {
            "row": np.arange(ROWS) + 1,
            "x": rng.normal(size=ROWS),
            "count": rng.integers(0, 40, ROWS),
            "colour": rng.choice(colours, ROWS),
            "flag": rng.integers(0, 2, ROWS),
            "many": [f"name {i}" for i in range(ROWS)],
            "class": rng.choice(["yes", "no"], ROWS, p=[0.9, 0.1]),
        }
    )
    for column in ("x", "colour", "flag", "class"):
        table[column] = table[column].astype(object).where(rng.random(ROWS) > 0.05, None)
    table["x"] = table["x"].astype(float)
    return table


def as_arff(table):
    kinds = {
        "colour": "{red,'light blue','ürg','5%, or less','a b',late}",
        "flag": "{0,1}",
        "class": "{yes,no}",
        "many": "string",
    }
    head = [f"@attribute {name} {kinds.get(name, 'numeric')}" for name in table.columns]
    one_line = table.assign(colour=table["colour"].replace("a\nb", "a b"))
    cells = one_line.astype(object).where(table.notna(), "?").to_numpy().tolist()
    rows = [",".join(f"'{c}'" if " " in str(c) else str(c) for c in row) for row in cells]
    return "\n".join(["% a file", "@relation t", *head, "@data", *rows[:300], "% half of it", "", *rows[300:]]) + "\n"


def write(folder, kind, table=None):
    table = frame() if table is None else table
    path = folder / f"table.{kind}"
    if kind == "parquet":
        pq.write_table(pa.Table.from_pandas(table, preserve_index=False), path, row_group_size=90)
    elif kind.startswith("arff"):
        text = as_arff(table).encode()
        path.write_bytes(gzip.compress(text) if kind.endswith("gz") else text)
    else:
        text = {
            "csv": lambda: table.to_csv(index=False),
            "semicolon.csv": lambda: table.to_csv(index=False, sep=";", decimal=","),
        }
        windows = table.to_csv(index=False, lineterminator="\r\n")
        content = text.get(kind, lambda: windows)().encode("cp1252" if kind == "old.csv" else "utf-8")
        path.write_bytes(gzip.compress(content) if kind.endswith("gz") else content)
    return str(path)


KINDS = ["csv", "windows.csv", "old.csv", "semicolon.csv", "csv.gz", "arff", "arff.gz", "parquet"]


def in_small_blocks(monkeypatch, size):
    monkeypatch.setattr(text_blocks, "BLOCK_BYTES", size)
    monkeypatch.setattr(parquet_blocks, "_CELLS", size)


def joined(batches, like):
    parts = [*batches]
    codes = np.concatenate([like.table.codes[:0], *(table.codes for table, _ in parts)])
    numbers = np.concatenate([like.table.numbers[:0], *(table.numbers for table, _ in parts)])
    return codes, numbers, np.concatenate([like.labels[:0], *(labels for _, labels in parts)])


def same(source, whole, start=0):
    codes, numbers, labels = joined(source.batches(start), whole)
    np.testing.assert_array_equal(codes, whole.table.codes[start:])
    np.testing.assert_array_equal(numbers, whole.table.numbers[start:])
    np.testing.assert_array_equal(labels, whole.labels[start:])


@pytest.mark.parametrize("size", [600, 9000, 10**6])
@pytest.mark.parametrize("kind", KINDS)
def test_batches_hold_what_the_whole_file_holds(monkeypatch, tmp_path, kind, size):
    in_small_blocks(monkeypatch, size)
    path = write(tmp_path, kind)
    whole, described = read_dataset(path), describe_file(path)
    source = described.source
    assert (source.schema, source.classes, source.target) == (whole.table.schema, whole.classes, whole.target)
    assert source.n_examples == len(whole) < ROWS
    assert (described.columns[0].kind == "ignore") == ("arff" not in kind)
    for start in (0, 1, 333, len(whole) - 1, len(whole)):
        same(source, whole, start)


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_too_many_values_to_be_counted_hold_the_same(monkeypatch, tmp_path, kind):
    in_small_blocks(monkeypatch, 2000)
    monkeypatch.setattr(tally, "MOST_CATEGORIES", 30)
    path = write(tmp_path, kind)
    whole, described = read_dataset(path), describe_file(path)
    assert described.source.schema == whole.table.schema
    same(described.source, whole)
    assert described.missing_cells == pytest.approx(whole.table.missing_cells, abs=ROWS - len(whole))


def test_kinds_can_be_told(tmp_path):
    path = write(tmp_path, "csv")
    options = {
        "nominal": ["count"],
        "ignore": ["flag"],
        "numeric": ["row"],
        "missing": ["red", "7", ""],
        "target": "class",
    }
    whole, source = read_dataset(path, **options), describe_file(path, **options).source
    assert source.schema == whole.table.schema
    same(source, whole)
    with pytest.raises(InvalidData, match="column 'colour' cannot be numeric: found '"):
        describe_file(path, numeric=["colour"])
    with pytest.raises(InvalidData, match="there is no column 'none'; the columns are row, x, count"):
        describe_file(path, ignore=["none"])
    with pytest.raises(InvalidData, match="there is no column 'none'; the columns are row, x, count"):
        describe_file(path, "none")
    with pytest.raises(InvalidData, match=r"the class column 'x' holds .* different numbers, so it is a quantity"):
        describe_file(path, "x")


def test_categories_of_rows_without_a_class_are_among_those_of_a_stream(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("colour,class\n" + "red,x\nblue,y\n" * 9 + "green,\n")
    assert read_dataset(path).attributes[0].categories == ("blue", "red")
    assert describe_file(str(path)).source.schema.attributes[0].categories == ("blue", "green", "red")


def test_a_sample_is_spread_over_the_file_and_loses_no_class(monkeypatch, tmp_path):
    in_small_blocks(monkeypatch, 3000)
    monkeypatch.setattr(survey, "_SAMPLED", 100)
    table = frame().assign(**{"class": ["rare"] + ["a", "b"] * 349 + ["last"]})
    described = describe_file(write(tmp_path, "csv", table))
    sample = described.sample
    assert sample.classes == ("a", "b", "last", "rare")
    assert set(sample.y) == {"a", "b", "last", "rare"}
    assert 50 <= len(sample) <= 104
    whole = read_dataset(tmp_path / "table.csv")
    rows = [np.flatnonzero(whole.table.numbers[:, 0] == x)[0] for x in sample.table.numbers[:, 0] if x == x]
    assert np.max(np.diff(rows)) <= 24
    assert whole.table.codes[rows].tolist() == sample.table.codes[~np.isnan(sample.table.numbers[:, 0])].tolist()


def test_a_source_travels_as_json(tmp_path):
    source = describe_file(write(tmp_path, "csv")).source
    assert FileSource.from_dict(json.loads(json.dumps(source.to_dict()))) == source
    assert len(json.dumps(source.to_dict())) < 20_000
    assert len(repr(source)) < 100
    with pytest.raises(InvalidParameter, match=r"^batches: start must be an integer >= 0, got -1$"):
        source.batches(-1)
    with pytest.raises(InvalidData, match="no description of a file"):
        FileSource.from_dict({"form": 1})


def test_marks_are_few_and_save_reading(monkeypatch, tmp_path):
    in_small_blocks(monkeypatch, 200)
    monkeypatch.setattr(survey, "_MOST_MARKS", 8)
    table = frame().dropna().replace({"a\nb": "ab"})
    source = describe_file(write(tmp_path, "csv", table)).source
    assert source.jumps
    assert 8 <= len(source.marks) <= 17
    assert source.marks[-1].examples > 0.8 * source.n_examples
    same(source, read_dataset(tmp_path / "table.csv"), 640 - (ROWS - len(table)))


def test_what_says_the_same_has_the_same_hash(tmp_path):
    path = write(tmp_path, "csv")
    source, again = describe_file(path).source, describe_file(path, name="another").source
    os.rename(path, tmp_path / "elsewhere.csv")
    moved = describe_file(str(tmp_path / "elsewhere.csv")).source
    assert source.sha256 == again.sha256 == moved.sha256
    assert describe_file(moved.path, ignore=["flag"]).source.sha256 != source.sha256


def test_files_in_a_store_of_fsspec_are_read(monkeypatch, tmp_path):
    fsspec = pytest.importorskip("fsspec")
    in_small_blocks(monkeypatch, 2000)
    memory = fsspec.filesystem("memory")
    for kind in ("csv", "csv.gz", "parquet"):
        memory.pipe(f"/bucket/table.{kind}", (tmp_path / os.path.basename(write(tmp_path, kind))).read_bytes())
        source = describe_file(f"memory://bucket/table.{kind}").source
        same(source, read_dataset(tmp_path / f"table.{kind}"), 5)
    memory.rm("/bucket", recursive=True)


@pytest.mark.parametrize(
    "rows",
    [
        'half 5" disk,1,a\n"b\nc",2.5,b\n' * 100,
        '"x",1,a\nthe "best,1,a\n' + "c,2.5,b\n" * 600,
        'red, 1, a\nthe "best, 2, a\nblue, 2.5, "b"\n' * 100,
        'red, "b\nc", a\nthe "best, 2, b\n' * 100,
    ],
    ids=["inch", "behind a blank", "padded", "padded over lines"],
)
def test_quotes_inside_of_cells_do_not_keep_rows_together(monkeypatch, tmp_path, rows):
    in_small_blocks(monkeypatch, 500)
    monkeypatch.setattr(text, "_LONGEST", 2_000)
    path = tmp_path / "quotes.csv"
    path.write_text("size,x,class\n" + rows)
    whole, source = read_dataset(path, target="class"), describe_file(str(path), target="class").source
    assert source.schema == whole.table.schema
    same(source, whole)


def test_an_encoding_that_shows_late_is_recognised(tmp_path):
    path = tmp_path / "late.csv"
    path.write_bytes(b"colour,class\n" + b"red,a\nred,b\n" * 200_000 + "gr\xfcn,a\n".encode("cp1252") * 9)
    whole, source = read_dataset(path), describe_file(str(path)).source
    assert source.encoding == "cp1252"
    assert source.schema == whole.table.schema
    same(source, whole, 399_990)


def test_the_first_row_may_be_longer_than_what_is_looked_at_first(tmp_path):
    file, names, cells = tmp_path / "long.csv", ",".join(f"x{n}" for n in range(60)), ",".join(["a" * 100_000] * 60)
    file.write_text(f"class,{names}\n1,{cells}\n2,{names}\n")
    assert len(describe_file(str(file), target="class").sample) == 2
    for length in (200_000, 17_000_000):
        file.write_text(f"text,class\n{'a' * length},1\nb,1\n")
        with pytest.raises(
            InvalidData, match=r"^long.csv: (the first row of values has a cell of more than 131,072|a row has)"
        ):
            describe_file(str(file))
        with pytest.raises(
            InvalidData, match=r"^long.csv: the first row of values has a cell of more than 131,072 char"
        ):
            read_dataset(file, "class")
