"""Attributes taken for another kind than they were recognised as, and numbers of the class column in groups."""

import numpy as np
import pytest

from ensembles.data import (
    MISSING,
    Attribute,
    Dataset,
    Preview,
    Table,
    build_dataset,
    load_dataset,
    preview_file,
    read_dataset,
)
from ensembles.data.attribute_kinds import with_kinds
from ensembles.errors import InvalidData, LeftOut


def test_kinds_can_be_overridden(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,a,b,c,class\n" + "".join(f"{i},{i % 5},{i % 2},red,{'xy'[i % 2]}\n" for i in range(40)))
    with pytest.warns(LeftOut, match=r"^t\.csv: Left out: “id” \(Counts the rows\)\.$"):
        kinds = {a.name: a.kind for a in read_dataset(path).attributes}
    assert kinds == {"a": "numeric", "b": "nominal", "c": "nominal"}
    kinds = {a.name: a.kind for a in read_dataset(path, nominal=["a"], numeric=["b", "id"], ignore=["c"]).attributes}
    assert kinds == {"id": "numeric", "a": "nominal", "b": "numeric"}
    kinds = {a.name: a.kind for a in read_dataset(path, nominal="all", ignore=["id"]).attributes}
    assert kinds == {"a": "nominal", "b": "nominal", "c": "nominal"}
    kinds = {
        a.name: a.kind for a in read_dataset(path, target="b", nominal="all", numeric=["a"], ignore=["id"]).attributes
    }
    assert kinds == {"a": "numeric", "c": "nominal", "class": "nominal"}


IMPOSSIBLE = {
    "text as number": ({"colour": "numeric"}, "column 'colour' cannot be numeric: found 'red' in line 3$"),
    "unknown column": ({"color": "nominal"}, "there is no column 'color'; the columns are colour, size, class$"),
    "unknown kind": (
        {"size": "ordinal"},
        "column 'size' must be one of nominal, numeric, ignore, date as number, date as parts, got 'ordinal'$",
    ),
    "class ignored": ({"class": "ignore"}, "the class column 'class' cannot be ignored$"),
    "nothing left": ({"colour": "ignore", "size": "ignore"}, "no attribute is left"),
}


@pytest.mark.parametrize("case", IMPOSSIBLE)
def test_an_impossible_override_gets_a_sentence(case):
    kinds, sentence = IMPOSSIBLE[case]
    preview = preview_file(b"colour,size,class\n?,1.5,x\nred,2.5,y\n", filename="t.csv")
    with pytest.raises(InvalidData, match=f"^t.csv: {sentence}"):
        build_dataset(preview, name="t", target="class", kinds=kinds)


def test_a_column_cannot_be_asked_to_be_two_things(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,class\n1.5,x\n2.5,y\n")
    with pytest.raises(InvalidData, match=r"^t.csv: column 'a' cannot be both nominal and ignore$"):
        read_dataset(path, nominal=["a"], ignore=["a"])
    with pytest.raises(InvalidData, match=r"^t.csv: numeric must be a list of columns, got 'a'$"):
        read_dataset(path, numeric="a")


def _prices(values) -> Preview:
    return preview_file(
        ("a,price\n" + "".join(f"{i % 3},{x}\n" for i, x in enumerate(values))).encode(), filename="t.csv"
    )


def _binned(values, bins: int):
    return build_dataset(_prices(values), name="t", target="price", target_bins=bins)


def test_numbers_of_the_class_column_are_grouped_into_classes_of_equal_size():
    dataset = _binned([i * 0.5 for i in range(150)], np.int64(3))
    assert dataset.classes == ("up to 24.5", "over 24.5 to 49.5", "over 49.5")
    assert np.bincount(dataset.labels).tolist() == [50, 50, 50]
    assert [dataset.y[row] for row in (49, 50, 99, 100)] == [
        "up to 24.5",
        "over 24.5 to 49.5",
        "over 24.5 to 49.5",
        "over 49.5",
    ]


def test_rows_without_a_number_to_group_are_left_out():
    assert np.bincount(_binned([1, "?", 2, 3, "", 4], 2).labels).tolist() == [2, 2]


def test_alike_numbers_stay_in_one_class():
    dataset = _binned([0] * 60 + [1, 2, 3, 4] * 10, 4)
    assert dataset.classes == ("up to 0", "over 0 to 2", "over 2")
    assert np.bincount(dataset.labels).tolist() == [60, 20, 20]


@pytest.mark.parametrize(
    ("values", "bins", "sentence"),
    [
        ([1, 2, 3], 1, r"bins must be an integer in \[2, 100\], got 1$"),
        (
            [1, 2, 3],
            "2",
            r"bins must be an integer in \[2, 100\], or classes that were made so of another .* '2'$",
        ),
        ([1, 2, 3], [1, 2], r"bins must be .* got \[1, 2\]$"),
        ([1, 2, 3], ["low", "high"], r"bins must be .* got \['low', 'high'\]$"),
        ([1, 2, 3], ["over 2", "up to 2"], r"bins must be .* got \['over 2', 'up to 2'\]$"),
        ([5, 5, 5], 2, "the numbers of the class column 'price' cannot be grouped, nearly all are the same$"),
        (["?", "", "?"], 2, "the numbers of the class column 'price' cannot be grouped"),
        (["low", 2, 3], 2, "column 'price' cannot be numeric: found 'low' in line 2$"),
    ],
)
def test_what_cannot_be_grouped_gets_a_sentence(values, bins, sentence):
    with pytest.raises(InvalidData, match=f"^t.csv: {sentence}"):
        _binned(values, bins)


def test_a_class_column_of_many_numbers_is_refused_with_advice():
    with pytest.raises(
        InvalidData, match=r"so it is a quantity and not a class; .* or have the numbers grouped \(bins\)$"
    ):
        build_dataset(_prices(range(0, 600, 2)), name="t", target="price")


def _small() -> Dataset:
    attributes = [
        Attribute("weight", "numeric"),
        Attribute("base", "nominal", ("a", "c")),
        Attribute("code", "nominal", ("7", "3")),
    ]
    columns = [np.array([1.5, np.nan, 0.0, 12.0]), np.array([0, 1, MISSING, 1]), np.array([0, 1, MISSING, 0])]
    return Dataset("Small", Table.from_columns(attributes, columns), np.array([0, 0, 1, 1]), ("x", "y"))


def test_attributes_of_a_data_set_can_be_taken_for_another_kind_or_left_out():
    changed = with_kinds(_small(), nominal="all", numeric=["code"], ignore=["base"])
    assert changed.attributes == (Attribute("weight", "nominal", ("0", "1.5", "12")), Attribute("code", "numeric"))
    assert changed.table.column(0).tolist() == [1, MISSING, 0, 2]
    np.testing.assert_array_equal(changed.table.column(1), [7.0, 3.0, np.nan, 7.0])
    assert with_kinds(_small(), nominal=["weight"]).attributes[1:] == _small().attributes[1:]


def test_a_data_set_of_the_catalogue_is_changed_as_a_file_is():
    assert load_dataset("iris", nominal="all", ignore=["sepal width (cm)"]).table.schema.nominal == (0, 1, 2)
    tree = load_dataset("random_tree", rows=100, nominal=2, numeric=1, ignore=["x1"])  # two of these are settings
    assert [attribute.name for attribute in tree.attributes] == ["A1", "A2"]


def test_numbers_without_end_cannot_be_nominal():
    table = Table.from_columns([Attribute("a", "numeric")], [np.arange(10_001.0)])
    long = Dataset("Long", table, np.arange(10_001) % 2, ("x", "y"))
    with pytest.raises(InvalidData, match=r"^Long: 'a' cannot be nominal: 10,001 different values, at most 10,000"):
        with_kinds(long, nominal="all")


@pytest.mark.parametrize(
    ("kinds", "sentence"),
    [
        ({"numeric": ["base"]}, "^Small: 'base' cannot be numeric: it has the value 'a'$"),
        ({"nominal": ["size"]}, "^Small: there is no attribute 'size'; there are weight, base, code$"),
        ({"ignore": ["weight", "base", "code"]}, "^Small: no attribute is left"),
        ({"ignore": "weight"}, "^Small: ignore must be a list of columns, got 'weight'$"),
        ({"nominal": 3}, "^Small: nominal must be a list of columns, got 3$"),
        ({"nominal": ["code"], "numeric": ["code"]}, "^Small: column 'code' cannot be both nominal and numeric$"),
    ],
)
def test_kinds_that_cannot_be_are_refused_in_one_sentence(kinds, sentence):
    with pytest.raises(InvalidData, match=sentence):
        with_kinds(_small(), **kinds)
