"""What papers did to data sets, on data small enough to see."""

import numpy as np
import pytest

from ensembles.data import Attribute, Dataset, Table
from ensembles.errors import InvalidData
from ensembles.papers.datasets import PaperDataset
from ensembles.papers.preparation import (
    against_the_rest,
    all_nominal,
    all_numeric,
    complete,
    indicators,
    numbered,
    numeric_at,
    prepare,
    scaled,
    without_attributes,
    without_rare_classes,
    without_zeros,
    yes_or_no,
)


@pytest.fixture
def dataset() -> Dataset:
    attributes = [
        Attribute("weight", "numeric"),
        Attribute("base", "nominal", ("a", "c", "g")),
        Attribute("code", "nominal", ("7", "3")),
    ]
    columns = [np.array([1.5, np.nan, 0.0, 1.5, 12.0]), np.array([0, 1, 2, -1, 2]), np.array([0, 1, 1, 0, 0])]
    return Dataset("Small", Table.from_columns(attributes, columns), np.array([0, 0, 1, 1, 2]), ("x", "y", "z"))


def test_numbers_become_values_of_their_own(dataset: Dataset) -> None:
    prepared = all_nominal(dataset)
    assert prepared.attributes[0] == Attribute("weight", "nominal", ("0", "1.5", "12"))
    assert prepared.table.column(0).tolist() == [1, -1, 0, 1, 2]
    assert prepared.attributes[1:] == dataset.attributes[1:]


def test_values_become_the_numbers_they_spell_or_their_places(dataset: Dataset) -> None:
    prepared = all_numeric(dataset)
    assert [attribute.kind for attribute in prepared.attributes] == ["numeric"] * 3
    np.testing.assert_array_equal(prepared.table.column(1), [1.0, 2.0, 3.0, np.nan, 3.0])
    np.testing.assert_array_equal(prepared.table.column(2), [7.0, 3.0, 3.0, 7.0, 7.0])
    some = numeric_at(2)(dataset)
    assert some.attributes == (*dataset.attributes[:2], prepared.attributes[2])
    assert some.table.column(2).tolist() == prepared.table.column(2).tolist()
    np.testing.assert_array_equal(some.table.column(1), dataset.table.column(1))


def test_examples_are_left_out(dataset: Dataset) -> None:
    assert complete(dataset).labels.tolist() == [0, 1, 2]
    assert without_zeros(0)(dataset).labels.tolist() == [0, 0, 1, 2]


def test_values_become_their_places_in_an_order_and_others_go(dataset: Dataset) -> None:
    prepared = numbered("g", "a", "3", "7")(dataset)
    assert [attribute.kind for attribute in prepared.attributes] == ["numeric"] * 3
    assert prepared.labels.tolist() == [0, 1, 2]  # the second has a c, the fourth nothing
    np.testing.assert_array_equal(prepared.table.numbers, [[1.5, 2.0, 4.0], [0.0, 1.0, 3.0], [12.0, 1.0, 4.0]])


def test_some_values_get_numbers_of_their_own(dataset: Dataset) -> None:
    prepared = indicators({0: (), 1: ("a", "g")})(dataset)
    assert [attribute.name for attribute in prepared.attributes] == ["base=a", "base=g", "code"]
    np.testing.assert_array_equal(prepared.table.column(0), [1.0, 0.0, 0.0, 0.0, 0.0])
    np.testing.assert_array_equal(prepared.table.column(1), [0.0, 0.0, 1.0, 0.0, 1.0])


def test_each_value_that_occurs_becomes_yes_or_no(dataset: Dataset) -> None:
    unseen = Attribute("base", "nominal", ("a", "c", "g", "t"))  # no t anywhere
    columns = [dataset.table.column(position) for position in range(2)]
    table = Table.from_columns([dataset.attributes[0], unseen], columns)
    prepared = yes_or_no(Dataset("Small", table, dataset.labels, dataset.classes))
    assert [attribute.name for attribute in prepared.attributes] == ["weight", "base=a", "base=c", "base=g"]
    assert prepared.attributes[1] == Attribute("base=a", "nominal", ("no", "yes"))
    np.testing.assert_array_equal(prepared.table.numbers, dataset.table.numbers)
    assert prepared.table.codes.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0], [0, 0, 1]]


def test_numbers_are_scaled_to_the_ends_of_their_attribute(dataset: Dataset) -> None:
    prepared = scaled(indicators({1: (), 2: ("7",)})(dataset))
    np.testing.assert_array_equal(prepared.table.column(0), [-0.75, np.nan, -1.0, -0.75, 1.0])
    np.testing.assert_array_equal(prepared.table.column(1), [1.0, -1.0, -1.0, 1.0, 1.0])
    constant = scaled(without_attributes(1, 2)(without_zeros(0)(without_rare_classes(2)(dataset))))
    np.testing.assert_array_equal(constant.table.numbers[:, 0], [0.0, np.nan, 0.0])


def test_attributes_are_left_out(dataset: Dataset) -> None:
    prepared = without_attributes(0, 2)(dataset)
    assert prepared.attributes == dataset.attributes[1:2]
    assert prepared.table.column(0).tolist() == [0, 1, 2, -1, 2]


def test_data_with_other_values_than_those_of_the_paper_are_told_so(dataset: Dataset) -> None:
    with pytest.raises(InvalidData, match=r"^Small: attribute 'base' must have a value 't', got 'a', 'c', 'g'$"):
        indicators({1: ("c", "t")})(dataset)
    with pytest.raises(InvalidData, match=r"^Small: attribute 'weight' must have a value 't', got numbers$"):
        indicators({0: ("t",)})(dataset)


def test_rare_classes_are_left_out(dataset: Dataset) -> None:
    prepared = without_rare_classes(2)(dataset)
    assert prepared.classes == ("x", "y")
    assert prepared.y.tolist() == ["x", "x", "y", "y"]


def test_one_class_is_set_against_the_rest(dataset: Dataset) -> None:
    assert against_the_rest("z")(dataset).labels.tolist() == [0, 0, 0, 0, 1]
    assert against_the_rest()(dataset).labels.tolist() == [1, 1, 0, 0, 0]  # x is as frequent as y, and first
    with pytest.raises(InvalidData, match=r"^Small: must have a class w, got"):
        against_the_rest("w")(dataset)


def test_steps_follow_each_other_under_a_new_name(dataset: Dataset) -> None:
    prepared = prepare(dataset, (complete, all_nominal), "Small (as in a paper)")
    assert (prepared.name, len(prepared)) == ("Small (as in a paper)", 3)
    assert prepared.attributes[0].categories == ("0", "1.5", "12")
    assert prepare(dataset, (), "another") is dataset


def test_a_given_split_is_cut_where_the_training_examples_end(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    census = PaperDataset("census_income", "Census Income")
    with pytest.raises(InvalidData, match="must have more than 199,523 examples"):
        census.split(dataset)
    monkeypatch.setattr(PaperDataset, "origin", type("Short", (), {"train_rows": 3}))
    train, test = census.split(dataset)
    assert test is not None
    assert (train.labels.tolist(), test.labels.tolist()) == ([0, 0, 1], [1, 2])
