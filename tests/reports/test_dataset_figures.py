"""Figures of a data set: what they draw is in their numbers, and what they leave out is in their words."""

import numpy as np
import pandas as pd
import pytest

from ensembles.data import Attribute, Dataset, Table, load_dataset
from ensembles.reports.dataset_figures import association_chart, distribution_chart, projection_chart
from ensembles.reports.dataset_summary import associations, project


def many(n_attributes: int, n_classes: int = 2, rows: int = 300) -> Dataset:
    columns = list(np.random.default_rng(1).normal(size=(n_attributes, rows)))
    attributes = [Attribute(f"<b>{j}</b>", "numeric") for j in range(n_attributes)]
    labels = np.arange(rows) % n_classes
    return Dataset("Many", Table.from_columns(attributes, columns), labels, tuple(f"c{k}" for k in range(n_classes)))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_matrix_is_drawn_as_its_numbers_say(theme: str) -> None:
    found = associations(load_dataset("iris"))
    chart = association_chart(found, "Pearson")
    figure = chart.draw(theme)
    assert np.array_equal(np.array(figure.data[0].z, dtype=float), found.matrix.to_numpy())
    assert np.array_equal(chart.numbers.iloc[:, 1:].to_numpy(), found.matrix.to_numpy())
    assert list(figure.layout.yaxis.ticktext) == [name[:24] for name in found.matrix.index]


def test_names_are_text_and_what_is_left_out_is_told() -> None:
    chart = association_chart(associations(many(50)), "Spearman")
    assert chart.caption.startswith("Between two numeric attributes: Spearman")
    assert "Of 50 attributes, the 40 that go most with the class." in chart.caption
    assert "<b>" not in str(chart.draw("light").layout.xaxis.ticktext)


def test_a_matrix_of_attributes_with_one_name_has_columns_of_its_own() -> None:
    rows = np.random.default_rng(1).normal(size=(4, 40))
    attributes = [Attribute(name, "numeric") for name in ("x (4)", "x", "Attribute", "x")]
    dataset = Dataset("Twins", Table.from_columns(attributes, list(rows)), np.arange(40) % 2, ("a", "b"))
    assert association_chart(associations(dataset), "Pearson").numbers.columns.is_unique


def test_points_have_the_colour_of_their_class() -> None:
    iris = load_dataset("iris")
    figure = projection_chart(iris, project(iris)).draw("light")
    assert [trace.name for trace in figure.data] == list(iris.classes)
    assert [len(trace.x) for trace in figure.data] == [50, 50, 50]


def test_classes_beyond_the_colours_share_one() -> None:
    dataset = many(3, n_classes=12)
    chart = projection_chart(dataset, project(dataset))
    assert chart.numbers["Class"].nunique() == 8
    assert (chart.numbers["Class"] == "all others").sum() == 5 * 25


def test_a_sample_is_told() -> None:
    dataset = many(2, rows=2500)
    assert "A sample of 2,000 of 2,500 examples." in projection_chart(dataset, project(dataset)).caption


def test_a_distribution_is_a_bar_a_value_stacked_by_class():
    counts = pd.DataFrame({"<b>yes</b>": [1, 2], "no": [3, 0]}, index=pd.Index(["low", "high"], name="size"))
    chart = distribution_chart(counts, "Examples by value.")
    figure = chart.draw("light")
    assert [list(trace.y) for trace in figure.data] == [[1, 2], [3, 0]]
    assert [trace.name for trace in figure.data] == ["&lt;b&gt;yes&lt;/b&gt;", "no"]
    assert list(figure.layout.xaxis.ticktext) == ["low", "high"]
    assert figure.layout.barmode == "stack"
    assert chart.numbers["size"].tolist() == ["low", "high"]
    twice = distribution_chart(counts.rename(columns={"no": "size"}), "Examples by value.").numbers
    assert twice.columns.is_unique


def test_no_two_of_ten_classes_look_alike_in_a_distribution():
    counts = pd.DataFrame(
        np.ones((2, 10), dtype=int), index=pd.Index(["low", "high"], name="size"), columns=list("abcdefghij")
    )
    looks = [(bar.marker.color, bar.marker.pattern.shape) for bar in distribution_chart(counts, "").draw("light").data]
    assert len(set(looks)) == 10
