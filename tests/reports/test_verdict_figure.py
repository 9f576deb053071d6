"""The verdict drawn: words, colours, bars, groups and units."""

import itertools
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from ensembles.reports.style import VERDICTS
from ensembles.reports.verdict import verdict_of
from ensembles.reports.verdict_figure import verdict_chart
from ensembles.reports.verdict_rows import rows_of
from tests.reports.eight_learners import make_eight
from tests.reports.test_verdict import made


def test_bars_of_ranks_and_their_numbers_end_where_there_are_no_further_ranks():
    results = make_eight(missing=[*itertools.product((2, 3), range(8))])
    chart = verdict_chart(results, verdict_of(results))
    best, *others = chart.draw("light").data
    drawn = [
        (trace.x[0] - trace.error_x.arrayminus[0], trace.x[0] + trace.error_x.array[0])
        for trace in others
        if trace.error_x.array is not None
    ]
    assert len(drawn) == 3, "four others lie as far behind on each data set"
    assert np.array(drawn) == pytest.approx(np.array([[1, 8]] * 3)), "of two data sets they would reach further"
    told = chart.numbers[["From", "To"]].iloc[1:].dropna()
    assert told.to_numpy() + best.x[0] == pytest.approx(np.array(drawn))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_figure_tells_standings_by_word_and_by_colour_and_cuts_no_name(theme):
    long = "A very long name of a learner that nobody would ever want to read & <b>markup</b>"
    results = made()
    verdict = verdict_of(results)
    verdict = type(verdict)(**{**vars(verdict), "labels": (long, *verdict.labels[1:])})
    figure = verdict_chart(results, verdict).draw(theme)
    words = [re.sub(r"<[^>]*>", " ", label) for label in figure.layout.yaxis.ticktext]
    assert [label.split("  ")[-1].strip() for label in words] == [
        "best",
        "the same",
        "cannot be told apart",
        "clearly worse",
    ]
    assert [trace.error_x.color for trace in figure.data[1:]] == [
        *[VERDICTS["equal"]] * 2, VERDICTS["worse"],
    ]  # fmt: skip
    shown = " ".join(figure.layout.yaxis.ticktext[-1].replace("<br>", " ").split())
    assert shown.startswith(long.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
    assert figure.layout.height > verdict_chart(results, verdict_of(results)).draw(theme).layout.height
    assert [trace.x[0] for trace in figure.data] == [row.behind for row in verdict.rows]
    assert figure.layout.template.layout.xaxis.exponentformat == "none", "20µ would be read as a unit"


def test_over_data_sets_relative_errors_are_drawn_where_they_are_chosen():
    results = make_eight()
    verdict = verdict_of(results)
    chart = verdict_chart(results, verdict, "relative")
    errors = results.mean("error").to_numpy()
    relative = (errors / errors.mean(axis=1, keepdims=True)).mean(axis=0)
    assert [trace.x[0] for trace in chart.draw("light").data] == pytest.approx(sorted(relative))
    by_name = chart.numbers.set_index("Learner")["Relative error"]
    assert by_name.to_dict() == pytest.approx(dict(zip(results.learners, relative, strict=True)))
    best = verdict.rows[0].learner
    behind = errors / errors.mean(axis=1, keepdims=True) - (errors[:, best] / errors.mean(axis=1))[:, np.newaxis]
    last = rows_of(results, verdict, "relative").rows[-1]
    expected = stats.t.interval(0.95, 3, behind[:, last.learner].mean(), stats.sem(behind[:, last.learner]))
    assert (last.low, last.high) == pytest.approx(expected)
    assert "error by that of the average learner on the same data set" in chart.caption


def test_without_a_learner_that_has_a_value_nothing_is_drawn():
    results = make_eight()
    verdict = verdict_of(results)
    rows = tuple(row._replace(value=np.nan) for row in verdict.rows)
    without = SimpleNamespace(rows=rows, measure=verdict.measure, comparison=verdict.comparison)
    for units in ("rank", "relative"):
        assert rows_of(results, without, units).rows == ()


@pytest.mark.parametrize("group", ["method", "base"])
def test_rows_of_a_group_stand_together_below_a_line(group):
    results = make_eight()
    drawn = rows_of(results, verdict_of(results), "rank", group)
    kinds = [getattr(results.config.learners[row.learner], group) for row in drawn.rows]
    assert len([*itertools.groupby(kinds)]) == len(set(kinds)) == len(drawn.ends) + 1
    assert all(kinds[end] != kinds[end - 1] for end in drawn.ends)
    assert sorted(row.learner for row in drawn.rows) == list(range(8))
    figure = verdict_chart(results, verdict_of(results), "rank", group).draw("dark")
    places = figure.layout.yaxis.tickvals
    assert [trace.y[0] for trace in figure.data] == list(places)
    lines = [shape.y0 for shape in figure.layout.shapes[1:]]
    assert len(lines) == len(drawn.ends)
    assert all(places[end - 1] < line < places[end] for line, end in zip(lines, drawn.ends, strict=True))


def test_a_long_name_makes_its_own_row_high_and_no_other():
    results = made()
    verdict = verdict_of(results)
    *others, last = [row.learner for row in verdict.rows]
    labels = [*verdict.labels]
    labels[last] = "A very long name " * 12
    plain, long = (
        verdict_chart(results, one).draw("light").layout for one in (verdict, replace(verdict, labels=tuple(labels)))
    )
    assert long.yaxis.tickvals[: len(others)] == plain.yaxis.tickvals[: len(others)]
    words = [label.count("<br>") for label in (plain.yaxis.ticktext[-1], long.yaxis.ticktext[-1])]
    assert long.height - plain.height == 17 * (words[1] - words[0]) > 0
    assert list(long.yaxis.range) == [long.height - 70, 0]


def test_units_and_groups_of_one_data_set_change_no_number():
    results = made()
    verdict = verdict_of(results)
    plain, grouped = (verdict_chart(results, verdict, "relative", group).draw("light") for group in ("none", "base"))
    assert [trace.x for trace in plain.data] == [trace.x for trace in grouped.data]
