import math
from dataclasses import replace

import numpy as np
import pytest

from ensembles.reports.curve_figure import curve_figure
from ensembles.reports.figure_data import MAX_POINTS, Band, Scatter, ScatterPoint, TimePoint
from ensembles.reports.plot_template import count_ticks, escaped, second_ticks, template
from ensembles.reports.scatter_figure import scatter_figure
from ensembles.reports.style import THEMES, VERDICTS, learner_styles
from ensembles.reports.time_figures import time_by_dataset_figure, time_figure
from tests.reports.made_up import make_config

HTML = '<b onclick="x">&amp; <a href="javascript:1">Iris</a></b>'
LOOKS = learner_styles(make_config().learners)


def make_scatter(*points: ScatterPoint, up: str = "Online boosting") -> Scatter:
    return Scatter("error", "AdaBoost", up, points)


def make_band(learner: int = 0, size: int = 3, label: str = "Single") -> Band:
    x = tuple(float(place) for place in range(size))
    mean = tuple(0.5 for _ in range(size))
    return Band(learner, label, x, mean, tuple(0.4 for _ in x), tuple(0.6 for _ in x), 10)


def texts_of(value):
    """Yield every text inside a figure's plain form."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from texts_of(inner)
    elif isinstance(value, list | tuple | np.ndarray):
        for inner in value:
            yield from texts_of(inner)
    elif isinstance(value, str):
        yield value


def test_a_scatterplot_draws_its_points_on_equal_axes_with_the_diagonal():
    figure = scatter_figure(
        make_scatter(ScatterPoint("Iris", 0.1, 0.2, "worse"), ScatterPoint("Wine", 0.4, 0.3, "better"))
    )
    diagonal, marks = figure.data
    assert (list(marks.x), list(marks.y)) == ([0.1, 0.4], [0.2, 0.3])
    assert list(marks.marker.color) == [VERDICTS["worse"], VERDICTS["better"]]
    assert list(diagonal.x) == list(diagonal.y)
    assert figure.layout.xaxis.range == figure.layout.yaxis.range
    assert figure.layout.yaxis.scaleanchor == "x"
    assert figure.layout.xaxis.title.text == "Error of AdaBoost"
    assert "below the line: Online boosting wins" in {note.text for note in figure.layout.annotations}


def test_names_of_data_sets_are_cut_only_where_more_of_them_fit_then():
    few = [ScatterPoint("Breast cancer (Wisconsin)", 0.1, 0.3, "worse"), ScatterPoint("Wine", 0.4, 0.3, "better")]
    told = {text for text in scatter_figure(make_scatter(*few)).data[1].text if text}
    assert told == {"Breast cancer (Wisconsin)", "Wine"}
    many = [ScatterPoint(f"{n} is a very long name of data", 0.05 * n, 0.05 * n + 0.1, "worse") for n in range(6)]
    told = [text for text in scatter_figure(make_scatter(*many)).data[1].text if text]
    assert max(map(len, told)) == 20


def test_a_long_name_is_whole_on_an_axis_in_lines_that_a_narrow_figure_holds():
    scatter = make_scatter(up="Voting of 100 members (attributes a member sees 0.75)")
    title = scatter_figure(scatter).layout.yaxis.title.text
    assert title.replace("<br>", " ") == f"Error of {scatter.up}"
    assert max(map(len, title.split("<br>"))) <= 36


def test_filled_points_are_significant_and_no_point_is_without_a_test():
    untested = [ScatterPoint(name, 0.1, 0.2, "worse") for name in "ab"]
    marks = scatter_figure(make_scatter(*untested)).data[1]
    assert list(marks.marker.symbol) == ["circle-open", "circle-open"]
    assert all(text.endswith("(worse, not tested)") for text in marks.hovertext)
    tested = [ScatterPoint("c", 0.1, 0.3, "worse", True), ScatterPoint("d", 0.1, 0.2, "worse", False)]
    symbols = scatter_figure(make_scatter(untested[0], *tested)).data[1].marker.symbol
    assert list(symbols) == ["circle-open", "circle", "circle-open"]


def test_the_names_farthest_from_the_diagonal_are_written_first_where_they_cover_no_point():
    places = {"a": (0.8, 0.9), "b": (0.1, 0.15), "c": (0.1, 0.8), "d": (0.15, 0.1), "e": (0.9, 0.88), "f": (0.9, 0.2)}
    points = [ScatterPoint(name, x, y, "worse" if y > x else "better") for name, (x, y) in places.items()]
    same = ScatterPoint("same", 0.1, 0.9, "equal")
    marks = scatter_figure(make_scatter(*points, same, ScatterPoint("beside c", 0.05, 0.8, "equal"))).data[1]
    written = dict(zip(marks.text, marks.textposition, strict=True))
    written.pop("", None)
    first = {"a": "middle left", "c": "top left", "f": "middle right", "b": "middle left"}
    assert first.items() <= written.items()
    assert {"same", "beside c"} <= {*written}


@pytest.mark.parametrize(("value", "lowest", "highest"), [(0.0, -0.02, 0.2), (0.3, 0.2, 0.5), (1.0, 0.8, 1.02)])
def test_a_scatterplot_of_one_value_shows_numbers_that_can_be(value, lowest, highest):
    low, high = scatter_figure(make_scatter(ScatterPoint("Iris", value, value, "equal"))).layout.xaxis.range
    assert lowest <= low < value < high <= highest


def test_the_corners_of_a_scatterplot_are_free_for_words():
    figure = scatter_figure(make_scatter(ScatterPoint("a", 0.2, 0.6, "worse"), ScatterPoint("b", 0.6, 0.2, "better")))
    low, high = figure.layout.yaxis.range
    assert min(0.2 - low, high - 0.6) >= 0.07 * (high - low)


def test_few_members_are_counted_in_whole_numbers():
    few, many = (curve_figure([make_band(0, n)], LOOKS, x_title="member", y_title="error") for n in (2, 9))
    assert few.layout.xaxis.dtick == 1
    assert many.layout.xaxis.dtick is None


def test_few_places_far_apart_do_not_have_a_tick_at_each_number_between_them():
    band = make_band(0, 3)
    curve = curve_figure([replace(band, x=(100.0, 200.0, 400.0))], LOOKS, x_title="training examples", y_title="error")
    assert curve.layout.xaxis.dtick is None


def test_with_accuracies_the_winner_is_above_the_line():
    figure = scatter_figure(
        Scatter("accuracy", "AdaBoost", "Online boosting", (ScatterPoint("Iris", 0.1, 0.2, "better"),))
    )
    assert "above the line: Online boosting wins" in {note.text for note in figure.layout.annotations}


def test_hover_says_the_numbers():
    figure = scatter_figure(make_scatter(ScatterPoint("Iris", 0.1, 0.25, "worse")))
    assert (
        figure.data[1].hovertext[0] == "<b>Iris</b><br>AdaBoost: 0.1000<br>Online boosting: 0.2500 (worse, not tested)"
    )


def test_names_of_users_are_never_markup():
    assert escaped(HTML, 100) == '&lt;b onclick="x"&gt;&amp;amp; &lt;a href="javascript:1"&gt;Iris&lt;/a&gt;&lt;/b&gt;'
    points = (TimePoint(0, HTML, HTML, 100, 1.0),)
    figures = [
        scatter_figure(make_scatter(ScatterPoint(HTML, 0.1, 0.2, "worse"), up=HTML)),
        curve_figure([make_band(label=HTML)], LOOKS, x_title="training examples", y_title="accuracy"),
        time_figure(points, LOOKS, y_title="seconds to train"),
        time_by_dataset_figure(points, LOOKS, y_title="seconds to train"),
    ]
    for figure in figures:
        marked = [text for text in texts_of(figure.to_plotly_json()) if "onclick" in text]
        assert marked
        assert not [text for text in marked if "<b onclick" in text or "<a" in text]


def test_percent_braces_in_names_are_no_template():
    figure = scatter_figure(make_scatter(ScatterPoint("%{x}", 0.1, 0.2, "worse")))
    assert figure.data[1].hovertemplate is None
    assert "<b>%{x}</b>" in figure.data[1].hovertext[0]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_curve_has_the_look_of_its_learner_and_a_band_around_it(theme):
    figure = curve_figure([make_band(0), make_band(2)], LOOKS, theme, x_title="training examples", y_title="accuracy")
    lines = [trace for trace in figure.data if trace.fill is None]
    assert [line.marker.symbol for line in lines] == ["circle", "diamond-open"]
    assert [line.line.color for line in lines] == [LOOKS[0].colour(theme), LOOKS[2].colour(theme)]
    band = figure.data[0]
    assert list(band.y) == [0.6] * 3 + [0.4] * 3
    assert list(band.x) == [0, 1, 2, 2, 1, 0]
    assert figure.layout.template.layout.font.color == THEMES[theme].text


def test_unknown_spread_leaves_no_hole_in_a_band():
    band = make_band()
    gap = Band(0, "Single", band.x, band.mean, (0.4, math.nan, 0.4), (0.6, math.nan, 0.6), 2)
    figure = curve_figure([gap], LOOKS, x_title="members", y_title="error")
    assert list(figure.data[0].x) == [0, 2, 2, 0]


def test_hover_says_the_spread_of_a_curve_where_it_is_known():
    band = make_band()
    gap = Band(0, "Single", band.x, band.mean, (0.4, math.nan, 0.4), (0.6, math.nan, 0.6), 2)
    line = curve_figure([gap], LOOKS, x_title="members", y_title="error").data[1]
    assert list(line.customdata) == [" ± 0.1000", "", " ± 0.1000"]
    assert line.hovertemplate == "%{y:.4f}%{customdata}"


def test_long_curves_are_thinned_and_drawn_as_svg():
    figure = curve_figure([make_band(0, 9000), make_band(1, 9000)], LOOKS, x_title="members", y_title="error")
    lines = [trace for trace in figure.data if trace.fill is None]
    assert sum(len(line.x) for line in lines) <= MAX_POINTS
    assert {trace.type for trace in figure.data} == {"scatter"}


def test_a_reference_line_has_its_words():
    figure = curve_figure([make_band()], LOOKS, x_title="m", y_title="e", reference=(0.5, "no better than guessing"))
    assert figure.layout.annotations[0].text == "no better than guessing"
    assert figure.layout.shapes[0].y0 == 0.5


def test_faint_curves_lie_behind_as_dotted_lines_in_the_colour_of_their_learner():
    figure = curve_figure([make_band(2)], LOOKS, x_title="m", y_title="e", faint=[make_band(2, 4)], x_format=".2f")
    behind, _, line = figure.data
    assert (list(behind.y), behind.line.dash, behind.showlegend) == ([0.5] * 4, "dot", False)
    assert behind.line.color == line.line.color
    assert figure.layout.xaxis.tickformat == ".2f"


def test_times_are_drawn_on_logarithmic_axes_people_can_read():
    points = (TimePoint(0, "Single", "Iris", 100, 0.004), TimePoint(0, "Single", "Wine", 10_000, 90.0))
    figure = time_figure(points, LOOKS, y_title="seconds to train")
    assert list(figure.data[0].x) == [100, 10_000]
    assert figure.data[0].mode == "markers"  # data sets have nothing between them
    assert figure.layout.yaxis.type == "log"
    assert list(figure.layout.yaxis.ticktext) == ["10 ms", "100 ms", "1 s", "10 s", "1 min"]
    assert list(figure.layout.xaxis.ticktext) == ["100", "1,000", "10,000"]
    assert figure.data[0].hovertext[1].endswith("Single: 1 min 30 s<br>10,000 training examples")


def test_times_by_data_set_put_the_smallest_first():
    points = (TimePoint(0, "Single", "Wine", 200, 0.5), TimePoint(1, "AdaBoost", "Iris", 100, 2.0))
    figure = time_by_dataset_figure(points, LOOKS, y_title="seconds to train")
    assert list(figure.layout.yaxis.ticktext) == ["Iris", "Wine"]
    assert list(figure.data[0].y) == [1]


def test_a_narrow_range_of_seconds_still_has_ticks():
    assert len(second_ticks([0.011, 0.013])["ticktext"]) >= 1
    assert len(second_ticks([0.011, 0.06])["ticktext"]) >= 2
    assert second_ticks([0.00052, 0.00074])["ticktext"][0] == "400 µs"
    assert len(second_ticks([0.00052, 0.00074])["ticktext"]) == 6
    assert second_ticks([80.0, 80.0])["ticktext"] == ["1 min 20 s"]
    assert len(count_ticks([150, 700])["ticktext"]) >= 2
    assert count_ticks([120, 142])["ticktext"] == ["100", "150"]


def test_a_time_of_zero_can_be_drawn_on_a_logarithmic_axis():
    figure = time_figure((TimePoint(0, "Single", "Iris", 100, 0.0),), LOOKS, y_title="seconds")
    assert list(figure.data[0].y) == [1e-6]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_let_the_background_of_the_page_through(theme):
    layout = template(theme).layout
    assert layout.paper_bgcolor == "rgba(0, 0, 0, 0)"
    assert layout.font.family.startswith('"Source Sans"')


@pytest.mark.parametrize("draw", [time_figure, time_by_dataset_figure])
def test_figures_without_points_can_be_drawn(draw):
    assert len(draw((), LOOKS, y_title="seconds").data) == 0
    assert len(scatter_figure(make_scatter()).data) == 2
