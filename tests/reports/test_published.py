"""Published numbers beside ours, as tables and figures that say the same."""

import math
from dataclasses import replace

import pytest

from ensembles.papers import Cell, get_table
from ensembles.reports.published import (
    agreement_chart,
    cell_table,
    reasons,
    side_by_side,
    speed_chart,
    standard_errors,
    verdict,
)
from ensembles.reports.style import VERDICTS

TABLE = get_table("oza2001/3.4")
CELL = Cell("oza2001/3.4", "car", "single", "naive_bayes", "accuracy", 0.85, math.nan, 0.90, 0.05, 25, "", True)
NOT_RUN = replace(CELL, method="bagging", ours=math.nan, sd=math.nan, n=0, note="not run", counts=False)
TIME = replace(CELL, metric="seconds", published=10.0, ours=0.1, counts=False)


def test_a_difference_is_measured_in_both_standard_errors():
    assert standard_errors(CELL) == pytest.approx(0.05 / 0.01)
    assert standard_errors(replace(CELL, std_error=0.03)) == pytest.approx(0.05 / math.hypot(0.01, 0.03))
    assert standard_errors(replace(CELL, n=1, std_error=0.025)) == pytest.approx(2.0)
    assert math.isnan(standard_errors(replace(CELL, n=1)))


@pytest.mark.parametrize(
    ("metric", "ours", "expected"),
    [("accuracy", 0.90, "better"), ("accuracy", 0.80, "worse"), ("error", 0.90, "worse"), ("accuracy", 0.86, "equal")],
)
def test_better_depends_on_the_measure(metric, ours, expected):
    assert verdict(replace(CELL, metric=metric, ours=ours)) == expected


def test_times_and_cells_without_a_number_have_no_verdict():
    assert verdict(TIME) == verdict(NOT_RUN) == ""


def test_a_table_keeps_its_form():
    found = side_by_side(TABLE, [CELL, NOT_RUN, replace(CELL, dataset="kr_vs_kp", ours=0.80)])
    assert list(found.ours.index) == ["Car Evaluation", "Chess"]
    assert list(found.ours.columns) == ["Single model", "Bagging"]
    assert found.ours.loc["Car Evaluation", "Single model"] == 0.90
    assert found.notes.loc["Car Evaluation"].tolist() == ["0.8500 +0.0500 (5.0)", "0.8500"]
    assert found.notes.loc["Chess", "Bagging"] == ""
    assert found.verdicts["Single model"].tolist() == ["better", "worse"]
    assert math.isnan(found.ours.loc["Chess", "Bagging"])


def test_columns_say_what_tells_them_apart():
    other = replace(CELL, base="network_10_updates")
    assert list(side_by_side(TABLE, [CELL, other]).ours) == [
        "Single model, naive Bayes",
        "Single model, network, 10 updates",
    ]
    assert list(side_by_side(TABLE, [CELL, TIME]).ours) == ["Single model", "Single model, time"]


def test_times_are_told_with_the_factor():
    assert side_by_side(TABLE, [TIME]).notes.iloc[0, 0] == "10 s, 100 ×"


def test_figures_show_the_numbers_of_the_table():
    worse = replace(CELL, method="bagging", ours=0.80)
    cells = [CELL, worse, NOT_RUN, TIME]
    chart = agreement_chart(TABLE, cells)
    points = chart.draw("dark").data[1]
    assert list(points.x) == chart.numbers["Published"].tolist() == [0.85, 0.85]
    assert list(points.y) == chart.numbers["Ours"].tolist() == [0.90, 0.80]
    assert list(points.marker.color) == [VERDICTS["better"], VERDICTS["worse"]]
    assert "0 of 2 within 0.02" in chart.caption
    times = speed_chart(TABLE, cells)
    assert times.numbers["Ours"].tolist() == list(times.draw("light").data[1].y) == [0.1]


def test_cells_that_are_left_out_of_the_shares_are_drawn_and_not_counted():
    left_out = replace(CELL, method="bagging", ours=0.85, counts=False)
    chart = agreement_chart(TABLE, [CELL, left_out])
    assert "0 of 1 within 0.02" in chart.caption
    assert list(chart.draw("light").data[1].y) == [0.90, 0.85]
    assert "None counts into shares of agreement." in agreement_chart(TABLE, [left_out]).caption


def test_nothing_to_draw_is_a_sentence():
    assert agreement_chart(TABLE, [NOT_RUN]).numbers.empty
    assert speed_chart(TABLE, [CELL]).caption == "No cell with seconds has a number of ours yet."


def test_reasons_are_told_once_with_the_cells_they_explain():
    found = reasons(TABLE, [CELL, NOT_RUN, replace(NOT_RUN, dataset="nursery"), TIME])
    assert found.to_numpy().tolist() == [["not run", 2, "Car Evaluation, Nursery"]]
    assert reasons(TABLE, [CELL]).empty


def test_every_cell_is_a_row():
    row = cell_table(TABLE, [CELL]).iloc[0]
    assert (row["Data set"], row["Base model"], row["Measure"]) == ("Car Evaluation", "Naive Bayes", "Accuracy")
    assert row["In standard errors"] == pytest.approx(5.0)


def test_a_point_that_cannot_be_told_from_the_paper_is_hollow():
    cells = [CELL, replace(CELL, ours=0.86), replace(CELL, method="bagging", n=1)]
    chart = agreement_chart(TABLE, cells)
    assert list(chart.draw("light").data[1].marker.symbol) == ["circle", "circle", "circle-open"]
    assert chart.caption.endswith("Hollow: not tested, without standard errors.")
    assert "Hollow" not in agreement_chart(TABLE, cells[:2]).caption
