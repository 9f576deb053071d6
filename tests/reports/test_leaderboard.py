"""Leaderboard, who beats whom, and error against time, as figures and tables of results."""

import numpy as np
import pytest

from ensembles.experiments.protocol_spec import Prequential
from ensembles.reports.leaderboard import SCORES, leaderboard_chart, win_rate_chart
from ensembles.reports.trade_off import trade_off_chart, trade_off_of
from tests.reports.eight_learners import make_eight
from tests.reports.made_up import make_config, make_results, make_trial


@pytest.fixture(scope="module")
def eight():
    return make_eight()


@pytest.mark.parametrize("by", SCORES)
def test_learners_are_sorted_by_the_score_that_is_drawn(eight, by):
    chart = leaderboard_chart(eight, "accuracy", by)
    figure = chart.draw("light")
    drawn = [trace.x[0] for trace in figure.data]
    assert drawn == chart.numbers[SCORES[by]].tolist()
    assert drawn == sorted(drawn, reverse=by in ("elo", "win_rate"))
    assert chart.numbers["Learner"].iloc[0] == "AdaBoost of naive Bayes"
    assert leaderboard_chart(eight, "error", by).numbers["Learner"].tolist() == chart.numbers["Learner"].tolist()


def test_data_sets_that_lack_a_learner_and_learners_without_any_are_left_out():
    chart = leaderboard_chart(make_eight(missing={(0, 3), *((d, 5) for d in range(4))}), "accuracy")
    assert "over 3 data sets" in chart.caption
    assert len(chart.numbers) == 7
    alone = make_results([make_trial(d, 0, 0.5) for d in (0, 1)])
    assert "needs two learners" in leaderboard_chart(alone, "accuracy").caption


def test_of_one_data_set_splits_are_counted():
    config = make_config(datasets=("iris",))
    accuracies = [(0.5, 0.6, 0.5), (0.5, 0.4, 0.5), (0.5, 0.6, 0.7)]
    trials = [make_trial(0, m, value, fold=f) for f, row in enumerate(accuracies) for m, value in enumerate(row)]
    chart = win_rate_chart(make_results(trials, config=config, names=("Iris",)), "accuracy")
    assert chart.numbers["Learner"].tolist() == ["Online boosting", "AdaBoost", "Single model"]
    by_name = chart.numbers.set_index("Learner")
    assert by_name.loc["Online boosting", "Single model"] == pytest.approx(200 / 3)  # in %, as the caption says
    assert by_name.loc["Single model", "AdaBoost"] == pytest.approx(100 / 3)
    assert "of 3 splits" in chart.caption
    [heatmap] = chart.draw("dark").data
    np.testing.assert_array_equal(100 * np.array(heatmap.z, dtype=float), by_name.to_numpy())
    assert heatmap.text[0][1] == "67"
    assert win_rate_chart(make_results([]), "error").numbers.empty


def test_who_beats_whom_counts_the_data_sets_that_have_results_of_two_learners():
    def caption(*cells):
        trials = [make_trial(d, m, 0.5 + m / 10, fold=f) for d, m in cells for f in range(2)]
        return win_rate_chart(make_results(trials), "accuracy").caption

    assert "(in %) of 2 data sets on which" in caption((0, 0), (0, 1), (1, 0), (1, 1))
    told = "How often each learner beats each other one is told of two data sets or more; there is"
    assert caption((0, 0), (0, 1)) == f"{told} 1 data set with results of two learners."
    assert "(in %) of those of 2 data sets that both have results on, on" in caption(
        (0, 0), (0, 1), (0, 2), (1, 0), (1, 1)
    )
    assert caption((0, 0), (1, 1)) == f"{told} no data set with results of two learners."


def timed(cells, datasets=("iris",), **more):
    """Return results of (accuracy, seconds to train, seconds to predict) by data set and learner."""
    trials = [
        make_trial(d, m, accuracy, fit_cpu_seconds=fit, predict_cpu_seconds=predict, n_train=100, n_test=50, fold=f)
        for d, row in enumerate(cells)
        for m, (accuracy, fit, predict) in enumerate(row)
        for f in range(3)
    ]
    config = make_config(datasets=datasets).model_copy(update=more)
    return make_results(trials, config=config, names=datasets)


def test_seconds_are_for_a_thousand_examples_and_the_knee_is_said():
    results = timed([[(0.6, 0.01, 0.005), (0.91, 1.0, 0.05), (0.9, 0.1, 0.005)]])
    found = trade_off_of(results)
    assert found.seconds == pytest.approx((0.2, 11.0, 1.1))
    assert found.front == (0, 2, 1)
    assert found.sentence == (
        "Worth its time: Online boosting, with 0.25 × the error and 5.5 × the time of Single model, the quickest, and "
        "1.11 × the error and 0.10 × the time of AdaBoost, which errs least."
    )
    assert trade_off_of(results, "fit").seconds == pytest.approx((0.1, 10.0, 1.0))
    chart = trade_off_chart(results, "predict")
    assert chart.draw("light").data[1].x == pytest.approx((0.1,))
    beaten = chart.numbers.set_index("Learner")["Beaten in both"]
    assert beaten.to_dict() == {"Single model": "yes", "AdaBoost": "", "Online boosting": ""}


def test_over_data_sets_errors_are_relative_and_times_geometric_means():
    fast, slow = (0.8, 0.01, 0.0), (0.9, 0.1, 0.0)
    results = timed([[fast, slow, fast], [(0.4, 0.09, 0.0), (0.8, 0.4, 0.0), (0.4, 0.09, 0.0)]], ("iris", "wine"))
    found = trade_off_of(results, "fit")
    assert found.seconds == pytest.approx((0.3, 2.0, 0.3))
    assert found.errors == pytest.approx(((1.2 + 9 / 7) / 2, (0.6 + 3 / 7) / 2, (1.2 + 9 / 7) / 2))
    assert "0.41 × the error and 6.7 × the time of Single model, the quickest" in found.sentence


def test_a_stream_has_one_time_and_no_trial_has_none():
    stream = timed([[(0.6, 0.1, np.nan), (0.9, 0.2, np.nan)]], protocol=Prequential())
    assert trade_off_of(stream).seconds == pytest.approx((1.0, 2.0))
    same = timed([[(0.9, 0.1, 0.1), (0.9, 0.1, 0.1)]])
    assert trade_off_of(same).sentence == "Single model and AdaBoost: nothing is quicker, and nothing errs less."
    perfect = timed([[(0.9, 0.1, 0.1), (1.0, 0.2, 0.1)]])
    assert "0 × the error" in trade_off_of(perfect).sentence
    assert trade_off_chart(make_results([])).numbers.empty
    assert trade_off_chart(make_results([make_trial(0, 0, 0.5)])).numbers.empty
