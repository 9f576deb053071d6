import math

import numpy as np
import pytest

from ensembles.reports.figure_data import (
    Scatter,
    ScatterPoint,
    curve_bands,
    curve_frame,
    curves_of,
    scatter_points,
    thinned,
    time_points,
)
from ensembles.reports.markup import frame_html
from tests.reports.made_up import make_config, make_curve, make_results, make_trial

SINGLE, ADABOOST, ONLINE = 0, 1, 2


def test_a_scatterplot_has_a_point_for_each_data_set_that_both_learners_finished():
    trials = [
        make_trial(0, ADABOOST, 0.9),
        make_trial(0, ONLINE, 0.8),
        make_trial(0, ONLINE, 0.6, order=1),
        make_trial(1, ADABOOST, 0.7),
    ]
    scatter = scatter_points(make_results(trials), ADABOOST, ONLINE)
    (point,) = scatter.points
    assert (point.dataset, point.verdict) == ("Iris", "worse")
    assert point.across == pytest.approx(0.1)
    assert point.up == pytest.approx(0.3)


@pytest.mark.parametrize(("up", "verdict"), [(0.9, "better"), (0.80004, "equal"), (0.8, "equal"), (0.7, "worse")])
def test_better_is_judged_at_the_four_decimals_that_are_shown(up, verdict):
    results = make_results([make_trial(0, ADABOOST, 0.8), make_trial(0, ONLINE, up)])
    for measure in ("error", "accuracy"):
        assert scatter_points(results, ADABOOST, ONLINE, measure).points[0].verdict == verdict


def test_means_that_four_decimals_do_not_tell_apart_are_judged_by_the_digits_shown():
    trials = [make_trial(0, ADABOOST, 0.8, ram_hours=15e-6), make_trial(0, ONLINE, 0.8, ram_hours=7.5e-6)]
    assert scatter_points(make_results(trials), ADABOOST, ONLINE, "ram_hours").points[0].verdict == "better"


def test_the_caption_counts_the_sides():
    points = [ScatterPoint(str(place), 0.1, 0.1, verdict) for place, verdict in enumerate(["better"] + ["worse"] * 8)]
    points += [ScatterPoint(f"e{place}", 0.1, 0.1, "equal") for place in range(5)]
    scatter = Scatter("error", "AdaBoost", "Online boosting", tuple(points))
    assert scatter.caption == (
        "One point a data set. Online boosting: better on 1, worse on 8, equal on 5. All points are hollow: not tested, "
        "which needs two learners and two or more splits of a data set."
    )
    points[0] = ScatterPoint("0", 0.1, 0.1, "better", True)
    some = Scatter("error", "AdaBoost", "Online boosting", tuple(points))
    assert some.caption.endswith("on 1 of 1 (corrected resampled t-test, at 0.05). Not tested: 13.")
    assert "No data set" in Scatter("error", "a", "b", ()).caption


def test_the_numbers_of_a_scatterplot_are_a_table():
    results = make_results([make_trial(0, ADABOOST, 0.75), make_trial(0, ONLINE, 0.5)])
    frame = scatter_points(results, ADABOOST, ONLINE).to_frame()
    assert frame.iloc[0].tolist() == ["Iris", 0.25, 0.5, "worse", "not tested"]


def test_one_learner_against_itself_is_equal_and_its_table_keeps_its_columns():
    frame = scatter_points(make_results([make_trial(0, ONLINE, 0.75)]), ONLINE, ONLINE).to_frame()
    assert frame.iloc[0].tolist()[-2:] == ["equal", "not tested"]


def test_a_band_is_mean_and_one_standard_deviation_over_trials():
    curves = [
        *make_curve(0, ONLINE, [10, 20], [0.5, 0.8]),
        *make_curve(0, ONLINE, [11, 21], [0.7, 0.8], fold=1),
        *make_curve(1, ONLINE, [10], [0.1]),
    ]
    (band,) = curve_bands(make_results([make_trial(0, ONLINE, 0.8)], curves), 0)
    assert band.label == make_config().labels()[ONLINE]
    assert band.x == (10.0, 20.0)  # 10.5 and 20.5, rounded to even
    assert band.mean == pytest.approx((0.6, 0.8))
    spread = math.sqrt(0.02)
    assert band.low == pytest.approx((0.6 - spread, 0.8))
    assert band.high == pytest.approx((0.6 + spread, 0.8))
    assert band.n == 2


