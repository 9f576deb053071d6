"""Names at the ends of curves: apart from each other, near their ends, and only where they tell something."""

import math
from dataclasses import replace

import numpy as np
import pytest

from ensembles.reports.curve_figure import curve_figure
from ensembles.reports.end_labels import END_LABEL, Start, beyond, moved_apart, value_range
from ensembles.reports.figure_data import Band
from ensembles.reports.style import learner_styles
from tests.reports.made_up import make_config


def band(learner, mean, spread=0.0, x=None):
    low, high = (tuple(value + side * spread for value in mean) for side in (-1, 1))
    return Band(
        learner, f"Learner {learner} & <b>more</b>", tuple(x or range(1, len(mean) + 1)), tuple(mean), low, high, 2
    )


@pytest.mark.parametrize("seed", range(20))
def test_labels_do_not_overlap_keep_their_order_and_stay_inside(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 11))
    wanted, heights = rng.choice([5.0, 100.0, 101.0, 380.0], n) + rng.random(n), rng.choice([16.0, 32.0], n)
    found = np.array(moved_apart(wanted.tolist(), heights.tolist(), 400.0))
    order = np.argsort(-wanted)
    tops, bottoms = (found + heights / 2)[order], (found - heights / 2)[order]
    assert (tops[1:] <= bottoms[:-1] + 1e-9).all()
    assert tops[0] <= 400 + 1e-9
    assert bottoms[-1] >= -1e-9


def test_labels_with_room_stay_where_their_lines_end():
    assert moved_apart([300.0, 100.0, 200.0], [16.0] * 3, 400.0) == [300.0, 100.0, 200.0]
    assert moved_apart([10.0] * 4, [200.0] * 4, 400.0)[-1] < 0  # no room at all: the caller keeps its legend


def test_the_range_holds_means_and_bands_and_on_request_not_the_first_examples():
    steady = [0.2] * 50 + [0.21] * 50
    started = band(0, [1.0, 0.0, *steady[2:]], x=range(1, 101))
    low, high = value_range([started])
    assert (low, high) == pytest.approx((-0.06, 1.06))
    low, high = value_range([started], start=Start(0.05, 0.0))
    assert (low, high) == pytest.approx((0.2 - 0.0006, 0.21 + 0.0006))
    assert value_range([band(0, [0.3, 0.5], 0.1)], start=Start(0.05, 0.0)) == pytest.approx((0.176, 0.624))
    assert value_range([band(0, [0.5, 0.5])], start=Start(0.05, 0.0)) == pytest.approx((0.49, 0.51))
    assert value_range([band(0, [math.nan])]) is value_range([]) is None


def test_the_axis_ends_where_shares_end_though_bands_go_on():
    assert value_range([band(0, [0.9, 0.5], 0.3)]) == pytest.approx((0.2 - 0.048, 1.0 + 0.048))
    assert value_range([band(0, [0.1, 0.0], 0.3)]) == pytest.approx((-0.024, 0.424))


def test_the_smallest_training_sets_do_not_set_the_scale_and_what_lies_beyond_is_counted():
    sizes = (10, 20, 40, 100, 200, 500, 1000)
    curve = band(0, [0.1, 0.3, 0.5, 0.8, 0.84, 0.88, 0.9], x=sizes)
    low, high = value_range([curve], start=Start(0.12, 0.5))
    assert (low, high) == pytest.approx((0.81 - 0.0054, 0.9 + 0.0054))
    assert beyond([curve], (low, high)) == (4, 0.1)
    assert beyond([curve], value_range([curve])) == (0, pytest.approx(math.nan, nan_ok=True))
    uncertain = replace(curve, low=(0.0, 0.1, 0.2, 0.3, 0.4, 0.88, 0.9))  # bands count from the middle on
    assert value_range([uncertain], start=Start(0.12, 0.5)) == (low, high)
    steady = band(0, [0.1, 0.8, 0.8], x=(10, 50, 100))  # no scale without the first
    assert value_range([steady], start=Start(0.12, 0.5))[0] < 0.1
    assert beyond([band(0, [math.nan, 0.2])], None)[0] == 0


def drawn(*means, **more):
    styles = learner_styles(make_config().learners)
    bands = [band(learner, mean) for learner, mean in enumerate(means)]
    return curve_figure(bands, styles, "light", x_title="x", y_title="y", **more)


def test_names_stand_at_the_ends_of_lines_or_in_a_legend():
    figure = drawn([0.1, 0.5], [0.2, 0.52], [0.3, 0.9])
    notes = [note for note in figure.layout.annotations if note.name == END_LABEL]
    names = [note.text.replace("<br>", " ") for note in notes]
    assert names == [f"Learner {learner} &amp; &lt;b&gt;more&lt;/b&gt;" for learner in range(3)]
    assert [note.y for note in notes] == pytest.approx([0.5, 0.52, 0.9])
    assert notes[2].yshift == 0
    styles = learner_styles(make_config().learners)
    assert [shape.fillcolor for shape in figure.layout.shapes] == [styles[n].colour("light") for n in range(3)]
    assert [(shape.yanchor, shape.y0 + 4) for shape in figure.layout.shapes] == [
        (note.y, note.yshift) for note in notes
    ]
    assert notes[1].yshift - notes[0].yshift > 0
    assert not figure.layout.showlegend
    alike = drawn([0.1, 1.0], [0.2, 1.0])
    assert alike.layout.showlegend
    assert not alike.layout.annotations
    assert drawn([0.1, 0.5]).layout.showlegend


def test_a_level_that_readers_need_is_on_the_axis():
    low, high = drawn([0.1, 0.2], [0.1, 0.3], reference=(0.5, "half")).layout.yaxis.range
    assert low < 0.1 < 0.5 <= high
