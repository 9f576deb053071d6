"""Learners and data sets can be told apart wherever they are named: nothing is cut until two look alike."""

import html

import pandas as pd
import pytest

from ensembles.experiments.results import Results
from ensembles.reports import formatting
from ensembles.reports.charts import rank_chart, scatter_chart, time_chart
from ensembles.reports.curve_charts import CURVE_DISPLAYS, curve_chart
from ensembles.reports.figure_data import Scatter, ScatterPoint, TimePoint
from ensembles.reports.html_report import report_page
from ensembles.reports.markup import marked_html, marked_latex
from ensembles.reports.over_datasets import rank_learners
from ensembles.reports.scatter_figure import scatter_figure
from ensembles.reports.significance import Question, marked_means
from ensembles.reports.style import learner_styles
from ensembles.reports.tables import to_csv, trial_table
from ensembles.reports.time_figures import time_by_dataset_figure
from tests.reports.made_up import make_config, make_curve, make_results, make_trial

LONG = tuple(
    f"Primed online boosting of 100 neural networks (hidden units 10, updates an example {n}, scaling of numbers none)"
    for n in ("1", "10", "100")
)


def test_names_that_would_look_alike_keep_what_tells_them_apart():
    for limit in (20, 24, 40):
        cut = formatting.shortened_apart(LONG, limit)
        assert len({*cut}) == 3
        assert all(len(name) <= limit for name in cut)
    assert formatting.shortened_apart(("Iris", "A very long name of a data set"), 12) == ("Iris", "A very long…")
    years = formatting.shortened_apart(("waveform with noise, 1999", "waveform with noise, 2001"), 16)
    assert [name[-4:] for name in years] == ["1999", "2001"]
    assert formatting.shortened_apart(("a b" * 30, "a b" * 30), 10) == ("a ba ba b…",) * 2
    assert formatting.shortened_apart((), 10) == ()


def seen(figure):
    """Yield every text of a figure that is no hover, as it is read: on one line."""
    layout = figure.layout
    parts = [layout.xaxis.title.text, layout.yaxis.title.text, *(note.text for note in layout.annotations)]
    parts += [*(layout.yaxis.ticktext or ()), *(trace.name for trace in figure.data if trace.showlegend is not False)]
    return [part.replace("<br>", " ") for part in parts if part]


@pytest.fixture(scope="module")
def alike():
    """Three learners that differ in one setting at the end of a long name, with everything that is drawn of them."""
    networks = [
        {"key": "neural_network", "hidden": 10, "normalise": "none", "updates_per_example": n} for n in (1, 10, 100)
    ]
    config = make_config([{"method": "primed_online_boosting", "base": network} for network in networks])
    trials = [
        make_trial(d, m, 0.5 + 0.1 * m + 0.01 * f, fold=f, n_train=100 + d)
        for d in range(2)
        for m in range(3)
        for f in range(2)
    ]
    curves = [row for m in range(3) for row in make_curve(0, m, [1, 2], [0.1, 0.2])]
    return Results(config, ("Iris", "Wine"), LONG, make_results(trials, config=config).trials, pd.DataFrame(curves))


def test_every_learner_can_be_told_from_every_other_in_every_figure_and_table(alike):
    question = Question("accuracy")
    ranks = rank_chart(alike, rank_learners(alike, question), "accuracy")
    for chart in (
        ranks,
        time_chart(alike),
        time_chart(alike, by_size=False),
        curve_chart(alike, CURVE_DISPLAYS["learning_curve"], 0),
    ):
        texts = seen(chart.draw("light"))
        assert all(name in texts for name in LONG)
    notes = {text for text in seen(scatter_chart(alike, 0, 1).draw("light")) if " the line: " in text}
    assert len({note.split(": ")[1] for note in notes}) == 2
    titles = seen(scatter_chart(alike, 0, 1).draw("light"))
    assert {f"Error of {LONG[0]}", f"Error of {LONG[1]}"} <= {*titles}
    table = marked_means(alike, question)
    page = html.unescape(report_page(alike, ["accuracy"]))
    for name in LONG:
        assert name in scatter_chart(alike, (LONG.index(name) + 1) % 3, LONG.index(name)).caption
        assert name in marked_latex(table)
        assert name in html.unescape(marked_html(table))
        assert name in to_csv(trial_table(alike))
        assert name in page


def test_points_on_the_diagonal_have_names():
    points = [ScatterPoint(f"equal {place}", 0.1 * place, 0.1 * place, "equal") for place in range(1, 5)]
    points += [ScatterPoint("apart", 0.1, 0.4, "worse")]
    marks = scatter_figure(Scatter("error", "AdaBoost", "Online boosting", tuple(points))).data[1]
    assert {"apart", "equal 1", "equal 4"} <= {*marks.text}


def test_names_of_data_sets_that_begin_alike_are_told_apart_in_a_figure():
    names = [f"A data set of measurements, part {place}" for place in range(3)]
    points = tuple(
        ScatterPoint(name, 0.1 + 0.2 * place, 0.3 + 0.2 * place, "worse") for place, name in enumerate(names)
    )
    written = {text for text in scatter_figure(Scatter("error", "a", "b", points)).data[1].text if text}
    assert len(written) == 3
    times = tuple(TimePoint(0, "Single", name, 100, 1.0) for name in names)
    (style,) = learner_styles(make_config([{"method": "single", "base": "naive_bayes"}]).learners)
    assert len({*time_by_dataset_figure(times, [style], y_title="seconds").layout.yaxis.ticktext}) == 3
