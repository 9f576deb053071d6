"""Marks along streams: where members began anew, and where a generated stream changes."""

import pytest

from ensembles.evaluation.prequential import REPLACED
from ensembles.reports.curve_charts import CURVE_DISPLAYS, curve_chart
from ensembles.reports.end_labels import END_LABEL
from tests.reports.made_up import make_config, make_curve, make_results, make_trial

SEA = {"key": "sea", "rows": 1000, "drift": "recurring", "drift_at": 0.3}
X = (1.0, 250.0, 500.0, 750.0, 1000.0)


def chart_of(dataset=SEA, *, replaced=(), ends=(0.1, 0.3), **protocol):
    learners = [{"method": method, "base": "naive_bayes"} for method in ("online_bagging", "adwin_bagging")]
    config = make_config(learners).to_dict() | {
        "datasets": [dataset],
        "protocol": {"kind": "prequential", "orders": 1, "shuffle": False, **protocol},
        "measures": ["accuracy"],
        "curves": ["prequential_error"],
    }
    config = type(make_config()).from_dict(config)
    trials = [make_trial(0, learner, 0.7) for learner in range(2)]
    curves = []
    for learner, end in enumerate(ends):
        curves += make_curve(0, learner, X, (0.5, 0.4, 0.3, 0.3, end), curve="prequential_error")
    for order, marks in enumerate(replaced):
        curves += make_curve(0, 1, marks, marks.values(), curve=REPLACED, order=order)
    results = make_results(trials, curves, config, names=("SEA",))
    return curve_chart(results, CURVE_DISPLAYS["prequential_error"], 0)


def ticks(figure):
    return [trace for trace in figure.data if trace.marker.symbol == "line-ns" and trace.x[0] is not None]


def test_a_tick_stands_at_the_point_after_members_were_replaced():
    chart = chart_of(replaced=[{257: 2, 480: 1, 900: 4}, {700: 1}])
    assert "Ticks at the bottom: members replaced (8 by ADWIN bagging" in chart.caption
    (trace,) = ticks(chart.draw("light"))
    assert (trace.x, {*trace.y}, trace.customdata) == ((500, 750, 1000), {"ADWIN bagging"}, (3, 1, 4))
    of = chart.numbers.set_index(["Learner", "Examples"])["Members replaced"]
    assert of["ADWIN bagging"].tolist() == [0, 0, 3, 1, 4]
    assert of["Online bagging"].tolist() == [0] * 5


@pytest.mark.parametrize(("ends", "named"), [((0.1, 0.3), True), ((0.3, 0.3), False)])
def test_what_a_tick_is_stands_above_the_axes_or_in_the_legend(ends, named):
    figure = chart_of(replaced=[{480: 1}], ends=ends).draw("dark")
    notes = [note.text for note in figure.layout.annotations if note.name == END_LABEL]
    assert notes[-1:] == (["❘ members replaced"] if named else [])
    assert [trace.name for trace in figure.data if trace.showlegend is not False][-1] == "members replaced"
    assert figure.layout.showlegend is not named


def test_the_places_where_a_generated_stream_changes_are_lines():
    chart = chart_of()
    assert "The concept changes after 300, 600 and 900 examples (dotted)." in chart.caption
    lines = [shape.x0 for shape in chart.draw("light").layout.shapes if shape.name != END_LABEL]
    assert lines == [300, 600, 900]


@pytest.mark.parametrize("chart", [chart_of(shuffle=True), chart_of("iris"), chart_of({**SEA, "drift": "none"})])
def test_without_marks_a_stream_is_drawn_as_before(chart):
    figure = chart.draw("light")
    assert not ticks(figure)
    assert [shape for shape in figure.layout.shapes if shape.name != END_LABEL] == []
    assert "Members replaced" not in chart.numbers
    assert "concept" not in chart.caption


def test_of_many_changes_the_first_are_told():
    caption = chart_of({**SEA, "drift_at": 0.1}).caption
    assert "The concept changes after 100, 200, 300, 400 examples and 5 times more" in caption
