"""Tables in memory as data sets: what a file of theirs would be, and a sentence where there can be none."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from ensembles.data import read_dataset
from ensembles.data.files import describe_file
from ensembles.errors import InvalidData, LeftOut

WORDS = ["yes", "no"] * 30
FRAME = pd.DataFrame(
    {
        "price": [i / 7 for i in range(60)],
        "count": pd.array([None, *range(59)], dtype="Int64"),
        "colour": pd.Categorical(["red", "blue", "red"] * 20),
        "size": pd.cut([i / 7 for i in range(60)], [-1, 2, 9]),
        "sold": [True, False, False] * 20,
        "month": pd.period_range("2020-01", periods=60, freq="M"),
        "kind": WORDS,
    },
    index=[f"row {i}" for i in range(60)],
)


def test_a_frame_is_read_as_its_file_would_be(tmp_path):
    said = r"^the table: Left out: “month” \(A date or a time, of which nothing is learned as such; .*\)\.$"
    with pytest.warns(LeftOut, match=said):
        dataset = read_dataset(FRAME, target="kind", name="Cars")
    assert [(attribute.name, attribute.kind) for attribute in dataset.attributes] == [
        ("price", "numeric"),
        ("count", "numeric"),
        ("colour", "nominal"),
        ("size", "nominal"),
        ("sold", "nominal"),
    ], "dates are left out, and so are names of rows"
    assert dataset.name == "Cars"
    assert dataset.attributes[3].categories == ("(-1, 2]", "(2, 9]")
    assert dataset.table.column(0).tolist() == FRAME["price"].tolist(), "to the last bit"
    assert dataset.table.missing_cells == 1
    plain = FRAME.drop(columns=["size", "month"])
    plain.to_parquet(tmp_path / "cars.parquet", index=False)
    assert read_dataset(plain, "kind").sha256 == read_dataset(tmp_path / "cars.parquet", "kind").sha256
    table = pa.Table.from_pandas(plain, preserve_index=False)
    assert read_dataset(table, "kind").sha256 == read_dataset(plain, "kind").sha256
    assert read_dataset(plain, "kind").name == "the table"


def test_the_two_zeros_are_one_class_and_one_category(tmp_path):
    zeros = np.round([-0.3, 0.3, 1.2, 0.8, 0.1, 0.9, 0.2, -0.4])
    table = pd.DataFrame({"a": np.arange(8) + 0.5, "code": zeros, "class": zeros})
    table.to_parquet(tmp_path / "t.parquet", index=False)
    stream = describe_file(str(tmp_path / "t.parquet"), "class", nominal=["code"])
    for dataset in (read_dataset(table, "class", nominal=["code"]), stream.sample):
        assert dataset.classes == dataset.attributes[1].categories == ("0", "1")
        assert dataset.labels.tolist() == dataset.table.column(1).tolist() == [0, 0, 1, 1, 0, 1, 0, 0]
    numbers = read_dataset(table, "class", numeric=["code"]).table.column(1)
    assert not np.signbit(numbers).any()


def test_names_may_be_numbers_or_alike():
    numbered = pd.DataFrame({0: np.arange(60) / 7, 1: WORDS})
    assert read_dataset(numbered, target=1).target == "1"
    alike = pd.DataFrame(np.column_stack([np.arange(60), np.arange(60)]) / 7, columns=["a", "a"]).assign(kind=WORDS)
    assert [attribute.name for attribute in read_dataset(alike, "kind").attributes] == ["a", "a_2"]


def test_sparse_columns_intervals_and_large_whole_numbers_are_read():
    dense = pd.DataFrame({"flag": [0, 0, 1] * 20, "share": [0.0, 0.5, None] * 20})
    flags = pd.get_dummies(pd.Series(["red", "blue", "red"] * 20), sparse=True)
    frame = dense.astype({"flag": pd.SparseDtype(int, 0), "share": pd.SparseDtype(float, 0.0)}).join(flags)
    read = read_dataset(frame.assign(kind=WORDS), "kind")
    assert read.sha256 == read_dataset(dense.join(flags.astype(bool)).assign(kind=WORDS), "kind").sha256
    ages = pd.arrays.IntervalArray.from_tuples([(0, 9), (9, 18), None] * 20)
    large = pd.Series([2**70, None, -5] * 20, dtype=object)
    read = read_dataset(pd.DataFrame({"age": ages, "large": large, "kind": WORDS}), "kind", numeric=["large"])
    assert read.attributes[0].categories == ("(0.0, 9.0]", "(9.0, 18.0]")
    assert read.table.missing_cells == 2 * 20
    assert read.table.column(1)[[0, 2]].tolist() == [2.0**70, -5.0]
    with pytest.raises(InvalidData, match=r"^attribute 'huge': numeric values must lie in .*, got a larger one$"):
        read_dataset(pd.DataFrame({"huge": [10**400, 2] * 30, "kind": WORDS}), "kind")


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (
            pd.DataFrame({"a": [1, "x"] * 30, "kind": WORDS}),
            "column 'a' must hold texts, .*, all of one kind: make texts",
        ),
        (
            pd.DataFrame({"a": [1j, 2] * 30, "kind": WORDS}),
            "column 'a' must hold texts, truth values, numbers or dates",
        ),
        (pd.DataFrame({"a": [[1], [2]] * 30, "kind": WORDS}), "the table: column 'a' holds list<"),
        (pd.DataFrame(), "the table: there is no row of values"),
        (pd.Series(WORDS), "X must be a table, got a Series"),
        (np.ones((3, 3)), "source must be a path, bytes or a table with names, got ndarray"),
        (None, "source must be a path, bytes or a table with names, got NoneType"),
    ],
    ids=str,
)
def test_what_is_no_table_gets_a_sentence(source, sentence):
    with pytest.raises(InvalidData, match=f"^{sentence}"):
        read_dataset(source, target="kind")
