"""The numbers on the card of a data set."""

import numpy as np
import pandas as pd
import pytest

from ensembles.data import Attribute, Dataset, Table, load_dataset
from ensembles.reports.dataset_facts import Facts, attribute_facts, class_counts, distribution, is_cut
from tests.pages.made_up import tiny_dataset


def numeric_dataset(values: np.ndarray, classes: int = 2) -> Dataset:
    table = Table.from_columns((Attribute("x", "numeric"),), (values,))
    return Dataset("N", table, np.arange(len(values)) % classes, tuple(f"c{k}" for k in range(classes)))


def test_attributes_are_told_with_kind_values_and_missing() -> None:
    rows = attribute_facts(tiny_dataset()).to_numpy().tolist()
    assert rows == [["colour", "nominal", "2: red, green", 4, [4, 4]], ["size", "numeric", "0 to 11", 0, [1] * 12]]


def test_an_attribute_without_any_value_has_no_range() -> None:
    values = np.full(4, np.nan)
    assert attribute_facts(numeric_dataset(values)).to_numpy().tolist() == [["x", "numeric", "none known", 4, []]]


def test_classes_are_counted_and_shares_sum_to_one() -> None:
    counts = class_counts(load_dataset("iris"))
    assert counts["Examples"].tolist() == [50, 50, 50]
    assert counts["Share"].sum() == pytest.approx(1)


def test_a_nominal_attribute_is_counted_by_category_and_class_without_missing_values() -> None:
    counts = distribution(tiny_dataset(), 0)
    assert counts.index.tolist() == ["red", "green"]
    assert counts.to_numpy().tolist() == [[2, 2], [2, 2]]


def test_few_numbers_are_shown_one_by_one() -> None:
    counts = distribution(numeric_dataset(np.array([1.0, 1.0, 2.5, 2.5])), 0)
    assert counts.index.tolist() == ["1", "2.5"]
    assert counts.to_numpy().tolist() == [[1, 1], [1, 1]]


def test_years_are_told_as_years() -> None:
    years = numeric_dataset(np.array([1999.0, 2023.0, 12000.0]))
    assert distribution(years, 0).index.tolist() == ["1999", "2023", "12,000"]


@pytest.mark.parametrize("values", [np.random.default_rng(1).normal(size=1000), np.arange(49.0)])
def test_many_numbers_fall_into_intervals_and_none_is_lost(values: np.ndarray) -> None:
    counts = distribution(numeric_dataset(values), 0)
    expected, _ = np.histogram(values, bins=24)
    assert counts.sum(axis=1).tolist() == expected.tolist()


def test_rare_categories_are_added_up() -> None:
    codes = np.concatenate([np.repeat(np.arange(40), 2), np.zeros(5)]).astype(np.int32)
    table = Table.from_columns((Attribute("a", "nominal", tuple(f"v{k}" for k in range(40))),), (codes,))
    counts = distribution(Dataset("R", table, np.arange(len(codes)) % 2, ("a", "b")), 0)
    assert len(counts) == 24
    assert counts.index[0] == "v0"
    assert counts.index[-1] == "all others"
    assert counts.to_numpy().sum() == len(codes)


def test_with_many_classes_the_bars_are_not_split() -> None:
    counts = distribution(numeric_dataset(np.arange(22.0) % 3, classes=11), 0)
    assert counts.columns.tolist() == ["examples"]
    assert counts.to_numpy().sum() == 22


def test_values_with_commas_are_told_apart() -> None:
    values = ("a", "b, c", " d", "")
    table = Table.from_columns((Attribute("x", "nominal", values),), (np.arange(4, dtype=np.int32),))
    facts = attribute_facts(Dataset("C", table, np.arange(4) % 2, ("0", "1")))
    assert facts.loc[0, "Values"] == "4: a, “b, c”, “ d”, “”"


@pytest.mark.parametrize("n", [3, 100])
def test_numbers_that_lie_close_together_are_told_apart(n: int) -> None:
    values = 20_000.25 + np.arange(n) / 128
    dataset = numeric_dataset(values)
    first, last = str(attribute_facts(dataset).loc[0, "Values"]).replace(",", "").split(" to ")
    assert float(first) == pytest.approx(values[0], abs=0.06)
    assert float(last) == pytest.approx(values[-1], abs=0.06)
    assert first != last
    bars = distribution(dataset, 0).index
    assert bars.is_unique
    assert float(bars[1].replace(",", "")) == pytest.approx(
        values[1] if n == 3 else values[0] + np.ptp(values) / 24, abs=0.001
    )


@pytest.mark.parametrize(("n", "cut"), [(21, False), (24, False), (25, True)])
def test_values_that_are_shown_one_by_one_are_no_intervals(n: int, cut: bool) -> None:
    dataset = numeric_dataset(np.append(np.arange(n), np.nan))
    assert is_cut(dataset, 0, distribution(dataset, 0)) == cut


def test_large_numbers_are_written_out() -> None:
    values = np.array([-0.5, 1234.56, 21543.11, 9_876_543.21])
    facts = attribute_facts(numeric_dataset(values[:3])), attribute_facts(numeric_dataset(values))
    assert [one.loc[0, "Values"] for one in facts] == ["-0.5 to 21,543", "-0.5 to 9,876,543"]
    assert [*distribution(numeric_dataset(values), 0).index] == ["-0.5", "1,235", "21,543", "9,876,543"]


def test_small_numbers_are_written_without_an_exponent() -> None:
    values = np.array([0.000071982, 0.5, 9.99])
    assert attribute_facts(numeric_dataset(values)).loc[0, "Values"] == "0.00007198 to 9.99"


def odd_dataset() -> Dataset:
    """Return one with names that mean something elsewhere; of its first attribute nothing is known."""
    attributes = (Attribute('\u202e"x"\n\x00', "numeric"), Attribute("null", "nominal", ("NaN", "\U0001f40d", "0")))
    table = Table.from_columns(attributes, (np.full(4, np.nan), np.arange(4, dtype=np.int32) % 3))
    return Dataset("O", table, np.arange(4) % 2, ("1", "None"), "index")


@pytest.mark.parametrize("key", ["iris", "car", "waveform21", "odd"])
def test_facts_that_were_kept_say_the_same(key: str) -> None:
    facts = Facts.of(odd_dataset() if key == "odd" else load_dataset(key))
    again = Facts.from_json(facts.to_json())
    assert again is not None
    assert (again.target, again.is_cut, again.n_examples) == (facts.target, facts.is_cut, facts.n_examples)
    for name in ("attributes", "classes", "first"):
        pd.testing.assert_frame_equal(getattr(again, name), getattr(facts, name))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"format": 1}', '{"format": 0, "target": "class"}'])
def test_what_are_no_facts_of_today_are_none(text: str) -> None:
    assert Facts.from_json(text) is None