def test_a_band_over_repeats_spreads_over_the_means_of_the_repeats():
    curves = [
        *make_curve(0, ONLINE, [10], [0.5]),
        *make_curve(0, ONLINE, [10], [0.7], fold=1),
        *make_curve(0, ONLINE, [10], [0.8], repeat=1),
        *make_curve(0, ONLINE, [10], [0.8], repeat=1, fold=1),
    ]
    (band,) = curve_bands(make_results([], curves), 0, over="repeats")
    assert band.mean == pytest.approx((0.7,))
    assert band.high[0] - band.mean[0] == pytest.approx(np.std([0.6, 0.8], ddof=1))
    assert band.n == 2


def test_a_single_curve_has_no_band_and_unknown_points_stay_unknown():
    curves = make_curve(0, ADABOOST, [1, 2, 3], [0.1, float("nan"), 0.3], curve="member_errors")
    (band,) = curve_bands(make_results([], curves), 0, "member_errors")
    assert band.x == (1.0, 2.0, 3.0)
    assert np.isnan(band.mean[1])
    assert np.isnan(band.low).all()


def test_learning_curves_that_begin_later_are_matched_from_the_end():
    curves = [
        *make_curve(0, ONLINE, [10, 20, 195], [0.2, 0.5, 0.9]),
        *make_curve(0, ONLINE, [19, 194], [0.7, 0.8], fold=1),
    ]
    (band,) = curve_bands(make_results([], curves), 0)
    assert band.x == (10.0, 20.0, 194.0)
    assert band.mean == pytest.approx((0.2, 0.6, 0.85))


def test_errors_of_members_are_matched_by_member():
    curves = [
        *make_curve(0, ADABOOST, [1, 2], [0.1, 0.3], curve="member_errors"),
        *make_curve(0, ADABOOST, [1], [0.2], curve="member_errors", fold=1),
    ]
    (band,) = curve_bands(make_results([], curves), 0, "member_errors")
    assert band.mean == pytest.approx((0.15, 0.3))


def test_bands_keep_the_order_of_the_experiment_and_can_be_chosen():
    curves = [*make_curve(0, ONLINE, [1], [0.1]), *make_curve(0, SINGLE, [1], [0.2])]
    results = make_results([], curves)
    assert [band.learner for band in curve_bands(results, 0)] == [SINGLE, ONLINE]
    assert [band.learner for band in curve_bands(results, 0, learners=[ONLINE])] == [ONLINE]
    assert curve_bands(results, 1) == ()
    assert curves_of(results, "learning_curve") == (0,)
    assert curves_of(results, "member_errors") == ()


def test_the_numbers_of_curves_are_a_table():
    curves = [*make_curve(0, ONLINE, [1, 2], [0.1, 0.2]), *make_curve(0, SINGLE, [1], [0.2])]
    frame = curve_frame(curve_bands(make_results([], curves), 0), "Training examples", "Accuracy")
    assert frame["Accuracy, mean"].tolist() == [0.2, 0.1, 0.2]
    assert curve_frame((), "Training examples", "Accuracy").empty


def test_examples_and_members_are_whole_numbers_in_the_tables_of_curves_and_margins_are_not():
    bands = curve_bands(make_results([], make_curve(0, ONLINE, [1, 102], [0.1, 0.2])), 0)
    page = frame_html(curve_frame(bands, "Training examples", "Accuracy"))
    assert ">1<" in page
    assert ">102<" in page
    margins = make_curve(0, ONLINE, [-0.98, 1.0], [0.1, 0.2], curve="margins")
    bands = curve_bands(make_results([], margins), 0, curve="margins")
    assert curve_frame(bands, "Margin", "Share")["Margin"].tolist() == [-0.98, 1.0]


def test_time_points_are_medians_of_processor_seconds_by_growing_training_set():
    trials = [
        make_trial(0, SINGLE, 0.9, fit_cpu_seconds=4.0, fit_seconds=90.0, n_train=400),
        make_trial(0, SINGLE, 0.9, fit_cpu_seconds=5.0, n_train=401, fold=1),
        make_trial(0, SINGLE, 0.9, fit_cpu_seconds=500.0, n_train=399, fold=2),
        make_trial(1, SINGLE, 0.9, fit_cpu_seconds=1.0, n_train=100),
        make_trial(1, ONLINE, None),
    ]
    points = time_points(make_results(trials))
    assert [(point.dataset, point.n_train, point.seconds) for point in points] == [
        ("Wine", 100, 1.0),
        ("Iris", 400, 5.0),
    ]


def test_thinning_keeps_both_ends():
    rows = thinned(100_000, 50)
    assert (len(rows), rows[0], rows[-1]) == (50, 0, 99_999)
    assert thinned(3, 50).tolist() == [0, 1, 2]
