"""The figure of calibration, from what stored trials have kept."""

import numpy as np
import pytest

from ensembles.evaluation.calibration import BINS, CALIBRATION
from ensembles.reports.calibration import calibration_chart, calibrations
from ensembles.reports.views import VIEWS
from tests.reports.made_up import make_curve, make_results, make_trial


def sums(learner, *parts, fold=0):
    """Return the curve of a trial; parts: how sure, how many right, of how many."""
    columns = np.zeros((3, BINS))
    for place, (sure, right, n) in enumerate(parts):
        columns[:, 2 * place] = sure * n, right, n
    return make_curve(0, learner, range(3 * BINS), columns.ravel(), curve=CALIBRATION, fold=fold)


@pytest.fixture(scope="module")
def results():
    own = sums(0, (0.6, 3, 5), (0.9, 4, 5)) + sums(0, (0.8, 1, 5), (1.0, 4, 5), fold=1)
    return make_results([make_trial(0, 0, 0.6), make_trial(0, 1, 0.9)], own + sums(1, (0.7, 9, 10)))


def test_trials_are_taken_together(results):
    first, second = calibrations(results, 0)
    assert first.sure == pytest.approx([0.7, 0.95])
    assert first.right == pytest.approx([0.4, 0.8])
    assert first.n.tolist() == [10, 10]
    assert (first.gap, second.gap) == pytest.approx((0.225, -0.2))
    assert calibrations(results, 1) == []


def test_the_figure_says_who_is_too_sure_and_who_not_sure_enough(results):
    chart = calibration_chart(results, 0)
    single, boosting = results.learners[:2]
    assert f"Most of all {single} is too sure by 0.2250 on average, and {boosting} not sure enough by 0.2000." in (
        chart.caption
    )
    line, first, second = chart.draw("light").data
    assert (line.x, line.hoverinfo) == (line.y, "skip")
    assert (first.x, first.y) == (pytest.approx((0.7, 0.95)), pytest.approx((0.4, 0.8)))
    assert [trace.name for trace in (first, second)] == [single, boosting]
    assert chart.numbers["Predictions"].tolist() == [10, 10, 10]
    alone = calibration_chart(make_results([make_trial(0, 0, 0.5)], sums(0, (0.5, 5, 10))), 0)
    assert alone.caption.endswith("On average none is surer or less sure than it is right.")


def test_without_probabilities_it_is_said_what_keeps_them(results):
    assert "Experiments with a measure of class probabilities do" in calibration_chart(results, 1).caption
    [view] = [view for view in VIEWS if view.key == "classes"]
    assert list(view.sections(results)) == ["Calibration"]
