"""Learners across experiments, in figures and tables."""

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from scipy import stats

from ensembles.experiments.learner_spec import LearnerSpec
from ensembles.reports.across import Entry, history_chart, interval, pair_table, ranks_chart, standings_chart

SPEC = LearnerSpec(method="bagging", base="naive_bayes")
START = datetime(2026, 1, 1, tzinfo=UTC)


def entry(label: str, error: float, day: int = 0, spread: float | None = 0.1) -> Entry:
    low, high = interval(error, spread, 10, 0.25)
    return Entry(label, SPEC, error, low, high, 1 if spread is None else 10, "<b>Mine</b>", START + timedelta(days=day))


def test_without_overlap_of_training_sets_the_interval_is_that_of_a_t_test() -> None:
    values = np.array([0.2, 0.3, 0.25, 0.4, 0.1])
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    found = interval(values.mean(), float(values.std(ddof=1)), len(values), 0.0)
    assert found == pytest.approx(tuple(expected))
    wider = interval(values.mean(), float(values.std(ddof=1)), len(values), 0.25)
    reach = found[1] - values.mean()
    assert wider[1] - values.mean() == pytest.approx(reach * math.sqrt(1 + 5 * 0.25))


def test_an_interval_is_of_errors_and_needs_two_splits() -> None:
    assert interval(0.01, 0.1, 10, 0.25)[0] == 0.0
    assert interval(0.99, 0.1, 10, 0.25)[1] == 1.0
    assert all(map(math.isnan, interval(0.5, None, 1, 0.25)))


def test_the_same_error_on_each_split_does_not_tell_how_sure_it_is() -> None:
    assert all(map(math.isnan, interval(0.0, 0.0, 10, 0.25)))
    steady = entry("Bagging", 0.0, spread=1e-17)
    caption = standings_chart([steady, entry("AdaBoost", 0.1)]).caption
    assert "Where there is a single split or the same error on each, it tells no interval." in caption
    assert "a single split, in the newest" not in standings_chart([steady]).caption


def test_axes_fit_errors_of_nought_and_a_single_launch() -> None:
    standings = standings_chart([entry("Bagging", 0.0, spread=None)]).draw("light").to_dict()["layout"]
    assert standings["xaxis"]["rangemode"] == "nonnegative"
    history = history_chart([entry("A", 0.0)]).draw("light").to_dict()["layout"]
    assert history["yaxis"]["rangemode"] == "nonnegative"
    assert standings["xaxis"]["autorangeoptions"] == history["yaxis"]["autorangeoptions"] == {"clipmax": 1.0}
    first, last = history["xaxis"]["autorangeoptions"]["include"]
    assert last - first == timedelta(minutes=2)
    assert first < START < last


def test_standings_show_every_learner_with_its_interval() -> None:
    chart = standings_chart([entry("Bagging", 0.2), entry("AdaBoost <b>", 0.3, spread=None)])
    assert chart.numbers["Error"].tolist() == [0.2, 0.3]
    figure = chart.draw("dark").to_dict()
    assert [list(mark["x"]) for mark in figure["data"]] == [[0.2], [0.3]]
    assert ["error_x" in mark for mark in figure["data"]] == [True, False]
    assert "&lt;b&gt;" in figure["layout"]["yaxis"]["ticktext"][1]
    assert "&lt;b&gt;Mine" in figure["data"][0]["hovertext"][0]


def test_rows_of_long_names_are_higher_so_that_names_do_not_overlap() -> None:
    entries = [entry("Bagging", 0.1), entry("word " * 40, 0.2), entry("word " * 40, 0.3)]
    layout = standings_chart(entries).draw("light").layout
    places, lines = layout.yaxis.tickvals, [text.count("<br>") + 1 for text in layout.yaxis.ticktext]
    pixels = (layout.height - 70) / layout.yaxis.range[0]
    for place, below, height, other in zip(places, places[1:], lines, lines[1:], strict=False):
        assert (below - place) * pixels >= 17 * (height + other) / 2


def test_standings_speak_of_intervals_where_there_are_some() -> None:
    several, one = entry("Bagging", 0.2), entry("AdaBoost", 0.3, spread=None)
    assert "an interval of 95 %" in standings_chart([several]).caption
    assert "single split" not in standings_chart([several]).caption
    assert "Where there is a single split, it tells no interval." in standings_chart([several, one]).caption
    alone = standings_chart([one]).caption
    assert "an interval of 95 %" not in alone
    assert "One split tells no interval, so ranks may be by chance." in alone


def test_history_keeps_the_lowest_error_so_far() -> None:
    chart = history_chart([entry("C", 0.3, day=2), entry("A", 0.5, day=0), entry("B", 0.2, day=1)])
    assert chart.numbers["Lowest so far"].tolist() == [0.5, 0.2, 0.2]
    line, marks = chart.draw("light").to_dict()["data"]
    assert len(set(marks["marker"]["symbol"])) == 1, "one learner looks the same everywhere"
    assert (list(line["y"]), list(marks["y"])) == ([0.5, 0.2, 0.2], [0.5, 0.2, 0.3])


def test_methods_are_compared_on_the_data_sets_that_they_share() -> None:
    shares, counts = pair_table(
        {"A": {"x": 0.3, "y": 0.3}, "B": {"x": 0.2, "y": 0.3, "z": 0.9}, "C": {"z": 0.1}, "D": {"w": 0.5}}
    )
    assert shares.index.tolist() == ["C", "B", "A", "D"]
    assert shares.loc["B", "A"] == 1 - shares.loc["A", "B"] == 0.75
    assert shares.loc["C", "B"] == 1.0
    assert np.isnan(shares.loc["A", "C"])
    assert counts.loc["A", "B"] == 2
    assert counts.loc["C"].tolist() == [0, 1, 0, 0]


def test_methods_stand_by_mean_rank_with_those_left_out_that_tell_nothing() -> None:
    errors = {"A <b>": {"x": 0.3, "y": 0.3}, "B": {"x": 0.2, "y": 0.3, "z": 0.9}, "C": {"z": 0.1}}
    chart = ranks_chart(errors, dict.fromkeys(errors, SPEC), 1)
    assert chart.numbers["Method"].tolist() == ["B", "A <b>"]
    assert chart.numbers["Mean rank"].tolist() == [2.25, 2.5]
    assert chart.numbers["Data sets"].tolist() == [3, 2]
    figure = chart.draw("light").to_dict()
    assert len(figure["data"]) == 1
    assert "Left out: 1 that" in chart.caption
    assert "shares none with it counts as the others do on average" in chart.caption, "A, with 0.75 of B and none of C"
    assert ranks_chart({"A": {"x": 0.3}, "B": {"y": 0.2}}, dict.fromkeys("AB", SPEC), 5).numbers.empty
